from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.evolution import MatchOutcome
from evolore.errors import InvalidValue
from evolore.evolution.contest_questions import BETS
from evolore.evolution.matches import Tally, anytime_interval, evidence, wilson

COUNTS = st.integers(0, 60)


def test_a_tie_counts_half_of_a_win() -> None:
    assert Tally(wins=2, losses=1, ties=2).win_rate == Fraction(3, 5)
    assert Tally().win_rate == Fraction(1, 2)
    with pytest.raises(InvalidValue, match="no counts"):
        Tally(wins=-1)


@given(st.lists(st.sampled_from(MatchOutcome)))
def test_every_match_is_counted_once(outcomes: list[MatchOutcome]) -> None:
    tally = Tally()
    for outcome in outcomes:
        tally = tally.after(outcome)
    assert tally.played == len(outcomes)
    assert tally.wins == outcomes.count(MatchOutcome.B)
    assert tally.losses == outcomes.count(MatchOutcome.A)


@given(st.floats(0.0, 0.5), st.floats(0.0, 1.0), COUNTS, COUNTS)
def test_the_bet_gains_nothing_in_expectation_from_what_is_no_better(
    wins: float, ties: float, won: int, lost: int
) -> None:
    """One more pair, won with at most the probability with which it is lost, does not raise the expectation."""
    win, loss = wins * (1 - ties), (1 - wins) * (1 - ties)
    before = evidence(won, lost, BETS)
    after = win * evidence(won + 1, lost, BETS) + loss * evidence(won, lost + 1, BETS) + ties * before
    assert after <= before * (1 + 1e-9)


def test_the_bet_gains_from_what_is_better() -> None:
    assert 0.7 * evidence(1, 0, BETS) + 0.3 * evidence(0, 1, BETS) > 1


def test_looking_after_every_pair_errs_at_most_alpha() -> None:
    """Exactly, by the probabilities of all paths of forty pairs that are as likely won as lost."""
    alive, proved = {0: 1.0}, 0.0
    for played in range(1, 41):
        following: dict[int, float] = {}
        for won, chance in alive.items():
            for wins in (won, won + 1):
                following[wins] = following.get(wins, 0.0) + chance / 2
        proved += sum(chance for won, chance in following.items() if evidence(won, played - won, BETS) >= 20)
        alive = {won: chance for won, chance in following.items() if evidence(won, played - won, BETS) < 20}
    assert 0.02 < proved <= 0.05


def test_wilson_gives_the_intervals_of_the_books() -> None:
    interval = wilson(8, 10)
    assert (round(interval.low, 3), round(interval.high, 3)) == (0.490, 0.943)
    assert (wilson(0, 0).low, wilson(0, 0).high) == (0.0, 1.0)
    assert wilson(0, 10).low == 0.0
    assert wilson(10, 10).high == 1.0


def test_wilson_narrows_with_more_trials() -> None:
    few, many = wilson(5, 10), wilson(50, 100)
    assert few.low < many.low < 0.5 < many.high < few.high


@given(st.integers(1, 200), st.data())
def test_an_interval_holds_its_rate_and_mirrors(total: int, data: st.DataObject) -> None:
    won = data.draw(st.integers(0, total))
    here, there = wilson(won, total), wilson(total - won, total)
    assert here.low <= won / total <= here.high
    assert here.low == pytest.approx(1 - there.high)


def test_wilson_covers_about_95_percent() -> None:
    for rate in (0.1, 0.5, 0.8):
        covered = sum(
            comb(40, won) * rate**won * (1 - rate) ** (40 - won)
            for won in range(41)
            if wilson(won, 40).low <= rate <= wilson(won, 40).high
        )
        assert 0.92 < covered < 0.99


@given(COUNTS, COUNTS, COUNTS)
def test_the_lower_end_passes_one_half_exactly_when_the_bet_proves_it(wins: int, losses: int, ties: int) -> None:
    interval = anytime_interval(Tally(wins=wins, losses=losses, ties=ties), alpha=0.05, bets=BETS)
    assert 0.0 <= interval.low <= interval.high <= 1.0
    if abs(evidence(wins, losses, BETS) - 20) > 0.01:
        assert (interval.low > 0.5) is (evidence(wins, losses, BETS) > 20)


@given(COUNTS, COUNTS, COUNTS)
def test_the_interval_of_the_other_side_is_its_mirror(wins: int, losses: int, ties: int) -> None:
    here = anytime_interval(Tally(wins=wins, losses=losses, ties=ties), alpha=0.05)
    there = anytime_interval(Tally(wins=losses, losses=wins, ties=ties), alpha=0.05)
    assert here.low == pytest.approx(1 - there.high, abs=1e-9)


def test_many_answers_make_a_narrow_interval_and_overflow_nothing() -> None:
    interval = anytime_interval(Tally(wins=100_000, losses=900_000), alpha=0.05)
    assert interval.low <= 0.1 <= interval.high
    assert interval.high - interval.low < 0.01
