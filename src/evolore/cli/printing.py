"""Text from a store on a terminal: shown, never obeyed."""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from rich.console import Console

if TYPE_CHECKING:
    from collections.abc import Sequence

# What a terminal would act on, and what reorders the characters around it.
_ACTIVE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    r"""Write control characters as escapes; newlines and tabs stay.

    >>> print(visible("red \x1b[31m"))
    red \x1b[31m
    """
    return _ACTIVE.sub(lambda found: found.group().encode("unicode_escape").decode("ascii"), text)


def one_line(text: str) -> str:
    """Write a text on one line, control characters as escapes."""
    return visible(" ".join(text.split()))


def short_source(source: str) -> str:
    """Write the source of a document as it is named from here: relative to the current folder where it lies beneath it."""
    try:
        return PurePath(source).relative_to(Path.cwd()).as_posix()
    except (OSError, ValueError):  # the folder is gone; it lies elsewhere, or is no path
        return source


def counted(number: int, one: str, many: str = "") -> str:
    """Write how many there are of something.

    >>> counted(1, "call"), counted(1200, "call"), counted(2, "piece of feedback", "pieces of feedback")
    ('1 call', '1,200 calls', '2 pieces of feedback')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def open_console(*, stderr: bool = False) -> Console:
    """Open standard output, or standard error, for text that keeps its own line ends."""
    return Console(highlight=False, soft_wrap=True, stderr=stderr)


def render_lingering(files: Sequence[str]) -> None:
    """Print in which files erased bytes may linger; nothing where there are none."""
    if files:
        open_console().print(
            f"{', '.join(files)} may still hold erased bytes: another process reads or writes, or the disk has no room. "
            "Once that is over, `evolore doctor --repair` takes them out."
        )
