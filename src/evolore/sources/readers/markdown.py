"""Write Markdown: headings, code, tables and words that must not be taken for markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_BLOCK_MARK: Final = re.compile(
    r"^([ \t]*)(?=#{1,6}(?:[ \t]|$)|>|```|~~~|={1,}[ \t]*$|-{1,}[ \t]*$|_{3,}[ \t]*$|\*{3,}[ \t]*$)", re.MULTILINE
)
_UNSEEN: Final = re.compile(
    "[\u00ad\ufffe][ \\t]*\\n(?=\\w)|[\u00ad\u200b\u2060\ufeff\ufffe]|(?<=[A-Za-z\u00c0-\u024f])[\u200c\u200d](?=[A-Za-z\u00c0-\u024f])"
)
_FENCES: Final = re.compile(r"`{3,}")
_DEEPEST_HEADING: Final = 6
_MOST_NAMED: Final = 10


def one_line(text: str) -> str:
    r"""Write a text on one line.

    >>> one_line(" a\n b")
    'a b'
    """
    return " ".join(text.split())


def whole_words(text: str) -> str:
    r"""Join the words that invisible hyphens and blanks separate; joiners stay where scripts and emoji need them.

    >>> whole_words("ventila\xadtion, data\u200bbase")
    'ventilation, database'
    """
    return _UNSEEN.sub("", text)


def some(items: Iterable[object]) -> str:
    """Name what was left out, ten at most.

    >>> some(range(1, 13))
    '1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more'
    """
    names = [one_line(str(item)) for item in items]
    return ", ".join(names[:_MOST_NAMED]) + (
        f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    )


def heading(level: int, text: str) -> str:
    """Write a heading of level 1 to 6; deeper ones are of level 6."""
    return f"{'#' * min(level, _DEEPEST_HEADING)} {one_line(text)}"


def escaped(text: str) -> str:
    r"""Write plain text so that no line of it begins a heading, a quotation, a rule or code.

    >>> print(escaped("# 1 is a number\n--"))
    \# 1 is a number
    \--
    """
    return _BLOCK_MARK.sub(r"\1\\", text)


def fenced(code: str, language: str = "") -> str:
    """Write code between fences longer than any in it; nothing where there is none."""
    code = code.strip("\r\n").rstrip()
    longest = max((len(fence) for fence in _FENCES.findall(code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code}\n{fence}" if code else ""


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    """Write a table whose first row is its head; short rows are filled, and rows without a word left out."""
    filled = [[one_line(cell).replace("|", "\\|") for cell in row] for row in rows if any(map(str.strip, row))]
    width = max(map(len, filled), default=0)
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in filled]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) if lines else ""


def joined(blocks: Iterable[str]) -> str:
    """Join blocks by blank lines; empty where no block has a word."""
    text = "\n\n".join(block.strip("\n") for block in blocks if block.strip())
    return f"{text}\n" if text else ""


def not_read(files: Sequence[str]) -> tuple[str, ...]:
    """Report the files that a text takes in when it is set."""
    return (f"Files and images that it takes in were not read: {some(files)}.",) if files else ()
