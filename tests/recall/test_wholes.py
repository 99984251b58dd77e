from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from evolore.domain.citation import GAP
from evolore.recall.expansion import MOST_FOUND, WholePiece, as_many_as_fit, best_within, first_of_each, join_pieces

GROUPS = st.lists(st.integers(0, 5), min_size=1, max_size=30)
PIECES = st.lists(
    st.builds(WholePiece, place=st.integers(0, 9), text=st.text("ab", min_size=1, max_size=9)), min_size=1, max_size=12
)


@given(GROUPS, st.randoms())
def test_each_group_comes_once_where_its_best_item_stands(groups: list[int], random: object) -> None:
    order = list(range(len(groups)))
    random.shuffle(order)  # type: ignore[attr-defined]
    numbers = np.array(groups, dtype=np.int32)
    firsts = first_of_each(np.array(order, dtype=np.int32), numbers).tolist()
    assert [groups[item] for item in firsts] == list(dict.fromkeys(groups[item] for item in order))
    assert [order.index(item) for item in firsts] == sorted(order.index(item) for item in firsts)


@given(npst.arrays(np.float32, st.integers(1, 40), elements=st.floats(-5, 5, width=32)))
def test_what_was_found_begins_with_the_best_and_holds_none_far_behind_it(score: np.ndarray) -> None:
    found = best_within(np.arange(score.size, dtype=np.int32), score)
    assert 1 <= found.size <= MOST_FOUND
    assert score[found[0]] == score.max()
    assert (np.diff(score[found]) <= 0).all()
    assert found.size == 1 or (score[found] >= score.max() / 2).all()


@given(PIECES, st.integers(0, 40))
def test_pieces_fit_but_for_a_first_that_does_not(pieces: list[WholePiece], most: int) -> None:
    taken = as_many_as_fit(pieces, most=most)
    assert [piece.place for piece in taken] == sorted({piece.place for piece in taken})
    assert pieces[0] in taken
    assert sum(len(piece.text) for piece in taken) <= most or taken == (pieces[0],)


def test_a_gap_is_marked_and_only_a_gap() -> None:
    pieces = [WholePiece(place=place, text=str(place)) for place in (2, 3, 7)]
    assert join_pieces(pieces, between="\n") == f"2\n3\n{GAP}\n7"
    assert join_pieces(pieces[:2], between="") == "23"
