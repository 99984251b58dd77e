"""Sections: a document as the stretches its headings open, each with its own text alone; joined, they are the document."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.front_matter import front_matter_plugin

from evolore.domain.document import MediaType, Span
from evolore.domain.outline import OutlineCode

# The parser's own idea of a line: it numbers lines by it.
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_MARKDOWN: Final = MarkdownIt("commonmark").enable("table")
_INLINE: Final = MarkdownIt("commonmark")
_WITH_FRONT_MATTER: Final = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)

DIGEST_CHARACTERS = 16
_LONGEST_TITLE = 200
"""Titles are repeated above every passage: without a limit, one endless line would cost its length for each of its passages. Of
12,830 headings in the Markdown files of Python packages two are longer."""
_BLANK_LINES = re.compile(r"(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*(?:(?:\r\n|\r(?!\n)|\n)[^\S\r\n]*)+")
_FRONT_MATTER: Final = re.compile(r"\A(---|\+\+\+)[ \t]*\r?\n(.*?)\r?\n(?:\1|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_FRONT_MATTER_WITHIN: Final = 65_536
_ATTRIBUTES: Final = re.compile(r"\{(?:[#.:-]|[\w-]+=)[^{}]*\}\Z|\{-\}\Z")
_INLINE_MARK: Final = re.compile(r"[*_`\[\]<&\\{!]")
_PAIR: Final = re.compile(r"([\w-]+)[ \t]*[:=](.*)")
_REMARK: Final = re.compile(r"[ \t]#")


# Only blocks are needed; emphasis and links are nine tenths of the parser's time.
for _parser in (_MARKDOWN, _WITH_FRONT_MATTER):
    _parser.core.ruler.enableOnly(["normalize", "block"])


def block_tokens(text: str, *, is_beginning: bool = True) -> list[Token]:
    """Parse the blocks of a text."""
    return (_WITH_FRONT_MATTER if is_beginning else _MARKDOWN).parse(text)


def front_matter(text: str) -> Mapping[str, str]:
    r"""Read the values of front matter on lines of their own, each name's first: of YAML between ``---`` or TOML between ``+++``.

    >>> front_matter("---\ntitle: 'Our tea' # draft\n---\nBoil water.")
    {'title': 'Our tea'}
    """
    found = _FRONT_MATTER.match(text[:_FRONT_MATTER_WITHIN])
    pairs = filter(None, map(_PAIR.match, found[2].splitlines())) if found else ()
    values: dict[str, str] = {}
    for name, value in (pair.groups() for pair in pairs):
        values.setdefault(name, _plain(value.strip()))
    return values


def _plain(value: str) -> str:
    """Leave out quotes and a remark behind the value."""
    quote = value[:1]
    end = value.find(quote, 1) if quote in {"'", '"'} else -1
    if end > 0 and value[end + 1 :].lstrip()[:1] in {"", "#"}:
        return value[1:end].strip()
    return _REMARK.split(value, maxsplit=1)[0].strip("\"' \t")


def line_starts(text: str) -> list[int]:
    """Return where each line begins as the parser counts lines, and at last where the text ends."""
    return [0, *accumulate(len(line) for line in _LINE.findall(text))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A stretch of a document: a heading and what is below it, up to the next heading of any rank."""

    span: Span  #: Where it is.
    text: str  #: What it says, its heading first.
    #: Its place among the headings, such as ``2.1``; None for what is before the first heading.
    code: OutlineCode | None
    path: tuple[str, ...] = ()  #: The titles above it, its own last; empty where it has no heading.
    level: int = 0  #: The rank of its heading, 1 for the highest; 0 where it has none.

    @property
    def digest(self) -> str:
        """What its text is checked against: the first 16 hexadecimal digits of its SHA-256."""
        return text_digest(self.text)

    @property
    def body(self) -> str:
        """Its text without the heading and the white space around."""
        return self.text.split("\n", 1)[-1].strip() if self.level and "\n" in self.text else self.text.strip()

    def is_below(self, other: Section) -> bool:
        """Return whether it is a lower section of ``other``."""
        return self.code is not None and other.code is not None and self.code.is_descendant_of(other.code)


def short_title(title: str) -> str:
    """Return a title without the white space around, an endless one cut to 200 characters.

    >>> short_title(" Refunds "), len(short_title("Refunds " * 1000))
    ('Refunds', 200)
    """
    title = title.strip()
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1] + "…"


def plain_title(title: str) -> str:
    """Return a heading's words without the marks and attributes of Markdown.

    >>> plain_title("**Spare** [parts](https://example.org) {#parts .small}")
    'Spare parts'
    """
    if not _INLINE_MARK.search(title):
        return short_title(title)
    tokens = _INLINE.parseInline(_ATTRIBUTES.sub("", title.strip()))[0].children or ()
    words = "".join(" " if one.type.endswith("break") else one.content for one in tokens if one.type != "html_inline")
    return short_title(" ".join(words.split()) or title)


def text_digest(text: str) -> str:
    """Return the digest of a section's text.

    >>> text_digest("# Refunds")
    'e0fb01ce5fd20f2c'
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]


def read_sections(text: str, *, media_type: MediaType = MediaType.MARKDOWN) -> tuple[Section, ...]:
    r"""Cut a document into its sections without losing a character.

    Where there is no heading, and in plain text, paragraphs are the sections, numbered from 1. Headings inside quotes
    and lists open no section.

    >>> [(str(one.code), one.path) for one in read_sections("# A\n\nText.\n\n## B\n\nMore.\n")]
    [('1', ('A',)), ('1.1', ('A', 'B'))]
    """
    if not text:
        return ()
    headings = _headings(text) if media_type is MediaType.MARKDOWN else []
    return _under_headings(text, headings) if headings else _paragraphs(text)


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    level: int
    title: str


def _headings(text: str) -> list[_Heading]:
    starts = line_starts(text)
    tokens = block_tokens(text)
    return [
        _Heading(starts[token.map[0]], int(token.tag[1:]), tokens[index + 1].content.strip())
        for index, token in enumerate(tokens)
        if token.type == "heading_open" and not token.level and token.map
    ]


def _under_headings(text: str, headings: Sequence[_Heading]) -> tuple[Section, ...]:
    first = headings[0].start
    found = [Section(span=Span(0, first), text=text[:first], code=None)] if first else []
    ends = [*(heading.start for heading in headings[1:]), len(text)]
    above: list[_Heading] = []
    numbers: list[int] = []
    for heading, end in zip(headings, ends, strict=True):
        depth = sum(1 for other in above if other.level < heading.level)
        above = [*above[:depth], heading]
        numbers = [*numbers[:depth], numbers[depth] + 1] if len(numbers) > depth else [*numbers, 1]
        found.append(
            Section(
                span=Span(heading.start, end),
                text=text[heading.start : end],
                code=OutlineCode(tuple(numbers)),
                path=tuple(other.title for other in above),
                level=heading.level,
            )
        )
    return tuple(found)


def _paragraphs(text: str) -> tuple[Section, ...]:
    cuts = [match.end() for match in _BLANK_LINES.finditer(text)]
    edges = sorted({0, *(cut for cut in cuts if text[:cut].strip() and text[cut:].strip()), len(text)})
    return tuple(
        Section(span=Span(start, end), text=text[start:end], code=OutlineCode((number,)))
        for number, (start, end) in enumerate(pairwise(edges), start=1)
    )
