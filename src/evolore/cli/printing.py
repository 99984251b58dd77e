"""Text from a store on a terminal: shown, never obeyed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from rich.cells import get_character_cell_size
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from evolore.text.display import one_line

if TYPE_CHECKING:
    from rich.progress import Progress

_LINE = 70
_GAP = "  "
_LEAST = 12
_TAB = 8
_WIDE = 2
_OPENING = frozenset("（「『【〈《［｛〔“‘([{")
"""What does not end a line."""
_CLOSING = frozenset(
    "、。，．・：；？！）」』】〉》］｝〕”’,.:;?!)]}%％々ーぁぃぅぇぉっゃゅょァィゥェォッャュョヵヶ〜…‥"
)
"""What does not begin one."""


def short_source(source: str) -> str:
    """Write the source of a document on one line, relative to the current folder where it lies beneath it."""
    try:
        return one_line(PurePath(source).relative_to(Path.cwd()).as_posix())
    except (OSError, ValueError):  # the folder is gone; it lies elsewhere, or is no path
        return one_line(source)


def shortened(text: str) -> str:
    """Write the beginning of a text on one line, of 70 characters at most."""
    line = one_line(text)
    return line if len(line) <= _LINE else line[: _LINE - 1] + "…"


def aligned(rows: Sequence[Sequence[Text]], width: int) -> Iterator[Text]:
    """Yield rows as lines: every column as wide as it needs, and what is left of the width for the last one."""
    widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
    widths[-1] = max(_LEAST, width - sum(widths[:-1]) - len(_GAP) * (len(widths) - 1))
    for row in rows:
        for cell, cells in zip(row, widths, strict=True):
            cell.truncate(cells, overflow="ellipsis")
            if cell.justify == "right":
                cell.pad_left(cells - cell.cell_len)
            elif cell is not row[-1]:
                cell.pad_right(cells - cell.cell_len)
        yield Text(_GAP).join(row)


def words(value: str) -> str:
    """Write a name of several words with blanks between them."""
    return value.replace("_", " ")


def counted(number: int, one: str, many: str = "") -> str:
    """Write how many there are of something.

    >>> counted(1, "call"), counted(1200, "call"), counted(2, "piece of feedback", "pieces of feedback")
    ('1 call', '1,200 calls', '2 pieces of feedback')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def open_console(*, stderr: bool = False) -> Console:
    """Open standard output, or standard error, for text that keeps its own line ends."""
    return Console(highlight=False, soft_wrap=True, stderr=stderr)


def print_lines(lines: Iterable[RenderableType]) -> None:
    """Print what a command has to show: texts as they are, one a line, and tables."""
    console = open_console()
    for line in lines:
        console.print(Text(line) if isinstance(line, str) else line)


def facts_table(facts: Iterable[tuple[str, str]]) -> Table:
    """Make a table of names and values, a line each."""
    table = Table.grid(padding=(0, 2))
    for name, value in facts:
        table.add_row(Text(name, style="dim"), Text(value))
    return table


def counting_bar(label: str, told: str = "") -> Progress:
    """Make a bar on standard error that counts or names what is done; both texts may name fields of its task."""
    from rich import progress as bars  # noqa: PLC0415 - most commands show none

    text, spent = bars.TextColumn, bars.TimeElapsedColumn()
    counts = (bars.MofNCompleteColumn(), spent, bars.TimeRemainingColumn(), text("left"))
    columns = (text(told), spent) if told else counts
    return bars.Progress(text(label), bars.BarColumn(), *columns, console=open_console(stderr=True), transient=True)


@contextmanager
def naming_bar(*names: str, quiet: bool) -> Generator[Callable[[str, int, int], None] | None]:
    """Show a bar a name on a terminal, nothing in a pipe; return what receives a name, what is done, and of how much."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.progress import Progress  # noqa: PLC0415 - a pipe needs none

    with Progress(console=Console(stderr=True), transient=True) as bar:
        tasks = {name: bar.add_task(name, total=None) for name in names}

        def show(name: str, done: int, total: int, /) -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=None)
            bar.update(tasks[name], completed=done, total=total or None)

        yield show


def print_wrapped(console: Console, text: Text, *, indent: int = 0) -> None:
    """Print a text, on a terminal in lines of its width that break where its script lets them; in a pipe as it is."""
    if not console.is_terminal:
        console.print(text)
        return
    for line in text.split(allow_blank=True):
        line.expand_tabs(_TAB)
        for place, part in enumerate(line.divide(_breaks(line.plain, max(_WIDE, console.width - indent)))):
            part.rstrip()
            if place:
                part.pad_left(indent)
            console.print(part)


def _breaks(line: str, width: int) -> list[int]:
    """Return where a line is broken so that no part is wider, a wide character counting as two columns."""
    breaks: list[int] = []
    used, possible, since = 0, 0, 0
    for place, letter in enumerate(line):
        size = get_character_cell_size(letter)
        if place and _may_break(line[place - 1], letter):
            possible, since = place, 0
        if used + size > width and not letter.isspace():
            if possible <= (breaks[-1] if breaks else 0) or since + size > width:
                possible, since = place, 0
            breaks.append(possible)
            used = since
        used, since = used + size, since + size
    return breaks


def _may_break(before: str, after: str) -> bool:
    """Return whether a line may end between two characters: behind a blank, or beside one of a script without spaces."""
    if before.isspace():
        return not after.isspace()
    is_unspaced = _WIDE in (get_character_cell_size(before), get_character_cell_size(after))
    return is_unspaced and before not in _OPENING and after not in _CLOSING and not after.isspace()


def lingering_lines(files: Sequence[str]) -> Iterator[str]:
    """Yield in which files erased bytes may linger; nothing where there are none."""
    if files:
        yield (
            f"{', '.join(files)} may still hold erased bytes: another process reads or writes, the disk has no room, or the "
            "role of a PostgreSQL database lacks the right. Once that is over, `evolore store doctor --repair` takes them out."
        )
