"""When edges of questions enter the graph: an insight's at once, the others when enough speaks for it (seed 004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.checks import check_share
from evolore.domain.episodes import EdgeKind
from evolore.domain.queries import Entering

if TYPE_CHECKING:
    from collections.abc import Collection

    from evolore.domain.queries import QueryEdge
    from evolore.queries.settings import QuerySettings

_BASE_WEIGHT = 1.0
_DIGITS = 4


def enters_at_once(edge: QueryEdge, settings: QuerySettings) -> bool:
    """Tell whether an edge enters the graph as soon as it is known: one of an insight, unless nothing ever does."""
    return edge.kind is EdgeKind.QUERY_INSIGHT and settings.phase.enters_insight


def at_once(edge: QueryEdge) -> Entering:
    """Give an edge of an insight as it enters the graph."""
    return Entering(edge=edge, weight=_BASE_WEIGHT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What the questions at an episode say of it.

    Args:
        share: Of the distinct questions that touched it since its last evaluation those that led to insight, 0–1.
        is_high: Whether that is more than the settings ask for: then it is worth much.
        entering: The edges that enter the graph, those of insights always, in the order given.
    """

    share: float
    is_high: bool
    entering: tuple[Entering, ...]

    def __post_init__(self) -> None:
        check_share(self.share, "share")


def insight_share(touching: Collection[QueryEdge]) -> float:
    """Give the share of the distinct questions that led to insight, 0–1; 0 where there is no question.

    >>> insight_share(())
    0.0
    """
    asked = {edge.query_id for edge in touching}
    led = {edge.query_id for edge in touching if edge.led_to_insight or edge.kind is EdgeKind.QUERY_INSIGHT}
    return len(led) / len(asked) if asked else 0.0


def evaluate(touching: Collection[QueryEdge], waiting: Collection[QueryEdge], *, settings: QuerySettings) -> Evaluation:
    """Evaluate an episode: whether the edges that wait for it enter the graph, and how heavy.

    Each enters with the weight that an edge starts from, 1, times the share; those of insights keep all of it.

    Args:
        touching: All edges to it since it was last evaluated, those in the graph among them.
        waiting: Those of them that are not in the graph.
        settings: Which share must be exceeded.
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
