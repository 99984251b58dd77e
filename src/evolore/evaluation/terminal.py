"""The table a person reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Group
    from rich.table import Table

    from evolore.evaluation.reports import Report

# Headers break in two lines so that a table fits 80 columns, which is what a pipe has.
_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "segmentation": {
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
    "sentences": {
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
    "intents": {
        "queries": "queries",
        "accuracy": "accuracy",
        "macro_f1": "macro\nF1",
        "mean_confidence": "mean\nconf.",
        "p50_ms": "p50\nms",
    },
    "arousal": {
        "texts": "texts",
        "rank_correlation": "rank\ncorr.",
        "mean_error": "mean\nerror",
        "within_0_2": "within\n0.2",
        "mean_estimate": "mean\nestimate",
        "p50_ms": "p50\nms",
    },
    "graph": {
        "episodes": "episodes",
        "split_rate": "split",
        "sentence_b_cubed_f1": "B³ F1\nsplit",
        "sentence_b_cubed_f1_all": "B³ F1\nall",
        "questions": "asked",
        "r1_unsplit": "R@1\nwhole",
        "r1_split": "R@1\nsplit",
        "p50_ms": "p50\nms",
    },
    "staleness": {"cases": "cases", "right_order": "right\norder"},
    "pairs": {
        "pairs": "pairs",
        "merge_precision": "merged\nP",
        "merge_recall": "merged\nR",
        "contradictions_merged": "contra.\nmerged",
        "flagged_precision": "flagged\nP",
        "flagged_recall": "flagged\nR",
        "superseded_precision": "super.\nP",
        "superseded_recall": "super.\nR",
    },
    "edits": {
        "edits": "edits",
        "caught": "caught",
        "false_alarms": "false\nalarms",
        "caught_by_spans": "caught\nby spans",
        "false_alarms_by_spans": "false\nby spans",
    },
    "chunks": {
        "questions": "asked",
        "chunks": "chunks",
        "mean_characters": "mean\nsize",
        "recall": "recall",
        "precision": "prec.",
        "iou": "IoU",
        "precision_omega": "PΩ",
        "megabytes_per_second": "MB/s",
    },
    "retrieval": {
        "questions": "asked",
        "recall_at_1": "R@1",
        "recall_at_5": "R@5",
        "recall_at_10": "R@10",
        "recall_at_20": "R@20",
        "any_at_5": "any\n@5",
        "ndcg_at_10": "nDCG\n@10",
        "mrr": "MRR",
        "session_any_at_5": "sess.\nany@5",
        "p50_ms": "p50\nms",
        "ms_per_item": "ms/\nitem",
    },
}
_CAPTIONS: Mapping[str, str] = {
    "segmentation": "In %, lower is better: Pk, WD (WindowDiff). @size: the size given, in characters; @num: the number.",
    "sentences": "In %: errors, the share of texts divided wrongly; inside, of chunk ends inside a sentence.",
    "intents": "In %: accuracy, macro F1 of the intents, mean confidence. Time: beside the query's embedding.",
    "arousal": "In %: Spearman's rank correlation, mean error, share at most 20 away. Time: beside the embedding.",
    "graph": "In %: episodes split; F1 of their sentences; held-out sentences whose nearest is theirs, before and after.",
    "staleness": "In %, higher is better: the share of cases in which the right item stands above the others.",
    "pairs": "In %: precision and recall of what was merged, flagged, superseded; contradictions merged. --json: intervals.",
    "edits": "In %: harmful rewrites caught, harmless ones refused; by spans: without the claim gate. --json: intervals.",
    "chunks": "In %, higher is better: recall, precision, IoU of what was retrieved; PΩ of all chunks. Size: characters.",
    "retrieval": "In %, higher is better: R@k, the share of the evidence found; nDCG; MRR; any of it found among 5.",
}
_WHOLE = frozenset(
    {
        *(
            "documents",
            "queries",
            "texts",
            "cases",
            "pairs",
            "edits",
            "episodes",
            "sentences",
            "chunk_ends",
            "questions",
            "target_characters",
            "chunks",
        ),
        "mean_characters",
    }
)
_RARE = frozenset({"chunk_ends_inside", "chunk_ends_forced"})
_PLAIN = frozenset({"boundary_ratio", "boundary_ratio_at_target"})
_ENDS = ("_low", "_high")
_ABREAST = 4
_COUNTED = (
    "rated_",
    "jobs",
    "promoted_",
    "promotions",
    "planted",
    "proposals",
    "harm_",
    "calls",
    "tokens",
    "poison_",
    "secret_",
    "texts",
)
_COUNTS = ("_questions", "_held_out", "_proposed", "_stood", "characters", "_files", "same_history")
_RATIOS = ("_per_fix", "_per_proposal", "_ms")
_MEASURED = frozenset({"megabytes_per_second", "p50_ms", "ms_per_item"})


def render_table(report: Report) -> Table | Group:
    """Give the chief figures as a table: fractions as percentages, one row a set and a category.

    All figures are in ``Report.to_json``.
    """
    from rich.table import Table  # noqa: PLC0415 - a run with --json needs no table

    if report.system not in _COLUMNS:
        return _listed(report)
    columns = {name: title for name, title in _COLUMNS[report.system].items() if _is_measured(report, name)}
    table = Table(
        title=f"evolore {report.version}, evaluate {report.system}",
        caption=_CAPTIONS[report.system],
        box=None,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    table.add_column("set", vertical="bottom", no_wrap=True)
    for title in columns.values():
        table.add_column(title, justify="right", vertical="bottom", no_wrap=True)
    for label, metrics in report.rows():
        table.add_row(label, *(_format(name, metrics[name]) if name in metrics else "" for name in columns))
    return table


def _listed(report: Report) -> Group:
    """Give every figure in a line of its own, a column each set and category, where there are too many for one line."""
    from rich.console import Group  # noqa: PLC0415 - a run with --json needs no table
    from rich.table import Table  # noqa: PLC0415 - likewise

    rows = report.rows()
    tables: list[Table] = []
    for start in range(0, len(rows), _ABREAST):
        some = rows[start : start + _ABREAST]
        table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
        table.add_column(f"evaluate {report.system}", no_wrap=True)
        for label, _ in some:
            table.add_column(label.strip(), justify="right", overflow="fold")
        names = dict.fromkeys(name for _, metrics in some for name in metrics if not name.endswith(_ENDS))
        for name in names:
            table.add_row(name, *(_plain(name, metrics[name]) if name in metrics else "" for _, metrics in some))
        tables.append(table)
    return Group(*tables, "Shares in %; counts, and figures per something, as they are.")


def _plain(name: str, value: float) -> str:
    """Write a count or a ratio as it is, and a share in percent."""
    if name.endswith(_RATIOS):
        return f"{value:,.1f}"
    if name in _WHOLE or name.startswith(_COUNTED) or name.endswith(_COUNTS):
        return f"{value:,.0f}"
    return f"{100 * value:.1f}"


def _is_measured(report: Report, name: str) -> bool:
    return any(name in metrics for _, metrics in report.rows())


def _format(name: str, value: float) -> str:
    if name in _WHOLE:
        return f"{value:,.0f}"
    if name in _PLAIN:
        return f"{value:.2f}"
    if name in _RARE:
        return f"{100 * value:.2f}"
    return f"{value:.1f}" if name in _MEASURED else f"{100 * value:.1f}"
