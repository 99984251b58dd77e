"""What happened to an episode, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.errors import InvalidValue
from evolore.flows.browse import resolve
from evolore.flows.rating import follow_ratings
from evolore.flows.waiting import let_items_follow

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.ports import EventRecord, Undone


def history(context: Context, episode_id: str) -> tuple[EventRecord, ...]:
    """Give the events that made, changed or joined an episode, oldest first.

    Raises:
        NotFound: The id names nothing.
        AmbiguousId: It begins several ids.
    """
    with context.store.read(context.namespace) as reader:
        return reader.history(resolve(reader, episode_id))


def undo(context: Context, event_id: str, *, cascade: bool = False) -> Undone:
    """Take back what an event did, and with ``cascade`` first what depends on it.

    Raises:
        NotFound: No event that can be undone has the id, or what it changed was erased.
        AmbiguousId: It begins several ids.
        InvalidValue: It was undone already, or later events depend on it.
    """
    wanted = event_id.strip().lower()
    if not wanted:
        raise InvalidValue("The event's id is blank: give the id that the change was reported with.")
    with context.store.write(context.namespace, principal=context.principal) as writer:
        event = writer.event(wanted)
        at = context.clock.now()
        undone = writer.undo(event.id, cascade=cascade, at=at)
        touched = frozenset(id_ for one in undone.undone_ids for id_ in writer.event(one).episode_ids)
        let_items_follow(writer, at=at, undone=touched)
        for id_ in writer.stirred_since(undone.undone_ids, before=undone.event_ids[0]):
            record = writer.query(id_)
            if record is not None:
                follow_ratings(writer, record, settings=context.query_settings, at=at)
        return undone
