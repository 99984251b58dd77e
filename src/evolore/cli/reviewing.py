"""How review items, and how a chunk was cut, look on a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from evolore.cli.printing import one_line, short_source, visible
from evolore.domain.review import ReviewCategory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.knowledge import Attempt, Chunk
    from evolore.domain.review import ReviewItem
    from evolore.flows.checking import Checked, Skip

_LINE = 70
_RESOLVED_BY = {"person": "a person", "model": "a chat model", "gone": "the passage is gone"}


def _words(value: str) -> str:
    return value.replace("_", " ")


def attempts_line(attempts: Sequence[Attempt]) -> str:
    """Say in one line which tiers were tried, and what came of each."""
    return ", ".join(f"{attempt.tier.value} {_words(attempt.outcome.value)}" for attempt in attempts)


def tier_note(chunk: Chunk) -> str:
    """Say which tier cut a chunk, and where tier 1 was not enough, why and after what."""
    if not chunk.attempts:
        return f"tier {chunk.tier.value}"
    return f"tier {chunk.tier.value} ({_words(chunk.reason.value)}; tried {attempts_line(chunk.attempts)})"


def render_items(items: Sequence[ReviewItem]) -> None:
    """Print review items, a line each."""
    console = Console(highlight=False, soft_wrap=True)
    for item in items:
        console.print(Text(_item_line(item)))
    if not items:
        console.print("Nothing to review.")


_SEEN = 8
_SIDE = 20
"""With two sides of so many columns a line is no wider than 120."""
_QUOTED = re.compile(
    r"[^\n（(]*+[（(](?P<why>(?s:.*))[)）][.。]\n[^“「\n]*+[“「](?P<older>[^\n]*)[”」]\n[^“「\n]*+[“「](?P<newer>[^\n]*)[”」]"
)


def _item_line(item: ReviewItem) -> str:
    text = one_line(item.reason)
    shown = _both_sides(item) or (text if len(text) <= _LINE else text[: _LINE - 1] + "…")
    about = f"{short_source(item.source)}: " if item.source else ""
    day = item.created_at.date().isoformat() if item.created_at else ""
    return f"{item.id}  {item.priority.value:6}  {item.status.value:8}  {item.category.value:9}  {day}  {about}{shown}"


def _both_sides(item: ReviewItem) -> str:
    """Quote both sides of a contradiction, shortened to where they begin to differ, then say why; of others nothing."""
    found = _QUOTED.fullmatch(item.reason) if item.category is ReviewCategory.CONTRADICTION else None
    if found is None:
        return ""
    older, newer = one_line(found["older"]), one_line(found["newer"])
    start = _start(older, newer)
    sides = [_shortened(side, start) for side in (older, newer)]
    return f"“{sides[0]}” / “{sides[1]}”  {one_line(found['why'])}"


def _start(older: str, newer: str) -> int:
    """Give where to begin to quote two texts: far enough to the right for what differs to be seen."""
    pairs = enumerate(zip(older, newer, strict=False))
    differs = next((place for place, (one, other) in pairs if one != other), 0)
    ends = [older[: differs + _SEEN], newer[: differs + _SEEN]]
    starts = (place for place in range(differs + 1) if place == 0 or older[place - 1] == " " or not older.isascii())
    return next((place for place in starts if all(cell_len(end[place:]) < _SIDE - 1 for end in ends)), differs)


def _shortened(text: str, start: int) -> str:
    """Give what stands from a place on, in so many columns as a side has."""
    text = f"…{text[start:]}" if start else text
    if cell_len(text) <= _SIDE:
        return text
    while cell_len(text) >= _SIDE:
        text = text[:-1]
    return f"{text.rstrip()}…"


def render_review_item(item: ReviewItem) -> None:
    """Print everything known of one review item."""
    console = Console(highlight=False, soft_wrap=True)
    table = Table.grid(padding=(0, 2))
    for name, value in _facts(item).items():
        if value not in (None, ""):
            table.add_row(Text(name, style="dim"), Text(one_line(str(value))))
    console.print(table)
    console.print()
    console.print(Text(visible(item.reason)))
    if item.suggestion:
        console.print(Text(visible(item.suggestion)))


def _facts(item: ReviewItem) -> dict[str, object]:
    span = f"characters {item.span.start}–{item.span.end} of version {item.version}" if item.span else None
    return {
        "id": item.id,
        "category": item.category.value,
        "priority": item.priority.value,
        "status": item.status.value,
        "source": item.source,
        "place": span,
        "passage or statement": item.episode_id,
        "text length": f"{item.text_length:,}" if item.text_length else None,
        "tiers tried": attempts_line(item.attempts),
        "final tier": item.final_tier.value if item.final_tier else None,
        "filed at": item.created_at and item.created_at.isoformat(),
        "resolved at": item.resolved_at and item.resolved_at.isoformat(),
        "resolved by": item.resolution and _RESOLVED_BY[item.resolution],
        "note": item.note,
    }


def _skip_reason(skip: Skip) -> str:
    detail = f" ({one_line(skip.detail).rstrip('.')})" if skip.detail else ""
    return f"{_words(skip.reason)}{detail}"


def render_checked(found: Checked) -> None:
    """Print what checking found."""
    skipped = "".join(f" {skip.chunks} not judged: {_skip_reason(skip)}." for skip in found.skips)
    print(  # noqa: T201 - the command's output
        f"{found.chunks} passages: {found.whole} whole, {found.broken} broken, {len(found.filed)} filed for review. "
        f"{found.usage.calls} calls.{skipped}"
    )
