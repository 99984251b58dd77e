"""Records a server keeps in the store: keys, refusals, replies to writes, jobs, schedules and messages.

Each belongs to the whole store; what is of one namespace names it. Only a job's result holds text of a memory,
which goes with its namespace.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, TypeVar, cast

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, and_, delete, func, insert, or_, select, update

from evolore.store.database import WriteTurn
from evolore.store.forms import moment, reader, row_of, timestamp, write
from evolore.store.opening import OpenStore
from evolore.store.sql import upsert
from evolore.store.tables import (
    api_keys,
    audit,
    background_jobs,
    background_lines,
    kept_replies,
    outbox,
    schedules,
    targets,
)

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
"""States of a background job, and of a message."""

STOPPING = "stopping"
"""The state of a background job that runs and was asked to stop: it does so after its present step."""

OPEN = (WAITING, RUNNING, STOPPING)
"""States of a background job that has not ended."""

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key by which somebody reaches the server."""

    id: str  #: Time-ordered.
    hash: str  #: Of the key; the key itself is not kept.
    prefix: str  #: How the key begins, so that people can distinguish keys.
    label: str  #: Whose it is, in words.
    scopes: tuple[str, ...]  #: What it may do.
    namespaces: tuple[str, ...]  #: In which namespaces; none for every one.
    created_at: datetime  #: When it was made.
    created_by: str | None = None  #: The key by which it was made; None on the command line.
    expires_at: datetime | None = None  #: When it ends; None for never.
    used_at: datetime | None = None  #: When it was last used, to the minute or so.
    revoked_at: datetime | None = None  #: When it was taken back; None while it holds.


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """What the server refused, or an administrative act."""

    id: str  #: Time-ordered.
    at: datetime  #: When.
    act: str  #: What was asked: method and route, or an act in a word.
    status: int  #: The HTTP status.
    key_id: str | None = None  #: By which key; None for none.
    namespace: str | None = None  #: In which namespace; None for none.
    detail: str = ""  #: More, never a text of a memory.


MOST_REFUSALS = 10_000
"""So many refusals are kept, the last ones; administrative acts all are."""

_REFUSED = audit.c.status >= HTTPStatus.BAD_REQUEST

REPLIES_KEPT = timedelta(hours=24)
"""So long a reply is kept under its idempotency key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReply:
    """What was replied to a write under an idempotency key."""

    key_id: str  #: Whose; empty where there are no keys.
    name: str  #: The idempotency key.
    asked: str  #: A hash of the request.
    status: int  #: The HTTP status; 0 while it is being done.
    body: Mapping[str, object]  #: The reply, as JSON.
    at: datetime  #: When.


@dataclass(frozen=True, slots=True, kw_only=True)
class BackgroundJob:
    """Work that the server does by itself."""

    id: str  #: Time-ordered.
    namespace: str  #: In which namespace.
    kind: str  #: What: ``evolve``, ``maintain``, ``reembed``, ``add`` and so on.
    subject: str  #: What it is about, such as a document; of one namespace, kind and subject at most one waits or runs.
    state: str  #: ``waiting``, ``running``, ``stopping``, ``done``, ``failed`` or ``cancelled``.
    body: Mapping[str, object]  #: What it was given.
    runs_at: datetime  #: When it may begin.
    created_at: datetime  #: When it was made.
    created_by: str | None = None  #: The key by which; None for a schedule or an unnamed caller.
    result: Mapping[str, object] | None = None  #: The result of it; None before.
    error: str | None = None  #: Why it failed last; None where it did not.
    attempts: int = 0  #: How often it was begun.
    owner: str | None = None  #: The process that runs it; None for none.
    seen_at: datetime | None = None  #: When that last said so.
    ended_at: datetime | None = None  #: When it ended; None before.

    @property
    def is_open(self) -> bool:
        """Whether it waits or runs."""
        return self.state in OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a background job is begun."""

    id: str  #: Time-ordered.
    namespace: str  #: In which namespace.
    kind: str  #: Of the job.
    body: Mapping[str, object]  #: What the job is given.
    cron: str  #: When, in five fields.
    zone: str  #: The time zone in which these are read.
    next_at: datetime  #: When it is due next.
    created_at: datetime  #: When it was made.
    is_paused: bool = False  #: Whether it waits.
    last_at: datetime | None = None  #: When it was due last; None for never.


@dataclass(frozen=True, slots=True, kw_only=True)
class Receiver:
    """Who is notified of what."""

    id: str  #: Time-ordered.
    namespace: str  #: Of what happens in which namespace.
    kind: str  #: ``webhook`` or ``apprise``.
    #: Where to.
    address: str = field(repr=False)  # of a webhook its path is a secret too
    secret: str = field(repr=False)  #: What signs messages to a webhook; empty for none.
    events: tuple[str, ...]  #: Of what.
    language: str  #: In which language: ``en``, ``ja``, ``zh``.
    created_at: datetime  #: When it was made.


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """A message that waits for its target, or was sent."""

    id: str  #: Time-ordered.
    target_id: str  #: Whom it is for.
    name: str  #: What distinguishes it from any other message to that target, so that it is sent once.
    event: str  #: What happened.
    body: Mapping[str, object]  #: What is sent.
    state: str  #: ``waiting``, ``running``, ``done`` or ``failed``.
    runs_at: datetime  #: When it may be sent.
    created_at: datetime  #: When it was made.
    attempts: int = 0  #: How often it was tried.
    error: str | None = None  #: Why that failed last; None where it did not.


_TABLES: Mapping[type, Table] = {
    ApiKey: api_keys,
    AuditEntry: audit,
    KeptReply: kept_replies,
    BackgroundJob: background_jobs,
    Schedule: schedules,
    Receiver: targets,
    Outgoing: outbox,
}


class Service:
    """Reads and writes what a server keeps; each call is a transaction of its own."""

    def __init__(self, opened: OpenStore) -> None:
        self._opened = opened

    def put(self, *values: object) -> None:
        """Write values, each new or in place of the one with its key."""
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            for value in values:
                _put(connection, value)

    def get(self, kind: type[Kept], /, **keys: Any) -> Kept | None:  # noqa: ANN401 - any field of it
        """Return the value with a key, such as ``id``; None for none."""
        return next(iter(self.find(kind, **keys)), None)

    def find(
        self,
        kind: type[Kept],
        /,
        *,
        limit: int | None = None,
        newest_first: bool = False,
        after: str | None = None,
        **fits: object,
    ) -> tuple[Kept, ...]:
        """List values whose fields are as given, by their ids.

        Args:
            kind: Of which values.
            limit: How many at most.
            newest_first: Whether the last comes first.
            after: Only those behind this id, in that order: where the last page ended.
            **fits: Fields and what each must be; a tuple allows any of several.
        """
        table = _TABLES[kind]
        key = table.primary_key.columns.values()[0]
        wanted = select(table).where(*_fitting(table, fits)).order_by(key.desc() if newest_first else key)
        if after is not None:
            wanted = wanted.where(key < after if newest_first else key > after)
        with self._opened.database().reading() as connection:
            rows = connection.execute(wanted if limit is None else wanted.limit(limit)).mappings().all()
        return tuple(_read(kind, row) for row in rows)

    def count(self, kind: type, /, **fits: object) -> int:
        """Count values whose fields are as given."""
        table = _TABLES[kind]
        with self._opened.database().reading() as connection:
            return int(connection.scalar(select(func.count()).select_from(table).where(*_fitting(table, fits))) or 0)

    def remove(self, kind: type, /, **fits: object) -> int:
        """Delete values whose fields are as given; return how many there were."""
        table = _TABLES[kind]
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            return int(connection.execute(delete(table).where(*_fitting(table, fits))).rowcount)

    def remove_older(self, kind: type[KeptReply], before: datetime) -> int:
        """Delete values of before a moment; return how many there were."""
        old = delete(_TABLES[kind]).where(_TABLES[kind].c.at < timestamp(before))
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            return int(connection.execute(old).rowcount)

    def change(self, kind: type, fits: Mapping[str, object], changes: Mapping[str, object]) -> int:
        """Change fields of values whose fields are as given, in one step; return how many there were."""
        table = _TABLES[kind]
        row = {name: write(table.c[name], value) for name, value in changes.items()}
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            return int(connection.execute(update(table).where(*_fitting(table, fits)).values(**row)).rowcount)

    def note(self, used: Mapping[str, datetime], lines: Iterable[AuditEntry]) -> None:
        """Write when keys were last used, by their ids, and audit lines, in one step."""
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            for key_id, at in used.items():
                connection.execute(update(api_keys).where(api_keys.c.id == key_id).values(used_at=timestamp(at)))
            for line in lines:
                _put(connection, line)
            oldest = select(audit.c.id).where(_REFUSED).order_by(audit.c.id.desc()).offset(MOST_REFUSALS - 1).limit(1)
            connection.execute(delete(audit).where(_REFUSED, audit.c.id < oldest.scalar_subquery()))

    def begin_reply(self, reply: KeptReply) -> KeptReply | None:
        """Record that a write is being done under an idempotency key; return what is there already, and then record nothing."""
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            return _there_or_put(connection, reply, key_id=reply.key_id, name=reply.name)

    def begin_job(self, job: BackgroundJob) -> BackgroundJob:
        """Write a job that waits; return the one that is open already where there is one of its namespace, kind and subject."""
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            return _begun(connection, job)

    def begin_due(self, schedule: Schedule, job: BackgroundJob, *, next_at: datetime) -> BackgroundJob | None:
        """Move a schedule on and begin its job, both or neither; None where another process did, or it was paused."""
        table = schedules
        is_next = table.c.next_at == timestamp(schedule.next_at)
        is_due = (table.c.id == schedule.id, is_next, table.c.is_paused.is_(False))
        moved = {"next_at": timestamp(next_at), "last_at": timestamp(schedule.next_at)}
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            if not connection.execute(update(table).where(*is_due).values(**moved)).rowcount:
                return None
            return _begun(connection, job)

    def take_job(self, owner: str, *, at: datetime, stale_before: datetime) -> BackgroundJob | None:
        """Claim the job that has waited longest, or whose process has reported nothing for too long; None where there is none."""
        table = background_jobs
        waits = and_(table.c.state == WAITING, _is_due(table, at))
        is_left = and_(table.c.state == RUNNING, table.c.seen_at < timestamp(stale_before))
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            return _taken(connection, BackgroundJob, waits | is_left, owner=owner, seen_at=timestamp(at))

    def take_message(self, *, at: datetime, until: datetime, but: Iterable[str] = ()) -> Outgoing | None:
        """Claim the message that has waited longest, or whose process did not report how it went; None where there is none.

        Args:
            at: The time now.
            until: When another may take it, unless its outcome is reported before.
            but: Not for these targets.
        """
        table = outbox
        is_due = (table.c.state == WAITING) & _is_due(table, at) | (
            (table.c.state == RUNNING) & (table.c.runs_at <= timestamp(at))
        )
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            return _taken(connection, Outgoing, is_due & table.c.target_id.not_in(but), runs_at=timestamp(until))

    def post(self, message: Outgoing) -> bool:
        """Write a message unless its target has one of its name; return whether it is new."""
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            return _there_or_put(connection, message, target_id=message.target_id, name=message.name) is None

    def say(self, job_id: str, lines: Iterable[str], *, at: datetime) -> None:
        """Add lines to a job's log."""
        table = background_lines
        with self._opened.database().writing(WriteTurn.SERVICE) as connection:
            last = connection.scalar(select(func.max(table.c.number)).where(table.c.job_id == job_id)) or 0
            rows = [
                {"job_id": job_id, "number": last + number, "at": timestamp(at), "text": line}
                for number, line in enumerate(lines, start=1)
            ]
            if rows:
                connection.execute(insert(table), rows)

    def said(self, job_id: str, *, after: int = 0) -> Sequence[tuple[int, datetime, str]]:
        """Return the lines of a job's log behind a number, with number and time."""
        table = background_lines
        query = select(table).where(table.c.job_id == job_id, table.c.number > after).order_by(table.c.number)
        with self._opened.database().reading() as connection:
            return [(row.number, moment(row.at), row.text) for row in connection.execute(query)]


def _begun(connection: Connection, job: BackgroundJob) -> BackgroundJob:
    fits = {"namespace": job.namespace, "kind": job.kind, "subject": job.subject, "state": OPEN}
    return _there_or_put(connection, job, **fits) or job


def _there_or_put(connection: Connection, value: Kept, **fits: object) -> Kept | None:
    """Return the value of its kind whose fields are as given; None where there was none, and it was written."""
    table = _TABLES[type(value)]
    found = connection.execute(select(table).where(*_fitting(table, fits))).mappings().first()
    if found is not None:
        return _read(type(value), found)
    _put(connection, value)
    return None


def _taken(connection: Connection, kind: type[Kept], can_go: ColumnElement[bool], **changes: str) -> Kept | None:
    """Claim the first of a kind that can go, and return it as it is then; None where there is none."""
    table = _TABLES[kind]
    first = select(table).where(can_go).order_by(table.c.runs_at, table.c.id).limit(1)
    row = connection.execute(first).mappings().first()
    if row is None:
        return None
    taken = {"state": RUNNING, "attempts": row["attempts"] + 1, **changes}
    connection.execute(update(table).where(table.c.id == row["id"]).values(**taken))
    return _read(kind, cast("RowMapping", {**row, **taken}))


def _put(connection: Connection, value: object) -> None:
    table = _TABLES[type(value)]
    row = row_of(table, value)
    keys = {column.name for column in table.primary_key.columns}
    connection.execute(upsert(table, {name: kept for name, kept in row.items() if name not in keys}).values(**row))


def _is_due(table: Table, at: datetime) -> ColumnElement[bool]:
    """Return whether something may begin: its time has come, or it is new and of what is now the future: a clock was set back."""
    is_of_the_future = (table.c.attempts == 0) & (table.c.created_at > timestamp(at))
    return or_(table.c.runs_at <= timestamp(at), is_of_the_future)


def _fitting(table: Table, fits: Mapping[str, object]) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    for name, value in fits.items():
        column = table.c[name]
        if isinstance(value, tuple):
            found.append(column.in_([write(column, one) for one in cast("tuple[object, ...]", value)]))
        elif value is None:
            found.append(column.is_(None))
        else:
            found.append(column == write(column, value))
    return found


_READERS = {kind: reader(kind, table) for kind, table in _TABLES.items()}


def _read(kind: type[Kept], row: RowMapping) -> Kept:
    return cast("Kept", _READERS[kind](row))
