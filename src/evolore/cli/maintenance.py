"""The commands that keep a memory in order, say what happened, and take it back."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text
from typer import Argument, Option

from evolore.cli.printing import counted, counting_bar, lingering_lines, open_console, short_source, shortened, words
from evolore.cli.session import ByOption, CliRun, DocumentArgument
from evolore.cli.show import receipt_line, render_item
from evolore.domain.document import Document
from evolore.domain.episode import Deed
from evolore.domain.secret import places_of
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.text.display import one_line

if TYPE_CHECKING:
    from evolore.flows.calibrate import Calibrated
    from evolore.flows.check_chunks import Reread
    from evolore.flows.maintain import Maintained, MaintainProgress
    from evolore.flows.remember.plan import Action
    from evolore.flows.remember.remember import Remembered
    from evolore.flows.resonate import Resonated
    from evolore.memory import Memory
    from evolore.ports import EventRecord


def maintain(
    session: CliRun,
    items: Annotated[int, Option(help="How many changed episodes to check at most.")] = 1000,
    seconds: Annotated[float | None, Option(help="Begin no new work after so many seconds.")] = None,
    redecide: Annotated[
        bool, Option("--redecide", help="Only decide again what a rule of an earlier version superseded.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would be done, and change nothing.")] = False,
) -> None:
    """Look again at what changed: merge what is the same, split what was mixed, link, and find what does not fit.

    It goes on where the last call ended, and others may read and write meanwhile. It prints what it did and why; each
    change is an event that `undo` takes back.
    """
    with session.memory() as memory:
        with _progress_shown(quiet=session.as_json) as shown:
            done = memory.maintain(items=items, seconds=seconds, redecide=redecide, dry_run=dry_run, progress=shown)
        session.show(done, lambda: render_maintained(memory, done))


def verify(
    session: CliRun,
    document: DocumentArgument,
    by: ByOption = None,
    until: Annotated[
        str | None, Option("--until", metavar="DATE", help="The day by which it is to be verified next.")
    ] = None,
) -> None:
    """Record that a document is current: verified today, and until when. `list --overdue` lists what is past its day."""
    with session.memory() as memory:
        done = memory.verify(document, verify_by=until, principal=by)
        session.show(done, lambda: render_item(done))


def history(
    session: CliRun,
    item_id: Annotated[
        str | None,
        Argument(
            metavar="[ID]", help="A statement's, passage's or document's id, or its beginning; without one, everything."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        Option(
            help="How many events at most, the newest; by default all of an item, and 20 without an id.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Show what happened, oldest first: how an item came to be, merges, splits, supersessions, undoings.

    Without an id it shows the last events of all items.
    """
    with session.memory() as memory:
        events = memory.history(item_id, limit=limit)

        def render() -> None:
            render_history(events, memory=None if item_id else memory)
            if last := _last_change(memory, events):
                open_console(stderr=True).print(f"Undo the last change with: evolore undo {last}")

        session.show({"events": events}, render)


def undo(
    session: CliRun,
    event_id: Annotated[
        str, Argument(metavar="EVENT", help="The id that the change was reported with, or its beginning.")
    ],
    cascade: Annotated[
        bool, Option("--cascade", help="Undo later changes that depend on it first, all at once.")
    ] = False,
) -> None:
    """Undo what an event did, exactly: a merge, a split, a supersession, a conflict, what `resonate` did.

    Undoing is an event too, and can be undone. `history` shows the events, of an episode or the newest of all.
    """
    with session.memory() as memory:
        undone = memory.undo(event_id, cascade=cascade)
        pairs = zip(undone.undone_ids, undone.event_ids, strict=True)
        session.show(undone, lambda: (f"Undid {event}. Redo with: evolore undo {again}" for event, again in pairs))


def calibrate(
    session: CliRun,
    dry_run: Annotated[bool, Option("--dry-run", help="Show what would be found, and change nothing.")] = False,
) -> None:
    """Find from the memory's own texts what similarities mean in each language; what was decided stays as it is."""
    with session.memory() as memory:
        found = memory.store.calibrate(dry_run=dry_run)
        session.show({"languages": found}, lambda: render_calibrated(found))


_SHOWN = 50
_ID = 26
_PIPE_WIDTH = 400
"""Every event takes fewer characters."""
_TRIED = "only tried"
_REASONS = {
    "duplicate": "the same again",
    "merge": "new sentences",
    "conflict": "it spoke of several matters",
    "explicit_key": "explicit key",
    "corrected": "it was wrong",
    "stated_anew": "the newer says otherwise of the same",
    "corrected_in_words": "the newer says that it was wrong",
    "chat_key": "a chat model read another value of the same key",
    "decided_again": "a rule of an earlier version had superseded it",
    "contradiction": "both cannot hold",
    "newer_holds": "the newer holds",
    "older_holds": "the older holds",
    "both_hold": "both hold",
    "selected": "an answer that was rated good rests on it",
    "helpful": "an answer that helped rests on it",
    "unhelpful": "an answer that was rated bad rests on it",
    "taken_back": "rated again",
    "insight": "a question led to insight",
    "share": "many of its questions led to insight",
    "low_value": "few of its questions led to insight",
}
"""What the reasons of events are called."""
_VERBS = {
    Deed.MERGED: ("merged", "into"),
    Deed.SPLIT: ("split", "into"),
    Deed.SUPERSEDED: ("superseded", "by"),
    Deed.LIKELY_SUPERSEDED: ("possibly superseded", "by"),
    Deed.CONFLICT: ("conflicts", "with"),
    Deed.RESTORED: ("restored", "which was superseded by"),
}
"""The participle of each event, and the preposition before its other side."""


@contextmanager
def _progress_shown(*, quiet: bool) -> Generator[MaintainProgress | None]:
    """Show a bar on a terminal, nothing in a pipe; yield what receives how many were checked and how many are left."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    with counting_bar("Looking at what changed") as bar:
        task = bar.add_task("", total=None)

        def show(*, done: int, remaining: int) -> None:
            bar.update(task, completed=done, total=done + remaining)

        yield show


def render_maintained(memory: Memory, done: Maintained) -> Iterator[str]:
    """Yield what was done and why, then the counts."""
    yield from (_action_line(memory, action) for action in done.actions[:_SHOWN])
    if len(done.actions) > _SHOWN:
        yield f"… and {len(done.actions) - _SHOWN:,} more; --json lists all."
    verb = "Would check" if done.is_dry_run else "Checked"
    yield f"{verb} {counted(done.examined, 'episode')} in {done.seconds:.1f} s: {_counts(done)}."
    yield from _afterwards(done)
    yield from lingering_lines(done.lingering_in)


def _counts(done: Maintained) -> str:
    counts = [(done.count(deed), "", verb) for deed, (verb, _) in _VERBS.items()]
    counts += [(done.links, "up to " if done.is_dry_run else "", "links"), (len(done.pruned.episode_ids), "", "pruned")]
    return ", ".join(f"{most}{number:,} {word}" for number, most, word in counts if number) or "nothing to do"


def _afterwards(done: Maintained) -> Iterator[str]:
    for one in done.calibrated:
        if one.version is not None:
            yield f"Calibrated {one.language.value} on {one.texts:,} texts, version {one.version}."
    if done.evaluated:
        high = sum(one.is_high for one in done.evaluated)
        yield f"Evaluated {counted(len(done.evaluated), 'episode')} by their questions: {high:,} of high value."
    if done.embedded_queries:
        yield f"Embedded {counted(done.embedded_queries, 'question')}."
    yield from _read_and_expired(done)
    if done.review_ids:
        yield f"{counted(len(done.review_ids), 'contradiction')} to look at: evolore review list"
    yield from _canaries(done)
    yield from _reread(done.reread)
    if done.remaining:
        yield f"{done.remaining:,} left for the next call."
    if done.event_ids:
        yield f"Undo the last change with: evolore undo {done.event_ids[-1]}"


def _read_and_expired(done: Maintained) -> Iterator[str]:
    if done.facts_read:
        verb = "Would read" if done.is_dry_run else "Read"
        yield f"{verb} what {counted(done.facts_read, 'statement')} from before facts were kept state."
    if done.expired is not None and done.expired.receipt is not None:
        verb = "Would erase" if done.is_dry_run else "Erased"
        yield f"{verb} what is over by the settings: {receipt_line(done.expired.receipt)}."
    if done.overdue:
        yield f"{counted(done.overdue, 'document')} to verify: evolore list --overdue"
    if done.condensed:
        verb = "Would condense" if done.is_dry_run else "Condensed"
        yield f"{verb} the log by about {counted(done.condensed, 'event')} that say nothing any more."


def _canaries(done: Maintained) -> Iterator[str]:
    for one in done.canaries:
        stands = f"before {one.percent} % of people" if one.is_running else "over"
        yield f"The canary {one.id} is {stands}: {one.reason}"


def _reread(done: Reread | None) -> Iterator[str]:
    if done is None:
        return
    if done.items:
        whole, left = len(done.resolved), len(done.noted)
        yield (
            f"The chat model read {counted(done.items, 'place')} that had to be cut hard: {whole:,} found whole, {left:,} left "
            f"to you with a note ({counted(done.usage.calls, 'call')})."
        )
    for one in done.skips:
        detail = f": {one_line(one.detail)}" if one.detail else ""
        yield f"{counted(one.chunks, 'passage')} of such places not read ({one.reason}{detail})."


def _action_line(memory: Memory, action: Action) -> str:
    taken = action.episode_ids[: -1 if action.deed is Deed.MERGED else 1]
    others = action.episode_ids[len(taken) :]
    named = ", ".join(id_ for id_ in others if not id_.startswith("~"))
    named = named or ("a new episode" if others else "what was forgotten")
    what = " and ".join(f"{id_}{_quoted(memory, id_)}" for id_ in taken)
    verb, arrow = _VERBS[action.deed]
    return f"{verb:10}  {what} {arrow} {named}: {action.reason}"


def _quoted(memory: Memory, id_: str) -> str:
    """Quote the beginning of what an episode says; nothing of one that is only planned."""
    return "" if id_.startswith("~") else f" “{shortened(getattr(memory.show(id_), 'text', ''))}”"


def render_history(events: Sequence[EventRecord], *, memory: Memory | None = None) -> None:
    """Print events, a line each in a pipe; where a line is too long for a terminal, its words go on below."""
    console = open_console()
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True, min_width=_ID)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for event in events:
        when = event.recorded_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        table.add_row(event.id, when, Text(_happened(event) + ("" if memory is None else _about(memory, event))))
    console.print(table, soft_wrap=False)
    if not events:
        console.print("Nothing happened here yet." if memory is not None else "Nothing happened to it yet.")


def _last_change(memory: Memory, events: Sequence[EventRecord]) -> str | None:
    """Return the id of the last change in effect; None where it erased something, or what it changed was erased."""
    changes = [one for one in events if one.can_be_undone or one.kind == "teaching_withdrawn"]
    last = [one for one in changes if not (one.undone_by or one.undoes)][-1:]
    with suppress(NotFound):
        return next((one.id for one in last if one.can_be_undone and all(map(memory.show, one.episode_ids))), None)
    return None


def _about(memory: Memory, event: EventRecord) -> str:
    """Quote what an event is about; of several the first, and nothing of what was forgotten."""
    for id_ in dict.fromkeys((event.subject_id, *event.episode_ids)):
        with suppress(NotFound, AmbiguousId, InvalidValue):
            item = memory.show(id_)
            return f": {short_source(item.source)}" if isinstance(item, Document) else _quoted(memory, id_)
    return ""


def _happened(event: EventRecord) -> str:
    """Describe in words what an event did, why, and what became of it."""
    kind = words(event.kind)
    reason = _REASONS.get(event.reason or "", words(event.reason or ""))
    notes = [f"{kind}: {reason}" if reason and reason != kind else kind]
    if event.undoes:
        notes.append(f"undoes {event.undoes}")
    if event.undone_by:
        notes.append(f"undone by {event.undone_by}")
    if event.principal:
        notes.append(f"by {one_line(event.principal)}")
    return "; ".join(notes)


def render_calibrated(found: Sequence[Calibrated]) -> Iterator[str]:
    """Yield what was found, a line a language."""
    for one in found:
        yield (
            f"{one.language.value}: {one.texts:,} texts, one matter from a centred cosine of {-one.offset / one.slope:.2f} "
            f"on, a copy from a centred cosine of {one.copy_cosine:.2f} on ({_kept(one)})"
        )


def _kept(one: Calibrated) -> str:
    """Return what holds from now on; what was only tried would be the next version."""
    if one.reason == _TRIED:
        return "would become the next version"
    return f"kept as it was: {one.reason}" if one.reason else f"version {one.version}"


def render_remembered(remembered: Remembered) -> None:
    """Print a statement's id; its outcome goes to standard error, so that the id is alone."""
    open_console().print(remembered.id)
    notes = open_console(stderr=True)
    if remembered.secrets:
        notes.print(Text(f"It seems to hold a secret: {places_of(remembered.secrets)}."))
    one = remembered.integrated
    if one.merged_with is not None:
        notes.print(Text(f"Became one with {one.merged_with}: {one.reason}. {one.episode_id} represents both."))
    if one.parts:
        notes.print(Text(f"Split into {', '.join(one.parts)}: it spoke of {len(one.parts)} matters."))
    for actions, form in (
        (remembered.replaced, "It replaces {}: {}."),
        (remembered.possibly_replaced, "It possibly replaces {}: {}. Both stay active."),
        (remembered.conflicts, "It contradicts {}: {}. See `evolore review list`."),
    ):
        for action in actions:
            notes.print(Text(form.format(action.episode_ids[0], action.reason)))
    if remembered.is_procedure:
        waits = (f"Others get it once it is reviewed: evolore review show {id_}" for id_ in remembered.review_ids)
        notes.print(next(waits, "These steps are known already: how they turned out is counted there."))
    events = [action.event_id for action in one.actions if action.event_id is not None]
    if events:
        notes.print(f"Undo the last change with: evolore undo {events[-1]}")


def resonate(
    session: CliRun,
    episode_ids: Annotated[
        list[str], Argument(metavar="EPISODE", help="Ids of statements or passages, or their beginnings.")
    ],
    arousal: Annotated[float | None, Option(help="How strongly the use was felt, 0 to 1; it must be said.")] = None,
) -> None:
    """Record that memories were used: how strongly they are felt moves a fifth of the way to how the use was felt.

    If the mean of what was stated or moved is above 0.6 then, all of it is scaled by 0.9. `undo` takes either back.
    """
    with session.memory() as memory:
        if arousal is None:
            raise InvalidValue("It is not said how strongly the use was felt: add --arousal with a number from 0 to 1.")
        resonated = memory.questions.resonate(*episode_ids, arousal=arousal)
        session.show(resonated, lambda: _render(resonated))


def _render(resonated: Resonated) -> None:
    for episode in resonated.episodes:
        felt = "-" if episode.arousal is None else f"{episode.arousal:.2f}"
        typer.echo(f"{felt}  {episode.id}")
    if resonated.event_id is None:
        typer.echo("Nothing moved.")
    if resonated.deflation_id is not None:
        typer.echo(f"The mean was above 0.6: {resonated.deflated:,} scaled by 0.9.")
        typer.echo(f"Take that back first with: evolore undo {resonated.deflation_id}")
    if resonated.event_id is not None:
        typer.echo(f"Undo it with: evolore undo {resonated.event_id}")
