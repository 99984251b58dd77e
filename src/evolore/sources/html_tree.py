"""Parse HTML as people wrote it into a tree of nothing but its content."""

from __future__ import annotations

import copy
import re
from collections import deque
from typing import Final, NamedTuple

from bs4 import BeautifulSoup
from bs4.element import Comment, Declaration, Doctype, ProcessingInstruction, Tag

_INVISIBLE: Final = (
    *("script", "style", "template", "noscript", "title", "meta", "link", "base"),
    *("svg", "iframe", "canvas", "rp"),
)
_REMARKS: Final = (Comment, Declaration, Doctype, ProcessingInstruction)
_MAIN: Final = ("main", "article")
_AROUND_MAIN: Final = ("nav", "aside", "footer")
# Blocks that markdownify takes for inline text and would join with their neighbours.
_PLAIN_BLOCKS: Final = (
    *("main", "header", "footer", "nav", "aside", "address", "details", "summary", "figure", "form", "fieldset"),
    *("legend", "hgroup", "dialog", "center", "search"),
)
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_XML_DECLARATION: Final = re.compile(r"\A\s*<\?xml[^>]*>")
_SPACES: Final = re.compile(r"\s+")
_DEEPEST: Final = 100  # the converter calls itself three times a level; Python stops at 1,000


_CELLS: Final = frozenset({"td", "th"})
_COLUMN: Final = 8  # what a column adds at most: to its row, and to the rule below the first one
_WIDEST, _DIGITS_READ = 1000, 5  # as browsers have it; more digits than that are more
_SPANS_LEFT_OUT: Final = (
    "Cells of tables that span rows or columns stand only once from some place on: repeated, they would make the text "
    "more than twice as long as the page."
)


class Page(NamedTuple):
    """An HTML page: its content alone, the title its head states, else '', and what was left out of it, in sentences."""

    content: Tag
    title: str
    notes: tuple[str, ...] = ()


def parse_page(html: str) -> Page:
    """Parse a page and drop what is not its content.

    Scripts, styles, templates, comments and vector images go. Where the page marks its main part, so do navigation
    everywhere and asides and footers outside that part. Elements nested more than 100 deep keep their text only.

    Raises:
        bs4.exceptions.ParserRejectedMarkup: It is broken beyond what a browser would show.
    """
    html = _XML_DECLARATION.sub("", html, count=1)
    # Without a single tag the parser takes a short text for a file name and warns. The parser is lxml's: Python's own takes
    # the square of the time on tags and remarks that are not closed, and knows nothing of end tags that may be left out.
    soup = BeautifulSoup(html if "<" in html else f"{html}<br>", "lxml")
    for image in soup.find_all("svg"):
        image.decompose()
    title = soup.find("title")
    stated = _SPACES.sub(" ", title.get_text()).strip() if title else ""
    _drop_invisible(soup)
    _flatten(soup)
    _drop_surroundings(soup)
    _write_out_ruby(soup)
    _join_row_groups(soup)
    notes = _write_out_spans(soup, _Allowance(len(html)))
    for block in soup.find_all(_PLAIN_BLOCKS):
        block.name = "div"
    return Page(soup, stated, notes)


def _drop_invisible(soup: Tag) -> None:
    for tag in soup.find_all(_INVISIBLE):
        tag.decompose()
    for remark in soup.find_all(string=True):
        if isinstance(remark, _REMARKS):
            remark.extract()


def _drop_surroundings(soup: Tag) -> None:
    if not any(_is_main(tag) for tag in soup.find_all(_MAIN)):
        return
    for tag in soup.find_all(_AROUND_MAIN):
        if not tag.decomposed and (tag.name == "nav" or tag.find_parent(_MAIN) is None):
            tag.decompose()


def _is_main(tag: Tag) -> bool:
    """Tell whether this marks the page's main part: it has text, and is no teaser in an aside."""
    return tag.find_parent(_AROUND_MAIN) is None and bool(tag.get_text().strip())


def _flatten(soup: Tag) -> None:
    waiting: list[tuple[Tag, int]] = [(soup, 0)]
    while waiting:
        tag, depth = waiting.pop()
        if depth >= _DEEPEST:
            tag.string = tag.get_text("\n")
        else:
            waiting.extend((child, depth + 1) for child in tag.children if isinstance(child, Tag))


def _write_out_ruby(soup: Tag) -> None:
    for reading in soup.find_all("rt"):
        reading.string = f"（{reading.get_text().strip()}）"


def _join_row_groups(soup: Tag) -> None:
    """Leave a table one head row and one body: Markdown has no more, and the converter looks at all rows for each."""
    for head in soup.find_all("thead"):
        for row in reversed(head.find_all("tr", recursive=False)[1:]):
            head.insert_after(row)
    tables: set[int] = set()
    for body in soup.find_all(("tbody", "tfoot")):
        table = id(body.parent)
        if table in tables:
            body.unwrap()
        tables.add(table)


class _Allowance:
    """How many characters spans may add to a page: as many as it has, so that a short page cannot make a long text."""

    def __init__(self, characters: int) -> None:
        self._left = characters
        self.is_used_up = False

    def take(self, characters: int) -> bool:
        self.is_used_up = self.is_used_up or characters > self._left
        if not self.is_used_up:
            self._left -= characters
        return not self.is_used_up


def _write_out_spans(soup: Tag, allowance: _Allowance) -> tuple[str, ...]:
    """Write cells that span rows into each of them, and leave columns to the converter, as far as the allowance goes."""
    for cell in soup.find_all(_CELLS, colspan=True):
        columns = _count(cell, "colspan")
        if columns > 1 and allowance.take(_COLUMN * columns):
            cell["colspan"] = str(columns)
        else:
            del cell["colspan"]
    for table in soup.find_all("table"):
        _repeat_spanning_cells(table, allowance)
    return (_SPANS_LEFT_OUT,) if allowance.is_used_up else ()


def _repeat_spanning_cells(table: Tag, allowance: _Allowance) -> None:
    """Write a cell that spans rows into each of them: Markdown has no such cells, and a row must tell what it is about."""
    if table.find(_CELLS, rowspan=True) is None:
        return
    spanning: dict[int, tuple[Tag, int]] = {}
    for row in table.find_all("tr"):
        if row.find_parent("table") is table:
            _fill_row(row, spanning, allowance)


def _fill_row(row: Tag, spanning: dict[int, tuple[Tag, int]], allowance: _Allowance) -> None:
    """Fill one row; ``spanning`` holds, by column, the cell from above and how many rows it still covers."""
    waiting = deque(row.find_all(_CELLS, recursive=False))
    column = 0
    while waiting or column in spanning:
        if column in spanning:
            cell, rows_left = spanning.pop(column)
            if not allowance.take(_length(cell)):
                spanning.clear()
                return
            (waiting[0].insert_before if waiting else row.append)(copy.copy(cell))
        else:
            cell = waiting.popleft()
            rows_left = _count(cell, "rowspan")
        if rows_left > 1:
            spanning[column] = (cell, rows_left - 1)
        column += _count(cell, "colspan")


def _length(cell: Tag) -> int:
    """Count what a cell becomes at most when it is written once more."""
    return len(cell.decode()) + _COLUMN * sum(_count(one, "colspan") for one in (cell, *cell.find_all(_CELLS)))


def _count(cell: Tag, attribute: str) -> int:
    stated = str(cell.get(attribute) or "").lstrip("0")
    return min(int(stated[:_DIGITS_READ]), _WIDEST) if stated.isdecimal() else 1
