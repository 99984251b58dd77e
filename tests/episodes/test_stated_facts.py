"""Facts that a statement plainly states, and what a newer one does to an older one by them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.fact import SPEAKER, FactKind
from evolore.domain.language import Language
from evolore.episodes.restatements import restated
from evolore.episodes.stated_facts import LONGEST_SENTENCE, MOST_READ, Told, is_told_of, stated_facts

EN, JA, ZH = Language.EN, Language.JA, Language.ZH


def told(text: str, language: Language) -> Told:
    return Told(text=text, facts=stated_facts(text, language))


def replaces(old: str, new: str, language: Language) -> bool:
    return restated(told(old, language), told(new, language), language) is not None


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


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("I live in Munich.", "I live in Berlin now.", EN),
        ("I'm a vegetarian.", "Pescatarian now, not a vegetarian any more.", EN),
        ("I drink two coffees a day.", "I stopped drinking coffee.", EN),
        ("Rent is 900 euros.", "Our landlord raised the rent to 950 euros.", EN),
        ("Orion is led by Malik.", "Malik handed Orion over, Malik left last week.", EN),
        ("CI runs on Jenkins.", "Jenkins was switched off.", EN),
        ("定例会議は月曜日の10時です。", "定例会議は火曜日に変わりました。", JA),
        ("コーヒーを毎朝飲みます。", "コーヒーをやめました。", JA),
        ("周会是周一上午十点。", "周会改到周三了。", ZH),
        ("我每天喝咖啡。", "我不喝咖啡了。", ZH),
    ],
)
def test_what_says_that_something_changed_takes_the_older_ones_place(old: str, new: str, language: Language) -> None:
    assert replaces(old, new, language)


@pytest.mark.parametrize(
    ("old", "new", "language"),
    [
        ("I have a cat.", "I also have a dog.", EN),
        ("I live in Munich.", "My brother lives in Berlin now.", EN),
        ("I live in Munich.", "I'm still in Munich.", EN),
        ("The cottage is 900 a week in July.", "Off season, in November, the cottage costs just 400.", EN),
        ("Paper A is due on 3 May.", "Paper B is due on 15 May now.", EN),
        ("I own the migration project.", "I'm off to Leeds tomorrow.", EN),
        ("犬を飼っています。", "猫も飼っています。", JA),
        ("車はアルファードです。", "アルファードを売ってロバに乗り換えた夢見て飛び起きた。", JA),
        ("我养了一只猫。", "我还养了一只狗。", ZH),
        ("办的公园路菲特健身", "菲特换了新淋浴", ZH),
    ],
)
def test_what_comes_besides_or_is_of_something_else_takes_no_place(old: str, new: str, language: Language) -> None:
    assert not replaces(old, new, language)


def test_an_update_says_whether_it_tells_of_a_change() -> None:
    plain = restated(told("My rent is 900 euros.", EN), told("My rent is 950 euros.", EN), EN)
    changed = restated(told("My rent is 900 euros.", EN), told("My rent went up to 950 euros.", EN), EN)
    assert plain is not None
    assert changed is not None
    assert (plain.is_told, changed.is_told) == (False, True)


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
def test_any_text_is_read_and_replaces_not_itself(text: str, language: Language) -> None:
    one = told(text, language)
    assert all(fact.value for fact in one.facts)
    assert (
        restated(one, one, language) is None or any(fact.kind is FactKind.ENDS for fact in one.facts) or one.facts == ()
    )
