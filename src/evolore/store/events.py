"""The event chain, and the tools of one write transaction: new ids, payloads, the index log."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from threading import Lock
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, bindparam, insert, select, update

from evolore.domain.episode import INITIAL_CONFIDENCE, EpisodeKind, EpisodeState
from evolore.ports import ChangeKind, EmbeddingModel, ItemKeys
from evolore.store.database import FaultPoint, reached
from evolore.store.event_bodies import EventKind, named_in, read_body
from evolore.store.forms import pack, timestamp
from evolore.store.rows import written_keys
from evolore.store.sql import BytesOf, Opened, Prepared
from evolore.store.tables import event_episodes, events, index_log, namespaces, payloads, vectors

FIRST_HASH = "0" * 64
_HASHED = ("id", "kind", "subject_id", "principal", "body", "recorded_at")
_BATCH = 1000

_HERE = namespaces.c.ns == bindparam("here")
_EVENTS = Prepared(insert(events))
_NAMED = Prepared(insert(event_episodes))
COUNTED = tuple(namespaces.c[name] for name in ("ns", "revision", "log_seq", "event_seq", "event_hash", "query_seq"))
"""What ``Counters`` are made of, in this order."""

_COUNTED = Prepared(select(*COUNTED).where(_HERE))
_SETTLE = Prepared(update(namespaces).where(_HERE), "log_seq", "event_seq", "event_hash", "query_seq")

EventBody: TypeAlias = "Mapping[str, Any]"
"""What JSON can hold of ids, numbers and digests."""


def salted_digest(text: str, salt: bytes) -> str:
    """Return the SHA-256 of a text behind its salt, in hex."""
    return digest_of(text.encode("utf-8"), salt)


def digest_of(encoded: bytes, salt: bytes) -> str:
    """Return the SHA-256 of a text's bytes in UTF-8 behind its salt, in hex."""
    return sha256(salt + encoded).hexdigest()


def event_hash(previous: str, fields: tuple[str, ...]) -> str:
    """Return the hash of an event from the one before and its fields, in hex."""
    return sha256(json.dumps([previous, *fields], ensure_ascii=False).encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that was done, about to be appended."""

    id: str  #: Time-ordered.
    kind: EventKind | ChangeKind  #: What was done.
    subject_id: str  #: The document or episode it was done to.
    body: EventBody  #: Ids, numbers and salted digests.
    principal: str | None = None  #: On whose behalf, where known.


class Counters:
    """The numbers that a namespace's next rows take, in one write transaction, which keeps all others from moving them.

    They are read once, and written once by ``settle``, before the transaction ends.
    """

    def __init__(self, connection: Connection, read: Sequence[Any]) -> None:
        self.connection = connection
        self._take(read)

    @classmethod
    def of(cls, connection: Connection, ns: int) -> Counters:
        """Read those of a namespace."""
        return cls(connection, _read_counters(connection, ns))

    def next_in_log(self, count: int) -> int:
        """Reserve so many numbers of the indexes' log, and return the first."""
        first = self._log_seq + 1
        self._log_seq += count
        self._is_moved = True
        return first

    def touch(self) -> int:
        """Return the number by which open indexes notice what of questions changed: one for all of a transaction."""
        if not self._is_touched:
            self._query_seq += 1
            self._is_touched = self._is_moved = True
        return self._query_seq

    @property
    def chain_end(self) -> tuple[int, str]:
        """The number and hash of the last event."""
        return self._event_seq, self._event_hash

    def end_chain(self, seq: int, hash_: str) -> None:
        """Record the last event."""
        self._event_seq, self._event_hash = seq, hash_
        self._is_moved = True

    def settle(self) -> None:
        """Write them where any moved."""
        if self._is_moved:
            ends = {"log_seq": self._log_seq, "event_seq": self._event_seq, "event_hash": self._event_hash}
            _SETTLE.run(self.connection, {"here": self.ns, **ends, "query_seq": self._query_seq})
            self._is_moved = False

    def read_anew(self) -> None:
        """Read them again from the row that something else has written."""
        assert not self._is_moved
        self._take(_read_counters(self.connection, self.ns))

    def _take(self, read: Sequence[Any]) -> None:
        self.ns: int
        self.revision: int
        self.ns, self.revision, self._log_seq, self._event_seq, self._event_hash, self._query_seq = read
        self._is_moved = self._is_touched = False


def _read_counters(connection: Connection, ns: int) -> tuple[Any, ...]:
    found = _COUNTED.first(connection, {"here": ns})
    assert found is not None
    return found


def append(counters: Counters, new: Sequence[Event], *, at: datetime) -> None:
    """Append events to the namespace's chain, in their order."""
    if not new:
        return
    connection, ns = counters.connection, counters.ns
    last, previous = counters.chain_end
    recorded = timestamp(at)
    rows: list[dict[str, int | str | None]] = []
    named: list[dict[str, int | str]] = []
    for place, event in enumerate(new, start=1):
        body = json.dumps(event.body, sort_keys=True, separators=(",", ":"))
        fields = (event.id, event.kind.value, event.subject_id, event.principal or "", body, recorded)
        whole = event_hash(previous, fields)
        row = {"id": event.id, "kind": event.kind.value, "subject_id": event.subject_id, "principal": event.principal}
        ends = {"ns": ns, "seq": last + place, "previous_hash": previous, "hash": whole}
        rows.append({**row, "body": body, "recorded_at": recorded, **ends})
        previous = whole
        named.extend(
            {"ns": ns, "episode_id": id_, "seq": last + place} for id_ in sorted(named_in(event.kind.value, event.body))
        )
    _EVENTS.run(connection, *rows)
    if named:
        _NAMED.run(connection, *named)
    counters.end_chain(last + len(rows), previous)


def as_bytes(column: ColumnElement[str]) -> ColumnElement[bytes]:
    """Select a text's bytes: a value that is no longer text can still be read."""
    return BytesOf(column)


def broken_at(connection: Connection, ns: int) -> int | None:
    """Return the number of the first event that does not fit the chain, or is missing; None when all fit.

    A row that represents a run of events is taken as it is, where an event vouches for it with all others of its kind.
    """
    chain = _ChainWalk()
    query = select(events.c.seq, *(as_bytes(events.c[name]) for name in (*_HASHED, "previous_hash", "hash")))
    in_order = query.where(events.c.ns == ns).order_by(events.c.seq)
    with connection.execute(in_order.execution_options(yield_per=_BATCH)) as rows:
        for seq, *written in rows:
            if not chain.goes_on(seq, [as_text(value) for value in written]):
                return chain.expected
    here = namespaces.c.ns == ns
    end = connection.execute(select(namespaces.c.event_seq, as_bytes(namespaces.c.event_hash)).where(here)).one()
    if (end[0], as_text(end[1])) != (chain.expected - 1, chain.previous):
        return chain.expected
    return chain.unvouched_for()


class _ChainWalk:
    """A walk along a chain of events."""

    def __init__(self) -> None:
        self.previous, self.expected = FIRST_HASH, 1
        self._runs: list[tuple[int | str, ...]] = []
        self._vouched = ""

    def goes_on(self, seq: int, written: Sequence[str]) -> bool:
        """Check the next event; return whether it fits."""
        *fields, before, whole = written
        kind, body = fields[1], fields[4]
        if kind == EventKind.CONDENSED.value:
            fits = read_body(body).get("first") == self.expected <= seq and before == self.previous
            self._runs.append((seq, *written))
        else:
            fits = (seq, before) == (self.expected, self.previous) and whole == event_hash(before, tuple(fields))
        if kind == EventKind.LOG_CONDENSED.value:
            self._vouched = str(read_body(body).get("digest"))
        if fits:
            self.previous, self.expected = whole, seq + 1
        return fits

    def unvouched_for(self) -> int | None:
        """Return the number of the first row that represents a run, where these are not those that were vouched for."""
        return None if not self._runs or digest_of_runs(self._runs) == self._vouched else int(self._runs[0][0])


def digest_of_runs(rows: Iterable[Sequence[int | str]]) -> str:
    """Return the digest of rows that represent runs of events, in order: of each its number, fields and both hashes."""
    whole = sha256()
    for row in rows:
        whole.update(json.dumps(list(row), ensure_ascii=False).encode("utf-8"))
    return whole.hexdigest()


def as_text(value: bytes | None) -> str:
    """Read a text's bytes as they lie."""
    # Broken bytes become other text than whole ones would, and so another hash.
    return "" if value is None else value.decode("utf-8", "backslashreplace")


Row = dict[str, Any]  # column names to values, as SQLAlchemy takes them
_SALT_BYTES = 16

_PAYLOADS = Prepared(insert(payloads))
_VECTORS = Prepared(insert(vectors))
_LOG = Prepared(insert(index_log))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPayload:
    """Where an episode's text was put."""

    id: str
    salt: bytes


class Batch:
    """What is written in one transaction, at one moment, to one namespace; who opened it settles the counters."""

    def __init__(
        self, counters: Counters, *, at: datetime, ids: IdSource, model_id: str, principal: str | None = None
    ) -> None:
        self.counters = counters
        self.connection = counters.connection
        self.ns = counters.ns
        self.at = at
        self.recorded_at = timestamp(at)
        self._ids, self._model_id, self._principal = ids, model_id, principal

    @property
    def model_id(self) -> str:
        """The embedding model of its vectors."""
        return self._model_id

    def new_id(self) -> str:
        """Make an id."""
        return self._ids.next(self.at)

    def insert_payloads(self, items: Iterable[tuple[str, str, ItemKeys]]) -> dict[str, NewPayload]:
        """Write texts and vectors; return each episode's payload."""
        made: dict[str, NewPayload] = {}
        texts: list[Row] = []
        packed: list[Row] = []
        for episode_id, text, keys in items:
            payload = NewPayload(id=self.new_id(), salt=secrets.token_bytes(_SALT_BYTES))
            made[episode_id] = payload
            said = {"id": payload.id, "episode_id": episode_id, "salt": payload.salt, "text": text}
            texts.append({"ns": self.ns, **said, **written_keys(keys)})
            made_of = {"model_id": self._model_id, "data": pack(keys.vector), "arousal": keys.arousal}
            packed.append({"ns": self.ns, "payload_id": payload.id, **made_of})
        if texts:
            _PAYLOADS.run(self.connection, *texts)
            _VECTORS.run(self.connection, *packed)
            reached(FaultPoint.PAYLOADS_WRITTEN)
        return made

    def episode_row(self, id_: str, kind: EpisodeKind, payload_id: str) -> Row:
        """Begin a new episode's row."""
        return {
            "ns": self.ns,
            "id": id_,
            "kind": kind.value,
            "state": EpisodeState.ACTIVE.value,
            "payload_id": payload_id,
            "recorded_at": self.recorded_at,
            "confidence": INITIAL_CONFIDENCE,
            "merge_count": 0,
        }

    def log(self, episode_ids: Sequence[str], *, present: bool) -> None:
        """Record that episodes entered or changed in the indexes, or left them."""
        if not episode_ids:
            return
        first = self.counters.next_in_log(len(episode_ids))
        _LOG.run(
            self.connection,
            *(
                {"ns": self.ns, "seq": first + place, "episode_id": id_, "present": present}
                for place, id_ in enumerate(episode_ids)
            ),
        )
        reached(FaultPoint.INDEX_LOGGED)

    def append_events(self, kind: EventKind, done: Sequence[tuple[str, EventBody]]) -> tuple[str, ...]:
        """Append what was done to documents or episodes to the event chain; return the events' ids."""
        named = [(self.new_id(), subject_id, body) for subject_id, body in done]
        self._append(kind, named)
        return tuple(id_ for id_, _, _ in named)

    def append_event(self, event_id: str, kind: EventKind | ChangeKind, subject_id: str, body: EventBody) -> None:
        """Append one event whose id was made before, since rows name it."""
        self._append(kind, [(event_id, subject_id, body)])

    def _append(self, kind: EventKind | ChangeKind, done: Sequence[tuple[str, str, EventBody]]) -> None:
        new = [
            Event(id=id_, kind=kind, subject_id=subject_id, body=body, principal=self._principal)
            for id_, subject_id, body in done
        ]
        append(self.counters, new, at=self.at)
        reached(FaultPoint.EVENTS_APPENDED)


class OpenedToWrite(Opened):
    """One namespace inside one write transaction, as the parts of a writer share it; ``now`` dates ids without a moment."""

    def __init__(
        self,
        counters: Counters,
        *,
        name: str,
        model: EmbeddingModel,
        ids: IdSource,
        now: Callable[[], datetime],
        principal: str | None = None,
    ) -> None:
        super().__init__(counters.connection, counters.ns, name=name, model=model, revision=counters.revision)
        self._counters, self._ids, self._now, self._principal = counters, ids, now, principal

    def _batch(self, at: datetime) -> Batch:
        return Batch(self._counters, at=at, ids=self._ids, model_id=self._model.id, principal=self._principal)


_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 26
_RANDOM_BITS = 80
_STEP_BITS = 70


class IdSource:
    """Makes ids of 26 characters: 48 bits of milliseconds, then 80 of randomness (ULID's layout, in lower case).

    Ids of one source rise strictly, also within a millisecond, when the clock steps back and for several threads.
    """

    def __init__(self) -> None:
        self._last = 0
        self._lock = Lock()

    def next(self, at: datetime) -> str:
        """Make an id for the moment ``at``."""
        fresh = (int(at.timestamp() * 1000) << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS - 1)
        # A step of random size keeps two processes that write in one millisecond apart, and ids short to distinguish.
        with self._lock:
            self._last = max(fresh, self._last + 1 + secrets.randbits(_STEP_BITS))
            return _encode(self._last)


def earlier(id_: str, by: timedelta) -> str:
    """Return what ids of moments so much earlier than an id's are not below; the id itself where it was not made here."""
    digits = [_DIGITS.find(one) for one in id_]
    if len(digits) != _LENGTH or min(digits) < 0:
        return id_
    number = sum(digit << 5 * (_LENGTH - 1 - place) for place, digit in enumerate(digits))
    return _encode(max(0, number - (int(by.total_seconds() * 1000) << _RANDOM_BITS)))


def _encode(number: int) -> str:
    return "".join(_DIGITS[(number >> shift) & 31] for shift in range(5 * (_LENGTH - 1), -1, -5))
