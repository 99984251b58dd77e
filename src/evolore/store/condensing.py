"""The event log is condensed: runs of old events that only say that nothing came of something become one row each.

Such a row keeps the hash before the run and the hash of its last event, so that the chain goes on through it. What it can no
longer show is vouched for by an event at the end of the chain: it holds a digest of all such rows, and how far they go.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, func, insert, select

from evolore.store.event_bodies import EventKind
from evolore.store.events import digest_of_runs
from evolore.store.rows import timestamp
from evolore.store.tables import events

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection, RowMapping

    from evolore.store.events import Batch

PASSING = frozenset(
    kind.value
    for kind in (
        EventKind.QUERY_EDGES_DISMISSED,
        EventKind.CALIBRATED,
        EventKind.SOURCE_FOLLOWED,
        EventKind.LOG_CONDENSED,
    )
)
"""Kinds of events that nothing is undone by, and that no text, rating or person is vouched for by. The first of them grows with
every question that is taken down; all others grow with what is kept."""

LEAST = 1000
"""So many events make it worth while: each time writes one."""

MOST = 100_000
"""So many events are looked at each time."""

_LOG = "log"
_RUN = "condensed"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Events that follow one another.

    Args:
        first: The number of the first.
        last: The last of them, as it lies in its table.
        previous_hash: What stands before the first.
    """

    first: int
    last: RowMapping
    previous_hash: str

    @property
    def count(self) -> int:
        return int(self.last["seq"]) - self.first + 1

    def row(self, ns: int) -> dict[str, Any]:
        """Give the row that stands for them."""
        body = json.dumps({"events": self.count, "first": self.first}, sort_keys=True, separators=(",", ":"))
        return {
            "ns": ns,
            "seq": self.last["seq"],
            "id": self.last["id"],
            "kind": EventKind.CONDENSED.value,
            "subject_id": _RUN,
            "principal": None,
            "body": body,
            "recorded_at": self.last["recorded_at"],
            "previous_hash": self.previous_hash,
            "hash": self.last["hash"],
        }


def condensable(connection: Connection, ns: int, *, before: datetime) -> int:
    """Count the events of before a moment that the next condensing does away with, or give 0 where it is not worth while."""
    window = _Window.of(connection, ns, timestamp(before))
    here = and_(events.c.ns == ns, events.c.seq > window.after, events.c.seq <= window.up_to)
    old = and_(here, events.c.recorded_at < timestamp(before), events.c.kind.in_(PASSING))
    if not window.is_worth_a_look:
        return 0
    count: int = connection.scalar(select(func.count()).where(old)) or 0
    return count if count >= LEAST or window.is_full else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Window:
    """What of the log is looked at, so that each time takes no longer than another.

    Args:
        after: The number of the event up to which it was looked at before.
        up_to: The number of the last that is looked at now.
        is_worth_a_look: Whether enough of it may be old.
        is_full: Whether all of it is, and it is as long as it may be.
    """

    after: int
    up_to: int
    is_worth_a_look: bool
    is_full: bool

    @classmethod
    def of(cls, connection: Connection, ns: int, before: str) -> _Window:
        after = _condensed_up_to(connection, ns)
        at = select(events.c.recorded_at).where(events.c.ns == ns).order_by(events.c.seq).limit(1)
        least, last = (connection.scalar(at.where(events.c.seq >= after + count)) for count in (LEAST, MOST))
        return cls(
            after=after,
            up_to=after + MOST,
            is_worth_a_look=least is not None and least < before,
            is_full=last is not None and last < before,
        )


def condense(batch: Batch, *, before: datetime) -> int:
    """Condense the events of before a moment; give how many rows that saves.

    Args:
        batch: The transaction.
        before: The moment.
    """
    connection, ns = batch.connection, batch.ns
    if not condensable(connection, ns, before=before):
        return 0
    until, runs = _runs(connection, ns, timestamp(before))
    for run in runs:
        those = and_(events.c.ns == ns, events.c.seq >= run.first, events.c.seq <= run.last["seq"])
        connection.execute(delete(events).where(those))
        connection.execute(insert(events), [run.row(ns)])
    body = {"digest": digest_of_runs(_condensed_rows(connection, ns)), "until": until, "runs": len(runs)}
    batch.append_events(EventKind.LOG_CONDENSED, [(_LOG, body)])
    return sum(run.count - 1 for run in runs)


def _condensed_up_to(connection: Connection, ns: int) -> int:
    """Give the number of the event up to which the log was condensed; 0 where it never was."""
    this = and_(events.c.ns == ns, events.c.subject_id == _LOG, events.c.kind == EventKind.LOG_CONDENSED.value)
    body = connection.scalar(select(events.c.body).where(this).order_by(events.c.seq.desc()).limit(1))
    return 0 if body is None else int(json.loads(body)["until"])


def _condensed_rows(connection: Connection, ns: int) -> list[tuple[Any, ...]]:
    this = and_(events.c.ns == ns, events.c.subject_id == _RUN, events.c.kind == EventKind.CONDENSED.value)
    fields = ("seq", "id", "kind", "subject_id", "principal", "body", "recorded_at", "previous_hash", "hash")
    query = select(*(events.c[name] for name in fields)).where(this).order_by(events.c.seq)
    return [tuple("" if value is None else value for value in row) for row in connection.execute(query)]


def _runs(connection: Connection, ns: int, before: str) -> tuple[int, list[_Run]]:
    """Give the number of the last event that was looked at, and the runs of at least two passing ones."""
    window = _Window.of(connection, ns, before)
    here = and_(events.c.ns == ns, events.c.seq > window.after, events.c.seq <= window.up_to)
    old = and_(here, events.c.recorded_at < before)
    columns = [events.c[name] for name in ("seq", "id", "kind", "recorded_at", "previous_hash", "hash")]
    until, runs, open_ = 0, list[_Run](), None
    for row in connection.execute(select(*columns).where(old).order_by(events.c.seq)).mappings():
        follows = open_ is not None and row["seq"] == open_.last["seq"] + 1
        if row["kind"] not in PASSING or (open_ is not None and not follows):
            runs += [open_] if open_ is not None and open_.count > 1 else []
            open_ = None
        if row["kind"] in PASSING:
            first, previous = (
                (row["seq"], row["previous_hash"]) if open_ is None else (open_.first, open_.previous_hash)
            )
            open_ = _Run(first=first, last=row, previous_hash=previous)
        until = row["seq"]
    runs += [open_] if open_ is not None and open_.count > 1 else []
    return until, runs
