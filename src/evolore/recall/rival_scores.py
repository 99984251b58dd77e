"""The scores of rivals while they change: what time and feeling did to each, and who was pushed down by whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from evolore.recall.rival_pairs import Floats
    from evolore.recall.rival_reading import PushedBy

Scores = npt.NDArray[np.float64]

_LEAST_SAID = 0.05
"""A smaller penalty is not listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """A candidate that was pushed down.

    Args:
        candidate: Its place among the candidates.
        rival: The place of the one that it stands behind; None where it has none.
        penalty: By how much it fell or was overtaken, above 0.
        reason: Why.
    """

    candidate: int
    rival: int | None
    penalty: float
    reason: PushedBy


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rivalry:
    """What rivals do to the candidates' scores.

    Args:
        arousal: What being strongly felt adds, shape (n,).
        recency: What time adds or takes, shape (n,).
        pushed: What was pushed down, each candidate at most once, the most first.
    """

    arousal: Floats
    recency: Floats
    pushed: tuple[Pushed, ...]


class RivalScores:
    """The candidates' scores, moved one reason after another.

    Args:
        scores: What they were ranked by, shape (n,).
    """

    def __init__(self, scores: Floats) -> None:
        self.scores: Scores = scores.astype(np.float64)
        self._recency = np.zeros(self.scores.size)
        self._felt = np.zeros(self.scores.size)
        self._pushed: dict[int, Pushed] = {}

    def lead(self, one: int, other: int) -> float:
        """Give how far one stands above another."""
        return float(self.scores[one] - self.scores[other])

    def move_all(self, by: Scores) -> None:
        """Let time move every candidate, shape (n,)."""
        self._recency += by
        self.scores += by

    def move(self, which: int | npt.NDArray[np.intp], by: float | Scores) -> None:
        """Let time move one candidate, or several."""
        self._recency[which] += by
        self.scores[which] += by

    def lift_felt(self, by: Scores) -> None:
        """Let feeling lift candidates, shape (n,); nothing else is weighed by it."""
        self._felt += by

    def note(self, candidate: int, rival: int | None, penalty: float, reason: PushedBy) -> None:
        """Take note that a candidate fell or was overtaken; of several reasons the heaviest stays."""
        known = self._pushed.get(candidate)
        if penalty >= _LEAST_SAID and (known is None or known.penalty < penalty):
            self._pushed[candidate] = Pushed(candidate=candidate, rival=rival, penalty=float(penalty), reason=reason)

    def result(self) -> Rivalry:
        """Give what was done to the scores."""
        return Rivalry(
            arousal=self._felt.astype(np.float32),
            recency=self._recency.astype(np.float32),
            pushed=tuple(sorted(self._pushed.values(), key=lambda one: (-one.penalty, one.candidate))),
        )
