"""History of episodes, as the chain of events records it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from evolore.errors import AmbiguousId, NotFound
from evolore.ports import EventRecord
from evolore.store import event_bodies
from evolore.store.forms import moment
from evolore.store.sql import HERE, Opened, Prepared, ReadRow, among, as_json, listed
from evolore.store.tables import event_episodes, events

_BATCH = 500
_BEHIND = Prepared(
    sa.select(event_episodes.c.episode_id).where(
        event_episodes.c.ns == sa.bindparam("here"), event_episodes.c.seq > sa.bindparam("after")
    )
)
_PAST = tuple(events.c[name] for name in ("id", "seq", "kind", "subject_id", "principal", "recorded_at", "body"))
_WANTED = listed("ids")
_IS_NAMED = sa.and_(event_episodes.c.ns == HERE, event_episodes.c.episode_id == _WANTED.c.value)


def _of_each(*conditions: sa.ColumnElement[bool]) -> sa.CompoundSelect[*tuple[Any, ...]]:
    """Select the events that name each of some ids in their bodies, and those that are about it; with each id a null."""
    pairs = _WANTED.outerjoin(event_episodes, _IS_NAMED)
    is_it = sa.and_(events.c.ns == HERE, events.c.seq == event_episodes.c.seq, *conditions)
    is_about = sa.and_(events.c.ns == HERE, events.c.subject_id == _WANTED.c.value, *conditions)
    of = _WANTED.c.value.label("of")
    named = sa.select(of, *_PAST).select_from(pairs.outerjoin(events, is_it))
    return sa.union_all(named, sa.select(of, *_PAST).select_from(_WANTED.outerjoin(events, is_about)))


_OF_EACH = Prepared(_of_each())
_OF_EACH_AND_KIND = Prepared(_of_each(events.c.kind.in_(among("kinds"))))
_THAT_NAME = (
    sa.select(event_episodes.c.seq)
    .where(event_episodes.c.ns == HERE, event_episodes.c.episode_id.in_(among("ids")))
    .where(event_episodes.c.seq >= sa.bindparam("from", type_=sa.Integer))
)
_NAMING = Prepared(sa.select(*_PAST).where(events.c.ns == HERE, events.c.seq.in_(_THAT_NAME)))
UNDOING = frozenset((event_bodies.EventKind.UNDONE.value, event_bodies.EventKind.AROUSAL_RESTORED.value))


class Past:
    """One event, read."""

    def __init__(self, row: sa.Row[*tuple[Any, ...]] | ReadRow) -> None:
        self.id: str = row.id
        self.seq: int = row.seq
        self.kind: str = row.kind
        self.subject_id: str = row.subject_id
        self.principal: str | None = row.principal
        self.recorded_at: str = row.recorded_at
        body = event_bodies.read_body(row.body)
        self.reason: str | None = body.get("reason")
        self.takes_back: str | None = body.get("takes_back")
        self.undoes: str | None = body.get("undoes") if row.kind in UNDOING else None
        self.done: event_bodies.ChangeSet = event_bodies.read_change_set(row.kind, body, row.recorded_at)
        about = {row.subject_id} if row.kind in event_bodies.ABOUT else set[str]()
        named = frozenset[str]() if row.kind in event_bodies.EVOLVING else event_bodies.named_in(row.kind, body)
        self.ids = named.difference(self.done.questions, self.done.feedback) | about

    def record(self, undone_by: str | None) -> EventRecord:
        """Return the event as callers see it."""
        withdrawal = self.done.withdrawal
        return EventRecord(
            id=self.id,
            seq=self.seq,
            kind=self.kind,
            recorded_at=moment(self.recorded_at),
            principal=self.principal,
            reason=self.reason,
            episode_ids=tuple(sorted(self.ids)),
            undone_by=undone_by,
            undoes=self.undoes,
            can_be_undone=self.kind in event_bodies.UNDOABLE and not (withdrawal is not None and withdrawal.is_erased),
            subject_id=self.subject_id,
        )


class Chain:
    """Events that name some episodes, with what undid what, of all events behind some number that name them."""

    def __init__(self, found: Iterable[Past]) -> None:
        self.events = {one.id: one for one in sorted(found, key=lambda one: one.seq)}
        self._undone: dict[str, str] = {}
        for one in reversed(self.events.values()):  # what undoes an event comes later, so it is settled before it
            if one.undoes is not None and one.id not in self._undone:
                self._undone[one.undoes] = one.id

    def undone_by(self, event_id: str) -> str | None:
        """Return the event that undid another and is in effect; None where that one is in effect."""
        return self._undone.get(event_id)

    def behind(self, seq: int) -> Iterator[Past]:
        """Yield the events behind a number, in order, that are in effect and do not cancel another behind it."""
        for one in self.events.values():
            undone = self.events.get(one.undoes or "")
            is_cancelling = undone is not None and undone.seq >= seq
            if one.seq > seq and self.undone_by(one.id) is None and not is_cancelling:
                yield one


def naming(connection: sa.Connection, ns: int, ids: Collection[str], *, from_seq: int = 0) -> Chain:
    """Read the events, from a number on, whose bodies name any of some episodes."""
    if not ids:
        return Chain(())
    rows = _NAMING.rows(connection, {"here": ns, "ids": as_json(sorted(ids)), "from": from_seq})
    return Chain(Past(row) for row in rows)


def find(connection: sa.Connection, ns: int, event_id: str) -> Past | None:
    """Read one event by its whole id."""
    row = connection.execute(_select(ns).where(events.c.id == event_id)).one_or_none()
    return None if row is None else Past(row)


class HistoryReader(Opened):
    """One namespace's events at one moment."""

    def histories(
        self, ids: Collection[str], *, kinds: Collection[str] | None = None
    ) -> Mapping[str, tuple[EventRecord, ...]]:
        """Return of each of these the events of some kinds that made, changed or joined it, oldest first."""
        if not ids:
            return {}
        wanted = {"here": self._ns, "ids": as_json(ids)}
        if kinds is None:
            rows = _OF_EACH.rows(self._connection, wanted)
        else:
            rows = _OF_EACH_AND_KIND.rows(self._connection, {**wanted, "kinds": as_json(sorted({*kinds, *UNDOING}))})
        found: dict[str, dict[int, Past]] = {id_: {} for id_ in ids}
        for row in rows:
            if row.id is not None:
                found[row.of].setdefault(row.seq, Past(row))
        return {id_: _told(Chain(past.values()), kinds) for id_, past in found.items()}

    def history(self, episode_id: str, *, kinds: Collection[str] | None = None) -> tuple[EventRecord, ...]:
        """Return the events that made, changed or joined an episode, oldest first; only those of some kinds, or all."""
        return self.histories([episode_id], kinds=kinds)[episode_id]

    def newest_events(self, limit: int) -> tuple[EventRecord, ...]:
        """Return the newest events of all, oldest first."""
        query = _select(self._ns).order_by(events.c.seq.desc()).limit(limit)
        chain = Chain([Past(row) for row in self._connection.execute(query)])
        return tuple(one.record(chain.undone_by(one.id)) for one in chain.events.values())

    def event(self, prefix: str) -> EventRecord:
        """Return the event whose id begins so."""
        begin = (events.c.id >= prefix, events.c.id < prefix + "~")
        found = [
            Past(row)
            for row in self._connection.execute(_select(self._ns).where(*begin).order_by(events.c.id).limit(2))
        ]
        if not found or not prefix:
            raise NotFound(f"No event has the id {prefix!r} here: `evolore history` shows the ids of events.")
        if len(found) > 1:
            raise AmbiguousId(f"{prefix!r} begins several ids of events, such as {found[0].id} and {found[1].id}.")
        return found[0].record(_undone_by(self._connection, self._ns, found[0]))


def _told(chain: Chain, kinds: Collection[str] | None) -> tuple[EventRecord, ...]:
    found = (one for one in chain.events.values() if kinds is None or one.kind in kinds)
    return tuple(one.record(chain.undone_by(one.id)) for one in found)


def named_behind(connection: sa.Connection, ns: int, seq: int) -> list[str]:
    """Return the episodes that events behind a number name in their bodies: what they changed in place is among them."""
    return list(dict.fromkeys(_BEHIND.scalars(connection, {"here": ns, "after": seq})))


def name_episodes(connection: sa.Connection, ns: int) -> None:
    """Write again which episodes the events name."""
    connection.execute(sa.delete(event_episodes).where(event_episodes.c.ns == ns))
    rows = [{"ns": ns, "episode_id": id_, "seq": seq} for id_, seq in sorted(named_by_events(connection, ns))]
    if rows:
        connection.execute(sa.insert(event_episodes), rows)


def named_by_events(connection: sa.Connection, ns: int) -> set[tuple[str, int]]:
    """Return which episodes the bodies of events name, as the bodies say: each with the event's number."""
    query = sa.select(events.c.seq, events.c.kind, events.c.body).where(
        events.c.ns == ns, events.c.kind.in_(event_bodies.NAMING)
    )
    with connection.execute(query.execution_options(yield_per=_BATCH)) as rows:
        return {
            (id_, row.seq) for row in rows for id_ in event_bodies.named_in(row.kind, event_bodies.read_body(row.body))
        }


def _undone_by(connection: sa.Connection, ns: int, one: Past) -> str | None:
    if one.kind not in event_bodies.UNDOABLE:
        return None
    return naming(connection, ns, one.done.named, from_seq=one.seq).undone_by(one.id)


def _select(ns: int) -> sa.Select[*tuple[Any, ...]]:
    return sa.select(*_PAST).where(events.c.ns == ns)


def of_kinds(connection: sa.Connection, ns: int, kinds: Collection[str]) -> list[Past]:
    """Read all events of some kinds, in order."""
    query = _select(ns).where(events.c.kind.in_(sorted(kinds))).order_by(events.c.seq)
    return [Past(row) for row in connection.execute(query)]


def withdrawals(connection: sa.Connection, ns: int) -> Chain:
    """Read the events by which teaching was withdrawn, and those that undid that or did it again."""
    is_back = (events.c.kind == event_bodies.EventKind.UNDONE.value) & events.c.body.contains('"withdrawal"')
    query = _select(ns).where((events.c.kind == event_bodies.EventKind.TEACHING_WITHDRAWN.value) | is_back)
    return Chain(Past(row) for row in connection.execute(query.order_by(events.c.seq)))
