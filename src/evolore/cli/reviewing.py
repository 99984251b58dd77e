"""How review items, and how a chunk was cut, look on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from evolore.cli.printing import one_line, visible

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


def _item_line(item: ReviewItem) -> str:
    text = one_line(item.reason)
    shown = text if len(text) <= _LINE else text[: _LINE - 1] + "…"
    about = f"{one_line(item.source)}: " if item.source else ""
    day = item.created_at.date().isoformat() if item.created_at else ""
    return f"{item.id}  {item.priority.value:6}  {item.status.value:8}  {item.category.value:9}  {day}  {about}{shown}"


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
