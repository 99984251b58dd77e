"""Convert HTML to Markdown, so that everything after knows one structure."""

# ruff: noqa: ARG002, N802 - markdownify names the converters and calls each with the same three arguments

from __future__ import annotations

import copy
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import takewhile
from types import MappingProxyType
from typing import Final

from bs4 import BeautifulSoup
from bs4.element import Comment, Declaration, Doctype, NavigableString, ProcessingInstruction, Tag
from markdownify import ATX, MarkdownConverter

from evolore.errors import UnreadableSource
from evolore.sources.formats import Converted
from evolore.sources.readers.markdown import fenced

_EAST_ASIAN: Final = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_BREAK_WITHIN_EAST_ASIAN: Final = re.compile(
    rf"(?<={_EAST_ASIAN})[ \t]*\r?\n\s*(?={_EAST_ASIAN})|(?<=[、。，！？；：」』）】])[ \t]*\r?\n\s*"
)
_BLOCK_MARK: Final = re.compile(r"\A(\s*)(?=#{1,6}(?:\s|\Z)|<|>|```|~~~|\||={2,}\s*\Z|-{2,}\s*\Z)")
_OUTSIDE_LINK: Final = re.compile(r"(?:https?|mailto|tel|ftp):", re.IGNORECASE)
_ITEM_NUMBER: Final = re.compile(r"\d{1,9}[.)]")
_PERMALINK_SIGNS: Final = frozenset({"↑", "¶", "#", "§", "🔗", "\uf0c1"})
_LANGUAGE_CLASS: Final = re.compile(r"(?:language|lang(?!uage)|highlight-source|brush:?)-?([\w+#.-]+)\Z")
_MOST_DIGITS: Final = 9
"""Markdown reads no more as the number of an item."""

_MOST_GROWTH, _MOST_BESIDES = 10, 10_000
"""A text is at most so many times as long as its page, and so much longer: indents of nested lists add up."""

_NO_SECTIONS: Final[Mapping[str, tuple[int, str]]] = MappingProxyType({})
_LINE: Final = re.compile(r"^(?=.)", re.MULTILINE)


def to_markdown(html: str, *, name: str, sections: Mapping[str, tuple[int, str]] = _NO_SECTIONS) -> Converted:
    r"""Convert a page to Markdown, '' where it shows no text; the same page always becomes the same text.

    Args:
        html: The page.
        name: What messages call it, ready to print.
        sections: Level and heading of the sections that begin at elements, by their ids, '' for the page.

    Raises:
        UnreadableSource: It is broken beyond parsing, or would become a text many times as long.

    >>> to_markdown("<title>Tea</title><h1>Tea</h1><p>Boil <b>water</b>.", name="tea.html")
    Converted(text='# Tea\n\nBoil **water**.\n', title='Tea', notes=(), encoding='utf-8', date='')
    """
    try:
        content, page = _parse(html, sections)
        markdown = _Markdown().convert_soup(content).strip()
    except Exception as error:  # the edge to two libraries that read what anybody wrote: one page must not end a folder
        raise UnreadableSource(
            f"{name} is not HTML that can be parsed ({type(error).__name__}: {str(error)[:200]}): correct it or save it as text."
        ) from error
    if len(markdown) > _MOST_GROWTH * len(html) + _MOST_BESIDES:
        raise UnreadableSource(
            f"{name} has {len(html):,} characters and would become a text of {len(markdown):,}: its lists are nested too "
            "deep. Save it as text, or leave it out."
        )
    return replace(page, text=f"{markdown}\n" if markdown else "")


class _Markdown(MarkdownConverter):
    """Writes ATX headings, ``-`` lists, pipe tables and fenced code; escapes only what would begin a block."""

    def __init__(self) -> None:
        super().__init__(
            bullets="-",
            escape_asterisks=False,  # a backslash inside a word keeps the word from being found
            escape_underscores=False,
            heading_style=ATX,
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
        lines = text.strip()
        first = next((one for one in el.children if isinstance(one, Tag) or str(one).strip()), None)
        if isinstance(first, Tag) and first.name in {"ul", "ol"}:  # a deeper item without one above it
            return f"{lines}\n"
        mark = self._mark_of_item(el)
        indent = 2 if mark.startswith("- ") else len(mark)
        return mark + _LINE.sub(" " * indent, lines)[indent:] + "\n" if lines else "\n"

    def _mark_of_item(self, el: Tag) -> str:
        """Number items by counting; the library looks back over all siblings, a square of their number."""
        if stated := str(el.get("data-mark") or ""):
            return f"{stated} " if _ITEM_NUMBER.fullmatch(stated) else f"- {stated} "
        parent = el.parent
        if parent is None or parent.name != "ol":
            return "- "
        start = str(parent.get("start") or "")
        is_number = start.isdecimal() and len(start) <= _MOST_DIGITS
        number = self._numbers.get(id(parent), int(start) if is_number else 1)
        self._numbers[id(parent)] = number + 1
        return f"{number}. "

    def convert_pre(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"\n\n{fenced(text, _language_of_code(el))}\n\n"

    def convert_tr(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return f"|{text}\n" + (f"{'| --- ' * int(str(el[_COLUMNS]))}|\n" if el.has_attr(_COLUMNS) else "")

    def convert_td(self, el: Tag, text: str, parent_tags: set[str]) -> str:
        return super().convert_td(el, text.replace("|", "\\|"), parent_tags)

    convert_th = convert_td


def _language_of_code(pre: Tag) -> str:
    tags = (pre, *pre.find_all("code", limit=1), pre.parent or pre)
    found = (_LANGUAGE_CLASS.match(str(name or "")) for tag in tags for name in tag.get_attribute_list("class"))
    return next((match[1] for match in found if match), "")


_INVISIBLE: Final = (
    *("script", "style", "template", "noscript", "noframes", "title", "meta", "link", "base"),
    *("svg", "iframe", "canvas", "audio", "video", "object", "datalist", "rp"),
)
_HIDDEN: Final = re.compile(r"(?<![\w-])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))", re.IGNORECASE)
_WHOLE: Final = frozenset({"html", "body", *("main", "article")})  # hidden only until a script has run
_HIDDEN_LEFT_OUT: Final = "Hidden parts of the page were left out: {count:,}."
_BOXES: Final = ("a", "button", "option", "label", "input", "select", "textarea")
"""Inline elements that are separate on the screen."""

_CODE: Final = ("pre", "code")
_TIMES: Final = ("article:modified_time", "article:published_time")
_REMARKS: Final = (Comment, Declaration, Doctype, ProcessingInstruction)
_MAIN: Final = ("main", "article")
_AROUND_MAIN: Final = ("nav", "aside", "footer")
# Blocks that markdownify takes for inline text and would join with their neighbours.
_PLAIN_BLOCKS: Final = (
    *("main", "header", "footer", "nav", "aside", "address", "details", "summary", "figure", "form", "fieldset"),
    *("legend", "hgroup", "dialog", "center", "search"),
)
_ANCHORED: Final = ("p", "div", "section", "article", "blockquote", "ul", "ol", "table", "figure", "hr")
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_XML_DECLARATION: Final = re.compile(r"\A\s*<\?xml[^>]*>")
_SPACES: Final = re.compile(r"\s+")
_DEEPEST: Final = 100  # the converter calls itself three times a level; Python stops at 1,000


_CELLS: Final = frozenset({"td", "th"})
_MOST_HEADS: Final = 4
_BREAKS: Final = ("br", "p", "div", "li")
_COLUMNS: Final = "data-columns"
"""Where the first row of a table carries how wide the rule below it is."""
_COLUMN: Final = 8  # what a column adds at most: to its row, and to the rule below the first one
_WIDEST, _DIGITS_READ = 1000, 5  # as browsers have it; more digits than that are more
_SPANS_LEFT_OUT: Final = (
    "Cells of tables that span rows or columns are written only once from some place on: repeated, they would make the text "
    "more than twice as long as the page."
)


def _parse(html: str, sections: Mapping[str, tuple[int, str]]) -> tuple[Tag, Converted]:
    """Parse a page, drop what is not its content, and return with that what its head states and what was left out.

    Scripts, styles, templates, comments, vector images and what is hidden go. Where the page marks its main part, so do navigation
    everywhere and asides and footers outside that part. Elements nested more than 100 deep keep their text only.
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
    _head_sections(soup, sections)
    notes = _drop_invisible(soup)
    _flatten(soup)
    _drop_surroundings(soup)
    _write_out_ruby(soup)
    _part_boxes(soup)
    notes += _write_out_tables(soup, _Allowance(len(html)))
    for block in soup.find_all(_PLAIN_BLOCKS):
        block.name = "div"
    return soup, Converted(text="", title=stated, notes=notes, date=date)


def _head_sections(soup: Tag, sections: Mapping[str, tuple[int, str]]) -> None:
    """Write the headings of a table of contents where it says, '' the beginning, unless the same words head it already."""
    for tag in soup.find_all(id=True) if sections else ():
        if stated := sections.get(str(tag["id"])):
            near = (tag, tag.find_parent(_HEADINGS), tag.find_next(_HEADINGS), tag.find_previous(_HEADINGS))
            block = tag if tag.name in _ANCHORED else tag.find_parent(_ANCHORED) or tag
            _head(block.insert_before, stated, [one for one in near if isinstance(one, Tag) and one.name in _HEADINGS])
    body = soup.find("body")
    if (
        isinstance(body, Tag)
        and "" in sections
        and (body.get_text().strip() or body.find("img", alt=re.compile(r"\S")))
    ):
        _head(partial(body.insert, 0), sections[""], body.find_all(_HEADINGS))


def _head(insert: Callable[[Tag], object], stated: tuple[int, str], headings: Iterable[Tag]) -> None:
    level, text = stated
    if not any(_has_words(one, text) for one in headings):
        insert(_made(_HEADINGS[min(level, len(_HEADINGS)) - 1], text))


def _has_words(heading: Tag, text: str) -> bool:
    own, other = ("".join(filter(str.isalnum, one)).casefold() for one in (heading.get_text(), text))
    return bool(own) and (own in other or other in own)


def _drop_invisible(soup: Tag) -> tuple[str, ...]:
    for tag in soup.find_all(_INVISIBLE):
        tag.decompose()
    for remark in soup.find_all(string=True):
        if isinstance(remark, _REMARKS):
            remark.extract()
    hidden = [tag for tag in soup.find_all(_is_hidden) if tag.name not in _WHOLE]
    count = sum(tag.find_parent(_is_hidden) is None and bool(tag.get_text().strip()) for tag in hidden)
    for tag in hidden:
        tag.decompose()
    return (_HIDDEN_LEFT_OUT.format(count=count),) if count else ()


def _is_hidden(tag: Tag) -> bool:
    stated = str(tag.get("hidden", "until-found")).lower()
    if "note" in str(tag.get("epub:type") or tag.get("role") or ""):  # shown where it is referred to
        return False
    is_closed = tag.name == "dialog" and not tag.has_attr("open")
    return stated != "until-found" or is_closed or _HIDDEN.search(str(tag.get("style") or "")) is not None


def _part_boxes(soup: Tag) -> None:
    """Part links and fields that follow each other without a blank, as menus have them, but not within code."""
    for tag in soup.find_all(_BOXES):
        following, is_empty = tag.next_sibling, tag.name == "a" and not tag.get_text()
        if isinstance(following, Tag) and following.name in _BOXES and not is_empty and not tag.find_parent(_CODE):
            tag.append(" ")


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


def _write_out_tables(soup: Tag, allowance: _Allowance) -> tuple[str, ...]:
    """Leave tables what Markdown knows: one row of heads, and no cell that spans rows, as far as the allowance goes."""
    for cell in soup.find_all(_CELLS, colspan=True):
        columns = _count(cell, "colspan")
        if columns > 1 and allowance.take(_COLUMN * columns):
            cell["colspan"] = str(columns)
        else:
            del cell["colspan"]
    for table in soup.find_all("table"):
        if foot := table.find("tfoot", recursive=False):
            table.append(foot)
        rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
        _repeat_spanning_cells(table, rows, allowance)
        if rows and table.find_parent("table") is None:
            _join_heads(table, rows, allowance)
            cells = rows[0].find_all(_CELLS, recursive=False)
            rows[0][_COLUMNS] = str(sum(_count(cell, "colspan") for cell in cells))
    return (_SPANS_LEFT_OUT,) if allowance.is_used_up else ()


def _join_heads(table: Tag, rows: list[Tag], allowance: _Allowance) -> None:
    """Join several rows of heads into one; what is above all columns becomes a caption."""
    heads = [row for row in rows if row.parent is not None and row.parent.name == "thead"]
    heads = heads or list(takewhile(lambda row: row.find("td", recursive=False) is None, rows))
    if not 1 < len(heads) <= min(_MOST_HEADS, len(rows) - 1):
        return
    names: list[dict[str, None]] = []
    for row in heads:
        cells = [cell for cell in row.find_all(_CELLS, recursive=False) for _ in range(_count(cell, "colspan"))]
        texts = [_SPACES.sub(" ", cell.get_text(" " if cell.find(_BREAKS) else "")).strip() for cell in cells]
        names += [{} for _ in range(len(texts) - len(names))]
        for name, text in zip(names, texts, strict=False):
            name[text] = None
    if not allowance.take(sum(len(text) for name in names for text in name)):
        return
    shared = [text for text in names[0] if len(names) > 1 and all(text in name for name in names)] if names else []
    for text in reversed(shared):
        table.insert(0, _made("caption", text))
    for row in heads[1:]:
        row.decompose()
    heads[0].clear()
    heads[0].extend(_made("th", " ".join(text for text in name if text not in shared)) for name in names)


def _made(name: str, text: str) -> Tag:
    tag = Tag(name=name)
    tag.string = text
    return tag


def _repeat_spanning_cells(table: Tag, rows: list[Tag], allowance: _Allowance) -> None:
    """Write a cell that spans rows into each of them: Markdown has no such cells, and a row must name its subject."""
    if table.find(_CELLS, rowspan=True) is None:
        return
    spanning: dict[int, tuple[Tag, int]] = {}
    for row in rows:
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
