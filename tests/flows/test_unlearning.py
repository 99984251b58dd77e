"""What one person taught is taken back: the others' questions stand as if that person had never rated them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flows.asking import arousal, confidence, filled, opened, recalled

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory

PEOPLE = ("ann", "bob", "eve")
WORDS = ("good", "bad", "helpful")
STEP = st.tuples(st.sampled_from(PEOPLE), st.integers(0, 4), st.sampled_from(WORDS))
Step = tuple[str, int, str]


def rate(memory: Memory, query: str, who: str, word: str) -> None:
    memory.rate(query, "bad" if word == "bad" else "good", helpful=word == "helpful", principal=who)


def trust_after(store: Path, steps: list[Step], *, unlearned: str | None = None) -> tuple[float, float | None]:
    """Give confidence and arousal of an episode that five answers rest on, after ratings and after one person is unlearned."""
    with opened(store) as memory:
        ids = filled(memory, "Deploys run every Tuesday.")
        queries = [memory.record(recalled(memory, f"question {number}?", ids), cited=ids).id for number in range(5)]
        for who, number, word in steps:
            rate(memory, queries[number], who, word)
        if unlearned is not None:
            memory.unlearn(unlearned)
        return confidence(memory, ids[0]), arousal(memory, ids[0])


@given(st.lists(STEP, max_size=14), st.sampled_from(PEOPLE))
@settings(max_examples=25, deadline=None)
@example(
    [("eve", 0, "helpful"), ("eve", 1, "helpful"), ("eve", 2, "helpful"), ("ann", 0, "good"), ("ann", 1, "good")], "eve"
)
@example(
    [
        *(("ann", number, "helpful") for number in range(3)),
        ("bob", 0, "good"),
        ("eve", 0, "good"),
        ("bob", 0, "bad"),
    ],
    "eve",
)
def test_what_ratings_moved_is_after_unlearning_as_if_that_person_had_never_rated(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step], who: str
) -> None:
    folder = tmp_path_factory.mktemp("rated")
    others = [step for step in steps if step[0] != who]
    left = trust_after(folder / "with", steps, unlearned=who)
    assert left == pytest.approx(trust_after(folder / "without", others), abs=1e-6)


def test_a_rating_that_met_a_bound_is_an_event_and_counts_once_the_others_are_unlearned(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory, "Deploys run every Tuesday.")
        queries = [memory.record(recalled(memory, f"{number}?", ids), cited=ids).id for number in range(7)]
        for number in range(3):
            rate(memory, queries[number], "eve", "helpful")
            rate(memory, queries[number + 3], "mal", "helpful")
        assert confidence(memory, ids[0]) == 1.0
        rated = memory.rate(queries[6], "good", principal="ann")
        kinds = [event.kind for event in memory.history(ids[0]) if event.id in rated.event_ids]
        assert "confidence_changed" in kinds
        memory.unlearn("eve")
        memory.unlearn("mal")
        assert confidence(memory, ids[0]) == pytest.approx(0.6)
        memory.unlearn("ann")
        assert confidence(memory, ids[0]) == 0.5


def test_a_rating_taken_back_among_others_at_a_bound_leaves_what_the_others_made_of_it(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory, "Deploys run every Tuesday.")
        queries = [memory.record(recalled(memory, f"{number}?", ids), cited=ids).id for number in range(7)]
        for number in range(3):
            rate(memory, queries[number], "ann", "helpful")
            rate(memory, queries[number + 3], "bob", "helpful")
        rate(memory, queries[0], "ann", "bad")
        assert confidence(memory, ids[0]) == 0.9
        assert "taken_back" in {event.reason for event in memory.history(ids[0])}
