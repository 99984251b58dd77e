"""Rivals: what holds stands above what it outdates, and nothing else is touched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.answers import Intent
from evolore.domain.language import Language
from evolore.recall.asked_state import read_question
from evolore.recall.decay_settings import DecaySettings
from evolore.recall.matter import MatterSpace
from evolore.recall.rival_pairs import Candidates, find_pairs
from evolore.recall.rival_reading import PushedBy
from evolore.recall.rivals import weigh_rivals
from evolore.recall.succession import Succession

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.recall.rival_scores import Rivalry

    Place: TypeAlias = Callable[..., tuple["Said", ...]]

SURE = Succession(marks=3.0 * Succession().marks, constant=3.0 * Succession().constant + 2.0)
SPACE = MatterSpace(centres={Language.EN: np.zeros(4, dtype=np.float32)}, succession=SURE)
WEIGHTS = (0.5, 0.2, 0.3)
ASKED = "Which port does the API use?"
OLD, NEW = "The API uses port 8080.", "The API now uses port 9000."
QUERY = np.array([1.0, 0.0, 0.0, 0.0], dtype=np.float32)


@dataclass(frozen=True)
class Said:
    text: str
    score: float
    days: float
    vector: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    arousal: float = np.nan
    speaker: int = -1
    subject: int = -1
    group: int = -1
    number: int = 0
    superseded: bool = False
    has_time: bool = True


def candidates(*said: Said) -> Candidates:
    return Candidates(
        scores=np.array([one.score for one in said], dtype=np.float32),
        vectors=np.array([one.vector for one in said], dtype=np.float32).reshape(-1, 4),
        times=np.array([86_400.0 * one.days for one in said]),
        numbers=np.array([one.number or place for place, one in enumerate(said)], dtype=np.int32),
        has_time=np.array([one.has_time for one in said], dtype=np.bool_),
        arousal=np.array([one.arousal for one in said], dtype=np.float32),
        speakers=np.array([one.speaker for one in said], dtype=np.int32),
        names=[None if one.speaker < 0 else f"Speaker {one.speaker}" for one in said],
        groups=np.array(
            [one.group if one.group >= 0 else 100 + place for place, one in enumerate(said)], dtype=np.int32
        ),
        subjects=np.array([one.subject for one in said], dtype=np.int32),
        is_superseded=np.array([one.superseded for one in said], dtype=np.bool_),
        languages=[Language.EN] * len(said),
        texts=[one.text for one in said],
    )


def weigh(
    *said: Said,
    question: str = ASKED,
    weights: tuple[float, float, float] = WEIGHTS,
    settings: DecaySettings | None = None,
) -> Rivalry:
    return weigh_rivals(
        candidates(*said),
        question=question,
        vector=QUERY,
        asked=read_question(question, Language.EN),
        intent=Intent.FACTUAL,
        weights=weights,
        space=SPACE,
        settings=settings or DecaySettings(),
    )


def alone(*said: Said) -> tuple[Said, ...]:
    return said


def among_many(*said: Said) -> tuple[Said, ...]:
    """Put what is said among so much else that not all of it is compared."""
    others = (
        Said(f"Bread {n}.", -1.0 - n / 16, -9.0, vector=(0.0, *np.eye(3)[n % 3].tolist()), number=50 + n)
        for n in range(20)
    )
    return (*said, *others)


def best(rivalry: Rivalry, *said: Said) -> str:
    final = np.array([one.score for one in said]) + rivalry.arousal + rivalry.recency
    return said[int(final.argmax())].text


@pytest.mark.parametrize("place", [alone, among_many])
def test_a_newer_account_that_tells_of_a_change_stands_above_the_older(place: Place) -> None:
    said = place(Said(OLD, 2.5, 0), Said(NEW, 0.5, 1))
    rivalry = weigh(*said)
    assert best(rivalry, *said) == NEW
    pushed = rivalry.pushed[0]
    assert (pushed.candidate, pushed.rival, pushed.reason) == (0, 1, PushedBy.NEWER)
    assert pushed.penalty > 0.0


def test_of_two_at_the_same_moment_the_one_recorded_later_is_newer() -> None:
    said = (Said(NEW, 0.5, 0, number=9), Said(OLD, 2.5, 0, number=3))
    assert best(weigh(*said), *said) == NEW


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("We nearly switched the API to port 9000 but decided against it.", PushedBy.DROPPED),
        ("My neighbour has another gateway, listening elsewhere.", PushedBy.OTHERS),
        ('"Nine thousand, and no other!" sang the hero of the novel.', PushedBy.QUOTED),
        ("The API port was confirmed, no changes.", PushedBy.UNCHANGED),
    ],
)
def test_what_only_looks_newer_sinks_below(text: str, reason: PushedBy) -> None:
    said = (Said(OLD, 2.0, 0), Said(text, 2.4, 5))
    rivalry = weigh(*said)
    assert best(rivalry, *said) == OLD
    assert reason in {one.reason for one in rivalry.pushed if one.candidate == 1}


def test_in_a_large_memory_what_is_about_another_matter_is_left_alone() -> None:
    said = among_many(Said(OLD, 2.5, 0), Said("We moved to Leeds.", 2.4, 5, vector=(0.0, 1.0, 0.0, 0.0)))
    rivalry = weigh(*said)
    assert not rivalry.recency.any()
    assert not rivalry.pushed


@pytest.mark.parametrize(
    ("older", "newer", "is_rival"),
    [
        ("Bo and Ana approve every release.", "Ana approves every release.", True),
        ("Bo approves every release.", "Ana approves all that leaves.", False),  # the control: it alone tells of Bo
    ],
)
def test_in_a_small_memory_what_holds_all_words_asked_for_is_spared_but_from_a_newer_account_it_repeats(
    older: str,
    newer: str,
    is_rival: bool,  # noqa: FBT001 - a column
) -> None:
    near = next(
        cosine
        for cosine in np.linspace(0, 1, 200)
        if SPACE.probabilities(np.array([cosine], dtype=np.float32))[0] > 0.7
    )
    beside = (float(near), float(np.sqrt(1 - near**2)), 0.0, 0.0)
    found = find_pairs(
        candidates(Said(older, 2.0, 0.0), Said(newer, 1.0, 5.0, vector=beside)),
        "Does Bo approve a release?",
        QUERY,
        space=SPACE,
        settings=DecaySettings(),
    )
    assert found.is_same[0, 1] == found.is_same[1, 0] == is_rival


def test_in_a_small_memory_too_what_is_of_another_matter_stays_where_it_is() -> None:
    said = (
        Said(OLD, 2.5, 0),
        Said("The cat sleeps.", 1.5, 9, vector=(0.0, 1.0, 0.0, 0.0)),
        Said(NEW, 0.5, 5),
    )
    rivalry = weigh(*said)
    assert best(rivalry, *said) == NEW
    assert rivalry.recency[1] == 0.0


def test_in_a_small_memory_two_matters_that_both_changed_do_not_trade_their_places() -> None:
    said = (
        Said(OLD, 2.5, 0),
        Said(NEW, 2.3, 5),
        Said("The rent is 300.", 0.2, 1, vector=(0.0, 1.0, 0.0, 0.0)),
        Said("The rent is 350 now.", 0.1, 6, vector=(0.0, 1.0, 0.0, 0.0)),
    )
    rivalry = weigh(*said)
    scores = [one.score + rivalry.recency[place] for place, one in enumerate(said)]
    assert sorted(range(4), key=lambda place: -scores[place]) == [1, 0, 3, 2]


def test_in_a_small_memory_a_feeling_about_another_matter_lifts_nothing() -> None:
    said = (
        Said("The bridge is being painted.", 2.0, 9, arousal=0.1),
        Said("Our dog died.", 0.5, 0, arousal=0.9, vector=(-1.0, 0.0, 0.0, 0.0)),
    )
    assert not weigh(*said, question="What happened on the bridge?").arousal.any()


@pytest.mark.parametrize("apart", [{"speaker": 1}, {"group": 7}, {"has_time": False}])
def test_another_speaker_the_same_session_and_a_missing_date_make_no_rivals(apart: dict[str, int]) -> None:
    newer = replace(Said(NEW, 0.5, 5), **apart)
    older = Said(OLD, 2.5, 0, speaker=0, group=apart.get("group", -1))
    assert not weigh(*among_many(older, newer)).recency.any()
    assert weigh(*among_many(older, Said(NEW, 0.5, 5))).recency.any()


def test_the_same_subject_and_attribute_need_no_wording_and_no_likeness() -> None:
    said = (Said("Port 8080.", 2.5, 0, subject=4), Said("9000.", 0.5, 5, subject=4, vector=(0.0, 1.0, 0.0, 0.0)))
    rivalry = weigh(*said)
    assert best(rivalry, *said) == "9000."
    assert rivalry.pushed[0].reason is PushedBy.SUBJECT


def test_what_is_marked_as_superseded_falls_without_a_rival() -> None:
    rivalry = weigh(Said(OLD, 2.5, 0, superseded=True))
    assert rivalry.recency[0] < 0.0
    assert rivalry.pushed[0].rival is None


def test_a_question_about_an_earlier_state_turns_the_preference_round() -> None:
    said = (Said(OLD, 1.0, 0), Said(NEW, 2.0, 5))
    rivalry = weigh(*said, question="Which port did the API use before the move?")
    assert best(rivalry, *said) == OLD
    assert rivalry.pushed[0].reason is PushedBy.OLDER_ASKED


def test_in_a_large_memory_a_question_about_what_happened_does_not_prefer_the_newer() -> None:
    said = among_many(Said(OLD, 2.5, 0), Said(NEW, 0.5, 5))
    assert not weigh(*said, question="Which port did the API get?").recency.any()
    assert weigh(*said).recency.any()


def test_what_stands_before_an_end_that_the_question_names_wins() -> None:
    said = (
        Said("Leeds is where we live.", 2.0, 9),
        Said("We live in York.", 1.0, 5),
        Said("We live in Bath.", 1.5, 0),
    )
    assert best(weigh(*said, question="Where did we live before Leeds?"), *said) == "We live in York."
    assert best(weigh(*said, question="Where did we live at first?"), *said) == "We live in Bath."


def test_the_strongly_felt_account_wins_where_one_is_asked_for() -> None:
    said = (
        Said("The bridge is being painted.", 2.0, 9, arousal=0.1),
        Said("He fell off the bridge.", 0.5, 0, arousal=0.9),
    )
    assert best(weigh(*said, question="What happened on the bridge?"), *said) == "He fell off the bridge."
    assert not weigh(*said, question="Which colour is the bridge?").arousal.any()


def test_in_a_large_memory_a_felt_account_is_not_outdated() -> None:
    said = among_many(Said(OLD, 2.5, 0, arousal=0.9), Said(NEW, 0.5, 5, arousal=0.1))
    assert best(weigh(*said), *said) == OLD


SAID = st.builds(
    Said,
    text=st.sampled_from([OLD, NEW, "We bought bread.", "The API port was confirmed.", "Port 9000 was rejected."]),
    score=st.sampled_from([0.0, 0.5, 1.0, 2.5]),
    days=st.integers(0, 3).map(float),
    vector=st.sampled_from([(1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)]),
    arousal=st.sampled_from([0.1, 0.9]),
    speaker=st.integers(-1, 1),
    subject=st.integers(-1, 1),
)


@given(st.lists(SAID, max_size=8))
def test_without_a_weight_nothing_counts(said: list[Said]) -> None:
    rivalry = weigh(*said, weights=(1.0, 0.0, 0.0))
    assert not rivalry.recency.any()
    assert not rivalry.arousal.any()
    assert not rivalry.pushed


@given(SAID)
def test_alone_nothing_has_a_rival(said: Said) -> None:
    rivalry = weigh(said)
    assert not rivalry.recency.any()
    assert not rivalry.arousal.any()


@given(st.lists(SAID, max_size=8))
def test_in_a_small_memory_time_hands_the_same_scores_out_anew(said: list[Said]) -> None:
    unmarked = [replace(one, subject=-1) for one in said]
    scores = np.array([one.score for one in said])
    final = np.sort(scores + weigh(*unmarked).recency)
    assert final == pytest.approx(np.sort(scores), abs=0.01)


@given(st.lists(SAID, min_size=1, max_size=7), st.data())
def test_the_order_of_the_candidates_does_not_matter(said: list[Said], data: st.DataObject) -> None:
    numbered = [replace(one, number=place + 1, score=one.score + place / 64) for place, one in enumerate(said)]
    order = data.draw(st.permutations(range(len(numbered))))
    plain, mixed = weigh(*numbered), weigh(*(numbered[place] for place in order))
    assert mixed.recency == pytest.approx(plain.recency[order], abs=1e-5)
    assert mixed.arousal == pytest.approx(plain.arousal[order], abs=1e-5)
