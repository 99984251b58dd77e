"""Arousal: what is told decides rather than how loudly, and neither text nor vector can break the estimate.

Resonance stays in bounds and comes to rest where uses point; deflation keeps the order.
"""

from __future__ import annotations

import json
from importlib.resources import as_file, files
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.errors import MissingExtra
from evolore.models.embedders import embedder_named, shipped_arousal
from evolore.ports import EmbeddingModel
from evolore.recall.arousal import (
    LANGUAGES,
    MOST_READ,
    SIGNS,
    ArousalSpaces,
    Cue,
    cues_alone,
    deflate,
    estimate_arousal,
    find_cues,
    fit_arousal,
    is_inflated,
    rated_texts,
    read_signs,
    resonate,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.ports import Embedder
    from evolore.recall.arousal import ArousalSpace

DATA = Path(__file__).parents[1] / "data" / "arousal"
FITTING = run_path(str(Path(__file__).parents[2] / "benchmarks" / "fit_arousal.py"))
DIMENSION = 8
MODEL = EmbeddingModel(id="mine", dimension=DIMENSION)
NOTHING = np.zeros(1 + SIGNS + DIMENSION, dtype=np.float32)
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


@given(text=st.text(), language=st.sampled_from(LANGUAGES), number=st.floats(-9, 9))
def test_an_estimate_lies_between_0_and_1_whatever_the_text_and_the_space(
    text: str, language: Language, number: float
) -> None:
    assert 0.0 <= estimate_arousal(text, VECTOR, space=NOTHING + np.float32(number), language=language) <= 1.0
    assert 0.0 <= by_words(text, language) <= 1.0


@given(text=st.text(), language=st.sampled_from(LANGUAGES))
def test_signs_are_as_many_as_ever_finite_and_of_the_beginning_alone(text: str, language: Language) -> None:
    signs = read_signs(text, language)
    assert len(signs) == SIGNS
    assert np.isfinite(signs).all()
    long = f"{text}{'.' * MOST_READ}"
    assert read_signs(f"{long}terror 恐怖", language) == read_signs(long, language)


def test_the_vector_counts_where_a_space_has_directions() -> None:
    pointing = NOTHING.copy()
    pointing[0], pointing[1 + SIGNS] = 0.1, 1.0
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
    assert find_cues("i can't breathe", Language.EN) == [Cue.SELF, Cue.BODY]
    assert find_cues("i can breathe", Language.UND) == [Cue.SELF]
    assert find_cues("i hate him", Language.EN) == [Cue.SELF, Cue.STRONG]
    assert find_cues("可爱", Language.ZH) == [Cue.MILD]
    assert Cue.FEELING in find_cues("爱", Language.ZH)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_cue_has_words_in_every_language(language: Language) -> None:
    words = "crying die got_in dad me very a_bit lol wifi nice agenda sad rage"
    known = {
        Language.JA: "涙 死 合格 母 私 一生 少し ｗ 傘 満足 会議 悲し 絶望",
        Language.ZH: "失眠 死 考上 妈 我 永远 有点 哈哈 笔 不错 会议 难过 绝望",
    }
    listed = known.get(language, words).replace("_", " ")
    assert set(find_cues(listed, language)) == set(Cue)


def test_fitting_finds_a_direction_that_rises_with_the_ratings_and_is_blind_to_names() -> None:
    rated = rated_texts(Language.EN)
    vectors = np.zeros((len(rated), 3), dtype=np.float32)
    vectors[:, 0] = [2 * rating - 1 for _, rating in rated]
    vectors[:, 1] = vectors[:, 0]
    indifferent = np.zeros((10, 3), dtype=np.float32)
    indifferent[:, 1] = np.linspace(-1, 1, 10)
    told = fit_arousal({Language.EN: vectors}, indifferent, Language.EN)[1 + SIGNS :]
    assert told[0] > 10 * abs(told[1])
    unnamed = fit_arousal({Language.EN: vectors}, np.zeros((10, 3), dtype=np.float32), Language.EN)[1 + SIGNS :]
    assert unnamed[1] == pytest.approx(unnamed[0])


def test_words_alone_serve_languages_without_their_own_as_english() -> None:
    assert (cues_alone(Language.UND) == cues_alone(Language.EN)).all()
    assert len(cues_alone(Language.JA)) == 1 + SIGNS


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


def test_what_shipped_is_read_once_a_model_and_when_it_is_first_asked_for() -> None:
    read: list[str] = []

    def shipped(model: EmbeddingModel) -> dict[Language, ArousalSpace]:
        read.append(model.id)
        return {Language.EN: NOTHING}

    spaces = ArousalSpaces(shipped)
    assert not read
    assert spaces.of(MODEL, Language.EN) is spaces.of(MODEL, Language.EN) is NOTHING
    assert spaces.of(MODEL, Language.JA) is cues_alone(Language.JA)
    assert read == ["mine"]


def test_an_estimate_is_by_the_vector_where_a_space_shipped_and_by_the_words_where_none_did() -> None:
    space = NOTHING.copy()
    space[1 + SIGNS] = 0.7
    shipped = ArousalSpaces(lambda _model: {Language.EN: space}).estimates(MODEL)
    assert shipped("The list.", VECTOR, language=Language.EN) == pytest.approx(0.7)
    assert shipped("The list.", -VECTOR, language=Language.UND) == 0.0
    words = ArousalSpaces(lambda _model: {}).estimates(MODEL)
    assert words("娘が死んだ。", VECTOR, language=Language.JA) == by_words("娘が死んだ。", Language.JA) > 0.0


def test_every_shipped_file_was_made_from_the_present_sentences_and_cues() -> None:
    digest = cast("Callable[[], str]", FITTING["rated_digest"])()
    found = [file for file in (files("evolore.models") / "arousal").iterdir() if file.name.endswith(".npz")]
    assert len(found) == 3
    for file in found:
        with as_file(file) as path, np.load(path) as arrays:
            assert str(arrays["digest"]) == digest, "run: python benchmarks/fit_arousal.py use e5 use+e5"


@pytest.mark.parametrize(
    "name", ["use", pytest.param("e5", marks=pytest.mark.long), pytest.param("use+e5", marks=pytest.mark.long)]
)
def test_what_ships_is_what_the_embedder_gives(name: str) -> None:
    fit_spaces = cast("Callable[[Embedder], dict[Language, ArousalSpace]]", FITTING["fit_spaces"])
    try:
        embedder = embedder_named(name)
        found = fit_spaces(embedder)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    shipped = shipped_arousal(embedder.model)
    assert set(shipped) == set(found) == set(LANGUAGES)
    for language, space in found.items():
        assert shipped[language] == pytest.approx(space, abs=2e-3)


def test_nothing_ships_for_other_models() -> None:
    assert shipped_arousal(MODEL) == {}


SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("arousal", "resonance", "after"), [(0.5, 1.0, 0.6), (0.5, 0.0, 0.4), (0.8, 0.8, 0.8), (0.0, 0.5, 0.1)]
)
def test_a_use_goes_a_fifth_of_the_way(arousal: float, resonance: float, after: float) -> None:
    assert resonate(arousal, resonance) == pytest.approx(after)


@given(arousal=SHARES, resonance=SHARES)
def test_what_moves_stays_between_where_it_was_and_the_use(arousal: float, resonance: float) -> None:
    low, high = sorted((arousal, resonance))
    assert low - 1e-12 <= resonate(arousal, resonance) <= high + 1e-12
    assert 0.0 <= resonate(arousal, resonance) <= 1.0


@given(arousal=SHARES, resonance=SHARES)
def test_many_like_uses_come_to_rest_at_how_they_were_felt(arousal: float, resonance: float) -> None:
    for _ in range(100):
        arousal = resonate(arousal, resonance)
    assert arousal == pytest.approx(resonance, abs=1e-9)


@given(values=st.lists(SHARES, min_size=1))
def test_deflation_keeps_the_order_and_the_bounds_and_lowers_the_mean(values: list[float]) -> None:
    before = np.array(values)
    after = deflate(before)
    assert ((after >= 0.0) & (after <= 1.0)).all()
    assert (np.argsort(after, kind="stable") == np.argsort(before, kind="stable")).all()
    assert after.mean() == pytest.approx(0.9 * before.mean())


def test_a_mean_above_six_tenths_is_inflated_and_one_of_nothing_is_not() -> None:
    assert is_inflated(np.array([0.5, 0.8]))
    assert not is_inflated(np.array([0.5, 0.6]))
    assert not is_inflated(np.array([], dtype=np.float64))
