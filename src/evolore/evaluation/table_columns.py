"""Which figures of an evaluation stand in the tables a person reads, and under what heads."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Headers break in two lines so that a table fits 80 columns, which is what a pipe has. A set stands in each table that has
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
            "session_any_at_5": "sess.\nany@5",
            "p50_ms": "p50\nms",
            "ms_per_item": "ms/\nitem",
        },
    ),
    "evolution": (
        {
            "planted": "with a\ndefect",
            "documents_fixed": "mended",
            "needs_person": "for a\nperson",
            "promotions": "taken\nover",
            "false_promotion_rate": "wrongly",
            "promoted_poisoned": "poison",
            "fact_loss_rate": "facts\nlost",
            "calls": "calls",
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
    "retrieval": "In %, higher is better: R@k, the share of the evidence found; nDCG; MRR; any of it found among 5.",
    "evolution": "In % of the documents with a defect: mended; of jobs: for a person; of what was taken over: wrongly. --json: all.",
}
