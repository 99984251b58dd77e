"""``evolore outline tree``: a document's outline on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from rich.console import Console
from rich.text import Text
from typer import Option

from evolore.cli.printing import aligned
from evolore.cli.review import tier_note
from evolore.cli.session import CliRun, DocumentArgument, ForceOption
from evolore.domain.checks import check_count
from evolore.domain.document import DocumentTree, OutlineNode, Tier
from evolore.domain.times import read_moment
from evolore.server.drawings.outline import names_of
from evolore.text.display import one_line


def tree(
    session: CliRun,
    document: DocumentArgument,
    depth: Annotated[
        int | None, Option(help="How many levels to show, from 1; what lies deeper is counted. By default all.")
    ] = None,
    html: Annotated[
        Path | None,
        Option(
            "--html",
            metavar="FILE",
            help="Write the outline with the document's text to one file that a browser opens without a network; `-` "
            "prints it.",
        ),
    ] = None,
    as_of: Annotated[
        str | None, Option("--as-of", help="The version that was there then: a date or time, UTC without a zone.")
    ] = None,
    force: ForceOption = False,
) -> None:
    """Show a document's outline: codes, sizes, tiers, the bits each boundary gains, and how deep it goes."""
    with session.memory() as memory:
        if depth is not None:
            check_count(depth, "--depth")
        found = memory.outline.tree(document, with_text=html is not None, as_of=read_moment(as_of, "--as-of"))
        if html is not None:
            from evolore.cli.files import give_page  # noqa: PLC0415 - `--help` should not pay for it
            from evolore.server.drawings.outline import page_of  # noqa: PLC0415 - likewise

            give_page(session, html, page_of(found, depth=depth), nodes=len(found.nodes), overwrite=force)
            return

        session.show(found, lambda: render_tree(found, depth=depth))


_PIPE_WIDTH = 240
_WIDE = 100
"""From here on ids have room."""
_NARROW = 60
"""Below this only code, size and beginning have."""
_NAME = 10
_BAR = 24
_BINS = 12


def render_tree(found: DocumentTree, *, depth: int | None = None) -> None:
    """Print a document's outline."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH  # lines are cut at the width; in a pipe nothing needs to be
    marks = _Marks(is_unicode=console.encoding.lower().startswith("utf"))
    for name, fact in _summary(found, marks):
        for place, line in enumerate(fact.wrap(console, console.width - _NAME)):
            line.rstrip()
            console.print(Text.assemble((f"{'' if place else name:{_NAME}}", "dim"), line))
    console.print()
    for line in _outline(found, marks, depth=depth, width=console.width):
        console.print(line, no_wrap=True, overflow="crop")


class _Marks:
    """The characters that draw, in what the stream can show."""

    def __init__(self, *, is_unicode: bool) -> None:
        self.bar = "█" if is_unicode else "#"
        self.steps = "▁▂▃▄▅▆▇█" if is_unicode else "._-=+*%#"
        self.branch, self.last = ("├─ ", "└─ ") if is_unicode else ("|- ", "`- ")
        self.line, self.blank = ("│  " if is_unicode else "|  "), "   "
        self.dot = " · " if is_unicode else ", "


def _summary(found: DocumentTree, marks: _Marks) -> Iterator[tuple[str, Text]]:
    """Yield the facts of the document as a whole: a name and a value each."""
    document, sizes = found.document, found.leaf_sizes
    version = f"{document.characters:,} characters, version {document.version}"
    yield "document", Text(f"{one_line(document.title)}  {version}", style="bold")
    span = f"{sizes.smallest:,} to {sizes.largest:,} characters, median {sizes.median:,.0f}"
    leaves = [node.chunk for node in found.nodes if node.chunk.is_leaf]
    yield "leaves", Text(f"{sizes.count:,} of {span}  {_spark([len(leaf.span) for leaf in leaves], marks)}")
    tiers = [leaf.tier for leaf in leaves]
    counted = (f"tier {tier.value}: {tiers.count(tier):,}" for tier in Tier if tier in tiers)
    yield "tiers", Text(marks.dot.join(counted))
    most = max(found.depths.values(), default=1)
    for level, count in found.depths.items():
        bar = marks.bar * max(1, round(_BAR * count / most))
        yield f"depth {level}", Text.assemble((bar, "cyan"), f" {count:,}")


def _spark(sizes: Sequence[int], marks: _Marks) -> str:
    """Draw how many leaves there are of each size, from the smallest to the largest."""
    least, most = min(sizes, default=0), max(sizes, default=0)
    if most == least:
        return ""
    edges = [least + (most - least) * place / _BINS for place in range(_BINS)] + [most + 1]
    counts = [sum(low <= size < high for size in sizes) for low, high in pairwise(edges)]
    top = len(marks.steps) - 1
    return "".join(marks.steps[-(-top * count // max(counts))] for count in counts)


def _outline(found: DocumentTree, marks: _Marks, *, depth: int | None, width: int) -> Iterator[Text]:
    """Return the lines of the outline, with what is left of the width for the beginnings."""
    names = dict(zip((node.code for node in found.nodes), names_of(found), strict=True))
    rows = [_header(width)]
    for node, guide in _guided(found, marks, depth):
        hidden = len(found.below(node.code)) if node.code.depth == depth else 0
        rows.append(_cells(node, guide, names[node.code], hidden=hidden, width=width))
    return aligned(rows, width)


def _header(width: int) -> list[Text]:
    names = [Text("code"), Text("size", justify="right")]
    if width >= _NARROW:
        names += [Text("bits", justify="right"), Text("tier", justify="right")]
    if width >= _WIDE:
        names.append(Text("id"))
    names.append(Text("begins"))
    for name in names:
        name.stylize("dim")
    return names


def _cells(node: OutlineNode, guide: str, name: str, *, hidden: int, width: int) -> list[Text]:
    chunk = node.chunk
    cells = [
        Text.assemble((guide, "dim"), (str(node.code), "" if chunk.is_leaf else "bold")),
        Text(f"{len(chunk.span):,}", justify="right"),
    ]
    if width >= _NARROW:
        bits = "" if chunk.gain_bits is None else f"{chunk.gain_bits:+.1f}"
        hard = "yellow" if chunk.tier is Tier.HARD_SPLIT else "dim"
        cells += [Text(bits, style="green", justify="right"), Text(str(chunk.tier.value), style=hard, justify="right")]
    if width >= _WIDE:
        cells.append(Text(node.episode_id or "", style="cyan"))
    beginning = Text(name, style="" if chunk.is_leaf else "bold")
    if chunk.attempts and width >= _WIDE:
        beginning = Text.assemble((f"[{tier_note(chunk)}] ", "dim"), beginning)
    cells.append(Text.assemble((f"[{hidden:,} below] ", "dim"), beginning) if hidden else beginning)
    return cells


def _guided(found: DocumentTree, marks: _Marks, depth: int | None) -> Iterator[tuple[OutlineNode, str]]:
    """Yield the nodes to print, each with the lines that lead to it; its children follow it."""
    shown = [node for node in found.nodes if depth is None or node.code.depth <= depth]
    last_number: dict[tuple[int, ...], int] = {}
    for node in shown:
        last_number[node.code.parts[:-1]] = node.code.number
    for node in shown:
        parts = node.code.parts
        ends = [last_number[parts[:end]] == parts[end] for end in range(len(parts))]
        above = "".join(marks.blank if is_last else marks.line for is_last in ends[1:-1])
        yield node, (above + (marks.last if ends[-1] else marks.branch)) if len(parts) > 1 else ""
