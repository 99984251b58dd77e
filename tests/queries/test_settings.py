"""The settings of what questions teach."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from evolore.config import load
from evolore.errors import InvalidSetting, InvalidValue
from evolore.queries.settings import Phase, QuerySettings


def test_the_defaults_are_the_seeds() -> None:
    settings = QuerySettings()
    assert (settings.phase, settings.gather, settings.least_share) == (Phase.WITH_BRANCHING, 5, 0.2)
    assert (settings.record, settings.include_query_edges) == (True, False)


def test_each_phase_does_what_those_before_it_do() -> None:
    assert [phase.enters_insight for phase in Phase] == [False, True, True, True]
    assert [phase.evaluates for phase in Phase] == [False, False, True, True]


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_a_share_outside_its_range_is_refused_by_name(value: float) -> None:
    with pytest.raises(InvalidValue, match=r"least_share is .*: use a number from 0 to 1"):
        QuerySettings(least_share=value)


@pytest.mark.parametrize(
    ("name", "value", "advice"),
    [
        ("gather", 0, "use a whole number"),
        ("learned_weight", -1.0, "use at least 0"),
        ("learned_weight", math.inf, "use a finite number of at least 0"),
        ("phase", "later", "use 'store_only' or 'insight_only'"),
    ],
)
def test_what_is_out_of_range_is_refused_by_name_and_told_what_to_give(name: str, value: object, advice: str) -> None:
    with pytest.raises(InvalidValue, match=f"{name} is .*: {advice}"):
        replace(QuerySettings(), **{name: value})


def test_a_phase_is_read_from_the_environment_and_a_wrong_one_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLORE_QUERIES__PHASE", "store_only")
    assert load().queries.phase is Phase.STORE_ONLY
    monkeypatch.setenv("EVOLORE_QUERIES__PHASE", "never")
    with pytest.raises(InvalidSetting, match=r"queries\.phase is 'never'"):
        load()
