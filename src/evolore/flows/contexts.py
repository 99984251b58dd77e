"""``contexts``: list the contexts of an episode, and report whether it would be split."""

from __future__ import annotations

from dataclasses import dataclass

from evolore.domain.result import Result
from evolore.episodes.conflict import Conflict
from evolore.errors import NotFound
from evolore.flows.browse import resolve
from evolore.flows.context import Context
from evolore.flows.remember.contexts import Contexts, counted_queries
from evolore.flows.remember.similarity import Likeness
from evolore.flows.remember.split import Parter
from evolore.flows.remember.world import World
from evolore.queries.contexts import CountedQueries, EpisodeSide


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeContexts(Result):
    """To which contexts an episode belongs."""

    contexts: tuple[EpisodeSide, ...]  #: The largest share first, ties by the first neighbour.
    entropy: float  #: Of their shares, divided by that of equal shares, 0–1; 0 with fewer than two.
    #: Whether ``maintain`` would split it; where questions are counted by way of trial, whether it would if they
    #: counted.
    would_split: bool
    reason: str  #: Why, in words.
    conflict: Conflict  #: What pulls it apart, as splitting measures it.


def contexts_of_episode(
    context: Context, item_id: str, *, queries: CountedQueries | str | None = None
) -> EpisodeContexts:
    """Return which contexts an episode belongs to, and whether it would be split; nothing is written.

    Its neighbours are what its edges of content and of splits have gathered, and what lies near its sentences. The
    entropy is reported, and decides only where questions count; else the conflict does, by the rule of ``maintain``.
    """
    counted = counted_queries(context, queries)
    with context.store.index(context.namespace) as (view, reader):
        whole = resolve(reader, item_id)
        world = World(view, reader)
        one = world.some([whole]).get(whole)
        if one is None:
            raise NotFound(f"{item_id!r} is no statement or passage in use here: `evolore list` shows their ids.")
        likeness = Likeness(context, world)
        found = Contexts(context, world, likeness).of(one, counted=counted)
        forecast = Parter(context, world, likeness, at=context.clock.now()).forecast(one, counted)
        return EpisodeContexts(
            contexts=found.contexts,
            entropy=found.entropy,
            would_split=forecast.parts > 1,
            reason=forecast.reason,
            conflict=forecast.conflict,
        )
