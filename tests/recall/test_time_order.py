"""Rivals: what holds stands above other accounts of the same matter, and nothing else is touched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.domain.query import Intent
from evolore.recall.cost import DECAY_RATE
from evolore.recall.dense import MatterSpace
from evolore.recall.question import read_question
from evolore.recall.rivals import AROUSAL_GAP, MARGIN, PENALTY, Candidates, PushedBy, Rivalry, weigh_rivals
from evolore.recall.succession import Succession

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Place: TypeAlias = Callable[..., tuple["Said", ...]]

DIMENSION = 32
SURE = Succession(marks=3.0 * Succession().marks, constant=3.0 * Succession().constant + 2.0)
SPACE = MatterSpace(centres={Language.EN: np.zeros(DIMENSION, dtype=np.float32)}, succession=SURE)
WEIGHTS = (0.5, 0.2, 0.3)
ASKED = "Which port does the API use?"
OLD, NEW = "The API uses port 8080.", "The API now uses port 9000."
UNCHANGED = "The API port was confirmed, no changes."
QUESTIONS = (
    ASKED,
    "Which port did the API use before the move?",
    "Which port did the API use at first?",
    "What happened to the API?",
    "How do we reach the API?",
)
OTHER_WORDS = (
    *("Bread", "Chess", "Maples", "Violins", "Rain", "Goats", "Lanterns", "Soup", "Kites", "Marble"),
    *("Pepper", "Fog", "Opera", "Beetles", "Wool", "Comets", "Plums", "Sledges", "Ink", "Tulips"),
)


def axis(number: int) -> tuple[float, ...]:
    """Give the vector of a matter; those of two matters have nothing in common."""
    return tuple(np.eye(DIMENSION)[number].tolist())


@dataclass(frozen=True)
class Said:
    text: str
    score: float
    days: float
    vector: tuple[float, ...] = axis(0)
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
        vectors=np.array([one.vector for one in said], dtype=np.float32).reshape(-1, DIMENSION),
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
) -> Rivalry:
    return weigh_rivals(
        candidates(*said),
        question=question,
        vector=np.array(axis(0), dtype=np.float32),
        asked=read_question(question, Language.EN),
        intent=Intent.FACTUAL,
        weights=weights,
        space=SPACE,
        rate=DECAY_RATE,
    )


def alone(*said: Said) -> tuple[Said, ...]:
    return said


def among_many(*said: Said) -> tuple[Said, ...]:
    """Put what is said among so much else that only what stands out is compared."""
    others = (
        Said(f"{word}.", -1.0 - place / 16, -9.0, vector=axis(4 + place), number=50 + place)
        for place, word in enumerate(OTHER_WORDS)
    )
    return (*said, *others)


def final(rivalry: Rivalry, *said: Said) -> npt.NDArray[np.float64]:
    moved = rivalry.arousal.astype(np.float64) + rivalry.recency.astype(np.float64)
    return np.array([one.score for one in said], dtype=np.float64) + moved


def best(rivalry: Rivalry, *said: Said) -> str:
    return said[int(final(rivalry, *said).argmax())].text


def moves_nothing(rivalry: Rivalry) -> bool:
    return not (rivalry.recency.any() or rivalry.arousal.any() or rivalry.pushed)


@pytest.mark.parametrize("place", [alone, among_many])
def test_a_newer_account_of_the_same_matter_is_lifted_just_above_the_older(place: Place) -> None:
    said = place(Said(OLD, 0.8, 0), Said(NEW, 0.4, 1))
    rivalry = weigh(*said)
    assert best(rivalry, *said) == NEW
    assert rivalry.recency[1] == pytest.approx(0.4 + MARGIN, abs=1e-6)
    assert np.flatnonzero(rivalry.recency).tolist() == [1]
    (pushed,) = rivalry.pushed
    assert (pushed.candidate, pushed.rival, pushed.reason) == (0, 1, PushedBy.NEWER)
    assert pushed.penalty == pytest.approx(0.4 + MARGIN, abs=1e-6)


def test_what_stands_above_already_is_not_moved() -> None:
    assert moves_nothing(weigh(Said(NEW, 0.8, 1), Said(OLD, 0.4, 0)))


def test_of_two_at_the_same_moment_the_one_recorded_later_is_newer() -> None:
    said = (Said(NEW, 0.4, 0, number=9), Said(OLD, 0.8, 0, number=3))
    assert best(weigh(*said), *said) == NEW


def test_out_of_reach_nothing_is_moved() -> None:
    said = (Said(OLD, 0.8, 0), Said(NEW, 0.4, 1))
    with patch("evolore.recall.rivals._REACH", 0.0):
        assert moves_nothing(weigh(*said))
    assert moves_nothing(weigh(replace(said[0], score=100.0), said[1]))
    assert not moves_nothing(weigh(*said))


def test_the_less_binds_two_accounts_the_less_far_one_is_lifted() -> None:
    def farthest(cosine: float) -> float:
        newer = Said(NEW, 0.0, 1, vector=(cosine, (1.0 - cosine**2) ** 0.5, *axis(0)[2:]))
        gaps = np.arange(0.25, 20.0, 0.25).tolist()
        return max((gap for gap in gaps if weigh(Said(OLD, gap, 0), newer).recency.any()), default=0.0)

    assert farthest(1.0) > farthest(0.8) > farthest(0.5) > farthest(0.2) > farthest(-0.5) == 0.0


def test_the_newest_of_three_stands_first_and_the_oldest_last() -> None:
    said = (Said(OLD, 0.8, 0), Said(NEW, 0.6, 3), Said("The API now uses port 9500.", 0.4, 9))
    order = np.argsort(-final(weigh(*said), *said))
    assert order.tolist() == [2, 1, 0]


@pytest.mark.parametrize("place", [alone, among_many])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("We nearly switched the API to port 9000 but decided against it.", PushedBy.DROPPED),
        ("My neighbour has another gateway, listening elsewhere.", PushedBy.OTHERS),
        ('"Nine thousand, and no other!" sang the hero of the novel.', PushedBy.QUOTED),
        (UNCHANGED, PushedBy.UNCHANGED),
    ],
)
def test_what_only_looks_newer_does_not_outdate_the_older(place: Place, text: str, reason: PushedBy) -> None:
    said = place(Said(OLD, 0.5, 0), Said(text, 0.6, 5))
    rivalry = weigh(*said)
    assert best(rivalry, *said) == OLD
    assert [one.reason for one in rivalry.pushed if one.candidate == 1] == [reason]


@pytest.mark.parametrize("place", [alone, among_many])
def test_a_newer_text_about_another_matter_is_left_alone(place: Place) -> None:
    said = place(Said(OLD, 0.8, 0), Said("We moved to Leeds.", 0.7, 5, vector=axis(1)))
    assert moves_nothing(weigh(*said))
    assert not moves_nothing(weigh(*place(said[0], replace(said[1], text=NEW, vector=axis(0)))))


def test_an_account_that_rises_past_another_matter_leaves_it_where_it_is() -> None:
    said = (Said(OLD, 0.9, 0), Said("The cat sleeps.", 0.6, 9, vector=axis(1)), Said(NEW, 0.3, 5))
    rivalry = weigh(*said)
    assert best(rivalry, *said) == NEW
    assert rivalry.recency[1] == 0.0


def test_two_matters_that_both_changed_do_not_trade_their_places() -> None:
    said = (
        Said(OLD, 0.9, 0),
        Said(NEW, 0.85, 5),
        Said("The rent is 300.", 0.2, 1, vector=axis(1)),
        Said("The rent is 350 now.", 0.1, 6, vector=axis(1)),
    )
    assert np.argsort(-final(weigh(*said), *said)).tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize("apart", [{"speaker": 1}, {"group": 7}, {"has_time": False}])
def test_another_speaker_the_same_session_and_a_missing_date_make_no_rivals(apart: dict[str, Any]) -> None:
    older = Said(OLD, 0.8, 0, speaker=0, group=apart.get("group", -1))
    newer = Said(NEW, 0.4, 5)
    assert moves_nothing(weigh(older, replace(newer, **apart)))
    assert not moves_nothing(weigh(older, newer))


def test_the_same_subject_and_attribute_need_no_likeness_and_no_reach() -> None:
    said = (Said("Port 8080.", 9.0, 0, subject=4), Said("9000.", 0.1, 5, subject=4, vector=axis(1)))
    rivalry = weigh(*said)
    assert best(rivalry, *said) == "9000."
    assert rivalry.pushed[0].reason is PushedBy.SUBJECT
    assert moves_nothing(weigh(said[0], replace(said[1], subject=-1)))


def test_statements_of_different_subjects_are_no_rivals_however_alike() -> None:
    older, newer = Said(OLD, 0.8, 0, subject=1), Said(NEW, 0.4, 5, subject=2)
    assert moves_nothing(weigh(older, newer))
    assert not moves_nothing(weigh(older, replace(newer, subject=1)))


def test_what_is_marked_as_superseded_falls_without_a_rival() -> None:
    rivalry = weigh(Said(OLD, 0.8, 0, superseded=True))
    assert rivalry.recency[0] == pytest.approx(-WEIGHTS[2] * PENALTY)
    assert (rivalry.pushed[0].rival, rivalry.pushed[0].reason) == (None, PushedBy.SUPERSEDED)


def test_what_is_marked_as_superseded_falls_below_what_holds_of_its_subject() -> None:
    said = (
        Said(OLD, 5.0, 9, subject=4, superseded=True),
        Said("9000.", 0.4, 5, subject=4, vector=axis(1)),
        Said("Port 9000.", 0.2, 3, subject=4, vector=axis(2)),
    )
    rivalry = weigh(*said)
    assert np.argsort(-final(rivalry, *said)).tolist() == [1, 2, 0]
    assert not rivalry.recency[1:].any()
    assert (rivalry.pushed[0].candidate, rivalry.pushed[0].rival) == (0, 1)


def test_a_question_after_an_earlier_state_spares_what_is_marked_as_superseded() -> None:
    said = Said(OLD, 0.8, 0, superseded=True)
    assert moves_nothing(weigh(said, question="Which port did the API use before the move?"))
    assert not moves_nothing(weigh(said, question="What happened to the API?"))


@pytest.mark.parametrize("place", [alone, among_many])
def test_a_question_after_an_earlier_state_puts_the_older_first(place: Place) -> None:
    said = place(Said(OLD, 0.4, 0), Said(NEW, 0.8, 5))
    rivalry = weigh(*said, question="Which port did the API use before the move?")
    assert best(rivalry, *said) == OLD
    assert rivalry.pushed[0].reason is PushedBy.OLDER_ASKED


def test_what_stands_last_before_an_end_that_the_question_names_wins() -> None:
    said = (
        Said("Leeds is where we live.", 0.9, 9),
        Said("We live in York.", 0.5, 5),
        Said("We live in Bath.", 0.7, 0),
    )
    assert best(weigh(*said, question="Where did we live before Leeds?"), *said) == "We live in York."
    assert best(weigh(*said, question="Where did we live at first?"), *said) == "We live in Bath."


def test_a_question_about_what_happened_does_not_prefer_the_newer() -> None:
    said = (Said(OLD, 0.8, 0), Said(NEW, 0.4, 5))
    assert moves_nothing(weigh(*said, question="What happened to the API?"))
    assert not moves_nothing(weigh(*said))


PAINTED = Said("The bridge is being painted.", 0.8, 9, arousal=0.1)
FELL = Said("He fell off the bridge.", 0.3, 0, arousal=0.9)


def test_the_far_more_strongly_felt_account_wins_where_one_is_asked_for() -> None:
    rivalry = weigh(PAINTED, FELL, question="What happened on the bridge?")
    assert best(rivalry, PAINTED, FELL) == FELL.text
    assert rivalry.arousal[1] == pytest.approx(0.5 + MARGIN, abs=1e-6)
    assert not rivalry.recency.any()
    assert rivalry.pushed[0].reason is PushedBy.FELT


def test_the_most_strongly_felt_of_three_stands_first() -> None:
    shouted = replace(FELL, text="Someone shouted on the bridge.", score=0.5, arousal=0.45)
    said = (replace(PAINTED, arousal=0.0), shouted, FELL)
    rivalry = weigh(*said, question="What happened on the bridge?")
    assert np.argsort(-final(rivalry, *said), kind="stable").tolist() == [2, 1, 0]


@pytest.mark.parametrize("arousal", [0.1 + AROUSAL_GAP / 2, np.nan])
def test_what_is_felt_a_little_more_or_not_known_to_be_wins_over_nothing(arousal: float) -> None:
    felt = replace(FELL, arousal=arousal)
    assert not weigh(PAINTED, felt, question="What happened on the bridge?").arousal.any()


@pytest.mark.parametrize("place", [alone, among_many])
def test_a_feeling_that_lies_far_from_all_that_is_asked_lifts_nothing(place: Place) -> None:
    far = tuple(-value for value in axis(0))
    felt = Said("Our dog died.", 0.3, 0, arousal=0.9, vector=far)
    assert moves_nothing(weigh(*place(PAINTED, felt), question="What happened on the bridge?"))
    assert not moves_nothing(weigh(*place(PAINTED, FELL), question="What happened on the bridge?"))


def test_of_a_datum_that_holds_now_a_felt_account_that_was_replaced_gives_way() -> None:
    felt, newer = Said(OLD, 0.4, 0, arousal=0.9), Said(NEW, 0.5, 5, arousal=0.1)
    replaced = weigh(newer, felt)
    assert best(replaced, newer, felt) == NEW
    assert not replaced.arousal.any()
    happened = weigh(newer, felt, question="What happened to the API?")
    assert best(happened, newer, felt) == OLD


def test_of_a_datum_that_holds_now_a_felt_account_that_nothing_replaced_wins() -> None:
    said = (Said(UNCHANGED, 0.5, 5, arousal=0.1), Said(OLD, 0.4, 0, arousal=0.9))
    rivalry = weigh(*said)
    assert best(rivalry, *said) == OLD
    assert rivalry.arousal[1] > 0.0


def test_where_the_newer_is_wanted_a_felt_older_account_is_outdated_all_the_same() -> None:
    said = (Said(OLD, 0.6, 0, arousal=0.9), Said(NEW, 0.5, 5, arousal=0.1))
    assert best(weigh(*said), *said) == NEW


SAID = st.builds(
    Said,
    text=st.sampled_from([OLD, NEW, "We bought bread.", UNCHANGED, "Port 9000 was rejected."]),
    score=st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    days=st.integers(0, 3).map(float),
    vector=st.sampled_from([axis(0), axis(1), (0.6, 0.8, *axis(0)[2:])]),
    arousal=st.sampled_from([0.1, 0.9]),
    speaker=st.integers(-1, 1),
    subject=st.integers(-1, 1),
    superseded=st.booleans(),
)
MANY_SAID = st.lists(SAID, max_size=8)
ANY_QUESTION = st.sampled_from(QUESTIONS)


@given(MANY_SAID, ANY_QUESTION)
def test_without_a_weight_nothing_counts(said: list[Said], question: str) -> None:
    assert moves_nothing(weigh(*said, question=question, weights=(1.0, 0.0, 0.0)))


@given(SAID, ANY_QUESTION)
def test_alone_nothing_has_a_rival(said: Said, question: str) -> None:
    assert moves_nothing(weigh(replace(said, superseded=False), question=question))


@given(MANY_SAID, ANY_QUESTION)
def test_in_one_session_nothing_of_unknown_subject_has_a_rival(said: list[Said], question: str) -> None:
    together = [replace(one, group=1, subject=-1, superseded=False) for one in said]
    assert moves_nothing(weigh(*together, question=question))


@given(MANY_SAID, ANY_QUESTION)
def test_only_what_is_marked_as_superseded_falls(said: list[Said], question: str) -> None:
    rivalry = weigh(*said, question=question)
    assert (rivalry.arousal >= 0.0).all()
    assert all(value >= 0.0 or one.superseded for value, one in zip(rivalry.recency, said, strict=True))


@given(MANY_SAID, ANY_QUESTION)
def test_what_is_lifted_stands_just_above_another_and_never_far_ahead(said: list[Said], question: str) -> None:
    scores = final(weigh(*said, question=question), *said)
    highest = max((one.score for one in said), default=0.0)
    assert scores.max(initial=0.0) <= highest + 2 * len(said) * MARGIN + 1e-6


@given(MANY_SAID, ANY_QUESTION)
def test_each_is_pushed_once_for_one_reason_and_the_most_first(said: list[Said], question: str) -> None:
    pushed = weigh(*said, question=question).pushed
    assert len({one.candidate for one in pushed}) == len(pushed)
    assert all(one.penalty > 0.0 and one.candidate != one.rival for one in pushed)
    penalties = [one.penalty for one in pushed]
    assert penalties == sorted(penalties, reverse=True)


@given(st.lists(SAID, min_size=1, max_size=7), ANY_QUESTION, st.sampled_from([0.0, 0.25, 1.0]))
def test_an_unrelated_newer_text_rises_above_nothing(said: list[Said], question: str, score: float) -> None:
    stranger = Said("Violins sang overnight.", score, 9.0, vector=axis(9))
    rivalry = weigh(*said, stranger, question=question)
    assert rivalry.recency[-1] == rivalry.arousal[-1] == 0.0
    assert len(said) not in {one.rival for one in rivalry.pushed}


@given(st.lists(SAID, min_size=1, max_size=7), ANY_QUESTION, st.data())
def test_the_order_of_the_candidates_does_not_matter(said: list[Said], question: str, data: st.DataObject) -> None:
    numbered = [replace(one, number=place + 1, score=one.score + place / 64) for place, one in enumerate(said)]
    order = data.draw(st.permutations(range(len(numbered))))
    plain, mixed = weigh(*numbered, question=question), weigh(*(numbered[at] for at in order), question=question)
    assert mixed.recency == pytest.approx(plain.recency[order], abs=1e-5)
    assert mixed.arousal == pytest.approx(plain.arousal[order], abs=1e-5)


def test_no_candidates_are_weighed_without_complaint() -> None:
    assert moves_nothing(weigh())
