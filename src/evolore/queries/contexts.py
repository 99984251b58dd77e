"""Measure whether an episode belongs to several contexts: the entropy of what lies around it (seed 004)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from evolore.domain.checks import check_share
from evolore.domain.episode import EdgeKind
from evolore.queries.settings import QuerySettings
from evolore.text.vectors import Floats, average_linkage

LEAST_SECOND_SHARE = 0.25
FEWEST_NEIGHBOURS = 3
"""A second context with a smaller share splits nothing, nor does an episode with fewer neighbours (seed 000)."""

_WEIGHED = (EdgeKind.QUERY_INSIGHT, EdgeKind.QUERY_RETRIEVAL, EdgeKind.QUERY_BYPASS, EdgeKind.BRANCH, EdgeKind.SEMANTIC)
_OTHER_WEIGHT = 0.5
_DIGITS = 4
_TOLERANCE = 1e-9


class CountedQueries(StrEnum):
    """Which questions count in whether an episode belongs to several contexts.

    ``NONE``: no question does. ``CONFIRMED``: those whose edges are in the graph. ``WITH_PENDING``: also those whose
    edges wait, as if they were in the graph.
    """

    NONE = "none"
    CONFIRMED = "confirmed"
    WITH_PENDING = "with_pending"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeSide:
    """A context that an episode belongs to."""

    share: float  #: Its share of the weights of all edges at the episode, 0–1.
    episode_ids: tuple[str, ...]  #: The neighbours that make it, in the order given.
    query_ids: tuple[str, ...] = ()  #: The questions that lie nearest to it, where questions count.

    def __post_init__(self) -> None:
        check_share(share=self.share)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextEntropy:
    """How evenly an episode belongs to several contexts."""

    entropy: float  #: Of the shares of its contexts, divided by that of equal shares, 0–1; 0 with fewer than two.
    contexts: tuple[EpisodeSide, ...]  #: The largest share first, ties by the first neighbour.
    #: Whether it belongs to several evenly: the entropy is above ``branching_threshold``, and the second context has a quarter of the
    #: weights at least, and there are three neighbours.
    is_even: bool


def edge_weight(kind: EdgeKind, settings: QuerySettings) -> float:
    """Return what an edge of a kind weighs in the contexts of an episode.

    >>> from evolore.queries.settings import QuerySettings
    >>> kinds = (EdgeKind.QUERY_INSIGHT, EdgeKind.SEMANTIC, EdgeKind.SEQUENCE)
    >>> [edge_weight(kind, QuerySettings()) for kind in kinds]
    [1.0, 0.6, 0.5]
    """
    weights: dict[EdgeKind, float] = dict(zip(_WEIGHED, settings.edge_weights, strict=True))
    return weights.get(kind, _OTHER_WEIGHT)


def context_entropy(
    neighbours: Sequence[tuple[str, EdgeKind]],
    likeness: Floats,
    *,
    questions: Sequence[tuple[str, EdgeKind]] = (),
    nearness: Floats | None = None,
    settings: QuerySettings,
    fewest: int = FEWEST_NEIGHBOURS,
) -> ContextEntropy:
    """Measure how evenly an episode belongs to several contexts.

    Its neighbours are grouped by average linkage at a probability of one matter above 0.5; one that is like none is a
    context of its own, which the share of the second keeps from splitting anything while there are others. Questions form no context:
    each counts in the one whose neighbours it lies nearest to. With shares ``p`` of the weights of k contexts the
    entropy is ``-Σ p·ln p / ln k`` (seed 004, option 3, which does not divide: there two even contexts have 0.69).

    Args:
        neighbours: Ids and the kinds of the edges that join them with the episode; of content, not of questions.
        likeness: The probability of one matter of every two, shape (n, n), symmetric.
        questions: Ids of questions, and the kinds of their edges.
        nearness: How near each lies to every neighbour, larger is nearer, shape (questions, n); needed where there are any.
        settings: The weights of edges, and the threshold.
        fewest: With fewer neighbours it is not even.

    >>> even = np.kron(np.eye(2), np.ones((2, 2)))
    >>> kinds = [(id_, EdgeKind.SEMANTIC) for id_ in ("pear", "plum", "share", "stock")]
    >>> from evolore.queries.settings import QuerySettings
    >>> [context_entropy(kinds, one, settings=QuerySettings()).entropy for one in (even, np.ones((4, 4)))]
    [1.0, 0.0]
    """
    if not neighbours:
        return ContextEntropy(entropy=0.0, contexts=(), is_even=False)
    labels = average_linkage(likeness).tolist()
    weights = [0.0] * (max(labels) + 1)
    for (_, kind), label in zip(neighbours, labels, strict=True):
        weights[label] += edge_weight(kind, settings)
    asked = _attached(labels, nearness) if questions and nearness is not None else []
    for (_, kind), label in zip(questions, asked, strict=bool(asked)):
        weights[label] += edge_weight(kind, settings)
    shares = [round(weight / sum(weights), _DIGITS) for weight in weights]
    found = [
        EpisodeSide(share=share, episode_ids=_of(label, neighbours, labels), query_ids=_of(label, questions, asked))
        for label, share in enumerate(shares)
    ]
    contexts = tuple(sorted(found, key=lambda one: -one.share))
    entropy = normalised_entropy(weights)
    has_second = len(contexts) > 1 and contexts[1].share >= LEAST_SECOND_SHARE
    is_even = len(neighbours) >= fewest and has_second and entropy > settings.branching_threshold
    return ContextEntropy(entropy=entropy, contexts=contexts, is_even=is_even)


def _of(label: int, named: Sequence[tuple[str, EdgeKind]], labels: Sequence[int]) -> tuple[str, ...]:
    return tuple(id_ for (id_, _), own in zip(named, labels, strict=False) if own == label)


def _attached(labels: Sequence[int], nearness: Floats) -> list[int]:
    """Return the context each question lies nearest to: the mean over its neighbours, ties the first context."""
    of_label = np.array(labels)
    means = [nearness[:, of_label == label].mean(axis=1) for label in range(max(labels) + 1)]
    return np.round(np.stack(means, axis=1), _DIGITS).argmax(axis=1).tolist()


def normalised_entropy(weights: Iterable[float]) -> float:
    """Return the entropy of shares divided by that of equal shares, 0–1; of one share it is 0.

    >>> normalised_entropy([3.0, 3.0]), normalised_entropy([1.0, 1.0, 1.0]), normalised_entropy([2.0])
    (1.0, 1.0, 0.0)
    >>> normalised_entropy([3.0, 1.0])
    0.8113
    """
    present = [weight for weight in weights if weight > _TOLERANCE]
    if len(present) < 2:  # noqa: PLR2004 - a single one is no division
        return 0.0
    whole = sum(present)
    entropy = -math.fsum(weight / whole * math.log(weight / whole) for weight in present)
    return round(min(1.0, entropy / math.log(len(present))), _DIGITS)
