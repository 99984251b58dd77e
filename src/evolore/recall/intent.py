"""Which intent a question has: what its wording says, and which known questions it is close to; no chat model."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.answers import Intent
from evolore.domain.language import Language
from evolore.recall import cues, prototypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

INTENTS = tuple(Intent)

_RIDGE = 2.0
"""How smooth the prototypes' directions are; times the mean squared distance of a prototype from their centre."""

_PROTOTYPE_WEIGHT = 8.0
"""What a full point of likeness to an intent's prototypes weighs, in the unit of the cues; 6 to 10 do about as well."""

_ASK_SHARE = 0.5
_ASK_WEIGHT = 1.5
_LEAST_ASK = 4
_LEAST_ENGLISH_ASK = 8
"""A last clause of fewer characters, such as "ok?", does not hold the question."""

_MOST_READ = 1000
_JAPANESE_HAN = re.compile("[気働込駅図読売検査応対関価発変円広帰権様歳経済続転険験払]")
_CLAUSE_END = re.compile(r"[，,。；;.!?？！…、:：—\n]+ ?")


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentGuess:
    """What a question is taken to be after.

    Args:
        intent: The likeliest intent.
        confidence: How likely, above 0.2 and at most 1.
    """

    intent: Intent
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentSpace:
    """Where the intents lie among the vectors of a model.

    Args:
        centre: The mean of the prototypes, shape (dimension,).
        directions: What a vector's difference from it says for each intent, shape (dimension, intents).
    """

    centre: npt.NDArray[np.float32]
    directions: npt.NDArray[np.float32]

    def likeness(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Say how much a vector of shape (dimension,) is like each intent's prototypes: about 0 to 1, in their order."""
        return np.asarray((vector - self.centre) @ self.directions, dtype=np.float32)

    def to_array(self) -> npt.NDArray[np.float32]:
        """Give it as one array: the centre, then a direction an intent, shape (1 + intents, dimension)."""
        return np.vstack([self.centre, self.directions.T])

    @classmethod
    def from_array(cls, array: npt.NDArray[np.float32]) -> IntentSpace:
        """Read what ``to_array`` gave."""
        return cls(centre=array[0], directions=array[1:].T)


def rules_language(text: str, detected: Language) -> Language:
    """Give the language whose rules and prototypes a question is held against: English where there are none.

    A question in Han characters alone is Japanese where one of them is written so in Japan only.

    >>> rules_language("hola", Language.UND)
    <Language.EN: 'en'>
    """
    if detected is Language.ZH and _JAPANESE_HAN.search(text):
        return Language.JA
    return Language.EN if detected is Language.UND else detected


def prototype_texts(language: Language) -> tuple[tuple[str, ...], tuple[Intent, ...]]:
    """List questions that embody an intent, and their intents.

    Args:
        language: One that ``rules_language`` gives.
    """
    pairs = [(text, intent) for intent, texts in prototypes.of(language).items() for text in texts]
    return tuple(text for text, _ in pairs), tuple(intent for _, intent in pairs)


def prototype_digest() -> str:
    """Give a fingerprint of all prototypes, to tell whether what was fitted to them is still theirs."""
    every = [prototype_texts(language) for language in (Language.EN, Language.JA, Language.ZH)]
    return blake2b(repr([(texts, [str(one) for one in intents]) for texts, intents in every]).encode()).hexdigest()[:16]


def fit_intents(vectors: npt.NDArray[np.float32], intents: Sequence[Intent]) -> IntentSpace:
    """Find the directions that tell the prototypes' intents apart, by ridge regression on one of each intent.

    Against the nearest centre of an intent this is worth 5 points of macro-F1.

    Args:
        vectors: The prototypes as unit vectors, shape (prototypes, dimension).
        intents: What each embodies.
    """
    centre = vectors.mean(axis=0)
    around = (vectors - centre).astype(np.float64)
    likeness = around @ around.T
    ridge = _RIDGE * max(float(np.trace(likeness)) / len(intents), float(np.finfo(np.float32).eps))
    wanted = np.equal.outer(np.array(intents), np.array(INTENTS)) - 1.0 / len(INTENTS)
    solved = np.asarray(np.linalg.solve(likeness + ridge * np.eye(len(intents)), wanted), dtype=np.float64)
    return IntentSpace(centre=centre, directions=np.asarray(around.T @ solved, dtype=np.float32))


def classify_intent(
    text: str, vector: npt.NDArray[np.float32], *, space: IntentSpace | None, language: Language
) -> IntentGuess:
    """Say what a question is after.

    Costs a product with five vectors and some thirty searches in at most 1,000 characters.

    Args:
        text: The question; of a longer one the beginning and the end are read.
        vector: It as a unit vector, shape (dimension,).
        space: Fitted to prototypes of the same model and language; None where words alone are to decide.
        language: One that ``rules_language`` gives.
    """
    points = cue_points(text, language)
    if space is not None:
        points = points + _PROTOTYPE_WEIGHT * space.likeness(vector)
    shares = np.exp(points - points.max())
    best = int(shares.argmax())
    return IntentGuess(intent=INTENTS[best], confidence=float(shares[best] / shares.sum()))


def cue_points(text: str, language: Language) -> npt.NDArray[np.float64]:
    """Say how loudly a question's wording speaks for each intent, in their order; at least 0.

    Where it has several clauses, the last, which mostly asks, counts as much again as the whole.
    """
    read = text if len(text) <= _MOST_READ else f"{text[: _MOST_READ // 2]}\n{text[-_MOST_READ // 2 :]}"
    whole = _points(read, language)
    ask = _ask(read, language)
    return whole if ask is None else (1 - _ASK_SHARE) * whole + _ASK_SHARE * _ASK_WEIGHT * _points(ask, language)


def _ask(text: str, language: Language) -> str | None:
    least = _LEAST_ENGLISH_ASK if language is Language.EN else _LEAST_ASK
    clauses = [clause for clause in _CLAUSE_END.split(text) if len(clause) >= least]
    return clauses[-1] if len(clauses) > 1 else None


def _points(text: str, language: Language) -> npt.NDArray[np.float64]:
    points = np.zeros(len(INTENTS))
    for index, weight, pattern in _patterns(language):
        if pattern.search(text):
            points[index] += weight
    return points


@cache
def _patterns(language: Language) -> tuple[tuple[int, float, re.Pattern[str]], ...]:
    """Compile a language's cues; on first use, since it takes some 20 ms."""
    return tuple(
        (INTENTS.index(intent), weight, re.compile(pattern, re.IGNORECASE))
        for intent, weight, pattern in cues.of(language)
    )
