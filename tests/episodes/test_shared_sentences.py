"""What is found without comparing all sentences is what comparing all of them finds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.episodes.shared_sentences import folded, is_contained, novel_sentences, pairings, sentences_of
from evolore.text.contrasts.reading import read, shared_share

EN, JA, ZH = Language.EN, Language.JA, Language.ZH


def test_sentences_that_the_old_text_says_in_all_their_words_are_not_new() -> None:
    assert novel_sentences("A young man plays the guitar.", "The man is playing a guitar.", EN) == ()
    assert novel_sentences("犬が庭で遊んでいます。雨です。", "雨です。猫もいます。", JA) == ("猫もいます。",)
    assert novel_sentences("我住在上海。", "我住在上海。我养了一只猫。", ZH) == ("我养了一只猫。",)


def test_another_number_or_a_negation_is_new() -> None:
    assert novel_sentences("The gym opens at 7.", "The gym opens at 8.", EN) == ("The gym opens at 8.",)
    assert novel_sentences("The gym opens.", "The gym opens at 8.", EN) == ("The gym opens at 8.",)
    assert novel_sentences("He likes tea.", "He doesn't like tea.", EN) == ("He doesn't like tea.",)


def test_a_sentence_is_given_once() -> None:
    assert novel_sentences("Hello there.", "It snows. it SNOWS!", EN) == ("It snows.",)


def test_signs_and_decimals_count_when_texts_are_folded() -> None:
    assert folded("C++ is fun") != folded("C is fun")
    assert folded("10:30") != folded("1030")
    assert folded("ＡＢＣ　１") == folded("abc 1")


@settings(deadline=None)
@given(st.text(max_size=80), st.sampled_from([EN, JA, ZH]))
def test_a_text_says_all_of_itself(text: str, language: Language) -> None:
    assert is_contained(text, text, language)
    assert novel_sentences(text, text, language) == ()


@settings(deadline=None)
@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from([EN, JA, ZH]))
def test_new_sentences_stand_in_the_new_text_in_order(old: str, new: str, language: Language) -> None:
    place = 0
    for sentence in novel_sentences(old, new, language):
        place = new.index(sentence, place) + len(sentence)


LEAST_SHARED = 0.4
SENTENCES = {
    Language.EN: (
        "We moved to Leeds.", "Our rent is 1,200 euros!", "our rent is 1200 Euros", "I'm vegan now?", "The dogs aren't barking.",
        "Thanks!", "We moved to York in 2021.", "- item 3.5 of 4:10", "The gardens of Leeds are open, and we moved.", "1. Yes.",
    ),
    Language.JA: ("犬が二匹いる。", "家賃は八万円です。", "犬がいない", "ありがとう！", "ホットドッグを食べた（笑）", "ホットドックを食べた。", "wwwww"),
    Language.ZH: ("我搬到了上海。", "房租是3000元！", "房租是三千元", "谢谢", "我没搬到上海吧~", "上海的房租不低……"),
}  # fmt: skip


@st.composite
def texts(draw: st.DrawFn) -> tuple[str, str, Language]:
    language = draw(st.sampled_from(sorted(SENTENCES)))
    joined = st.lists(st.sampled_from(SENTENCES[language]), min_size=1, max_size=6).flatmap(
        lambda some: st.sampled_from((" ", "\n", "")).map(lambda gap: gap.join(some))
    )
    return draw(joined), draw(joined), language


@given(texts())
def test_a_text_stands_in_another_when_all_its_sentences_do(given_texts: tuple[str, str, Language]) -> None:
    new, old, language = given_texts
    said = {folded(sentence) for sentence in sentences_of(old, language)}
    expected = folded(new) == folded(old) or all(folded(one) in said for one in sentences_of(new, language))
    assert is_contained(new, old, language) is expected


@given(texts())
def test_each_sentence_is_paired_with_the_one_that_shares_most(given_texts: tuple[str, str, Language]) -> None:
    a, b, language = given_texts
    ours = [read(one, language) for one in sentences_of(a, language)]
    theirs = [read(one, language) for one in sentences_of(b, language)]
    expected: list[tuple[str, str]] = []
    for one in theirs:
        shares = [shared_share(other, one) for other in ours]
        best = max(range(len(shares)), key=shares.__getitem__)
        if len(ours) == len(theirs) == 1 or shares[best] >= LEAST_SHARED:
            expected.append((ours[best].text, one.text))
    assert [(pair.ours.text, pair.theirs.text) for pair in pairings(a, b, language)] == expected


@pytest.mark.parametrize("language", [Language.EN, Language.JA, Language.ZH])
def test_a_long_text_stands_in_itself(language: Language) -> None:
    text = "\n".join(SENTENCES[language] * 20)
    assert is_contained(text, text, language)
