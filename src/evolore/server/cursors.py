"""Lists as requests ask for them: a cursor says where the last part ended, metadata and tags what is listed."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, TypeAlias, TypeVar, cast

from fastapi import Depends, Query

from evolore.domain.filters import Filter
from evolore.domain.metadata import MAX_TAGS, Metadata, checked_tags
from evolore.domain.review import Priority, ReviewItem
from evolore.errors import InvalidValue

T = TypeVar("T")

MOST = 1000
_MOST_DIGITS = 9
_NONE_OF_OURS = "cursor is not from here: use the `next` of the part before, or leave it out."
Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=400, description="Where the last part ended: its `next`. Do not build one; its form may change."),
]


def part(
    fetch: Callable[[Sequence[str], int], Sequence[T]],
    key_of: Callable[[T], Sequence[str]],
    *,
    limit: int,
    cursor: str | None,
) -> tuple[Sequence[T], str | None]:
    """Return a part of a list that is read from where the last part ended, and the cursor of the next; None where it was the last."""
    found = fetch([] if cursor is None else _texts(cursor), limit + 1)
    shown = found[:limit]
    return shown, _encoded(list(key_of(shown[-1]))) if len(found) > limit else None


def part_by_id(
    fetch: Callable[[str, int], Sequence[T]], id_of: Callable[[T], str], *, limit: int, cursor: str | None
) -> tuple[Sequence[T], str | None]:
    """Return a part of a list that is ordered by ids alone, as ``part`` does; ``fetch`` is given an empty id for the first."""
    return part(lambda key, most: fetch(id_in(key), most), lambda one: (id_of(one),), limit=limit, cursor=cursor)


def id_in(key: Sequence[str]) -> str:
    """Read a key that is an id; an empty one where there is none."""
    if len(key) > 1:
        raise InvalidValue(_NONE_OF_OURS)
    return key[0] if key else ""


def number_in(key: Sequence[str]) -> int | None:
    """Read a key that is a number; None where there is none."""
    if not key:
        return None
    if len(key) > 1 or not key[0].isdigit() or len(key[0]) > _MOST_DIGITS:
        raise InvalidValue(_NONE_OF_OURS)
    return int(key[0])


def moment_and_id_in(key: Sequence[str]) -> tuple[datetime, str] | None:
    """Read a key that is a moment and an id; None where there is none."""
    if not key:
        return None
    try:
        at, id_ = key
        return datetime.fromisoformat(at).astimezone(UTC), id_
    except (ValueError, OverflowError) as error:
        raise InvalidValue(_NONE_OF_OURS) from error


def queue_key(one: ReviewItem) -> tuple[str, str, str]:
    """Return the place of an item in the review queue."""
    assert one.id is not None
    assert one.created_at is not None
    return one.priority.value, one.created_at.isoformat(), one.id


def place_in_queue(key: Sequence[str]) -> tuple[Priority, datetime, str] | None:
    """Read a place in the review queue; None where there is none."""
    if not key:
        return None
    try:
        priority, filed_at, id_ = key
        return Priority(priority), datetime.fromisoformat(filed_at).astimezone(UTC), id_
    except (ValueError, OverflowError) as error:
        raise InvalidValue(_NONE_OF_OURS) from error


def _texts(cursor: str) -> list[str]:
    read = _decoded(cursor)
    if not read or not all(isinstance(one, str) and one.isascii() and one.isprintable() for one in read):
        raise InvalidValue(_NONE_OF_OURS)
    return cast("list[str]", read)


def _encoded(values: Sequence[object]) -> str:
    return urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def _decoded(cursor: str) -> list[object]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        read: object = json.loads(urlsafe_b64decode(padded))
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidValue(_NONE_OF_OURS) from error
    if not isinstance(read, list):
        raise InvalidValue(_NONE_OF_OURS)
    return cast("list[object]", read)


def read_metadata(text: str, name: str) -> Metadata:
    """Read metadata that came as JSON."""
    try:
        read: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidValue(f'{name} is no JSON: write it as {{"team": "ops"}}.') from error
    if not isinstance(read, dict):
        raise InvalidValue(f'{name} is no JSON object: write it as {{"team": "ops"}}.')
    return Metadata(cast("dict[str, Any]", read))


def _labelled(
    where: Annotated[
        str | None, Query(max_length=20_000, description='Only what has this metadata, as JSON: `{"team": "ops"}`.')
    ] = None,
    tag: Annotated[list[str] | None, Query(max_length=MAX_TAGS, description="Only what has all of these tags.")] = None,
) -> Filter:
    return Filter(where=Metadata() if where is None else read_metadata(where, "where"), tags=checked_tags(tag or ()))


Labelled: TypeAlias = Annotated[Filter, Depends(_labelled)]
"""What is listed must have this metadata and these tags; without either, everything."""
