"""What an event tells of."""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    """What was done."""

    DOCUMENT_ADDED = "document_added"
    STATEMENT_REMEMBERED = "statement_remembered"
    LABELS_CHANGED = "labels_changed"
    ERASED = "erased"
    REEMBEDDED = "reembedded"
    CALIBRATED = "calibrated"
    AROUSAL_CHANGED = "arousal_changed"
    AROUSAL_RESTORED = "arousal_restored"
    MERGED = "merged"
    SPLIT = "split"
    SUPERSEDED = "superseded"
    CONFLICT_FOUND = "conflict_found"
    CONFLICT_SETTLED = "conflict_settled"
    CONFIDENCE_CHANGED = "confidence_changed"
    PRUNED = "pruned"
    RESTORED = "restored"
    UNDONE = "undone"
    OUTCOME_CHANGED = "outcome_changed"
    QUERY_RATED = "query_rated"
    QUERY_EDGES_ENTERED = "query_edges_entered"
    QUERY_EDGES_DISMISSED = "query_edges_dismissed"
    TEACHING_WITHDRAWN = "teaching_withdrawn"
    REVIEW_FILED = "review_filed"
    REVIEW_RESOLVED = "review_resolved"
    REVIEW_REOPENED = "review_reopened"
    REVIEW_NOTED = "review_noted"
    FEEDBACK_GIVEN = "feedback_given"
    JOB_BEGUN = "job_begun"
    JOB_DECIDED = "job_decided"
    PROMOTED = "promoted"
    PERCENT_CHANGED = "percent_changed"
    ROLLED_BACK = "rolled_back"
