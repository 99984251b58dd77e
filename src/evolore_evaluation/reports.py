"""Reports that an evaluation prints: figures by set, under which heads, and the settings they were measured with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version as installed_version
from typing import Protocol, TypeAlias

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
"""A value that JSON can hold."""

_MOST_CATEGORY_ROWS = 24
_NOT_SNAKE = re.compile(r"\W+")


class Progress(Protocol):
    """Receives the progress of an evaluation."""

    def __call__(self, set_name: str, done: int, total: int, /) -> None:
        """Report that ``done`` of ``total`` steps of a set are done."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SetResult:
    """The figures of one data set."""

    name: str  #: The file's name without its endings.
    #: Snake-case names; fractions in [0, 1], counts, ratios, milliseconds (``_ms``, ``ms_per_``).
    metrics: Mapping[str, float]
    #: The same by category of question, categories in snake case.
    categories: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])

    def flat_metrics(self) -> dict[str, float]:
        """Return all figures under one name each, a category's as ``recall_at_10_multi_hop``."""
        flat = dict(self.metrics)
        for category, metrics in self.categories.items():
            flat |= {f"{name}_{category}": value for name, value in metrics.items()}
        return flat


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What one evaluation found."""

    #: What was measured: ``segmentation``, ``sentences``, ``intents``, ``arousal``, ``staleness``, ``graph``,
    #: ``edits``, ``learning``, ``evolution``, ``chunks`` or ``retrieval``.
    system: str
    settings: Mapping[str, Json]  #: What the figures depend on, so that two people can compare.
    sets: tuple[SetResult, ...]  #: One result a data set, in the order measured.
    version: str = field(default_factory=lambda: installed_version("evolore"))  #: The version of Evolore at work.

    def to_json(self) -> dict[str, Json]:
        """Return ``{"system", "version", "settings", "sets": [{"set", "metrics"}]}``, ready for ``json.dumps``."""
        return {
            "system": self.system,
            "version": self.version,
            "settings": dict(self.settings),
            "sets": [{"set": result.name, "metrics": result.flat_metrics()} for result in self.sets],
        }

    def rows(self) -> tuple[tuple[str, Mapping[str, float]], ...]:
        """List a label and its figures for every set, each followed by its categories where it has 2 to 24."""
        rows: list[tuple[str, Mapping[str, float]]] = []
        for result in self.sets:
            rows.append((result.name, result.metrics))
            if 1 < len(result.categories) <= _MOST_CATEGORY_ROWS:
                rows.extend((f"  {category}", metrics) for category, metrics in result.categories.items())
        return tuple(rows)


def snake_case(label: str) -> str:
    """Make a label a part of a metric's name.

    >>> snake_case("Multi-hop")
    'multi_hop'
    """
    return _NOT_SNAKE.sub("_", label.lower()).strip("_")


# Headers break in two lines so that a table fits 80 columns, which is what a pipe has. A set is in each table that has
# a figure of it.
COLUMNS: Mapping[str, tuple[Mapping[str, str], ...]] = {
    "segmentation": (
        {
            "documents": "texts",
            "pk": "Pk",
            "window_diff": "WD",
            "boundary_ratio": "ratio",
            "target_characters": "size",
            "pk_at_target": "Pk\n@size",
            "window_diff_at_target": "WD\n@size",
            "boundary_ratio_at_target": "ratio\n@size",
            "pk_at_segments": "Pk\n@num",
            "window_diff_at_segments": "WD\n@num",
            "megabytes_per_second": "MB/s",
        },
    ),
    "sentences": (
        {
            "documents": "texts",
            "sentences": "sentences",
            "precision": "P",
            "recall": "R",
            "f1": "F1",
            "errors": "errors",
            "chunk_ends": "chunk\nends",
            "chunk_ends_inside": "inside",
            "chunk_ends_forced": "forced",
        },
    ),
    "intents": (
        {
            "queries": "queries",
            "accuracy": "accuracy",
            "macro_f1": "macro\nF1",
            "mean_confidence": "mean\nconf.",
            "p50_ms": "p50\nms",
        },
    ),
    "arousal": (
        {
            "texts": "texts",
            "rank_correlation": "rank\ncorr.",
            "mean_error": "mean\nerror",
            "within_0_2": "within\n0.2",
            "mean_estimate": "mean\nestimate",
            "p50_ms": "p50\nms",
        },
    ),
    "graph": (
        {
            "episodes": "episodes",
            "split_rate": "split",
            "sentence_b_cubed_f1": "B³ F1\nsplit",
            "sentence_b_cubed_f1_all": "B³ F1\nall",
            "questions": "asked",
            "r1_unsplit": "R@1\nwhole",
            "r1_split": "R@1\nsplit",
            "p50_ms": "p50\nms",
        },
    ),
    "staleness": ({"cases": "cases", "right_order": "right\norder"},),
    "pairs": (
        {
            "pairs": "pairs",
            "merge_precision": "merged\nP",
            "merge_recall": "merged\nR",
            "contradictions_merged": "contra.\nmerged",
            "flagged_precision": "flagged\nP",
            "flagged_recall": "flagged\nR",
            "superseded_precision": "super.\nP",
            "superseded_recall": "super.\nR",
        },
    ),
    "edits": (
        {
            "edits": "edits",
            "caught": "caught",
            "false_alarms": "false\nalarms",
            "caught_by_spans": "caught\nby spans",
            "false_alarms_by_spans": "false\nby spans",
        },
    ),
    "chunks": (
        {
            "questions": "asked",
            "chunks": "chunks",
            "mean_characters": "mean\nsize",
            "recall": "recall",
            "precision": "prec.",
            "iou": "IoU",
            "precision_omega": "PΩ",
            "megabytes_per_second": "MB/s",
        },
    ),
    "retrieval": (
        {
            "questions": "asked",
            "recall_at_1": "R@1",
            "recall_at_5": "R@5",
            "recall_at_10": "R@10",
            "recall_at_20": "R@20",
            "any_at_5": "any\n@5",
            "ndcg_at_10": "nDCG\n@10",
            "mrr": "MRR",
        },
        {
            "session_any_at_1": "session\nhit@1",
            "session_any_at_5": "session\nany@5",
            "session_all_at_5": "session\nall@5",
            "p50_ms": "p50\nms",
            "ms_per_item": "ms/\nitem",
        },
    ),
    "evolution": (
        {
            "planted": "with a\ndefect",
            "documents_fixed": "mended",
            "facts_fixed": "facts\nmended",
            "needs_person": "for a\nperson",
            "promotions": "taken\nover",
            "false_promotion_rate": "wrongly",
            "promoted_poisoned": "poison",
            "fact_loss_rate": "facts\nlost",
            "calls": "calls",
            "calls_in_healthy": "of them\nhealthy",
        },
        {
            "questions_held_out": "asked",
            "answered_before": "right\nbefore",
            "answered_after": "right\nafter",
            "answered_before_whole": "before\nwhole",
            "answered_after_whole": "after\nwhole",
            "fix_rate": "wrong\nmended",
        },
        {
            "attempts": "attempts",
            "attempts_found": "found",
            "attempts_obeyed": "obeyed",
            "auto_approvals": "approved",
            "secret_leaks": "secrets\nleaked",
            "twins": "twins",
            "twins_found": "found",
            "twins_approved": "approved",
        },
    ),
}
CAPTIONS: Mapping[str, str] = {
    "segmentation": "In %, lower is better: Pk, WD (WindowDiff). @size: the size given, in characters; @num: the number.",
    "sentences": "In %: errors, the share of texts divided wrongly; inside, of chunk ends inside a sentence.",
    "intents": "In %: accuracy, macro F1 of the intents, mean confidence. Time: beside the query's embedding.",
    "arousal": "In %: Spearman's rank correlation, mean error, share at most 20 away. Time: beside the embedding.",
    "graph": "In %: episodes split; F1 of their sentences; held-out sentences whose nearest is theirs, before and after.",
    "staleness": "In %, higher is better: the share of cases in which the right item stands above the others.",
    "pairs": "In %: precision and recall of what was merged, flagged, superseded; contradictions merged. --json: intervals.",
    "edits": "In %: harmful rewrites caught, harmless ones refused; by spans: without the claim gate. --json: intervals.",
    "chunks": "In %, higher is better: recall, precision, IoU of what was retrieved; PΩ of all chunks. Size: characters.",
    "retrieval": "In %, higher is better: R@k, the share of the evidence found; nDCG; MRR; whether any, or all, is among 5.",
    "evolution": "In % of the documents with a defect: mended; of jobs: for a person; of what was taken over: wrongly. --json: all.",
}
