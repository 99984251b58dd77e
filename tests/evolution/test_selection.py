from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.contest import Side
from evolore.domain.evolution import MatchOutcome, TrialStage
from evolore.errors import InvalidValue
from evolore.evolution.contest import Contender, Fate, begin, tell
from evolore.evolution.contest_plan import Decision, outcome_of
from evolore.evolution.hashing import hashed_share
from evolore.evolution.settings import EvolutionSettings, SelectionMode
from evolution.scripted import NOTHING, run, run_judge, says, trial, verdict_for
from laws import tried

if TYPE_CHECKING:
    from evolore.evolution.contest import Selection, Trial
    from evolore.evolution.matches import HeardVerdict, JudgeRequest, MatchKey

A, B, TIE = MatchOutcome.A, MatchOutcome.B, MatchOutcome.TIE
SETTINGS = EvolutionSettings()
SEED = EvolutionSettings(mode=SelectionMode.SEED)


def always(_: MatchKey) -> MatchOutcome:
    return B


def fates(state: Selection) -> list[Fate]:
    return [one.fate for one in state.standings]


def of_stage(state: Selection, stage: TrialStage) -> int:
    return sum(match.stage is stage for match in state.history)


def outcome_by_hash(seed: str, key: MatchKey) -> MatchOutcome:
    """Let candidates win by chance, the second more often, the third almost always, and lose some of what was known."""
    rates = {"a": 0.5, "b": 0.7, "c": 0.95}
    share = hashed_share(seed, key.candidate_id, key.question, str(key.attempt))
    return B if share < rates[key.candidate_id] else A if share < 0.97 else TIE


def reply(seed: str, request: JudgeRequest) -> HeardVerdict:
    outcome = outcome_by_hash(seed, request.match)
    return request, verdict_for(request, outcome, original=400, candidate=500)


def play(plan: Trial, seed: str) -> Selection:
    state = begin(plan)
    while not state.is_done:
        state = tell(state, [reply(seed, one) for one in state.requests])
    return state


def test_a_candidate_that_wins_everything_is_proved_with_few_pairs() -> None:
    state = run(trial("a"), always)
    assert fates(state) == [Fate.PROVED]
    assert of_stage(state, TrialStage.CONFIRM) < 12
    outcome = outcome_of(state)
    assert (outcome.decision, outcome.candidate_id) == (Decision.WINNER, "a")
    assert outcome.candidates[0].evidence >= 20
    assert outcome.candidates[0].confirm_interval.low > 0.5


def test_what_the_screen_sorts_out_is_never_confirmed() -> None:
    state = run(trial("a", "b"), lambda key: A if key.candidate_id == "a" else B)
    assert fates(state) == [Fate.SCREENED_OUT, Fate.PROVED]
    assert not [match for match in state.history if match.candidate_id == "a" and match.stage is TrialStage.CONFIRM]


def test_luck_in_the_screen_proves_nothing() -> None:
    state = run(trial("a"), lambda key: B if key.stage is TrialStage.SCREEN else A)
    assert fates(state) == [Fate.UNPROVED]
    assert of_stage(state, TrialStage.CONFIRM) < 10
    assert outcome_of(state).decision is Decision.ORIGINAL_STAYS


def test_ties_alone_prove_nothing_and_end_at_the_last_chance() -> None:
    state = run(trial("a"), lambda key: B if key.stage is TrialStage.SCREEN else TIE)
    assert fates(state) == [Fate.UNPROVED]
    assert 30 < of_stage(state, TrialStage.CONFIRM) <= 40


def test_only_few_are_confirmed_the_best_of_the_screen_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.evolution.contest._CONFIRM_CANDIDATES", 1)
    plan = trial("a", "b", "c")
    wins = {"a": 3, "b": 5, "c": 4}

    def outcome(key: MatchKey) -> MatchOutcome:
        if key.stage is TrialStage.SCREEN:
            return B if int(key.question.split()[1]) < wins[key.candidate_id] else A
        return B

    state = run(plan, outcome)
    assert fates(state) == [Fate.OUTRANKED, Fate.PROVED, Fate.OUTRANKED]
    assert state.standings[1].alpha == 0.05


def test_several_that_are_confirmed_share_alpha_and_pass_it_on() -> None:
    state = run(trial("a", "b", "c"), always)
    shares = [one.alpha / 0.05 for one in state.standings]
    assert shares == pytest.approx([1 / 3, 2 / 3, 1.0])


def test_too_few_questions_end_with_a_person_and_an_interval() -> None:
    state = run(trial("a", confirm=19), always)
    assert fates(state) == [Fate.TOO_FEW_QUESTIONS]
    outcome = outcome_of(state)
    assert (outcome.decision, outcome.candidate_id) == (Decision.NEEDS_PERSON, "a")
    assert outcome.has_too_few_questions
    assert not outcome.may_auto_update
    assert of_stage(state, TrialStage.CONFIRM) == 19
    assert 0.5 < outcome.candidates[0].confirm_interval.low < 1.0


def test_one_question_more_is_enough_for_a_winner() -> None:
    assert outcome_of(run(trial("a", confirm=20), always)).decision is Decision.WINNER


def test_few_questions_that_it_loses_need_no_person() -> None:
    state = run(trial("a", confirm=10), lambda key: B if key.stage is TrialStage.SCREEN else A)
    assert outcome_of(state).decision is Decision.ORIGINAL_STAYS


def test_without_any_question_a_person_decides() -> None:
    state = begin(trial("a", "b", screen=0, confirm=0))
    assert state.is_done
    assert outcome_of(state).decision is Decision.NEEDS_PERSON


def test_a_regression_that_stays_lost_puts_a_proved_candidate_out() -> None:
    state = run(trial("a", regression=10), lambda key: A if key.question == "known 3" else B)
    assert fates(state) == [Fate.REGRESSED]
    assert outcome_of(state).candidates[0].lost == ("known 3",)
    assert outcome_of(state).decision is Decision.ORIGINAL_STAYS
    assert of_stage(state, TrialStage.REGRESSION) == 10 + 2


@pytest.mark.parametrize("attempt", [1, 2])
def test_a_loss_that_does_not_come_again_is_forgiven(attempt: int) -> None:
    def outcome(key: MatchKey) -> MatchOutcome:
        return A if key.question == "known 3" and key.attempt != attempt else B

    state = run(trial("a", regression=10), outcome)
    assert fates(state) == [Fate.PROVED]
    assert state.standings[0].regression.losses == 1


def test_every_loss_is_played_again_and_only_what_stays_lost_counts() -> None:
    def outcome(key: MatchKey) -> MatchOutcome:
        return A if key.question in {"known 2", "known 5"} and key.attempt == 0 else B

    state = run(trial("a", regression=10), outcome)
    assert fates(state) == [Fate.PROVED]
    again = [(match.question, match.attempt) for match in state.history if match.attempt]
    assert again == [("known 2", 1), ("known 5", 1)]


def test_without_replays_one_loss_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.evolution.contest.REGRESSION_REPLAYS", 0)
    plan = trial("a", regression=10)
    assert fates(run(plan, lambda key: A if key.question == "known 3" else B)) == [Fate.REGRESSED]


def test_the_seeds_mode_takes_the_best_of_the_screen_and_asks_no_more() -> None:
    wins = {"a": 2, "b": 3, "c": 3}
    state = run(
        trial("a", "b", "c", confirm=0, settings=SEED),
        lambda key: B if int(key.question.split()[1]) < wins[key.candidate_id] else A,
    )
    assert fates(state) == [Fate.SCREENED_OUT, Fate.PROVED, Fate.OUTRANKED]
    assert len(state.history) == 15
    outcome = outcome_of(state)
    assert (outcome.decision, outcome.candidate_id) == (Decision.WINNER, "b")


@pytest.mark.parametrize(("wins", "played", "decision"), [(6, 10, "winner"), (599, 1000, "original_stays")])
def test_the_seeds_mode_accepts_six_tenths_and_nothing_below(wins: int, played: int, decision: str) -> None:
    plan = trial("a", screen=played, confirm=0, settings=SEED)
    state = run(plan, lambda key: B if int(key.question.split()[1]) < wins else A)
    assert outcome_of(state).decision is Decision(decision)


@pytest.mark.parametrize("side", [Side.FIRST, Side.SECOND])
def test_a_judge_that_goes_by_position_makes_no_winner_in_either_mode(side: Side) -> None:
    for mode in (SETTINGS, SEED):
        plan = trial("a", "b", "c", confirm=40 if mode is SETTINGS else 0, settings=replace(mode, auto_update=True))
        outcome = outcome_of(run_judge(plan, lambda _: says(side)))
        assert outcome.decision is Decision.ORIGINAL_STAYS
        assert outcome.doubts


def test_a_judge_that_prefers_the_longer_approves_nothing_without_a_person() -> None:
    longer = Contender(candidate_id="a", length_ratio=1.5)
    for mode, decision in ((SETTINGS, Decision.NEEDS_PERSON), (SEED, Decision.WINNER)):
        plan = trial(
            contenders=[longer], settings=replace(mode, auto_update=True, evaluation_sample_size=10), screen=10
        )
        state = run_judge(plan, lambda request: verdict_for(request, B, original=400, candidate=700))
        outcome = outcome_of(state)
        assert (outcome.decision, outcome.candidate_id) == (decision, "a")
        assert [doubt.value for doubt in outcome.doubts] == ["length"]
        assert not outcome.may_auto_update


def test_only_a_policy_and_a_judge_that_is_believed_approve_without_a_person() -> None:
    assert not outcome_of(run(trial("a"), always)).may_auto_update
    assert outcome_of(run(trial("a", settings=replace(SETTINGS, auto_update=True)), always)).may_auto_update


def test_a_judge_that_never_answers_makes_no_winner() -> None:
    outcome = outcome_of(run_judge(trial("a", "b"), lambda _: NOTHING))
    assert outcome.decision is Decision.ORIGINAL_STAYS
    assert [doubt.value for doubt in outcome.doubts] == ["silence"]


def test_an_outcome_may_be_read_at_any_time() -> None:
    state = begin(trial("a", "b"))
    while not state.is_done:
        assert outcome_of(state).decision is Decision.UNDECIDED
        assert outcome_of(state).candidate_id is None
        state = tell(state, [reply("x", one) for one in state.requests[:3]])
    assert outcome_of(state).decision is not Decision.UNDECIDED


def test_what_was_not_asked_is_refused() -> None:
    state = begin(trial("a"))
    first = reply("x", state.requests[0])
    with pytest.raises(InvalidValue, match="not waited for"):
        tell(tell(state, [first]), [first])
    with pytest.raises(InvalidValue, match="not waited for"):
        tell(run(trial("a"), always), [first])


def test_every_match_is_asked_in_both_orders_and_no_request_twice() -> None:
    asked: list[JudgeRequest] = []
    state = begin(trial("a", "b", "c", regression=5))
    while not state.is_done:
        asked += state.requests
        state = tell(state, [reply("y", one) for one in state.requests])
    assert len(set(asked)) == len(asked) == 2 * len(state.history)


@settings(max_examples=tried(12, long=30))
@given(st.text(max_size=5), st.data())
def test_the_order_of_replies_changes_nothing(seed: str, data: st.DataObject) -> None:
    plan = trial("a", "b", "c", regression=4)
    straight, state = play(plan, seed), begin(plan)
    while not state.is_done:
        mixed = data.draw(st.permutations(state.requests))
        some = data.draw(st.integers(1, len(mixed)))
        state = tell(state, [reply(seed, one) for one in mixed[:some]])
    assert state == straight


@settings(max_examples=tried(12, long=30))
@given(st.text(max_size=5), st.data())
def test_a_job_that_is_killed_anywhere_goes_on_to_the_same_end(seed: str, data: st.DataObject) -> None:
    plan = trial("a", "b", "c", regression=4)
    straight, state = play(plan, seed), begin(plan)
    for _ in range(data.draw(st.integers(0, 2 * len(straight.history)))):
        state = tell(state, [reply(seed, state.requests[0])])
    state: Selection = pickle.loads(pickle.dumps(state))
    while not state.is_done:
        state = tell(state, [reply(seed, state.requests[0])])
    assert state == straight


@settings(max_examples=tried(15, long=50))
@given(st.text(max_size=5), st.integers(0, 40), st.integers(0, 6))
def test_every_trial_ends_within_its_questions(seed: str, confirm: int, regression: int) -> None:
    state = play(trial("a", "b", "c", confirm=confirm, regression=regression), seed)
    assert Fate.OPEN not in fates(state)
    assert of_stage(state, TrialStage.SCREEN) == 15
    assert of_stage(state, TrialStage.CONFIRM) <= 3 * min(confirm, 40)
    assert of_stage(state, TrialStage.REGRESSION) <= 3 * 3 * regression
