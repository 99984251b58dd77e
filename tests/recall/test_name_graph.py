"""The graph of names, as far as a question may see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.graph import NameGraph
from recall.name_arrays import NameArrays

if TYPE_CHECKING:
    from collections.abc import Sequence

NAMES = ("Mika", "Jonas", "Osaka", "Katowice")
HELD = st.lists(st.lists(st.sampled_from(NAMES), max_size=3, unique=True), min_size=1, max_size=12)


def graph_of(held: Sequence[Sequence[str]], *, there: int | None = None) -> NameGraph:
    seen = np.arange(len(held) if there is None else there, dtype=np.int32)
    return NameGraph(NameArrays(held), seen, count=len(held), common_share=0.5)


@given(HELD, st.integers(1, 12))
def test_what_is_not_counted_makes_no_name_more_or_less_rare(held: Sequence[Sequence[str]], there: int) -> None:
    among, alone = graph_of(held, there=min(there, len(held))), graph_of(held[:there])
    numbers, numbers_alone = among.numbers_of(NAMES), alone.numbers_of(NAMES)
    assert ((numbers >= 0) == (numbers_alone >= 0)).all()
    known, known_alone = numbers[numbers >= 0], numbers_alone[numbers_alone >= 0]
    for _ in range(2):  # counts are kept: the second time they are not made anew
        assert among.item_counts(known).tolist() == alone.item_counts(known_alone).tolist()
        assert among.rarity(known).tolist() == alone.rarity(known_alone).tolist()


def test_by_default_every_item_counts() -> None:
    held = [["Mika"], ["Mika", "Osaka"], ["Mika"], ["Jonas"]]
    assert graph_of(held).item_counts(graph_of(held).numbers_of(["Mika"])).tolist() == [3]
    assert graph_of(held, there=2).item_counts(graph_of(held).numbers_of(["Mika"])).tolist() == [2]
