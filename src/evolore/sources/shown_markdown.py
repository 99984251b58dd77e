"""Make a Markdown file what its reader is shown: HTML in it becomes Markdown, remarks go."""

from __future__ import annotations

import re
from typing import Final

from evolore.errors import UnreadableSource
from evolore.sources.formats import Converted
from evolore.sources.html import to_markdown
from evolore.text.sections import block_tokens, line_starts

_REMARK: Final = re.compile(r"<!--(?:(?!<!--).)*?-->", re.DOTALL)
_TICKS: Final = re.compile(r"(`+)")
_KNOWN: Final = re.compile(
    r"\s*(?:<!--|</?(?:h[1-6]|table|t[rdh]|thead|tbody|p|div|center|section|header|footer|main|nav|details|summary|img|a|br"
    r"|picture|source|ul|ol|li|d[ltd]|blockquote|figure|figcaption|script|style|b|i|em|strong|sub|sup|kbd|span|font|hr)\b)",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)


def read_shown(text: str) -> Converted:
    r"""Return a Markdown text as its reader sees it; without HTML it stays as it is.

    >>> read_shown("<h1 align=center>Tea</h1>\n\nBoil it.<!-- how long? -->\n").text
    '# Tea\n\nBoil it.\n'
    """
    starts = line_starts(text)
    pieces: list[str] = []
    remarks, end = 0, 0
    for token in block_tokens(text):
        if token.map is None or token.type not in {"inline", "html_block"} or starts[token.map[0]] < end:
            continue
        start, stop = (starts[line] for line in token.map)
        shown, count = _without_remarks(text[start:stop])
        if token.type == "html_block" and not token.level and _KNOWN.match(text, start, stop):
            is_apart = not text[max(start - 2, 0) : start].strip("\r\n")
            shown = _as_markdown(shown) if is_apart else f"\n{_as_markdown(shown)}"
        pieces += [text[end:start], shown]
        remarks, end = remarks + count, stop
    notes = (f"Remarks that a page does not show were left out: {remarks}.",) if remarks else ()
    return Converted(text="".join([*pieces, text[end:]]), notes=notes)


def _without_remarks(text: str) -> tuple[str, int]:
    """Leave out remarks that stand in no code, and count them."""
    parts = _TICKS.split(text)
    inside, found = "", 0
    for place, part in enumerate(parts):
        if place % 2:
            inside = part if not inside else "" if part == inside else inside
        elif not inside:
            parts[place], count = _REMARK.subn("", part)
            found += count
    return "".join(parts), found


def _as_markdown(html: str) -> str:
    if _FENCE.search(html) or not html.strip():
        return html
    try:
        return to_markdown(html, name="its HTML").text
    except UnreadableSource:
        return html
