"""Having the first hits of a question judged anew; whatever goes wrong, the order until then stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.influences import Reranking
from evolore.errors import SetupError
from evolore.ports import RerankFailure
from evolore.recall.reranking import rerank

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evolore.domain.episodes import Episode
    from evolore.ports import Reranked, Reranker
    from evolore.recall.ranking import Ranking
    from evolore.recall.rerank_settings import RerankSettings

_LEAST = 2
"""One text alone has no order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a reranker said.

    Args:
        scores: By episode; empty where it said nothing.
        report: Who judged how many, or why nobody did; None where there is no reranker.
    """

    scores: Mapping[str, float] = field(default_factory=dict[str, float])
    report: Reranking | None = None


def judge(
    reranker: Reranker | None,
    question: str,
    first: Callable[[int], Sequence[Episode]],
    *,
    settings: RerankSettings,
) -> Judged:
    """Ask a reranker about the first items of a question; call it while no index is held, because it may take long.

    Args:
        reranker: What to ask; None for nothing.
        question: The question.
        first: Gives the first so many episodes, best first, or all where there are fewer.
        settings: How many, and how much of each.

    Raises:
        SetupError: The reranker cannot work as it is set up.
    """
    if reranker is None:
        return Judged()
    episodes = first(settings.items)
    if len(episodes) < _LEAST:
        return Judged(report=Reranking(name=_name(reranker)))
    texts = [_shown(episode)[: settings.max_characters] for episode in episodes]
    answer = _checked(_called(reranker, question, texts), len(texts))
    if isinstance(answer, RerankFailure):
        return Judged(report=Reranking(name=_name(reranker), failure=str(answer)))
    scores = dict(zip((episode.id for episode in episodes), answer, strict=True))
    return Judged(scores=scores, report=Reranking(name=_name(reranker), items=len(scores)))


def by_judgement(
    ranking: Ranking, judged: Judged, *, ids_of: Callable[[Sequence[int]], Sequence[str]], settings: RerankSettings
) -> Ranking:
    """Order the items anew that were judged; those that have left the first places meanwhile are passed over.

    Args:
        ranking: Of which at least as many places are right as items were judged.
        judged: What ``judge`` gave.
        ids_of: Gives the episodes that are these items.
        settings: How much the judgement counts.
    """
    if not judged.scores:
        return ranking
    items: list[int] = ranking.order.tolist()
    known = [(item, judged.scores[id_]) for item, id_ in zip(items, ids_of(items), strict=True) if id_ in judged.scores]
    numbers = np.array([item for item, _ in known], dtype=np.int32)
    return rerank(ranking, numbers, np.array([score for _, score in known], dtype=np.float64), blend=settings.blend)


def _shown(episode: Episode) -> str:
    """Give what is read of an episode: its headings or who said it, and its text."""
    above = " › ".join(dict.fromkeys(part for part in (episode.title, *episode.heading_path) if part))
    said_by = f"{episode.speaker}: " if episode.speaker else ""
    return f"{above}\n{episode.text}" if above else said_by + episode.text


def _called(reranker: Reranker, question: str, texts: Sequence[str]) -> Reranked:
    try:
        return reranker.score(question, texts)
    except SetupError:
        raise
    except Exception as error:  # noqa: BLE001 - the edge to a model that may be anyone's: its failure is an answer
        return RerankFailure(reason="failed", detail=f"{type(error).__name__}: {error}")


def _checked(answer: Reranked, count: int) -> list[float] | RerankFailure:
    """Give as many finite numbers as there were texts: models may be anyone's."""
    if isinstance(answer, RerankFailure):
        return answer
    try:
        scores = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        return RerankFailure(reason="unusable_scores", detail=f"A {type(answer).__name__} came instead of scores.")
    if scores.shape != (count,):
        return RerankFailure(reason="unusable_scores", detail=f"{count} texts got scores of shape {scores.shape}.")
    if not np.isfinite(scores).all():
        return RerankFailure(reason="unusable_scores", detail=f"{int((~np.isfinite(scores)).sum())} are no number.")
    return scores.tolist()


def _name(reranker: Reranker) -> str:
    try:
        return str(reranker.name)
    except Exception:  # noqa: BLE001 - the same edge: what does not say its name goes by its class
        return type(reranker).__name__
