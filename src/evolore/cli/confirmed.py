"""How what a chat model said of contradictions looks on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from evolore.cli.printing import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.flows.confirming import Confirmation, Confirmed, UnconfirmedPairs


def render_confirmed(found: Confirmed) -> None:
    """Print what a chat model said, a line each, and what it did not say."""
    console = Console(highlight=False, soft_wrap=True)
    for line in _lines(found):
        console.print(Text(line))


def _lines(found: Confirmed) -> Iterator[str]:
    yield from map(_confirmation_line, found.confirmations)
    settled = sum(one.event_id is not None for one in found.confirmations)
    noted = len(found.confirmations) - settled
    skipped = "".join(f" {skip.pairs} skipped: {_why(skip)}." for skip in found.skips)
    left = f" {found.left} left for another time." if found.left else ""
    yield (
        f"Contradictions asked about: {found.pairs}. Settled: {settled}, left to a person with a note: {noted}. "
        f"Calls: {found.usage.calls}.{skipped}{left}"
    )


def _confirmation_line(one: Confirmation) -> str:
    undo = f"  take it back with: evolore undo {one.event_id}" if one.event_id else ""
    return f"{one.item.id}  {one.verdict.value.replace('_', ' '):11}{undo}".rstrip()


def _why(skip: UnconfirmedPairs) -> str:
    detail = f" ({one_line(skip.detail).rstrip('.')})" if skip.detail else ""
    return f"{skip.reason.replace('_', ' ')}{detail}"
