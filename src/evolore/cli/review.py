"""``evolore review``: what a person should look at, and how it looks on a terminal."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.cells import cell_len
from rich.text import Text
from typer import Argument, Option

from evolore.cli.printing import facts_table, open_console, print_wrapped, short_source, shortened, words
from evolore.cli.session import CliRun
from evolore.domain.document import Attempt, Chunk
from evolore.domain.episode import Episode
from evolore.domain.review import ExportFormat, Keep, Priority, ReviewCategory, ReviewItem, ReviewStatus
from evolore.errors import InvalidValue, NotFound
from evolore.text.display import one_line, visible

if TYPE_CHECKING:
    from rich.console import RenderableType

    from evolore.flows.check_chunks import Checked, Skip
    from evolore.flows.confirm_conflicts import Confirmed, UnconfirmedPairs
    from evolore.flows.rebase import PromotionConflict
    from evolore.memory import Memory

ItemArgument = Annotated[str, Argument(metavar="ID", help="A review item's id, or its beginning.")]
CategoryOption = Annotated[ReviewCategory | None, Option(help="Only of this kind.")]
PriorityOption = Annotated[Priority | None, Option(help="Only of this priority.")]
AboutOption = Annotated[str | None, Option("--source", help="Only about the document with this source or id.")]
DaysOption = Annotated[
    int | None, Option("--unresolved-for", metavar="DAYS", help="Only open ones filed so many days ago or more.")
]
NoteOption = Annotated[str | None, Option(help="What was done or found.")]


def list_items(
    session: CliRun,
    status: Annotated[ReviewStatus | None, Option(help="Only these; by default the open ones.")] = None,
    everything: Annotated[bool, Option("--all", help="Resolved ones too.")] = False,
    category: CategoryOption = None,
    priority: PriorityOption = None,
    source: AboutOption = None,
    unresolved_for: DaysOption = None,
    limit: Annotated[int | None, Option(help="How many at most.")] = None,
) -> None:
    """List what waits: the most urgent first, and of those the oldest first."""
    with session.memory() as memory:
        items = memory.review.list(
            status=status or (None if everything else ReviewStatus.OPEN),
            category=category,
            priority=priority,
            document=source,
            unresolved_for_days=unresolved_for,
            limit=limit,
        )
        session.show({"items": items}, lambda: render_items(items))


def show(session: CliRun, item_id: ItemArgument) -> None:
    """Show one review item: what happened, where, what was tried, and what can be done."""
    with session.memory() as memory:
        item = memory.review.show(item_id)
        found = _conflict(memory, item)
        if found is None:
            session.show(item, lambda: render_review_item(item, sides=_sides_of(memory, item)))
            return
        session.show({**_shown(item), **_shown(found, but="item")}, lambda: render_conflict(found))


def _conflict(memory: Memory, item: ReviewItem) -> PromotionConflict | None:
    """Return the three texts of a promoted section that its source changed too; None for other items."""
    if item.category is not ReviewCategory.PROMOTION or item.id is None:
        return None
    with suppress(InvalidValue):
        return memory.review.conflict(item.id)
    return None


def _sides_of(memory: Memory, item: ReviewItem) -> dict[str, str]:
    """Return who said each side of a contradiction and when, or a procedure's steps; of what was forgotten, nothing."""
    sides = {
        ReviewCategory.CONTRADICTION: (("earlier", item.other_episode_id), ("later", item.episode_id)),
        ReviewCategory.PROCEDURE: (("procedure", item.episode_id),),
    }
    found: dict[str, str] = {}
    for name, id_ in sides.get(item.category, ()):
        with suppress(NotFound):
            said = memory.show(id_ or "")
            if isinstance(said, Episode):
                when = said.occurred_at or said.recorded_at
                whose = "" if said.speaker is None else f"{one_line(said.speaker)} · "
                found[name] = f"{said.id}  {whose}{when.isoformat(timespec='minutes')}"
                found |= {"steps": visible(said.text)} if name == "procedure" else {}
    return found


def _shown(value: ReviewItem | PromotionConflict, *, but: str = "") -> dict[str, object]:
    return {field.name: getattr(value, field.name) for field in fields(value) if field.name != but}


def resolve(session: CliRun, item_id: ItemArgument, note: NoteOption = None) -> None:
    """Resolve a review item; what it was filed for is not filed again."""
    with session.memory() as memory:
        item = memory.review.resolve(item_id, note=note)
        session.show(item, lambda: typer.echo(f"Resolved {item.id}."))


def settle(
    session: CliRun,
    item_id: ItemArgument,
    keep: Annotated[
        str,
        Option(
            metavar=f"<{'|'.join(Keep)}>",
            help="Which of the two statements holds; of a promoted section `promoted` or `source`.",
        ),
    ],
    note: NoteOption = None,
) -> None:
    """Settle a contradiction: the newer statement holds, the older, or both. `undo` takes it back.

    For a promoted section that its source changed too: keep the promoted text, or the source's.
    """
    with session.memory() as memory:
        if keep in {Keep.PROMOTED, Keep.SOURCE}:
            done = memory.review.settle_promotion(item_id, keep=keep, note=note)
            line = f"{short_source(done.document.source)} is at version {done.document.version} now."
            session.show(done, lambda: typer.echo(line))
            return
        settled = memory.review.settle(item_id, keep=keep, note=note)
        states = [f"{one.id} is {one.state.value}" for one in (settled.older, settled.newer)]
        session.show(settled, lambda: [f"{', '.join(states)}.", f"Undo it with: evolore undo {settled.event_id}"])


def reopen(session: CliRun, item_id: ItemArgument, note: NoteOption = None) -> None:
    """Open a resolved review item again."""
    with session.memory() as memory:
        item = memory.review.reopen(item_id, note=note)
        session.show(item, lambda: typer.echo(f"Opened {item.id} again."))


def note(
    session: CliRun,
    text: Annotated[str, Argument(help="What to look at; `-` reads it from standard input.")],
    priority: Annotated[Priority, Option(help="How soon.")] = Priority.NORMAL,
    about: Annotated[
        str | None, Option(help="The document (source, path or id), passage or statement (id) it is about.")
    ] = None,
) -> None:
    """File a note by hand, and print its id."""
    with session.memory() as memory:
        item = memory.review.note(sys.stdin.read() if text == "-" else text, priority=priority, about=about)
        session.show(item, lambda: typer.echo(item.id))


def export(
    session: CliRun,
    path: Annotated[Path, Argument(metavar="FILE", help="A new file; `-` prints it instead.")],
    form: Annotated[ExportFormat, Option("--format", help="How it is written.")] = ExportFormat.JSONL,
    status: Annotated[ReviewStatus | None, Option(help="Only these; by default all.")] = None,
    category: CategoryOption = None,
    priority: PriorityOption = None,
    source: AboutOption = None,
    unresolved_for: DaysOption = None,
) -> None:
    """Write the review queue as JSON lines or CSV: open and resolved items."""
    is_printed = str(path) == "-"
    with session.memory() as memory:
        count = memory.review.export(
            sys.stdout.buffer if is_printed else path,
            format=form,
            status=status,
            category=category,
            priority=priority,
            document=source,
            unresolved_for_days=unresolved_for,
        )
        if not is_printed:
            session.show({"path": path, "items": count}, lambda: typer.echo(f"Review items in {path}: {count}."))


def check(
    session: CliRun,
    source: AboutOption = None,
    sample: Annotated[int, Option(help="How many passages to choose.")] = 20,
    calls: Annotated[int, Option(help="How many calls of the chat model may be made.")] = 4,
) -> None:
    """Ask a chat model to read some passages, and file those that are unclear on their own.

    It needs a chat model: the setting `chat.model` names one and, in Python, `Memory.open(…, chat_model=…)` takes one.
    """
    with session.memory() as memory:
        found = memory.review.check_chunks(source, sample=sample, calls=calls)
        session.show(found, lambda: render_checked(found))


def confirm(
    session: CliRun, calls: Annotated[int, Option(help="How many calls of the chat model may be made.")] = 4
) -> None:
    """Ask a chat model which side of open contradictions holds. `undo` takes back what it settles.

    It needs a chat model: the setting `chat.model` names one and, in Python, `Memory.open(…, chat_model=…)` takes one.
    """
    with session.memory() as memory:
        found = memory.review.confirm_conflicts(calls=calls)
        session.show(found, lambda: render_confirmed(found))


_HEADS = 2
"""So many lines of a difference name the two texts."""
_INDENT = 2
_RESOLVED_BY = {"person": "a person", "model": "a chat model", "gone": "what it is about is there no more"}


def attempts_line(attempts: Sequence[Attempt]) -> str:
    """List in one line which tiers were tried, and the outcome of each."""
    return ", ".join(f"{attempt.tier.value} {words(attempt.outcome.value)}" for attempt in attempts)


def tier_note(chunk: Chunk) -> str:
    """Return which tier cut a chunk, and where tier 1 was not enough, why and after what."""
    if not chunk.attempts:
        return f"tier {chunk.tier.value}"
    return f"tier {chunk.tier.value} ({words(chunk.reason.value)}; tried {attempts_line(chunk.attempts)})"


def render_items(items: Sequence[ReviewItem]) -> None:
    """Print review items, a line each; on a terminal wrapped to its width."""
    console = open_console()
    for item in items:
        print_wrapped(console, Text(_item_line(item)), indent=_INDENT)
    if not items:
        console.print("Nothing to review.")


_SEEN = 8
_SIDE = 20
"""With two sides of so many columns a line is no wider than 120."""
_QUOTED = re.compile(
    r"[^\n（(]*+[（(](?P<why>(?s:.*))[)）][.。]\n[^“「\n]*+[“「](?P<older>[^\n]*)[”」]\n[^“「\n]*+[“「](?P<newer>[^\n]*)[”」]"
)


def _item_line(item: ReviewItem) -> str:
    shown = _both_sides(item) or shortened(item.reason)
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
    """Return where to begin to quote two texts: far enough to the right for what differs to be seen."""
    pairs = enumerate(zip(older, newer, strict=False))
    differs = next((place for place, (one, other) in pairs if one != other), 0)
    ends = [older[: differs + _SEEN], newer[: differs + _SEEN]]
    starts = (place for place in range(differs + 1) if place == 0 or older[place - 1] == " " or not older.isascii())
    return next((place for place in starts if all(cell_len(end[place:]) < _SIDE - 1 for end in ends)), differs)


def _shortened(text: str, start: int) -> str:
    """Return the text from a place on, in as many columns as a side has."""
    text = f"…{text[start:]}" if start else text
    if cell_len(text) <= _SIDE:
        return text
    while cell_len(text) >= _SIDE:
        text = text[:-1]
    return f"{text.rstrip()}…"


def render_review_item(item: ReviewItem, *, sides: Mapping[str, str] | None = None) -> Iterator[RenderableType]:
    """Yield everything known of one review item, and whose its sides are where it has two."""
    facts = {name: one_line(str(value)) for name, value in _facts(item).items() if value not in (None, "")}
    facts |= {"passage or statement": "", **sides} if sides else {}
    yield facts_table((name, value) for name, value in facts.items() if value)
    yield f"\n{visible(item.reason)}"
    if item.suggestion:
        yield visible(item.suggestion)


def render_conflict(found: PromotionConflict) -> Iterator[RenderableType]:
    """Yield a promoted section: what was promoted, what its source changed meanwhile, and how to decide."""
    from evolore.flows.evolve.show import difference_lines  # noqa: PLC0415 - `--help` need not pay for it

    yield from render_review_item(found.item)
    section = " > ".join(found.section)
    for title, text in (("promoted", found.promoted), ("its source now", found.source)):
        yield Text(f"\n{title}:", style="bold")
        yield from map(visible, difference_lines(found.base, text, section)[_HEADS:])
    if found.item.status is ReviewStatus.OPEN:
        yield f"\nDecide with: evolore review settle {found.item.id} --keep promoted, or --keep source"


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


def _why(skip: Skip | UnconfirmedPairs) -> str:
    detail = f" ({one_line(skip.detail).rstrip('.')})" if skip.detail else ""
    return f"{words(skip.reason)}{detail}"


def render_checked(found: Checked) -> Iterator[str]:
    """Yield what checking found."""
    skipped = "".join(f" {skip.chunks} not judged: {_why(skip)}." for skip in found.skips)
    yield (
        f"{found.chunks} passages: {found.whole} whole, {found.broken} broken, {len(found.filed)} filed for review. "
        f"{found.usage.calls} calls.{skipped}"
    )


def render_confirmed(found: Confirmed) -> Iterator[str]:
    """Yield what a chat model said, a line each, and what it did not say."""
    for one in found.confirmations:
        undo = f"  take it back with: evolore undo {one.event_id}" if one.event_id else ""
        yield f"{one.item.id}  {words(one.verdict.value):11}{undo}".rstrip()
    settled = sum(one.event_id is not None for one in found.confirmations)
    noted = len(found.confirmations) - settled
    skipped = "".join(f" {skip.pairs} skipped: {_why(skip)}." for skip in found.skips)
    left = f" {found.left} left for another time." if found.left else ""
    yield (
        f"Contradictions asked about: {found.pairs}. Settled: {settled}, left to a person with a note: {noted}. "
        f"Calls: {found.usage.calls}.{skipped}{left}"
    )
