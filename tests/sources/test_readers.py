from __future__ import annotations

import base64
import io
import json
import os
import signal
import zipfile
from contextlib import suppress
from email.message import EmailMessage
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.errors import UnreadableSource
from evolore.ports import LeftOutReason, PathFilter
from evolore.sources import confinement, formats, reader_process
from evolore.sources.files import FileReader, text_of
from evolore.sources.formats import ARCHIVES, Format, ReaderLimits
from evolore.sources.readers.table_rows import Tables
from growth import assert_in_proportion

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.ports import SourceText

LIMITS = ReaderLimits()


def read(data: bytes | str, suffix: str) -> SourceText:
    data = data if isinstance(data, bytes) else data.encode()
    return text_of(data, source=f"a{suffix}", name=f"'a{suffix}'", suffix=suffix)


def refusal(data: bytes | str, suffix: str) -> str:
    with pytest.raises(UnreadableSource) as caught:
        read(data, suffix)
    assert f"'a{suffix}'" in str(caught.value)
    return str(caught.value)


def package(**members: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in members.items():
            file.writestr(name.replace("__", "/").replace("_DOT_", "."), text)
    return stream.getvalue()


# PDF


def pdf(*pages: Sequence[tuple[float, float, float, str]], changed: str = "") -> bytes:
    """Write a PDF; a page is texts with their size and place."""
    count = len(pages)
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {count}/Kids[{' '.join(f'{4 + 2 * n} 0 R' for n in range(count))}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    for number, page in enumerate(pages):
        content = "".join(f"BT /F {size} Tf {left} {foot} Td ({text}) Tj ET\n" for size, left, foot, text in page)
        fonts = "<</Font<</F 3 0 R>>>>"
        objects.append(
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources{fonts}/Contents {5 + 2 * number} 0 R>>"
        )
        objects.append(f"<</Length {len(content)}>>\nstream\n{content}endstream")
    objects.append(f"<</CreationDate(D:20190101)/ModDate({changed})>>")
    body, places = "%PDF-1.4\n", list[int]()
    for number, one in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    size = len(objects) + 1
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}trailer <</Size {size}/Root 1 0 R/Info {size - 1} 0 R>>\nstartxref\n{len(body)}\n%%EOF".encode()


BODY = [(10, 50, 700 - 12 * line, f"This is line {line} of a text that goes on") for line in range(5)]


def test_headings_of_a_pdf_come_from_sizes_of_type_and_name_the_page() -> None:
    text = read(pdf([(20, 50, 740, "Tea"), *BODY], [(14, 50, 740, "Green"), *BODY]), ".pdf").text
    assert text.startswith("# Tea (p. 1)\n\nThis is line 0 of a text that goes on This is line 1")
    assert "\n\n## Green (p. 2)\n\nThis is line 0" in text


def test_a_page_inside_a_section_names_itself_behind_the_paragraph_that_runs_over() -> None:
    second = [(10, 50, 740, "and ends here."), (10, 50, 700, "Another paragraph.")]
    text = read(pdf([(20, 50, 740, "Tea"), *BODY], second), ".pdf").text
    assert text.endswith("line 4 of a text that goes on and ends here.\n\n## p. 2\n\nAnother paragraph.\n")


def test_tables_of_a_pdf_become_rows() -> None:
    cells = [
        (10, 50 + 150 * x, 500 - 15 * y, text)
        for y, row in enumerate(["Tea Price", "Sencha 12"])
        for x, text in enumerate(row.split())
    ]
    assert "| Tea | Price |\n| --- | --- |\n| Sencha | 12 |\n" in read(pdf([*BODY, *cells]), ".pdf").text


def test_what_stands_on_every_page_is_kept_once_and_numbers_of_pages_go() -> None:
    pages = [[(8, 50, 780, "Handbook"), *BODY, (8, 300, 20, f"Page {n}")] for n in range(1, 7)]
    text = read(pdf(*pages), ".pdf").text
    assert text.count("Handbook") == 1
    assert "Page 3" not in text


def test_a_pdf_without_text_is_refused_and_a_broken_one_too() -> None:
    assert "hold no text" in refusal(pdf([]), ".pdf")
    assert "is damaged, or no PDF" in refusal("%PDF-1.7 no more", ".pdf")


def test_too_many_pages_are_refused() -> None:
    data = pdf(*[BODY] * 3)
    with pytest.raises(UnreadableSource, match="has 3 pages, more than 2: split it"):
        confinement.convert(data, Format.PDF, name="'a.pdf'", suffix=".pdf", limits=ReaderLimits(pages=2))


# Office and books

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>'


def docx(body: str, **members: str) -> bytes:
    relations = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>'
    style = f'<w:styles {W}><w:style w:type="paragraph" w:styleId="h"><w:name w:val="heading 2"/></w:style></w:styles>'
    return package(
        **{
            "[Content_Types]_DOT_xml": TYPES,
            "_rels/_DOT_rels": relations,
            "word__document_DOT_xml": body
            if body.startswith("<!")
            else f"<w:document {W}><w:body>{body}</w:body></w:document>",
            "word__styles_DOT_xml": style,
            **members,
        }
    )


def paragraph(text: str, style: str = "") -> str:
    styled = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{styled}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_headings_of_word_come_from_styles_and_macros_are_told() -> None:
    found = read(docx(paragraph("Tea", "h") + paragraph("Boil water."), word__vbaProject_DOT_bin="x"), ".docm")
    assert found.text == "## Tea\n\nBoil water.\n"
    assert found.notes == ("Its macros were left out; nothing of them was run.",)


def test_entities_that_grow_end_a_word_document() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 11))
    body = (
        f'<!DOCTYPE a [<!ENTITY l0 "lol">{laughs}]><w:document {W}><w:body>{paragraph("&l10;")}</w:body></w:document>'
    )
    assert "cannot be read as a Word document" in refusal(docx(body), ".docx")


def test_a_workbook_gives_an_item_a_row() -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for row in (("Tea", "Price"), ("Sencha", 12.5), (None, None), ("Hojicha", "=1+1")):
        book.active.append(row)
    book.active["XFD900000"] = "far"
    book.save(stream)
    found = read(stream.getvalue(), ".xlsx")
    assert found.text == "## Sheet\n\n- Tea: Sencha; Price: 12.5\n- Tea: Hojicha\n\n- far\n"
    assert "Formulas without a stored value were left out: Sheet B4." in found.notes[0]


def test_slides_are_sections_with_their_number() -> None:
    pptx = pytest.importorskip("pptx")
    deck, stream = pptx.Presentation(), io.BytesIO()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text, slide.placeholders[1].text_frame.text = "Tea", "Boil water."
    slide.notes_slide.notes_text_frame.text = "Smile."
    deck.save(stream)
    assert read(stream.getvalue(), ".pptx").text == "## Tea (slide 1)\n\nBoil water.\n\nSmile.\n"


def epub(page: str, stated: str = "") -> bytes:
    return package(
        **{
            "META-INF__container_DOT_xml": '<container><rootfiles><rootfile full-path="p.opf"/></rootfiles></container>',
            "p_DOT_opf": f'<package xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Teas</dc:title>{stated}</metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
            "a_DOT_xhtml": page,
        }
    )


def test_a_book_gives_its_pages_and_title() -> None:
    found = read(epub("<html><body><h1>Green</h1><p>Boil water.</p></body></html>"), ".epub")
    assert (found.text, found.title) == ("# Green\n\nBoil water.\n", "Teas")


@pytest.mark.parametrize(
    ("stated", "date"),
    [
        ("<dc:date>2020-05-01</dc:date>", "2020-05-01"),
        (
            '<dc:date>2020-05-01</dc:date><meta property="dcterms:modified">2021-06-02T10:00:00Z</meta>',
            "2020-05-01",
        ),
        (
            '<dc:date>2012</dc:date><meta property="dcterms:modified">2021-06-02T10:00:00Z</meta>',
            "2021-06-02T10:00:00Z",
        ),
        ("<dc:date>2012</dc:date>", ""),
    ],
)
def test_a_book_states_when_it_was_published_or_else_changed(stated: str, date: str) -> None:
    assert read(epub("<p>Words.</p>", stated), ".epub").file_date == date


@pytest.mark.parametrize(
    "page", ["<h1>The Book</h1><p>Words.</p>", "<p>Words.</p>", "<h1>Tea, <i>green</i></h1><p>Words.</p>"]
)
def test_a_page_of_a_book_has_the_heading_of_its_table_of_contents(page: str) -> None:
    listed = NCX.replace("a.xhtml#c2", "b.xhtml").format("Tea, green", "", "Black")
    data = package(
        p_DOT_opf='<package><manifest><item id="n" href="toc.x" media-type="application/x-dtbncx+xml"/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
        toc_DOT_x=listed,
        a_DOT_xhtml=f"<html><head><title>x</title></head><body>{page}<aside e:type='footnote' epub:type='footnote' hidden=''>A note.</aside></body></html>",
    )
    text = read(data, ".epub").text
    assert text.replace("*", "").startswith("# Tea, green\n\n")
    assert text.count("green") == 1
    assert "A note." in text


NCX = '<ncx><navMap><navPoint><navLabel><text>{0}</text></navLabel><content src="a.xhtml{1}"/><navPoint><navLabel><text>{2}</text></navLabel><content src="a.xhtml#c2"/></navPoint></navPoint></navMap><pageList><pageTarget><navLabel><text>12</text></navLabel><content src="a.xhtml#c3"/></pageTarget></pageList></ncx>'
NAV = '<html xmlns:e="http://www.idpf.org/2007/ops"><nav e:type="page-list"><a href="a.xhtml#c3">12</a></nav><nav e:type="toc"><ol><li><a href="a.xhtml{1}">{0}</a><ol><li><a href="a.xhtml#c2">{2}</a></li></ol></li></ol></nav></html>'


@pytest.mark.parametrize("contents", ["ncx", "nav"])
@pytest.mark.parametrize(
    "page",
    [
        "<p id='c1'>Words of one.</p><p id='c2'>Words of two.</p><p id='c3'>More.</p>",
        "<p><a id='c1'></a>Words of one.</p><div id='c2'><p>Words of two.</p></div><p id='c3'>More.</p>",
        "<h1 id='c1'>One</h1><p>Words of one.</p><div id='c2'><h2>The Two</h2><p>Words of two.</p></div><p id='c3'>More.</p>",
    ],
)
def test_chapters_in_one_page_of_a_book_have_their_headings(page: str, contents: str) -> None:
    listed = NCX if contents == "ncx" else NAV
    kind = 'media-type="application/x-dtbncx+xml"' if contents == "ncx" else 'properties="nav"'
    data = package(
        p_DOT_opf=f'<package><manifest><item id="n" href="toc.x" {kind}/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/></spine></package>',
        toc_DOT_x=listed.format("One", "#c1", "Two"),
        a_DOT_xhtml=f"<html><body>{page}</body></html>",
    )
    text = read(data, ".epub").text.replace("The Two", "Two")
    assert text == "# One\n\nWords of one.\n\n## Two\n\nWords of two.\n\nMore.\n"


@pytest.fixture(scope="module")
def bomb() -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as file, file.open("a.xml", "w") as member:
        for _ in range(501):
            member.write(bytes(1_000_000))
    return stream.getvalue()


@pytest.mark.parametrize("suffix", [".docx", ".xlsx", ".pptx", ".epub"])
def test_what_is_too_large_unpacked_is_refused_before_it_is(suffix: str, bomb: bytes) -> None:
    assert "when unpacked, more than any document needs" in refusal(bomb, suffix)
    assert "damaged or no file of the kind" in refusal("words", suffix)
    assert "protected by a password, or in the format" in refusal(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", suffix)


# Dates

CORE = (
    '<c xmlns:d="http://purl.org/dc/terms/"><d:created>2019-01-01T00:00:00Z</d:created><d:modified>{}</d:modified></c>'
)


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("D:20250503143000+09'00'", "20250503T143000+0900"),
        ("D:20250503143000Z", "20250503T143000"),
        ("20250503", "20250503"),
        ("D:2025", "D:2025"),
        ("", ""),
    ],
)
def test_a_pdf_states_when_it_was_changed(written: str, date: str) -> None:
    assert read(pdf(BODY, changed=written), ".pdf").file_date == date


@pytest.mark.parametrize(
    ("written", "date"), [("2025-05-03T14:30:00Z", "2025-05-03T14:30:00Z"), ("2013-12-23T23:15:00Z", ""), ("", "")]
)
def test_office_states_when_it_was_changed_and_what_templates_state_does_not_count(written: str, date: str) -> None:
    assert read(docx(paragraph("Tea"), docProps__core_DOT_xml=CORE.format(written)), ".docx").file_date == date


@pytest.mark.parametrize(
    ("head", "date"),
    [
        ("published_time", "2024-01-01"),
        ("published_time modified_time", "2025-05-03T14:30+09:00"),
        ("section", ""),
    ],
)
def test_a_page_states_when_it_was_changed_or_else_published(head: str, date: str) -> None:
    times = {"modified_time": " 2025-05-03T14:30+09:00 "}
    metas = "".join(
        f'<meta property="article:{name}" content="{times.get(name, "2024-01-01")}">' for name in head.split()
    )
    found = read(f"<head>{metas}<meta property='article:modified_time'></head><p>Text <time>2020-01-01</time>", ".html")
    assert found.file_date == date


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("Sat, 3 May 2025 14:30:00 +0900", "2025-05-03T14:30:00+09:00"),
        ("Sat, 3 May 2025 14:30:00 -0000", "2025-05-03T14:30:00"),
        ("soon", "soon"),
        ("Sat, 3 May 99999999999999999999 14:30:00 +0900", "Sat, 3 May 99999999999999999999 14:30:00 +0900"),
    ],
)
def test_a_mail_states_when_it_was_sent(written: str, date: str) -> None:
    assert read(f"Subject: a\nDate: {written}\n\nWords\n", ".eml").file_date == date


# Mail, notebooks, data, programs


def test_a_mail_tells_its_headers_its_words_and_its_attachments() -> None:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "発注", "Mika <mika@example.org>"
    mail.set_content("# not a heading\nWords\n-- \nMika")
    mail.add_attachment(b"x", maintype="image", subtype="png", filename="a.png")
    found = read(mail.as_bytes(), ".eml")
    assert (
        found.text
        == "# 発注\n\nFrom: Mika <mika@example.org>\n\n\\# not a heading\nWords\n\\-- \nMika\n\nAttachments: a.png\n"
    )
    assert (found.title, found.notes) == ("発注", ("Attachments were left out: a.png.",))


def test_a_mail_of_html_is_read_in_the_encoding_it_states() -> None:
    page = base64.b64encode("<p>見積書を送ります。</p>".encode("iso-2022-jp")).decode()
    mail = f"Subject: a\nContent-Type: text/html; charset=iso-2022-jp\nContent-Transfer-Encoding: base64\n\n{page}"
    assert read(mail, ".eml").text == "# a\n\n見積書を送ります。\n"


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("ventila\u00adtion", "ventilation"),
        ("ventila\ufffetion", "ventilation"),
        ("data\u200bbase\u2060s\ufeff", "databases"),
        ("auf\u200clage", "auflage"),
        ("می\u200cخواهم 👩\u200d🔬", "می\u200cخواهم 👩\u200d🔬"),
    ],
)
@pytest.mark.parametrize("suffix", [".html", ".eml", ".epub", ".docx"])
def test_words_that_signs_nobody_sees_part_are_whole(suffix: str, written: str, text: str) -> None:
    page = f"<p>Words {written}</p>"
    data = {
        ".html": page,
        ".eml": f"Subject: a\n\nWords {written}\n",
        ".epub": epub(page),
        ".docx": docx(paragraph(f"Words {written}")),
    }[suffix]
    if not (suffix == ".docx" and "\ufffe" in written):  # XML has no such character
        assert f"Words {text}\n" in read(data, suffix).text


def test_a_soft_hyphen_at_the_end_of_a_line_joins_it_to_the_next() -> None:
    assert "ventilation\n" in read("Subject: a\n\nventila\u00ad\ntion\n", ".eml").text


def test_a_notebook_gives_words_code_and_what_was_printed() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Tea\n", "Words."]},
        {"cell_type": "code", "source": "1 + 1", "outputs": [{"output_type": "stream", "text": "\x1b[1m2\x1b[0m"}]},
    ]
    text = read(json.dumps({"cells": cells, "metadata": {}}), ".ipynb").text
    assert text == "# Tea\nWords.\n\n```python\n1 + 1\n```\n\n```text\n2\n```\n"
    assert "is no notebook" in refusal("[]", ".ipynb")


@pytest.mark.parametrize("sign", [",", ";", "\t", "|"])
def test_every_value_of_a_table_stands_under_its_column(sign: str) -> None:
    table = f'tea{sign}note\nSencha{sign}"green, {sign} fresh"\n\n煎茶{sign}\n'
    assert (
        read(table, ".csv").text
        == f"- tea: Sencha; note: green, {sign.strip()}{' ' if sign.strip() else ''}fresh\n- tea: 煎茶\n"
    )


def test_a_table_without_names_of_columns_has_none() -> None:
    tables = Tables()
    assert tables.read([["1", "2"], ["3", "4"]]) == "- 1; 2\n- 3; 4"
    assert tables.unnamed == 1


def test_records_become_sections_and_lines() -> None:
    value = {
        "name": "Teas",
        "list": [{"title": "Sencha", "at": {"m": 200, "dry": True}, "tags": ["a", "b"]}, {"title": "x"}],
    }
    found = read(json.dumps(value), ".json")
    assert found.text == (
        "name: Teas\n\n# list\n\n## Sencha\n\ntitle: Sencha\nat.m: 200\nat.dry: true\ntags: a, b\n\ntitle: x\n"
    )
    assert found.title == "Teas"
    assert "is no JSON" in refusal("{", ".json")
    assert "nested too deep" in refusal("[" * 100_000, ".json")


def test_lines_that_are_no_json_are_told() -> None:
    found = read('{"a": 1}\n{"a"\n"b"\n', ".jsonl")
    assert found.text == "a: 1\n\nb\n"
    assert found.notes == ("Lines that are no JSON were left out: 1, the first is line 2.",)


def test_a_program_has_a_section_a_symbol_and_keeps_every_line() -> None:
    code = "import os\n\n\n# About tea.\n@cache\nclass Tea:\n    size = 1\n\n    def boil(self):\n        pass\n"
    text = read(code, ".py").text
    assert [line for line in text.splitlines() if line.startswith("#") and "About" not in line] == [
        "# a.py",
        "## Tea",
        "### boil",
    ]
    assert "```python\n# About tea.\n@cache\nclass Tea:\n    size = 1\n```" in text
    assert all(line in text for line in code.splitlines())


@pytest.mark.parametrize(
    ("suffix", "code", "headings"),
    [
        (".ts", "export async function boil(a: number) {\n}\n\nexport const cool = (a) => a\n", ["## boil", "## cool"]),
        (".go", "package a\n\nfunc (t *Tea) Boil() {\n}\n", ["## (t *Tea) Boil"]),
        (".rs", "pub struct Tea;\n\nimpl Tea {\n    pub fn boil(&self) {}\n}\n", ["## Tea;", "## Tea", "### boil"]),
        (".c", "int a;\n\nstatic int boil(int water)\n{\n  return pour(1);\n}\n", ["## boil"]),
        (".sql", "CREATE TABLE IF NOT EXISTS tea (id int);\n", ["## tea"]),
        (".py", "def broken(:\n", ["## broken"]),
    ],
)
def test_symbols_of_other_languages_are_told_by_rule(suffix: str, code: str, headings: list[str]) -> None:
    text = read(code, suffix).text
    found = [line.replace(";", "") for line in text.splitlines() if line.startswith(("## ", "### "))]
    assert found == [one.replace(";", "") for one in headings]


def test_restructured_text_keeps_the_words_of_directives_it_does_not_know() -> None:
    pytest.importorskip("docutils")
    page = "Tea\n===\n\nSee :ref:`the list <x>`.\n\n.. versionadded:: 3\n   New.\n\n.. include:: /etc/hosts\n\n.. code-block:: sh\n   :linenos:\n\n   ls\n"
    text = read(page, ".rst").text
    assert text.startswith("# Tea\n\nSee the list.")
    assert "New." in text
    assert "```sh\nls\n```" in text
    assert "localhost" not in text


@pytest.mark.parametrize("unit", ["*a ", "(", '"', "a,", "public static ", '{"a":', "# b\n@"])
@pytest.mark.parametrize("suffix", [".csv", ".json", ".py", ".java", ".ipynb"])
def test_what_is_read_in_this_process_takes_time_that_grows_with_the_file(suffix: str, unit: str) -> None:
    def run(times: int) -> None:
        with suppress(UnreadableSource):
            read(unit * times, suffix)

    assert_in_proportion(run, 10_000)


# Bounds


def test_a_reader_that_takes_too_long_is_ended() -> None:
    pytest.importorskip("resource")
    slow = b"*a " * 300_000
    with pytest.raises(UnreadableSource, match="more than 1 s of computing, and was given up"):
        confinement.convert(slow, Format.RST, name="'a.rst'", suffix=".rst", limits=ReaderLimits(seconds=1))


def test_a_reader_that_is_waited_for_too_long_may_be_tried_again() -> None:
    slow = b"*a " * 300_000
    with pytest.raises(UnreadableSource, match=r"not read in 0\.12 s: try again when the machine is less busy"):
        confinement.convert(slow, Format.RST, name="'a.rst'", suffix=".rst", limits=ReaderLimits(seconds=0.02))
    assert read(epub("<p>a</p>"), ".epub").text == "a\n"


def test_one_process_reads_many_files_and_another_takes_over_where_it_was_killed() -> None:
    read(epub("<p>a</p>"), ".epub")
    first = reader_process.idle[-1]
    read(epub("<p>b</p>"), ".epub")
    assert reader_process.idle[-1] is first
    os.kill(first.pid, signal.SIGKILL)
    assert read(epub("<p>c</p>"), ".epub").text == "c\n"
    assert reader_process.idle[-1] is not first


def test_a_reader_that_holds_too_much_is_refused() -> None:
    pytest.importorskip("resource")
    limits = ReaderLimits(memory_bytes=60_000_000)
    with pytest.raises(UnreadableSource, match="bytes of memory"):
        confinement.convert(
            b"[" + b"{}," * 20_000_000 + b"1]", Format.RECORDS, name="'a.json'", suffix=".json", limits=limits
        )


def test_a_text_that_grows_beyond_its_bound_is_refused() -> None:
    with pytest.raises(UnreadableSource, match="more than 10: split it"):
        confinement.convert(
            b"a,b\nwords,words\n", Format.TABLE, name="'a'", suffix=".csv", limits=ReaderLimits(characters=10)
        )


@pytest.mark.parametrize("suffix", sorted(ARCHIVES))
def test_archives_are_refused(suffix: str) -> None:
    assert "unpack it" in refusal("words", suffix)


# Folders


def test_a_folder_gives_data_where_a_pattern_names_its_ending(tmp_path: Path) -> None:
    for name in ("a.csv", "b.py", "c.md", "d.zip"):
        (tmp_path / name).write_text("words", encoding="utf-8")
    reader = FileReader()
    assert [path.name for path in reader.find([tmp_path])] == ["c.md"]
    assert [path.name for path in reader.find([tmp_path], where=PathFilter(include=("*.CSV", "*.csv")))] == ["a.csv"]
    left = {(one.reason, one.name) for one in reader.left_out([tmp_path])}
    assert left == {
        (LeftOutReason.ON_REQUEST, ".csv"),
        (LeftOutReason.ON_REQUEST, ".py"),
        (LeftOutReason.ARCHIVE, ".zip"),
    }


def test_without_the_extra_a_folder_keeps_back_and_a_file_says_what_to_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formats, "_is_there", "".startswith)
    for name in ("a.pdf", "b.rst"):
        (tmp_path / name).write_text("words", encoding="utf-8")
    reader = FileReader()
    assert [path.name for path in reader.find([tmp_path])] == ["b.rst"]
    assert reader.read(tmp_path / "b.rst").media_type is MediaType.PLAIN
    assert [(one.reason, one.name) for one in reader.left_out([tmp_path])] == [(LeftOutReason.EXTRA, ".pdf")]
    assert 'pip install "evolore[files]"' in refusal("%PDF", ".pdf")


def test_what_became_markdown_is_not_written_back(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b", encoding="utf-8")
    with pytest.raises(UnreadableSource, match="is a table, and the document is the Markdown"):
        FileReader().original(tmp_path / "a.csv")
