"""Condense the event log: old events without content become one row for each run of them.

Such a row keeps the hash before its run and the hash of the last event in it, so that the chain goes on through it. What it can
no longer show is vouched for by an event at the end of the chain, which holds a digest of all such rows and says how far the log was
looked through. Each time looks through a part of it; after the young part it begins again once a quarter is added.

With it go the old entries of the indexes' log that report to indexes what left them and was forgotten.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, Select, and_, delete, func, insert, select

from evolore.domain.filters import EVERYTHING
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch, OpenedToWrite, digest_of_runs
from evolore.store.forms import timestamp
from evolore.store.namespaces import FORGOTTEN_TO, maintained_to, set_maintained
from evolore.store.sql import Opened, among, as_json
from evolore.store.tables import (
    answers,
    documents,
    episodes,
    event_episodes,
    events,
    evolution_jobs,
    feedback,
    index_log,
    namespaces,
    promotions,
    queries,
    review_items,
)

LEAST = 1000
"""So many old events make it worth while to look through them: each time writes one."""

MOST = 50_000
"""So many are looked through each time."""

_PASSING = frozenset(
    kind.value
    for kind in (
        EventKind.QUERY_EDGES_DISMISSED,
        EventKind.CALIBRATED,
        EventKind.SOURCE_FOLLOWED,
        EventKind.LOG_CONDENSED,
        EventKind.CONDENSED,
    )
)
"""Kinds of events that nothing is undone by, and by which no text, rating or person is vouched for."""

_STAYING = frozenset(
    kind.value for kind in (EventKind.TEACHING_WITHDRAWN, EventKind.REEMBEDDED, EventKind.LABELS_CHANGED)
)
"""Kinds of events that may matter where nothing is left of what they name."""

_ID = re.compile(r"(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])")
_KEPT = (episodes, documents, queries, answers, feedback, review_items, evolution_jobs, promotions)
"""Where an event's ids may still lead."""

_LOG, _RUN = "log", "condensed"
_FIELDS = ("seq", "id", "kind", "subject_id", "principal", "body", "recorded_at", "previous_hash", "hash")
_BATCH = 1000


class CondensingReader(Opened):
    """What of one namespace's event log can be condensed."""

    def condensable_events(self, *, before: datetime) -> int | None:
        """Return how many rows of the event log of before a moment the next condensing saves; None where none is due."""
        if not _is_due(self._connection, self._ns, timestamp(before)):
            return None
        return _plan(self._connection, self._ns, before).saves


class CondensingWriter(OpenedToWrite):
    """One namespace's event log, inside a write transaction."""

    def condense_events(self, *, before: datetime, at: datetime) -> int:
        """Condense old events that say nothing any more; return how many rows that saves.

        Questions that led to nothing say nothing any more, nor do events about things that were all forgotten.
        """
        batch = self._batch(at)
        connection, ns = batch.connection, batch.ns
        if not _is_due(connection, ns, timestamp(before)):
            return 0
        plan = _plan(connection, ns, before)
        _drop_what_left(batch, _log_at(connection, ns, timestamp(before)))
        for run in plan.runs:
            for table in (events, event_episodes):
                connection.execute(
                    delete(table).where(table.c.ns == ns, table.c.seq >= run.first, table.c.seq <= run.last["seq"])
                )
            connection.execute(insert(events), [run.row(ns)])
        log = connection.scalar(select(namespaces.c.log_seq).where(namespaces.c.ns == ns)) or 0
        batch.append_events(EventKind.LOG_CONDENSED, [(_LOG, {**plan.told(connection, ns), "log": log})])
        return plan.saves


def _log_at(connection: Connection, ns: int, before: str) -> int:
    """Return where the indexes' log was when the log was condensed last before a moment."""
    body = connection.scalar(_condensed_before(ns).where(events.c.recorded_at < before).limit(1))
    return 0 if body is None else json.loads(body).get("log", 0)


def _drop_what_left(batch: Batch, until: int) -> None:
    """Delete the entries up to a number of the indexes' log that record how what was forgotten came and left.

    Indexes that are not as far are built again: ``FORGOTTEN_TO`` marks them.
    """
    connection, ns = batch.connection, batch.ns
    if until <= maintained_to(connection, ns, FORGOTTEN_TO):
        return
    there = select(episodes.c.id).where(episodes.c.ns == ns, episodes.c.id == index_log.c.episode_id)
    last = select(func.max(index_log.c.seq)).where(index_log.c.ns == ns).scalar_subquery()  # says where the log ends
    gone = (index_log.c.seq <= until, index_log.c.seq < last, ~there.exists())
    connection.execute(delete(index_log).where(index_log.c.ns == ns, *gone))
    set_maintained(connection, ns, FORGOTTEN_TO, until)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hand:
    """How far the log was looked through."""

    until: int = 0  #: The number of the last event that was.
    is_round: bool = True  #: Whether that was the last of the old ones.
    begun_at: int = 0  #: The number of the last event when this round began.
    rows: int = 0  #: How many rows there were then.


def _condensed_before(ns: int) -> Select[str]:
    """Select the bodies of the events that record how the log was condensed, the last first."""
    this = and_(events.c.ns == ns, events.c.subject_id == _LOG, events.c.kind == EventKind.LOG_CONDENSED.value)
    return select(events.c.body).where(this).order_by(events.c.seq.desc())


def _hand(body: str | None) -> _Hand:
    if body is None:
        return _Hand()
    read: dict[str, Any] = json.loads(body)
    return _Hand(**{name: read[name] for name in ("until", "is_round", "begun_at", "rows")})


def _is_due(connection: Connection, ns: int, before: str) -> bool:
    body = _condensed_before(ns).limit(1).scalar_subquery()
    at = connection.execute(select(namespaces.c.event_seq, body).where(namespaces.c.ns == ns)).one_or_none()
    if at is None:
        return False
    last, hand = at[0], _hand(at[1])
    if hand.is_round and last - hand.begun_at < max(LEAST, hand.rows // 4):
        return False
    after = 0 if hand.is_round else hand.until
    behind = select(events.c.recorded_at).where(events.c.ns == ns, events.c.seq > after).order_by(events.c.seq)
    youngest = connection.scalar(behind.offset(LEAST - 1).limit(1))
    return (youngest is not None and youngest < before) or not hand.is_round


@dataclass(frozen=True, slots=True, kw_only=True)
class _EventRun:
    """Events that follow one another and say nothing any more."""

    first: int  #: The number of the first.
    last: RowMapping  #: The last of them, as it lies in its table.
    previous_hash: str  #: What precedes the first.
    rows: int  #: How many rows they are now.

    def row(self, ns: int) -> dict[str, Any]:
        """Return the row that represents them."""
        body = json.dumps({"events": self.last["seq"] - self.first + 1, "first": self.first}, sort_keys=True)
        kept = {name: self.last[name] for name in ("seq", "id", "recorded_at", "hash")}
        made = {"kind": EventKind.CONDENSED.value, "subject_id": _RUN, "principal": None, "body": body}
        return {"ns": ns, **kept, **made, "previous_hash": self.previous_hash}


@dataclass(frozen=True, slots=True, kw_only=True)
class _CondensingPlan:
    """What one condensing does."""

    hand: _Hand
    runs: tuple[_EventRun, ...]

    @property
    def saves(self) -> int:
        return sum(run.rows - 1 for run in self.runs)

    def told(self, connection: Connection, ns: int) -> dict[str, Any]:
        """Return what the event says that vouches for all rows that represent runs."""
        this = and_(events.c.ns == ns, events.c.subject_id == _RUN, events.c.kind == EventKind.CONDENSED.value)
        rows = connection.execute(select(*(events.c[name] for name in _FIELDS)).where(this).order_by(events.c.seq))
        digest = digest_of_runs(["" if value is None else value for value in row] for row in rows)
        hand = {name: getattr(self.hand, name) for name in ("until", "is_round", "begun_at", "rows")}
        return {**hand, "digest": digest, "saves": self.saves}


def _plan(connection: Connection, ns: int, before: datetime) -> _CondensingPlan:
    hand, young = _hand(connection.scalar(_condensed_before(ns).limit(1))), timestamp(before)
    if hand.is_round:
        count = connection.scalar(select(func.count()).where(events.c.ns == ns)) or 0
        last = connection.scalar(select(namespaces.c.event_seq).where(namespaces.c.ns == ns)) or 0
        hand = _Hand(is_round=False, begun_at=last, rows=count)
    behind = select(*(events.c[name] for name in _FIELDS)).where(events.c.ns == ns, events.c.seq > hand.until)
    rows = connection.execute(behind.order_by(events.c.seq).limit(MOST)).mappings().all()
    old = [row for row in rows if row["recorded_at"] < young]
    is_round = len(rows) < MOST or len(old) < len(rows)
    until = old[-1]["seq"] if old else hand.until
    runs = tuple(_runs(old, _says_nothing(connection, ns, old)))
    return _CondensingPlan(
        hand=_Hand(until=until, is_round=is_round, begun_at=hand.begun_at, rows=hand.rows), runs=runs
    )


def _runs(rows: Iterable[RowMapping], say_nothing: Iterable[bool]) -> Iterator[_EventRun]:
    """Yield the runs that are worth a row: of several, or of one that names what was forgotten."""
    open_: _EventRun | None = None
    for row, says_nothing in zip(rows, say_nothing, strict=True):
        if not says_nothing:
            if open_ is not None and _is_worth_it(open_):
                yield open_
            open_ = None
        elif open_ is None:
            first = int(json.loads(row["body"])["first"]) if row["kind"] == EventKind.CONDENSED.value else row["seq"]
            open_ = _EventRun(first=first, last=row, previous_hash=row["previous_hash"], rows=1)
        else:
            open_ = _EventRun(first=open_.first, last=row, previous_hash=open_.previous_hash, rows=open_.rows + 1)
    if open_ is not None and _is_worth_it(open_):
        yield open_


def _is_worth_it(run: _EventRun) -> bool:
    return run.rows > 1 or run.last["kind"] not in _PASSING


def _says_nothing(connection: Connection, ns: int, rows: list[RowMapping]) -> Iterator[bool]:
    """Yield of each row whether it says nothing any more."""
    for start in range(0, len(rows), _BATCH):
        some = rows[start : start + _BATCH]
        named = [frozenset(_ID.findall(f"{row['subject_id']} {row['body']}")) for row in some]
        there = _there(connection, ns, frozenset[str]().union(*named))
        for row, ids in zip(some, named, strict=True):
            is_gone = bool(ids) and ids.isdisjoint(there) and row["kind"] not in _STAYING and not _is_of_all(row)
            yield row["kind"] in _PASSING or is_gone


def _is_of_all(row: RowMapping) -> bool:
    """Return whether it is the erasure of a whole namespace, which covers all that was before."""
    return row["kind"] == EventKind.ERASED.value and json.loads(row["body"]).get("by") == EVERYTHING


def _there(connection: Connection, ns: int, ids: frozenset[str]) -> frozenset[str]:
    """Return those of some ids that lead to anything."""
    found: set[str] = set()
    for table in _KEPT if ids else ():
        query = select(table.c.id).where(table.c.ns == ns, table.c.id.in_(among("ids")))
        found.update(connection.scalars(query, {"ids": as_json(sorted(ids))}))
    return frozenset(found)
