"""Names of items in both directions, and the law that history does not matter."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evolore.index.names import NamePostings

NAMES = ("Osaka", "Mika", "猫", "5 km", "The Red Train")
ASKED = (*NAMES, "nobody", "Mika")

name_lists = st.lists(st.lists(st.sampled_from(NAMES), max_size=5), max_size=5)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), name_lists),
        st.tuples(st.just("drop"), st.lists(st.integers(0, 30), max_size=4)),
        st.tuples(st.just("restore"), st.none()),
    ),
    max_size=10,
)


def holders(index: NamePostings) -> dict[str, list[int]]:
    """Give which items hold each name that was asked for."""
    numbers = index.numbers_of(ASKED)
    starts, items = index.items_of(numbers)
    rows = [items[a:b].tolist() for a, b in pairwise(starts.tolist())]
    assert index.item_counts(numbers).tolist() == list(map(len, rows))
    return dict(zip(ASKED, rows, strict=True))


def held(index: NamePostings, count: int) -> list[list[str]]:
    """Give which names each item holds."""
    names = {number: name for name, number in zip(NAMES, index.numbers_of(NAMES).tolist(), strict=True)}
    starts, numbers = index.names_of(np.arange(count, dtype=np.int32))
    return [[names[number] for number in numbers[a:b].tolist()] for a, b in pairwise(starts.tolist())]


@given(history=steps)
def test_any_history_gives_an_index_built_anew(history: list[tuple[str, list[list[str]] | list[int] | None]]) -> None:
    index, items = NamePostings(), list[list[str]]()
    for verb, argument in history:
        match verb, argument:
            case "append", list():
                index.append(argument)  # pyright: ignore[reportArgumentType] - the strategy pairs them
                items.extend(argument)  # pyright: ignore[reportArgumentType] - the strategy pairs them
            case "drop", list():
                kept = [place for place in range(len(items)) if place not in argument]
                index.keep(np.array(kept, dtype=np.intp))
                items = [items[place] for place in kept]
            case _:
                index = NamePostings.restored(index.state())
    fresh = NamePostings(items)
    assert holders(index) == holders(fresh)
    assert held(index, len(items)) == held(fresh, len(items)) == [list(dict.fromkeys(names)) for names in items]
    assert index.count == fresh.count == len({name for names in items for name in names})


def test_names_that_nobody_holds_any_more_are_forgotten() -> None:
    index = NamePostings([["secret", "Mika"], ["Mika"]])
    assert index.item_counts(index.numbers_of(["secret", "Mika"])).tolist() == [1, 2]
    index.keep(np.array([1], dtype=np.intp))
    assert index.item_counts(index.numbers_of(["secret", "Mika"])).tolist() == [0, 1]
    assert "secret" not in vars(index)["_numbers"]
    assert b"secret" not in index.state()["vocabulary"].tobytes()


def test_many_single_appends_leave_few_segments() -> None:
    index = NamePostings()
    for _ in range(300):
        index.append([["Osaka", "Mika"]])
    assert len(vars(index)["_segments"]) <= math.log2(300) + 1
    assert holders(index)["Mika"] == list(range(300))


def test_an_index_without_names_answers() -> None:
    index = NamePostings([[], []])
    assert holders(index) == {name: [] for name in ASKED}
    assert held(index, 2) == [[], []]
    assert holders(NamePostings()) == holders(index)


def test_an_item_takes_what_is_said() -> None:
    lists = [[f"name {place % 50}", f"name {place % 7}"] for place in range(4000)]
    index = NamePostings(lists)
    mentions = sum(len(set(names)) for names in lists)
    assert index.bytes_held <= 1.3 * (12 * mentions + 8 * len(lists) + 150 * 50)
