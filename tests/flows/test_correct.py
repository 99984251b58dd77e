"""``correct``: a new version in a statement's place, or none; undone, looked back at, and left alone by integration."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.document import MediaType
from evolore.domain.episode import Episode, EpisodeState
from evolore.episodes.settings import IntegrationSettings
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
ACTIVE, SUPERSEDED, REVOKED = EpisodeState.ACTIVE, EpisodeState.SUPERSEDED, EpisodeState.REVOKED
TEXTS = (
    ("The gate code is 4711.", "The gate code is 4712.", "What is the gate code?"),
    ("会議室は三階です。", "会議室は四階です。", "会議室は何階ですか。"),
    ("门牌号是12号。", "门牌号是21号。", "门牌号是多少?"),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as opened:
        yield opened


def shown(memory: Memory, id_: str) -> Episode:
    found = memory.show(id_)
    assert isinstance(found, Episode)
    return found


def found(memory: Memory, question: str, **options: object) -> list[str]:
    return [hit.episode.id for hit in memory.recall(question, **options).hits]  # type: ignore[arg-type]


def told(memory: Memory, id_: str) -> list[tuple[str, str | None]]:
    return [(event.kind, event.reason) for event in memory.history(id_)]


@pytest.mark.parametrize(("wrong", "right", "question"), TEXTS)
def test_a_new_version_holds_in_the_place_of_the_old_one(memory: Memory, wrong: str, right: str, question: str) -> None:
    old = memory.remember(
        wrong, occurred_at=DAY, speaker="Mika", session="s", arousal=0.7, metadata={"n": 1}, tags=["door"]
    )
    done = memory.correct(old.id, right, principal="ann")
    new = done.statement
    assert new is not None
    assert (new.text, new.state, done.old_id) == (right, ACTIVE, old.id)
    for name in ("occurred_at", "valid_from", "speaker", "session", "arousal", "metadata", "tags", "about"):
        assert getattr(new, name) == getattr(old, name), name
    now = shown(memory, old.id)
    assert (now.state, now.valid_to) == (SUPERSEDED, DAY)
    assert found(memory, question, limit=2) == [new.id, old.id]
    assert told(memory, old.id)[-1] == ("superseded", "corrected")
    assert memory.history(new.id)[-1].principal == "ann"
    assert [one.episode_ids for one in new.replaced] == [(old.id, new.id)]
    assert done.event_ids[0] == memory.history(old.id)[-1].id


@pytest.mark.parametrize("at", [DAY, None])
def test_as_of_any_moment_the_correction_is_what_was_true(memory: Memory, at: datetime | None) -> None:
    old = memory.remember("The gate code is 4711.", occurred_at=at)
    done = memory.correct(old.id, "The gate code is 4712.")
    assert done.statement is not None
    begins = at or old.recorded_at
    assert found(memory, "gate code", as_of=begins - timedelta(seconds=1)) == []
    recalled = memory.recall("gate code", as_of=begins)
    assert [hit.episode.id for hit in recalled.hits] == [done.statement.id, old.id]
    assert memory.profile(as_of=begins).text == memory.profile().text
    assert "4712" in memory.profile().text
    assert "4711" not in memory.profile().text


def test_undoing_a_correction_leaves_the_old_version_alone_and_redoing_it_the_new_one(memory: Memory) -> None:
    old = memory.remember("The gate code is 4711.")
    before = shown(memory, old.id)
    done = memory.correct(old.id, "The gate code is 4712.")
    assert done.statement is not None
    undone = memory.undo(done.event_ids[0])
    assert shown(memory, old.id) == before
    assert shown(memory, done.statement.id).state is REVOKED
    assert found(memory, "gate code") == [old.id]
    memory.undo(undone.event_ids[0])
    assert (shown(memory, old.id).state, shown(memory, done.statement.id).state) == (SUPERSEDED, ACTIVE)
    assert found(memory, "gate code")[0] == done.statement.id


def test_a_retired_statement_is_not_found_not_erased_and_comes_back_by_undo(memory: Memory) -> None:
    old = memory.remember("The gate code is 4711.", occurred_at=DAY)
    before = shown(memory, old.id)
    done = memory.correct(old.id[:20])
    assert (done.old_id, done.statement) == (old.id, None)
    assert shown(memory, old.id).state is REVOKED
    assert shown(memory, old.id).text == old.text
    assert found(memory, "gate code") == found(memory, "gate code", as_of=DAY + timedelta(days=1)) == []
    assert told(memory, old.id)[-1] == ("retired", "retired")
    memory.undo(done.event_ids[0])
    assert shown(memory, old.id) == before
    assert found(memory, "gate code") == [old.id]


def test_a_correction_of_a_correction_is_found_and_the_chain_is_told(memory: Memory) -> None:
    first = memory.remember("The gate code is 4711.")
    second = memory.correct(first.id, "The gate code is 4712.")
    assert second.statement is not None
    with pytest.raises(InvalidValue, match=second.statement.id):
        memory.correct(first.id, "The gate code is 4713.")
    third = memory.correct(second.statement.id, "The gate code is 4713.")
    assert third.statement is not None
    assert third.statement.occurred_at == first.recorded_at
    assert found(memory, "gate code")[0] == third.statement.id


@pytest.mark.parametrize("first_day", [DAY, None])
def test_under_a_key_neither_remembering_nor_maintaining_lets_the_old_version_speak_again(
    memory: Memory, first_day: datetime | None
) -> None:
    def say(text: str, day: int) -> str:
        at = None if first_day is None else first_day + timedelta(days=day)
        return memory.remember(text, occurred_at=at, about=("office", "city")).id

    earlier, wrong = say("The office is in Kobe.", 0), say("The office is in Kyoto.", 1)
    done = memory.correct(wrong, "The office is in Nara.")
    assert done.statement is not None
    assert (done.statement.state, done.statement.conflicts) == (ACTIVE, ())
    memory.maintain()
    assert memory.review.list() == ()
    states = [shown(memory, id_).state for id_ in (earlier, wrong, done.statement.id)]
    assert states == [SUPERSEDED, SUPERSEDED, ACTIVE]
    later = say("The office is in Osaka.", 2)
    assert (shown(memory, later).state, shown(memory, done.statement.id).state) == (ACTIVE, SUPERSEDED)
    beginning = shown(memory, wrong).occurred_at or shown(memory, wrong).recorded_at
    assert shown(memory, wrong).valid_to == beginning


def test_the_new_version_is_integrated_with_all_but_the_old_one(memory: Memory) -> None:
    known = memory.remember("The gate code is 4712.", occurred_at=DAY, speaker="Mika")
    old = memory.remember("The gate code is 4711.", occurred_at=DAY + timedelta(days=1), speaker="Mika")
    before = [shown(memory, one.id).state for one in (known, old)]
    done = memory.correct(old.id, "The gate code is 4712.")
    assert done.statement is not None
    assert done.statement.integrated.episode_id == known.id
    assert shown(memory, known.id).state is ACTIVE
    assert shown(memory, known.id).merge_count == 1
    with pytest.raises(InvalidValue, match="cascade"):
        memory.undo(done.event_ids[0])
    memory.undo(done.event_ids[0], cascade=True)
    assert [shown(memory, one.id).state for one in (known, old)] == before
    assert shown(memory, known.id).merge_count == 0
    memory.maintain()
    assert shown(memory, done.statement.id).state is REVOKED


def test_letters_and_marks_alone_can_be_corrected(memory: Memory) -> None:
    old = memory.remember("mika lives in kobe")
    done = memory.correct(old.id, "Mika lives in Kobe.")
    memory.maintain()
    assert [hit.episode.text for hit in memory.recall("Kobe").hits] == ["Mika lives in Kobe.", "mika lives in kobe"]
    assert shown(memory, done.old_id).state is SUPERSEDED


def test_without_integration_only_the_correction_is_made(tmp_path: Path) -> None:
    settings = Settings(integration=IntegrationSettings(enabled=False))
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=settings) as memory:
        old = memory.remember("The gate code is 4711.")
        done = memory.correct(old.id, "The gate code is 4712.")
        assert len(done.event_ids) == 1
        assert shown(memory, old.id).state is SUPERSEDED


@pytest.mark.parametrize("text", ["The parcel went to Nara by train.", None])
def test_a_side_of_a_contradiction_frees_the_other_and_undoing_lets_both_wait_again(
    memory: Memory, text: str | None
) -> None:
    one = memory.remember("The ferry to Corsica carries bicycles.", occurred_at=DAY)
    other = memory.remember("The ferry to Corsica does not carry bicycles.", occurred_at=DAY)
    (item,) = memory.review.list(category="contradiction")
    done = memory.correct(one.id, text)
    assert memory.review.list() == ()
    assert shown(memory, other.id).state is ACTIVE
    memory.undo(done.event_ids[0], cascade=True)
    assert {shown(memory, id_).state for id_ in (one.id, other.id)} == {EpisodeState.CONFLICT_PENDING}
    assert [open_item.id for open_item in memory.review.list()] == [item.id]


def test_what_was_merged_into_the_same_is_corrected_with_it(memory: Memory) -> None:
    known = memory.remember("The gate code is 4711.", speaker="Mika")
    again = memory.remember("the gate code is 4711", speaker="Mika")
    assert again.integrated.episode_id == known.id
    done = memory.correct(again.id, "The gate code is 4712.")
    assert done.old_id == known.id
    assert found(memory, "gate code", speaker="Mika")[0] == done.statement.id  # type: ignore[union-attr]


def test_what_was_merged_into_more_is_refused_and_the_whole_can_be_corrected_or_retired(memory: Memory) -> None:
    first = memory.remember("The gate code is 4711.", speaker="Mika")
    second = memory.remember("The gate code is 4711. The dog sleeps in the yard.", speaker="Mika")
    head = second.integrated.episode_id
    assert head not in {first.id, second.id}
    with pytest.raises(InvalidValue) as refused:
        memory.correct(first.id, "The gate code is 4712.")
    assert all(id_ in str(refused.value) for id_ in (head, first.id, second.id))
    done = memory.correct(head, "The gate code is 4712. The dog sleeps in the yard.")
    assert found(memory, "gate code", limit=2) == [done.statement.id, head]  # type: ignore[union-attr]
    memory.undo(done.event_ids[0])
    retired = memory.correct(head)
    assert found(memory, "gate code") == found(memory, "gate code", speaker="Mika") == []
    memory.undo(retired.event_ids[0])
    assert found(memory, "gate code") == [head]
    assert memory.store.doctor().is_whole


def test_only_a_statement_that_holds_is_corrected(memory: Memory) -> None:
    document = memory.add_text("# Gate\n\nThe gate code is 4711.", source="gate.md", media_type=MediaType.MARKDOWN)
    passage = memory.recall("gate code", limit=1).hits[0].episode
    said = memory.remember("I like tea.")
    memory.remember("I like coffee.")
    for item, why in ((document.id, "a document"), ("gate.md", "a document"), (passage.id, "a passage")):
        for text in ("The gate code is 4712.", None):
            with pytest.raises(InvalidValue, match=why):
                memory.correct(item, text)
    with pytest.raises(InvalidValue, match="says that already"):
        memory.correct(said.id, "I like tea.")
    with pytest.raises(InvalidValue, match="blank"):
        memory.correct(said.id, " ")
    with pytest.raises(NotFound):
        memory.correct("zzz", "I like water.")
    with pytest.raises(AmbiguousId):
        memory.correct("0", "I like water.")
    memory.correct(said.id)
    with pytest.raises(InvalidValue, match="taken back"):
        memory.correct(said.id, "I like water.")
    assert memory.stats().statements == 1


def test_the_id_of_another_namespace_names_nothing(tmp_path: Path, memory: Memory) -> None:
    said = memory.remember("The gate code is 4711.")
    with Memory.open(tmp_path / "store", namespace="other", embedder=HashingEmbedder()) as other:
        other.remember("It rains.")
        for text in ("The gate code is 4712.", None):
            with pytest.raises(NotFound):
                other.correct(said.id, text)
    assert shown(memory, said.id).state is ACTIVE


@pytest.mark.parametrize("which", ["old", "new"])
def test_forgetting_either_version_erases_its_words_from_every_event(memory: Memory, which: str) -> None:
    old = memory.remember("The gate code is kumquat.")
    done = memory.correct(old.id, "The gate code is satsuma.")
    assert done.statement is not None
    gone, stays = (old.id, done.statement.id) if which == "old" else (done.statement.id, old.id)
    memory.forget(gone)
    word = "kumquat" if which == "old" else "satsuma"
    events = json.dumps([one.to_dict() for one in memory.history(limit=100)])
    assert word not in events
    assert word not in json.dumps([one.to_dict() for one in memory.history(stays)])
    assert shown(memory, stays).state is (ACTIVE if which == "old" else SUPERSEDED)
    assert memory.store.doctor().is_whole
