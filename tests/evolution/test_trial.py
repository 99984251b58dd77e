from __future__ import annotations

import pytest

from evolore.domain.contest import QuestionOrigin, TrialQuestion
from evolore.errors import InvalidValue
from evolore.evolution.contest import Contender, Trial
from evolore.evolution.contest_plan import plan_trial
from evolore.evolution.contest_questions import QuestionSets, split_questions
from evolore.evolution.settings import EvolutionSettings, SelectionMode

SETTINGS = EvolutionSettings()
ONE = (Contender(candidate_id="a"),)


def rated(text: str, *, was_good: bool = False) -> TrialQuestion:
    return TrialQuestion(text=text, origin=QuestionOrigin.RATING, was_good=was_good)


def sets_of(count: int) -> QuestionSets:
    triggers = [TrialQuestion(text=f"trigger {at}", origin=QuestionOrigin.TRIGGER) for at in range(3)]
    return split_questions([*triggers, *(rated(f"q {at}", was_good=True) for at in range(count))])


def test_a_trial_takes_as_many_questions_as_are_set() -> None:
    plan = plan_trial(ONE, sets_of(300), SETTINGS)
    assert (len(plan.screen), len(plan.confirm), len(plan.regression)) == (62, 40, 20)
    assert not plan.has_too_few_questions


def test_with_fewer_than_twenty_fresh_questions_there_are_too_few() -> None:
    some = tuple(rated(f"q {at}") for at in range(20))
    assert not plan_trial(ONE, QuestionSets(confirm=some), SETTINGS).has_too_few_questions
    assert plan_trial(ONE, QuestionSets(confirm=some[1:]), SETTINGS).has_too_few_questions


def test_no_trigger_is_asked_of_candidates_that_were_made_from_it() -> None:
    plan = plan_trial(ONE, sets_of(300), SETTINGS)
    assert not [text for text in (*plan.screen, *plan.confirm, *plan.regression) if text.startswith("trigger")]


def test_the_seed_asks_triggers_first_and_then_what_was_answered_well() -> None:
    plan = plan_trial(ONE, sets_of(300), EvolutionSettings(mode=SelectionMode.SEED))
    assert {text.split()[0] for text in plan.screen[:3]} == {"trigger"}
    assert {text.split()[0] for text in plan.screen[3:]} == {"q"}
    assert (len(plan.screen), plan.confirm, plan.regression) == (5, (), ())


def test_a_seed_mixes_the_order_in_which_it_is_confirmed_and_nothing_else() -> None:
    sets = sets_of(300)
    plans = [plan_trial(ONE, sets, SETTINGS, seed=seed) for seed in ("one", "one", "two")]
    assert plans[0] == plans[1]
    assert plans[0].confirm != plans[2].confirm
    assert set(plans[0].confirm) == set(plans[2].confirm)
    assert plans[0].screen == plans[2].screen


def test_real_questions_are_chosen_before_generated_ones_and_then_mixed() -> None:
    real = tuple(rated(f"real {at}") for at in range(30))
    made = tuple(
        TrialQuestion(text=f"made {at}", origin=QuestionOrigin.GENERATED, claim=f"claim {at}") for at in range(30)
    )
    chosen = plan_trial(ONE, QuestionSets(confirm=(*real, *made)), SETTINGS).confirm
    kinds = [text.split()[0] for text in chosen]
    assert kinds.count("real") == 30
    assert kinds != sorted(kinds, reverse=True)


def test_trials_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidValue, match="at least one"):
        Trial(contenders=(), screen=(), confirm=(), regression=(), settings=SETTINGS)
    with pytest.raises(InvalidValue, match="an id of its own"):
        Trial(contenders=(*ONE, *ONE), screen=(), confirm=(), regression=(), settings=SETTINGS)
    with pytest.raises(InvalidValue, match="'Q 1' is asked twice"):
        Trial(contenders=ONE, screen=("q 1",), confirm=("Q 1",), regression=(), settings=SETTINGS)


@pytest.mark.parametrize("length_ratio", [0.0, float("inf")])
def test_contenders_have_lengths(length_ratio: float) -> None:
    with pytest.raises(InvalidValue, match="length_ratio"):
        Contender(candidate_id="a", length_ratio=length_ratio)
