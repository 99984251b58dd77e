"""What is found without comparing all sentences is what comparing all of them finds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.episodes.shared_sentences import folded, is_contained, pairings, sentences_of
from evolore.text.contrasts.reading import read, shared_share

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
