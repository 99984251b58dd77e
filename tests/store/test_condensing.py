"""The event log is condensed: old events that say nothing stand for one another, and the chain holds."""

from __future__ import annotations

from datetime import timedelta
from io import BytesIO
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select, update

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.domain.filters import Target
from evolore.domain.outcome import Rating
from evolore.episodes.settings import MaintenanceSettings
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store import condensing
from evolore.store.event_bodies import EventKind
from evolore.store.tables import events, index_log
from store.questions import Asked
from store.structures import START

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

AFTER = START + timedelta(days=200)


@pytest.fixture(autouse=True)
def _few_are_worth_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condensing, "LEAST", 4)


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "s")


def ask_in_vain(asked: Asked, target: str, count: int) -> None:
    for number in range(count):
        asked.wait(asked.ask(f"question {number}?", target), target)
        asked.dismiss(target)


def filled(asked: Asked) -> list[str]:
    """Two statements; questions that led to nothing before, between and after others that did."""
    episodes = asked.remember("the red house", "the blue house")
    ask_in_vain(asked, episodes[0], 5)
    asked.enter(episodes[0], asked.ask("which house?", episodes[0]))
    ask_in_vain(asked, episodes[1], 3)
    asked.remember("the green house")
    ask_in_vain(asked, episodes[1], 1)
    return episodes


def condense(asked: Asked) -> int:
    with asked.store.write("n") as writer:
        return writer.condense_events(before=AFTER, at=AFTER)


def kinds(asked: Asked) -> list[str]:
    with asked.store.read("n") as reader:
        return list(reader._connection.scalars(select(events.c.kind).order_by(events.c.seq)))


def is_whole(asked: Asked) -> bool:
    return asked.store.verify("n").is_whole


def test_runs_of_events_that_say_nothing_become_one_row_each_and_the_chain_holds(asked: Asked) -> None:
    filled(asked)
    before = kinds(asked)
    assert condense(asked) == 4 + 2
    assert kinds(asked) == [
        *["statement_remembered"] * 2,
        "condensed",
        "query_edges_entered",
        "condensed",
        "statement_remembered",
        "query_edges_dismissed",
        "log_condensed",
    ]
    assert len(before) == 13
    assert is_whole(asked)
    assert asked.store.examine("n")[1] == ()


def test_the_chain_goes_on_and_is_condensed_again(asked: Asked) -> None:
    episodes = filled(asked)
    condense(asked)
    asked.remember("the white house")
    ask_in_vain(asked, episodes[0], 6)
    assert is_whole(asked)
    assert condense(asked) == 5
    assert kinds(asked).count("condensed") == 3
    assert is_whole(asked)
    assert condense(asked) == 0


def test_few_and_young_events_stay(asked: Asked) -> None:
    episodes = filled(asked)
    with asked.store.write("n") as writer:
        assert writer.condense_events(before=START, at=AFTER) == 0
    condense(asked)
    ask_in_vain(asked, episodes[0], 2)
    before = kinds(asked)
    assert condense(asked) == 0
    assert kinds(asked) == before


FIELDS = ("seq", "id", "subject_id", "body", "recorded_at", "previous_hash", "hash")


@pytest.mark.parametrize("name", FIELDS)
def test_whatever_is_changed_in_a_condensed_row_shows(asked: Asked, name: str) -> None:
    filled(asked)
    condense(asked)
    with asked.store._open.database().writing() as connection:
        row = connection.execute(select(events).where(events.c.kind == EventKind.CONDENSED.value)).mappings().first()
        assert row is not None
        value = row["seq"] - 1 if name == "seq" else row[name].replace("1", "2").replace("0", "3") + " "
        this = (events.c.ns == row["ns"], events.c.seq == row["seq"])
        connection.execute(update(events).where(*this).values({name: value}))
    assert not is_whole(asked)


def test_a_row_that_nobody_vouches_for_shows(asked: Asked) -> None:
    filled(asked)
    with asked.store._open.database().writing() as connection:
        run = condensing._plan(connection, 1, AFTER).runs[0]
        connection.execute(events.delete().where(events.c.seq >= run.first, events.c.seq <= run.last["seq"]))
        connection.execute(events.insert(), [run.row(1)])
    assert not is_whole(asked)


def test_what_is_about_things_that_were_all_forgotten_goes_and_the_rest_stays(asked: Asked) -> None:
    kept, *gone = asked.remember("the red house", "the blue house", "the green house")
    asked.enter(gone[0], asked.ask("which house?", *gone, principal="ann"))
    asked.rate(asked.ask("which one?", kept, cited=[kept]), Rating.GOOD)
    for id_ in gone:
        asked.store.erase("n", Target(item_id=id_))
    asked.withdraw("ann", erase=True)
    before = kinds(asked)
    assert is_whole(asked)
    condense(asked)
    stays = ["statement_remembered", "condensed", "query_rated", "condensed", "teaching_withdrawn", "log_condensed"]
    assert kinds(asked) == stays
    assert len(before) > 7
    assert is_whole(asked)
    assert asked.store.examine("n")[1] == ()


def test_what_is_forgotten_later_goes_in_the_next_round(asked: Asked) -> None:
    ids = asked.remember(*(f"house {number}" for number in range(12)))
    condense(asked)
    assert kinds(asked).count("statement_remembered") == 12
    asked.store.erase("n", Target(item_ids=tuple(ids[2:8])))
    asked.remember(*(f"door {number}" for number in range(8)))
    condense(asked)
    assert kinds(asked).count("statement_remembered") == 12 + 8 - 6
    assert is_whole(asked)


def test_a_long_log_is_looked_through_in_parts(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condensing, "MOST", 7)
    filled(asked)
    for _ in range(4):
        condense(asked)
        assert is_whole(asked)
    assert [one for one in kinds(asked) if one != "log_condensed"].count("query_edges_dismissed") == 1


def test_the_forgetting_of_everything_stays_told(asked: Asked) -> None:
    asked.remember(*(f"house {number}" for number in range(6)))
    asked.store.erase("n", Target(everything=True))
    condense(asked)
    assert kinds(asked)[:2] == ["condensed", "erased"]
    assert is_whole(asked)


def test_what_was_done_before_is_undone_as_ever(asked: Asked) -> None:
    filled(asked)
    before = asked.taught()
    condense(asked)
    with asked.store.read("n") as reader:
        (event_id,) = reader._connection.scalars(select(events.c.id).where(events.c.kind == "query_edges_entered"))
    undone = asked.undo(event_id)
    assert asked.taught() != before
    asked.undo(undone.event_ids[0])
    assert asked.taught() == before
    assert is_whole(asked)


class Later(SteppingClock):
    """A clock that is some days further on than it says."""

    def __init__(self) -> None:
        super().__init__(START, step=timedelta(seconds=1))
        self.days = 0

    def now(self) -> datetime:
        return super().now() + timedelta(days=self.days)


def test_maintenance_condenses_by_itself_and_the_memory_moves_whole(tmp_path: Path) -> None:
    clock = Later()
    settings = Settings(maintenance=MaintenanceSettings(log_days=90))

    def opened(name: str) -> Memory:
        return Memory.open(tmp_path / name, embedder=HashingEmbedder(), clock=clock, settings=settings)

    with opened("s") as memory:
        memory.remember("The office is in Kobe.")
        for number in range(40):
            memory.recall(f"Where is office {number}?", record=True)
        assert memory.maintain().condensed == 0
        events_before = memory.stats().events
        clock.days = 91
        assert memory.maintain(dry_run=True).condensed > 3
        assert memory.stats().events == events_before
        saved = memory.maintain().condensed
        assert saved > 3
        assert memory.stats().events == events_before - saved + 1
        assert memory.store.verify().is_whole
        assert [one.kind for one in memory.history()].count("log_condensed") == 1
        stream = BytesIO()
        memory.store.export(stream)
        memory.store.copy(tmp_path / "copy")
    stream.seek(0)
    with opened("other") as other:
        other.store.import_(stream)
        assert other.store.verify().is_whole
        other.remember("The office is in Osaka.")
        assert other.store.verify().is_whole
    with opened("copy") as copy:
        assert copy.store.verify().is_whole


def test_what_left_the_indexes_is_told_no_longer_and_indexes_that_are_behind_are_built_anew(tmp_path: Path) -> None:
    clock = Later()
    settings = Settings(maintenance=MaintenanceSettings(log_days=90))

    def opened() -> Memory:
        return Memory.open(tmp_path / "s", embedder=HashingEmbedder(), clock=clock, settings=settings)

    def told(memory: Memory) -> int:
        with memory._context.store.read("default") as reader:
            return reader._connection.execute(select(func.count()).where(~index_log.c.present)).scalar_one()

    def remember(memory: Memory, texts: list[str]) -> list[str]:
        return [one.id for one in memory.remember_many(Statement(text=text) for text in texts).episodes]

    def found(memory: Memory) -> list[str]:
        return [hit.text for hit in memory.recall("Where is the office?", limit=20).hits]

    with opened() as memory, opened() as behind, opened() as far_behind:
        said = remember(memory, [f"Office {number} is in Kobe." for number in range(12)])
        assert len(found(far_behind)) == 12
        for one in said[:6]:
            memory.forget(one)
        assert len(found(behind)) == 6
        clock.days = 91
        memory.maintain()
        assert told(memory) == 6  # where the log was then is known from now on
        remember(memory, [f"Shop {number} is in Osaka." for number in range(8)])
        memory.forget(said[6])
        clock.days = 182
        memory.maintain()
        assert told(memory) == 1
        expected = found(memory)
        assert len(expected) == 13
        assert found(far_behind) == found(behind) == expected
        assert memory.store.verify().is_whole
        assert not memory.store.doctor().findings
        memory.forget(everything=True)
        assert found(far_behind) == found(behind) == []
