"""How likely passages hold what a question asks for, told by the sentence that comes nearest to it."""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, fields
from typing import TYPE_CHECKING

from evolore.recall.answer_weights import BY_MEANING, BY_WORDS
from evolore.text.vectors import logistic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.recall.asked_words import AskedWords

_FEWEST_SENTENCES, _MOST_SENTENCES = 100.0, 100_000.0
"""Fewer and more were not seen when the weights were found: they count as so many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvidence:
    """What speaks for passages holding an answer, and what against.

    Args:
        best: What the sentence that comes nearest holds of the question: the share of its words, what stands around
            lending its own, and its likeness in meaning; 0–2.
        found: The share of the question's words that all passages hold together, 0–1.
        unnamed: The share of the names in the question, by their words, that neither that sentence nor what stands around
            it has; 0–1, 0 for a question without names.
        size: How many sentences the memory holds, as a decimal logarithm: of more, one lies near by chance.
    """

    best: float
    found: float
    unnamed: float
    size: float

    def likelihood(self, *, knows_meaning: bool) -> float:
        """Give how likely an answer is there, were every second question answered; 0–1.

        Args:
            knows_meaning: Whether likeness in meaning was told; else it was taken for the same everywhere.
        """
        weights = BY_MEANING if knows_meaning else BY_WORDS
        terms = (weights[name] * value for name, value in zip(EVIDENCE, astuple(self), strict=True))
        return float(logistic(weights["constant"] + sum(terms)))


EVIDENCE = tuple(one.name for one in fields(AnswerEvidence))
"""What is weighed, in its order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearness:
    """How near a sentence comes to a question.

    Args:
        words: Its words, and those of what stands around it.
        alike: Its likeness in meaning, 0–1.
    """

    words: frozenset[str]
    alike: float


def weigh_evidence(
    asked: AskedWords, near: Sequence[Nearness], passages: Sequence[frozenset[str]], *, sentences: float
) -> AnswerEvidence:
    """Weigh what speaks for an answer.

    Args:
        asked: The question's words.
        near: How near each sentence comes that may be quoted; at least one.
        passages: The words of each passage and of its context.
        sentences: How many sentences the memory holds.
    """
    scored = [asked.covered(one.words) + one.alike for one in near]
    best = max(range(len(near)), key=scored.__getitem__)
    missing = asked.names - near[best].words
    return AnswerEvidence(
        best=scored[best],
        found=asked.covered(frozenset[str]().union(*passages)),
        unnamed=len(missing) / len(asked.names) if asked.names else 0.0,
        size=math.log10(min(max(sentences, _FEWEST_SENTENCES), _MOST_SENTENCES)),
    )
