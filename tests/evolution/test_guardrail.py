from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.evolution.canary import Guardrail
from evolore.evolution.hashing import hashed_share
from laws import tried

RATIOS = (1.5, 2.0, 3.0, 4.0)
ANSWERS = st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30)


def after(answers: list[tuple[bool, bool]]) -> Guardrail:
    rail = Guardrail.begin(RATIOS)
    for is_higher, is_bad in answers:
        rail = rail.after(is_higher=is_higher, is_bad=is_bad)
    return rail


def expected(rail: Guardrail, arms: tuple[bool, ...], rates: dict[bool, float]) -> float:
    """Give the expectation of the evidence over all outcomes of answers that come in this order."""
    total = 0.0
    for outcomes in product((False, True), repeat=len(arms)):
        chance, state = 1.0, rail
        for is_higher, is_bad in zip(arms, outcomes, strict=True):
            chance *= rates[is_higher] if is_bad else 1 - rates[is_higher]
            state = state.after(is_higher=is_higher, is_bad=is_bad)
        total += chance * state.evidence
    return total


@settings(max_examples=tried(20, long=60), deadline=None)
@given(ANSWERS, st.lists(st.booleans(), max_size=7), st.floats(0, 1), st.floats(0, 1))
def test_nothing_is_gained_in_expectation_where_the_higher_arm_is_no_worse(
    before: list[tuple[bool, bool]], arms: list[bool], one: float, other: float
) -> None:
    rail = after(before)
    # A block begins with the next answers: what waits already is known, and belongs to the expectation of before.
    while rail.lower.asked or rail.higher.asked:
        rail = rail.after(is_higher=not rail.higher.asked, is_bad=False)
    rates = {False: max(one, other), True: min(one, other)}
    assert expected(rail, tuple(arms), rates) <= rail.evidence * (1 + 1e-9)


def test_something_is_gained_where_it_is_worse() -> None:
    assert expected(Guardrail.begin(RATIOS), (False, True) * 4, {False: 0.1, True: 0.5}) > 1


@given(ANSWERS)
def test_every_answer_is_held_once_and_only_one_arm_waits(answers: list[tuple[bool, bool]]) -> None:
    rail = after(answers)
    assert not (rail.lower.asked and rail.higher.asked)
    lower = [is_bad for is_higher, is_bad in answers if not is_higher]
    assert rail.known.asked + rail.lower.asked == len(lower)
    assert rail.known.bad + rail.lower.bad == sum(lower)


def tripped(rates: tuple[float, float], runs: int = 60, pairs: int = 250) -> int:
    """Count runs, as if drawn, in which the evidence ever reaches 20."""
    found = 0
    for run in range(runs):
        rail = Guardrail.begin(RATIOS)
        for at in range(2 * pairs):
            is_higher = hashed_share("arm", str(run), str(at)) < 0.5
            is_bad = hashed_share("bad", str(run), str(at)) < rates[is_higher]
            rail = rail.after(is_higher=is_higher, is_bad=is_bad)
            if rail.evidence >= 20:
                found += 1
                break
    return found


def test_equal_rates_trip_seldom_and_doubled_ones_mostly() -> None:
    assert tripped((0.2, 0.2)) <= 6
    assert tripped((0.2, 0.4)) >= 50


def test_evidence_beyond_all_numbers_is_infinite() -> None:
    rail = Guardrail(ratios=(2.0,), logs=(1e6,))
    assert rail.evidence == float("inf")


@pytest.mark.parametrize("is_bad", [False, True])
def test_where_all_answers_are_rated_alike_nothing_breaks(is_bad: bool) -> None:  # noqa: FBT001 - pytest names it
    rail = after([(at % 2 == 0, is_bad) for at in range(400)])
    assert 0 < rail.evidence < 20
