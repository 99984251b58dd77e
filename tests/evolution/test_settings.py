from __future__ import annotations

from typing import Any

import pytest

from evolore.errors import InvalidValue
from evolore.evolution.contest_questions import ALPHA, CONFIRM_PAIRS, LEAST_FRESH_QUESTIONS
from evolore.evolution.settings import CanarySettings, EvolutionSettings, SelectionMode


def test_the_seeds_defaults_are_kept() -> None:
    given = EvolutionSettings()
    assert (given.bad_feedback_threshold, given.candidate_count, given.evaluation_sample_size) == (3, 3, 5)
    assert (given.min_win_margin, given.auto_update) == (0.1, False)


def test_beyond_the_seed_a_winner_is_confirmed_within_forty_pairs() -> None:
    given = EvolutionSettings()
    assert given.mode is SelectionMode.CONFIRMED
    assert (ALPHA, CONFIRM_PAIRS, LEAST_FRESH_QUESTIONS) == (0.05, 40, 20)
    assert given.canary.stages == (5, 25, 50, 100)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("bad_feedback_threshold", 0),
        ("candidate_count", 0),
        ("evaluation_sample_size", 1.5),
        ("min_win_margin", 0.6),
        ("min_win_margin", -0.1),
    ],
)
def test_numbers_outside_their_range_are_refused(name: str, value: object) -> None:
    given: dict[str, Any] = {name: value}
    with pytest.raises(InvalidValue, match=name):
        EvolutionSettings(**given)


def test_the_mode_is_a_word() -> None:
    assert EvolutionSettings(mode="seed").mode is SelectionMode.SEED  # pyright: ignore[reportArgumentType] - the word is read
    with pytest.raises(InvalidValue, match="mode is 'fast': use 'confirmed' or 'seed'"):
        EvolutionSettings(mode="fast")  # pyright: ignore[reportArgumentType] - what is wrong


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("stages", ()),
        ("stages", (5, 25)),
        ("stages", (25, 5, 100)),
        ("stages", (0, 100)),
        ("least_questions", 0),
    ],
)
def test_canaries_that_cannot_be_are_refused(name: str, value: object) -> None:
    given: dict[str, Any] = {name: value}
    with pytest.raises(InvalidValue, match=name):
        CanarySettings(**given)
