"""Moments as callers give them: a time with a zone, or a text in ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TypeAlias

from evolore.domain.checks import check_time
from evolore.errors import InvalidValue

Moment: TypeAlias = datetime | str
"""A time with a zone, or a date or time in ISO 8601, which is in UTC where it names no zone."""


def read_moment(given: Moment | None, name: str) -> datetime | None:
    """Read a moment; None passes.

    Args:
        given: What was given.
        name: What it is called where it was given.

    Returns:
        A time with a zone; of a date its first moment.

    Raises:
        InvalidValue: It is neither a time nor a date, or a ``datetime`` without a zone.

    >>> read_moment("2026-03-02", "as_of").isoformat()
    '2026-03-02T00:00:00+00:00'
    >>> read_moment("2026-03-02T14:30+09:00", "as_of").isoformat()
    '2026-03-02T14:30:00+09:00'
    """
    moment = _parsed(given, name) if isinstance(given, str) else given
    check_time(moment, name)
    return moment


def _parsed(text: str, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidValue(
            f"{name} {text!r} is not a date or time: write it as 2026-03-02 or 2026-03-02T14:30+09:00."
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
