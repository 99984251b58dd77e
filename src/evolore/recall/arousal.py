"""Arousal: how strongly a text was felt, estimated, how it moves when a memory is used, and what keeps it from swelling."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache, partial
from importlib.resources import files
from typing import Protocol, TypeAlias, cast

import numpy as np

from evolore.domain.feedback import DEFLATION_FACTOR, RESONANCE_RATE
from evolore.domain.language import Language
from evolore.ports.models import EmbeddingModel
from evolore.recall.question import rules_language
from evolore.text.vectors import Float32s, Float64s

Cue = IntEnum("Cue", "FEELING STRONG BODY GRAVE JOY KIN SELF INTENSE HEDGE TRIFLE THING MILD RECORD", start=0)
"""What a word of a text is a sign of, as ``arousal.toml`` names it."""

LANGUAGES = (Language.EN, Language.JA, Language.ZH)
"""Those with cues and rated sentences of their own; English serves the others."""

MOST_READ = 2000
"""How many characters of a text are read."""

SIGNS = len(Cue) + 5
"""How many numbers represent the words of a text."""

_SENTENCE_END = re.compile(r"[.!?。！？\n]+")
_WORD = re.compile(r"[a-zé']+")
_SHOUT = re.compile(r"[!！]")
_DIGITS = re.compile(r"\d+")
_MOST_DIGITS = 3
_FELT = frozenset({Cue.FEELING, Cue.STRONG, Cue.BODY})
_NEAR = frozenset({Cue.KIN, Cue.SELF})
_NAMED_FEELING = 0.4
"""Where the ladder of the ratings puts a feeling that is named without more ado."""

_RIDGE = 4.0
_VECTOR_SCALE = 3.0
"""Against signs, which are 0 or about 1, vectors are weighed three times."""

_INDIFFERENT_SCALE = 10.0
"""So heavily, names move an estimate by 0.02 rather than 0.06."""

_OTHERS = 0.3

ArousalSpace: TypeAlias = "Float32s"
"""What a language's signs, and the directions of a model's vectors, say about arousal: what holds before anything is
known, what each sign adds, and what a unit vector adds per component; shape (1 + SIGNS + dimension,). Of no components
where words alone are to decide."""

_Lexicon: TypeAlias = "Mapping[str, Sequence[tuple[Sequence[str], tuple[Cue, ...]]]]"


class EstimateArousal(Protocol):
    """Says how strongly a text was felt."""

    def __call__(self, text: str, vector: Float32s, *, language: Language) -> float:
        """Return a share, 0-1, from a text and its vector of the model this was made for, shape (dimension,)."""
        ...


class ArousalSpaces:
    """Where models put arousal, each read when the first text is estimated by it.

    Args:
        shipped: Returns those found beforehand for a model, by language. Of a model without any, words alone decide.
    """

    def __init__(self, shipped: Callable[[EmbeddingModel], Mapping[Language, ArousalSpace]]) -> None:
        self._shipped = shipped  # pickled for workers, as no cache is
        self._known: dict[EmbeddingModel, Mapping[Language, ArousalSpace]] = {}

    def of(self, model: EmbeddingModel, language: Language) -> ArousalSpace:
        """Return what is known of a model in a language: of words alone where nothing shipped."""
        if model not in self._known:
            self._known[model] = self._shipped(model)
        space = self._known[model].get(language)
        return cues_alone(language) if space is None else space

    def estimates(self, model: EmbeddingModel) -> EstimateArousal:
        """Return what estimates arousal by texts and their vectors of a model."""
        return partial(self._estimate, model)

    def _estimate(self, model: EmbeddingModel, text: str, vector: Float32s, *, language: Language) -> float:
        known = rules_language(text, language)
        return estimate_arousal(text, vector, space=self.of(model, known), language=known)


def estimate_arousal(text: str, vector: Float32s, *, space: ArousalSpace, language: Language) -> float:
    """Return how strongly felt a text is, from 0, a record, to 1, overwhelming.

    A feeling that is named counts at least 0.4: half as much where it is hedged, nothing in a trifle. Costs some
    0.1 ms for a turn of a conversation.

    Of a longer text the first 2,000 characters are read; without a vector in the space, words alone decide.
    """
    signs = read_signs(text, language)
    direction = space[1 + SIGNS :]
    felt = float(space[: 1 + SIGNS] @ [1.0, *signs]) + (float(vector @ direction) if len(direction) else 0.0)
    named, hedged, trifle = (
        min(1.0, one) for one in (max(signs[Cue.FEELING], signs[Cue.STRONG]), signs[Cue.HEDGE], signs[Cue.TRIFLE])
    )
    return min(1.0, max(0.0, felt, _NAMED_FEELING * named * (1.0 - 0.5 * hedged) * (1.0 - trifle)))


def read_signs(text: str, language: Language) -> list[float]:
    """List what the words of a text are signs of, 0 to about 1 each; SIGNS numbers.

    First each ``Cue``, then the pairs that say more together than alone (a feeling that is hedged, something grave
    or joyful that befalls someone near, a feeling that is stressed, a mere thing that is cried about), then figures.
    Of several sentences the signs of the strongest count half, those of all, weighed by their lengths, the other
    half: one cry in a long report stays audible, and a long report does not add up to one.
    """
    text = text[:MOST_READ].lower().replace("’", "'")
    is_shouted = bool(_SHOUT.search(text))
    sentences = [one for one in _SENTENCE_END.split(text) if one and not one.isspace()]
    characters = sum(map(len, sentences))
    most, mean = [0.0] * (SIGNS - 1), [0.0] * (SIGNS - 1)
    for sentence in sentences:
        for place, sign in _signs_of(find_cues(sentence, language), is_shouted=is_shouted):
            most[place] = max(most[place], sign)
            mean[place] += sign * len(sentence) / characters
    figures = min(len(_DIGITS.findall(text)), _MOST_DIGITS) / _MOST_DIGITS
    return [*(0.5 * (one + other) for one, other in zip(most, mean, strict=True)), figures]


def _signs_of(found: list[Cue], *, is_shouted: bool) -> Iterator[tuple[int, float]]:
    """Turn the cues of one sentence into signs: 1 for one of a kind, 1.6 for more; then what pairs say."""
    has = set(found)
    for cue in has - {Cue.THING}:
        yield cue, 1.0 if found.count(cue) == 1 else 1.6
    pairs = (
        {Cue.FEELING, Cue.HEDGE} <= has,
        not has.isdisjoint(_NEAR) and (Cue.GRAVE in has or Cue.JOY in has),
        not has.isdisjoint(_FELT) and Cue.INTENSE in has,
        Cue.THING in has and (is_shouted or Cue.TRIFLE in has),
    )
    yield from ((len(Cue) + place, 1.0) for place, holds in enumerate(pairs) if holds)


def find_cues(sentence: str, language: Language) -> list[Cue]:
    """List the cues in a sentence in lower case: the longest at a place counts, and hides those inside it."""
    lexicon, tokens = _lexicon(language), _tokens(sentence, language)
    found: list[Cue] = []
    end = 0
    for place, token in enumerate(tokens):
        if place >= end and token in lexicon:
            for phrase, cues in lexicon[token]:
                if tokens[place : place + len(phrase)] == phrase:
                    found += cues
                    end = place + len(phrase)
                    break
    return found


def _tokens(text: str, language: Language) -> Sequence[str]:
    """Return what cues are made of: characters where words are not set apart, else words."""
    return text if language in {Language.JA, Language.ZH} else _WORD.findall(text)


@cache
def _lexicon(language: Language) -> _Lexicon:
    """Return cues by their first token, longest first: one pattern of all of them takes five times as long."""
    kinds: dict[str, tuple[Cue, ...]] = {}
    for name, listed in _known(language)["cues"].items():
        for phrase in listed.split():
            kinds[phrase] = (*kinds.get(phrase, ()), Cue[name.upper()])
    lexicon: dict[str, list[tuple[Sequence[str], tuple[Cue, ...]]]] = {}
    for phrase in sorted(kinds, key=len, reverse=True):
        tokens = _tokens(phrase.replace("_", " "), language)
        lexicon.setdefault(tokens[0], []).append((tokens, kinds[phrase]))
    return lexicon


@cache
def _data() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    read = files("evolore.recall").joinpath("arousal.toml").read_text(encoding="utf-8")
    return cast("Mapping[str, Mapping[str, Mapping[str, str]]]", tomllib.loads(read))


def _known(language: Language) -> Mapping[str, Mapping[str, str]]:
    return _data()[language if language in LANGUAGES else Language.EN]


def rated_texts(language: Language) -> tuple[tuple[str, float], ...]:
    """List sentences and how strongly felt they are, 0-1."""
    rated = _known(language)["rated"].items()
    return tuple(
        (text.replace("\n", " ").strip(), int(rating) / 100) for rating, texts in rated for text in texts.split("|")
    )


def fit_arousal(vectors: Mapping[Language, Float32s], indifferent: Float32s, language: Language) -> ArousalSpace:
    """Find what signs and vectors say about the ratings of a language's sentences, by ridge regression.

    The other languages' sentences count too, by 0.3: their signs are of the same kinds, and models of several
    languages put them near.

    ``indifferent`` holds differences of vectors that must not change arousal.
    """
    rows = [np.hstack([np.zeros((len(indifferent), SIGNS)), _INDIFFERENT_SCALE * indifferent])]
    wanted = [np.zeros(len(indifferent))]
    means: dict[Language, tuple[Float64s, float]] = {}
    for one, embedded in vectors.items():
        rated = rated_texts(one)
        ratings = np.array([rating for _, rating in rated])
        known = np.hstack([[read_signs(text, one) for text, _ in rated], _VECTOR_SCALE * embedded])
        means[one] = known.mean(axis=0), float(ratings.mean())
        weight = 1.0 if one is language else math.sqrt(_OTHERS)
        rows.append(weight * (known - means[one][0]))
        wanted.append(weight * (ratings - means[one][1]))
    a, b = np.vstack(rows), np.concatenate(wanted)
    solved = np.linalg.solve(a.T @ a + _RIDGE * np.eye(a.shape[1]), a.T @ b)
    centre, rating = means[language]
    constant = rating - float(centre @ solved)
    solved[SIGNS:] *= _VECTOR_SCALE
    return np.array([constant, *solved], dtype=np.float32)


@cache
def cues_alone(language: Language) -> ArousalSpace:
    """Find what signs alone say about the ratings of a language's sentences; on first use, in some 30 ms."""
    known = language if language in LANGUAGES else Language.EN
    none = {one: np.zeros((len(rated_texts(one)), 0), dtype=np.float32) for one in LANGUAGES}
    return fit_arousal(none, np.zeros((0, 0), dtype=np.float32), known)


MOST_MEAN = 0.6
"""The mean arousal above which all is scaled down."""


def resonate(arousal: float, resonance: float) -> float:
    """Move an arousal towards how strongly a use was felt: a + 0.2·(r - a); both 0-1, and so is the result.

    >>> round(resonate(0.5, 1.0), 2)
    0.6
    """
    return min(1.0, max(0.0, arousal + RESONANCE_RATE * (resonance - arousal)))


def is_inflated(arousals: Float64s) -> bool:
    """Return whether the mean of arousals is above 0.6; of none it is not."""
    return bool(len(arousals)) and float(arousals.mean()) > MOST_MEAN


def deflate(arousals: Float64s) -> Float64s:
    """Scale all arousals by 0.9, which keeps their order.

    >>> import numpy as np
    >>> [round(one, 2) for one in deflate(np.array([0.5, 1.0])).tolist()]
    [0.45, 0.9]
    """
    return arousals * DEFLATION_FACTOR
