"""Counts of matches, and what they say: win rate, intervals, and the evidence of a bet against no improvement."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, log1p, sqrt
from typing import TYPE_CHECKING

from evolore.domain.lineage import MatchOutcome
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Z95 = 1.959963984540054
_BISECTIONS = 34
_BETS = (0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 0.9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A range that holds the true share, 0–1.

    Args:
        low: Its lower end.
        high: Its upper end.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How matches of one candidate ended.

    Args:
        wins: Won by the candidate.
        losses: Won by the original.
        ties: By neither.

    Raises:
        InvalidValue: A count is below 0.
    """

    wins: int = 0
    losses: int = 0
    ties: int = 0

    def __post_init__(self) -> None:
        if min(self.wins, self.losses, self.ties) < 0:
            raise InvalidValue(f"{self.wins}, {self.losses}, {self.ties} are no counts: give whole numbers from 0 on.")

    @property
    def played(self) -> int:
        """How many there were."""
        return self.wins + self.losses + self.ties

    @property
    def decided(self) -> int:
        """How many somebody won."""
        return self.wins + self.losses

    @property
    def win_rate(self) -> Fraction:
        """The share that was won, a tie counting half, exactly; one half of none."""
        return Fraction(2 * self.wins + self.ties, 2 * self.played) if self.played else Fraction(1, 2)

    def after(self, outcome: MatchOutcome) -> Tally:
        """Count one more."""
        return Tally(
            wins=self.wins + (outcome is MatchOutcome.B),
            losses=self.losses + (outcome is MatchOutcome.A),
            ties=self.ties + (outcome is MatchOutcome.TIE),
        )


def evidence(wins: int, losses: int, bets: Sequence[float]) -> float:
    """Give what 1 came to by betting on the candidate, the mean over several bets.

    ``E = mean over λ of (1 + λ)^wins · (1 - λ)^losses``; a tie leaves it as it is. Where each next pair is at most as
    likely to be won as lost, given all before, E is a nonnegative supermartingale, so it ever reaches ``1/alpha`` with
    probability at most alpha (Ville 1939; Shafer 2021; Ramdas et al. 2023): one may look after every pair.
    """
    return sum((1 + bet) ** wins * (1 - bet) ** losses for bet in bets) / len(bets)


def wilson(successes: float, total: int) -> Interval:
    """Give the 95 % interval of a share whose number of trials was set beforehand (Wilson 1927).

    Args:
        successes: How many, a tie counting half, which makes the interval wider than it need be.
        total: Of how many; the interval of none is all of 0–1.
    """
    if not total:
        return Interval(low=0.0, high=1.0)
    share = successes / total
    shrink = 1 + _Z95**2 / total
    centre = (share + _Z95**2 / (2 * total)) / shrink
    half = _Z95 * sqrt(share * (1 - share) / total + _Z95**2 / (4 * total**2)) / shrink
    return Interval(
        low=0.0 if successes <= 0 else max(0.0, centre - half),
        high=1.0 if successes >= total else min(1.0, centre + half),
    )


def anytime_interval(tally: Tally, *, alpha: float, bets: Sequence[float] = _BETS) -> Interval:
    """Give an interval of the win rate that holds however often one looks and whenever one stops.

    Either end is where the bets against that win rate come to ``1/alpha`` (betting confidence sequence, Waudby-Smith
    and Ramdas 2024), so the lower end is above one half exactly when `evidence` with the same bets has passed ``1/alpha``.
    Each end is missed with probability at most alpha.
    """

    def low(wins: int, losses: int) -> float:
        if not wins and not tally.ties:
            return 0.0
        return _lowest(lambda rate: _log_evidence_against(rate, wins, losses, tally.ties, bets), -log(alpha))

    return Interval(low=low(tally.wins, tally.losses), high=1.0 - low(tally.losses, tally.wins))


def _log_evidence_against(rate: float, wins: int, losses: int, ties: int, bets: Sequence[float]) -> float:
    """Bet that the mean of results 1, ½, 0 is above a rate; the logarithm of what it came to falls as the rate grows."""
    gain, middle = (1 - rate) / rate, (0.5 - rate) / rate
    logs = [wins * log1p(bet * gain) + ties * log1p(bet * middle) + losses * log1p(-bet) for bet in bets]
    most = max(logs)
    return most + log(sum(exp(one - most) for one in logs) / len(logs))


def _lowest(against: Callable[[float], float], most: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if against(middle) >= most else (low, middle)
    return low
