"""Settings of what questions teach: which edges they leave, when those count, and how much recall learns from them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

from evolore.domain.checks import check_count, check_share, checked_word
from evolore.errors import InvalidValue

_FARTHEST = 4
"""Further away nothing is looked for: whatever is not met until then lies apart."""


class Phase(StrEnum):
    """How much becomes of what questions leave; each phase does what those before it do (seed 004).

    ``STORE_ONLY``: edges are kept beside the graph. ``INSIGHT_ONLY``: those of an insight enter it. ``STATISTICAL``:
    the others do where enough of the questions at an episode led to insight. ``WITH_BRANCHING``: whether an episode
    belongs to several contexts is looked at when it may be split.
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
    """What questions leave behind, and what recall learns from it.

    Args:
        phase: How much becomes of it: ``store_only``, ``insight_only``, ``statistical`` or ``with_branching``.
        gather: How many edges have to wait for an episode before it is evaluated, at least 1.
        least_share: Which share of the questions at an episode, 0–1, must be exceeded by those that led to insight for
            its waiting edges to enter the graph.
        most_insight: To how many episodes a question that led to insight leaves ``query_insight`` edges, at least 1.
        most_retrieval: To how many a question leaves ``query_retrieval`` edges, at least 1.
        most_bypass: To how many a question leaves ``query_bypass`` edges, at least 1.
        bypass_probability: From which probability of the same matter, 0–1, one episode was surely meant.
        insight_distance: More than how many edges of content apart two cited episodes must lie for an insight, 1–4.
        most_per_principal: How many changes of the confidence of one episode the ratings of one principal cause at the
            most, at least 1.
        record: Whether every recall is taken down, a moment later and without keeping it waiting; else only where a call
            asks for it. Where a store is read alone, none is.
        include_query_edges: Whether edges of questions count in whether an episode belongs to several contexts.
        learned_weight: What an episode gains at the most by what earlier questions taught, at least 0; 0 learns nothing.
        near_probability: How likely a question must be about the same matter as an earlier one to inherit from it, 0–1.
        half_life_days: After how many days a lesson counts half, above 0.
        principal_share: Which share of the gain one principal can give, above 0 and up to 1.
        most_near: How many near questions are looked at, at least 1.
    """

    phase: Phase = Phase.WITH_BRANCHING
    gather: int = 5
    least_share: float = 0.2
    most_insight: int = 5
    most_retrieval: int = 10
    most_bypass: int = 5
    bypass_probability: float = 0.98
    insight_distance: int = 2
    most_per_principal: int = 3
    record: bool = True
    include_query_edges: bool = False
    learned_weight: float = 0.42
    near_probability: float = 0.5
    half_life_days: float = 180.0
    principal_share: float = 0.5
    most_near: int = 16

    def __post_init__(self) -> None:
        object.__setattr__(self, "phase", checked_word(Phase, self.phase, "phase"))
        for name in ("gather", "most_insight", "most_retrieval", "most_bypass", "most_per_principal", "most_near"):
            check_count(getattr(self, name), name)
        for name in ("least_share", "bypass_probability", "near_probability", "principal_share"):
            check_share(getattr(self, name), name)
        check_count(self.insight_distance, "insight_distance")
        if self.insight_distance > _FARTHEST:
            raise InvalidValue(
                f"insight_distance is {self.insight_distance}: give a whole number from 1 to {_FARTHEST}."
            )
        if self.principal_share == 0.0:
            raise InvalidValue("principal_share is 0: give more, up to 1; a learned_weight of 0 learns nothing.")
        if not (isfinite(self.learned_weight) and self.learned_weight >= 0.0):
            raise InvalidValue(f"learned_weight is {self.learned_weight}: give a number of at least 0.")
        if not (isfinite(self.half_life_days) and self.half_life_days > 0.0):
            raise InvalidValue(f"half_life_days is {self.half_life_days}: give a number above 0.")
