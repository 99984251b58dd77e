"""Replies: asking costs, answering what was asked pays."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.replies import reply_term
from evolore.recall.settings import RecallSettings

SETTINGS = RecallSettings(question_cost=0.5, reply_share=0.2)


def term(scores: list[float], questions: list[bool]) -> list[float]:
    count = len(scores)
    neighbours = np.full((count, 4), -1, dtype=np.int32)
    neighbours[1:, 1] = np.arange(count - 1)
    neighbours[:-1, 2] = np.arange(1, count)
    flags = np.array(questions, dtype=np.bool_)
    found = reply_term(np.array(scores, dtype=np.float32), neighbours, is_question=flags, settings=SETTINGS)
    return [round(float(value), 6) for value in found]


def test_the_turn_behind_one_that_asks_gains_of_its_score() -> None:
    assert term([3.0, 1.0, 1.0], [True, False, False]) == [-0.5, 0.6, 0.0]


def test_without_a_turn_that_asks_nothing_changes() -> None:
    assert term([3.0, 1.0], [False, False]) == [0.0, 0.0]


def test_a_turn_that_asks_back_gains_nothing() -> None:
    assert term([3.0, 1.0], [True, True]) == [-0.5, -0.5]


def test_a_bad_score_is_not_handed_on() -> None:
    assert term([-3.0, 1.0], [True, False]) == [-0.5, 0.0]


@given(st.lists(st.tuples(st.floats(-5, 5, width=32), st.booleans()), min_size=1, max_size=12))
def test_only_what_asks_loses(turns: list[tuple[float, bool]]) -> None:
    found = term([score for score, _ in turns], [asks for _, asks in turns])
    assert all((value < 0) == asks for value, (_, asks) in zip(found, turns, strict=True))
