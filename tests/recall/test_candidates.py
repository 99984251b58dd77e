"""Candidates: what is compared is enough for the order at the top."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from evolore.errors import InvalidValue
from evolore.recall.dense import SAMPLE_SIZE, candidates, evenly
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
