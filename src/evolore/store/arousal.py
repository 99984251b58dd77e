"""How strongly episodes were felt is changed after the fact: every change an event, and each can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, select, update

from evolore.domain.checks import check_share
from evolore.ports.changes import check_reason
from evolore.store.change_sets import FieldDelta
from evolore.store.event_kinds import EventKind
from evolore.store.tables import episodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import Connection

    from evolore.store.batch import Batch

_BATCH = 500


def set_arousal(batch: Batch, changes: Mapping[str, float], *, reason: str) -> str | None:
    """Change the arousal of episodes that are still there, and give the event that says so.

    Returns:
        None where nothing changed: no episode is there any more, or each has the value already.

    Raises:
        InvalidValue: A value is no share, or the reason not one word.
    """
    check_reason(reason)
    for value in changes.values():
        check_share(value, "arousal")
    old = _present(batch, changes)
    new = {id_: float(value) for id_, value in changes.items() if id_ in old and old[id_] != value}
    return _change(batch, old, new, reason=reason) if new else None


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


def _change(batch: Batch, old: Mapping[str, float | None], new: Mapping[str, float | None], *, reason: str) -> str:
    """Write new values and one event; indexes that are open hear of it from the event."""
    this = and_(episodes.c.ns == batch.ns, episodes.c.id == bindparam("of"))
    written = update(episodes).where(this).values(arousal=bindparam("felt"))
    batch.connection.execute(written, [{"of": id_, "felt": value} for id_, value in new.items()])
    fields = [FieldDelta(episode_id=id_, name="arousal", old=old[id_], new=value) for id_, value in new.items()]
    return tell(batch, EventKind.AROUSAL_CHANGED, fields, {"reason": reason})


def tell(batch: Batch, kind: EventKind, fields: Sequence[FieldDelta], why: Mapping[str, str]) -> str:
    """Append the event of arousals that were written, and give its id."""
    in_order = sorted(fields, key=lambda one: one.episode_id)
    body = {
        **why,
        "items": [one.episode_id for one in in_order],
        "old": [one.old for one in in_order],
        "new": [one.new for one in in_order],
    }
    return batch.append_events(kind, [("", body)])[0]
