"""List what happened to an episode, and undo it."""

from __future__ import annotations

from evolore.domain.checks import check_count
from evolore.errors import InvalidValue, NotFound
from evolore.flows.browse import resolve
from evolore.flows.context import Context
from evolore.flows.rate import follow_ratings
from evolore.flows.remember.world import let_items_follow
from evolore.ports import ChangeKind, EventRecord, Undone
from evolore.store.writing import StoreWriter

_NEWEST = 20


def history(context: Context, item_id: str | None, *, limit: int | None = None) -> tuple[EventRecord, ...]:
    """Return the events that made, changed or joined an item, or the newest of all, oldest first.

    Raises:
        NotFound: The id names nothing.
        AmbiguousId: It begins several ids.
        InvalidValue: ``limit`` is below 1.
    """
    if limit is not None:
        check_count(limit, "limit")
    with context.store.read(context.namespace) as reader:
        if item_id is None:
            return reader.newest_events(limit or _NEWEST)
        return reader.history(resolve(reader, item_id))[-(limit or 0) :]


def undo(context: Context, event_id: str, *, cascade: bool = False) -> Undone:
    """Undo what an event did, and with ``cascade`` first what depends on it.

    Raises:
        NotFound: No event that can be undone has the id, or what it changed was erased.
        AmbiguousId: It begins several ids.
        InvalidValue: It was undone already, or later events depend on it.
    """
    wanted = event_id.strip().lower()
    if not wanted:
        raise InvalidValue("The event's id is blank: use the id that the change was reported with.")
    with context.store.write(context.namespace, principal=context.principal) as writer:
        event = _event(writer, wanted)
        at = context.clock.now()
        undone = writer.undo(event.id, cascade=cascade, at=at)
        events = [writer.event(one) for one in undone.undone_ids]
        touched = frozenset(id_ for one in events for id_ in one.episode_ids)
        settled = [one for one in events if one.kind == ChangeKind.CONFLICT_SETTLED.value]
        unsettled = frozenset(id_ for one in settled for id_ in one.episode_ids)
        let_items_follow(writer, at=at, undone=touched, unsettled=unsettled)
        for id_ in writer.stirred_since(undone.undone_ids, before=undone.event_ids[0]):
            record = writer.query(id_)
            if record is not None:
                follow_ratings(writer, record, settings=context.settings.queries, at=at)
        return undone


def _event(writer: StoreWriter, wanted: str) -> EventRecord:
    try:
        return writer.event(wanted)
    except NotFound as error:
        items = writer.resolve(wanted)
        if not items:
            raise
        raise NotFound(
            f"No event has the id {wanted!r}, an item has: `evolore history {items[0]}` shows the ids of its events."
        ) from error
