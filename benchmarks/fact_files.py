"""Files of every format with planted facts among other text: what ``readers.py --facts`` asks for.

Each file holds three facts or more at different places. All facts of a language are of six forms and sixteen things, so
many other passages say the same of another one; each question has one answer.
"""

# ruff: noqa: ANN401 - other libraries' untyped documents; Office knows no zones
# pyright: basic, reportArgumentType=false, reportOptionalMemberAccess=false, reportMissingTypeStubs=false, reportUnknownMemberType=false, reportAttributeAccessIssue=false

from __future__ import annotations

import csv
import io
import json
import zipfile
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.policy import SMTP
from html import escape
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

import yaml
from docx import Document
from openpyxl import Workbook
from pptx import Presentation
from pptx.util import Inches
from reportlab.lib import colors
from reportlab.platypus import PageBreak, Paragraph, Table, TableStyle

from reader_files import LANGUAGES, Told, _simple, _styles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_THINGS = {
    "en": "boiler,ferry,observatory,greenhouse,organ,quarry,weir,windmill,tram,pantry,sawmill,beehive,kiln,glider,lock gate,sundial",
    "ja": "ボイラー,渡し船,天文台,温室,オルガン,採石場,水門,風車,路面電車,食料庫,製材所,養蜂箱,窯,グライダー,噴水,日時計",
    "zh": "锅炉,渡船,天文台,温室,管风琴,采石场,水闸,风车,电车,储藏室,锯木厂,蜂箱,砖窑,滑翔机,喷泉,日晷",
}
_PLACES = {
    "en": (
        "Bren,Oak,Tar,Holl,Ystr,Kel,Norr,Pell,Quen,Rose,Sand,Thorn,Ul,Var,Wick,Elm",
        "mere,vin,stad,bridge,ford,well,wick,combe,dale,berg,ness,shaw,thwaite,gate",
    ),
    "ja": ("青,白,黒,赤,石,高,長,深,清,松,竹,梅,桜,杉,栗,柿", "川,沢,崎,浜,谷,原,島,池,坂,森,岡,津,瀬,畑"),
    "zh": (
        "青,白,黑,红,石,高,长,深,清,松,竹,梅,桃,柳,栗,柿",
        "河镇,山镇,溪村,湾村,桥镇,林镇,岭村,沙镇,泉镇,井村,岗镇,浦镇,塘村,坪镇",
    ),
}
_SURNAMES = {
    "en": "Ashby,Borg,Calder,Dunmore,Eklund,Farrow,Grieve,Hatch,Ivers,Jessop,Kerr,Lund,Mercer,Nyberg,Orme,Pryce",
    "ja": "青木,石川,上田,江口,大野,加藤,木村,工藤,小林,斎藤,杉山,高橋,千葉,中村,西田,野口",
    "zh": "陈,邓,冯,高,韩,姜,孔,林,马,倪,潘,宋,唐,魏,谢,叶",
}
_NAMES = {
    "en": "Ada,Bertil,Cora,Dafydd,Edda,Finn,Greta,Hugo,Isolde,Joris,Katrin,Leif,Maud,Nils,Olive,Piers",
    "ja": "彩,健一,千夏,大輔,恵美,文雄,元気,春子,一郎,純,和也,玲奈,真弓,直樹,修,律子",
    "zh": "爱国,冰洁,春生,冬梅,恩惠,芳菲,国强,红英,建军,凯歌,丽娜,明远,宁静,平安,清泉,若兰",
}
_FORMS = {
    "en": (
        ("{it} costs {value} a year.", "How much does {it} cost a year?", "Yearly cost", "{n} crowns"),
        ("{it} is looked after by {value}.", "Who looks after {it}?", "Looked after by", "{name}"),
        ("The key of {it} lies in {value}.", "Where is the key of {it}?", "Key", "drawer {n}"),
        ("{it} weighs {value}.", "How heavy is {it}?", "Weight", "{n} kilos"),
        ("{it} was repaired by {value} in spring.", "Who repaired {it}?", "Repaired by", "{name}"),
        ("For {it} call extension {value}.", "Which number do I call for {it}?", "Extension", "7{n}"),
    ),
    "ja": (
        ("{it}には年間{value}かかります。", "{it}には年間いくらかかりますか。", "年間費用", "{n}クローネ"),
        ("{it}の管理人は{value}さんです。", "{it}の管理人は誰ですか。", "管理人", "{name}"),
        ("{it}の鍵は{value}に入っています。", "{it}の鍵はどこにありますか。", "鍵", "引き出し{n}番"),
        ("{it}の重さは{value}です。", "{it}の重さはどれくらいですか。", "重さ", "{n}キロ"),
        ("{it}は春に{value}さんが修理しました。", "{it}を修理したのは誰ですか。", "修理した人", "{name}"),
        ("{it}への内線は{value}です。", "{it}に電話するには内線何番ですか。", "内線", "7{n}"),
    ),
    "zh": (
        ("{it}每年花费{value}。", "{it}每年花费多少？", "每年花费", "{n}克朗"),
        ("{it}由{value}负责照管。", "{it}由谁负责照管？", "负责人", "{name}"),
        ("{it}的钥匙放在{value}。", "{it}的钥匙放在哪里？", "钥匙", "{n}号抽屉"),
        ("{it}重{value}。", "{it}有多重？", "重量", "{n}公斤"),
        ("{it}是{value}在春天修好的。", "{it}是谁修好的？", "修理人", "{name}"),
        ("{it}的分机号是{value}。", "打电话给{it}拨哪个分机？", "分机", "7{n}"),
    ),
}
_IT = {"en": "the {thing} in {place}", "ja": "{place}の{thing}", "zh": "{place}的{thing}"}
_ITEM = {"en": "Item", "ja": "品目", "zh": "项目"}
FILES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A sentence that a file holds, with its question."""

    text: str  #: The sentence.
    question: str
    value: str  #: What answers it.
    item: str  #: What it is about: the first cell of a row that says the same.
    head: str  #: What the column of the value is called.
    at: str = ""  #: What its citation must name: a page, slide, sheet or heading; '' for the document alone.


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A file with its facts."""

    name: str
    data: bytes
    facts: tuple[Fact, ...]


class Planter:
    """Make up the facts and the ordinary text of one file, and keep which facts it holds and where."""

    def __init__(self, language: str, number: int, facts: Iterator[Fact]) -> None:
        self.language = language
        self.number = number
        self.told = Told(5000 + number, language)
        self.facts: list[Fact] = []
        self._left = facts

    def fact(self, at: str = "") -> Fact:
        """Return a new fact, cited under this heading, page, slide or sheet."""
        self.facts.append(replace(next(self._left), at=at))
        return self.facts[-1]

    def body(self, at: str = "", *, sentences: int = 2) -> str:
        """Return a paragraph with a fact in its middle."""
        gap = " " if self.language == "en" else ""
        return gap.join((self.told.paragraph(sentences), self.fact(at).text, self.told.paragraph(sentences)))

    def rows(self, at: str = "", *, count: int = 4) -> list[list[str]]:
        """Return a table with its heads; a row in the middle is a fact."""
        fact = self.fact(at)
        other = [[f"{row[2]} {row[1]}", row[3]] for row in (self.told.row(4) for _ in range(count))]
        return [[_ITEM[self.language], fact.head], *other[: count // 2], [fact.item, fact.value], *other[count // 2 :]]

    def sections(self) -> Iterator[tuple[str, str]]:
        """Yield headings with ordinary paragraphs, as many more as the file's number says."""
        for _ in range(1 + self.number % 3):
            yield self.told.heading(), self.told.paragraph(4)


def _facts(language: str, *, alike: bool) -> Iterator[Fact]:
    """Yield facts; each has a place of its own, or else there are 14 places and no two facts share thing and place."""
    random = Random(7)
    firsts, seconds = (part.split(",") for part in _PLACES[language])
    places = [first + second for first, second in product(firsts, seconds)]
    random.shuffle(places)
    things = _THINGS[language].split(",")
    pairs = list(product(things, places[: len(seconds)]))
    random.shuffle(pairs)
    if not alike:
        pairs = [(thing, place) for (thing, _), place in zip(pairs, places, strict=True)]
    names = list(product(_NAMES[language].split(","), _SURNAMES[language].split(",")))
    random.shuffle(names)
    between = " " if language == "en" else ""
    for at, (thing, place) in enumerate(pairs):
        item = _IT[language].format(thing=thing, place=place)
        said, question, head, value = _FORMS[language][at % 6]
        name = between.join(names[at] if language == "en" else reversed(names[at]))
        value = value.format(n=2000 + 31 * at, name=name)
        text = said.format(it=item, value=value)
        text = text[0].upper() + text[1:]
        yield Fact(text=text, question=question.format(it=item), value=value, item=item, head=head)


# Text


def _markdown(planter: Planter) -> bytes:
    first, second, third = (planter.told.heading() for _ in range(3))
    rows = planter.rows(second)
    table = "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ["---", "---"], *rows[1:]])
    quote = ("> ", "- ", "")[planter.number % 3] + planter.fact(third).text
    others = "\n\n".join(f"## {title}\n\n{text}" for title, text in planter.sections())
    return f"# {first}\n\n{planter.body(first)}\n\n{others}\n\n## {second}\n\n{table}\n\n## {third}\n\n{planter.told.paragraph(4)}\n\n{quote}\n".encode()


def _text(planter: Planter) -> bytes:
    parts: list[str] = []
    for title, text in planter.sections():
        parts.append(f"{title}\n{'=' * 2 * len(title)}\n\n{text}")
    for _ in range(2):
        title = planter.told.heading()
        parts.append(f"{title}\n{'=' * 2 * len(title)}\n\n{planter.body(title)}\n\n{planter.told.paragraph()}")
    last = parts[-1].partition("\n")[0]
    return "\n\n".join([*parts, planter.fact(last).text]).encode(("utf-8", "utf-16")[planter.number % 2])


def _cells(rows: Sequence[Sequence[str]], tag: str = "td") -> str:
    return "".join(f"<tr>{''.join(f'<{tag}>{escape(one)}</{tag}>' for one in row)}</tr>" for row in rows)


def _html_body(planter: Planter) -> str:
    first, second, third = (planter.told.heading() for _ in range(3))
    rows = planter.rows(second)
    last = ("<figcaption>{}</figcaption>", "<blockquote>{}</blockquote>", "<dl><dt>Note</dt><dd>{}</dd></dl>")
    others = "".join(f"<h2>{escape(title)}</h2><p>{escape(text)}</p>" for title, text in planter.sections())
    return (
        f"<h1>{escape(first)}</h1><p>{escape(planter.body(first))}</p>{others}<h2>{escape(second)}</h2>"
        f"<table>{_cells(rows[:1], 'th')}{_cells(rows[1:])}</table><h2>{escape(third)}</h2>"
        f"<p>{escape(planter.told.paragraph())}</p>{last[planter.number % 3].format(escape(planter.fact(third).text))}"
    )


def _html(planter: Planter) -> bytes:
    menu = "<nav><a href='/'>Home</a> <a href='/shop'>Shop</a></nav>"
    return f"<html><head><meta charset=utf-8><title>Notes</title></head><body>{menu}<main>{_html_body(planter)}</main></body></html>".encode()


# Office and PDF


def _pdf(planter: Planter) -> bytes:
    styles = _styles(planter.language)
    table = Table(planter.rows("p. 2"), style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)]))
    for row in table._cellStyles:  # noqa: SLF001 - there is no other way to give a font to cells made before
        for cell in row:
            cell.fontname = styles["Normal"].fontName
    story: list[Any] = [
        Paragraph(planter.told.heading(), styles["Heading1"]),
        Paragraph(escape(planter.body("p. 1")), styles["Normal"]),
        PageBreak(),
        Paragraph(planter.told.heading(), styles["Heading2"]),
        table,
        PageBreak(),
    ]
    extra = planter.number % 3
    for _ in range(extra):
        story += [Paragraph(escape(planter.told.paragraph(6)), styles["Normal"]), PageBreak()]
    story.append(Paragraph(escape(planter.body(f"p. {3 + extra}")), styles["Normal"]))
    return _simple(story)


def _saved(document: Any) -> bytes:
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _docx(planter: Planter) -> bytes:
    document = Document()
    first, second, third = (planter.told.heading() for _ in range(3))
    document.add_heading(first, 1)
    document.add_paragraph(planter.body(first))
    for title, text in planter.sections():
        document.add_heading(title, 2)
        document.add_paragraph(text)
    document.add_heading(second, 2)
    rows = planter.rows(second)
    table = document.add_table(rows=0, cols=2)
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.add_heading(third, 2)
    document.add_paragraph(planter.told.paragraph())
    document.add_paragraph(planter.fact(third).text, style=("List Bullet", "Quote", "List Number")[planter.number % 3])
    heading = planter.fact()
    planter.facts[-1] = replace(heading, at=heading.text)
    document.add_heading(heading.text, 2)
    document.add_paragraph(planter.told.paragraph())
    return _saved(document)


def _pptx(planter: Planter) -> bytes:
    deck = Presentation()
    for number in range(1, 6 + planter.number % 3):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = planter.told.heading()
        slide.placeholders[1].text_frame.text = planter.told.paragraph(2)
        if number == 2:
            slide.placeholders[1].text_frame.add_paragraph().text = planter.fact("slide 2").text
        elif number == 3:
            rows = planter.rows("slide 3")
            table = slide.shapes.add_table(len(rows), 2, Inches(1), Inches(4), Inches(6), Inches(2)).table
            for row, texts in zip(table.rows, rows, strict=True):
                for cell, text in zip(row.cells, texts, strict=True):
                    cell.text = text
        elif number >= 5:
            slide.notes_slide.notes_text_frame.text = planter.body(f"slide {number}", sentences=1)
    return _saved(deck)


def _xlsx(planter: Planter) -> bytes:
    book = Workbook()
    for part in range(3):
        sheet = book.active if not part else book.create_sheet()
        sheet.title = planter.told.heading()
        for row in planter.rows(sheet.title, count=6 * (1 + part)):
            sheet.append(row)
    return _saved(book)


def _odt(planter: Planter) -> bytes:
    first, second, third = (planter.told.heading() for _ in range(3))
    rows = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell><text:p>{escape(one)}</text:p></table:table-cell>' for one in row)}</table:table-row>"
        for row in planter.rows(second)
    )
    others = "".join(
        f'<text:h text:outline-level="2">{escape(title)}</text:h><text:p>{escape(text)}</text:p>'
        for title, text in planter.sections()
    )
    content = (
        '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" '
        'xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"><office:body><office:text>'
        f'<text:h text:outline-level="1">{escape(first)}</text:h><text:p>{escape(planter.body(first))}</text:p>{others}'
        f'<text:h text:outline-level="2">{escape(second)}</text:h><table:table>{rows}</table:table>'
        f'<text:h text:outline-level="2">{escape(third)}</text:h><text:p>{escape(planter.told.sentence())}<text:note text:note-class="footnote">'
        f"<text:note-citation>1</text:note-citation><text:note-body><text:p>{escape(planter.fact(third).text)}</text:p></text:note-body></text:note> "
        f"{escape(planter.told.sentence())}</text:p></office:text></office:body></office:document-content>"
    )
    return _packed({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def _packed(members: dict[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as package:
        for name, text in members.items():
            package.writestr(name, text)
    return stream.getvalue()


def _epub(planter: Planter) -> bytes:
    pages: list[str] = []
    for part in range(3):
        title = planter.told.heading()
        rows = planter.rows(title) if part == 1 else []
        inside = f"<table>{_cells(rows[:1], 'th')}{_cells(rows[1:])}</table>" if rows else ""
        text = planter.told.paragraph(3) if rows else planter.body(title)
        pages.append(f"<h1>{escape(title)}</h1><p>{escape(text)}</p>{inside}<p>{escape(planter.told.paragraph(5))}</p>")
    kind = 'media-type="application/xhtml+xml"'
    items = "".join(f'<item id="c{at}" href="c{at}.xhtml" {kind}/>' for at in range(3))
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(3))
    about = '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Stores</dc:title></metadata>'
    container = '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="package.opf"/></rootfiles></container>'
    members = {"mimetype": "application/epub+zip", "META-INF/container.xml": container}
    members["package.opf"] = (
        f'<package xmlns="http://www.idpf.org/2007/opf">{about}<manifest>{items}</manifest><spine>{spine}</spine></package>'
    )
    members |= {
        f"c{at}.xhtml": f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{page}</body></html>'
        for at, page in enumerate(pages)
    }
    return _packed(members)


# Data


def _table_with(sign: str) -> Callable[[Planter], bytes]:
    def made(planter: Planter) -> bytes:
        stream = io.StringIO()
        writer = csv.writer(stream, delimiter=sign)
        tables = [planter.rows(count=4) for _ in range(3)]  # one kind of value a column
        heads = [table[0][1] for table in tables]
        writer.writerow([tables[0][0][0], *heads])
        for at, table in enumerate(tables):
            for item, value in table[1:]:
                row = ["", "", ""]
                row[at] = value
                writer.writerow([item, *row])
        return stream.getvalue().encode(("utf-8", "utf-8-sig")[planter.number % 2])

    return made


def _records(planter: Planter) -> list[dict[str, Any]]:
    """Return records, three of which hold facts: in a text, as a value under its key, and within another record."""
    told, inner, text = planter.told, planter.fact(), planter.fact().text
    plain = planter.fact()
    records: list[dict[str, Any]] = [
        {"name": told.who(), "text": told.paragraph(2), "open": True} for _ in range(4 + planter.number % FILES)
    ]
    records.insert(1, {"name": told.who(), "text": text, "open": False})
    records.insert(3, {_ITEM[planter.language]: plain.item, plain.head: plain.value})
    records.append({"name": told.who(), "more": {_ITEM[planter.language]: inner.item, inner.head: inner.value}})
    return records


def _json(planter: Planter) -> bytes:
    records = _records(planter)
    value: Any = {"count": len(records), "records": records} if planter.number % 2 else records
    return json.dumps(value, ensure_ascii=planter.number % 4 > 1, indent=2).encode()


def _jsonl(planter: Planter) -> bytes:
    return "\n".join(json.dumps(one, ensure_ascii=False) for one in _records(planter)).encode()


def _yaml(planter: Planter) -> bytes:
    records = _records(planter)
    return yaml.safe_dump({"records": records}, allow_unicode=True, sort_keys=False, width=10_000).encode()


def _notebook(planter: Planter) -> bytes:
    first, second, third = (planter.told.heading() for _ in range(3))
    sources = [
        ("markdown", f"# {first}\n\n{planter.body(first)}", ""),
        ("code", "total = 1 + 1\nprint(total)", "2\n"),
        ("markdown", f"## {second}", ""),
        ("code", f"# {planter.fact(second).text}\nvalue = compute(2)", ""),
        ("markdown", f"## {third}\n\n{planter.told.paragraph()}", ""),
        ("code", "report()", planter.fact(third).text + "\n"),
    ]
    cells = [
        {
            "cell_type": kind,
            "source": source,
            "metadata": {},
            **({"outputs": [{"output_type": "stream", "name": "stdout", "text": out}]} if kind == "code" else {}),
        }
        for kind, source, out in sources
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


# Mail, meetings, subtitles


def _message(planter: Planter, *, at: str = "") -> EmailMessage:
    message = EmailMessage(policy=SMTP)
    message["Subject"] = planter.told.heading()
    message["From"], message["To"] = f'"{planter.told.who()}" <a@example.org>', "b@example.org"
    message.set_content(
        "\r\n\r\n".join((planter.told.paragraph(), planter.body(at or message["Subject"]), "-- \r\nbye"))
    )
    return message


def _eml(planter: Planter) -> bytes:
    message = _message(planter)
    subject = message["Subject"]
    if planter.number % 2:
        both, html = planter.body(subject), f"<p>{escape(planter.told.paragraph(12))}</p>"
        message.set_content(both)
        html = f"<p>{escape(both)}</p>{html}<table>{_cells(planter.rows(subject))}</table>"
        message.add_alternative(html, subtype="html")
        planter.facts.pop(0)  # of the text that this one replaced
    message.add_attachment(_message(planter))
    if planter.number % 2 == 0:
        message.add_attachment(_message(planter))
    return message.as_bytes()


def _mbox(planter: Planter) -> bytes:
    made = (_message(planter).as_bytes().replace(b"\r\n", b"\n") for _ in range(3))
    return b"\n".join(b"From a@example.org Mon Mar  2 09:30:00 2026\n" + one for one in made)


def _ics(planter: Planter) -> bytes:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0"]
    for day in range(1, 7):
        title = planter.told.heading()
        text = planter.body(title, sentences=1) if day % 2 else planter.told.paragraph()
        about = text.replace(",", "\\,").replace(";", "\\;")
        lines += [
            "BEGIN:VEVENT",
            f"DTSTART:2026050{day}T090000",
            f"SUMMARY:{title}",
            f"DESCRIPTION:{about}",
            "END:VEVENT",
        ]
    return "\r\n".join([*lines, "END:VCALENDAR", ""]).encode()


def _cues(planter: Planter, point: str) -> str:
    cues: list[str] = []
    for at in range(24):
        text = planter.fact().text if at in {2, 12, 23} else planter.told.sentence()
        cut = text.find(" ", len(text) // 2) if planter.language == "en" else len(text) // 2
        text = f"{text[:cut]}\n{text[cut:].strip()}" if at % 2 == 0 and not text[cut - 1 : cut + 1].isdigit() else text
        cues.append(f"{at + 1}\n00:{at:02}:01{point}000 --> 00:{at:02}:05{point}000\n{text}")
    return "\n\n".join(cues)


# Markup


def _latex(planter: Planter) -> bytes:
    first, second, third = (planter.told.heading() for _ in range(3))
    rows = " \\\\\n".join(" & ".join(row) for row in planter.rows(second))
    others = "".join(f"\\section{{{title}}}\n{text}\n\n" for title, text in planter.sections())
    return (
        f"\\documentclass{{article}}\n\\begin{{document}}\n\\section{{{first}}}\n{planter.body(first)}\n\n{others}"
        f"\\section{{{second}}}\n\\begin{{tabular}}{{ll}}\n{rows} \\\\\n\\end{{tabular}}\n\n\\subsection{{{third}}}\n"
        f"{planter.told.sentence()}\\footnote{{{planter.fact(third).text}}} {planter.told.sentence()}\n\\end{{document}}\n"
    ).encode()


def _asciidoc(planter: Planter) -> bytes:
    first, second, third = (planter.told.heading() for _ in range(3))
    rows = "\n".join("|" + " |".join(row) for row in planter.rows(second))
    others = "".join(f"== {title}\n\n{text}\n\n" for title, text in planter.sections())
    return (
        f"= Stores\n\n== {first}\n\n{planter.body(first)}\n\n{others}== {second}\n\n[%header,cols=2*]\n|===\n{rows}\n|===\n\n"
        f"== {third}\n\n{planter.told.paragraph()}\n\nNOTE: {planter.fact(third).text}\n"
    ).encode()


def _rst(planter: Planter) -> bytes:
    first, second, third = (planter.told.heading() for _ in range(3))

    def headed(title: str) -> str:
        return f"{title}\n{'=' * 2 * len(title)}\n\n"

    rows = "".join(f"   * - {one}\n     - {other}\n" for one, other in planter.rows(second))
    others = "".join(f"{headed(title)}{text}\n\n" for title, text in planter.sections())
    return (
        f"{headed(first)}{planter.body(first)}\n\n{others}{headed(second)}.. list-table::\n   :header-rows: 1\n\n{rows}\n"
        f"{headed(third)}{planter.told.paragraph()}\n\n.. note::\n\n   {planter.fact(third).text}\n"
    ).encode()


def _python(planter: Planter) -> bytes:
    parts = [f'"""{planter.told.sentence()}"""\n']
    for at, name in enumerate(("open_store", "count_boxes", "Ledger", "close_store", "sort_slips")):
        inside = f'"""{planter.told.sentence()}"""\n    '
        if at == 1:
            inside = f'"""{planter.told.sentence()}\n\n    {planter.fact(name).text}\n    """\n    '
        elif at == 2:
            inside += f"def add(self):\n        # {planter.fact('add').text}\n        "
        elif at == 4:
            inside += f'said = "{planter.fact(name).text}"\n    '
        parts.append(
            f"{'class' if name[0].isupper() else 'def'} {name}{'' if name[0].isupper() else '(boxes)'}:\n    {inside}return {at}\n"
        )
    return "\n\n".join(parts).encode()


_MAKERS: dict[str, Callable[[Planter], bytes]] = {
    "md": _markdown,
    "txt": _text,
    "html": _html,
    "pdf": _pdf,
    "docx": _docx,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "csv": _table_with(","),
    "tsv": _table_with("\t"),
    "json": _json,
    "jsonl": _jsonl,
    "yaml": _yaml,
    "ipynb": _notebook,
    "epub": _epub,
    "eml": _eml,
    "mbox": _mbox,
    "ics": _ics,
    "odt": _odt,
    "srt": lambda planter: _cues(planter, ",").encode(),
    "vtt": lambda planter: f"WEBVTT\n\n{_cues(planter, '.')}".encode(),
    "tex": _latex,
    "adoc": _asciidoc,
    "rst": _rst,
    "py": _python,
}


def planted(files: int = FILES, *, alike: bool = False) -> dict[str, list[Planted]]:
    """Return the files of each format, by its ending; facts that are alike are of few things in few places."""
    left = {language: _facts(language, alike=alike) for language in LANGUAGES}
    made: dict[str, list[Planted]] = {}
    for place, (ending, maker) in enumerate(_MAKERS.items()):
        made[ending] = []
        for number in range(files):
            language = LANGUAGES[(place + number) % 3]
            planter = Planter(language, 100 * place + number, left[language])
            data = maker(planter)
            made[ending].append(Planted(name=f"{ending}-{number}.{ending}", data=data, facts=tuple(planter.facts)))
    return made
