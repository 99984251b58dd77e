"""Forms in which columns hold values, and how rows are read and written by the forms of their columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta, timezone
from enum import IntEnum, StrEnum
from functools import lru_cache, wraps
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
from sqlalchemy import Boolean, Column, RowMapping, Table

from evolore.domain.checks import check_count, check_name, check_share
from evolore.domain.document import Attempt, AttemptOutcome, Span, Tier
from evolore.domain.episode import EdgeKind, Episode, EpisodeKind, EpisodeState
from evolore.domain.evolution import KeptStretch, Operator, StepValue, shown_source
from evolore.domain.language import Language
from evolore.domain.metadata import Metadata, MetadataValue
from evolore.domain.outline import OutlineCode
from evolore.errors import InvalidValue, StoreDamaged
from evolore.ports import MAX_SOURCE_CHARACTERS, QUERY_EDGES
from evolore.ports.changes import Parameters
from evolore.text.vectors import Float32s

T = TypeVar("T")
R = TypeVar("R", bound="RowMapping | Mapping[str, Any]")
_FORM = "form"


def as_it_is(value: Any) -> Any:  # noqa: ANN401 - any value of a column
    """Return a value that is held as it is."""
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnForm:
    """How a column holds a value."""

    read: Callable[[Any], Any] = as_it_is  #: Returns the value.
    write: Callable[[Any], Any] = as_it_is  #: Returns what the column holds of it.
    #: Takes what an export says of it, and raises ValueError, TypeError or OverflowError where that is of another form;
    #: None where ``read`` does.
    check: Callable[[Any], object] | None = None


def held(form: type[StrEnum | IntEnum] | ColumnForm) -> dict[str, ColumnForm]:
    """Return what a column says of its form: its values are those of a closed set, or of another form."""
    return {_FORM: form if isinstance(form, ColumnForm) else ColumnForm(read=form, write=lambda one: one.value)}


def form_of(column: Column[Any]) -> ColumnForm:
    """Return the form of a column."""
    found: ColumnForm | None = column.info.get(_FORM)
    return found or (_FLAG if isinstance(column.type, Boolean) else _PLAIN)


def check_of(column: Column[Any]) -> Callable[[Any], object] | None:
    """Return what refuses a value that the column's form is not that of; None where any of its type will do."""
    form = form_of(column)
    return form.check or (None if form in (_FLAG, _PLAIN) else form.read)


def explained(read: Callable[[R], T]) -> Callable[[R], T]:
    """Wrap a reader of rows so that it names a row that is no value: the caller did nothing wrong."""

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


def reader(
    kind: type[T], *tables: Table, **parts: Callable[[Any], object]
) -> Callable[[RowMapping | Mapping[str, Any]], T]:
    """Return what reads a row as a value, each field from the column of its name.

    Args:
        kind: The value's dataclass; a field that no column has is left to its default.
        tables: Where the columns are declared, in whose order they are looked for.
        parts: Return the fields that are read otherwise, each from the whole row.
    """
    columns = {column.name: column for table in reversed(tables) for column in table.columns}
    own = [one.name for one in fields(cast("Any", kind)) if one.name in columns and one.name not in parts]
    forms = {name: form_of(columns[name]).read for name in own}
    formed = [(name, form) for name, form in forms.items() if form is not as_it_is]
    plain = [name for name, form in forms.items() if form is as_it_is]

    def read(values: RowMapping | Mapping[str, Any]) -> T:
        taken = {name: values[name] for name in plain}
        for name, form in formed:
            value = values[name]
            taken[name] = None if value is None else form(value)
        for name, part in parts.items():
            taken[name] = part(values)
        return kind(**taken)

    return read


def row_of(table: Table, value: object, **others: object) -> dict[str, Any]:
    """Write a value as a row: the columns that have the name of a field, and others as they are given."""
    row: dict[str, Any] = dict(others)
    for column in table.columns:
        if column.name not in row and hasattr(value, column.name):
            row[column.name] = write(column, getattr(value, column.name))
    return row


def write(column: Column[Any], value: object) -> Any:  # noqa: ANN401 - what a driver takes
    """Write a value as its column holds it."""
    return None if value is None else form_of(column).write(value)


def timestamp(moment: datetime) -> str:
    """Write a time so that texts sort as times do.

    >>> timestamp(datetime(2026, 3, 2, tzinfo=UTC))
    '2026-03-02T00:00:00.000000+00:00'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def optional_timestamp(moment: datetime | None) -> str | None:
    """Write a time that may be unknown."""
    return None if moment is None else timestamp(moment)


moment = datetime.fromisoformat
"""Read a time back."""


def optional_moment(written: str | None) -> datetime | None:
    """Read back a time that may be unknown."""
    return None if written is None else moment(written)


def local_moment(written: str | None, offset_minutes: int | None) -> datetime | None:
    """Read back a time that may be unknown, in the zone it was given in."""
    return None if written is None else moment(written).astimezone(_zone(offset_minutes or 0))


@lru_cache(maxsize=2048)
def _zone(offset_minutes: int) -> timezone:
    return timezone(timedelta(minutes=offset_minutes))


def offset_minutes(given: datetime | None) -> int | None:
    """Return how far the zone of a time is ahead of UTC, in whole minutes."""
    offset = given.utcoffset() if given is not None else None
    return None if offset is None else round(offset.total_seconds() / 60)


_STORED = np.dtype("<f2")


def pack(vector: Float32s) -> bytes:
    """Write a vector as little-endian float16."""
    return vector.astype(_STORED).tobytes()


def unpack(data: bytes) -> Float32s:
    """Read a vector back, shape (dimension,), float32."""
    return np.frombuffer(data, dtype=_STORED).astype(np.float32)


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


def read_canaries(written: str) -> tuple[tuple[str, bool], ...]:
    """Read the changes that an answer was given under."""
    pairs: list[list[str | bool]] = json.loads(written)
    return tuple((str(promotion_id), bool(is_new)) for promotion_id, is_new in pairs)


def _write_step_body(body: Mapping[str, StepValue]) -> str:
    """Write a step's body as canonical JSON: equal bodies are written alike, in ASCII."""
    try:
        return json.dumps(dict(body), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InvalidValue(
            f"A step's body cannot be written as JSON: {error}. Use texts, finite numbers and lists."
        ) from error


def _read_step_body(written: str) -> dict[str, StepValue]:
    """Read it back."""
    body: object = json.loads(written)
    if not isinstance(body, dict):
        raise ValueError(written[:40])  # noqa: TRY004 - what reads rows explains ValueErrors
    return body  # pyright: ignore[reportUnknownVariableType] - JSON holds nothing else


TAG = "tag"
_BOOL = "bool"
_NUMBER = "number"
_TEXT = "text"
_NONE = "[]"
_NO_METADATA = Metadata()


def write_metadata(value: MetadataValue) -> tuple[str, str]:
    """Return a value's kind and the one way it is written, so that equal values are equal rows.

    >>> write_metadata(2024), write_metadata(True), write_metadata("2024")
    (('number', '2024'), ('bool', 'true'), ('text', '2024'))
    """
    if isinstance(value, bool):
        return _BOOL, "true" if value else "false"
    return (_TEXT, value) if isinstance(value, str) else (_NUMBER, repr(value))


def read_metadata(kind: str, value: str) -> MetadataValue:
    """Read a value back."""
    if kind == _TEXT:
        return value
    parsed: int | float | bool = json.loads(value)
    return parsed


def metadata_in(labels: str) -> Metadata:
    """Read the metadata out of a column of labels."""
    if labels == _NONE:  # as most have it
        return _NO_METADATA
    return Metadata({name: read_metadata(kind, value) for name, kind, value in json.loads(labels) if kind != TAG})


def tags_in(labels: str) -> tuple[str, ...]:
    """Read the tags out of a column of labels, sorted."""
    return () if labels == _NONE else tuple(sorted(name for name, kind, _ in json.loads(labels) if kind == TAG))


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


def to_episodes(rows: Iterable[RowMapping | Mapping[str, Any]]) -> tuple[Episode, ...]:
    """Read episodes of rows as ``to_episode`` takes them, in their order."""
    return tuple(map(to_episode, rows))


def _check_moment(text: str) -> None:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None or timestamp(moment) != text:  # times are compared as they are written
        raise ValueError(text)


def _check_texts(text: str) -> None:
    if not all(isinstance(part, str) for part in json.loads(text)):
        raise ValueError(text)


def _check_query_edge(name: str) -> None:
    if EdgeKind(name) not in QUERY_EDGES:
        raise ValueError(name)


@lru_cache(maxsize=64)  # every call that integrates asks; a hundred times what looking it up takes
def _read_parameters(written: str) -> Parameters:
    return MappingProxyType(json.loads(written))


def _write_parameters(parameters: Parameters) -> str:
    return json.dumps(dict(parameters), sort_keys=True, separators=(",", ":"), allow_nan=False)


def _write_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


_PLAIN = ColumnForm()
_FLAG = ColumnForm(read=bool)
MOMENT = ColumnForm(read=datetime.fromisoformat, write=timestamp, check=_check_moment)
TEXTS = ColumnForm(read=lambda text: tuple(json.loads(text)), write=_write_json, check=_check_texts)
"""A list of texts, as JSON."""
OBJECT = ColumnForm(read=json.loads, write=_write_json)
"""An object, as JSON."""
OUTLINE = ColumnForm(read=OutlineCode.parse, write=str)
ATTEMPTS = ColumnForm(read=read_attempts, write=lambda attempts: write_attempts(attempts) or "[]")
KEPT = ColumnForm(read=read_kept, write=write_kept)
CANARIES = ColumnForm(read=read_canaries, write=lambda canaries: json.dumps([list(one) for one in canaries]))
STEP_BODY = ColumnForm(read=_read_step_body, write=_write_step_body)
OPERATOR = ColumnForm(read=Operator.stored, write=lambda one: one.value)
QUERY_EDGE = ColumnForm(read=EdgeKind, write=lambda one: one.value, check=_check_query_edge)
PARAMETERS = ColumnForm(read=_read_parameters, write=_write_parameters)
EMPTY_FOR_NONE = ColumnForm(read=lambda text: text or None)
"""A text that is part of a key, and empty where there is none."""
SOURCE = ColumnForm(read=shown_source, check=lambda text: check_name(text, "The source", most=MAX_SOURCE_CHARACTERS))
NAME = ColumnForm(check=lambda text: check_name(text, "The name"))
SHARE = ColumnForm(write=float, check=lambda number: check_share(**{"The share": number}))
COUNT = ColumnForm(check=lambda number: check_count(number, "rank"))
OFFSET = ColumnForm(check=_zone)
