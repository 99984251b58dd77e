from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolore.evolution.contest import Chances, Contender, best_by_seed_rule, best_of, passes_seed_rule
from evolore.evolution.matches import Tally
from evolore.evolution.settings import EvolutionSettings

SETTINGS = EvolutionSettings()


def standing(name: str, wins: int, losses: int = 0, *, lost_before: int = 0, length: float = 1.0) -> Chances:
    return Chances(
        contender=Contender(candidate_id=name, length_ratio=length),
        confirm=Tally(wins=wins, losses=losses),
        regression=Tally(losses=lost_before, ties=10 - lost_before),
    )


def test_the_seed_accepts_six_tenths_and_nothing_below() -> None:
    assert passes_seed_rule(Tally(wins=3, losses=2), SETTINGS)
    assert passes_seed_rule(Tally(wins=2, losses=1, ties=2), SETTINGS)
    assert not passes_seed_rule(Tally(wins=599, losses=401), SETTINGS)
    assert passes_seed_rule(Tally(wins=600, losses=400), SETTINGS)
    assert not passes_seed_rule(Tally(wins=5_999_999, losses=4_000_001), SETTINGS)
    assert not passes_seed_rule(Tally(), EvolutionSettings(min_win_margin=0.0))


@given(st.integers(1, 400), st.integers(0, 50), st.data())
def test_the_rule_is_exact_for_every_margin(played: int, percent: int, data: st.DataObject) -> None:
    wins = data.draw(st.integers(0, played))
    settings = EvolutionSettings(min_win_margin=percent / 100)
    assert passes_seed_rule(Tally(wins=wins, losses=played - wins), settings) is (100 * wins >= (50 + percent) * played)


def test_of_candidates_the_best_of_the_screen_is_the_seeds_winner_the_first_of_equals() -> None:
    def screened(name: str, wins: int) -> Chances:
        return Chances(contender=Contender(candidate_id=name), screen=Tally(wins=wins, losses=5 - wins))

    best = best_by_seed_rule([screened("a", 3), screened("b", 4), screened("c", 4)], SETTINGS)
    assert best is not None
    assert best.contender.candidate_id == "b"
    assert best_by_seed_rule([screened("a", 2), screened("b", 1)], SETTINGS) is None


def test_the_highest_win_rate_decides_first() -> None:
    every = [standing("keeps", 8, 2, length=2.0), standing("wins", 10, lost_before=2, length=2.0)]
    assert best_of(every).contender.candidate_id == "wins"


def test_among_equal_winners_the_kinder_then_shorter_then_first_is_taken() -> None:
    assert best_of([standing("a", 8, lost_before=1), standing("b", 8)]).contender.candidate_id == "b"
    assert best_of([standing("a", 8, length=2.0), standing("b", 8)]).contender.candidate_id == "b"
    assert best_of([standing("a", 8), standing("b", 8)]).contender.candidate_id == "a"


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=8))
def test_the_best_is_beaten_in_everything_by_nobody(marks: list[tuple[int, ...]]) -> None:
    every = [
        standing(str(at), wins, 3 - wins, lost_before=lost, length=1.0 + length)
        for at, (wins, lost, length) in enumerate(marks)
    ]
    worth = [(wins, -lost, -length) for wins, lost, length in marks]
    best = worth[int(best_of(every).contender.candidate_id)]
    assert not any(
        other != best and all(left >= right for left, right in zip(other, best, strict=True)) for other in worth
    )
