"""Arousal: what is told decides rather than how loudly, and neither text nor vector can break the estimate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.recall import arousal_cues
from evolore.recall.arousal import ArousalSpace, estimate_arousal
from evolore.recall.arousal_cues import Cue
from evolore.recall.arousal_fitting import (
    LANGUAGES,
    cues_alone,
    fit_arousal,
    named_texts,
    rated_digest,
    rated_texts,
)
from evolore.recall.arousal_signs import MOST_READ, SIGNS, read_signs

DATA = Path(__file__).parents[1] / "data" / "arousal"
DIMENSION = 8
NOTHING = ArousalSpace(constant=0.0, signs=(0.0,) * SIGNS, direction=np.zeros(DIMENSION, dtype=np.float32))
VECTOR = np.eye(DIMENSION, dtype=np.float32)[0]


def by_words(text: str, language: Language) -> float:
    return estimate_arousal(text, VECTOR, space=cues_alone(language), language=language)


@pytest.mark.parametrize(
    ("calm", "mild", "strong", "language"),
    [
        ("The meeting is in room 4.", "I am a bit nervous.", "My daughter died, I can't stop crying.", Language.EN),
        ("会議は四号室です。", "少し緊張する。", "娘が亡くなり、涙が止まらない。", Language.JA),
        ("会议在四号房间。", "有点紧张。", "女儿去世了，我哭得停不下来。", Language.ZH),
    ],
)
def test_words_alone_tell_a_record_from_a_mild_feeling_and_that_from_grief(
    calm: str, mild: str, strong: str, language: Language
) -> None:
    assert by_words(calm, language) < 0.2 < by_words(strong, language)
    assert by_words(calm, language) < by_words(mild, language) < by_words(strong, language) - 0.1


@pytest.mark.parametrize(
    ("loud", "quiet", "language"),
    [
        ("OMG!!! The stapler is back lol!!!", "I signed the form for my son's coffin.", Language.EN),
        ("やばい！！ホチキス戻ってきたｗ", "息子の棺の書類に署名した。", Language.JA),
        ("天啊！！订书机回来了哈哈！！", "我在儿子的入殓单上签了字。", Language.ZH),
    ],
)
def test_a_quiet_loss_counts_more_than_a_loud_trifle(loud: str, quiet: str, language: Language) -> None:
    assert by_words(loud, language) < 0.3 < by_words(quiet, language)


@given(text=st.text(), language=st.sampled_from(LANGUAGES), numbers=st.lists(st.floats(-9, 9), min_size=1, max_size=1))
def test_an_estimate_lies_between_0_and_1_whatever_the_text_and_the_space(
    text: str, language: Language, numbers: list[float]
) -> None:
    wild = ArousalSpace(
        constant=numbers[0], signs=(numbers[0],) * SIGNS, direction=np.full(DIMENSION, numbers[0], dtype=np.float32)
    )
    assert 0.0 <= estimate_arousal(text, VECTOR, space=wild, language=language) <= 1.0
    assert 0.0 <= by_words(text, language) <= 1.0


@given(text=st.text(), language=st.sampled_from(LANGUAGES))
def test_signs_are_as_many_as_ever_finite_and_of_the_beginning_alone(text: str, language: Language) -> None:
    signs = read_signs(text, language)
    assert len(signs) == SIGNS
    assert np.isfinite(signs).all()
    long = f"{text}{'.' * MOST_READ}"
    assert read_signs(f"{long}terror 恐怖", language) == read_signs(long, language)


def test_the_vector_counts_where_a_space_has_directions() -> None:
    pointing = ArousalSpace(constant=0.1, signs=(0.0,) * SIGNS, direction=np.eye(DIMENSION, dtype=np.float32)[0])
    assert estimate_arousal("Zebra", 0.5 * VECTOR, space=pointing, language=Language.EN) == pytest.approx(0.6)
    assert estimate_arousal("Zebra", VECTOR[::-1], space=pointing, language=Language.EN) == pytest.approx(0.1)


def test_a_feeling_that_is_named_counts_somewhat_whatever_a_space_says() -> None:
    assert estimate_arousal("I am angry", VECTOR, space=NOTHING, language=Language.EN) == pytest.approx(0.4)
    assert estimate_arousal("I am a bit angry", VECTOR, space=NOTHING, language=Language.EN) == pytest.approx(0.2)
    assert estimate_arousal("lol I am angry", VECTOR, space=NOTHING, language=Language.EN) == 0.0
    assert estimate_arousal("I am here", VECTOR, space=NOTHING, language=Language.EN) == 0.0


def test_one_cry_in_a_long_report_is_heard_and_fades_with_its_length() -> None:
    cry, report = "I was terrified and wept.", "The list is kept in the office. "
    signs = [read_signs(report * count + cry, Language.EN)[Cue.STRONG] for count in (0, 1, 5, 40)]
    assert signs == sorted(signs, reverse=True)
    assert signs[0] == 1.0
    assert 0.5 < signs[-1] < 0.52
    assert read_signs(report * 40, Language.EN)[Cue.STRONG] == 0.0


def test_phrases_and_the_longest_words_are_found_and_hide_what_is_inside() -> None:
    english = arousal_cues.of(Language.EN)
    assert Cue.BODY in english.find("i can't breathe")
    assert Cue.BODY not in english.find("i can breathe")
    chinese = arousal_cues.of(Language.ZH)
    assert chinese.find("可爱") == [Cue.MILD]
    assert Cue.FEELING in chinese.find("爱")
    assert arousal_cues.of(Language.UND) is english


def test_fitting_finds_a_direction_that_rises_with_the_ratings_and_is_blind_to_names() -> None:
    rated = rated_texts(Language.EN)
    vectors = np.zeros((len(rated), 3), dtype=np.float32)
    vectors[:, 0] = [2 * rating - 1 for _, rating in rated]
    vectors[:, 1] = vectors[:, 0]
    named = np.zeros((2, 5, 3), dtype=np.float32)
    named[:, :, 1] = np.linspace(-1, 1, 5)
    told = fit_arousal({Language.EN: vectors}, named, Language.EN)
    assert told.direction[0] > 10 * abs(told.direction[1])
    unnamed = fit_arousal({Language.EN: vectors}, np.zeros((2, 5, 3), dtype=np.float32), Language.EN)
    assert unnamed.direction[1] == pytest.approx(unnamed.direction[0])


def test_an_array_holds_all_of_a_space() -> None:
    space = cues_alone(Language.JA)
    again = ArousalSpace.from_array(space.to_array())
    assert again.signs == pytest.approx(space.signs)
    assert len(again.direction) == 0
    wide = ArousalSpace(constant=0.2, signs=space.signs, direction=VECTOR)
    assert (ArousalSpace.from_array(wide.to_array()).direction == VECTOR).all()


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_many_rated_sentences_and_none_is_of_the_measured_set(language: Language) -> None:
    texts = [text for text, _ in rated_texts(language)]
    assert len(set(texts)) == len(texts) >= 200
    ratings = [rating for _, rating in rated_texts(language)]
    assert min(sum(low <= rating < low + 0.2 for rating in ratings) for low in (0.0, 0.2, 0.4, 0.6, 0.8)) >= 25
    lines = (DATA / f"{language}.jsonl").read_text("utf-8").splitlines()
    measured = {cast("dict[str, str]", json.loads(line))["text"].casefold().strip("。. ") for line in lines}
    shared = len(measured & {text.casefold().strip("。. ") for text in texts})
    assert (len(measured) >= 100, shared) == (True, 0)  # counted, so that a failure shows no blind text


def test_texts_of_a_content_differ_in_the_name_alone_and_the_digest_names_all() -> None:
    for content in named_texts(Language.EN):
        assert len(set(content)) == len(content) >= 20
    assert cues_alone(Language.UND) == cues_alone(Language.UND)
    assert len(rated_digest()) == 16
