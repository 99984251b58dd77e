"""Rows become values, values become rows."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from evolore.domain.episodes import Episode, EpisodeKind, EpisodeState
from evolore.domain.knowledge import (
    Attempt,
    AttemptOutcome,
    BoundaryReason,
    Chunk,
    Document,
    MediaType,
    Span,
    Tier,
)
from evolore.domain.language import Language
from evolore.domain.outline import OutlineCode
from evolore.domain.shadows import shown_source
from evolore.errors import StoreDamaged
from evolore.store.attributes import metadata_in, tags_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt
    from sqlalchemy import RowMapping

_STORED = np.dtype("<f2")
T = TypeVar("T")
R = TypeVar("R", bound="RowMapping | Mapping[str, Any]")


def explained(read: Callable[[R], T]) -> Callable[[R], T]:
    """Say of a row that is no value where it lies: whoever asked did nothing wrong."""

    @wraps(read)
    def explained(values: R) -> T:
        try:
            return read(values)
        except (ValueError, TypeError) as error:
            raise StoreDamaged(
                f"The row {values['id']!r} of the store cannot be read: {error} `evolore doctor` lists all such rows; "
                "restore the store from a backup."
            ) from error

    return explained


def timestamp(moment: datetime) -> str:
    """Write a time so that texts sort as times do.

    >>> timestamp(datetime(2026, 3, 2, tzinfo=UTC))
    '2026-03-02T00:00:00.000000+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def optional_timestamp(moment: datetime | None) -> str | None:
    """Write a time that may be unknown."""
    return None if moment is None else timestamp(moment)


def moment(written: str) -> datetime:
    """Read a time back."""
    return datetime.fromisoformat(written)


def optional_moment(written: str | None) -> datetime | None:
    """Read back a time that may be unknown."""
    return None if written is None else moment(written)


def local_moment(written: str | None, offset_minutes: int | None) -> datetime | None:
    """Read back a time that may be unknown, in the zone it was given in."""
    if written is None:
        return None
    return moment(written).astimezone(_zone(offset_minutes or 0))


@lru_cache(maxsize=2048)
def _zone(offset_minutes: int) -> timezone:
    return timezone(timedelta(minutes=offset_minutes))


def offset_minutes(given: datetime | None) -> int | None:
    """Give how far the zone of a time is ahead of UTC, in whole minutes."""
    offset = given.utcoffset() if given is not None else None
    return None if offset is None else round(offset.total_seconds() / 60)


def pack(vector: npt.NDArray[np.float32]) -> bytes:
    """Write a vector as little-endian float16."""
    return vector.astype(_STORED).tobytes()


def unpack(data: bytes) -> npt.NDArray[np.float32]:
    """Read a vector back, shape (dimension,), float32."""
    return np.frombuffer(data, dtype=_STORED).astype(np.float32)


@explained
def to_chunk(values: RowMapping) -> Chunk:
    """Read a chunk."""
    return Chunk(
        outline=OutlineCode.parse(values["outline"]),
        span=Span(values["start"], values["end"]),
        heading_path=tuple(json.loads(values["heading_path"])),
        tier=Tier(values["tier"]),
        gain_bits=values["gain_bits"],
        is_leaf=values["episode_id"] is not None,
        reason=BoundaryReason(values["reason"]),
        attempts=read_attempts(values["attempts"]),
    )


def write_attempts(attempts: Sequence[Attempt]) -> str | None:
    """Write the tiers that were tried; None for none."""
    return json.dumps([[attempt.tier.value, attempt.outcome.value] for attempt in attempts]) if attempts else None


def read_attempts(written: str | None) -> tuple[Attempt, ...]:
    """Read them back."""
    pairs: list[list[int | str]] = json.loads(written or "[]")
    return tuple(Attempt(Tier(int(tier)), AttemptOutcome(outcome)) for tier, outcome in pairs)


@explained
def to_document(values: RowMapping | Mapping[str, Any]) -> Document:
    """Read a document joined with its present version and the counts of its chunks."""
    return Document(
        id=values["id"],
        source=shown_source(values["source"]),
        title=values["title"],
        media_type=MediaType(values["media_type"]),
        language=Language(values["language"]),
        characters=values["characters"],
        content_sha256=values["content_sha256"],
        version=values["version"],
        recorded_at=moment(values["recorded_at"]),
        chunk_count=values["chunk_count"],
        episode_count=values["episode_count"],
        metadata=metadata_in(values["labels"]),
        tags=tags_in(values["labels"]),
        source_sha256=values["source_sha256"],
    )


@explained
def to_episode(values: RowMapping | Mapping[str, Any]) -> Episode:
    """Read an episode joined with its payload and, for a leaf chunk, its document and chunk."""
    about = (values["about_subject"], values["about_attribute"])
    in_document = values["outline"] is not None
    return Episode(
        id=values["id"],
        kind=EpisodeKind(values["kind"]),
        text=values["text"],
        language=Language(values["language"]),
        recorded_at=moment(values["recorded_at"]),
        occurred_at=local_moment(values["occurred_at"], values["occurred_offset_minutes"]),
        valid_from=optional_moment(values["valid_from"]),
        valid_to=optional_moment(values["valid_to"]),
        stands_until=optional_moment(values["stands_until"]),
        is_made=values["made_by"] is not None,
        state=EpisodeState(values["state"]),
        confidence=values["confidence"],
        arousal=values["arousal"],
        merge_count=values["merge_count"],
        speaker=values["speaker"],
        session=values["session"],
        position=values["position"],
        about=about if values["about_subject"] is not None else None,
        document_id=values["document_id"],
        source=values["source"] and shown_source(values["source"]),
        title=values["title"],
        outline=OutlineCode.parse(values["outline"]) if in_document else None,
        span=Span(values["start"], values["end"]) if in_document else None,
        heading_path=tuple(json.loads(values["heading_path"])) if in_document else (),
        metadata=metadata_in(values["labels"]),
        tags=tags_in(values["labels"]),
    )
