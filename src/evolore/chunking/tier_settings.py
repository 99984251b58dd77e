"""How stretches that tier 1 cannot cut are cut: every number of tiers 2 and 3 in one place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from evolore.errors import InvalidValue

_LARGEST_ORDER = 8


class Smoothing(StrEnum):
    """How an n-gram model gives a share to what it has not seen."""

    KNESER_NEY = "kneser_ney"
    ADD_ALPHA = "add_alpha"


@dataclass(frozen=True, slots=True, kw_only=True)
class TierSettings:
    """How stretches over ``max_size`` that tier 1 finds no boundary in are cut.

    Args:
        calls_per_document: How many calls of a chat model one document may cost, for rewrites and log-probabilities
            together; at least 0. Without a chat model none is made.
        log_prob_calls: How many of them one stretch may cost for log-probabilities; at least 0.
        model_characters: The longest text that one call is given, in characters; at least 100. A longer stretch is
            not rewritten.
        ngram_order: The n of the n-grams of characters, 1 to 8. Seed 002 names 2.
        smoothing: `kneser_ney` or `add_alpha`.
        alpha: Pseudo-count of every character with `add_alpha`; above 0.
        window_characters: How far the perplexity curve looks ahead, in characters; at least 10. Seed 002 names 100 to
            200.
        least_rise: How steeply the curve must rise from one window to the next for a boundary, in standard deviations of
            all such rises; at least 0.
        ngram_characters: How many characters of one document have their n-grams counted, at least 0; it takes about
            20 seconds a million. What is over it goes to tier 4.

    Raises:
        InvalidValue: A value outside its range.
    """

    calls_per_document: int = 8
    log_prob_calls: int = 2
    model_characters: int = 6000
    ngram_order: int = 4
    smoothing: Smoothing = Smoothing.KNESER_NEY
    alpha: float = 0.1
    window_characters: int = 150
    least_rise: float = 1.5
    ngram_characters: int = 100_000

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value: float = getattr(self, name)
            if not (math.isfinite(value) and value >= least):
                raise InvalidValue(f"{name} is {value}: give a number of at least {least}.")
        if self.ngram_order > _LARGEST_ORDER:
            raise InvalidValue(f"ngram_order is {self.ngram_order}: give 1 to {_LARGEST_ORDER}.")
        if not (math.isfinite(self.alpha) and self.alpha > 0):
            raise InvalidValue(f"alpha is {self.alpha}: give a number above 0.")
        if self.smoothing not in list(Smoothing):
            raise InvalidValue(f"smoothing is {self.smoothing!r}: give one of {', '.join(Smoothing)}.")
        object.__setattr__(self, "smoothing", Smoothing(self.smoothing))


_LEAST = {
    "calls_per_document": 0,
    "log_prob_calls": 0,
    "model_characters": 100,
    "ngram_order": 1,
    "window_characters": 10,
    "least_rise": 0,
    "ngram_characters": 0,
}
