"""Convert HTML to Markdown, so that everything after knows one structure."""

# ruff: noqa: ARG002, N802 - markdownify names the converters and calls each with the same three arguments

from __future__ import annotations

import copy
import re
from collections import deque
from typing import Final, NamedTuple

from bs4 import BeautifulSoup
from bs4.element import Comment, Declaration, Doctype, NavigableString, ProcessingInstruction, Tag
from markdownify import ATX, MarkdownConverter

from evolore.errors import UnreadableSource
from evolore.sources.formats import Converted

_EAST_ASIAN: Final = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_BREAK_WITHIN_EAST_ASIAN: Final = re.compile(
    rf"(?<={_EAST_ASIAN})[ \t]*\r?\n\s*(?={_EAST_ASIAN})|(?<=[、。，！？；：」』）】])[ \t]*\r?\n\s*"
)
_BLOCK_MARK: Final = re.compile(r"\A(\s*)(?=#{1,6}(?:\s|\Z)|<|>|```|~~~|\||={2,}\s*\Z|-{2,}\s*\Z)")
_OUTSIDE_LINK: Final = re.compile(r"(?:https?|mailto|tel|ftp):", re.IGNORECASE)
_PERMALINK_SIGNS: Final = frozenset({"¶", "#", "§", "🔗", "\uf0c1"})
_LANGUAGE_CLASS: Final = re.compile(r"(?:language|lang|highlight-source|brush:?)-?([\w+#.-]+)\Z")
_MOST_DIGITS: Final = 9
"""Markdown reads no more as the number of an item."""

_MOST_GROWTH, _MOST_BESIDES = 10, 10_000
"""A text is at most so many times as long as its page, and so much longer: indents of nested lists add up."""

_LINE: Final = re.compile(r"^(?=.)", re.MULTILINE)
_FENCES: Final = re.compile(r"`{3,}")


def to_markdown(html: str, *, name: str) -> Converted:
    r"""Convert a page to Markdown; the same page gives the same text.

    Args:
        html: The page.
        name: What messages call it, ready to print.

    Raises:
        UnreadableSource: It is broken beyond parsing, shows no text, or would become a text many times as long.

    >>> to_markdown("<title>Tea</title><h1>Tea</h1><p>Boil <b>water</b>.", name="tea.html")
    Converted(text='# Tea\n\nBoil **water**.\n', title='Tea', notes=(), encoding='utf-8', date='')
    """
    try:
        page = parse_page(html)
        markdown = _Markdown().convert_soup(page.content).strip()
    except Exception as error:  # the edge to two libraries that read what anybody wrote: one page must not end a folder
        raise UnreadableSource(
            f"{name} is not HTML that can be parsed ({type(error).__name__}: {str(error)[:200]}): correct it or save it as text."
        ) from error
    if len(markdown) > _MOST_GROWTH * len(html) + _MOST_BESIDES:
        raise UnreadableSource(
            f"{name} has {len(html):,} characters and would become a text of {len(markdown):,}: its lists are nested too "
            "deep. Save it as text, or leave it out."
        )
    if not markdown:
        raise UnreadableSource(
            f"{name} shows no text without running its scripts: save the page as a browser shows it, or leave it out."
        )
    return Converted(text=f"{markdown}\n", title=page.title, notes=page.notes, date=page.date)


class _Markdown(MarkdownConverter):
    """Writes ATX headings, ``-`` lists, pipe tables and fenced code; escapes only what would begin a block."""

    def __init__(self) -> None:
        super().__init__(
            bullets="-",
            escape_asterisks=False,  # a backslash inside a word keeps the word from being found
            escape_underscores=False,
            heading_style=ATX,
            table_infer_header=True,
            wrap=True,  # with no width: line breaks of the source become spaces
            wrap_width=None,
        )
        self._numbers: dict[int, int] = {}

    def process_text(self, el: NavigableString, parent_tags: set[str] | None = None) -> str:
        if "pre" not in (parent_tags or ()):
            joined = _BREAK_WITHIN_EAST_ASIAN.sub("", el)
            if joined != el:
                replacement = type(el)(joined)
                el.replace_with(replacement)
                el = replacement
        return super().process_text(el, parent_tags)

    def escape(self, text: str, parent_tags: set[str]) -> str:
        return _BLOCK_MARK.sub(r"\1\\", text)

    def convert_a(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        href = str(el.get("href") or "")
        if _OUTSIDE_LINK.match(href):
            return super().convert_a(el, text, parent_tags)
        return "" if href.startswith("#") and text.strip() in _PERMALINK_SIGNS else text

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: set[str]) -> str:
        return super().convert_hN(n, el, text, parent_tags) if text.strip() else ""

    def convert_img(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return str(el.get("alt") or "")

    def convert_li(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        mark = self._mark_of_item(el)
        lines = text.strip()
        return mark + _LINE.sub(" " * len(mark), lines)[len(mark) :] + "\n" if lines else "\n"

    def _mark_of_item(self, el: Tag) -> str:
        """Number items by counting; the library looks back over all siblings, a square of their number."""
        parent = el.parent
        if parent is None or parent.name != "ol":
            return "- "
        start = str(parent.get("start") or "")
        is_number = start.isdecimal() and len(start) <= _MOST_DIGITS
        number = self._numbers.get(id(parent), int(start) if is_number else 1)
        self._numbers[id(parent)] = number + 1
        return f"{number}. "

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        code = text.strip("\r\n").rstrip()
        if not code:
            return ""
        longest = max((len(fence) for fence in _FENCES.findall(code)), default=2)
        fence = "`" * (longest + 1)
        return f"\n\n{fence}{_language_of_code(el)}\n{code}\n{fence}\n\n"

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return super().convert_td(el, text.replace("|", "\\|"), parent_tags)

    def convert_th(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return super().convert_th(el, text.replace("|", "\\|"), parent_tags)


def _language_of_code(pre: Tag) -> str:
    candidates = [pre, *pre.find_all("code", limit=1), *([pre.parent] if pre.parent else [])]
    for tag in candidates:
        for name in tag.get_attribute_list("class"):
            match = _LANGUAGE_CLASS.match(str(name or ""))
            if match:
                return match[1]
    return ""


_INVISIBLE: Final = (
    *("script", "style", "template", "noscript", "title", "meta", "link", "base"),
    *("svg", "iframe", "canvas", "rp"),
)
_TIMES: Final = ("article:modified_time", "article:published_time")
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


class HtmlPage(NamedTuple):
    """An HTML page: its content alone, what its head states as title and date, else '', and what was left out, in sentences."""

    content: Tag
    title: str
    notes: tuple[str, ...] = ()
    date: str = ""


def parse_page(html: str) -> HtmlPage:
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
    times = (soup.find("meta", property=name, content=True) for name in _TIMES)
    date = next((str(one["content"]).strip() for one in times if one), "")
    _drop_invisible(soup)
    _flatten(soup)
    _drop_surroundings(soup)
    _write_out_ruby(soup)
    _join_row_groups(soup)
    notes = _write_out_spans(soup, _Allowance(len(html)))
    for block in soup.find_all(_PLAIN_BLOCKS):
        block.name = "div"
    return HtmlPage(soup, stated, notes, date)


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
    """Return whether this marks the page's main part: it has text, and is no teaser in an aside."""
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
