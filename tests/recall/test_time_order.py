"""Order by time and feeling: what an edge joins changes places, within a band, and nothing else is touched."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.domain.query import Intent
from evolore.recall.question import read_question
from evolore.recall.time_order import (
    AROUSAL_GAP,
    BAND,
    FELT_BAND,
    MARGIN,
    PENALTY,
    TOLD_BAND,
    Candidates,
    PushedBy,
    TimeOrder,
    UpdatePair,
    weigh_updates,
)
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

WEIGHTS = (0.5, 0.2, 0.3)
ASKED = "Which port does the API use?"
OLD, NEW = "The API uses port 8080.", "The API now uses port 9000."
QUESTIONS = (
    ASKED,
    "Which port did the API use before the move?",
    "Which port did the API use at first?",
    "What happened to the API?",
    "How do we reach the API?",
)
NEAR = BAND / 2


@dataclass(frozen=True)
class Said:
    text: str
    score: float
    days: float
    arousal: float = np.nan
    stated: bool = True
    subject: int = -1
    number: int = 0
    superseded: bool = False
    has_time: bool = True


def candidates(*said: Said) -> Candidates:
    return Candidates(
        scores=np.array([one.score for one in said], dtype=np.float32),
        times=np.array([86_400.0 * one.days for one in said]),
        numbers=np.array([one.number or place for place, one in enumerate(said)], dtype=np.int32),
        has_time=np.array([one.has_time for one in said], dtype=np.bool_),
        arousal=np.array([one.arousal for one in said], dtype=np.float32),
        is_stated=np.array([one.stated for one in said], dtype=np.bool_),
        subjects=np.array([one.subject for one in said], dtype=np.int32),
        is_superseded=np.array([one.superseded for one in said], dtype=np.bool_),
        texts=[one.text for one in said],
    )


def likely(older: int, newer: int) -> UpdatePair:
    return UpdatePair(older=older, newer=newer, is_sure=False)


def weigh(
    *said: Said,
    updates: Iterable[UpdatePair] = (),
    question: str = ASKED,
    weights: tuple[float, float, float] = WEIGHTS,
    intent: Intent = Intent.FACTUAL,
) -> TimeOrder:
    return weigh_updates(
        candidates(*said),
        updates,
        question=question,
        asked=read_question(question, Language.EN),
        intent=intent,
        weights=weights,
    )


def final(order: TimeOrder, *said: Said) -> npt.NDArray[np.float64]:
    moved = order.arousal.astype(np.float64) + order.recency.astype(np.float64)
    return np.array([one.score for one in said], dtype=np.float64) + moved


def best(order: TimeOrder, *said: Said) -> str:
    return said[int(final(order, *said).argmax())].text


def moves_nothing(order: TimeOrder) -> bool:
    return not (order.recency.any() or order.arousal.any() or order.pushed)


def test_what_likely_replaces_another_is_lifted_just_above_it() -> None:
    said = (Said(OLD, 0.8, 0), Said(NEW, 0.8 - NEAR, 1))
    order = weigh(*said, updates=[likely(0, 1)])
    assert best(order, *said) == NEW
    assert order.recency[1] == pytest.approx(NEAR + MARGIN, abs=1e-6)
    assert np.flatnonzero(order.recency).tolist() == [1]
    (pushed,) = order.pushed
    assert (pushed.candidate, pushed.rival, pushed.reason) == (0, 1, PushedBy.NEWER)


def test_what_stands_above_already_is_not_moved() -> None:
    assert moves_nothing(weigh(Said(NEW, 0.8, 1), Said(OLD, 0.4, 0), updates=[likely(1, 0)]))


def test_a_likely_update_moves_nothing_beyond_the_band() -> None:
    said = (Said(OLD, 0.8, 0), Said(NEW, 0.8 - 2 * BAND, 1))
    assert moves_nothing(weigh(*said, updates=[likely(0, 1)]))
    sure = weigh(*said, updates=[UpdatePair(older=0, newer=1, is_sure=True)])
    assert best(sure, *said) == NEW


@pytest.mark.parametrize(
    ("old", "new", "question", "is_lifted"),
    [
        ("PPR-6874 leaks.", "PPR-6784 leaks now.", "What about PPR6874?", False),
        ("Ask 06 6555 0814 about whales.", "Ask 06 6555 0184 about whales now.", "What is 0665550814 for?", False),
        ("The code is 4417.", "The code is 4471 now.", "Is the code still 4417?", True),
        ("The fee is 1,200 euros.", "The fee is 1,250 euros now.", "Is the fee still 1,200 euros?", True),
        ("電話は二階です。", "今は三階に移りました。", "電話はどこですか。", True),
    ],
)
def test_what_a_question_names_by_an_identifier_keeps_its_place_and_a_value_it_asks_about_does_not(
    old: str, new: str, question: str, *, is_lifted: bool
) -> None:
    said = (Said(old, 0.8, 0), Said(new, 0.8 - NEAR, 1))
    assert moves_nothing(weigh(*said, updates=[likely(0, 1)], question=question)) is not is_lifted


def test_the_newest_of_three_stands_first_and_the_oldest_last() -> None:
    said = (Said(OLD, 0.8, 0), Said(NEW, 0.76, 3), Said("The API now uses port 9500.", 0.72, 9))
    order = weigh(*said, updates=[likely(0, 1), likely(1, 2), likely(0, 2)])
    assert np.argsort(-final(order, *said)).tolist() == [2, 1, 0]


def test_what_no_edge_joins_keeps_its_place_however_near_and_new() -> None:
    said = (Said(OLD, 0.8, 0), Said(NEW, 0.799, 9), Said("The cat sleeps.", 0.798, 99))
    assert moves_nothing(weigh(*said))
    order = weigh(*said, updates=[likely(0, 1)])
    assert order.recency[2] == 0.0


def test_statements_of_one_key_are_ordered_by_their_time_without_an_edge() -> None:
    said = (Said("Port 8080.", 9.0, 0, subject=4), Said("9000.", 0.1, 5, subject=4))
    order = weigh(*said)
    assert best(order, *said) == "9000."
    assert moves_nothing(weigh(said[0], replace(said[1], subject=5)))
    assert moves_nothing(weigh(said[0], replace(said[1], has_time=False)))


def test_of_two_at_the_same_moment_the_one_recorded_later_is_newer() -> None:
    said = (Said("9000.", 0.4, 0, number=9, subject=1), Said("8080.", 0.8, 0, number=3, subject=1))
    assert best(weigh(*said), *said) == "9000."


def test_what_is_marked_as_superseded_falls_without_what_replaced_it() -> None:
    order = weigh(Said(OLD, 0.8, 0, superseded=True))
    assert order.recency[0] == pytest.approx(-WEIGHTS[2] * PENALTY)
    assert (order.pushed[0].rival, order.pushed[0].reason) == (None, PushedBy.SUPERSEDED)


def test_what_is_marked_as_superseded_falls_below_what_replaced_it() -> None:
    said = (Said(OLD, 5.0, 1, superseded=True), Said("9000.", 0.4, 5), Said("Port 9000.", 0.2, 3))
    sure = [UpdatePair(older=0, newer=newer, is_sure=True) for newer in (1, 2)]
    order = weigh(*said, updates=sure)
    assert np.argsort(-final(order, *said)).tolist()[-1] == 0


def test_a_question_after_an_earlier_state_spares_what_is_marked_as_superseded() -> None:
    said = Said(OLD, 0.8, 0, superseded=True)
    assert moves_nothing(weigh(said, question="Which port did the API use before the move?"))
    assert not moves_nothing(weigh(said, question="What happened to the API?"))


def test_a_question_after_an_earlier_state_puts_the_older_first() -> None:
    said = (Said(OLD, 0.8 - NEAR, 0), Said(NEW, 0.8, 5))
    order = weigh(*said, updates=[likely(0, 1)], question="Which port did the API use before the move?")
    assert best(order, *said) == OLD
    assert order.pushed[0].reason is PushedBy.OLDER_ASKED


def test_texts_are_read_only_where_the_question_names_an_end_and_one_replaces_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def noted(text: str) -> list[str]:
        read.append(text)
        return query_tokens(text)

    monkeypatch.setattr("evolore.recall.time_order.query_tokens", noted)
    said = (Said("Leeds is where we live.", 0.9, 9), Said("We live in York.", 0.82, 5))
    for updates, question, expected in (
        ([likely(1, 0)], "Where did we live at first?", False),
        ([], "Where did we live before Leeds?", False),
        ([likely(1, 0)], "Where did we live before Leeds?", True),
    ):
        read.clear()
        weigh(*said, updates=updates, question=question)
        assert ({one.text for one in said} <= set(read)) is expected, question


def test_what_stands_last_before_an_end_that_the_question_names_wins() -> None:
    said = (
        Said("Leeds is where we live.", 0.9, 9),
        Said("We live in York.", 0.82, 5),
        Said("We live in Bath.", 0.86, 0),
    )
    updates = [likely(2, 1), likely(1, 0), likely(2, 0)]
    before = weigh(*said, updates=updates, question="Where did we live before Leeds?")
    assert best(before, *said) == "We live in York."
    first = weigh(*said, updates=updates, question="Where did we live at first?")
    assert best(first, *said) == "We live in Bath."


def test_a_question_about_what_happened_does_not_prefer_the_newer() -> None:
    said = (Said(OLD, 0.8, 0), Said(NEW, 0.8 - NEAR, 5))
    assert moves_nothing(weigh(*said, updates=[likely(0, 1)], question="What happened to the API?"))
    assert not moves_nothing(weigh(*said, updates=[likely(0, 1)]))


PAINTED = Said("The bridge is being painted.", 0.8, 9, arousal=0.1)
FELL = Said("He fell off the bridge.", 0.8 - TOLD_BAND / 2, 0, arousal=0.9)
HAPPENED = "What happened on the bridge?"


def test_the_far_more_strongly_felt_account_wins_where_one_is_asked_for() -> None:
    order = weigh(PAINTED, FELL, question=HAPPENED)
    assert best(order, PAINTED, FELL) == FELL.text
    assert order.arousal[1] == pytest.approx(TOLD_BAND / 2 + MARGIN, abs=1e-6)
    assert not order.recency.any()
    assert order.pushed[0].reason is PushedBy.FELT


def test_a_feeling_lifts_nothing_beyond_the_band_and_nothing_where_a_datum_is_asked_for() -> None:
    far = replace(FELL, score=0.8 - 2 * TOLD_BAND)
    assert moves_nothing(weigh(PAINTED, far, question=HAPPENED))
    assert moves_nothing(weigh(PAINTED, FELL, question="When was the bridge painted?"))


def test_the_most_strongly_felt_of_three_stands_first() -> None:
    said = (replace(PAINTED, arousal=0.0), Said("Someone shouted.", 0.77, 1, arousal=0.45), FELL)
    order = weigh(*said, question=HAPPENED)
    assert np.argsort(-final(order, *said), kind="stable").tolist() == [2, 1, 0]


@pytest.mark.parametrize("arousal", [0.1 + AROUSAL_GAP / 2, np.nan])
def test_what_is_felt_a_little_more_or_not_known_to_be_wins_over_nothing(arousal: float) -> None:
    assert not weigh(PAINTED, replace(FELL, arousal=arousal), question=HAPPENED).arousal.any()


def test_a_question_after_a_feeling_heeds_estimates_and_a_wider_band() -> None:
    deep = replace(FELL, score=0.8 - 0.9 * FELT_BAND, arousal=0.6, stated=False)
    plain = replace(PAINTED, arousal=0.4, stated=False)
    asked = "What was I afraid of?"
    assert best(weigh(plain, deep, intent=Intent.EMOTIONAL, question=asked), plain, deep) == deep.text
    assert moves_nothing(weigh(plain, deep, intent=Intent.FACTUAL, question=asked))
    far = replace(deep, score=0.8 - 1.5 * FELT_BAND)
    assert moves_nothing(weigh(plain, far, intent=Intent.EMOTIONAL, question=asked))


SAID = st.builds(
    Said,
    text=st.sampled_from([OLD, NEW, "We bought bread.", "Port 9000 was rejected."]),
    score=st.sampled_from([0.0, 0.25, 0.3, 0.5, 1.0]),
    days=st.integers(0, 3).map(float),
    arousal=st.sampled_from([0.1, 0.9]),
    subject=st.integers(-1, 1),
    superseded=st.booleans(),
)
MANY_SAID = st.lists(SAID, max_size=8)
ANY_QUESTION = st.sampled_from(QUESTIONS)


def all_pairs(said: list[Said], data: st.DataObject) -> list[UpdatePair]:
    """Draw edges from what is later to what is earlier."""
    found = [
        UpdatePair(older=older, newer=newer, is_sure=data.draw(st.booleans()))
        for older, one in enumerate(said)
        for newer, other in enumerate(said)
        if one.days < other.days
    ]
    return [pair for pair in found if data.draw(st.booleans())]


@given(MANY_SAID, ANY_QUESTION, st.data())
def test_without_a_weight_nothing_counts(said: list[Said], question: str, data: st.DataObject) -> None:
    updates = all_pairs(said, data)
    assert moves_nothing(weigh(*said, updates=updates, question=question, weights=(1.0, 0.0, 0.0)))


@given(MANY_SAID, ANY_QUESTION)
def test_without_edges_keys_marks_and_feelings_nothing_moves(said: list[Said], question: str) -> None:
    plain = [replace(one, subject=-1, superseded=False, arousal=np.nan) for one in said]
    assert moves_nothing(weigh(*plain, question=question))


@given(MANY_SAID, ANY_QUESTION, st.data())
def test_only_what_is_marked_as_superseded_falls(said: list[Said], question: str, data: st.DataObject) -> None:
    order = weigh(*said, updates=all_pairs(said, data), question=question)
    assert (order.arousal >= 0.0).all()
    assert all(value >= 0.0 or one.superseded for value, one in zip(order.recency, said, strict=True))


@given(MANY_SAID, ANY_QUESTION, st.data())
def test_nothing_that_is_only_likely_rises_far(said: list[Said], question: str, data: st.DataObject) -> None:
    unkeyed = [replace(one, subject=-1, superseded=False) for one in said]
    updates = [replace(pair, is_sure=False) for pair in all_pairs(unkeyed, data)]
    order = weigh(*unkeyed, updates=updates, question=question)
    highest = max((one.score for one in said), default=0.0)
    assert final(order, *unkeyed).max(initial=0.0) <= highest + 2 * len(said) * MARGIN + 1e-6
    scores = np.array([one.score for one in said])
    assert (final(order, *unkeyed) - scores <= len(said) * (BAND + MARGIN) + 1e-6).all()


@given(MANY_SAID, ANY_QUESTION, st.data())
def test_each_is_pushed_once_for_one_reason_and_the_most_first(
    said: list[Said], question: str, data: st.DataObject
) -> None:
    pushed = weigh(*said, updates=all_pairs(said, data), question=question).pushed
    assert len({one.candidate for one in pushed}) == len(pushed)
    assert all(one.penalty > 0.0 and one.candidate != one.rival for one in pushed)
    penalties = [one.penalty for one in pushed]
    assert penalties == sorted(penalties, reverse=True)


@given(st.lists(SAID, min_size=1, max_size=7), ANY_QUESTION, st.data())
def test_the_order_of_the_candidates_does_not_matter(said: list[Said], question: str, data: st.DataObject) -> None:
    numbered = [replace(one, number=place + 1, score=one.score + place / 64) for place, one in enumerate(said)]
    updates = all_pairs(numbered, data)
    order = data.draw(st.permutations(range(len(numbered))))
    place_of = {was: now for now, was in enumerate(order)}
    moved = [replace(pair, older=place_of[pair.older], newer=place_of[pair.newer]) for pair in updates]
    plain = weigh(*numbered, updates=updates, question=question)
    mixed = weigh(*(numbered[at] for at in order), updates=moved, question=question)
    assert mixed.recency == pytest.approx(plain.recency[order], abs=1e-5)
    assert mixed.arousal == pytest.approx(plain.arousal[order], abs=1e-5)


def test_no_candidates_are_weighed_without_complaint() -> None:
    assert moves_nothing(weigh())
