# ruff: noqa: ANN401 - a canvas of reportlab is partly without types

from __future__ import annotations

import io
import textwrap
from typing import TYPE_CHECKING, Any

import pytest
from reportlab.lib.pagesizes import A5
from reportlab.pdfgen.canvas import Canvas

from evolore.errors import UnreadableSource
from evolore.sources.files import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.ports import SourceText

STORY = textwrap.wrap(
    "The mill stood on the river bank for two hundred years before anybody thought of the flood that would come one "
    "night in the spring and carry the lower wheel away to the sea, and people of the village still speak of it today. "
    * 6,
    58,
)


def write(*pages: Sequence[str | tuple[float, float, str]], draw: Callable[[Any, int], None] | None = None) -> bytes:
    """Write pages of lines; a line with a place stands at its height, in its size of type."""
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=A5)
    for number, page in enumerate(pages, start=1):
        height = 540.0
        for line in page:
            foot, size, text = line if isinstance(line, tuple) else (height, 11, line)
            canvas.setFont("Helvetica", size)
            canvas.drawString(50, foot, text)
            height = foot - 14
        if draw is not None:
            draw(canvas, number)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def read(data: bytes) -> SourceText:
    return text_of(data, source="a.pdf", name="'a.pdf'", suffix=".pdf")


@pytest.mark.parametrize("line", ["Receipt {} paid", "Balance carried forward {}.50", "Ticket No. 00{}", "Lesson {}"])
def test_a_line_at_the_edge_that_differs_in_its_number_is_read_on_every_page(line: str) -> None:
    pages = [[line.format(1000 + 7 * page if page > 1 else 1), "Tea", "Cake", "Thank you"] for page in range(1, 5)]
    text = read(write(*pages)).text
    for page in range(2, 5):
        assert line.format(1000 + 7 * page) in text


@pytest.mark.parametrize("line", ["Lesson {}", "Ticket 00{}", "Serial SN-{}", "Order #{}"])
def test_what_counts_things_and_not_pages_is_read_although_it_counts_up(line: str) -> None:
    text = read(write(*[[(30, 8, line.format(page)), *STORY[:9]] for page in range(1, 5)])).text
    assert all(line.format(page) in text for page in range(1, 5))


@pytest.mark.parametrize("line", ["Page {} of 3", "- {} -", "{}", "Harbour News {}", "{} | Annual report"])
def test_a_number_of_a_page_does_not_part_a_sentence(line: str) -> None:
    pages = [[*STORY[9 * page : 9 * page + 9], (30, 8, line.format(page + 1))] for page in range(3)]
    text = " ".join(read(write(*pages)).text.split())
    assert " ".join(STORY[:27]) in text
    assert line.format(2) not in text.replace(" ".join(STORY[:27]), "").replace("# p. 1", "") or line == "{}"


@pytest.mark.parametrize(
    "lines",
    [
        ["Water filter", "Map of the northern fells", "Whistle", "Stove"],
        ["06:00 pump started and ran well", "07:00 pump stopped for a while", "08:00 nothing to do here now"],
        ["Name", "Ann Lee", "Room", "Blue room"],
    ],
)
def test_lines_that_are_no_running_text_stay_apart_and_on_their_page(lines: list[str]) -> None:
    text = read(write(lines, ["Second page", *lines])).text
    blocks = text.split("\n\n")
    assert [block.strip() for block in blocks[1 : len(lines) + 1]] == lines
    assert text.index("# p. 2") < text.index("Second page")


def test_a_page_with_numbers_alone_holds_no_text() -> None:
    with pytest.raises(UnreadableSource, match="its 3 pages hold no text"):
        read(write(*[[(30, 9, str(page))] for page in range(1, 4)]))


def test_two_columns_of_running_text_are_read_one_after_the_other() -> None:
    column = textwrap.wrap(" ".join(STORY), 30)

    def beside(canvas: Any, _: int) -> None:
        for place in range(10):
            canvas.drawString(50, 500 - 14 * place, column[place])
            canvas.drawString(250, 500 - 14 * place, column[place + 10])

    text = " ".join(read(write(["Columns"], draw=beside)).text.split())
    assert " ".join(column[:20]) in text


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_page_that_is_turned_is_read_as_one_sees_it(degrees: int) -> None:
    def turned(canvas: Any, _: int) -> None:
        canvas.translate(*{90: (420, 0), 180: (420, 595), 270: (0, 595)}[degrees])
        canvas.rotate(degrees)
        for place, row in enumerate((("Day", "High"), ("Monday", "4.2"), ("Tuesday", "4.4"))):
            for at, cell in enumerate(row):
                canvas.drawString(60 + 150 * at, 300 - 14 * place, cell)

    assert "| Day | High |\n| --- | --- |\n| Monday | 4.2 |" in read(write([], draw=turned)).text


def test_what_was_filled_into_a_form_stands_behind_its_label() -> None:
    def form(canvas: Any, _: int) -> None:
        canvas.acroForm.textfield(name="owner", value="Okada", x=150, y=496, width=120, height=18)
        canvas.acroForm.textfield(name="town", value="Hebden", x=150, y=300, width=120, height=18)
        canvas.acroForm.checkbox(name="news", checked=True, x=50, y=260, size=14)
        canvas.drawString(80, 262, "Send me news")

    text = read(write(["Application", (500, 11, "Name")], draw=form)).text
    assert "Name: Okada" in text
    assert "town: Hebden" in text
    assert "[x] Send me news" in text


def test_what_nobody_sees_is_left_out_and_told() -> None:
    def hide(canvas: Any, _: int) -> None:
        canvas.setFillColorRGB(0, 0, 0.5)
        canvas.rect(40, 380, 200, 24, fill=1)
        canvas.setFillColorRGB(1, 1, 1)
        canvas.drawString(50, 388, "White on blue is seen")
        canvas.drawString(50, 300, "white on white is not")
        canvas.drawString(50, 200, "x", mode=3)

    found = read(write(["Notice"], draw=hide))
    assert "White on blue is seen" in found.text
    assert "white on white" not in found.text
    assert found.notes == ("Invisible lines (hidden, tiny, or of the colour behind them) were left out: 2.",)


def test_a_watermark_is_no_heading_and_is_told() -> None:
    def stamp(canvas: Any, _: int) -> None:
        canvas.setFont("Helvetica", 60)
        canvas.translate(100, 200)
        canvas.rotate(45)
        canvas.drawString(0, 0, "DRAFT")

    found = read(write(["Rent", "It is due."], ["Repairs", "They are ours."], draw=stamp))
    assert "DRAFT" not in found.text
    assert found.notes == ("A watermark was left out: DRAFT.",)


def test_addresses_behind_words_are_told() -> None:
    def link(canvas: Any, _: int) -> None:
        canvas.linkURL("https://example.org/rules", (50, 500, 120, 520))

    found = read(write(["Rules"], draw=link))
    assert found.notes == ("Addresses of links were left out: https://example.org/rules.",)


@pytest.mark.parametrize("sign", ["\u00ad", "-"])
def test_a_word_that_a_lines_end_parted_is_whole(sign: str) -> None:
    lines = [
        *STORY[:3],
        f"and the new rules ask for a register of all the sol{sign}",
        "vents, and for a person to keep it well.",
    ]
    assert "all the solvents, and for" in read(write(lines)).text


@pytest.mark.parametrize("named", ["Boiling", "1 Boiling", "1. Boiling"])
def test_bookmarks_name_the_headings_and_a_larger_line_above_them_is_the_title(named: str) -> None:
    def bookmark(canvas: Any, number: int) -> None:
        canvas.bookmarkPage(f"p{number}")
        if number == 1:
            canvas.addOutlineEntry("Boiling", "p1", level=0)

    page = [
        (500.0, 18, "On tea"),
        (460.0, 11, named),
        *((440.0 - 14 * row, 11, one) for row, one in enumerate(STORY[:4])),
    ]
    text = read(write(page, draw=bookmark)).text
    assert text.startswith(f"# On tea (p. 1)\n\n## {named} (p. 1)\n\n{STORY[0]}")
