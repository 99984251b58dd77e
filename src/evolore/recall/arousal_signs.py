"""What the words of a text say about how strongly it is felt, as numbers."""

from __future__ import annotations

import math
import re

from evolore.domain.language import Language
from evolore.recall import arousal_cues
from evolore.recall.arousal_cues import Cue

MOST_READ = 2000
"""How many characters of a text are read."""

_MOST_COUNTED = 3
_SENTENCE_END = re.compile(r"[.!?。！？\n]+")
_DIGITS = re.compile(r"\d+")
_SHOUTS = "!！"
_LONG = 32.0
_LONG_IN_ENGLISH = 80.0
"""Longer texts count as long: the more so, the longer, up to 7 times as long."""

_MOST_LENGTH = 2.0

_FELT = frozenset({Cue.FEELING, Cue.STRONG, Cue.BODY})
_NEAR = frozenset({Cue.KIN, Cue.SELF})
_DEAR = frozenset({Cue.KIN, Cue.STRONG})
_OF_SENTENCE = len(Cue) + 5
SIGNS = _OF_SENTENCE + 5
"""How many numbers stand for the words of a text."""


def read_signs(text: str, language: Language) -> list[float]:
    """List what the words of a text are signs of, 0 to about 1 each; SIGNS numbers.

    First each ``Cue``, then the pairs that say more together than alone (a feeling that is hedged, something grave
    or joyful that befalls someone near, a feeling that is stressed, a trifle among nothing dear, a mere thing that is
    cried about), then shouting, shouting at a trifle, length, questions and figures.
    """
    text = text[:MOST_READ].lower().replace("’", "'")
    shouts = min(sum(text.count(mark) for mark in _SHOUTS), _MOST_COUNTED) / _MOST_COUNTED
    signs = _signs_of_sentences(text, language, shouts)
    usual = _LONG_IN_ENGLISH if language is Language.EN else _LONG
    length = min(max(math.log(max(len(text), 1) / usual), 0.0), _MOST_LENGTH)
    is_question = float("?" in text or "？" in text)
    figures = min(len(_DIGITS.findall(text)), _MOST_COUNTED) / _MOST_COUNTED
    return [*signs, shouts, shouts * signs[Cue.TRIFLE], length, is_question, figures]


def _signs_of_sentences(text: str, language: Language, shouts: float) -> list[float]:
    """Give the mean of the strongest sentence's signs and of all sentences', those weighed by their lengths."""
    find = arousal_cues.of(language).find
    sentences = [one for one in _SENTENCE_END.split(text) if one and not one.isspace()]
    characters = sum(map(len, sentences))
    most, mean = [0.0] * _OF_SENTENCE, [0.0] * _OF_SENTENCE
    for sentence in sentences:
        found = find(sentence)
        if found:
            share = len(sentence) / characters
            for place, sign in _signs_of(found, shouts):
                most[place] = max(most[place], sign)
                mean[place] += share * sign
    return [0.5 * (one + other) for one, other in zip(most, mean, strict=True)]


def _signs_of(found: list[Cue], shouts: float) -> list[tuple[int, float]]:
    """Turn the cues of one sentence into signs: 1 for one of a kind, 1.6 for more; then what pairs say."""
    has = set(found)
    is_felt = not has.isdisjoint(_FELT)
    is_near = not has.isdisjoint(_NEAR)
    pairs = (
        Cue.FEELING in has and Cue.HEDGE in has,
        is_near and (Cue.GRAVE in has or Cue.JOY in has),
        is_felt and Cue.INTENSE in has,
        Cue.TRIFLE in has and has.isdisjoint(_DEAR),
        Cue.THING in has and (shouts > 0.0 or Cue.TRIFLE in has),
    )
    signs = [(int(cue), 1.0 if found.count(cue) == 1 else 1.6) for cue in has if cue is not Cue.THING]
    return signs + [(len(Cue) + place, 1.0) for place, holds in enumerate(pairs) if holds]
