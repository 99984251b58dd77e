"""Undoing: what an event did is taken back exactly, after what depends on it, each time by another event."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue, NotFound
from evolore.ports import Undone
from evolore.store.arousal import tell
from evolore.store.change_sets import AROUSAL, UNDOABLE, ChangeSet
from evolore.store.changes import fields_of, refuse_unheld, write_fields
from evolore.store.edges import delete_edges, edge_rows, insert_edges
from evolore.store.event_kinds import EventKind
from evolore.store.history import find, naming
from evolore.store.undoing_queries import follow, left_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.store.batch import Batch
    from evolore.store.history import Past

_SHOWN = 5


def undo(batch: Batch, event_id: str, *, cascade: bool) -> Undone:
    """Take back what an event did, and with ``cascade`` first what depends on it, newest first.

    Raises:
        NotFound: No event that can be undone has the id, or what it changed was erased.
        InvalidValue: It was undone already, something depends on it, or what it wrote is no longer as it left it.
    """
    target = find(batch.connection, batch.ns, event_id)
    if target is None or target.kind not in UNDOABLE:
        what = f"; the event says: {target.kind.replace('_', ' ')}" if target is not None else ""
        raise NotFound(
            f"No change that can be undone has the id {event_id!r} here{what}. `evolore history` shows what can be, and "
            "`evolore forget` takes out what was remembered or added."
        )
    undoing = naming(batch.connection, batch.ns, target.done.named, from_seq=target.seq).undone_by(target.id)
    if undoing is not None:
        raise InvalidValue(
            f"The event {event_id!r} cannot be undone: {undoing} undid it already. Undo that one to do it again."
        )
    _refuse_erased(batch, target)
    dependants = _dependants(batch, target)
    if dependants and not cascade:
        raise _in_the_way(target, dependants)
    newest_first = (*reversed(dependants), target)
    return Undone(
        undone_ids=tuple(one.id for one in newest_first),
        event_ids=tuple(_take_back(batch, one) for one in newest_first),
    )


def _dependants(batch: Batch, target: Past) -> tuple[Past, ...]:
    """Give the later events in effect that wrote what one wrote or name what it made, and theirs; oldest first."""
    found: dict[str, Past] = {}
    waiting = [target]
    while waiting:
        one = waiting.pop()
        chain = naming(batch.connection, batch.ns, one.done.named, from_seq=target.seq)
        for later in chain.behind(one.seq):
            if later.id not in found and _depends(later.done, one.done) and not _is_void(batch, later.done):
                found[later.id] = later
                waiting.append(later)
    return tuple(sorted(found.values(), key=lambda one: one.seq))


def _depends(later: ChangeSet, earlier: ChangeSet) -> bool:
    # What was taken in and then held by a later merge too would stand beside it, were only the first undone.
    rests = later.held & earlier.moved
    return bool(later.touched & earlier.touched or later.ids & earlier.brought or rests)


def _is_void(batch: Batch, done: ChangeSet) -> bool:
    """Tell whether what an event made was erased, and with it all it had written of what is left."""
    there = fields_of(batch, done.ids)
    if not done.made or done.made_ids & set(there):
        return False
    return all(there[one.episode_id][one.name] != one.new for one in done.fields if one.episode_id in there)


def _in_the_way(target: Past, dependants: Sequence[Past]) -> InvalidValue:
    named = ", ".join(f"{one.id} ({one.kind})" for one in reversed(dependants[-_SHOWN:]))
    more = f" and {len(dependants) - _SHOWN:,} more" if len(dependants) > _SHOWN else ""
    return InvalidValue(
        f"The event {target.id!r} cannot be undone: {named}{more} changed the same items later, or what it made. Undo "
        "those first, the last one first, or all of them with cascade."
    )


def _refuse_erased(batch: Batch, target: Past) -> None:
    """Refuse to undo what was forgotten since; of arousals only where nothing is left.

    Raises:
        NotFound: It was.
    """
    ids = target.done.ids
    missing = sorted(ids - set(fields_of(batch, ids)))
    if target.kind in AROUSAL and len(missing) == len(ids):
        raise NotFound(
            f"Nothing whose arousal the event {target.id!r} changed is there any more: there is no undoing it."
        )
    if target.done.withdrawal is not None:
        if target.done.withdrawal.is_erased:
            raise NotFound(f"The event {target.id!r} cannot be undone: what it took back was erased, for good.")
    elif missing and target.kind not in AROUSAL:
        raise NotFound(f"The event {target.id!r} cannot be undone: {missing[0]} was erased since, for good.")


def _take_back(batch: Batch, target: Past) -> str:
    """Write the values that were before, and the event that says so."""
    _refuse_erased(batch, target)
    there = fields_of(batch, target.done.ids)
    back = left_of(batch, target.done.inverse, frozenset(there))
    fields = back.fields
    changed = sorted({one.episode_id for one in fields if there[one.episode_id][one.name] != one.old})
    if changed:
        raise InvalidValue(
            f"The event {target.id!r} cannot be undone: {', '.join(changed[:_SHOWN])} is no longer as it left it, by a "
            "newer version of a document or because something else was forgotten."
        )
    write_fields(batch, fields)
    if target.kind in AROUSAL:
        return tell(batch, EventKind.AROUSAL_RESTORED, fields, {"undoes": target.id})
    delete_edges(batch, back.removed)
    restored = edge_rows(batch, {edge.key for edge in back.added})
    insert_edges(batch, [edge for edge in back.added if edge.key not in restored])
    refuse_unheld(batch, back)
    event_id = batch.new_id()
    back = replace(back, deltas=follow(batch, back, target, event_id))
    batch.append_event(event_id, EventKind.UNDONE, target.subject_id, {"undoes": target.id, **back.body()})
    return event_id
