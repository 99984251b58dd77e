"""Which edges a question leaves: to what was handed over for it, few of them and by what it led to (seed 004)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.episodes import EdgeKind
from evolore.domain.queries import Outcome, QueryEdge
from evolore.queries.outcomes import rests_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.queries import Given
    from evolore.queries.settings import QuerySettings

_KINDS = {Outcome.BYPASS: EdgeKind.QUERY_BYPASS, Outcome.RETRIEVAL: EdgeKind.QUERY_RETRIEVAL}


def edges_of(
    query_id: str, given: Sequence[Given], outcome: Outcome, *, settings: QuerySettings
) -> tuple[QueryEdge, ...]:
    """Give the edges that a question leaves.

    An insight leaves ``query_insight`` edges to what its answer rests on, and ``query_retrieval`` edges that say so to the
    others; what is beyond the most of the first is among the others. Otherwise what is cited comes first, then the rest
    by rank.

    Args:
        query_id: The question.
        given: What was handed over for it, each once.
        outcome: What it led to.
        settings: How many edges of each kind it leaves at the most.

    Returns:
        One an episode at the most, in the order in which the episodes count.
    """
    ranked = sorted(given, key=lambda one: (not one.is_cited, one.rank))
    if outcome is not Outcome.INSIGHT:
        most = settings.most_bypass if outcome is Outcome.BYPASS else settings.most_retrieval
        return tuple(
            QueryEdge(query_id=query_id, target_id=one.episode_id, kind=_KINDS[outcome]) for one in ranked[:most]
        )
    joined = [one.episode_id for one in rests_on(given)][: settings.most_insight]
    others = [one.episode_id for one in ranked if one.episode_id not in joined][: settings.most_retrieval]
    kinds = [(id_, EdgeKind.QUERY_INSIGHT) for id_ in joined] + [(id_, EdgeKind.QUERY_RETRIEVAL) for id_ in others]
    return tuple(QueryEdge(query_id=query_id, target_id=id_, kind=kind, led_to_insight=True) for id_, kind in kinds)
