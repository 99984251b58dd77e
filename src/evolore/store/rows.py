"""Rows become values, values become rows: documents, episodes, metadata, tags and keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sqlalchemy import ColumnElement, Connection, RowMapping, ScalarSelect, Select, delete, insert, select

from evolore.domain.document import Attempt, AttemptOutcome, BoundaryReason, Chunk, Document, MediaType, Span, Tier
from evolore.domain.episode import Episode, EpisodeKind, EpisodeState
from evolore.domain.evolution import KeptStretch, shown_source
from evolore.domain.language import Language
from evolore.domain.metadata import Labels, Metadata, MetadataValue
from evolore.domain.outline import OutlineCode
from evolore.domain.times import Period
from evolore.errors import StoreDamaged
from evolore.store.sql import RowsOf
from evolore.store.tables import attributes

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.ports import ItemKeys

TAG = "tag"
_BOOL = "bool"
_NUMBER = "number"
_TEXT = "text"
_NONE = "[]"
_NO_METADATA = Metadata()


def written(value: MetadataValue) -> tuple[str, str]:
    """Return a value's kind and the one way it is written, so that equal values are equal rows.

    >>> written(2024), written(True), written("2024")
    (('number', '2024'), ('bool', 'true'), ('text', '2024'))
    """
    if isinstance(value, bool):
        return _BOOL, "true" if value else "false"
    return (_TEXT, value) if isinstance(value, str) else (_NUMBER, repr(value))


def read(kind: str, value: str) -> MetadataValue:
    """Read a value back."""
    if kind == _TEXT:
        return value
    parsed: int | float | bool = json.loads(value)
    return parsed


def insert_labels(connection: Connection, ns: int, labels: Iterable[tuple[str, Labels]]) -> None:
    """Write the metadata and tags of documents or statements that have none yet, each after its id."""
    rows = [
        {"ns": ns, "owner_id": owner_id, "name": name, "kind": kind, "value": value}
        for owner_id, given in labels
        for name, kind, value in _entries(given.metadata or {}, given.tags or ())
    ]
    if rows:
        connection.execute(insert(attributes), rows)


def replace_labels(connection: Connection, ns: int, owner_id: str, labels: Labels) -> None:
    """Replace the metadata and tags of a document or statement; what is None stays as it is."""
    here = (attributes.c.ns == ns, attributes.c.owner_id == owner_id)
    if labels.metadata is not None:
        connection.execute(delete(attributes).where(*here, attributes.c.kind != TAG))
    if labels.tags is not None:
        connection.execute(delete(attributes).where(*here, attributes.c.kind == TAG))
    insert_labels(connection, ns, [(owner_id, labels)])


def _entries(metadata: Mapping[str, MetadataValue], tags: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return the name, kind and value of each row."""
    return [*((name, *written(value)) for name, value in metadata.items()), *((tag, TAG, "") for tag in tags)]


def labels_column(ns: int | ColumnElement[int], owner_id: ColumnElement[Any]) -> ScalarSelect[str]:
    """Select the metadata and tags of the row's owner as one column, to be read by ``metadata_in`` and ``tags_in``."""
    owned = select(RowsOf(attributes.c.name, attributes.c.kind, attributes.c.value)).where(
        attributes.c.ns == ns, attributes.c.owner_id == owner_id
    )
    return owned.scalar_subquery()


def labels_text(labels: Labels) -> str:
    """Write metadata and tags as a column of labels reads."""
    return json.dumps(_entries(labels.metadata or {}, labels.tags or ()))


def metadata_in(labels: str) -> Metadata:
    """Read the metadata out of a column of labels."""
    if labels == _NONE:  # as most have it
        return _NO_METADATA
    return Metadata({name: read(kind, value) for name, kind, value in json.loads(labels) if kind != TAG})


def tags_in(labels: str) -> tuple[str, ...]:
    """Read the tags out of a column of labels, sorted."""
    if labels == _NONE:
        return ()
    return tuple(sorted(name for name, kind, _ in json.loads(labels) if kind == TAG))


def select_owners(ns: int, *, metadata: Mapping[str, MetadataValue], tags: Iterable[str]) -> list[Select[str]]:
    """Select, for each name and tag by itself, the documents and statements that have it."""
    return [
        select(attributes.c.owner_id).where(
            attributes.c.ns == ns, attributes.c.name == name, attributes.c.kind == kind, attributes.c.value == value
        )
        for name, kind, value in _entries(metadata, tags)
    ]


def written_keys(keys: ItemKeys) -> dict[str, str]:
    """Write a text's tokens, names and periods as the columns of its payload."""
    return {
        "tokens": " ".join(keys.tokens),
        "names": "\n".join(keys.names),
        "periods": write_periods(keys.periods),
    }


def write_periods(periods: Iterable[Period]) -> str:
    """Write periods.

    >>> write_periods([Period(first=date(2026, 3, 1), last=date(2026, 3, 31))])
    '2026-03-01/2026-03-31'
    """
    return " ".join(f"{period.first.isoformat()}/{period.last.isoformat()}" for period in periods)


def read_names(written: str) -> tuple[str, ...]:
    """Read names back."""
    return tuple(written.split("\n")) if written else ()


def read_periods(written: str) -> tuple[Period, ...] | None:
    """Read periods back; None where what stands there is none."""
    try:
        ends = (map(date.fromisoformat, pair.split("/")) for pair in written.split())
        return tuple(Period(first=first, last=last) for first, last in ends)
    except ValueError:
        return None


@lru_cache(maxsize=4096)  # texts of one time speak of the same days
def read_days(written: str) -> tuple[tuple[int, int], ...]:
    """Read periods back as first and last days, counted as ``date.toordinal`` does; none where what stands there is none.

    What cannot be read is ``doctor``'s to tell and to make anew.
    """
    return tuple((one.first.toordinal(), one.last.toordinal()) for one in read_periods(written) or ())


def read_share(written: object) -> float | None:
    """Read a share back; None where there is none, or what stands there is none."""
    return written if isinstance(written, float) and 0.0 <= written <= 1.0 else None


_STORED = np.dtype("<f2")
T = TypeVar("T")
R = TypeVar("R", bound="RowMapping | Mapping[str, Any]")


def explained(read: Callable[[R], T]) -> Callable[[R], T]:
    """Wrap a reader of rows so that it names a row that is no value: whoever asked did nothing wrong."""

    @wraps(read)
    def explained(values: R) -> T:
        try:
            return read(values)
        except (ValueError, TypeError) as error:
            raise StoreDamaged(
                f"The row {values['id']!r} of the store cannot be read: {error} `evolore store doctor` lists all such rows; "
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
    """Return how far the zone of a time is ahead of UTC, in whole minutes."""
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


def write_kept(kept: Sequence[KeptStretch] | None) -> str | None:
    """Write the stretches in which a version says something else than its source."""
    rows = None if kept is None else [[one.span.start, one.span.end, one.source] for one in kept]
    return None if rows is None else json.dumps(rows, ensure_ascii=False)


def read_kept(text: str | None) -> tuple[KeptStretch, ...] | None:
    """Read them; None where they were not noted."""
    if text is None:
        return None
    return tuple(KeptStretch(span=Span(start, end), source=str(said)) for start, end, said in json.loads(text))


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
        is_file=bool(values["is_file"]),
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
