"""Lists in parts: a cursor says where the last part ended."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, TypeVar, cast

from fastapi import Query

from evolore.domain.checks import MAX_COUNT
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

MOST = 1000
_NONE_OF_OURS = "cursor is none of ours: give the `next` of the part before, or leave it out."
Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at the most.")]
Cursor = Annotated[
    str | None,
    Query(max_length=400, description="Where the last part ended: its `next`. Do not build one; its form may change."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    """Where a part ended.

    Args:
        seen: How many came before and in it.
        last: The id of its last.
    """

    seen: int
    last: str


def part(
    fetch: Callable[[int], Sequence[T]], id_of: Callable[[T], str], *, limit: int, cursor: str | None
) -> tuple[Sequence[T], str | None]:
    """Give a part of a list, and the cursor of the next; None where it was the last.

    What is added at the front of the list between two parts shifts nothing: the part begins behind the id that the cursor
    names, and only where that is gone at its place.

    Args:
        fetch: Gives the first so many of the list.
        id_of: Gives the id of one.
        limit: How many are wanted.
        cursor: Where the last part ended; None for the first.

    Raises:
        InvalidValue: It is no cursor.
    """
    end = None if cursor is None else _read(cursor)
    wanted = (end.seen if end else 0) + limit + 1
    found = fetch(min(wanted, MAX_COUNT))
    start = 0 if end is None else _behind(found, id_of, end)
    if end is not None and len(found) < start + limit + 1 and len(found) == wanted:  # some were added at the front
        found = fetch(min(2 * wanted, MAX_COUNT))
        start = _behind(found, id_of, end)
    shown = found[start : start + limit]
    is_last = not shown or start + limit >= len(found)
    return shown, None if is_last else _written(_End(seen=start + len(shown), last=id_of(shown[-1])))


def part_behind(
    fetch: Callable[[Sequence[str], int], Sequence[T]],
    key_of: Callable[[T], Sequence[str]],
    *,
    limit: int,
    cursor: str | None,
) -> tuple[Sequence[T], str | None]:
    """Give a part of a list that is read from where the last part ended, and the cursor of the next; None where it was the last.

    Args:
        fetch: Gives the first so many behind a key; an empty key comes before all.
        key_of: Gives what orders one among all.
        limit: How many are wanted.
        cursor: Where the last part ended; None for the first.

    Raises:
        InvalidValue: It is no cursor.
    """
    found = fetch([] if cursor is None else _texts(cursor), limit + 1)
    shown = found[:limit]
    return shown, _encoded(list(key_of(shown[-1]))) if len(found) > limit else None


def _texts(cursor: str) -> list[str]:
    read = _decoded(cursor)
    if not read or not all(isinstance(one, str) for one in read):
        raise InvalidValue(_NONE_OF_OURS)
    return cast("list[str]", read)


def _behind(found: Sequence[T], id_of: Callable[[T], str], end: _End) -> int:
    return next((place + 1 for place, one in enumerate(found) if id_of(one) == end.last), end.seen)


def _written(end: _End) -> str:
    return _encoded([end.seen, end.last])


def _read(cursor: str) -> _End:
    seen, last, *more = (*_decoded(cursor), None, None)[:4]
    if type(seen) is not int or not 0 <= seen < MAX_COUNT or not isinstance(last, str) or any(more):
        raise InvalidValue(_NONE_OF_OURS)
    return _End(seen=seen, last=last)


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
