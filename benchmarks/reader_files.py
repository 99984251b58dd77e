"""Files of every kind that is read, written by other libraries from words that are known: what ``readers.py`` measures on."""

# ruff: noqa: ANN401, D102, DTZ001 - other libraries' untyped documents, described by their names; Office knows no zones
# pyright: basic, reportArgumentType=false, reportOptionalMemberAccess=false, reportMissingTypeStubs=false, reportUnknownMemberType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import csv
import io
import json
import warnings
import zipfile
from dataclasses import dataclass, field
from datetime import date, datetime
from email.message import EmailMessage
from email.policy import SMTP
from html import escape
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import xlsxwriter  # pyright: ignore[reportMissingTypeStubs]
from docx import Document
from docx.oxml import parse_xml
from fpdf import FPDF, FontFace
from openpyxl import Workbook
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Frame,
    ListFlowable,
    ListItem,
    PageBreak,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_EN = (
    "The {place} office keeps {n} boxes of {thing} behind the green door, and counts them every {day}.",
    "When a delivery of {thing} is late, call {person} before noon and write the number {n} on the slip.",
    "{person} wrote the rule for {thing}: nobody in {place} signs for more than {n} at a time.",
    "On {day} the workshop in {place} is closed, but {person} answers questions about {thing} until {n} o'clock.",
    "Returned {thing} go to shelf {n}; ask {person} when the shelf in {place} is full.",
    "In {place}, a café called “{person}'s” buys {n} crates of {thing} – never on a {day}.",
)
_JA = (
    "{place}支店では{thing}を{n}箱まで保管し、毎週{day}に数えます。",
    "{thing}の配送が遅れたときは、正午までに{person}さんへ電話し、伝票に{n}と書いてください。",
    "{person}さんが決めた規則では、{place}で一度に受け取れる{thing}は{n}個までです。",
    "{day}は{place}の工房が休みですが、{person}さんが{n}時まで{thing}の質問に答えます。",
)
_ZH = (
    "{place}办公室在绿色的门后面存放{n}箱{thing}，每个{day}清点一次。",
    "如果{thing}的送货迟到，请在中午之前打电话给{person}，并在单子上写下号码{n}。",
    "{person}规定：在{place}，任何人一次签收的{thing}都不能超过{n}件。",
    "{day}{place}的车间不开门，但{person}会回答关于{thing}的问题，直到{n}点。",
)
_WORDS: dict[str, dict[str, tuple[str, ...]]] = {
    "en": {
        "place": ("Bremen", "Leeds", "Osaka", "Lyon", "Porto"),
        "thing": ("lanterns", "copper wire", "ledgers", "tea bowls", "maps"),
        "day": ("Monday", "Thursday", "Saturday"),
        "person": ("Imani", "Jonas", "Keiko", "Zoë", "Renée"),
    },
    "ja": {
        "place": ("大阪", "札幌", "横浜"),
        "thing": ("提灯", "銅線", "帳簿", "茶碗"),
        "day": ("月曜日", "木曜日"),
        "person": ("田中", "佐藤", "山本"),
    },
    "zh": {
        "place": ("上海", "成都", "广州"),
        "thing": ("灯笼", "铜线", "账本", "茶碗"),
        "day": ("星期一", "星期四"),
        "person": ("李明", "王芳", "张伟"),
    },
}
_PATTERNS = {"en": _EN, "ja": _JA, "zh": _ZH}
_TITLES = {
    "en": ("Storing goods", "Late deliveries", "Who signs", "Opening hours", "Returns", "Customers"),
    "ja": ("保管の規則", "配送の遅れ", "受け取り", "営業時間", "返品", "お客様"),
    "zh": ("存放规则", "送货延迟", "签收", "营业时间", "退货", "客户"),
}
LANGUAGES = ("en", "ja", "zh")


@dataclass(slots=True, kw_only=True)
class Sample:
    """A file with what it says.

    Args:
        name: Its name, with the ending.
        data: Its bytes.
        words: Every stretch of text that a person would see in it; None for a file that was found, not made.
        headings: Those of them that are headings.
        pages: On which page a stretch stands, where its maker knows.
    """

    name: str
    data: bytes
    words: list[str] | None = field(default_factory=list[str])
    headings: list[str] = field(default_factory=list[str])
    pages: dict[str, int] = field(default_factory=dict[str, int])


class Told:
    """Makes up sentences and headings, and keeps what it gave."""

    def __init__(self, seed: int, language: str = "en") -> None:
        self.language = language
        self._random = Random(seed)
        self._titles = count(1)
        self.words: list[str] = []
        self.headings: list[str] = []

    def sentence(self) -> str:
        filled = {key: self._random.choice(some) for key, some in _WORDS[self.language].items()}
        pattern = self._random.choice(_PATTERNS[self.language])
        return self.keep(pattern.format(n=self._random.randint(2, 9999), **filled))

    def paragraph(self, sentences: int = 3) -> str:
        return ("" if self.language != "en" else " ").join(self.sentence() for _ in range(sentences))

    def heading(self) -> str:
        number = next(self._titles)
        title = f"{_TITLES[self.language][number % 6]} {number}"
        self.headings.append(title)
        return self.keep(title)

    def row(self, cells: int = 3) -> list[str]:
        words = _WORDS[self.language]
        some = [self._random.choice(words[key]) for key in ("person", "place", "thing", "day")]
        return [self.keep(one) for one in [*some[: cells - 1], str(self._random.randint(10, 99_999))]]

    def who(self) -> str:
        return self.keep(self._random.choice(_WORDS[self.language]["person"]))

    def number(self) -> str:
        return self.keep(str(self._random.randint(10, 99_999)))

    def head(self, cells: int = 3) -> list[str]:
        names = {
            "en": ("Who", "Where", "What", "When"),
            "ja": ("担当", "場所", "品目", "曜日"),
            "zh": ("负责人", "地点", "物品", "日期"),
        }
        last = {"en": "Count", "ja": "数量", "zh": "数量"}[self.language]
        return [self.keep(one) for one in [*names[self.language][: cells - 1], last]]

    def keep(self, text: str) -> str:
        self.words.append(text)
        return text

    def sample(self, name: str, data: bytes, **more: Any) -> Sample:
        return Sample(name=name, data=data, words=self.words, headings=self.headings, **more)


# PDF

_FONTS = {"en": "Helvetica", "ja": "HeiseiMin-W3", "zh": "STSong-Light"}
_SANS = "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf"


def _styles(language: str) -> dict[str, ParagraphStyle]:
    if language != "en" and _FONTS[language] not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(UnicodeCIDFont(_FONTS[language]))
    sheet = getSampleStyleSheet()
    wrap = None if language == "en" else "CJK"
    found = {
        name: ParagraphStyle(name, parent=sheet[name], wordWrap=wrap)
        for name in ("Normal", "Heading1", "Heading2", "Title")
    }
    if language != "en":
        for one in found.values():
            one.fontName = _FONTS[language]
    return found


def _story(told: Told, sections: int = 4, **changes: Any) -> list[Any]:
    styles = _styles(told.language)
    for name, value in changes.items():
        setattr(styles["Normal"], name, value)
    story: list[Any] = []
    for number in range(sections):
        story.append(Paragraph(told.heading(), styles["Heading2" if number % 2 else "Heading1"]))
        story += [Paragraph(escape(told.paragraph(), quote=False), styles["Normal"]) for _ in range(3)]
        story.append(Spacer(1, 6))
    return story


def _simple(story: list[Any], **options: Any) -> bytes:
    stream = io.BytesIO()
    SimpleDocTemplate(stream, **options).build(story)
    return stream.getvalue()


def _table(told: Told, rows: int = 6, cells: int = 4, *, lines: bool = True) -> Any:
    style = [("FONTNAME", (0, 0), (-1, -1), _FONTS[told.language])]
    if lines:
        style.append(("GRID", (0, 0), (-1, -1), 0.5, colors.black))
    return Table([told.head(cells), *(told.row(cells) for _ in range(rows))], style=TableStyle(style))


def _two_columns(told: Told) -> bytes:
    stream = io.BytesIO()
    document = BaseDocTemplate(stream, pagesize=A4)
    frames = [Frame(40, 40, 250, 750), Frame(305, 40, 250, 750)]
    document.addPageTemplates([PageTemplate(frames=frames)])
    document.build(_story(told, 10, alignment=TA_JUSTIFY))
    return stream.getvalue()


def _running(told: Told) -> bytes:
    told.keep("Handbook of the stores")

    def draw(canvas: Any, document: Any) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 810, "Handbook of the stores")
        canvas.drawRightString(540, 30, f"Page {document.page}")

    stream = io.BytesIO()
    document = SimpleDocTemplate(stream, pagesize=A4)
    document.build(_story(told, 24), onFirstPage=draw, onLaterPages=draw)
    return stream.getvalue()


def _canvas_pages(told: Told, *, size: float, **options: Any) -> tuple[bytes, dict[str, int]]:
    """Give pages of lines that are drawn one by one, a heading on each, and where each heading stands."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4, **options)
    pages: dict[str, int] = {}
    for page in range(1, 6):
        title = told.heading()
        pages[title] = page
        canvas.setFont("Times-Bold", size * 1.4)
        canvas.drawString(60, 780, title)
        canvas.bookmarkPage(title)
        canvas.addOutlineEntry(title, title, level=0)
        canvas.setFont("Times-Roman", size)
        for line in range(20):
            text = told.sentence()
            pages.setdefault(text, page)
            canvas.drawString(60, 740 - 1.5 * line * size, text[:200])
        canvas.showPage()
    canvas.save()
    return stream.getvalue(), pages


def _bookmarked(told: Told) -> bytes:
    """Give pages whose headings have the body's size and are known by bookmarks alone."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4)
    for page in range(4):
        for part in range(2):
            title = told.heading()
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level=part)
            canvas.setFont("Helvetica", 11)
            canvas.drawString(60, 780 - 340 * part, title)
            for line in range(12):
                canvas.drawString(60, 750 - 340 * part - 16 * line, told.sentence())
        canvas.showPage()
        del page
    canvas.save()
    return stream.getvalue()


def _form(told: Told) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4)
    canvas.beginForm("letterhead")
    canvas.setFont("Helvetica", 10)
    canvas.drawString(60, 800, told.sentence())
    canvas.endForm()
    canvas.doForm("letterhead")
    text = canvas.beginText(60, 760)
    text.setFont("Courier", 9)
    for _ in range(30):
        text.textLine(told.sentence()[:105])
    told.words[1:] = [one[:105] for one in told.words[1:]]
    canvas.drawText(text)
    canvas.save()
    return stream.getvalue()


def _turned(told: Told) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(A4[1], A4[0]))
    canvas.setPageRotation(90)
    for line in range(20):
        canvas.drawString(40, 500 - 20 * line, told.sentence())
    canvas.save()
    return stream.getvalue()


def _scaled(told: Told) -> bytes:
    """Give text whose type is of size 1 and stretched by its matrix, as some programs write it."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A4)
    for place, size in ((760, 20), (700, 10), (680, 10), (600, 16), (560, 10), (540, 10)):
        canvas.saveState()
        canvas.translate(60, place)
        canvas.scale(size, size)
        canvas.setFont("Helvetica", 1)
        canvas.drawString(0, 0, told.heading() if size > 10 else told.sentence()[:90])
        canvas.restoreState()
    told.words[:] = [one[:90] for one in told.words]
    canvas.save()
    return stream.getvalue()


def _fpdf(fill: Callable[[FPDF], None], **options: Any) -> bytes:
    document = FPDF(**options)
    document.add_font("Sans", "", _SANS)
    document.set_font("Sans", size=11)
    document.add_page()
    fill(document)
    return bytes(document.output())


def _fpdf_sections(told: Told) -> bytes:
    def fill(document: FPDF) -> None:
        for number in range(8):
            title = told.heading()
            document.set_font("Sans", size=16)
            document.start_section(title, level=number % 2)
            document.multi_cell(0, 10, title, new_x="LMARGIN", new_y="NEXT")
            document.set_font("Sans", size=11)
            document.multi_cell(0, 6, told.paragraph(5), new_x="LMARGIN", new_y="NEXT")
            document.ln(4)

    return _fpdf(fill)


def _fpdf_table(told: Told, cells: int) -> bytes:
    def fill(document: FPDF) -> None:
        with document.table(headings_style=FontFace()) as table:
            for row in [told.head(cells), *(told.row(cells) for _ in range(12))]:
                line = table.row()
                for cell in row:
                    line.cell(cell)

    return _fpdf(fill)


def _fpdf_html(told: Told) -> bytes:
    def fill(document: FPDF) -> None:
        html = "".join(
            f"<h1>{escape(told.heading())}</h1><p>{escape(told.paragraph())}</p>"
            f"<ul><li>{escape(told.sentence())}</li><li>{escape(told.sentence())}</li></ul>"
            for _ in range(4)
        )
        document.write_html(html, font_family="Sans")

    document = FPDF()
    for style in ("", "B", "I"):
        document.add_font("Sans", style, _SANS)
    document.set_font("Sans", size=11)
    document.add_page()
    fill(document)
    return bytes(document.output())


def _fpdf_plain(told: Told, **options: Any) -> bytes:
    def fill(document: FPDF) -> None:
        for _ in range(30):
            document.multi_cell(0, 6, told.paragraph(2), align="J", new_x="LMARGIN", new_y="NEXT")

    return _fpdf(fill, **options)


def pdf_files() -> Iterator[Sample]:
    """Give PDF files."""
    for seed, language in enumerate(LANGUAGES):
        told = Told(seed, language)
        yield told.sample(f"simple-{language}.pdf", _simple(_story(told)))
        told = Told(10 + seed, language)
        yield told.sample(f"table-{language}.pdf", _simple([*_story(told, 1), _table(told), *_story(told, 1)]))
    told = Told(20)
    yield told.sample("bare-table.pdf", _simple([_table(told, 10, 3, lines=False), *_story(told, 2)]))
    told = Told(21)
    yield told.sample("two-columns.pdf", _two_columns(told))
    told = Told(22)
    yield told.sample("running.pdf", _running(told))
    told = Told(23)
    yield told.sample("justified.pdf", _simple(_story(told, 12, alignment=TA_JUSTIFY)))
    for number, (size, options) in enumerate(
        ((9, {}), (11, {"pageCompression": 0}), (10, {"encrypt": StandardEncryption("", "x")}))
    ):
        told = Told(30 + number)
        data, pages = _canvas_pages(told, size=size, **options)
        yield told.sample(f"lines-{number}.pdf", data, pages=pages)
    for seed, make in (
        (40, _bookmarked),
        (41, _form),
        (42, _turned),
        (43, _scaled),
        (44, _fpdf_sections),
        (45, _fpdf_html),
    ):
        told = Told(seed)
        yield told.sample(f"{make.__name__.strip('_')}.pdf", make(told))
    for cells in (3, 5):
        told = Told(50 + cells)
        yield told.sample(f"fpdf-table-{cells}.pdf", _fpdf_table(told, cells))
    for number, options in enumerate(({}, {"orientation": "landscape"}, {"format": "A5"})):
        told = Told(60 + number)
        yield told.sample(f"fpdf-{number}.pdf", _fpdf_plain(told, **options))
    told = Told(70)
    styles = _styles("en")
    items = ListFlowable(
        [ListItem(Paragraph(told.sentence(), styles["Normal"])) for _ in range(12)], bulletType="bullet"
    )
    yield told.sample("list.pdf", _simple([items, PageBreak(), *_story(told, 3)]))
    for found in (
        "/usr/share/doc/shared-mime-info/shared-mime-info-spec.pdf",
        "/usr/share/doc/libtasn1-doc/libtasn1.pdf",
    ):
        if Path(found).exists():
            yield Sample(name=f"found-{Path(found).name}", data=Path(found).read_bytes(), words=None)


# Word


def _docx(told: Told, number: int) -> bytes:
    document = Document()
    document.core_properties.title = ""
    title = told.heading()
    document.add_heading(title, 0 if number % 3 == 0 else 1)
    for part in range(4):
        document.add_heading(told.heading(), 1 + part % 3)
        paragraph = document.add_paragraph(told.paragraph())
        paragraph.add_run(" " + told.sentence()).bold = True
        if part == number % 4:
            for style in ("List Bullet", "List Number", "List Bullet 2", "Quote"):
                document.add_paragraph(told.sentence(), style=style)
    _docx_table(document, told, nested=number % 5 == 1)
    if number % 2:
        document.add_page_break()
        document.add_paragraph(told.paragraph())
    if number % 4 == 2:
        _docx_box(document, told.sentence())
    if number % 4 == 3:
        _docx_changes(document, told.sentence(), told.sentence())
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _docx_table(document: Any, told: Told, *, nested: bool) -> None:
    rows = [told.head(4), *(told.row(4) for _ in range(4))]
    table = document.add_table(rows=0, cols=4)
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    if nested:
        inner = table.rows[1].cells[0].add_table(1, 2)
        for cell in inner.rows[0].cells:
            cell.text = told.who()


_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def _docx_box(document: Any, text: str) -> None:
    document.add_paragraph()._p.append(  # noqa: SLF001
        parse_xml(
            f'<w:r {_W} xmlns:v="urn:schemas-microsoft-com:vml"><w:pict><v:shape><v:textbox><w:txbxContent><w:p><w:r>'
            f"<w:t>{escape(text)}</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
        )
    )


def _docx_changes(document: Any, inserted: str, linked: str) -> None:
    paragraph = document.add_paragraph()._p  # noqa: SLF001
    paragraph.append(parse_xml(f'<w:ins {_W} w:id="1" w:author="a"><w:r><w:t>{escape(inserted)}</w:t></w:r></w:ins>'))
    paragraph.append(parse_xml(f'<w:del {_W} w:id="2" w:author="a"><w:r><w:delText>gone</w:delText></w:r></w:del>'))
    paragraph.append(parse_xml(f'<w:hyperlink {_W} w:anchor="x"><w:r><w:t>{escape(linked)}</w:t></w:r></w:hyperlink>'))


def word_files() -> Iterator[Sample]:
    """Give Word documents."""
    for number in range(22):
        told = Told(100 + number, LANGUAGES[number % 3])
        yield told.sample(f"word-{number}.docx", _docx(told, number))


# PowerPoint


def _pptx(told: Told, number: int) -> bytes:
    deck = Presentation()
    for part in range(5):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = told.heading()
        frame = slide.placeholders[1].text_frame
        frame.text = told.sentence()
        for level in (0, 1, 1):
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = told.sentence(), level
        if part % 2:
            slide.notes_slide.notes_text_frame.text = told.paragraph(2)
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    _pptx_extras(slide, told, number)
    stream = io.BytesIO()
    deck.save(stream)
    return stream.getvalue()


def _pptx_extras(slide: Any, told: Told, number: int) -> None:
    place = (Inches(1), Inches(1), Inches(5), Inches(2))
    if number % 3 == 0:
        rows = [told.head(3), told.row(3), told.row(3)]
        table = slide.shapes.add_table(3, 3, *place).table
        for row, texts in zip(table.rows, rows, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    elif number % 3 == 1:
        group = slide.shapes.add_group_shape()
        for _ in range(2):
            inner = group.shapes.add_group_shape() if number % 2 else group
            inner.shapes.add_textbox(*place).text_frame.text = told.sentence()
    else:
        data = CategoryChartData()
        data.categories = [told.who(), told.sentence()]
        data.add_series(told.who(), (17.5, 21))
        told.words += ["17.5", "21"]
        chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = told.sentence()


def slide_files() -> Iterator[Sample]:
    """Give presentations."""
    for number in range(21):
        told = Told(200 + number, LANGUAGES[number % 3])
        yield told.sample(f"slides-{number}.pptx", _pptx(told, number))


# Excel


def _openpyxl(told: Told, number: int) -> bytes:
    book = Workbook()
    for part in range(1 + number % 3):
        sheet = book.active if not part else book.create_sheet()
        assert sheet is not None
        sheet.title = told.heading()
        sheet.append(told.head(4))
        for _ in range(5 + 40 * (number % 4)):
            sheet.append([*told.row(2), told.sentence(), told.number()])
    sheet = book.worksheets[0]
    if number % 2:
        sheet.merge_cells("A2:B2")
        told.words[told.words.index(str(sheet["A2"].value)) + 1] = ""  # a merged cell shows its first one's value
        sheet["G3"], sheet["H3"], sheet["I3"] = datetime(2026, 3, 2), 12.5, True
        told.words += ["2026-03-02", "12.5", "true"]
        sheet["XFD9000"] = told.number()
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def _xlsxwriter(told: Told, number: int) -> bytes:
    stream = io.BytesIO()
    with xlsxwriter.Workbook(stream, {"constant_memory": number % 2 == 0}) as book:
        sheet: Any = book.add_worksheet(told.heading())
        sheet.write_row(0, 0, [*told.head(4), told.keep("Day")])
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for row in range(1, 12):
            sheet.write_row(row, 0, told.row(3))
            sheet.write_formula(row, 3, "=1+1", value=1000 + row)
            sheet.write_datetime(row, 4, datetime(2026, 1, row), day)
            told.words += [str(1000 + row), date(2026, 1, row).isoformat()]
        sheet.write(14, 1, told.sentence())
    return stream.getvalue()


def workbook_files() -> Iterator[Sample]:
    """Give workbooks."""
    for number in range(24):
        told = Told(300 + number, LANGUAGES[number % 3])
        yield told.sample(f"book-{number}.xlsx", (_xlsxwriter if number % 4 == 3 else _openpyxl)(told, number))


# Books


def _epub(told: Told, number: int) -> bytes:
    is_new = number % 2 == 0
    stream = io.BytesIO()
    chapters: list[tuple[str, str, str]] = []
    for part in range(4):
        title, file = told.heading(), f"text/chapter {part}.xhtml"
        headed = "" if part == 3 else f"<h1>{escape(title)}</h1>"
        body = "".join(f"<p>{escape(told.paragraph())}</p>" for _ in range(4))
        if part == 2:
            body += f"<h2>{escape(told.heading())}</h2><ul><li>{escape(told.sentence())}</li></ul>"
            body += f"<table><tr><th>{'</th><th>'.join(told.head())}</th></tr><tr><td>{'</td><td>'.join(told.row())}</td></tr></table>"
        page = f'<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{headed}{body}</body></html>'
        chapters.append((title, file, page))
    items = "".join(
        f'<item id="c{one}" href="{file.replace(" ", "%20")}" media-type="application/xhtml+xml"/>'
        for one, (_, file, _) in enumerate(chapters)
    )
    contents = (
        '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        if is_new
        else '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    )
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        package.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/package.opf"/></rootfiles></container>',
        )
        package.writestr(
            "OEBPS/package.opf",
            '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Stores</dc:title></metadata>'
            f"<manifest>{contents}{items}</manifest><spine>{''.join(f'<itemref idref={chr(34)}c{one}{chr(34)}/>' for one in range(4))}</spine></package>",
        )
        if is_new:
            links = "".join(
                f'<li><a href="{file.replace(" ", "%20")}">{escape(title)}</a></li>' for title, file, _ in chapters
            )
            package.writestr(
                "OEBPS/nav.xhtml",
                f'<html xmlns="http://www.w3.org/1999/xhtml"><body><nav><ol>{links}</ol></nav></body></html>',
            )
        else:
            points = "".join(
                f'<navPoint><navLabel><text>{escape(title)}</text></navLabel><content src="{file.replace(" ", "%20")}"/></navPoint>'
                for title, file, _ in chapters
            )
            package.writestr(
                "OEBPS/toc.ncx", f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{points}</navMap></ncx>'
            )
        for _, file, page in chapters:
            package.writestr(f"OEBPS/{file}", page)
    return stream.getvalue()


def book_files() -> Iterator[Sample]:
    """Give books."""
    for number in range(20):
        told = Told(400 + number, LANGUAGES[number % 3])
        yield told.sample(f"book-{number}.epub", _epub(told, number))


# Mail

_CHARSETS = {
    "en": ("utf-8", "iso-8859-15", "windows-1252"),
    "ja": ("utf-8", "iso-2022-jp", "euc-jp"),
    "zh": ("utf-8", "gb18030", "gb2312"),
}


def _eml(told: Told, number: int) -> bytes:
    message = EmailMessage(policy=SMTP)
    charset = _CHARSETS[told.language][number // 3 % 3]
    message["Subject"] = told.heading()
    message["From"] = f'"{told.who()}" <a@example.org>'
    message["To"] = "b@example.org, c@example.org"
    message["Date"] = datetime(2026, 3, 2, 9, 30)
    text = "\r\n\r\n".join(told.paragraph(4) for _ in range(3)) + "\r\n-- \r\n" + told.sentence()
    text = text.encode(charset, "ignore").decode(charset)
    told.words[:] = [one.encode(charset, "ignore").decode(charset) for one in told.words]
    if number % 4 == 1:
        page = "".join(f"<p>{escape(part)}</p>" for part in text.split("\r\n") if part)
        message.set_content(f"<html><body>{page}</body></html>", subtype="html", charset=charset)
    else:
        message.set_content(text, charset=charset, cte=("base64", "quoted-printable")[number % 2])
    if number % 4 == 2:
        message.add_alternative("<p>the same</p>", subtype="html")
        message.add_attachment(b"%PDF-1.4", maintype="application", subtype="pdf", filename="slip.pdf")
    if number % 4 == 3:
        inner = EmailMessage(policy=SMTP)
        inner["Subject"], inner["From"] = told.heading(), "d@example.org"
        inner.set_content(told.paragraph())
        message.add_attachment(inner)
    return message.as_bytes()


def mail_files() -> Iterator[Sample]:
    """Give e-mails."""
    for number in range(24):
        told = Told(500 + number, LANGUAGES[number % 3])
        yield told.sample(f"mail-{number}.eml", _eml(told, number))


# Notebooks, data, reStructuredText, programs


def notebook_files() -> Iterator[Sample]:
    """Give notebooks of versions 3 and 4."""
    for number in range(20):
        told = Told(600 + number, LANGUAGES[number % 3])
        cells: list[dict[str, Any]] = []
        for _ in range(4):
            title = told.heading()
            cells.append({"cell_type": "markdown", "source": [f"# {title}\n", "\n", told.paragraph()]})
            code = told.keep(f"total = {number} + 1\nprint(total)")
            printed = told.keep(f"printed {number}")
            outputs = [
                {"output_type": "stream", "text": [printed + "\n"]},
                {"output_type": "display_data", "data": {"image/png": "AAAA"}},
            ]
            cells.append({"cell_type": "code", "source" if number % 2 else "input": code, "outputs": outputs})
        if number % 2:
            book: dict[str, Any] = {"nbformat": 4, "metadata": {}, "cells": cells}
        else:
            book = {"nbformat": 3, "worksheets": [{"cells": cells}]}
        yield told.sample(f"notebook-{number}.ipynb", json.dumps(book, ensure_ascii=number % 3 == 0).encode())


def table_files() -> Iterator[Sample]:
    """Give tables in several encodings, with several signs between values."""
    encodings = {"en": ("utf-8-sig", "cp1252"), "ja": ("utf-8", "cp932"), "zh": ("utf-8", "gb18030")}
    for number in range(24):
        told = Told(700 + number, LANGUAGES[number % 3])
        stream = io.StringIO()
        writer = csv.writer(
            stream, delimiter=",;\t|"[number % 4], quoting=(csv.QUOTE_MINIMAL, csv.QUOTE_ALL)[number % 2]
        )
        writer.writerow(told.head(4))
        writer.writerows([*told.row(2), told.paragraph(1), str(one)] for one in range(20))
        encoding = encodings[told.language][number // 3 % 2]
        data = stream.getvalue().encode(encoding, "ignore")
        told.words[:] = [one.encode(encoding, "ignore").decode(encoding) for one in told.words]
        yield told.sample(f"table-{number}.{'tsv' if number % 4 == 2 else 'csv'}", data)


def record_files() -> Iterator[Sample]:
    """Give records as JSON, nested and not, and one a line."""
    for number in range(40):
        told = Told(800 + number, LANGUAGES[number % 3])
        records: list[Any] = [
            {
                "name": told.keep(f"record {one}"),
                "text": told.paragraph(),
                "tags": told.row(3),
                "at": {"place": told.who(), "open": True},
            }
            for one in range(8)
        ]
        if number >= 20:
            lines = "\n".join(json.dumps(one, ensure_ascii=number % 2 == 0) for one in records)
            yield told.sample(f"lines-{number}.jsonl", lines.encode())
        else:
            value = (
                records
                if number % 2
                else {told.heading(): records, told.heading(): {"note": told.sentence(), "all": told.row(4)}}
            )
            yield told.sample(
                f"records-{number}.json", json.dumps(value, ensure_ascii=number % 4 > 1, indent=number % 3).encode()
            )


def rst_files() -> Iterator[Sample]:
    """Give reStructuredText as Sphinx takes it."""
    for number in range(20):
        told = Told(900 + number, LANGUAGES[number % 3])
        parts = [
            f"{(title := told.heading())}\n{'=' * 2 * len(title)}\n",
            ".. toctree::\n   :maxdepth: 2\n\n   other\n",
        ]
        for _ in range(3):
            title = told.heading()
            parts += [
                f"{title}\n{'-' * 2 * len(title)}\n",
                told.paragraph() + "\n",
                f"* {told.sentence()}\n* {told.sentence()}\n",
            ]
        parts += [
            f".. note::\n\n   {told.sentence()}\n",
            f".. versionadded:: 3.{number}\n   {told.sentence()}\n",
            f".. code-block:: python\n   :linenos:\n   :caption: {told.keep('listing')}\n\n   {told.keep('value = compute(1)')}\n".replace(
                ":caption: listing", ":name: listing"
            ),
            f".. py:function:: {told.keep('measure')}(width, height)\n   :noindex:\n\n   {told.sentence()}\n",
            f"See :ref:`{told.keep('the shelf list')} <shelves>` and :class:`~stores.{told.keep('Shelf')}`.\n",
            f"A note [#f]_.\n\n.. [#f] {told.sentence()}\n",
            ".. list-table::\n   :header-rows: 1\n\n"
            + "".join(f"   * - {row[0]}\n     - {row[1]}\n" for row in (told.head(2), told.row(2))),
        ]
        told.words[:] = [one for one in told.words if one != "listing"]
        yield told.sample(f"page-{number}.rst", "\n".join(parts).encode())


def program_files() -> Iterator[Sample]:
    """Give programs that lie about: of Python's own library, and what else is there."""
    roots = (Path(json.__file__).parent.parent, Path(csv.__file__).parent)
    found = sorted({*islice(roots[0].glob("*.py"), 15), *islice((roots[0] / "asyncio").glob("*.py"), 10)})
    for folder, ending in (
        ("/usr/include", "*.h"),
        ("/usr/share", "*.js"),
        ("/usr/lib", "*.ts"),
        ("/usr/lib", "*.rb"),
        ("/usr/lib", "*.go"),
    ):
        found += islice((one for one in Path(folder).rglob(ending) if one.is_file()), 5)
    for number, path in enumerate(found):
        data = path.read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        if 200 < len(data) < 300_000:
            yield Sample(name=f"{number}-{path.name}", data=data, words=text.split("\n"))


def html_files() -> Iterator[Sample]:
    """Give pages, as a control: HTML was read before."""
    for number in range(20):
        told = Told(1000 + number, LANGUAGES[number % 3])
        body = "".join(f"<h2>{escape(told.heading())}</h2><p>{escape(told.paragraph())}</p>" for _ in range(4))
        yield told.sample(
            f"page-{number}.html", f"<html><head><meta charset=utf-8></head><body>{body}</body></html>".encode()
        )


def corpus() -> dict[str, Sequence[Sample]]:
    """Give all of them, by kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            "pdf": list(pdf_files()),
            "docx": list(word_files()),
            "pptx": list(slide_files()),
            "xlsx": list(workbook_files()),
            "epub": list(book_files()),
            "eml": list(mail_files()),
            "ipynb": list(notebook_files()),
            "csv": list(table_files()),
            "json": list(record_files()),
            "rst": list(rst_files()),
            "code": list(program_files()),
            "html": list(html_files()),
        }
