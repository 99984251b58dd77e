"""What becomes of statements does not depend on how many are told at once."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evolore.domain.episode import Statement
from flows.memories import day, described, opened, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.flows.remember.plan import Integrated

TEXTS = (
    "The office is in Kobe.",
    "The office is in Osaka.",
    "the office is in Kobe",
    "The office is in Kobe. It has a garden on the roof.",
    "It has a garden on the roof.",
    "The office isn't in Kobe.",
    "My rent is 500 euros.",
    "My rent is 600 euros.",
    "My rent is now 600 euros.",
    "My rent is 500 euros. Mika pays half of it.",
    "Thanks!",
    "オフィスは神戸にあります。",
    "オフィスは神戸にあります。屋上に庭があります。",
    "オフィスは大阪に変わった。",
    "屋上に庭があります。",
    "うん",
    "我们的办公室在上海。",
    "我们的办公室不在上海。",
    "我们的办公室在上海。楼顶有花园。",
    "我们的办公室改成在北京。",
    "好的",
)
SAID = st.builds(
    Statement,
    text=st.sampled_from(TEXTS),
    occurred_at=st.sampled_from([None, None, day(1), day(2), day(3)]),
    speaker=st.sampled_from([None, None, "Mika"]),
    session=st.sampled_from([None, "a"]),
    about=st.sampled_from([None, None, None, ("office", "city"), ("rent", "sum")]),
)


def outcome(said: Sequence[Statement], slices: Sequence[int], embedder: str | None = None) -> tuple[object, object]:
    """Remember statements in slices of these lengths, the rest one by one, and say what became of them."""
    with TemporaryDirectory() as place, opened(Path(place) / "store", embedder) as memory:
        integrated: list[Integrated] = []
        rest, lengths = list(said), list(slices)
        while rest:
            length = lengths.pop(0) if lengths else 1
            integrated += memory.remember_many(rest[:length]).integrated
            rest = rest[length:]
        return told(memory, integrated), described(memory)


KEYED = [Statement(text=f"The office is in {city}.", about=("office", "city")) for city in ("Kobe", "Osaka", "Nara")]


@settings(max_examples=15)
@given(st.lists(SAID, min_size=2, max_size=9), st.lists(st.integers(1, 4), max_size=5))
@example(KEYED, [2])
def test_statements_become_the_same_in_any_slices(said: list[Statement], slices: list[int]) -> None:
    one_by_one = outcome(said, [])
    assert outcome(said, [len(said)]) == one_by_one
    assert outcome(said, slices) == one_by_one


@settings(max_examples=3)
@given(st.lists(SAID, min_size=3, max_size=8), st.lists(st.integers(1, 4), max_size=4))
def test_statements_become_the_same_in_any_slices_with_the_embedder_that_ships(
    said: list[Statement], slices: list[int]
) -> None:
    one_by_one = outcome(said, [], "use")
    assert outcome(said, [len(said)], "use") == one_by_one
    assert outcome(said, slices, "use") == one_by_one


def test_the_description_tells_memories_apart() -> None:
    first = outcome([Statement(text=TEXTS[0]), Statement(text=TEXTS[2])], [])
    assert first != outcome([Statement(text=TEXTS[0]), Statement(text=TEXTS[1])], [])
    assert first != outcome([Statement(text=TEXTS[0], speaker="Mika"), Statement(text=TEXTS[2])], [])


@pytest.mark.parametrize("length", [1, 7, 100])
def test_a_hundred_statements_become_the_same(length: int) -> None:
    said = [
        Statement(text=TEXTS[(number * 7) % len(TEXTS)], speaker=("Mika", "Ben")[number % 2], occurred_at=day(number))
        for number in range(100)
    ]
    assert outcome(said, [length] * 100) == outcome(said, [33, 33, 34])
