"""Settings of what questions teach: which edges they leave, when those count, and how much recall learns from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from evolore.domain.checks import check_count, check_least, check_share, checked_word
from evolore.errors import InvalidValue


class Phase(StrEnum):
    """How much becomes of what questions leave; each phase also does what those before it do.

    ``STORE_ONLY``: edges are kept beside the graph. ``INSIGHT_ONLY``: those of an insight enter it. ``STATISTICAL``:
    the others do where enough of the questions at an episode led to insight. ``WITH_BRANCHING``: whether an episode
    belongs to several contexts is checked when it may be split.
    """

    STORE_ONLY = "store_only"
    INSIGHT_ONLY = "insight_only"
    STATISTICAL = "statistical"
    WITH_BRANCHING = "with_branching"

    @property
    def enters_insight(self) -> bool:
        """Whether edges of an insight enter the graph at once."""
        return self is not Phase.STORE_ONLY

    @property
    def evaluates(self) -> bool:
        """Whether episodes are evaluated once enough edges wait for them.

        >>> [phase.value for phase in Phase if phase.evaluates]
        ['statistical', 'with_branching']
        """
        return self in {Phase.STATISTICAL, Phase.WITH_BRANCHING}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySettings:
    """What questions leave behind, and what recall learns from it."""

    #: How much becomes of it: ``store_only``, ``insight_only``, ``statistical`` or ``with_branching``.
    phase: Phase = Phase.WITH_BRANCHING
    gather: int = 5  #: How many edges have to wait for an episode before it is evaluated, at least 1.
    #: Which share of the questions at an episode, 0–1, must be exceeded by those that led to insight for its waiting
    #: edges to enter the graph.
    least_share: float = 0.2
    #: Whether every recall is recorded, a moment later and without delaying it; else only where a call asks
    #: for it. Where a store is read alone, none is.
    record: bool = True
    #: Whether edges of questions count in whether an episode belongs to several contexts.
    include_query_edges: bool = False
    #: Above this entropy of its contexts, 0–1, questions that count may split an episode.
    branching_threshold: float = 0.7
    #: What an edge weighs in the contexts of an episode: of an insight, a retrieval, a question that led past it, a
    #: split, and of likeness; at least 0 each. Other edges weigh 0.5.
    edge_weights: tuple[float, float, float, float, float] = (1.0, 0.3, 0.1, 0.8, 0.6)
    #: What an episode gains at most by what earlier questions taught, at least 0; 0 learns nothing.
    learned_weight: float = 0.42

    def __post_init__(self) -> None:
        object.__setattr__(self, "phase", checked_word(Phase, self.phase, "phase"))
        check_count(self.gather, "gather")
        check_share(least_share=self.least_share, branching_threshold=self.branching_threshold)
        if not all(isfinite(weight) and weight >= 0.0 for weight in self.edge_weights):
            raise InvalidValue(f"edge_weights is {self.edge_weights}: name five finite numbers of at least 0.")
        check_least(0, learned_weight=self.learned_weight)
