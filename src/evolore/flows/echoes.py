"""Folding echoes: the hits of a question without those that only repeat a better one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.answers import Echo
from evolore.domain.citing import episode_day
from evolore.recall.echoes import Echoes, wording

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.domain.answers import Hit
    from evolore.recall.echoes import Wording


class EchoFolder:
    """Hits with their echoes, read as far as they are asked for.

    Args:
        first: Gives that many hits, best first, or all where there are fewer.
        least: How much of a hit's wording an echo repeats, 0–1.
    """

    def __init__(self, first: Callable[[int], tuple[Hit, ...]], *, least: float) -> None:
        self._first = first
        self._echoes = Echoes(least=least)
        self._standing: list[Hit] = []
        self._seen = 0

    def first(self, count: int) -> tuple[Hit, ...]:
        """Give that many hits that repeat none before them, or all where there are fewer.

        The next ones move up into the places of those that were folded. Ranks are counted anew; an echo keeps the
        rank it had.
        """
        wanted = count
        while len(self._standing) < count:
            hits = self._first(wanted)
            for hit in hits[self._seen :]:
                if len(self._standing) == count:
                    break
                self._take(hit)
            if len(hits) < wanted:
                break
            wanted = self._seen + count - len(self._standing)
        return tuple(self._standing[:count])

    def _take(self, hit: Hit) -> None:
        self._seen += 1
        found = self._echoes.place(_wording(hit))
        if found is None:
            self._standing.append(replace(hit, rank=len(self._standing) + 1))
            return
        number, share = found
        echo = Echo(episode=hit.episode, similarity=share, rank=hit.rank, score=hit.score, terms=hit.terms)
        best = self._standing[number]
        self._standing[number] = replace(best, echoes=(*best.echoes, echo))


def _wording(hit: Hit) -> Wording:
    episode = hit.episode
    origin = (episode.speaker, episode.about, episode.state)
    return wording(episode.text, origin=origin, moment=episode_day(episode))
