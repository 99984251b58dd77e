"""How well a ranking finds what was asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

CUTOFFS = (1, 5, 10, 20)
SESSION_CUTOFFS = (1, 5, 10)
_DEEPEST = 10


def score_ranking(ranking: Sequence[str], gold: Collection[str]) -> dict[str, float]:
    """Score one question's ranking; every figure lies in [0, 1] and 1 is best.

    Args:
        ranking: Ids, best first; an id that stands twice counts once, at its first place.
        gold: The ids that should be found, at least one; ids no ranking can hold count as missed.

    Returns:
        ``recall_at_k`` (share of gold among the first k), ``any_at_k``, ``all_at_k`` for k in 1, 5, 10, 20;
        ``ndcg_at_10`` (binary gain, Järvelin & Kekäläinen 2002); ``mrr``, 1 / place of the first gold id, 0 where
        the ranking holds none.

    Raises:
        InvalidValue: ``gold`` is empty.
    """
    wanted = _wanted(gold)
    ordered = tuple(dict.fromkeys(ranking))
    scores = {f"recall_at_{k}": _found(ordered, wanted, k) / len(wanted) for k in CUTOFFS}
    scores |= {f"any_at_{k}": float(_found(ordered, wanted, k) > 0) for k in CUTOFFS}
    scores |= {f"all_at_{k}": float(_found(ordered, wanted, k) == len(wanted)) for k in CUTOFFS}
    scores[f"ndcg_at_{_DEEPEST}"] = _ndcg(ordered, wanted)
    scores["mrr"] = next((1 / place for place, name in enumerate(ordered, start=1) if name in wanted), 0.0)
    return scores


def score_sessions(ranking: Sequence[str], gold: Collection[str], sessions: Mapping[str, str]) -> dict[str, float]:
    """Score the sessions of a ranking, ordered by their best item.

    Args:
        ranking: Item ids, best first.
        gold: The item ids that should be found.
        sessions: The session of each item that has one.

    Returns:
        ``session_any_at_k`` for k in 1, 5, 10 and ``session_recall_at_10``; nothing where no gold item has a session.
    """
    wanted = frozenset(sessions[name] for name in gold if name in sessions)
    if not wanted:
        return {}
    ordered = tuple(dict.fromkeys(sessions[name] for name in ranking if name in sessions))
    scores = {f"session_any_at_{k}": float(_found(ordered, wanted, k) > 0) for k in SESSION_CUTOFFS}
    scores[f"session_recall_at_{_DEEPEST}"] = _found(ordered, wanted, _DEEPEST) / len(wanted)
    return scores


def average(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average each figure over the questions that have it, in the order the figures first appear."""
    gathered: dict[str, list[float]] = {}
    for score in scores:
        for name, value in score.items():
            gathered.setdefault(name, []).append(value)
    return {name: math.fsum(values) / len(values) for name, values in gathered.items()}


def _wanted(gold: Collection[str]) -> frozenset[str]:
    if not gold:
        raise InvalidValue("A question without evidence cannot be scored: leave it out.")
    return frozenset(gold)


def _found(ordered: Sequence[str], wanted: frozenset[str], k: int) -> int:
    return len(wanted.intersection(ordered[:k]))


def _ndcg(ordered: Sequence[str], wanted: frozenset[str]) -> float:
    gain = math.fsum(_discount(place) for place, name in enumerate(ordered[:_DEEPEST]) if name in wanted)
    return gain / math.fsum(_discount(place) for place in range(min(_DEEPEST, len(wanted))))


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)
