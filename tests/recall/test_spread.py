"""Spreading: the vectorised sums equal the formulas read aloud."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from evolore.recall.evidence import TermScores
from evolore.recall.ranking import spread_similarity, spread_terms

if TYPE_CHECKING:
    import numpy.typing as npt

SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
# Fractions with few bits: sums are exact, so the laws can ask for equality.
SCORES = st.sampled_from([0.0, 0.0, 0.25, 1.0, 1.5, 4.0])
SESSIONS = st.lists(st.integers(1, 6), max_size=4)


def rows_of(scores: npt.NDArray[np.float32]) -> TermScores:
    """Keep what is above 0 of an array of shape (terms, items)."""
    terms, items = np.nonzero(scores)
    sizes = np.bincount(terms, minlength=scores.shape[0])
    return TermScores(
        starts=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        items=items.astype(np.int32),
        scores=scores[terms, items],
    )


def links_of(sessions: list[int]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    groups = np.repeat(np.arange(len(sessions), dtype=np.int32), sessions)
    places = np.arange(groups.size)[:, None] + np.array([-2, -1, 1, 2])
    inside = (places >= 0) & (places < groups.size)
    same = np.zeros_like(inside)
    same[inside] = (groups[:, None] == groups[places.clip(0, max(groups.size - 1, 0))])[inside]
    return np.where(same, places, -1).astype(np.int32), groups


@st.composite
def worlds(
    draw: st.DrawFn,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    neighbours, groups = links_of(draw(SESSIONS))
    scores = draw(arrays(np.float32, (draw(st.integers(0, 4)), groups.size), elements=SCORES))
    return scores, neighbours, groups


@given(world=worlds(), share=SHARES)
def test_words_spread_as_the_formulas_say(
    world: tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]], share: float
) -> None:
    scores, neighbours, groups = world
    found = spread_terms(rows_of(scores), neighbours, groups=groups, neighbour_share=share)
    for item in range(groups.size):
        near = neighbours[item][neighbours[item] >= 0]
        assert found.own[item] == scores[:, item].sum()
        assert found.summed[item] == scores[:, item].sum() + share * scores[:, near].sum()
        lent = share * scores[:, near].max(axis=1, initial=0.0)
        assert found.windowed[item] == np.maximum(scores[:, item], lent).sum()
        assert found.grouped[item] == scores[:, groups == groups[item]].max(axis=1, initial=0.0).sum()


@given(world=worlds(), data=st.data())
def test_each_item_takes_its_own_share_of_its_neighbours(
    world: tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]], data: st.DataObject
) -> None:
    scores, neighbours, groups = world
    shares = data.draw(arrays(np.float32, groups.size, elements=SHARES))
    found = spread_terms(rows_of(scores), neighbours, groups=groups, neighbour_share=shares)
    lent = spread_similarity(found.own, neighbours, neighbour_share=shares)
    for item, share in enumerate(shares.tolist()):
        alike = spread_terms(rows_of(scores), neighbours, groups=groups, neighbour_share=share)
        assert found.windowed[item] == alike.windowed[item]
        assert found.summed[item] == alike.summed[item]
        assert lent[item] == spread_similarity(found.own, neighbours, neighbour_share=share)[item]
    assert np.array_equal(found.own, scores.sum(axis=0))


@given(world=worlds(), share=SHARES)
def test_context_only_adds(
    world: tuple[npt.NDArray[np.float32], npt.NDArray[np.int32], npt.NDArray[np.int32]], share: float
) -> None:
    scores, neighbours, groups = world
    found = spread_terms(rows_of(scores), neighbours, groups=groups, neighbour_share=share)
    assert np.all(found.own <= found.windowed)
    assert np.all(found.windowed <= found.summed)
    assert np.all(found.own <= found.grouped)


@given(sessions=SESSIONS.filter(bool), share=SHARES, data=st.data())
def test_similarity_is_lent_to_the_next_on_both_sides_only(
    sessions: list[int], share: float, data: st.DataObject
) -> None:
    neighbours, groups = links_of(sessions)
    similarity = data.draw(arrays(np.float32, groups.size, elements=st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])))
    lent = spread_similarity(similarity, neighbours, neighbour_share=share)
    for item in range(groups.size):
        near = [other for other in neighbours[item, 1:3] if other >= 0]
        assert lent[item] == share * similarity[near].sum()


def test_what_another_session_says_is_not_lent() -> None:
    neighbours, groups = links_of([2, 2])
    scores = np.array([[0.0, 4.0, 0.0, 0.0]], dtype=np.float32)
    found = spread_terms(rows_of(scores), neighbours, groups=groups, neighbour_share=0.5)
    assert found.summed.tolist() == found.windowed.tolist() == [2.0, 4.0, 0.0, 0.0]
    assert found.grouped.tolist() == [4.0, 4.0, 0.0, 0.0]


def test_a_window_counts_a_word_once_and_a_sum_each_time() -> None:
    neighbours, groups = links_of([3])
    scores = np.array([[4.0, 4.0, 4.0]], dtype=np.float32)
    found = spread_terms(rows_of(scores), neighbours, groups=groups, neighbour_share=0.5)
    assert found.windowed.tolist() == [4.0, 4.0, 4.0]
    assert found.summed.tolist() == [8.0, 8.0, 8.0]
