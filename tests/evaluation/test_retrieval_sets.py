from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue
from evolore_evaluation.retrieval_sets import Collection, average, read_collections, score_ranking, score_sessions

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGMEMEVAL = Path(__file__).parents[1] / "data" / "longmemeval"
ITEM: dict[str, object] = {"id": "i", "text": "x"}
QUESTION: dict[str, object] = {"text": "x", "evidence": ["i"]}


def memory(**fields: object) -> dict[str, object]:
    empty: dict[str, object] = {"id": "m", "items": [], "questions": []}
    return empty | fields


def read(folder: Path, *lines: Mapping[str, object]) -> tuple[Collection, ...]:
    path = folder / "tiny.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return read_collections(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (memory(items=[{"id": "i"}]), r'line 1, items\[0\]: "text" is missing: give a string'),
        (memory(items={}), 'line 1: "items" is {}: give a list of objects'),
        (memory(id=None), 'line 1: "id" is null'),
        (memory(items=[ITEM, ITEM]), r'items\[1\]: "id" is "i": give an id that no other has'),
        (memory(items=[ITEM | {"text": "x\0"}]), r"items\[0\]: .* a NUL character"),
        (
            memory(items=[ITEM | {"speaker": ["x"]}]),
            r'items\[0\]: "speaker" is \["x"\]: give a string, or leave it out',
        ),
        (memory(questions=[QUESTION | {"text": " "}]), r"questions\[0\]: .* is blank"),
        (memory(questions=[QUESTION | {"evidence": None}]), '"evidence" is null: give a list'),
        ({"type": "doc", "id": "d", "text": "\ud800"}, "line 1: .* surrogate pair"),
        ({"type": "q", "text": "x"}, 'line 1: "gold" is missing'),
    ],
)
def test_a_line_of_another_form_is_named(tmp_path: Path, line: Mapping[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        read(tmp_path, line)


def test_twins_and_strangers_are_named(tmp_path: Path) -> None:
    document = {"type": "doc", "id": "d", "text": "x"}
    with pytest.raises(InvalidValue, match='line 2: "id" is "m": give an id that no other has'):
        read(tmp_path, memory(), memory())
    with pytest.raises(InvalidValue, match='line 2: "id" is "d": give an id that no other has'):
        read(tmp_path, document, document)
    with pytest.raises(InvalidValue, match='line 2: "type" is missing: give "doc" or "q"'):
        read(tmp_path, document, memory())
    with pytest.raises(InvalidValue, match='line 2: "items" is missing'):
        read(tmp_path, memory(), document)


def test_a_question_keeps_its_place_as_its_name_when_others_have_no_evidence(tmp_path: Path) -> None:
    idle: dict[str, object] = {"text": "x", "evidence": []}
    (found,) = read(tmp_path, memory(items=[ITEM], questions=[idle, QUESTION]))
    assert [question.id for question in found.questions] == ["1"]


def test_an_entry_of_longmemeval_that_is_malformed_is_named_with_question_and_field() -> None:
    wanted = r'malformed\.json, entry 2, question wrong, haystack_sessions\[1\]\[1\]: "content" is 7: give a string'
    with pytest.raises(InvalidValue, match=wanted):
        read_collections(LONGMEMEVAL / "malformed.json")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"question_id": " "}, 'entry 2: "question_id" is " ": give a string that is not blank'),
        ({"question_id": "lamp"}, 'entry 2: "question_id" is "lamp": give an id that no other has'),
        ({"question": ""}, "question q: .* is blank"),
        ({"question_type": None}, 'question q: "question_type" is null'),
        ({"question_date": "soon"}, r'question q: "question_date" is "soon": give a date such as 2023/05/30 \(Tue\)'),
        ({"haystack_dates": ["soon"]}, r'question q: "haystack_dates\[0\]" is "soon": give a date'),
        ({"haystack_dates": []}, 'question q: there are 1 "haystack_session_ids", 0 "haystack_dates" and 1'),
        ({"haystack_sessions": "x"}, 'question q: "haystack_sessions" is "x": give a list'),
        ({"haystack_sessions": [7]}, r'question q: "haystack_sessions\[0\]" is 7: give a list of objects'),
        ({"haystack_sessions": [["x"]]}, r'question q, haystack_sessions\[0\]\[0\] is "x": give a JSON object'),
        ({"haystack_sessions": [[{"content": "x"}]]}, r'haystack_sessions\[0\]\[0\]: "role" is missing'),
        ({"answer_session_ids": None}, 'question q: "answer_session_ids" is null: give a list of ids'),
    ],
)
def test_what_is_wrong_in_an_entry_is_said(tmp_path: Path, fields: Mapping[str, object], message: str) -> None:
    lamp = json.loads((LONGMEMEVAL / "small.json").read_text(encoding="utf-8"))[0]
    one: dict[str, object] = {
        "haystack_session_ids": ["s"],
        "haystack_dates": ["2024/03/01 (Fri) 10:15"],
        "haystack_sessions": [[{"role": "user", "content": "x"}]],
    }
    path = tmp_path / "set.json"
    path.write_text(json.dumps([lamp, lamp | one | {"question_id": "q"} | fields]), encoding="utf-8")
    with pytest.raises(InvalidValue, match=message):
        read_collections(path)


def test_an_answer_session_that_the_haystack_lacks_counts_as_missed(tmp_path: Path) -> None:
    lamp = json.loads((LONGMEMEVAL / "small.json").read_text(encoding="utf-8"))[0]
    path = tmp_path / "set.json"
    path.write_text(json.dumps([lamp | {"answer_session_ids": ["s_lamp", "gone"]}]), encoding="utf-8")
    (found,) = read_collections(path)
    assert found.questions[0].evidence == {"s_lamp_1", "gone"}
    sessions = {item.id: item.session for item in found.items if item.session is not None}
    scores = score_sessions(["s_lamp_1", "s_fish_1"], found.questions[0].evidence, sessions)
    assert (scores["session_any_at_1"], scores["session_all_at_10"]) == (1, 0)


NAMES = [f"i{number}" for number in range(30)]
rankings = st.permutations(NAMES).flatmap(lambda names: st.integers(0, 30).map(lambda length: names[:length]))
golds = st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=8)


def test_a_hand_computed_ranking() -> None:
    scores = score_ranking(["x", "a", "y", "b"], {"a", "b", "c"})
    assert scores["recall_at_1"] == 0
    assert scores["recall_at_5"] == pytest.approx(2 / 3)
    assert (scores["any_at_1"], scores["any_at_5"]) == (0, 1)
    assert scores["all_at_20"] == 0
    assert scores["mrr"] == 0.5
    ideal = 1 + 1 / math.log2(3) + 1 / 2
    assert scores["ndcg_at_10"] == pytest.approx((1 / math.log2(3) + 1 / math.log2(5)) / ideal)


def test_a_ranking_that_finds_nothing_scores_zero() -> None:
    assert set(score_ranking(["x"], {"a"}).values()) == {0}
    assert set(score_ranking([], {"a"}).values()) == {0}


def test_an_id_counts_once_at_its_first_place() -> None:
    assert score_ranking(["x", "x", "a"], {"a"})["mrr"] == 0.5


def test_a_question_without_evidence_is_refused() -> None:
    with pytest.raises(InvalidValue, match="without evidence"):
        score_ranking(["a"], set())


def test_sessions_stand_where_their_best_item_does() -> None:
    sessions = {"a1": "A", "a2": "A", "b1": "B", "c1": "C"}
    scores = score_sessions(["a1", "a2", "b1", "loose"], {"b1", "c1"}, sessions)
    assert scores == {
        "session_any_at_1": 0,
        "session_any_at_5": 1,
        "session_any_at_10": 1,
        "session_all_at_1": 0,
        "session_all_at_5": 0,
        "session_all_at_10": 0,
        "session_recall_at_10": 0.5,
    }


def test_evidence_without_a_session_has_no_session_score() -> None:
    assert score_sessions(["a"], {"a"}, {}) == {}


def test_an_average_is_over_the_questions_that_have_the_figure() -> None:
    assert average([{"a": 1.0, "b": 0.0}, {"a": 0.0}]) == {"a": 0.5, "b": 0.0}
    assert average([]) == {}


@given(rankings, golds)
def test_every_score_is_a_share(ranking: list[str], gold: frozenset[str]) -> None:
    assert all(0 <= score <= 1 for score in score_ranking(ranking, gold).values())


@given(rankings, golds)
def test_scores_grow_with_the_cutoff_and_any_recall_all_stand_in_order(
    ranking: list[str], gold: frozenset[str]
) -> None:
    scores = score_ranking(ranking, gold)
    for kind in ("recall", "any", "all"):
        values = [scores[f"{kind}_at_{k}"] for k in (1, 5, 10, 20)]
        assert values == sorted(values)
    for k in (1, 5, 10, 20):
        assert scores[f"all_at_{k}"] <= scores[f"recall_at_{k}"] <= scores[f"any_at_{k}"]


@given(golds)
def test_a_perfect_ranking_scores_one(gold: frozenset[str]) -> None:
    scores = score_ranking([*sorted(gold), "other"], gold)
    assert scores["ndcg_at_10"] == pytest.approx(1)
    assert scores["mrr"] == 1
    assert {scores[f"any_at_{k}"] for k in (1, 5, 10, 20)} == {1}
    assert {scores[f"{kind}_at_{k}"] for kind in ("recall", "all") for k in (10, 20)} == {1}


@given(rankings, golds)
def test_names_do_not_matter(ranking: list[str], gold: frozenset[str]) -> None:
    renamed = {name: f"other-{name}" for name in NAMES}
    again = score_ranking([renamed[name] for name in ranking], {renamed[name] for name in gold})
    assert again == score_ranking(ranking, gold)
