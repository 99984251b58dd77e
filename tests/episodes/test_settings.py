"""The settings of splitting."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evolore.episodes.settings import Conclude, EpisodeSettings, IntegrationSettings
from evolore.errors import InvalidValue


def test_the_defaults_are_the_seeds() -> None:
    settings = EpisodeSettings()
    assert (settings.conflict_threshold, settings.min_connections, settings.max_splits) == (0.7, 3, 3)
    assert (settings.split_decay, settings.auto_split_enabled) == (0.8, True)
    assert (settings.candidate_characters, settings.merges_first) == (500, 5)


@pytest.mark.parametrize("name", ["conflict_threshold", "split_decay", "own_share"])
@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_a_share_outside_its_range_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(InvalidValue, match=f"{name} is .*: use a number from 0 to 1"):
        replace(EpisodeSettings(), **{name: value})


@pytest.mark.parametrize("name", ["min_connections", "max_splits", "candidate_characters", "merges_first"])
def test_a_count_below_one_is_refused_by_name(name: str) -> None:
    with pytest.raises(InvalidValue, match=f"{name} is 0: use a whole number"):
        replace(EpisodeSettings(), **{name: 0})


def test_a_split_into_one_part_is_refused_and_says_how_to_have_none() -> None:
    with pytest.raises(InvalidValue, match="at least 2, or switch splitting off with auto_split_enabled"):
        EpisodeSettings(max_splits=1)


def test_what_wording_may_change_is_a_word() -> None:
    assert IntegrationSettings(conclude="nothing").conclude is Conclude.NOTHING  # pyright: ignore[reportArgumentType] - read
    with pytest.raises(InvalidValue, match="conclude is 'all': use 'sure' or 'nothing'"):
        IntegrationSettings(conclude="all")  # pyright: ignore[reportArgumentType] - what is wrong


def test_weights_that_do_not_sum_to_one_are_refused() -> None:
    with pytest.raises(
        InvalidValue, match=r"conflict_weights is \(0\.5, 0\.3, 0\.3\): name three shares that sum to 1"
    ):
        EpisodeSettings(conflict_weights=(0.5, 0.3, 0.3))
