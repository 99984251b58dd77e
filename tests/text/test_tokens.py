from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.text.tokens import (
    ANALYSER_VERSION,
    analyse,
    content_tokens,
    estimate_tokens,
    query_tokens,
    shared_spans,
    token_weights,
)

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=[]))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Deploying servers in 2026", ["deploy", "server", "in", "2026"]),
        ("Don’t stop John's cafés", ["don't", "stop", "john", "café"]),
        ("foo_bar-baz v2.0 usem3", ["foo", "bar", "baz", "v2", "0", "usem3"]),
        ("ＦＵＬＬ ﾊﾝｶｸ", ["full", "ハン", "ンカ", "カク", "ハンカク"]),
        ("東京都", ["東京", "京都", "東", "京", "都"]),
        ("家", ["家"]),
        ("ジョン・スミス", ["ジョ", "ョン", "ジョン", "スミ", "ミス", "スミス"]),
        ("3台のGPU", ["3", "台の", "台", "gpu"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("Straße", ["strass"]),
        ("\ud800 a", ["a"]),
        ("", []),
    ],
)
def test_words_are_stemmed_and_unspaced_scripts_cut_into_pairs(text: str, tokens: list[str]) -> None:
    assert analyse(text) == tokens


def test_a_very_long_string_of_letters_is_left_as_it_is() -> None:
    assert analyse("running" * 1000) == ["running" * 1000]


def test_a_word_has_one_token_in_every_form_and_width() -> None:
    assert analyse("Deploy") == analyse("deployed") == analyse("ＤＥＰＬＯＹＳ")


def test_a_question_is_asked_without_the_words_that_shape_it() -> None:
    assert query_tokens("Where is the office, and where is the key?") == ["offic", "key"]
    assert query_tokens("谁是校长") == ["谁是", "是校", "校长", "校", "长"]


def test_a_question_of_shaping_words_alone_keeps_them() -> None:
    assert query_tokens("who are you") == ["who", "are", "you"]


def test_content_tokens_carry_the_topic_alone() -> None:
    assert content_tokens("The 3 servers were deployed, as John's friends said.") == [
        "server",
        "deploy",
        "john",
        "friend",
    ]
    assert content_tokens("昨日はサーバーの設定を変えました。x") == ["昨日", "サーバー", "設定", "変"]
    assert content_tokens("服务器在上海") == ["服务", "务器", "器在", "在上", "上海"]
    assert content_tokens("Café’s menu") == ["café", "menu"]


def test_the_analyser_states_its_version() -> None:
    assert ANALYSER_VERSION


@given(ANY_TEXT)
def test_every_token_is_folded_and_has_no_space(text: str) -> None:
    for token in [*analyse(text), *content_tokens(text)]:
        assert token
        assert not any(character.isspace() for character in token)


@given(ANY_TEXT)
def test_what_is_asked_is_among_what_is_indexed(text: str) -> None:
    asked = query_tokens(text)
    assert set(asked) <= set(analyse(text))
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize(
    ("text", "question", "words"),
    [
        (
            "The servers were deployed; deploying a server.",
            "Did we deploy servers?",
            "servers deployed deploying server",
        ),
        ("We asked the team.", "who is the we?", ""),
        ("普通車の実費", "車で行く", "車"),
        ("去年的花生过敏很严重。", "谁对花生过敏？", "花生过敏"),
        ("ＡＰＩのｻｰﾊﾞｰ", "APIのサーバー", "ＡＰＩ ｻｰﾊﾞｰ"),
        ("サーバー室とサーバ", "サーバー", "サーバー"),
        ("room 4711 and 47", "what is in 4711?", "4711"),
        ("", "what?", ""),
    ],
)
def test_words_of_a_question_are_found_in_a_text_as_they_stand_there(text: str, question: str, words: str) -> None:
    spans = shared_spans(text, question)
    assert " ".join(text[start:end] for start, end in spans) == words
    assert all(before[1] < after[0] for before, after in pairwise(spans))


@given(st.text(max_size=80), st.text(max_size=40))
def test_shared_words_lie_in_the_text_and_apart(text: str, question: str) -> None:
    spans = shared_spans(text, question)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] < after[0] for before, after in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("UNTAG", 1.0, 1.0),
        ("正式名称", 0.5, 2.1),
        ("グループ", 0.5, 1.2),
        ("できるのは", 0.0, 0.5),
        ("서울", 0.3, 0.4),
    ],
)
def test_a_word_weighs_about_as_much_as_a_word(text: str, least: float, most: float) -> None:
    total = float(token_weights(analyse(text)).sum())
    assert least - 1e-6 <= total <= most + 1e-6


def test_a_rare_latin_word_outweighs_a_common_compound() -> None:
    assert token_weights(analyse("UNTAG")).sum() > token_weights(analyse("の正")).sum()


@given(st.text(max_size=40))
def test_every_token_has_a_weight_above_zero_and_at_most_one(text: str) -> None:
    tokens = analyse(text)
    weights = token_weights(tokens)
    assert weights.shape == (len(tokens),)
    assert weights.dtype == np.float32
    assert ((weights > 0) & (weights <= 1)).all()


@given(st.lists(st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True), max_size=8))
def test_words_of_letters_all_weigh_the_same(words: list[str]) -> None:
    assert (token_weights(words) == 1.0).all()


@given(st.text(), st.text())
def test_texts_with_a_blank_line_between_cost_what_they_cost_alone_and_the_line(one: str, other: str) -> None:
    one, other = one.strip("\n"), other.strip("\n")
    assert estimate_tokens(f"{one}\n\n{other}") == estimate_tokens(one) + 1 + estimate_tokens(other)


@given(st.text())
def test_every_character_that_is_no_space_is_counted_somewhere(text: str) -> None:
    assert estimate_tokens(text) <= len(text)
    assert (estimate_tokens(text) > 0) == any(not one.isspace() or one == "\n" for one in text)


@pytest.mark.parametrize(
    ("text", "real"),
    [  # what o200k_base makes of them
        ("Wedding cakes are ordered three weeks ahead and paid by half.", 12),
        ("A difference of up to three euros is noted and forgotten.", 12),
        ("パン祭りは五月十七日に決まりました。", 12),
        ("面包节定在五月十七日。", 10),
    ],
)
def test_an_estimate_is_near_what_a_model_counts(text: str, real: int) -> None:
    assert 0.9 * real <= estimate_tokens(text) <= 1.5 * real
