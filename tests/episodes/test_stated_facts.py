"""Facts that a statement plainly states, as keys and values."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.fact import SPEAKER, FactKind
from evolore.domain.language import Language
from evolore.episodes.stated_facts import LONGEST_SENTENCE, MOST_READ, is_told_of, stated_facts

EN, JA, ZH = Language.EN, Language.JA, Language.ZH


@pytest.mark.parametrize(
    ("text", "language", "key", "value"),
    [
        ("I live in Berlin now.", EN, (SPEAKER, "home"), "Berlin"),
        ("My new boss is Lee Wong.", EN, ("boss", "name"), "Lee Wong"),
        ("Standup moved to 10:00.", EN, ("standup", "clock"), "10:00"),
        ("大阪に住んでいます。", JA, (SPEAKER, "home"), "大阪"),
        ("家賃が8万5千円に上がりました。", JA, ("家賃", "money"), "8万5千円"),
        ("班主任现在是李老师。", ZH, ("班主任", "name"), "李老师"),
        ("我搬到杭州了。", ZH, (SPEAKER, "home"), "杭州"),
    ],
)
def test_a_fact_has_a_key_and_a_value_that_stands_in_the_text(
    text: str, language: Language, key: tuple[str, str], value: str
) -> None:
    found = {fact.key: fact.value for fact in stated_facts(text, language)}
    assert found[key] == value
    assert value in text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Should I move to Berlin?", EN),
        ("I might move to Berlin.", EN),
        ("Tom says I live in Berlin now.", EN),
        ("I haven't moved to Berlin.", EN),
        ("My sister moved to Berlin.", EN),
        ("I'm in Berlin this week.", EN),
        ("京都に引っ越すかもしれない。", JA),
        ("妹が京都に引っ越しました。", JA),
        ("听说小王搬到杭州了。", ZH),
        ("我打算搬到杭州。", ZH),
        ("我妹妹搬到杭州了。", ZH),
    ],
)
def test_what_is_not_plainly_told_of_the_speaker_states_no_home(text: str, language: Language) -> None:
    assert (SPEAKER, "home") not in {fact.key for fact in stated_facts(text, language)}


def test_an_end_is_no_value() -> None:
    (fact,) = (one for one in stated_facts("I quit smoking in March.", EN) if one.kind is FactKind.ENDS)
    assert fact.value == "smoking"


def test_a_long_sentence_and_what_lies_far_behind_are_not_read() -> None:
    tail = " I live in Berlin now."
    assert stated_facts("word " * (LONGEST_SENTENCE // 5) + "and I live in Berlin now.", EN) == ()
    assert stated_facts("So it was. " * (MOST_READ // 11 + 1) + tail, EN) == ()
    assert stated_facts("So it was. " * 3 + tail, EN)


def test_a_value_is_told_of_where_its_sentence_is_about_the_speaker() -> None:
    assert is_told_of("I moved to Berlin.", "Berlin", EN, subject=None)
    assert not is_told_of("My sister moved to Berlin.", "Berlin", EN, subject=None)
    assert not is_told_of("I moved to Berlin.", "Munich", EN, subject=None)
    assert not is_told_of("I might move to Berlin.", "Berlin", EN, subject=None)
    assert is_told_of("Orion is at version 3.", "3", EN, subject="Orion")
    assert not is_told_of("It is at version 3.", "3", EN, subject="Orion")


@given(st.text(max_size=300), st.sampled_from([EN, JA, ZH, Language.UND]))
def test_any_text_is_read(text: str, language: Language) -> None:
    assert all(fact.value for fact in stated_facts(text, language))
