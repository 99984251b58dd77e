from __future__ import annotations

import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.errors import InvalidValue
from evolore.evolution.canary import Canary, CanaryStatus, begin_canary, result_of
from evolore.evolution.settings import CanarySettings
from evolore.flows.shadows import sees_new
from laws import tried

SETTINGS = CanarySettings()
QUICK = CanarySettings(least_questions=1)
PRINCIPALS = [f"principal {at}" for at in range(4000)]


def started(canary_settings: CanarySettings = QUICK) -> Canary:
    return begin_canary("candidate", canary_settings)


def sees(canary: Canary, principal: str | None) -> bool:
    return sees_new(canary.id, canary.percent, principal)


def grown(canary: Canary) -> Canary:
    return canary.after(is_new=True, is_bad=False).grown()


def stages() -> list[Canary]:
    found = [started()]
    while found[-1].percent < 100:
        found.append(grown(found[-1]))
    return found


@given(st.text(min_size=1, max_size=20))
def test_who_saw_the_new_text_keeps_it_as_stages_grow(principal: str) -> None:
    seen = [sees(canary, principal) for canary in stages()]
    assert seen == sorted(seen)
    assert seen[-1]


@given(st.text(max_size=20), st.lists(st.booleans(), max_size=10))
def test_answers_and_ratings_move_nobody(principal: str, ratings: list[bool]) -> None:
    canary = started()
    first = sees(canary, principal)
    for is_bad in ratings:
        canary = canary.after(is_new=False, is_bad=is_bad)
        assert sees(canary, principal) is first


def test_shares_are_as_set() -> None:
    for canary in stages():
        share = sum(sees(canary, one) for one in PRINCIPALS) / len(PRINCIPALS)
        assert abs(share - canary.percent / 100) < 0.03
    assert [canary.percent for canary in stages()] == [5, 25, 50, 100]


def test_another_canary_splits_otherwise() -> None:
    one, other = (replace(stages()[2], id=name) for name in ("one", "other"))
    same = sum(sees(one, principal) is sees(other, principal) for principal in PRINCIPALS)
    assert 0.45 < same / len(PRINCIPALS) < 0.55


def test_who_is_not_known_keeps_the_old_text_until_all_see_the_new() -> None:
    assert [sees(canary, None) for canary in stages()] == [False, False, False, True]


def test_a_stage_grows_only_after_enough_answers() -> None:
    canary = (
        started(CanarySettings(least_questions=2)).after(is_new=False, is_bad=False).after(is_new=True, is_bad=False)
    )
    with pytest.raises(InvalidValue, match=r"at 5 % may not grow: wait for 1 more"):
        canary.grown()
    assert canary.after(is_new=True, is_bad=False).grown().percent == 25


def test_each_stage_wants_answers_of_its_own() -> None:
    first = started().after(is_new=True, is_bad=False)
    second = first.grown()
    assert first.may_grow
    assert not second.may_grow
    assert second.asked_in_stage == 0
    assert second.canary.asked == 1


def test_after_the_last_stage_it_is_complete() -> None:
    done = grown(stages()[-1])
    assert (done.status, done.percent) == (CanaryStatus.COMPLETE, 100)
    with pytest.raises(InvalidValue, match="it is complete"):
        done.after(is_new=True, is_bad=False).grown()


def tripped() -> Canary:
    canary = started(SETTINGS)
    for _ in range(40):
        canary = canary.after(is_new=False, is_bad=False).after(is_new=True, is_bad=True)
    return canary


def test_the_guardrail_takes_it_from_everybody_by_itself() -> None:
    canary = tripped()
    assert (canary.status, canary.percent) == (CanaryStatus.TRIPPED, 0)
    assert not any(sees(canary, one) for one in PRINCIPALS)
    assert result_of(canary).worse_evidence >= 20
    with pytest.raises(InvalidValue, match="at 0 % may not grow: it is tripped"):
        canary.grown()


def test_what_comes_after_the_alarm_does_not_bring_it_back() -> None:
    canary = tripped()
    for _ in range(500):
        canary = canary.after(is_new=False, is_bad=True).after(is_new=True, is_bad=False)
    assert canary.percent == 0


def test_a_better_text_does_not_trip_and_shows_that_it_is_better() -> None:
    canary = started(SETTINGS)
    for at in range(200):
        canary = canary.after(is_new=False, is_bad=at % 2 == 0).after(is_new=True, is_bad=at % 20 == 0)
    result = result_of(canary)
    assert result.status is CanaryStatus.RUNNING
    assert result.better_evidence > 20 > result.worse_evidence
    assert result.canary.bad_rate.high < result.control.bad_rate.low


def test_results_may_be_read_before_anything_happened() -> None:
    result = result_of(started())
    assert (result.percent, result.may_grow) == (5, False)
    assert (result.canary.bad_rate.low, result.canary.bad_rate.high) == (0.0, 1.0)


@settings(max_examples=tried(15, long=30))
@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40), st.data())
def test_a_canary_that_is_kept_and_read_again_goes_on_as_if_nothing_was(
    answers: list[tuple[bool, bool]], data: st.DataObject
) -> None:
    straight, canary = started(), started()
    cut = data.draw(st.integers(0, len(answers)))
    for place, (is_new, is_bad) in enumerate(answers):
        straight = straight.after(is_new=is_new, is_bad=is_bad)
        canary = canary.after(is_new=is_new, is_bad=is_bad)
        canary = pickle.loads(pickle.dumps(canary)) if place == cut else canary
    assert canary == straight
    assert canary.control.asked + canary.canary.asked == len(answers)


def test_a_canary_has_a_name() -> None:
    with pytest.raises(InvalidValue, match="id is blank"):
        begin_canary(" ", SETTINGS)
