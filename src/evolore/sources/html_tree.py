"""Parse HTML as people wrote it into a tree of nothing but its content."""

from __future__ import annotations

import copy
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from bs4 import BeautifulSoup
from bs4.element import Comment, Declaration, Doctype, ProcessingInstruction, Tag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bs4.element import NamespacedAttribute

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


class _Implied(NamedTuple):
    """Which open elements a start tag ends, and which ones shelter what lies around them."""

    ends: frozenset[str]
    shelters: frozenset[str]


_CELLS: Final = frozenset({"td", "th"})
_ROWS: Final = _CELLS | {"tr"}
_ENDS_PARAGRAPH: Final = _Implied(frozenset({"p"}), _CELLS | {"button", "caption", "object", "table"})
_IMPLIED_ENDS: Final = {
    **dict.fromkeys(
        (
            "p",
            "div",
            "ul",
            "ol",
            "dl",
            "pre",
            "table",
            "blockquote",
            "hr",
            "section",
            *_MAIN,
            *_HEADINGS,
            *_PLAIN_BLOCKS,
        ),
        _ENDS_PARAGRAPH,
    ),
    "li": _Implied(frozenset({"li"}), frozenset({"ul", "ol", "table"})),
    **dict.fromkeys(("dt", "dd"), _Implied(frozenset({"dt", "dd"}), frozenset({"dl", "table"}))),
    **dict.fromkeys(_CELLS, _Implied(_CELLS, frozenset({"tr", "table"}))),
    "tr": _Implied(_ROWS, frozenset({"table"})),
    **dict.fromkeys(("thead", "tbody", "tfoot"), _Implied(_ROWS | {"thead", "tbody", "tfoot"}, frozenset({"table"}))),
    "body": _Implied(frozenset({"head"}), frozenset()),
}


class _TidySoup(BeautifulSoup):
    """Ends elements whose end tag HTML lets authors omit; ``html.parser`` would nest each in the one before."""

    def handle_starttag(
        self,
        name: str,
        namespace: str | None,
        nsprefix: str | None,
        attrs: Mapping[str | NamespacedAttribute, str],
        sourceline: int | None = None,
        sourcepos: int | None = None,
        namespaces: dict[str, str] | None = None,
    ) -> Tag | None:
        implied = _IMPLIED_ENDS.get(name)
        if implied is not None and any(self.open_tag_counter.get(ended) for ended in implied.ends):
            self._end_implied(implied)
        return super().handle_starttag(name, namespace, nsprefix, attrs, sourceline, sourcepos, namespaces)

    def _end_implied(self, implied: _Implied) -> None:
        outermost: str | None = None
        for tag in reversed(self.tagStack):
            if tag.name in implied.shelters:
                break
            if tag.name in implied.ends:
                outermost = tag.name
        if outermost is not None:
            self.handle_endtag(outermost)


class Page(NamedTuple):
    """An HTML page: its content alone, and the title its head states, else ''."""

    content: Tag
    title: str


def parse_page(html: str) -> Page:
    """Parse a page and drop what is not its content.

    Scripts, styles, templates, comments and vector images go. Where the page marks its main part, so do navigation
    everywhere and asides and footers outside that part. Elements nested more than 100 deep keep their text only.

    Raises:
        bs4.exceptions.ParserRejectedMarkup: It is broken beyond what a browser would show.
    """
    html = _XML_DECLARATION.sub("", html, count=1)
    # Without a single tag the parser takes a short text for a file name and warns.
    soup = _TidySoup(html if "<" in html else f"{html}<br>", "html.parser")
    for image in soup.find_all("svg"):
        image.decompose()
    title = soup.find("title")
    stated = _SPACES.sub(" ", title.get_text()).strip() if title else ""
    _drop_invisible(soup)
    _drop_surroundings(soup)
    _flatten(soup)
    _write_out_ruby(soup)
    for table in soup.find_all("table"):
        _repeat_spanning_cells(table)
    for block in soup.find_all(_PLAIN_BLOCKS):
        block.name = "div"
    return Page(soup, stated)


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


def _repeat_spanning_cells(table: Tag) -> None:
    """Write a cell that spans rows into each of them: Markdown has no such cells, and a row must tell what it is about."""
    if table.find(_CELLS, rowspan=True) is None:
        return
    spanning: dict[int, tuple[Tag, int]] = {}
    for row in table.find_all("tr"):
        if row.find_parent("table") is table:
            _fill_row(row, spanning)


def _fill_row(row: Tag, spanning: dict[int, tuple[Tag, int]]) -> None:
    """Fill one row; ``spanning`` holds, by column, the cell from above and how many rows it still covers."""
    waiting = row.find_all(_CELLS, recursive=False)
    column = 0
    while waiting or column in spanning:
        if column in spanning:
            cell, rows_left = spanning.pop(column)
            (waiting[0].insert_before if waiting else row.append)(copy.copy(cell))
        else:
            cell = waiting.pop(0)
            rows_left = _count(cell, "rowspan")
        if rows_left > 1:
            spanning[column] = (cell, rows_left - 1)
        column += _count(cell, "colspan")


def _count(cell: Tag, attribute: str) -> int:
    stated = str(cell.get(attribute) or "")
    return min(int(stated), 1000) if stated.isdecimal() and int(stated) else 1
