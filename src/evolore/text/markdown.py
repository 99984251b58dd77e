"""Markdown as its parser reads it: blocks by line, without the emphasis and links inside them."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

if TYPE_CHECKING:
    from markdown_it.token import Token

# The parser's own idea of a line: it numbers lines by it.
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_MARKDOWN: Final = MarkdownIt("commonmark").enable("table")
_WITH_FRONT_MATTER: Final = MarkdownIt("commonmark").enable("table").use(front_matter_plugin)
# Only blocks are needed; emphasis and links are nine tenths of the parser's time.
for _parser in (_MARKDOWN, _WITH_FRONT_MATTER):
    _parser.core.ruler.enableOnly(["normalize", "block"])


def block_tokens(text: str, *, is_beginning: bool = True) -> list[Token]:
    """Parse the blocks of a text.

    Args:
        text: Markdown.
        is_beginning: Whether the document begins here, so that there may be front matter.
    """
    return (_WITH_FRONT_MATTER if is_beginning else _MARKDOWN).parse(text)


def line_starts(text: str) -> list[int]:
    """Give where each line begins as the parser counts lines, and at last where the text ends."""
    return [0, *accumulate(len(line) for line in _LINE.findall(text))]
