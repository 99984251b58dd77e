from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, create_engine, insert, select, update

from evolore.store.event_bodies import EventKind
from evolore.store.events import FIRST_HASH, Counters, Event, append, broken_at, salted_digest
from evolore.store.tables import events, metadata, namespaces

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def chain() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.connect() as connection:
        connection.execute(
            insert(namespaces),
            [{"ns": ns, "name": str(ns), "event_hash": FIRST_HASH, "created_at": ""} for ns in (1, 2, 7, 8)],
        )
        for number in range(5):
            event = Event(
                id=f"e{number}",
                kind=EventKind.STATEMENT_REMEMBERED,
                subject_id=f"s{number}",
                body={"digest": salted_digest("text", bytes([number]))},
            )
            append_to(connection, 1, [event])
        yield connection
    engine.dispose()


def append_to(connection: Connection, ns: int, new: Sequence[Event]) -> None:
    counters = Counters.of(connection, ns)
    append(counters, new, at=NOW)
    counters.settle()


def test_a_whole_chain_fits(chain: Connection) -> None:
    assert broken_at(chain, 1) is None
    assert broken_at(chain, 2) is None


@pytest.mark.parametrize(
    "column", ["id", "kind", "subject_id", "principal", "body", "recorded_at", "previous_hash", "hash"]
)
def test_a_changed_field_shows(chain: Connection, column: str) -> None:
    third = chain.execute(select(events.c[column]).where(events.c.seq == 3)).scalar_one()
    chain.execute(update(events).where(events.c.seq == 3).values({column: "x" + str(third)[1:]}))
    assert broken_at(chain, 1) == 3


def test_a_missing_event_shows(chain: Connection) -> None:
    chain.execute(events.delete().where(events.c.seq == 2))
    assert broken_at(chain, 1) == 2


def test_a_cut_off_end_shows(chain: Connection) -> None:
    chain.execute(events.delete().where(events.c.seq == 5))
    assert broken_at(chain, 1) == 5


def test_a_salted_digest_tells_nothing_without_its_salt() -> None:
    assert salted_digest("text", b"a") != salted_digest("text", b"b")
    assert salted_digest("text", b"a") == salted_digest("text", b"a")


def test_events_appended_together_make_the_chain_of_events_appended_one_by_one(chain: Connection) -> None:
    new = [
        Event(id=f"f{number}", kind=EventKind.ERASED, subject_id="s", body={"episodes": number}) for number in range(4)
    ]
    append_to(chain, 1, new)
    for ns in (7, 8):
        for start in range(0, 4, 4 if ns == 7 else 1):
            append_to(chain, ns, new[start : start + (4 if ns == 7 else 1)])
    hashes = [
        list(chain.scalars(select(events.c.hash).where(events.c.ns == ns).order_by(events.c.seq))) for ns in (7, 8)
    ]
    assert hashes[0] == hashes[1]
    assert broken_at(chain, 1) is None
    append_to(chain, 1, [])
    assert len(chain.execute(select(events.c.id).where(events.c.ns == 1)).all()) == 9
