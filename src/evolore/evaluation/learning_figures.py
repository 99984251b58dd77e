"""What came of questions that were asked before and after others were rated, and the figures that follow."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import zip_longest
from typing import TYPE_CHECKING

from evolore.evaluation.ranking_metrics import average, score_ranking
from evolore.evaluation.reports import SetResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.evaluation.reports import Json
    from evolore.evaluation.retrieval_sets import Collection, Question

_SHOWN = 10
_MEASURES = ("recall_at_1", "recall_at_5", "recall_at_10", "mrr")


class Group(StrEnum):
    """What a question that is asked again has to do with what was rated."""

    PARAPHRASED = "paraphrased"
    SHARED = "shared"
    UNRELATED = "unrelated"
    MISTAKEN = "mistaken"


_RELATED = frozenset((Group.PARAPHRASED, Group.SHARED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question that is asked before and after others were rated.

    Args:
        question: Its evidence, time and category.
        text: As it is asked.
        group: What it has to do with what was rated.
    """

    question: Question
    text: str
    group: Group


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of one.

    Args:
        asked: Which.
        before: The ranking of items before anything was rated.
        after: That afterwards.
        attacked: That once somebody rated against the evidence; as ``after`` where nobody did.
    """

    asked: Asked
    before: tuple[str, ...]
    after: tuple[str, ...]
    attacked: tuple[str, ...]


def prediction(name: str, collection: Collection, one: Trial) -> dict[str, Json]:
    """Give what was predicted for one question, as a line of the file of predictions."""
    return {
        "set": name,
        "memory": collection.id,
        "question": one.asked.question.id,
        "group": one.asked.group.value,
        "before": list(one.before),
        "after": list(one.after),
    }


def damage(trials: Sequence[Trial], *, name: str) -> dict[str, float]:
    """Tell what somebody who rated against the evidence did to what is found, in figures that begin with a name."""
    unrelated = [one for one in trials if one.asked.group is Group.UNRELATED]
    moved = sum(was != now for one in unrelated for was, now in zip_longest(one.after[:_SHOWN], one.attacked[:_SHOWN]))
    found: dict[str, float] = {f"{name}_moved": moved}
    for group in Group:
        some = [one for one in trials if one.asked.group is group]
        if some:
            before, after = (
                average([score_ranking(ranking, one.asked.question.evidence) for one, ranking in pairs])
                for pairs in (
                    [(one, one.after) for one in some],
                    [(one, one.attacked) for one in some],
                )
            )
            found[f"{name}_gain_{group.value}"] = after["recall_at_10"] - before["recall_at_10"]
    return found


def summarise(name: str, trials: Sequence[Trial], counts: Mapping[str, float]) -> SetResult:
    """Give the figures of a set, then those of each group."""
    by_group = {group: _figures([one for one in trials if one.asked.group is group]) for group in Group}
    related = _figures([one for one in trials if one.asked.group in _RELATED])
    others = _figures([one for one in trials if one.asked.group not in _RELATED])
    metrics: dict[str, float] = {
        "questions": len(trials),
        "recall_before": related.get("before_recall_at_10", 0.0),
        "recall_after": related.get("after_recall_at_10", 0.0),
        "gain_related": related.get("gain", 0.0),
        "gain_others": others.get("gain", 0.0),
        **{f"gain_{group.value}": figures["gain"] for group, figures in by_group.items() if figures},
        **counts,
    }
    categories = {group.value: figures for group, figures in by_group.items() if figures}
    return SetResult(name=name, metrics=metrics, categories=categories)


def _figures(trials: Sequence[Trial]) -> dict[str, float]:
    """Give averages before and after, and what they differ by; nothing where nothing was asked."""
    if not trials:
        return {}
    before = average([score_ranking(one.before, one.asked.question.evidence) for one in trials])
    after = average([score_ranking(one.after, one.asked.question.evidence) for one in trials])
    found = {"questions": float(len(trials))}
    for measure in _MEASURES:
        found[f"before_{measure}"], found[f"after_{measure}"] = before[measure], after[measure]
    return {**found, "gain": after["recall_at_10"] - before["recall_at_10"]}
