"""The event chain: what was done, in order, provably, without a word of what was said.

Each event's hash covers its own fields and the hash before it, so that a changed, missing or inserted event shows.
Bodies hold ids, numbers and salted digests; erasing a payload erases its salt, and the digest says nothing more.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, LargeBinary, bindparam, cast, insert, select, update

from evolore.store.change_bodies import named_in
from evolore.store.prepared import Prepared
from evolore.store.rows import timestamp
from evolore.store.tables import event_episodes, events, namespaces

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from evolore.store.event_kinds import EventKind

FIRST_HASH = "0" * 64
_HASHED = ("id", "kind", "subject_id", "principal", "body", "recorded_at")
_BATCH = 1000

_HERE = namespaces.c.ns == bindparam("here")
_EVENTS = Prepared(insert(events))
_NAMED = Prepared(insert(event_episodes))
_END = Prepared(select(namespaces.c.event_seq, namespaces.c.event_hash).where(_HERE))
_MOVE_END = Prepared(update(namespaces).where(_HERE), "event_seq", "event_hash")

EventBody: TypeAlias = "Mapping[str, Any]"
"""What JSON can hold of ids, numbers and digests."""


def salted_digest(text: str, salt: bytes) -> str:
    """Give the SHA-256 of a text behind its salt, in hex."""
    return digest_of(text.encode("utf-8"), salt)


def digest_of(encoded: bytes, salt: bytes) -> str:
    """Give the SHA-256 of a text's bytes in UTF-8 behind its salt, in hex."""
    return sha256(salt + encoded).hexdigest()


def event_hash(previous: str, fields: tuple[str, ...]) -> str:
    """Give the hash of an event from the one before and its fields, in hex."""
    return sha256(json.dumps([previous, *fields], ensure_ascii=False).encode("utf-8")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that was done, about to be appended.

    Args:
        id: Time-ordered.
        kind: What was done.
        subject_id: The document or episode it was done to.
        body: Ids, numbers and salted digests.
        principal: On whose behalf, where known.
    """

    id: str
    kind: EventKind
    subject_id: str
    body: EventBody
    principal: str | None = None


def append(connection: Connection, ns: int, new: Sequence[Event], *, at: datetime) -> None:
    """Append events to the namespace's chain, in their order."""
    end = _END.first(connection, {"here": ns})
    assert end is not None
    last: int = end[0]
    previous: str = end[1]
    recorded = timestamp(at)
    rows: list[dict[str, int | str | None]] = []
    named: list[dict[str, int | str]] = []
    for place, event in enumerate(new, start=1):
        body = json.dumps(event.body, sort_keys=True, separators=(",", ":"))
        fields = (event.id, event.kind.value, event.subject_id, event.principal or "", body, recorded)
        whole = event_hash(previous, fields)
        rows.append(
            {
                "ns": ns,
                "seq": last + place,
                "id": event.id,
                "kind": event.kind.value,
                "subject_id": event.subject_id,
                "principal": event.principal,
                "body": body,
                "recorded_at": recorded,
                "previous_hash": previous,
                "hash": whole,
            }
        )
        previous = whole
        named.extend(
            {"ns": ns, "episode_id": id_, "seq": last + place} for id_ in sorted(named_in(event.kind.value, event.body))
        )
    if rows:
        _EVENTS.run(connection, *rows)
        if named:
            _NAMED.run(connection, *named)
        _MOVE_END.run(connection, {"here": ns, "event_seq": last + len(rows), "event_hash": previous})


def as_bytes(column: ColumnElement[str]) -> ColumnElement[bytes]:
    """Select a text's bytes: what is no text any more can still be looked at."""
    return cast(column, LargeBinary)


def broken_at(connection: Connection, ns: int) -> int | None:
    """Give the number of the first event that does not fit the chain, or is missing; None when all fit."""
    previous, expected = FIRST_HASH, 1
    query = select(events.c.seq, *(as_bytes(events.c[name]) for name in (*_HASHED, "previous_hash", "hash")))
    in_order = query.where(events.c.ns == ns).order_by(events.c.seq)
    with connection.execute(in_order.execution_options(yield_per=_BATCH)) as rows:
        for seq, *written in rows:
            *fields, before, whole = (_as_text(value) for value in written)
            if seq != expected or before != previous or whole != event_hash(previous, tuple(fields)):
                return expected
            previous, expected = whole, expected + 1
    here = namespaces.c.ns == ns
    end = connection.execute(select(namespaces.c.event_seq, as_bytes(namespaces.c.event_hash)).where(here)).one()
    return None if (end[0], _as_text(end[1])) == (expected - 1, previous) else expected


def _as_text(value: bytes | None) -> str:
    # Broken bytes become other text than whole ones would, and so another hash.
    return "" if value is None else value.decode("utf-8", "backslashreplace")
