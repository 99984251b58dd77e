from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.index.questions import QuestionVectors

DIMENSION = 192


def vectors(count: int, seed: int = 0, dimension: int = DIMENSION) -> npt.NDArray[np.float16]:
    chance = np.random.default_rng(seed)
    topics = chance.standard_normal((max(1, count // 20), dimension))
    rows = topics[chance.integers(0, len(topics), count)] + 0.8 * chance.standard_normal((count, dimension)) + 1.0
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def filled(rows: npt.NDArray[np.float16], *, exact_up_to: int, part: int = 700) -> QuestionVectors:
    made = QuestionVectors(rows.shape[1], exact_up_to=exact_up_to)
    for start in range(0, len(rows), part):
        made.append(rows[start : start + part])
    return made


def test_few_are_compared_exactly_nearest_first() -> None:
    rows = vectors(300)
    probe = rows[7].astype(np.float32)
    numbers, cosines = filled(rows, exact_up_to=300).nearest(probe, count=10)
    wanted = rows.astype(np.float32) @ probe
    assert numbers.tolist() == np.lexsort((np.arange(300), -wanted))[:10].tolist()
    np.testing.assert_allclose(cosines, wanted[numbers], atol=1e-3)


def test_what_is_equally_near_comes_by_number() -> None:
    rows = np.repeat(vectors(3), 5, axis=0)
    numbers, _ = filled(rows, exact_up_to=100).nearest(rows[0].astype(np.float32), count=5)
    assert numbers.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("dimension", [64, 96, 192, 512])
def test_of_many_hardly_one_of_the_nearest_is_missed(dimension: int) -> None:
    rows = vectors(6000, dimension=dimension)
    made = filled(rows, exact_up_to=500)
    found = 0
    probes = vectors(30, seed=1, dimension=dimension).astype(np.float32) + rows[:30]
    for probe in probes / np.linalg.norm(probes, axis=1, keepdims=True):
        wanted = np.argsort(-(rows.astype(np.float32) @ probe))[:16]
        numbers, cosines = made.nearest(probe, count=16)
        assert len(numbers) == 16
        assert np.all(np.diff(cosines) <= 0)
        found += len(set(wanted.tolist()) & set(numbers.tolist()))
    assert found > 0.95 * 30 * 16


def test_thousands_of_the_same_question_cost_no_more_than_others() -> None:
    rows = np.repeat(vectors(2), 3000, axis=0)
    made = filled(rows, exact_up_to=100)
    numbers, cosines = made.nearest(rows[0].astype(np.float32), count=8)
    assert len(numbers) == 8
    assert cosines.min() > 0.99
    assert len(made._near_by_sketch(rows[0].astype(np.float32), 128, None)) <= 256


@pytest.mark.parametrize("exact_up_to", [3000, 200])
def test_only_those_that_may_be_given_are_and_they_are_the_nearest_of_these(exact_up_to: int) -> None:
    rows = vectors(2000)
    made = filled(rows, exact_up_to=exact_up_to)
    among = np.random.default_rng(5).random(2000) < 0.05
    probe = rows[7].astype(np.float32)
    numbers, cosines = made.nearest(probe, count=12, among=among)
    wanted = np.where(among, rows.astype(np.float32) @ probe, -2.0)
    assert numbers.tolist() == np.lexsort((np.arange(2000), -wanted))[:12].tolist()
    assert np.all(np.diff(cosines) <= 0)
    assert made.nearest(probe, count=5, among=np.zeros(2000, dtype=np.bool_))[0].size == 0


def test_none_are_near_where_there_are_none() -> None:
    numbers, cosines = QuestionVectors(8).nearest(np.ones(8, dtype=np.float32), count=3)
    assert (len(numbers), len(cosines)) == (0, 0)


@given(st.lists(st.integers(0, 10**6), max_size=40), st.sampled_from([1000, 10]))
def test_the_last_takes_the_place_of_one_that_goes(gone: list[int], exact_up_to: int) -> None:
    rows = vectors(60)
    made, left = filled(rows, exact_up_to=exact_up_to, part=20), list(range(60))
    for number in gone:
        place = number % len(left)
        made.move_last(place)
        last = left.pop()
        if place < len(left):
            left[place] = last
    assert len(made) == len(left)
    probe = rows[3].astype(np.float32)
    numbers, cosines = made.nearest(probe, count=len(left))
    places: list[int] = numbers.tolist()
    found = {left[number]: round(float(cosines[place]), 3) for place, number in enumerate(places)}
    wanted = rows.astype(np.float32) @ probe
    assert {place: pytest.approx(float(wanted[place]), abs=2e-3) for place in left} == found
