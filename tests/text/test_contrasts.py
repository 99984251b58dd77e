"""A text without the words a wording begins with is not searched for it, one without number words not for values, and both read the same.

Which words of a text are written like names.

Whether two texts say the same words with two of them changed over.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.text.contrasts import words_of
from evolore.text.contrasts.reading import (
    Reading,
    _bare_words,
    _in_numbers,
    _replaced,
    _same_of,
    _sides,
    _stems,
    changes_places,
    first_words,
    may_count,
    opposites_of,
    read,
    words_in,
)
from evolore.text.values import NUMBER_WORDS

WORDS = words_of(Language.EN)
POOL = sorted({*re.findall(r"\w+", " ".join((*WORDS.opposites, *WORDS.same))), "table", "rained", "42"})
TEXTS = st.lists(st.tuples(st.sampled_from(POOL), st.sampled_from([" ", "-", "'", ", ", ". "])), max_size=30).map(
    lambda pairs: "".join(word + end for word, end in pairs)
)
COUNTED = sorted(
    {
        *NUMBER_WORDS,
        *[
            "hour",
            "minutes",
            "o'clock",
            "past",
            "to",
            "pm",
            "dozen",
            "people",
            "of",
            "a.m.",
            "v3",
            "3.11",
            "50",
            "JPY",
            "$5",
            "-4",
            "午後三時",
            "march",
            "2026",
            "twenty-five",
            "well-kept",
        ],
    }
)
NUMBERS = st.lists(st.tuples(st.sampled_from(COUNTED), st.sampled_from([" ", "-", ", ", ". "])), max_size=12).map(
    lambda pairs: "".join(word + end for word, end in pairs)
)


@given(NUMBERS)
def test_words_are_the_same_where_values_are_not_read_for_them(text: str) -> None:
    reading = Reading(text, Language.EN)
    numbers = _in_numbers(reading.values)
    slowly = tuple(stem for word in _bare_words(reading._same) if word not in numbers for stem in _stems(word))
    assert reading.words == slowly
    assert all(may_count(word) for word in numbers)
    assert [Reading(text, Language.EN).has_words(least) for least in range(6)] == [
        len(slowly) >= one for one in range(6)
    ]


@given(TEXTS)
def test_leaving_groups_out_by_first_words_changes_no_side(text: str) -> None:
    reading = Reading(text, Language.EN)
    slowly = {place: _sides(reading.text, group) for place, group in enumerate(opposites_of(Language.EN))}
    assert reading.sides == {place: held for place, held in slowly.items() if held}


@given(TEXTS)
def test_leaving_rules_out_by_first_words_changes_no_replacement(text: str) -> None:
    slowly = text
    for pattern, first, _ in _same_of(Language.EN):
        slowly = pattern.sub(first, slowly)
    assert _replaced(text, words_in(text), Language.EN) == slowly


def test_most_groups_are_left_out_of_most_texts() -> None:
    there = words_in("the rain in spain stays mainly in the plain")
    groups = opposites_of(Language.EN)
    searched = [one for one in groups if one.first_words is None or not there.isdisjoint(one.first_words)]
    assert 0 < len(searched) < len(groups) / 5


def test_a_wording_that_begins_with_more_than_a_word_is_searched_for_everywhere() -> None:
    assert first_words(["gr[ae]y"]) is None
    assert first_words(["u.s.", "usa"]) is None
    assert first_words([r"\d+ km"]) is None
    assert first_words(["(?:very )?big"]) is None


def test_a_word_that_may_lack_its_last_letter_is_two() -> None:
    assert first_words(["approved?", "off of|away from"]) == {"approve", "approved", "off", "away"}
    assert first_words(["a?"]) is None  # it could be nothing at all


@pytest.mark.parametrize("text", ["And then I'm going to Leeds.", "Well, I’ll go to Leeds, and I've a ticket."])
def test_who_speaks_is_no_name(text: str) -> None:
    assert read(text, Language.EN).names == {"leed"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The deposit is due on the 3rd and the keys on the 9th.",
            "The deposit is due on the 9th and the keys on the 3rd.",
        ),
        ("Mara owes Tom forty pounds.", "Tom owes Mara forty pounds."),
        ("鍵は兄が、車は妹が預かる。", "鍵は妹が、車は兄が預かる。"),
        ("左边的抽屉放剪刀，右边的放胶带。", "右边的抽屉放剪刀，左边的放胶带。"),
    ],
)
def test_two_that_changed_over_are_seen(one: str, other: str) -> None:
    assert changes_places(one, other)
    assert changes_places(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("In March we fly to Oslo.", "We fly to Oslo in March."),
        ("Tea and cake are in the tin.", "Cake and tea are in the tin!"),
        ("明日は歯医者に行く。", "歯医者に明日は行く。"),
        ("我和她去了海边。", "她和我去了海边。"),
        ("The gate code is 4410.", "The gate's code is 4410"),
        ("", "x"),
    ],
)
def test_a_phrase_that_moved_and_what_is_listed_may_stand_elsewhere(one: str, other: str) -> None:
    assert not changes_places(one, other)
