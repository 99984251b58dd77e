from __future__ import annotations

import json
import mailbox
import zipfile
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from evolore.errors import UnreadableSource
from evolore.ports import PathFilter, SourceText
from evolore.sources.files import FileReader, text_of
from evolore.sources.formats import CONVERTED_BY, ENDINGS, LOSSES, ReaderLimits, format_of, name_of
from evolore.sources.readers.markup import read_latex, read_subtitles
from growth import assert_in_proportion

ROOT = Path(__file__).parents[3]


def read(data: str | bytes, suffix: str) -> SourceText:
    data = data.encode() if isinstance(data, str) else data
    return text_of(data, source=f"a{suffix}", name=f"a{suffix}", suffix=suffix)


def odt(body: str, *, styles: str = "", page: str = "", meta: str = "", manifest: str = "") -> bytes:
    names = " ".join(
        f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
        for prefix, name in (
            ("office", "office"),
            ("text", "text"),
            ("table", "table"),
            ("style", "style"),
            ("draw", "drawing"),
        )
    )
    names += ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    parts = {
        "content.xml": f"<office:document-content {names}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:text>{body}</office:text></office:body></office:document-content>",
        "styles.xml": f"<office:document-styles {names}>{page}</office:document-styles>",
        "meta.xml": f"<office:document-meta {names}>{meta}</office:document-meta>",
        "META-INF/manifest.xml": f"<manifest>{manifest}</manifest>",
    }
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as package:
        for name, text in parts.items():
            package.writestr(name, text)
    return file.getvalue()


ODT = {
    "headings": (
        '<text:h text:outline-level="1">Tea</text:h><text:p>Boil it.</text:p><text:h text:outline-level="9">Deep</text:h>',
        "# Tea\n\nBoil it.\n\n###### Deep\n",
    ),
    "list in a list": (
        (
            "<text:list><text:list-item><text:p>Tea</text:p><text:list><text:list-item><text:p>Sencha</text:p></text:list-item>"
            "</text:list></text:list-item></text:list>"
        ),
        "- Tea\n\n  - Sencha\n",
    ),
    "numbers": (
        (
            '<text:list text:style-name="L1"><text:list-item><text:p>Boil</text:p></text:list-item>'
            "<text:list-item><text:p>Pour</text:p></text:list-item></text:list>"
        ),
        "1. Boil\n2. Pour\n",
    ),
    "table": (
        (
            "<table:table><table:table-header-rows><table:table-row><table:table-cell><text:p>Tea</text:p></table:table-cell>"
            "<table:table-cell><text:p>Price</text:p></table:table-cell></table:table-row></table:table-header-rows>"
            '<table:table-row><table:table-cell table:number-columns-spanned="2"><text:p>Sencha</text:p></table:table-cell>'
            "<table:covered-table-cell/></table:table-row></table:table>"
        ),
        "| Tea | Price |\n| --- | --- |\n| Sencha | |\n",
    ),
    "notes": (
        "<text:p>It is hot<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>At 80°.</text:p></text:note-body></text:note>.</text:p>",
        "It is hot (At 80°.).\n",
    ),
    "spaces": (
        "<text:p>A<text:s/>B<text:tab/>C<text:line-break/>D <text:span>E</text:span>F</text:p>",
        "A B C \nD EF\n",
    ),
    "a title by its style": ('<text:p text:style-name="P1">Tea</text:p><text:p>Boil.</text:p>', "# Tea\n\nBoil.\n"),
    "a box": (
        "<text:p>A<draw:frame><draw:text-box><text:p>Box</text:p></draw:text-box></draw:frame></text:p>",
        "A\n\nBox\n",
    ),
}
STYLES = (
    '<style:style style:name="P1" style:parent-style-name="Title"/>'
    '<text:list-style style:name="L1"><text:list-level-style-number text:level="1"/></text:list-style>'
)


@pytest.mark.parametrize(("body", "wanted"), ODT.values(), ids=ODT)
def test_an_opendocument_text_becomes_markdown(body: str, wanted: str) -> None:
    found = read(odt(body, styles=STYLES), ".odt").text
    assert [line.split() for line in found.splitlines() if line.strip()] == [
        line.split() for line in wanted.splitlines() if line.strip()
    ]


def test_what_an_opendocument_text_loses_is_told() -> None:
    body = (
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes>"
        "<text:p>Tea<office:annotation><text:p>hm</text:p></office:annotation> is hot<draw:image/>.</text:p>"
    )
    page = "<style:header><text:p>Secret</text:p></style:header>"
    meta = "<dc:title>About tea</dc:title><dc:date>2024-05-06T07:08:09</dc:date>"
    found = read(odt(body, page=page, meta=meta), ".odt")
    assert found.text == "Tea is hot.\n"
    assert found.notes == ("Not read: changes (1), comments (1), headers and footers (1), pictures (1).",)
    assert (found.title, found.file_date) == ("About tea", "2024-05-06T07:08:09")


HIDDEN_STYLES = (
    '<style:style style:name="H"><style:text-properties text:display="none"/></style:style>'
    '<style:style style:name="H2" style:parent-style-name="H"/>'
    '<style:style style:name="S" style:parent-style-name="H"><style:text-properties text:display="true"/></style:style>'
)


@pytest.mark.parametrize(
    "body",
    [
        '<text:p>Tea <text:span text:style-name="H">secret</text:span>is hot.</text:p>',
        '<text:p>Tea is hot.</text:p><text:p text:style-name="H2">secret</text:p>',
        '<text:p>Tea <text:hidden-text text:is-hidden="true" text:string-value="secret">secret</text:hidden-text>is hot.</text:p>',
        '<text:p>Tea is hot.</text:p><text:p><text:hidden-paragraph text:is-hidden="true"/>secret</text:p>',
        '<text:p>Tea is hot.</text:p><text:section text:display="none"><text:p>secret</text:p></text:section>',
    ],
)
def test_hidden_text_of_an_opendocument_is_told(body: str) -> None:
    found = read(odt(body, styles=HIDDEN_STYLES), ".odt")
    assert (found.text, found.notes) == ("Tea is hot.\n", ("Not read: hidden text (1).",))


def test_text_of_an_opendocument_that_is_shown_after_all_is_read() -> None:
    body = (
        '<text:p text:style-name="S">Tea</text:p><text:p><text:hidden-text text:is-hidden="false">is</text:hidden-text></text:p>'
        '<text:p><text:hidden-paragraph text:is-hidden="false"/>hot.</text:p>'
    )
    found = read(odt(body, styles=HIDDEN_STYLES), ".odt")
    assert (found.text.split(), found.notes) == (["Tea", "is", "hot."], ())


def test_a_numbered_list_of_a_named_style_is_numbered() -> None:
    page = '<text:list-style style:name="Numbers"><text:list-level-style-number text:level="1"/></text:list-style>'
    body = '<text:list text:style-name="Numbers"><text:list-item><text:p>Boil</text:p></text:list-item></text:list>'
    assert read(odt(body, page=page), ".odt").text == "1. Boil\n"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"PK no zip", "damaged"),
        (odt("<text:p>a</text:p>", manifest="<encryption-data/>"), "password"),
        (odt(""), "text"),
        (odt("<broken"), "damaged"),
    ],
)
def test_an_opendocument_text_that_cannot_be_read_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableSource, match=reason):
        read(data, ".odt")


def mbox(tmp_path: Path, *texts: str) -> bytes:
    file = tmp_path / "all.mbox"
    box = mailbox.mbox(file)
    for number, text in enumerate(texts, start=1):
        message = EmailMessage()
        message["Subject"], message["From"], message["Date"] = (
            f"Tea {number}",
            "a@example.org",
            "Mon, 06 May 2024 09:00:00 +0000",
        )
        message.set_content(text)
        box.add(message)
    box.close()
    return file.read_bytes()


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_every_message_of_a_mailbox_is_read(tmp_path: Path, ends: bytes) -> None:
    data = mbox(tmp_path, "It is hot.\n\nFrom the start it was.\n", "お茶です。\n", "Done.\n").replace(b"\n", ends)
    found = read(data, ".mbox")
    assert [line for line in found.text.splitlines() if line.startswith("#")] == ["# Tea 1", "# Tea 2", "# Tea 3"]
    assert "\nFrom the start it was." in found.text
    assert "お茶です。" in found.text


def test_a_message_begins_without_a_blank_line_above() -> None:
    one = "From - Mon Mar  4 09:00:00 2024\nSubject: Tea\n\nHot. From Ann at 8:15.\n"
    assert read(one + one, ".mbox").text.count("# Tea") == 2


@pytest.mark.parametrize(
    "head", [":date: 2024-05-06\n\n", ":Author: Ann\n:Date: 2024-05-06\n\n", "Tea\n===\n\n:Date:   2024-05-06\n\n"]
)
def test_fields_of_restructuredtext_stand_beside_their_values_and_date_it(head: str) -> None:
    found = read(f"{head}Hot.\n\n:Price: 12\n", ".rst")
    assert found.file_date == "2024-05-06"
    assert "Price: 12" in found.text


def test_attachments_of_a_mailbox_are_told_ten_at_most(tmp_path: Path) -> None:
    message = EmailMessage()
    message["Subject"] = "Tea"
    message.set_content("Hot.")
    message.add_attachment(b"x", maintype="image", subtype="png", filename="tea.png")
    box = mailbox.mbox(tmp_path / "a.mbox")
    for _ in range(14):
        box.add(message)
    box.close()
    found = read((tmp_path / "a.mbox").read_bytes(), ".mbox")
    assert len(found.notes) == 11
    assert found.notes[-1] == "So it is with 4 messages more."


def test_a_mailbox_without_messages_is_refused() -> None:
    with pytest.raises(UnreadableSource, match="no message"):
        read("Just words.\n", ".mbox")


CALENDARS = {
    "Outlook": "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Tea\\, hot\r\nDTSTART:20240506T070000Z\r\nLOCATION:Hall\r\nEND:VEVENT\r\n"
    "END:VCALENDAR\r\n",
    "task": "BEGIN:VCALENDAR\nBEGIN:VTODO\nDUE;VALUE=DATE:20240506\nSUMMARY:Tea\\, hot\nDESCRIPTION:In the Hall\nEND:VTODO\nEND:VCALENDAR\n",
    "folded, with an alarm": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tea\\,\n  hot\nDTSTART:20240506\nBEGIN:VALARM\nDESCRIPTION:Ring\n"
    "END:VALARM\nLOCATION:Hall\nEND:VEVENT\nEND:VCALENDAR\n",
}


@pytest.mark.parametrize("text", [CALENDARS["Outlook"], CALENDARS["task"]], ids=["Outlook", "task"])
def test_a_calendar_says_what_when_and_where(text: str) -> None:
    found = read(text, ".ics").text
    assert found.startswith("# Tea, hot\n")
    assert "2024-05-06" in found
    assert "Hall" in found
    assert not {"VEVENT", "VTODO", "\\"} & set(found.replace("\n", " ").split(" "))


def test_each_meeting_of_a_calendar_is_a_section() -> None:
    found = read(
        CALENDARS["Outlook"].replace("END:VCALENDAR\r\n", "") + CALENDARS["folded, with an alarm"], ".ics"
    ).text
    assert found.count("# Tea, hot") == 2
    assert "Ring" not in found


SUBTITLES = {
    "SubRip": "1\r\n00:00:01,000 --> 00:00:02,000\r\n<i>Tea</i> is hot.\r\nIndeed.\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\n{\\an8}Yes.\r\n",
    "WebVTT": "WEBVTT\n\nNOTE hidden --\n\nSTYLE\n::cue{}\n\nfirst\n00:01.000 --> 00:02.000 align:start\nTea is <b>hot</b>.\nIndeed.\n\n"
    "00:03.000 --> 00:04.000\nYes.\n",
    "numbers that are said": "1\n00:00:01,000 --> 00:00:02,000\nTea is hot.\nIndeed.\n\n2\n00:00:03,000 --> 00:00:04,000\nYes.\n",
}


@pytest.mark.parametrize("text", SUBTITLES.values(), ids=SUBTITLES)
def test_of_subtitles_stays_what_is_said(text: str) -> None:
    suffix = ".vtt" if text.startswith("WEBVTT") else ".srt"
    assert read(text, suffix).text == "Tea is hot.\nIndeed.\nYes.\n"


def test_a_voice_and_a_number_of_subtitles_are_words() -> None:
    assert (
        read("WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>Tea &amp; milk?\n\n00:03.000 --> 00:04.000\n42\n", ".vtt").text
        == "Ann: Tea & milk?\n42\n"
    )


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("The tea in the\nkitchen is hot.", "The tea in the kitchen is hot."),
        ("台所のお茶は\nまだ熱いです。", "台所のお茶はまだ熱いです。"),
        ("Is it hot?\nNot yet.", "Is it hot?\nNot yet."),
        ("- Is it hot\n- Not yet", "- Is it hot\n- Not yet"),
        ("<v Ann>Is it hot\n<v Bob>Not yet", "Ann: Is it hot\nBob: Not yet"),
        ("ANN: Is it hot\nBOB: Not yet", "ANN: Is it hot\nBOB: Not yet"),
        ("♪ Hot tea ♪\n♪ for two ♪", "♪ Hot tea ♪\n♪ for two ♪"),
        ("차가 아직\n뜨겁습니다.", "차가 아직 뜨겁습니다."),
    ],
)
def test_a_sentence_that_a_cue_breaks_is_one_line(said: str, wanted: str) -> None:
    assert read(f"WEBVTT\n\n00:01.000 --> 00:02.000\n{said}\n", ".vtt").text == wanted + "\n"


ADOC = {
    "headings": ("= Tea\n:toc:\n\n== Boil\n\nHot.\n", ["# Tea", ":toc:", "## Boil", "Hot."]),
    "code": (
        "== Run\n\n----\n# no heading\n== neither\n----\n\n== Stop\n",
        ["## Run", "```", "# no heading", "== neither", "```", "## Stop"],
    ),
    "remarks": ("A.\n\n// hidden\nB.\n", ["A.", "B."]),
    "underlined": ("Boiling\n-------\n\nHot.\n", ["Boiling", "-------", "Hot."]),
    "words": ("|===\n| Tea | Price\n|===\n* A\n", ["|===", "| Tea | Price", "|===", "* A"]),
}


@pytest.mark.parametrize(("text", "wanted"), ADOC.values(), ids=ADOC)
def test_asciidoc_becomes_markdown(text: str, wanted: list[str]) -> None:
    assert [line for line in read(text, ".adoc").text.splitlines() if line] == wanted


LATEX = {
    "title": (
        "\\documentclass[a4paper]{article}\\usepackage{x}\\title{On \\emph{Tea}}\\author{Ann \\and Ben}\\begin{document}\\maketitle\nHot.\n\\end{document}\n",
        ["# On Tea", "Ann , Ben", "Hot."],
    ),
    "headings": (
        "\\chapter{Tea}\\label{tea}\nHot.\n\\section*{With \\textbf{milk}}\nCold.\n",
        ["## Tea", "Hot.", "### With milk", "Cold."],
    ),
    "items": (
        "\\begin{enumerate}[a)]\n\\item Boil\n\\item[Then] Pour\n\\end{enumerate}\n",
        ["- Boil", "- Then: Pour"],
    ),
    "table": (
        "\\begin{tabular}{|l|r|}\n\\hline\nTea & Price \\\\ \\hline\nSencha & 12 \\\\\n\\end{tabular}\n",
        ["Tea | Price", "Sencha | 12"],
    ),
    "signs": (
        "5\\% of R\\&D, caf\\'e, \\\"{o}l, stra\\ss e, \\c{c}a, ``so''~it is\\ldots\n",
        ["5% of R&D, café, öl, straße, ça, “so” it is…"],
    ),
    "arguments that are no words": (
        "\\begin{tabular}{|p{3cm}|@{}l|}\n\\multicolumn{2}{c}{All} \\\\\nTea & \\textcolor{red}{12} \\\\\n\\end{tabular}\n\\cite[p.~2]{a,b}\n",
        ["All", "Tea | 12", "[a,b]"],
    ),
    "an address with a percent sign": ("\\url{https://a.b/c%20d} tea\n", ["https://a.b/c%20d tea"]),
    "remarks": ("A % hidden\n% hidden\nB 5\\% C\n", ["A", "B 5% C"]),
    "formulas": (
        "Let $x_1 = \\frac{a}{b}$.\n\\[ y = \\sqrt{2} \\]\n",
        ["Let $x_1 = \\frac{a}{b}$.", "\\[ y = \\sqrt{2} \\]"],
    ),
    "code": ("\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n", ["```", "\\section{no}", "```"]),
    "notes": (
        "Hot\\footnote{At $80^\\circ$.} tea.\n\\href{https://a.b}{Shop}\n",
        ["Hot (At $80^\\circ$.) tea.", "Shop"],
    ),
}


@pytest.mark.parametrize(("text", "wanted"), LATEX.values(), ids=LATEX)
def test_latex_becomes_markdown(text: str, wanted: list[str]) -> None:
    assert [line for line in read(text, ".tex").text.splitlines() if line] == wanted


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("Hot.\n\\input{more}\n", ".tex"),
        ("Hot.\n\\includegraphics[width=2cm]{more}\n", ".tex"),
        ("Hot.\n\ninclude::more[]\n", ".adoc"),
    ],
)
def test_files_that_a_text_takes_in_are_told(text: str, suffix: str) -> None:
    assert read(text, suffix).notes == ("Files and images that it takes in were not read: more.",)


MARKS = (
    "\\begin{verbatim}",
    "\\[",
    "\\(",
    "$",
    "\\section{",
    "\\section{{",
    "\\footnote{a{",
    "{",
    "\\item[",
    " %",
    "\\begin{equation}",
    "\\'",
    "\\\\ ",
)


@pytest.mark.parametrize("mark", MARKS)
def test_reading_latex_takes_time_in_proportion(mark: str) -> None:
    def run(times: int) -> None:
        read_latex(f"Text {mark * times}".encode(), name="a", suffix=".tex", limits=ReaderLimits())

    assert_in_proportion(run, 5_000)


@pytest.mark.parametrize("mark", ["a\n", "a: \n", "<v a>\n", "\n\n1 --> 2\na\n", "a\n: ", "<", "aaaa"])
def test_reading_subtitles_takes_time_in_proportion(mark: str) -> None:
    def run(times: int) -> None:
        read_subtitles(f"1 --> 2\n{mark * times}".encode(), name="a", suffix=".srt", limits=ReaderLimits())

    assert_in_proportion(run, 10_000)


def notebook(*cells: dict[str, Any]) -> bytes:
    return json.dumps({"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def code(*outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": "code", "source": "# run", "metadata": {}, "outputs": list(outputs)}


TABLE = "<style>td{}</style><table><tr><th>tea</th><th>price</th></tr><tr><td>Sencha</td><td>12</td></tr></table>"
CELLS = {
    "a heading": ('<h1 align="center">Tea</h1>\n\nBoil.', "# Tea\n\nBoil.\n"),
    "a table": (
        "<table><tr><th>Tea</th><th>Price</th></tr><tr><td>Sencha</td><td>12</td></tr></table>",
        "| Tea | Price |\n| --- | --- |\n| Sencha | 12 |\n",
    ),
    "a remark": ("A <!-- hidden -->B.", "A B.\n"),
    "code": ("```html\n<h1>Tea</h1>\n```", "```html\n<h1>Tea</h1>\n```\n"),
}


@pytest.mark.parametrize(("cell", "wanted"), CELLS.values(), ids=CELLS)
def test_html_in_cells_of_words_becomes_what_a_reader_sees(cell: str, wanted: str) -> None:
    assert read(notebook({"cell_type": "markdown", "source": cell, "metadata": {}}), ".ipynb").text == wanted


OUTPUTS = {
    "a table alone": ({"text/html": TABLE}, "| Sencha | 12 |"),
    "a table beside words": ({"text/html": [TABLE], "text/plain": "   tea price"}, "| Sencha | 12 |"),
    "HTML for what has no words": (
        {"text/html": "<b>Sencha</b>", "text/plain": "<IPython.core.display.HTML object>"},
        "**Sencha**",
    ),
    "Markdown": ({"text/markdown": "**Sencha**", "text/plain": "<IPython.core.display.Markdown object>"}, "**Sencha**"),
    "words": ({"text/plain": ["Sencha"], "text/html": "<i>x</i>"}, "```text\nSencha\n```"),
}


@pytest.mark.parametrize(("data", "wanted"), OUTPUTS.values(), ids=OUTPUTS)
def test_what_a_notebook_shows_is_read(data: dict[str, Any], wanted: str) -> None:
    found = read(notebook(code({"output_type": "execute_result", "data": data, "metadata": {}})), ".ipynb")
    assert wanted in found.text
    assert found.notes == ()
    assert "td{}" not in found.text


@pytest.mark.parametrize(
    "trace", [[], ["\x1b[0;31mTraceback\x1b[0m", "File 3", "\x1b[1mValueError\x1b[0m: no tea"], ["Traceback"]]
)
def test_an_error_of_a_notebook_is_read_without_colours(trace: list[str]) -> None:
    found = read(
        notebook(code({"output_type": "error", "ename": "ValueError", "evalue": "no tea", "traceback": trace})),
        ".ipynb",
    ).text
    assert found.count("ValueError: no tea") == 1
    assert "\x1b" not in found
    assert all(word in found for word in (["Traceback"] if trace else []))


def test_images_and_what_has_no_words_in_a_notebook_are_told() -> None:
    cells = (
        {"cell_type": "markdown", "source": "![a](attachment:a.png)", "attachments": {"a.png": {"image/png": "AAAA"}}},
        {"cell_type": "markdown", "source": "![b](data:image/png;base64,BBBB)"},
        code(
            {
                "output_type": "display_data",
                "data": {"image/png": "CCCC", "text/plain": "<Figure size 1x1>"},
                "metadata": {},
            }
        ),
        code({"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {}}, "metadata": {}}),
    )
    found = read(notebook(*cells), ".ipynb")
    assert found.notes == ("Left out: images (3).", "Left out: outputs without words (1).")
    assert not any(word in found.text for word in ("AAAA", "BBBB", "CCCC"))


def test_logs_and_settings_are_read_as_they_are(tmp_path: Path) -> None:
    for name in ("a.log", "b.yaml", "c.yml"):
        (tmp_path / name).write_text("# tea: hot\n", encoding="utf-8")
        assert FileReader().read(tmp_path / name).text == "# tea: hot\n"
    assert FileReader().find([tmp_path]) == ()
    assert len(FileReader().find([tmp_path], where=PathFilter(include=("*.log", "*.yaml")))) == 2


def test_the_page_says_what_is_lost_of_every_format() -> None:
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    losses = {one: f"- {name_of(one)}: {loss}\n" for one, loss in LOSSES.items()}
    assert [loss for loss in losses.values() if loss not in page] == []
    assert {format_of(ending) for ending in ENDINGS} - set(losses) == {format_of(".txt"), format_of(".md")}
    assert [one for one in ENDINGS if one not in page] == []
    assert not set(CONVERTED_BY) & set(ENDINGS)
