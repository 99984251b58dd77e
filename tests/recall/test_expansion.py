from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.document import Span
from evolore.recall.expansion import Fold, Leaf, Node, fold, prefer_depth, shared_ancestors, within_reach
from evolore.recall.ranking import Ranking, Term

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST_SHARE = 0.5
MOST_CHARACTERS = 100
SCORES = st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=30).map(lambda found: np.array(found, np.float32))


@pytest.fixture(autouse=True, scope="module")
def short_chunks() -> Iterator[None]:
    with patch.multiple("evolore.recall.expansion", _LEAST_SHARE=LEAST_SHARE, _MOST_CHARACTERS=MOST_CHARACTERS):
        yield


def leaf(code: str, *, characters: int = 20, document: str = "d") -> Leaf:
    return Leaf(node=(document, tuple(int(part) for part in code.split("."))), characters=characters)


def spans(**lengths: int) -> dict[Node, Span]:
    """Name nodes as ``_`` for the whole document and ``_1_2`` for 1.2."""
    return {
        ("d", tuple(int(part) for part in name.split("_") if part)): Span(0, length) for name, length in lengths.items()
    }


def ranking_of(score: np.ndarray) -> Ranking:
    return Ranking(
        order=np.argsort(-score, kind="stable").astype(np.int32), score=score, terms={Term.LEXICAL: score.copy()}
    )


def test_siblings_come_back_as_their_parent_in_the_place_of_the_best() -> None:
    hits = [leaf("2.1"), leaf("1.3"), None, leaf("1.1"), leaf("3")]
    assert fold(hits, spans(_1=60)) == (
        Fold(members=(0,)),
        Fold(members=(1, 3), node=("d", (1,))),
        Fold(members=(2,)),
        Fold(members=(4,)),
    )


@pytest.mark.parametrize(
    ("hits", "lengths", "why"),
    [
        ([leaf("1.1"), leaf("2.1")], {"_1": 60, "_2": 60}, "they have two parents"),
        ([leaf("1.1"), leaf("1.2", document="other")], {"_1": 60}, "they stand in two documents"),
        ([leaf("1.1"), leaf("1.2")], {"_1": 101}, "the parent is too long"),
        ([leaf("1.1"), leaf("1.2")], {"_1": 81}, "most of the parent was not hit"),
        ([leaf("1.1"), leaf("1.2")], {"_2": 40}, "the parent may not be shown"),
        ([leaf("1.1.1"), leaf("1.2")], {"_1": 40}, "they are no siblings"),
    ],
)
def test_hits_stay_apart_where(hits: list[Leaf], lengths: dict[str, int], why: str) -> None:
    assert all(one.node is None for one in fold(hits, spans(**lengths))), why


def test_a_parent_that_came_back_is_a_hit_among_its_own_siblings() -> None:
    hits = [leaf("1.1.1"), leaf("1.2"), leaf("1.1.2"), leaf("2")]
    (one, other) = fold(hits, spans(_1=70, _1_1=40))
    assert one == Fold(members=(0, 1, 2), node=("d", (1,)))
    assert other == Fold(members=(3,))


def test_what_stands_below_a_parent_that_comes_back_is_folded_with_its_children() -> None:
    hits = [leaf("1.1"), leaf("1.2"), leaf("1.3.1")]
    (one,) = fold(hits, spans(_1=70))
    assert one == Fold(members=(0, 1, 2), node=("d", (1,)))


def test_chunks_at_the_top_come_back_as_the_document() -> None:
    (one,) = fold([leaf("1"), leaf("3")], spans(_=60))
    assert one.node == ("d", ())


CODES = st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple)
HITS = st.lists(st.tuples(st.sampled_from("ab"), CODES), max_size=12, unique=True)


def without_ancestors(hits: list[Node]) -> list[Node]:
    """Keep what no other stands below: only leaves are hits."""
    return [
        one for one in hits if not any(one != other and one == (other[0], other[1][: len(one[1])]) for other in hits)
    ]


@given(HITS, st.data())
def test_every_hit_is_in_one_fold_and_no_text_comes_back_twice(hits: list[Node], data: st.DataObject) -> None:
    leaves = [Leaf(node=node, characters=10) for node in without_ancestors(hits)]
    known = {node: Span(0, data.draw(st.integers(1, 150))) for node in shared_ancestors(leaves)}
    folds = fold(leaves, known)
    assert sorted(place for one in folds for place in one.members) == list(range(len(leaves)))
    assert [one.members[0] for one in folds] == sorted(one.members[0] for one in folds)
    back = [one.node or leaves[one.members[0]].node for one in folds]
    for one in back:
        assert not any(one != other and one == (other[0], other[1][: len(one[1])]) for other in back)
    for one in folds:
        assert (one.node is None) == (len(one.members) == 1)
        if one.node is not None:
            assert len(known[one.node]) <= MOST_CHARACTERS
            assert 10 * len(one.members) >= LEAST_SHARE * len(known[one.node])


@given(HITS)
def test_folding_keeps_the_order_of_documents(hits: list[Node]) -> None:
    leaves = [Leaf(node=node, characters=10) for node in without_ancestors(hits)]
    known = {node: Span(0, 20) for node in shared_ancestors(leaves)}
    folds = fold(leaves, known)
    before = list(dict.fromkeys(one.node[0] for one in leaves))
    assert list(dict.fromkeys(leaves[one.members[0]].node[0] for one in folds)) == before


@given(SCORES, st.integers(1, 10), st.floats(0, 3, width=32), st.randoms(use_true_random=False))
def test_no_item_out_of_reach_could_have_come_among_the_first(
    score: np.ndarray, count: int, bonus: float, random: object
) -> None:
    reach = within_reach(score, count=count, bonus=bonus)
    gains = np.array([bonus * random.random() for _ in score], dtype=np.float32)  # type: ignore[attr-defined]
    first = np.argsort(-(score + gains), kind="stable")[:count]
    least = (score + gains)[first].min()
    outside = np.setdiff1d(np.arange(score.size), reach)
    assert not np.any((score + gains)[outside] > least + 1e-5)


@given(SCORES, st.integers(1, 4), st.floats(0, 3), st.data())
def test_depth_is_a_term_that_the_score_is_the_sum_of(
    score: np.ndarray, depth: int, weight: float, data: st.DataObject
) -> None:
    depths = np.array(data.draw(st.lists(st.integers(0, 5), min_size=score.size, max_size=score.size)), np.int32)
    items = np.arange(score.size, dtype=np.int32)
    found = prefer_depth(ranking_of(score), items, depths, depth=depth, weight=weight)
    np.testing.assert_allclose(sum(found.terms.values()), found.score, atol=1e-5)
    assert np.all(np.diff(found.score[found.order]) <= 0)
    gain = found.terms[Term.DEPTH]
    np.testing.assert_allclose(gain[depths == depth], weight, rtol=1e-6, atol=1e-9)
    assert np.all(gain[depths == 0] == 0)
    assert np.all(gain >= 0)
    assert gain.max() <= weight + 1e-6


def test_the_nearer_to_the_depth_asked_for_the_more_is_gained() -> None:
    score = np.zeros(5, np.float32)
    depths = np.array([0, 1, 2, 3, 5], np.int32)
    found = prefer_depth(ranking_of(score), np.arange(5, dtype=np.int32), depths, depth=2, weight=0.6)
    np.testing.assert_allclose(found.terms[Term.DEPTH], [0, 0.3, 0.6, 0.3, 0.15], rtol=1e-6)
    assert found.order.tolist() == [2, 1, 3, 4, 0]
