"""When fresh questions have proved a candidate, when it is hopeless, and how far one may ask on before looking."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.evolution.tally import evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.evolution.settings import EvolutionSettings
    from evolore.evolution.tally import Tally


class Proof(StrEnum):
    """What the pairs so far say."""

    OPEN = "open"
    PROVED = "proved"
    HOPELESS = "hopeless"


def proof_of(tally: Tally, *, left: int, alpha: float, settings: EvolutionSettings) -> Proof:
    """Say what the pairs played so far prove.

    Args:
        tally: How they ended.
        left: How many may still be played.
        alpha: How likely a candidate that is no better may be taken for proved.
        settings: The bets, and what is hopeless: too little left of them, or no way to prove it by winning every other.
    """
    now = evidence(tally.wins, tally.losses, settings.bets)
    if now * alpha >= 1:
        return Proof.PROVED
    if now < settings.futility or evidence(tally.wins + left, tally.losses, settings.bets) * alpha < 1:
        return Proof.HOPELESS
    return Proof.OPEN


def pairs_before_proof(tally: Tally, *, left: int, alpha: float, settings: EvolutionSettings) -> int:
    """Say how many more pairs are needed whatever comes: the fewest in a row that would prove it or end it.

    So many may be judged at once, and none of them is ever judged for nothing.
    """
    for pairs in range(1, left):
        ends = (
            tally_after(tally, wins=pairs),
            tally_after(tally, losses=pairs),
        )
        if any(proof_of(end, left=left - pairs, alpha=alpha, settings=settings) is not Proof.OPEN for end in ends):
            return pairs
    return left


def tally_after(tally: Tally, *, wins: int = 0, losses: int = 0) -> Tally:
    """Give a tally with so many more won and lost."""
    return type(tally)(wins=tally.wins + wins, losses=tally.losses + losses, ties=tally.ties)


def shared_alpha(place: int, proved: Sequence[bool], settings: EvolutionSettings) -> float:
    """Give the alpha of the candidate at a place: an equal share, and that of the one before where it was proved.

    The chance that any candidate without improvement is proved stays at most ``alpha`` (fallback procedure, Wiens and
    Dmitrienko 2005), however the candidates depend on each other.

    Args:
        place: From 0, in the order in which they are confirmed.
        proved: For every one of them, whether it was proved; those from ``place`` on do not matter.
        settings: What is shared.
    """
    share = settings.alpha / len(proved)
    handed = 0.0
    for was_proved in proved[:place]:
        handed = share + handed if was_proved else 0.0
    return share + handed
