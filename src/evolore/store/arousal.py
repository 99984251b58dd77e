"""How strongly episodes were felt is changed after the fact: every change an event, and each can be undone."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import Row, and_, bindparam, select, update

from evolore.domain.checks import check_share
from evolore.errors import InvalidValue, NotFound
from evolore.store.events import EventKind
from evolore.store.tables import episodes, events

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from evolore.store.batch import Batch

_BATCH = 500
_SHOWN = 3
_REASON = re.compile("[a-z_]{1,40}")
_KINDS = (EventKind.AROUSAL_CHANGED.value, EventKind.AROUSAL_RESTORED.value)


def set_arousal(batch: Batch, changes: Mapping[str, float], *, reason: str) -> str | None:
    """Change the arousal of episodes that are still there, and give the event that says so.

    Returns:
        None where nothing changed: no episode is there any more, or each has the value already.

    Raises:
        InvalidValue: A value is no share, or the reason not one word.
    """
    if not _REASON.fullmatch(reason):
        raise InvalidValue(
            f"The reason is {reason!r}: give up to 40 small letters and underscores, such as 'resonance'; events hold "
            "no text."
        )
    for value in changes.values():
        check_share(value, "arousal")
    old = _present(batch, changes)
    new = {id_: float(value) for id_, value in changes.items() if id_ in old and old[id_] != value}
    return _change(batch, EventKind.AROUSAL_CHANGED, old, new, about={"reason": reason}) if new else None


def undo_arousal(batch: Batch, event_id: str) -> str:
    """Give the episodes that an event changed the arousal they had before, and give the event that says so.

    Episodes that were forgotten since are left out. A later change that was itself undone stands in no way.

    Raises:
        NotFound: No change of arousal has the id, or nothing that it changed is there any more.
        InvalidValue: One of them is no longer as the event left it.
    """
    here = (events.c.ns == batch.ns, events.c.id == event_id, events.c.kind.in_(_KINDS))
    event = batch.connection.execute(select(events).where(*here)).one_or_none()
    if event is None:
        raise NotFound(f"No change of arousal has the id {event_id!r} here: give the id of the event that made it.")
    body = json.loads(event.body)
    after: dict[str, float | None] = dict(zip(body["items"], body["new"], strict=True))
    before: dict[str, float | None] = dict(zip(body["items"], body["old"], strict=True))
    old = _present(batch, before)
    if not old:
        raise NotFound(
            f"Nothing whose arousal the event {event_id!r} changed is there any more: there is no undoing it."
        )
    if any(value != after[id_] for id_, value in old.items()):
        raise _changed_again(batch, event, frozenset(old))
    restored = {id_: value for id_, value in before.items() if id_ in old}
    return _change(batch, EventKind.AROUSAL_RESTORED, old, restored, about={"undoes": event_id})


def changed_since(connection: Connection, ns: int, seq: int) -> set[str]:
    """Give the episodes whose arousal changed in events behind a number; what cannot be read is the chain's to tell."""
    return {id_ for event in _events_behind(connection, ns, seq) for id_ in _items(event)}


def arousal_of(connection: Connection, ns: int, ids: Iterable[str]) -> dict[str, float | None]:
    """Give the arousal of those of these episodes that are there."""
    wanted = list(ids)
    found: dict[str, float | None] = {}
    for start in range(0, len(wanted), _BATCH):
        here = (episodes.c.ns == ns, episodes.c.id.in_(wanted[start : start + _BATCH]))
        rows = connection.execute(select(episodes.c.id, episodes.c.arousal).where(*here))
        found |= {row.id: row.arousal for row in rows}
    return found


def _present(batch: Batch, ids: Iterable[str]) -> dict[str, float | None]:
    return arousal_of(batch.connection, batch.ns, ids)


def _change(
    batch: Batch,
    kind: EventKind,
    old: Mapping[str, float | None],
    new: Mapping[str, float | None],
    *,
    about: Mapping[str, str],
) -> str:
    """Write new values and one event; indexes that are open hear of it from the event."""
    this = and_(episodes.c.ns == batch.ns, episodes.c.id == bindparam("of"))
    written = update(episodes).where(this).values(arousal=bindparam("felt"))
    batch.connection.execute(written, [{"of": id_, "felt": value} for id_, value in new.items()])
    items = sorted(new)
    values = {"items": items, "old": [old[id_] for id_ in items], "new": [new[id_] for id_ in items]}
    return batch.append_events(kind, [("", {**about, **values})])[0]


def _changed_again(batch: Batch, event: Row[*tuple[Any, ...]], items: frozenset[str]) -> InvalidValue:
    behind = _events_behind(batch.connection, batch.ns, event.seq)
    later = [one.id for one in behind if items.intersection(_items(one))]
    more = f" and {len(later) - _SHOWN:,} more" if len(later) > _SHOWN else ""
    return InvalidValue(
        f"The event {event.id!r} cannot be undone: {', '.join(later[-_SHOWN:])}{more} changed the same items later. "
        "Undo those first, the last one first."
    )


def _events_behind(connection: Connection, ns: int, seq: int) -> Generator[Row[*tuple[Any, ...]]]:
    here = (events.c.ns == ns, events.c.seq > seq, events.c.kind.in_(_KINDS))
    yield from connection.execute(select(events.c.id, events.c.body).where(*here).order_by(events.c.seq))


def _items(event: Row[*tuple[Any, ...]]) -> Sequence[str]:
    try:
        return json.loads(event.body)["items"]
    except (ValueError, TypeError, KeyError):
        return ()
