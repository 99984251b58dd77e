from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.episodes.shared_sentences import folded, is_contained, novel_sentences

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
