"""In a default store a statement that plainly says what holds now takes the older one's place; each can be undone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Episode, EpisodeState, Statement
from evolore.episodes.settings import IntegrationSettings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.domain.chat import ChatRequest
    from evolore.flows.remember.remember import Remembered

DAY = datetime(2026, 1, 5, 9, tzinfo=UTC)
CHANGES = (
    ("I live in Munich.", "I live in Berlin now."),
    ("My boss is Dana.", "My new boss is Lee Wong."),
    ("定例会議は月曜日の10時です。", "定例会議は火曜日に変わりました。"),
    ("班主任是王老师。", "班主任现在是李老师。"),
    ("I drink two coffees a day.", "I stopped drinking coffee."),
)


def opened(folder: Path, **over: object) -> Memory:
    return Memory.open(folder / "store", embedder=HashingEmbedder(), settings=Settings(), **over)  # type: ignore[arg-type]


def say(memory: Memory, text: str, *, day: int = 0, speaker: str | None = "Mika", about: object = None) -> Remembered:
    at = DAY + timedelta(days=day)
    return memory.remember_many([Statement(text=text, occurred_at=at, speaker=speaker, about=about)])  # type: ignore[arg-type]


def state_of(memory: Memory, id_: str) -> EpisodeState:
    shown = memory.show(id_)
    assert isinstance(shown, Episode)
    return shown.state


def state(memory: Memory, said: Remembered) -> EpisodeState:
    return state_of(memory, said.episodes[0].id)


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_change_is_noticed_told_and_undone(tmp_path: Path, old: str, new: str) -> None:
    with opened(tmp_path) as memory:
        for number, filler in enumerate(("The lamp is broken.", "Lunch was good.", "A parcel came for Ben.")):
            say(memory, filler, day=number)
        first = say(memory, old, day=5)
        second = say(memory, new, day=40)
        (became,) = second.integrated
        assert became.superseded == (first.episodes[0].id,)
        assert became.replaced[0].episode_id == first.episodes[0].id
        assert became.reason
        assert state(memory, first) is EpisodeState.SUPERSEDED
        assert state(memory, second) is EpisodeState.ACTIVE
        assert not memory.review.list()
        then = memory.recall(old, as_of=DAY + timedelta(days=20), record=False).hits
        ids = {hit.episode.id for hit in then}
        assert first.episodes[0].id in ids
        assert second.episodes[0].id not in ids
        memory.undo(second.event_ids[-1])
        assert state(memory, first) is EpisodeState.ACTIVE
        memory.maintain()
        assert state(memory, first) is not EpisodeState.SUPERSEDED  # what a person took back is not done again


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_told_later_of_an_earlier_day_the_order_of_days_counts(tmp_path: Path, old: str, new: str) -> None:
    with opened(tmp_path) as memory:
        second = say(memory, new, day=40)
        first = say(memory, old, day=5)
        assert state(memory, first) is EpisodeState.SUPERSEDED
        assert state(memory, second) is EpisodeState.ACTIVE


def test_another_speaker_another_language_a_key_and_a_long_text_are_left_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        others = say(memory, "I live in Munich.", speaker="Ben")
        keyed = say(memory, "I live in Hamburg.", about=("mika", "home"))
        rest = " It rained and the trams were full, so we walked along the river." * 5
        long = say(memory, f"I live in Leeds.{rest}")
        say(memory, "I live in Berlin now.", day=30)
        assert EpisodeState.SUPERSEDED not in {state(memory, one) for one in (others, keyed, long)}
        own = say(memory, "I live in Cologne.", day=2)
        assert state(memory, own) is EpisodeState.SUPERSEDED  # the control: it is older than the move to Berlin


def test_two_values_of_one_day_wait_for_a_person(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first = say(memory, "My rent is 900 euros.")
        second = say(memory, "My rent is 950 euros.")
        assert {state(memory, one) for one in (first, second)} == {EpisodeState.CONFLICT_PENDING}
        assert len(memory.review.list()) == 1


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    settings = Settings(integration=IntegrationSettings(supersede_stated=False))
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=settings) as memory:
        first = say(memory, "I live in Munich.")
        say(memory, "I live in Berlin now.", day=30)
        assert state(memory, first) is not EpisodeState.SUPERSEDED


def test_one_by_one_or_at_once_the_same_becomes_of_statements(tmp_path: Path) -> None:
    texts = [text for pair in CHANGES for text in pair]
    statements = [
        Statement(text=text, occurred_at=DAY + timedelta(days=number), speaker="Mika")
        for number, text in enumerate(texts)
    ]
    found: list[list[EpisodeState]] = []
    for name, groups in (("once", [statements]), ("each", [[one] for one in statements])):
        with opened(tmp_path / name) as memory:
            said = [
                one.episodes[place].id
                for group in groups
                for one in [memory.remember_many(group)]
                for place in range(len(group))
            ]
            found.append([state_of(memory, id_) for id_ in said])
    assert found[0] == found[1]
    assert found[0].count(EpisodeState.SUPERSEDED) == len(CHANGES)


def test_facts_move_with_a_namespace_and_go_with_what_is_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first = say(memory, "I live in Munich.")
        memory.store.export(tmp_path / "out.jsonl")
        memory.forget(first.episodes[0].id)
    assert "Munich" in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    for path in (tmp_path / "store").rglob("*"):
        assert not path.is_file() or b"Munich" not in path.read_bytes()
    with opened(tmp_path / "other") as memory:
        memory.store.import_(tmp_path / "out.jsonl")
        say(memory, "I live in Berlin now.", day=30)
        assert state(memory, first) is EpisodeState.SUPERSEDED


def test_a_chat_model_may_name_keys_that_no_pattern_reads(tmp_path: Path) -> None:
    def answer(request: ChatRequest) -> str:
        shown = json.loads(request.messages[1].text.split("<statements>")[1].split("</statements>")[0])
        values = {"Gina cuts my hair.": "Gina", "These days Paulo does my hair.": "Paulo"}
        facts = [
            {"number": one["number"], "subject": "speaker", "attribute": "hairdresser", "value": values[one["text"]]}
            for one in shown["statements"]
        ]
        return json.dumps({"facts": facts})

    settings = Settings(integration=IntegrationSettings(extract_keys=True))
    model = ScriptedChatModel([answer])
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder(), settings=settings, chat_model=model) as memory:
        first = say(memory, "Gina cuts my hair.")
        second = say(memory, "These days Paulo does my hair.", day=30)
        assert second.integrated[0].superseded == (first.episodes[0].id,)
        assert second.unread == ""
