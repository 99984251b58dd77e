"""Reranking: the first items are ordered anew by another's judgement, as one more term of their scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evolore.recall.ranking import Term

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.recall.ranking import Ranking

_LEAST_SPREAD = 0.07
"""How far apart the best and the worst judged item are taken to be at the least, in the unit of scores: where the scores
are about equal, the judgement decides."""


def rerank(ranking: Ranking, items: npt.NDArray[np.int32], judged: npt.NDArray[np.float64], *, blend: float) -> Ranking:
    """Order some of the first items anew, and leave the others where they are.

    The judgement j is brought onto the range of these items' scores s, ``j' = min s + (j - min j) / (max j - min j) ·
    max(max s - min s, 1)``, and the term is ``blend · (j' - s)``.

    Laws: the terms of an item sum to its score; among the items the order is that of ``(1 - blend) · s + blend · j'``;
    none of them falls below the last of them, so that no other item comes between or before; a judgement that tells
    nothing apart changes nothing.

    Args:
        ranking: The order so far.
        items: Those that were judged, each once, shape (judged,): the first of the order, whichever of them.
        judged: How well each answers, finite, higher is better, shape (judged,).
        blend: How much the judgement counts, 0–1.
    """
    score = ranking.score.copy()
    if items.size:
        score[items] = _blended(ranking.score[items].astype(np.float64), judged, blend=blend)
    order = ranking.order[np.argsort(-score[ranking.order], kind="stable")]
    return replace(ranking, order=order, score=score, terms={**ranking.terms, Term.RERANK: score - ranking.score})


def _blended(
    score: npt.NDArray[np.float64], judged: npt.NDArray[np.float64], *, blend: float
) -> npt.NDArray[np.float64]:
    spread = judged.max() - judged.min()
    if not spread > 0.0:
        return score
    least = float(score.min())
    scale = max(float(score.max()) - least, _LEAST_SPREAD)
    placed = least + (judged - judged.min()) / spread * scale
    return np.maximum(least, (1 - blend) * score + blend * placed)
