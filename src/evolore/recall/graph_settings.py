"""What propagation over names can be told."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evolore.errors import InvalidValue

_SHARES = ("plain_share", "common_share", "stop_share")
_WEIGHTS = ("asked_title", "title_link", "walk", "new_words", "title_pull")
_COUNTS = ("seeds", "rounds", "most_edges")
_ABOVE_ZERO = ("stop_share", "least_mass")


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSettings:
    """How far names carry from item to item, and what that counts.

    Weights are in the unit of scores: 1 is holding all of the question's words.

    Args:
        asked_title: What a passage gains when the question names its document's title.
        plain_share: Part of it where the title is a single word that the question writes like any other, 0–1.
        title_link: What a passage gains when its document's title is named in the best item.
        walk: Weight of the square root of the share of all walks that end at an item.
        new_words: What a linked passage would gain if it held all of the question's words and the item that names the
            same none.
        seeds: From how many of the best items walks start, at least 1.
        stop_share: How likely a walk ends at each step, above 0, at most 1.
        rounds: How often a walk goes on from items to names and back, at least 1.
        title_pull: How many times likelier a walk goes on from a name to a passage about it than to one that mentions
            it, at least 0.
        common_share: A name that stands in a larger share of the items links nothing, 0–1.
        least_mass: Walks are not followed from where fewer than this share of them are, above 0.
        most_edges: How many edges are followed at most, at least 1.
    """

    asked_title: float = 0.56
    plain_share: float = 0.5
    title_link: float = 0.63
    walk: float = 1.12
    new_words: float = 2.94
    seeds: int = 12
    stop_share: float = 0.4
    rounds: int = 2
    title_pull: float = 10.0
    common_share: float = 0.01
    least_mass: float = 1e-4
    most_edges: int = 10_000

    def __post_init__(self) -> None:
        for name in _SHARES:
            _check(name, getattr(self, name), lowest=0.0, highest=1.0)
        for name in _WEIGHTS:
            _check(name, getattr(self, name), lowest=0.0)
        for name in _COUNTS:
            _check(name, getattr(self, name), lowest=1)
        for name in _ABOVE_ZERO:
            if not getattr(self, name) > 0.0:
                raise InvalidValue(f"{name} is {getattr(self, name)}: give a number above 0, or walks never end.")


def _check(name: str, value: float, *, lowest: float, highest: float = math.inf) -> None:
    if not (math.isfinite(value) and lowest <= value <= highest):
        upto = "" if highest == math.inf else f" to {highest}"
        raise InvalidValue(f"{name} is {value}: give a number from {lowest}{upto}.")
