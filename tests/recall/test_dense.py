"""Candidates: what is compared is enough for the order at the top.

Likeness: a step towards what the best items have in common, seen from what all have.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue
from evolore.recall.dense import SAMPLE_SIZE, Centre, blended, candidates, common_ground, evenly, likeness, shares_of
from evolore.recall.evidence import Evidence, TermScores
from evolore.recall.ranking import MeaningWeights, rank

COUNT = 3000


def world(seed: int) -> Evidence:
    """Make a long conversation in which a few turns hold the words and a few others mean the same."""
    random = np.random.default_rng(seed)
    places = np.arange(COUNT)[:, None] + np.array([-2, -1, 1, 2])
    neighbours = np.where((places >= 0) & (places < COUNT), places, -1).astype(np.int32)
    items = np.sort(random.choice(COUNT, 200, replace=False)).astype(np.int32)
    similarity = random.normal(0.2, 0.05, COUNT).astype(np.float32)
    similarity[random.choice(COUNT, 5)] += 0.4
    return Evidence(
        terms=TermScores(
            starts=np.array([0, 200], dtype=np.int64), items=items, scores=random.uniform(1, 5, 200).astype(np.float32)
        ),
        similarity=similarity,
        neighbours=neighbours,
        groups=(np.arange(COUNT) // 20).astype(np.int32),
        is_by_named_speaker=np.zeros(COUNT, dtype=np.bool_),
    )


@pytest.mark.parametrize("seed", range(5))
def test_comparing_candidates_ranks_the_best_as_comparing_all(seed: int) -> None:
    whole = world(seed)
    own = np.zeros(COUNT, dtype=np.float32)
    own[whole.terms.items] = whole.terms.scores
    nearest = np.argsort(-whole.similarity)[:50].astype(np.int32)
    compared = candidates(own, nearest, whole.neighbours, count=200)
    partly = np.full(COUNT, np.nan, dtype=np.float32)
    partly[compared] = whole.similarity[compared]
    part = replace(whole, similarity=partly, sample=evenly(COUNT))
    expected = rank(whole, weights=MeaningWeights(), limit=5)
    found = rank(part, weights=MeaningWeights(), limit=5)
    assert found.order.tolist() == expected.order.tolist()
    assert np.allclose(found.score[found.order], expected.score[found.order], rtol=0.1)


def test_the_best_by_words_the_nearest_the_sample_and_those_next_to_them_are_compared() -> None:
    neighbours = np.full((2000, 4), -1, dtype=np.int32)
    neighbours[700, 1:3] = 699, 701
    neighbours[900, 2] = 901
    words = np.zeros(2000, dtype=np.float32)
    words[700] = 1.0
    found = set(candidates(words, np.array([900], dtype=np.int32), neighbours, count=1).tolist())
    assert {699, 700, 701, 900, 901} <= found
    assert set(evenly(2000).tolist()) <= found
    assert len(found) <= SAMPLE_SIZE + 5


@pytest.mark.parametrize("count", [0, 1, 5])
def test_few_items_are_all_compared(count: int) -> None:
    neighbours = np.full((count, 4), -1, dtype=np.int32)
    found = candidates(np.zeros(count, dtype=np.float32), np.zeros(0, dtype=np.int32), neighbours, count=10)
    assert found.tolist() == list(range(count))


def test_what_was_not_compared_is_refused_without_a_sample() -> None:
    whole = world(0)
    with pytest.raises(InvalidValue, match="not a number"):
        replace(whole, similarity=np.full(COUNT, np.nan, dtype=np.float32))
    with pytest.raises(InvalidValue, match="not a number"):
        replace(whole, similarity=np.full(COUNT, np.nan, dtype=np.float32), sample=evenly(COUNT))


def unit_rows(count: int, seed: int) -> npt.NDArray[np.float32]:
    rows = np.random.default_rng(seed).normal(size=(count, 8)).astype(np.float32) + np.float32(0.5)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def centre_of(rows: npt.NDArray[np.float32]) -> Centre:
    mean = rows.mean(axis=0)
    return Centre(mean=mean, similarity=rows @ mean)


@given(st.integers(2, 30), st.integers(0, 2**16))
def test_the_centred_cosine_is_the_cosine_of_differences(count: int, seed: int) -> None:
    rows, asked = unit_rows(count, seed), unit_rows(1, seed + 1)[0]
    centre = centre_of(rows)
    apart, aim = rows - centre.mean, asked - centre.mean
    wanted = apart @ aim / np.maximum(np.linalg.norm(apart, axis=1) * np.linalg.norm(aim), 1e-9)
    assert centre.centred(asked, rows @ asked) == pytest.approx(wanted, abs=2e-3)


@given(st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=12))
def test_shares_sum_to_one_and_the_better_counts_more(scores: list[float]) -> None:
    values = np.array(scores, dtype=np.float32)
    shares = shares_of(values)
    assert shares.sum() == pytest.approx(1.0, abs=1e-5)
    assert shares[values.argmax()] == shares.max()


def test_what_resembles_the_best_gains_and_what_was_not_compared_gains_nothing() -> None:
    rows = np.eye(6, dtype=np.float32)[[0, 0, 1, 2, 3, 4]]
    rows[1, 5] = 0.5
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    centre, best = centre_of(rows), np.array([0], dtype=np.int32)
    shares = np.ones(1, dtype=np.float32)
    ground = common_ground(rows[best], shares, centre=centre)
    products = rows @ ground
    products[5] = np.nan
    found = likeness(products, ground, centre=centre, best=best, shares=shares)
    assert found.argmax() == 1
    assert found[5] == 0.0
    assert np.isfinite(found).all()


def test_an_item_does_not_gain_by_being_like_itself() -> None:
    rows = unit_rows(20, 3)
    centre, best = centre_of(rows), np.array([4], dtype=np.int32)
    shares = np.ones(1, dtype=np.float32)
    ground = common_ground(rows[best], shares, centre=centre)
    found = likeness(rows @ ground, ground, centre=centre, best=best, shares=shares)
    assert found[4] < found.max()


@given(st.integers(3, 20), st.integers(0, 2**16), st.integers(0, 2))
def test_likeness_is_around_what_is_usual_so_that_it_lifts_some_and_sinks_others(
    count: int, seed: int, unknown: int
) -> None:
    rows = unit_rows(count, seed)
    centre, best = centre_of(rows), np.array([0], dtype=np.int32)
    shares = np.ones(1, dtype=np.float32)
    ground = common_ground(rows[best], shares, centre=centre)
    products = rows @ ground
    products[count - unknown :] = np.nan
    found = likeness(products, ground, centre=centre, best=best, shares=shares)
    assert found.sum() == pytest.approx(0.0, abs=1e-4)
    # The differences are those of cosines seen from the centre, in no unit of their own.
    assert np.ptp(found[: count - unknown]) <= 3.0
    assert not found[count - unknown :].any()


@given(st.integers(3, 20), st.integers(0, 2**16), st.floats(0, 1))
def test_a_blend_keeps_what_was_not_compared_unknown(count: int, seed: int, share: float) -> None:
    plain = np.random.default_rng(seed).normal(size=count).astype(np.float32)
    plain[0] = np.nan
    mixed = blended(plain, plain * 2, share=share)
    assert np.isnan(mixed).tolist() == [True] + [False] * (count - 1)
    assert np.argsort(mixed[1:]).tolist() == np.argsort(plain[1:]).tolist() or count < 4
