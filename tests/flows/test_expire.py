"""What is over goes by rule, and nothing else; ``maintain`` does so where the settings say it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.domain.fact import FactKind
from evolore.episodes.settings import RetentionSettings
from evolore.errors import InvalidValue, NamespaceNotFound
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.store.tables import facts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

BEGAN = datetime(2026, 1, 5, tzinfo=UTC)


def opened(store: Path, *, days: int = 0, retention: RetentionSettings | None = None) -> Memory:
    settings = Settings(retention=retention or RetentionSettings())
    clock = SteppingClock(BEGAN + timedelta(days=days))
    return Memory.open(store, embedder=HashingEmbedder(), clock=clock, settings=settings)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with statements of three ages, a document and two questions."""
    place = tmp_path / "store"
    with opened(place) as memory:
        memory.remember_many(
            [
                Statement(text="Long ago we rowed.", occurred_at=BEGAN - timedelta(days=400), session="s"),
                Statement(text="The bicycle is blue.", tags=("chat",), session="s"),
                Statement(text="The kettle whistles.", tags=("chat",)),
            ]
        )
        memory.add_text("# Old\n\nThis document is old.", source="old.md", tags=["chat"])
        memory.recall("What colour is the bicycle?", record=True)
        memory.answer("Is the document old?")
    with opened(place, days=50) as memory:
        memory.remember("The lamp is new.", tags=["chat"], session="s")
        memory.recall("Is the lamp new?", record=True)
    return place


RULES: list[tuple[dict[str, Any], set[str]]] = [
    ({"older_than_days": 30}, {"Long ago we rowed.", "The bicycle is blue.", "The kettle whistles."}),
    ({"older_than_days": 100}, {"Long ago we rowed."}),
    ({"tag": "chat"}, {"The bicycle is blue.", "The kettle whistles.", "The lamp is new."}),
    ({"session": "s"}, {"Long ago we rowed.", "The bicycle is blue.", "The lamp is new."}),
    ({"older_than_days": 30, "tag": "chat"}, {"The bicycle is blue.", "The kettle whistles."}),
    ({"older_than_days": 30, "tag": "chat", "session": "s"}, {"The bicycle is blue."}),
    ({"older_than_days": 1000}, set()),
]


@pytest.mark.parametrize(("rule", "gone"), RULES)
def test_what_meets_every_rule_goes_and_documents_stay(store: Path, rule: Mapping[str, Any], gone: set[str]) -> None:
    with opened(store, days=50) as memory:
        every = {one.id: one.text for one in memory.list(limit=100).statements}
        would = memory.expire(**rule, dry_run=True)
        assert {every[id_] for id_ in would.statement_ids} == gone
        assert len(memory.list(limit=100).statements) == len(every)
        done = memory.expire(**rule)
        assert done.statement_ids == would.statement_ids
        assert done.question_ids == ()
        assert (done.receipt is None) == (not gone)
        if done.receipt is not None and would.receipt is not None:
            assert done.receipt.episodes == would.receipt.episodes == len(gone)
            assert done.receipt.documents == 0
        assert {one.text for one in memory.list(limit=100).statements} == set(every.values()) - gone
        assert len(memory.list().documents) == 1
        assert len(memory.questions.list()) == 3
        assert memory.expire(**rule).receipt is None
        assert memory.store.verify().is_whole
        assert memory.store.doctor().findings == ()


def test_questions_of_that_age_go_with_their_answers_where_that_is_said(store: Path) -> None:
    with opened(store, days=50) as memory:
        done = memory.expire(older_than_days=30, questions=True)
        assert len(done.question_ids) == 2
        assert done.receipt is not None
        assert (done.receipt.queries, done.receipt.answers) == (2, 1)
        assert [one.text for one in memory.questions.list()] == ["Is the lamp new?"]
        assert memory.store.doctor().findings == ()


@pytest.mark.parametrize(
    "rule",
    [
        {},
        {"questions": True},
        {"older_than_days": 0},
        {"older_than_days": float("nan")},
        {"older_than_days": 10, "tag": "chat", "questions": True},
        {"session": " "},
    ],
)
def test_a_rule_that_says_nothing_or_cannot_be_met_is_refused(store: Path, rule: dict[str, Any]) -> None:
    with opened(store) as memory, pytest.raises(InvalidValue):
        memory.expire(**rule)


def test_a_namespace_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with opened(tmp_path / "none") as memory, pytest.raises(NamespaceNotFound):
        memory.expire(older_than_days=1)
    assert not (tmp_path / "none").exists()


def test_maintain_erases_nothing_by_age_unless_the_settings_say_so(store: Path) -> None:
    with opened(store, days=5000) as memory:
        done = memory.maintain()
        assert done.expired is None
        assert len(memory.list(limit=100).statements) == 4


def test_maintain_erases_what_is_over_by_the_settings_and_tells_before(store: Path) -> None:
    with opened(store, days=50, retention=RetentionSettings(days=30, tag="chat")) as memory:
        would = memory.maintain(dry_run=True).expired
        assert would is not None
        assert len(would.statement_ids) == 2
        assert len(memory.list(limit=100).statements) == 4
        done = memory.maintain().expired
        assert done is not None
        assert done.statement_ids == would.statement_ids
        assert {one.text for one in memory.list(limit=100).statements} == {"Long ago we rowed.", "The lamp is new."}


def test_maintain_erases_a_few_at_a_time(store: Path) -> None:
    with opened(store, days=50, retention=RetentionSettings(days=30)) as memory:
        counts = [len(found.statement_ids) for found in (memory.maintain(items=2).expired for _ in range(3)) if found]
        assert counts == [2, 1, 0]


def stated(memory: Memory) -> list[tuple[str, str]]:
    context = memory._context  # what is stored is no verb's result
    with context.store.read(context.namespace) as reader:
        return [(one.attribute, one.value) for one in reader.facts_about("speaker") if one.kind is FactKind.IS]


def test_maintain_reads_once_what_statements_of_an_older_store_state(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        memory.remember_many(
            Statement(text=text, speaker="Mika")
            for text in ("I live in Berlin now.", "I work for Acme.", "It rained for days.", "My dog is called Rex.")
        )
        before = stated(memory)
        assert len(before) == 3
        context = memory._context  # as a store of before was
        with context.store.write(context.namespace) as writer:
            writer._connection.execute(facts.delete())  # likewise
        assert memory.profile("Mika").facts == ()
        assert memory.maintain(dry_run=True).facts_read == 3
        assert stated(memory) == []
        assert memory.maintain(items=2).facts_read == 2
        assert memory.maintain().facts_read == 1
        assert stated(memory) == before
        assert memory.maintain().facts_read == 0
        assert {one.attribute for one in memory.profile("Mika").facts} == {"home", "employer", "pet"}
        assert memory.store.doctor().findings == ()
