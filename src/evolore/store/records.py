"""Values of an export, each checked against the column it is for."""

from __future__ import annotations

import json
import math
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, Float, Integer, LargeBinary, String

from evolore.domain.answer import AnswerKind
from evolore.domain.checks import check_count, check_name, check_share
from evolore.domain.document import BoundaryReason, MediaType, Tier
from evolore.domain.episode import EdgeKind, EpisodeKind, EpisodeState
from evolore.domain.evolution import JobState, Operator
from evolore.domain.language import Language
from evolore.domain.outcome import Outcome, Rating
from evolore.domain.outline import OutlineCode
from evolore.domain.query import Intent
from evolore.domain.review import Priority, Resolution, ReviewCategory, ReviewStatus
from evolore.errors import InvalidValue
from evolore.ports import MAX_SOURCE_CHARACTERS, QUERY_EDGES
from evolore.store.evolution_rows import read_canaries, read_step_body
from evolore.store.rows import read_attempts, read_kept, timestamp
from evolore.store.tables import (
    answer_citations,
    answers,
    calibrations,
    chunks,
    documents,
    edges,
    episodes,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    namespaces,
    payloads,
    promotions,
    queries,
    query_edges,
    query_vectors,
    ratings,
    review_items,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Column


def _moment(text: str) -> None:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None or timestamp(moment) != text:  # times are compared as they are written
        raise ValueError(text)


def _offset(minutes: int) -> None:
    timezone(timedelta(minutes=minutes))


def _texts(text: str) -> None:
    if not all(isinstance(part, str) for part in json.loads(text)):
        raise ValueError(text)


def _name(text: str) -> None:
    check_name(text, "The name")


def _source(text: str) -> None:
    check_name(text, "The source", most=MAX_SOURCE_CHARACTERS)


def _share(number: float) -> None:
    check_share(number, "The share")


def _query_kind(name: str) -> None:
    if EdgeKind(name) not in QUERY_EDGES:
        raise ValueError(name)


def _rank(number: int) -> None:
    check_count(number, "rank")


FORMS: Mapping[Column[Any], Callable[[Any], object]] = {
    documents.c.source: _source,
    versions.c.media_type: MediaType,
    versions.c.language: Language,
    versions.c.recorded_at: _moment,
    versions.c.kept: read_kept,
    episodes.c.occurred_offset_minutes: _offset,
    chunks.c.outline: OutlineCode.parse,
    chunks.c.heading_path: _texts,
    chunks.c.tier: Tier,
    chunks.c.reason: BoundaryReason,
    chunks.c.attempts: read_attempts,
    episodes.c.kind: EpisodeKind,
    episodes.c.state: EpisodeState,
    episodes.c.language: Language,
    episodes.c.recorded_at: _moment,
    episodes.c.occurred_at: _moment,
    episodes.c.valid_from: _moment,
    episodes.c.valid_to: _moment,
    episodes.c.stands_until: _moment,
    episodes.c.speaker: _name,
    episodes.c.session: _name,
    episodes.c.about_subject: _name,
    episodes.c.about_attribute: _name,
    episodes.c.confidence: _share,
    episodes.c.arousal: _share,
    payloads.c.salt: bytes.fromhex,
    edges.c.kind: EdgeKind,
    edges.c.weight: _share,
    queries.c.intent: Intent,
    queries.c.language: Language,
    queries.c.outcome: Outcome,
    queries.c.asked_at: _moment,
    queries.c.recorded_at: _moment,
    query_vectors.c.data: bytes.fromhex,
    query_edges.c.cited_at: _moment,
    query_edges.c.kind: _query_kind,
    query_edges.c.rank: _rank,
    ratings.c.rating: Rating,
    ratings.c.rated_at: _moment,
    review_items.c.category: ReviewCategory,
    review_items.c.priority: Priority,
    review_items.c.status: ReviewStatus,
    review_items.c.language: Language,
    review_items.c.attempts: read_attempts,
    review_items.c.final_tier: Tier,
    review_items.c.created_at: _moment,
    review_items.c.resolved_at: _moment,
    review_items.c.resolution: Resolution,
    namespaces.c.created_at: _moment,
    answers.c.kind: AnswerKind,
    answers.c.language: Language,
    answers.c.canaries: read_canaries,
    answers.c.recorded_at: _moment,
    answer_citations.c.number: _rank,
    feedback.c.version: _rank,
    feedback.c.rating: Rating,
    feedback.c.rated_at: _moment,
    evolution_jobs.c.state: JobState,
    evolution_jobs.c.created_at: _moment,
    evolution_jobs.c.updated_at: _moment,
    evolution_job_documents.c.version: _rank,
    evolution_steps.c.number: _rank,
    evolution_steps.c.body: read_step_body,
    evolution_steps.c.at: _moment,
    promotions.c.operator: Operator,
    promotions.c.win_rate: _share,
    promotions.c.promoted_at: _moment,
    promotions.c.rolled_back_at: _moment,
    calibrations.c.language: Language,
    calibrations.c.created_at: _moment,
    calibrations.c.parameters: json.loads,
}
"""What a value must be besides being of its column's type."""


_SHOWN = 40
_TYPES: tuple[tuple[type[Any], tuple[type, ...], str], ...] = (
    (Boolean, (bool,), "true or false"),
    (Integer, (int,), "a whole number"),
    (Float, (int, float), "a number"),
    (LargeBinary, (str,), "bytes in hex"),
    (String, (str,), "a text"),
)


def check_value(column: Column[Any], value: object, *, is_there: bool, form: Callable[[Any], object] | None) -> None:
    """Refuse a value that its column cannot hold.

    Args:
        column: Where it goes.
        value: What the export says.
        is_there: Whether the export names the column at all.
        form: Takes the value, and raises ValueError, TypeError or OverflowError where it is of another form; None where
            any value of the column's type will do.

    Raises:
        InvalidValue: It is missing, of another type or of another form.
    """
    name = f"{column.table.name}.{column.name}"
    if not is_there:
        raise InvalidValue(f"{name} is missing: an export has it; write it, or null where it is unknown.")
    if value is None and column.nullable:
        return
    accepted, wanted = next((python, said) for type_, python, said in _TYPES if isinstance(column.type, type_))
    if not isinstance(value, accepted) or (isinstance(value, bool) and bool not in accepted):
        raise InvalidValue(f"{name} is {shown(value)}: {wanted} belongs there.")
    if not _is_fit(value, form):
        raise InvalidValue(f"{name} is {shown(value)}: that is no value it can have; correct it.")


def shown(value: object) -> str:
    """Write a value as an error names it: in ASCII, and cut short.

    >>> shown("a" * 41)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    """
    written = ascii(value)
    return written if len(written) <= _SHOWN else written[:_SHOWN] + "…"


def _is_fit(value: object, form: Callable[[Any], object] | None) -> bool:
    try:
        is_fit = _can_be_stored(value)
        if form is not None:
            form(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False
    return is_fit


def _can_be_stored(value: object) -> bool:
    if isinstance(value, str):
        value.encode("utf-8")  # half of a surrogate pair raises
        return "\0" not in value
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -(2**63) <= value < 2**63
