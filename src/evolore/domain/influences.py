"""What besides words and meaning had a say in a recall: a reranker, time between rivals, earlier questions."""

from __future__ import annotations

from dataclasses import dataclass

from evolore.domain.checks import check_share


@dataclass(frozen=True, slots=True, kw_only=True)
class Reranking:
    """Who judged the first hits anew, or why nobody did.

    Args:
        name: The reranker's.
        items: How many it judged; 0 where it failed, or there were fewer than two.
        failure: What went wrong; the order is then what it was without it.
    """

    name: str
    items: int = 0
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """An episode that was pushed down by another about the same matter.

    Args:
        episode_id: The episode.
        rival_id: The one that it stands behind; None where it is only marked as superseded.
        penalty: By how much it fell or was overtaken, above 0, in the unit of scores.
        reason: Why, to be read by a person.
    """

    episode_id: str
    rival_id: str | None
    penalty: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierQuestion:
    """A question that was asked before and taught something.

    Args:
        query_id: Which.
        probability: How likely it is about the same matter, 0–1.
    """

    query_id: str
    probability: float

    def __post_init__(self) -> None:
        check_share(self.probability, "probability")
