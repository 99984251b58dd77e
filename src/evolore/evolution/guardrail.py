"""The guardrail: whether answers from the new text are rated BAD more often than from the old, told at any moment."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import exp, log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_PRIOR_BAD = 1.0
_PRIOR_ASKED = 8.0
"""Before anything is known, one in eight answers is taken to be rated BAD; it costs evidence where it is wrong, no more."""

_MOST_RATE = 0.95


class Arm(StrEnum):
    """Which text a question is answered from."""

    CONTROL = "control"
    CANARY = "canary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """Answers, and how many of them were rated BAD."""

    asked: int = 0
    bad: int = 0

    def plus(self, other: Rated) -> Rated:
        """Count both."""
        return Rated(asked=self.asked + other.asked, bad=self.bad + other.bad)


@dataclass(frozen=True, slots=True, kw_only=True)
class Guardrail:
    """Evidence that one arm's BAD rate is above the other's, with neither known beforehand.

    Answers are taken in blocks: as soon as both arms have answers that no block holds, these are one. In a block of n
    answers of the lower arm and m of the higher, with a guess p for the lower and r·p for the higher, made from earlier
    blocks, and their mean q weighted by n and m, what 1 came to is multiplied by ``Π P(answer | p or r·p) / P(answer | q)``.
    Its expectation is at most 1 where the higher arm's rate is not above the lower's, whatever both are (Turner, Ly and
    Grünwald 2024), so the mean over r ever reaches ``1/alpha`` with probability at most alpha.

    Args:
        ratios: The values of r.
        logs: For each, the logarithm of what 1 came to.
        known: All blocks' answers of the lower arm.
        lower: Answers of the lower arm that no block holds yet.
        higher: Those of the higher arm; one of the two is always empty.
    """

    ratios: tuple[float, ...]
    logs: tuple[float, ...]
    known: Rated = field(default_factory=Rated)
    lower: Rated = field(default_factory=Rated)
    higher: Rated = field(default_factory=Rated)

    @classmethod
    def begin(cls, ratios: Sequence[float]) -> Guardrail:
        """Give the one that saw nothing."""
        return cls(ratios=tuple(ratios), logs=(0.0,) * len(ratios))

    @property
    def evidence(self) -> float:
        """What 1 came to, the mean over the ratios; ``inf`` where it is too large to write."""
        try:
            return sum(exp(one) for one in self.logs) / len(self.logs)
        except OverflowError:
            return float("inf")

    def after(self, *, is_higher: bool, is_bad: bool) -> Guardrail:
        """Count one more answer, in the order in which the questions were asked.

        Where answers that were rated BAD came before others of their time, blocks would depend on what they hold.
        """
        one = Rated(asked=1, bad=int(is_bad))
        lower = self.lower if is_higher else self.lower.plus(one)
        higher = self.higher.plus(one) if is_higher else self.higher
        if not (lower.asked and higher.asked):
            return Guardrail(ratios=self.ratios, logs=self.logs, known=self.known, lower=lower, higher=higher)
        guess = (self.known.bad + _PRIOR_BAD) / (self.known.asked + _PRIOR_ASKED)
        logs = tuple(
            before + _log_factor(guess, min(guess * ratio, _MOST_RATE), lower, higher)
            for before, ratio in zip(self.logs, self.ratios, strict=True)
        )
        return Guardrail(ratios=self.ratios, logs=logs, known=self.known.plus(lower))


def _log_factor(low: float, high: float, lower: Rated, higher: Rated) -> float:
    low = min(low, high)
    mean = (low * lower.asked + high * higher.asked) / (lower.asked + higher.asked)
    return _log_ratio(low, mean, lower) + _log_ratio(high, mean, higher)


def _log_ratio(rate: float, mean: float, rated: Rated) -> float:
    return rated.bad * log(rate / mean) + (rated.asked - rated.bad) * log((1 - rate) / (1 - mean))
