# ruff: noqa: ANN401 - python-docx has no types

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import pytest

from evolore.sources.files import text_of
from evolore.sources.readers.word import written

docx: Any = pytest.importorskip("docx")
pytest.importorskip("mammoth")

if TYPE_CHECKING:
    from evolore.ports import SourceText

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'


def element(xml: str) -> Any:
    return docx.oxml.parse_xml(re.sub(r"\A<[\w:]+", rf"\g<0> {W} {M}", xml))


def read(document: Any) -> SourceText:
    stream = io.BytesIO()
    document.save(stream)
    return text_of(stream.getvalue(), source="a.docx", name="'a.docx'", suffix=".docx")


def numbered(document: Any, text: str, level: int = 0, list_id: int = 91, style: str | None = None) -> None:
    properties = document.add_paragraph(text, style=style)._p.get_or_add_pPr()
    properties.append(element(f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{list_id}"/></w:numPr>'))


def with_list(*levels: tuple[str, str], overrides: str = "") -> Any:
    """Make a document with a list 91, and 92 that shares its levels; a level is its form and text."""
    document = docx.Document()
    numbering = document.part.numbering_part.element
    written_levels = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, text) in enumerate(levels)
    )
    first = numbering.find("{*}num")
    first.addprevious(element(f'<w:abstractNum w:abstractNumId="90">{written_levels}</w:abstractNum>'))
    numbering.append(element('<w:num w:numId="91"><w:abstractNumId w:val="90"/></w:num>'))
    numbering.append(element(f'<w:num w:numId="92"><w:abstractNumId w:val="90"/>{overrides}</w:num>'))
    return document


@pytest.mark.parametrize("between", ["paragraph", "table", "bullet"])
def test_steps_go_on_counting_behind_what_stands_between(between: str) -> None:
    document = with_list(("decimal", "%1."))
    numbered(document, "Open")
    if between == "table":
        document.add_table(1, 1).cell(0, 0).text = "Hot!"
    else:
        document.add_paragraph("Hot!", style="List Bullet" if between == "bullet" else None)
    numbered(document, "Wait")
    numbered(document, "Close")
    text = read(document).text
    assert "1. Open\n" in text
    assert "2. Wait\n3. Close\n" in text


@pytest.mark.parametrize(
    ("overrides", "number"),
    [("", "3."), ('<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>', "1.")],
)
def test_a_second_list_of_the_same_kind_begins_anew_only_where_it_says_so(overrides: str, number: str) -> None:
    document = with_list(("decimal", "%1."), overrides=overrides)
    for text, list_id in (("One", 91), ("Two", 91), ("Other", 92)):
        numbered(document, text, list_id=list_id)
    assert f"\n{number} Other" in read(document).text


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ((("decimal", "%1"), ("decimal", "%1.%2"), ("lowerLetter", "(%3)")), ["1 A", "1.1 B", "1.2 C", "2 D", "2.1 E", "(a) F", "(b) G", "2.2 H"]),
        ((("upperRoman", "Part %1"), ("decimal", "§ %2"), ("lowerRoman", "%3)")), ["Part I A", "§ 1 B", "§ 2 C", "Part II D", "§ 1 E", "i) F", "ii) G", "§ 2 H"]),
        ((("chineseCounting", "第%1章"), ("decimalEnclosedCircle", "%2"), ("aiueoFullWidth", "%3.")), ["第一章 A", "① B", "② C", "第二章 D", "① E", "ア. F", "イ. G", "② H"]),
    ],
)  # fmt: skip
def test_levels_are_numbered_as_word_shows_them(levels: tuple[tuple[str, str], ...], expected: list[str]) -> None:
    document = with_list(*levels)
    for text, level in zip("ABCDEFGH", (0, 1, 1, 0, 1, 2, 2, 1), strict=True):
        numbered(document, text, level)
    assert [line.strip().removeprefix("- ") for line in read(document).text.splitlines()] == expected


def test_headings_are_numbered_and_deleted_paragraphs_do_not_count() -> None:
    document = with_list(("decimal", "%1."), ("decimal", "%1.%2"))
    numbered(document, "Scope", style="Heading 1")
    numbered(document, "Terms", 1, style="Heading 2")
    gone = document.add_paragraph()._p
    gone.get_or_add_pPr().append(element('<w:numPr><w:ilvl w:val="1"/><w:numId w:val="91"/></w:numPr>'))
    gone.append(element("<w:del><w:r><w:delText>Gone</w:delText></w:r></w:del>"))
    numbered(document, "Rent", 1, style="Heading 2")
    assert read(document).text == "# 1. Scope\n\n## 1.1 Terms\n\n## 1.2 Rent\n"


def test_a_style_numbers_its_paragraphs() -> None:
    document = docx.Document()
    for text in ("Open", "Wait"):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("Hot!")
    document.add_paragraph("Close", style="List Number")
    assert read(document).text == "1. Open\n2. Wait\n\nHot!\n\n3. Close\n"


@pytest.mark.parametrize("level", [1, 2, 7, 9])
@pytest.mark.parametrize("by", ["based on", "twice based on", "outline of style", "outline", "name"])
def test_headings_are_told_by_what_word_goes_by(by: str, level: int) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Moss")
    outline = element(f'<w:outlineLvl w:val="{level - 1}"/>')
    if by == "outline":
        paragraph._p.get_or_add_pPr().append(outline)
    elif by == "name":
        paragraph.style = document.styles[f"Heading {level}"]
    else:
        style = document.styles.add_style("Band", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
        if by == "outline of style":
            style.element.get_or_add_pPr().append(outline)
        else:
            style.base_style = document.styles[f"Heading {level}"]
        if by == "twice based on":
            base, style = style, document.styles.add_style("Band 2", docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
            style.base_style = base
        paragraph.style = style
    document.add_paragraph("It grows.")
    assert read(document).text == f"{'#' * min(level, 6)} Moss\n\nIt grows.\n"


@pytest.mark.parametrize("name", ["Callout", "Big", "Quote 2"])
def test_a_style_that_only_looks_like_a_heading_is_none(name: str) -> None:
    document = docx.Document()
    style = document.styles.add_style(name, docx.enum.style.WD_STYLE_TYPE.PARAGRAPH)
    style.base_style, style.font.size, style.font.bold = document.styles["Normal"], docx.shared.Pt(30), True
    style.element.get_or_add_pPr().append(element('<w:outlineLvl w:val="9"/>'))
    document.add_paragraph("Mind the gap", style=style)
    assert "#" not in read(document).text


@pytest.mark.parametrize("edge", ["header", "footer", "first_page_header"])
def test_headers_and_footers_are_told(edge: str) -> None:
    document = docx.Document()
    document.add_paragraph("Words.")
    section = document.sections[0]
    section.different_first_page_header_footer = True
    getattr(section, edge).paragraphs[0].text = "Prices of the waterworks"
    found = read(document)
    assert found.text == "Words.\n"
    assert found.notes == ("Page headers and footers were left out: “Prices of the waterworks”.",)


def test_comments_and_hidden_text_are_told() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The roof.")
    document.add_comment(paragraph.runs, "Check.", author="A")
    paragraph.add_run(" Secret.").font.hidden = True
    found = read(document)
    assert found.text == "The roof.\n"
    assert found.notes == ("Comments were left out: 1.", "Hidden text was left out: 1 pieces.")


@pytest.mark.parametrize(
    ("xml", "text"),
    [
        ('<w:fldSimple w:instr=" SEQ Table "><w:r><w:t>4</w:t></w:r></w:fldSimple>', "Table 4"),
        ("<m:oMath><m:r><m:t>x=2</m:t></m:r></m:oMath>", "Table x=2"),
        ("<w:r><w:ruby><w:rt><w:r><w:t>とうげ</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>峠</w:t></w:r></w:rubyBase></w:ruby></w:r>", "Table 峠（とうげ）"),
        ("<w:bdo><w:r><w:t>right</w:t></w:r></w:bdo>", "Table right"),
    ],
)  # fmt: skip
def test_words_the_converter_does_not_know_are_kept(xml: str, text: str) -> None:
    document = docx.Document()
    document.add_paragraph("Table ")._p.append(element(xml))
    assert read(document).text == f"{text}\n"


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [(29, "lowerLetter", "29"), (14, "upperRoman", "XIV"), (10, "chineseCountingThousand", "十"), (21, "japaneseCounting", "二十一"), (3, "decimalFullWidth", "3"), (30, "decimalEnclosedCircle", "30"), (0, "lowerLetter", "0"), (5, "none", "")],
)  # fmt: skip
def test_numbers_are_written_in_the_forms_of_word(number: int, form: str, text: str) -> None:
    assert written(number, form) == text
