"""Sketches find what is near, whatever was appended and dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.index.vectors import FrozenRows, Sketches, _ordered

if TYPE_CHECKING:
    import numpy.typing as npt


def unit_rows(count: int, *, dimension: int = 100, seed: int = 1, shift: float = 0.0) -> npt.NDArray[np.float16]:
    rows = np.random.default_rng(seed).standard_normal((count, dimension)) + shift
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def frozen(rows: npt.NDArray[np.float16]) -> FrozenRows:
    return FrozenRows(lent=np.empty((0, rows.shape[1]), np.float16), own=rows, places=np.arange(len(rows)))


def moved(rows: npt.NDArray[np.float16], by: float, *, seed: int = 2) -> npt.NDArray[np.float32]:
    found = rows.astype(np.float32) + by * unit_rows(len(rows), dimension=rows.shape[1], seed=seed)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.parametrize("dimension", [3, 64, 100, 512])
@pytest.mark.parametrize("shift", [0.0, 2.0])  # some models put all texts at one side
def test_what_is_near_is_a_candidate(dimension: int, shift: float) -> None:
    rows = unit_rows(3000, dimension=dimension, shift=shift)
    sketches = Sketches(frozen(rows))
    for number, question in enumerate(moved(rows[:50], by=0.02 if shift else 0.3)):
        assert number in sketches.candidates(question, count=1000 if dimension < 64 else 200)


def test_what_is_not_near_is_none() -> None:
    rows = unit_rows(3000, dimension=512)
    found = Sketches(frozen(rows)).candidates(-rows[7].astype(np.float32), count=1000)
    assert 7 not in found
    assert 1000 <= len(found) < 1200


def test_all_that_are_equal_are_candidates_together() -> None:
    rows = unit_rows(500)
    rows[100:400] = rows[3]
    found = Sketches(frozen(rows)).candidates(rows[3].astype(np.float32), count=5)
    assert {3, *range(100, 400)} <= set(found.tolist())


def test_fewer_than_are_asked_for_are_all_given() -> None:
    sketches = Sketches(frozen(unit_rows(20)))
    assert sketches.candidates(unit_rows(1)[0].astype(np.float32), count=1000).tolist() == list(range(20))


@given(
    more=st.lists(st.integers(0, 40), max_size=4),
    kept=st.sets(st.integers(0, 99)),
    at_end=st.booleans(),
)
def test_what_was_appended_and_kept_is_compared_as_if_built_so(
    more: list[int], kept: set[int], *, at_end: bool
) -> None:
    begun = unit_rows(100)
    sketches, rows = Sketches(frozen(begun)), begun
    for count in more:
        some = unit_rows(count, seed=count + 3)
        sketches.append(some)
        rows = np.concatenate((rows, some))
    left = np.array([*sorted(kept), *(range(100, len(rows)) if at_end else ())], dtype=np.intp)
    sketches.keep(left)
    sketches.append(unit_rows(1, seed=99))
    rows = np.concatenate((rows[left], unit_rows(1, seed=99)))
    assert len(sketches) == len(rows)
    mean = begun.astype(np.float32).mean(axis=0).astype(np.float16)
    question = unit_rows(1, seed=5)[0]
    differing = ((rows > mean) != (question > mean)).sum(axis=1)
    wanted = np.flatnonzero(differing <= np.sort(differing)[min(10, len(rows)) - 1])
    assert sketches.candidates(question.astype(np.float32), count=10).tolist() == wanted.tolist()


@given(st.lists(st.floats(width=16, allow_nan=False), min_size=2, max_size=50))
def test_whole_numbers_stand_in_the_order_of_the_numbers(values: list[float]) -> None:
    numbers = np.array(values, dtype=np.float16) + np.float16(0.0)  # of two zeros, one
    assert (np.diff(_ordered(np.sort(numbers)).astype(np.int32)) >= 0).all()
    assert _ordered(numbers[np.newaxis, :1]).dtype == np.int16


def test_the_last_takes_the_place_of_one_that_goes() -> None:
    rows = unit_rows(300)
    question = unit_rows(1, seed=7)[0].astype(np.float32)
    sketches = Sketches(frozen(rows))
    sketches.move_last(20)
    sketches.move_last(298)
    left = [*range(20), 299, *range(21, 298)]
    assert len(sketches) == len(left)
    wanted = Sketches(frozen(rows)).candidates(question, count=300, among=np.isin(np.arange(300), left), most=300)
    found: list[int] = sketches.candidates(question, count=300).tolist()
    assert sorted(left[number] for number in found) == wanted.tolist()
    near = sketches.candidates(question, count=10, most=10).tolist()
    kept = Sketches(frozen(rows))
    kept.keep(np.array(left))
    assert near == kept.candidates(question, count=10, most=10).tolist()


def test_of_what_is_equally_near_no_more_are_given_than_wanted() -> None:
    rows = np.repeat(unit_rows(2), 50, axis=0)
    sketches = Sketches(frozen(rows))
    assert sketches.candidates(rows[0].astype(np.float32), count=5, most=8).tolist() == list(range(8))
    among = np.arange(100) % 10 == 3
    assert sketches.candidates(rows[0].astype(np.float32), count=3, among=among).tolist() == [3, 13, 23, 33, 43]
