"""Replies: asking costs, answering what was asked pays."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.ranking import reply_term

if TYPE_CHECKING:
    from collections.abc import Iterator

TURNS = st.tuples(st.floats(-5, 5, width=32), st.booleans())


@pytest.fixture(autouse=True, scope="module")
def round_weights() -> Iterator[None]:
    with patch.multiple("evolore.recall.ranking", QUESTION_COST=0.5, _REPLY_SHARE=0.2):
        yield


def term(scores: list[float], questions: list[bool], *, short: list[float] | None = None) -> list[float]:
    count = len(scores)
    neighbours = np.full((count, 4), -1, dtype=np.int32)
    neighbours[1:, 1] = np.arange(count - 1)
    neighbours[:-1, 2] = np.arange(1, count)
    flags = np.array(questions, dtype=np.bool_)
    found = reply_term(
        np.array(scores, dtype=np.float32),
        neighbours,
        is_question=flags,
        short=None if short is None else np.array(short, dtype=np.float32),
    )
    return [round(float(value), 6) for value in found]


def test_the_turn_behind_one_that_asks_gains_of_its_score() -> None:
    assert term([3.0, 1.0, 1.0], [True, False, False]) == [-0.5, 0.6, 0.0]


def test_without_a_turn_that_asks_nothing_changes() -> None:
    assert term([3.0, 1.0], [False, False]) == [0.0, 0.0]


def test_a_turn_that_asks_back_gains_nothing() -> None:
    assert term([3.0, 1.0], [True, True]) == [-0.5, -0.5]


def test_a_bad_score_is_not_handed_on() -> None:
    assert term([-3.0, 1.0], [True, False]) == [-0.5, 0.0]


def test_a_long_turn_loses_less_by_asking_and_gains_less_by_answering() -> None:
    assert term([3.0, 1.0], [True, False], short=[1.0, 0.25]) == [-0.5, 0.15]
    assert term([3.0, 1.0], [True, False], short=[0.5, 1.0]) == [-0.25, 0.6]


@given(st.lists(TURNS, min_size=1, max_size=12))
def test_only_what_asks_loses(turns: list[tuple[float, bool]]) -> None:
    found = term([score for score, _ in turns], [asks for _, asks in turns])
    assert all((value < 0) == asks for value, (_, asks) in zip(found, turns, strict=True))


@given(st.lists(TURNS, min_size=1, max_size=12), st.data())
def test_the_term_is_in_proportion_to_shortness(turns: list[tuple[float, bool]], data: st.DataObject) -> None:
    scores, questions = [score for score, _ in turns], [asks for _, asks in turns]
    size = len(turns)
    short = data.draw(st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=size, max_size=size))
    assert term(scores, questions, short=[1.0] * size) == term(scores, questions)
    wanted = np.array(term(scores, questions)) * short
    assert term(scores, questions, short=short) == pytest.approx(wanted, abs=1e-5)
