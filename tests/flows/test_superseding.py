"""In a default store only what is sure changes a state; what likely replaces another is marked beside it, and undone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from evolore.config import Settings
from evolore.domain.episode import Episode, EpisodeState, Statement
from evolore.episodes.settings import Conclude, IntegrationSettings
from evolore.memory import Memory
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
)
CORRECTIONS = (
    ("The meeting is at 3 pm.", "The meeting is at 4 pm, not 3 pm."),
    ("会議室は三階です。", "訂正です。会議室は三階ではなく四階です。"),
    ("门牌号是12号。", "说错了，门牌号不是12号，是21号。"),
)
BOTH_HOLD = (
    ("I bought a bike.", "I sold my car."),
    ("I love coffee.", "I hate tea."),
    ("Patient 12 takes aspirin.", "Patient 13 takes ibuprofen."),
    ("請求書17は支払い済みです。", "請求書18はまだです。"),
    ("三号会议室的投影仪坏了。", "五号会议室换了新投影仪。"),
    ("Yui is allergic to eggs.", "Yui started school in April."),
    ("太郎に2000円貸しました。", "花子に500円貸しました。"),
    ("上周我去了杭州。", "昨天我去了苏州。"),
)


def opened(folder: Path, **settings: object) -> Memory:
    return Memory.open(folder / "store", settings=Settings(integration=IntegrationSettings(**settings)))  # type: ignore[arg-type]


def say(memory: Memory, text: str, *, day: float = 0, speaker: str | None = "Mika", about: object = None) -> Remembered:
    at = DAY + timedelta(days=day)
    return memory.remember(text, occurred_at=at, speaker=speaker, about=about)  # type: ignore[arg-type]


def state_of(memory: Memory, id_: str) -> EpisodeState:
    shown = memory.show(id_)
    assert isinstance(shown, Episode)
    return shown.state


def state(memory: Memory, said: Remembered) -> EpisodeState:
    return state_of(memory, said.id)


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_likely_change_is_marked_and_changes_no_state(tmp_path: Path, old: str, new: str) -> None:
    with opened(tmp_path) as memory:
        for number, filler in enumerate(("The lamp is broken.", "Lunch was good.", "A parcel came for Ben.")):
            say(memory, filler, day=number)
        first, second = say(memory, old, day=5), say(memory, new, day=40)
        (likely,) = second.possibly_replaced
        assert likely.episode_ids == (first.id, second.id)
        assert likely.reason
        assert (second.replaced, second.conflicts) == ((), ())
        assert state(memory, first) is state(memory, second) is EpisodeState.ACTIVE
        hits = {hit.episode.id: hit for hit in memory.recall(old, record=False).hits}
        assert [one.id for one in hits[first.id].possibly_replaced_by] == [second.id]
        assert [one.id for one in hits[second.id].possibly_replaces] == [first.id]
        assert f"[{hits[second.id].rank}]" in memory.recall(old, record=False).context
        then = memory.recall(old, as_of=DAY + timedelta(days=20), record=False).hits
        assert not any(hit.possibly_replaced_by for hit in then)
        assert likely.event_id is not None
        memory.undo(likely.event_id)
        assert not any(hit.possibly_replaced_by for hit in memory.recall(old, record=False).hits)
        memory.maintain()
        assert not any(hit.possibly_replaced_by for hit in memory.recall(old, record=False).hits)


@pytest.mark.parametrize(
    ("far", "nearest", "newer"),
    [
        ("I live in Munich.", "I live in a house in Berlin.", "I live in Berlin now."),
        ("The pool opens at eight.", "The pool in Leeds opens at nine.", "The pool in Leeds now opens at ten."),
        (
            "市民プールは八時に開きます。",
            "北の市民プールは九時に開きます。",
            "北の市民プールは十時に開くように変わりました。",
        ),
        ("游泳馆八点开门。", "北区游泳馆九点开门。", "北区游泳馆现在十点开门。"),
    ],
)
def test_the_nearest_alone_is_marked_and_nobody_asked_about_the_rest(
    tmp_path: Path, far: str, nearest: str, newer: str
) -> None:
    with opened(tmp_path) as memory:
        say(memory, far)
        second, third = (say(memory, text, day=day) for day, text in enumerate((nearest, newer), start=1))
        assert [one.episode_ids[0] for one in third.possibly_replaced] == [second.id]
        assert third.conflicts == ()


def test_an_answer_quotes_both_and_the_newer_first(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first, second = say(memory, "I live in Munich."), say(memory, "I live in Berlin now.", day=30)
        answer = memory.answer("Where do I live?", record=False)
        assert [one.episode_id for one in answer.citations] == [second.id, first.id]
        assert answer.text.splitlines()[-1] == "[2] is possibly replaced by [1]."


@pytest.mark.parametrize(("old", "new"), CORRECTIONS)
def test_a_correction_in_words_takes_the_place_of_what_was_wrong(tmp_path: Path, old: str, new: str) -> None:
    with opened(tmp_path) as memory:
        first, second = say(memory, old), say(memory, new, day=0.01)
        (sure,) = second.replaced
        assert sure.episode_ids == (first.id, second.id)
        assert state(memory, first) is EpisodeState.SUPERSEDED
        assert memory.answer(old, record=False).citations[0].episode_id == second.id
        assert sure.event_id is not None
        memory.undo(sure.event_id)
        assert state(memory, first) is EpisodeState.ACTIVE
        memory.maintain()
        assert state(memory, first) is EpisodeState.ACTIVE  # what a person took back is not done again


@pytest.mark.parametrize("later", [0.001, 40.0])
@pytest.mark.parametrize("speaker", [None, "Mika"])
@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_what_both_holds_is_left_alone(tmp_path: Path, old: str, new: str, speaker: str | None, later: float) -> None:
    with opened(tmp_path) as memory:
        first, second = say(memory, old, speaker=speaker), say(memory, new, day=later, speaker=speaker)
        assert (second.replaced, second.possibly_replaced, second.conflicts) == ((), (), ())
        assert state(memory, first) is state(memory, second) is EpisodeState.ACTIVE


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_told_later_of_an_earlier_day_the_order_of_days_counts(tmp_path: Path, old: str, new: str) -> None:
    with opened(tmp_path) as memory:
        second, first = say(memory, new, day=40), say(memory, old, day=5)
        (likely,) = first.possibly_replaced
        assert likely.episode_ids == (first.id, second.id)


def test_another_speaker_another_language_a_key_and_a_long_text_are_left_alone(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        say(memory, "I live in Munich.", speaker="Ben")
        say(memory, "I live in Hamburg.", about=("mika", "home"))
        say(memory, "I live in Leeds." + " It rained and the trams were full, so we walked along the river." * 5)
        new = say(memory, "I live in Berlin now.", day=30)
        assert new.possibly_replaced == ()
        own = say(memory, "I live in Cologne.", day=2)
        assert [one.episode_ids for one in own.possibly_replaced] == [(own.id, new.id)]  # the control


def test_nothing_is_concluded_where_a_setting_says_so(tmp_path: Path) -> None:
    with opened(tmp_path, conclude=Conclude.NOTHING) as memory:
        for old, new in (*CHANGES, *CORRECTIONS, ("My rent is 900 euros.", "My rent is 950 euros.")):
            first, second = say(memory, old), say(memory, new, day=0.01)
            assert (second.replaced, second.possibly_replaced, second.conflicts) == ((), (), ())
            assert state(memory, first) is EpisodeState.ACTIVE
        say(memory, "Oslo.", about=("office", "city"))
        assert say(memory, "Bergen.", day=3, about=("office", "city")).replaced  # a key decides all the same


def test_one_by_one_or_at_once_the_same_becomes_of_statements(tmp_path: Path) -> None:
    texts = [text for pair in (*CHANGES, *CORRECTIONS) for text in pair]
    statements = [
        Statement(text=text, occurred_at=DAY + timedelta(minutes=number), speaker="Mika")
        for number, text in enumerate(texts)
    ]
    found: list[list[tuple[str, ...]]] = []
    for name, groups in (("once", [statements]), ("each", [[one] for one in statements])):
        with opened(tmp_path / name) as memory:
            done = [memory.remember_many(group) for group in groups]
            text_of = {one.id: one.text for many in done for one in many.episodes}
            found.append(
                [
                    (action.deed.value, *(text_of[id_] for id_ in action.episode_ids))
                    for many in done
                    for one in many.integrated
                    for action in one.actions
                ]
            )
    assert found[0] == found[1]
    deeds = [one[0] for one in found[0]]
    assert deeds.count("superseded") == len(CORRECTIONS)
    assert deeds.count("likely_superseded") >= len(CHANGES) - 1


def test_facts_move_with_a_namespace_and_go_with_what_is_forgotten(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        first = say(memory, "I live in Munich.")
        memory.store.export(tmp_path / "out.jsonl")
        memory.forget(first.id)
    assert "Munich" in (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    for path in (tmp_path / "store").rglob("*"):
        assert not path.is_file() or b"Munich" not in path.read_bytes()
    with opened(tmp_path / "other") as memory:
        memory.store.import_(tmp_path / "out.jsonl")
        second = say(memory, "I live in Berlin now.", day=30)
        assert [one.episode_ids for one in second.possibly_replaced] == [(first.id, second.id)]


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
    with Memory.open(tmp_path / "store", settings=settings, chat_model=model) as memory:
        first = say(memory, "Gina cuts my hair.")
        second = say(memory, "These days Paulo does my hair.", day=30)
        assert [one.episode_ids for one in second.replaced] == [(first.id, second.id)]
        assert second.unread == ""
