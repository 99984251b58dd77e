"""Intents: wording and known questions decide, and neither text nor vector can break the guess.

Speakers: whom a question names.

Subjects: who is named in a question, and which items name them.
"""

from __future__ import annotations

import json
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.domain.query import Intent
from evolore.recall.question import (
    INTENTS,
    IntentSpace,
    classify_intent,
    cue_points,
    match_speakers,
    plain_question,
    rules_language,
)
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

DATA = Path(__file__).parents[1] / "data" / "intents"
LANGUAGES = (Language.EN, Language.JA, Language.ZH)
FITTING = run_path(str(Path(__file__).parents[2] / "benchmarks" / "fit_intents.py"))
FIT = cast("Callable[[npt.NDArray[np.float32], Sequence[Intent]], IntentSpace]", FITTING["fit_intents"])
TO_ARRAY = cast("Callable[[IntentSpace], npt.NDArray[np.float32]]", FITTING["to_array"])
PROTOTYPES = cast("Callable[[Language], tuple[tuple[str, ...], tuple[Intent, ...]]]", FITTING["prototype_texts"])
DIMENSION = 8
NOWHERE = IntentSpace(
    centre=np.zeros(DIMENSION, dtype=np.float32),
    directions=np.zeros((DIMENSION, len(INTENTS)), dtype=np.float32),
)
VECTOR = np.eye(DIMENSION, dtype=np.float32)[0]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("How did you feel back then?", Intent.EMOTIONAL),
        ("What is the cat's name?", Intent.FACTUAL),
        ("How do I configure it?", Intent.TECHNICAL),
        ("What did we do yesterday?", Intent.TEMPORAL),
        ("Who gets along with whom?", Intent.RELATIONAL),
        ("あの時どう思った？", Intent.EMOTIONAL),
        ("猫の名前は？", Intent.FACTUAL),
        ("設定方法は？", Intent.TECHNICAL),
        ("最近何した？", Intent.TEMPORAL),
        ("誰と仲良い？", Intent.RELATIONAL),
        ("当时你是什么心情？", Intent.EMOTIONAL),
        ("猫叫什么名字？", Intent.FACTUAL),
        ("怎么设置？", Intent.TECHNICAL),
        ("什么时候搬的家？", Intent.TEMPORAL),
        ("他们是什么关系？", Intent.RELATIONAL),
    ],
)
def test_wording_alone_tells_the_seeds_questions(text: str, intent: Intent) -> None:
    language = rules_language(text, detect_language(text))
    assert classify_intent(text, VECTOR, space=NOWHERE, language=language).intent is intent


def test_known_questions_alone_decide_where_the_wording_says_nothing() -> None:
    vectors = np.eye(DIMENSION, dtype=np.float32)[: len(INTENTS)]
    space = FIT(vectors, INTENTS)
    for vector, intent in zip(vectors, INTENTS, strict=True):
        guess = classify_intent("Zebra!", vector, space=space, language=Language.EN)
        assert guess.intent is intent
        assert guess.confidence > 0.5
    assert classify_intent("Zebra!", vectors[0], space=NOWHERE, language=Language.EN).confidence == pytest.approx(0.2)


@given(text=st.text(), language=st.sampled_from(LANGUAGES), axis=st.integers(0, DIMENSION - 1))
def test_a_guess_is_likelier_than_chance_and_at_most_certain(text: str, language: Language, axis: int) -> None:
    space = FIT(np.eye(DIMENSION, dtype=np.float32)[: len(INTENTS)], INTENTS)
    guess = classify_intent(text, np.eye(DIMENSION, dtype=np.float32)[axis], space=space, language=language)
    assert 0.2 - 1e-6 <= guess.confidence <= 1.0
    assert (cue_points(text, language) >= 0.0).all()


@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_the_order_of_the_prototypes_does_not_matter_and_an_array_holds_all(seed: int, data: st.DataObject) -> None:
    vectors = np.random.default_rng(seed).normal(size=(10, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    intents = [*INTENTS, *INTENTS]
    order = data.draw(st.permutations(range(10)))
    space = FIT(vectors, intents)
    shuffled = FIT(vectors[order], [intents[index] for index in order])
    assert space.directions == pytest.approx(shuffled.directions, abs=1e-4)
    again = IntentSpace.from_array(TO_ARRAY(space))
    assert (again.likeness(VECTOR) == space.likeness(VECTOR)).all()


def test_prototypes_that_are_all_alike_tell_nothing() -> None:
    space = FIT(np.tile(VECTOR, (len(INTENTS), 1)), INTENTS)
    assert space.likeness(VECTOR) == pytest.approx(np.zeros(len(INTENTS)), abs=1e-6)


def test_the_last_clause_asks() -> None:
    told = "I know which day he quit; what I want to know is how the two are related"
    assert classify_intent(told, VECTOR, space=NOWHERE, language=Language.EN).intent is Intent.RELATIONAL
    asked = "I know how the two are related; what I want to know is which day he quit"
    assert classify_intent(asked, VECTOR, space=NOWHERE, language=Language.EN).intent is Intent.TEMPORAL


def test_of_a_long_question_beginning_and_end_are_read() -> None:
    padding = "word " * 200
    for place in (f"When did it begin? {padding}", f"{padding}. When did it begin?"):
        assert cue_points(place, Language.EN)[INTENTS.index(Intent.TEMPORAL)] > 0
    assert not cue_points(f"{padding}. When did it begin? {padding}", Language.EN).any()


def test_other_languages_go_by_english_and_characters_of_japan_are_japanese() -> None:
    assert rules_language("hola", Language.UND) is Language.EN
    assert rules_language("歯医者予約日", Language.ZH) is Language.ZH
    assert rules_language("駅前店舗", Language.ZH) is Language.JA
    assert rules_language("什么关系", Language.ZH) is Language.ZH


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_intent_has_many_prototypes_and_none_is_a_labelled_question(language: Language) -> None:
    texts, intents = PROTOTYPES(language)
    assert len(set(texts)) == len(texts)
    assert min(intents.count(intent) for intent in Intent) >= 50
    lines = (DATA / f"{language}.jsonl").read_text("utf-8").splitlines()
    labelled = {cast("dict[str, str]", json.loads(line))["text"].casefold().strip("?？ ") for line in lines}
    shared = len(labelled & {text.casefold().strip("?？ ") for text in texts})
    assert (len(labelled) >= 200, shared) == (True, 0)  # counted, so that a failure shows no blind text


def test_the_digest_names_the_prototypes() -> None:
    assert len(FITTING["prototype_digest"]()) == 16


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ('Ann: "I miss it."\nAnn: "So much."', "Ann: I miss it. Ann: So much."),
        ("「猫」の名前は？", "猫 の名前は？"),
        ("《红楼梦》是谁写的？", "红楼梦 是谁写的？"),
        ("What's new?", "What's new?"),
    ],
)
def test_marks_and_line_ends_are_left_out(text: str, plain: str) -> None:
    assert plain_question(text) == plain


@given(st.text(min_size=1, max_size=60))
def test_something_is_always_left(text: str) -> None:
    assert plain_question(text)


@given(st.text(min_size=1, max_size=60).filter(str.strip))
def test_making_it_plain_twice_changes_nothing_more(text: str) -> None:
    once = plain_question(text)
    assert plain_question(once) == once


NAMES = ("Ann", "Bob Miller", "田中")
SPEAKERS = np.array([0, 1, 2, -1, 0], dtype=np.int32)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What did Ann's sister buy?", [True, False, False, False, True]),
        ("where does bob miller live", [False, True, False, False, False]),
        ("Where does Bob live?", [False, False, False, False, False]),
        ("田中さんは何を買った？", [False, False, True, False, False]),
        ("Did Ann and Bob Miller meet?", [True, True, False, False, True]),
        ("What was bought?", [False, False, False, False, False]),
    ],
)
def test_items_of_named_speakers_match(question: str, expected: list[bool]) -> None:
    assert match_speakers(question, SPEAKERS, NAMES).tolist() == expected


def test_a_name_that_is_also_a_common_word_is_still_a_name() -> None:
    assert match_speakers("What did Will do?", SPEAKERS[:2], ["Will", "Ann"]).tolist() == [True, False]


def test_a_name_without_letters_is_never_named() -> None:
    assert match_speakers("What?", SPEAKERS[:2], ["***", ""]).tolist() == [False, False]


def test_no_items_match_nobody() -> None:
    assert match_speakers("What did Ann do?", SPEAKERS[:0], []).shape == (0,)
