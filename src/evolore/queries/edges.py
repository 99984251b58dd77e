"""Edges that a question leaves to what was handed over for it, and when they enter the graph (seed 004)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from evolore.domain.checks import check_share
from evolore.domain.episode import EdgeKind
from evolore.domain.outcome import Entering, Given, Outcome, QueryEdge
from evolore.queries.outcomes import rests_on
from evolore.queries.settings import QuerySettings

_KINDS = {Outcome.BYPASS: EdgeKind.QUERY_BYPASS, Outcome.RETRIEVAL: EdgeKind.QUERY_RETRIEVAL}

_MOST_INSIGHT = 5
_MOST_RETRIEVAL = 10
_MOST_BYPASS = 5
"""To how many episodes a question leaves edges of each kind: what an answer may rest on, a page of hits, a cached answer's."""


def edges_of(query_id: str, given: Sequence[Given], outcome: Outcome) -> tuple[QueryEdge, ...]:
    """Return the edges that a question leaves.

    An insight leaves ``query_insight`` edges to what its answer rests on, and ``query_retrieval`` edges that say so to the
    others; what is beyond the most of the first is among the others. Otherwise what is cited comes first, then the rest
    by rank.

    Returns:
        At most one for each episode, in the order in which the episodes count.
    """
    ranked = sorted(given, key=lambda one: (not one.is_cited, one.rank))
    if outcome is not Outcome.INSIGHT:
        most = _MOST_BYPASS if outcome is Outcome.BYPASS else _MOST_RETRIEVAL
        return tuple(
            QueryEdge(query_id=query_id, target_id=one.episode_id, kind=_KINDS[outcome]) for one in ranked[:most]
        )
    joined = [one.episode_id for one in rests_on(given)][:_MOST_INSIGHT]
    others = [one.episode_id for one in ranked if one.episode_id not in joined][:_MOST_RETRIEVAL]
    kinds = [(id_, EdgeKind.QUERY_INSIGHT) for id_ in joined] + [(id_, EdgeKind.QUERY_RETRIEVAL) for id_ in others]
    return tuple(QueryEdge(query_id=query_id, target_id=id_, kind=kind, led_to_insight=True) for id_, kind in kinds)


_BASE_WEIGHT = 1.0
_DIGITS = 4


def enters_at_once(edge: QueryEdge, settings: QuerySettings) -> bool:
    """Return whether an edge enters the graph as soon as it is known: one of an insight, unless nothing ever does."""
    return edge.kind is EdgeKind.QUERY_INSIGHT and settings.phase.enters_insight


def at_once(edge: QueryEdge) -> Entering:
    """Return an edge of an insight as it enters the graph."""
    return Entering(edge=edge, weight=_BASE_WEIGHT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What the questions at an episode say of it."""

    share: float  #: Of the distinct questions that touched it since its last evaluation those that led to insight, 0–1.
    is_high: bool  #: Whether that is more than the settings ask for: then it is worth much.
    entering: tuple[Entering, ...]  #: The edges that enter the graph, those of insights always, in the order given.

    def __post_init__(self) -> None:
        check_share(share=self.share)


def insight_share(touching: Collection[QueryEdge]) -> float:
    """Return the share of the distinct questions that led to insight, 0–1; 0 where there is no question.

    >>> insight_share(())
    0.0
    """
    asked = {edge.query_id for edge in touching}
    led = {edge.query_id for edge in touching if edge.led_to_insight or edge.kind is EdgeKind.QUERY_INSIGHT}
    return len(led) / len(asked) if asked else 0.0


def evaluate(touching: Collection[QueryEdge], waiting: Collection[QueryEdge], *, settings: QuerySettings) -> Evaluation:
    """Evaluate an episode: whether the edges that wait for it enter the graph, and how heavy.

    Each enters with the weight that an edge starts from, 1, times the share; those of insights keep all of it.
    """
    share = insight_share(touching)
    is_high = share > settings.least_share
    weight = round(_BASE_WEIGHT * share, _DIGITS)
    entering = tuple(
        at_once(edge) if edge.kind is EdgeKind.QUERY_INSIGHT else Entering(edge=edge, weight=weight)
        for edge in waiting
        if is_high or edge.kind is EdgeKind.QUERY_INSIGHT
    )
    return Evaluation(share=round(share, _DIGITS), is_high=is_high, entering=entering)
