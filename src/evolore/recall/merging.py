"""Merging: hits of several memories in one order; a score says how well a text answers, whatever else is remembered."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.query import ScoreTerm
from evolore.recall.ranking import Term
from evolore.recall.reranking import blended

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.query import Hit
    from evolore.recall.reranking import Judged
    from evolore.recall.settings import RerankSettings


def merged(parts: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """Give the hits of several memories by their scores, best first; ties stand in the order of the parts.

    Laws: the order of further parts does not matter where no two scores are equal; every hit keeps its score and terms,
    and the hits of a part their order.
    """
    return tuple(sorted((hit for part in parts for hit in part), key=lambda hit: -hit.score))


def judged_anew(hits: Sequence[Hit], judged: Judged, *, settings: RerankSettings) -> tuple[Hit, ...]:
    """Order the first hits anew by a judgement, as one more term of their scores.

    Args:
        hits: Best first.
        judged: What a reranker said of the first of them; nothing changes where it said nothing.
        settings: How much it counts.
    """
    first = [hit for hit in hits if hit.episode.id in judged.scores]
    if not first:
        return tuple(hits)
    scores = np.array([hit.score for hit in first], dtype=np.float64)
    said = np.array([judged.scores[hit.episode.id] for hit in first], dtype=np.float64)
    anew = blended(scores, said, blend=settings.blend).tolist()
    told = {
        hit.episode.id: replace(
            hit, score=score, terms=(*hit.terms, ScoreTerm(name=Term.RERANK.value, value=score - hit.score))
        )
        for hit, score in zip(first, anew, strict=True)
    }
    return tuple(sorted((told.get(hit.episode.id, hit) for hit in hits), key=lambda hit: -hit.score))
