"""Settings: every value has a range, and nothing outside it can exist."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import pytest

from evolore.errors import InvalidValue
from evolore.recall.settings import RecallSettings

NAMES = [field.name for field in fields(RecallSettings)]


def changed(name: str, value: float) -> RecallSettings:
    values: dict[str, Any] = {name: value}
    return RecallSettings(**values)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf])
def test_a_value_outside_its_range_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(InvalidValue, match=name):
        changed(name, value)


@pytest.mark.parametrize(
    "name", ["neighbour_share", "window_share", "dense_neighbour_share", "vague_below", "reply_share"]
)
def test_a_share_above_one_is_refused(name: str) -> None:
    with pytest.raises(InvalidValue, match=f"{name} is 1.1"):
        changed(name, 1.1)


def test_a_sharpness_that_would_favour_what_holds_little_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"sharpness 0\.9"):
        RecallSettings(sharpness=0.9)
    assert RecallSettings(sharpness=1.0).sharpness == 1.0


@pytest.mark.parametrize("name", sorted({*NAMES} - {"expand_siblings", "likeness_count", "short_words", "sharpness"}))
def test_zero_switches_any_part_off(name: str) -> None:
    assert getattr(changed(name, 0.0), name) == 0.0


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_described(name: str) -> None:
    assert f"        {name}: " in (RecallSettings.__doc__ or "")
