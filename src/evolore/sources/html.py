"""Convert HTML to Markdown, so that everything after knows one structure."""

# ruff: noqa: ARG002, N802 - markdownify names the converters and calls each with the same three arguments

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from markdownify import ATX, MarkdownConverter

from evolore.errors import UnreadableSource
from evolore.sources.html_tree import parse_page

if TYPE_CHECKING:
    from bs4.element import NavigableString, Tag

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


class Converted(NamedTuple):
    """A page as Markdown.

    Args:
        text: Its content, ended by a newline.
        title: What its head states, '' where it states none.
        notes: What was left out, in sentences.
    """

    text: str
    title: str
    notes: tuple[str, ...] = ()


def to_markdown(html: str, *, name: str) -> Converted:
    r"""Convert a page to Markdown; the same page gives the same text.

    Args:
        html: The page.
        name: What messages call it, ready to print.

    Raises:
        UnreadableSource: It is broken beyond parsing, shows no text, or would become a text many times as long.

    >>> to_markdown("<title>Tea</title><h1>Tea</h1><p>Boil <b>water</b>.", name="tea.html")
    Converted(text='# Tea\n\nBoil **water**.\n', title='Tea', notes=())
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
    return Converted(f"{markdown}\n", page.title, page.notes)


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
