"""The many ways data sets write a time, read as aware UTC."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta

_FORMS = (
    "%I:%M %p on %d %B, %Y",
    "%d.%m.%Y, %H:%M:%S",
    "%B-%d-%Y",
    "%Y%m%d_%H:%M",
    "%Y/%m/%d (%a) %H:%M",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%d %B, %Y",
    "%d %B %Y",
    "%B %d, %Y",
)
_DAY = timedelta(days=1)
_MOMENT = timedelta(microseconds=1)


def parse_time(written: str) -> datetime | None:
    """Read ISO 8601 or one of the forms met in dialogue data; None when it is none of them.

    A time without a zone is taken as UTC, a date as its first moment.

    >>> parse_time("1:56 pm on 8 May, 2023").isoformat()
    '2023-05-08T13:56:00+00:00'
    >>> parse_time("some day") is None
    True
    """
    stripped = written.strip()
    try:
        found = datetime.fromisoformat(stripped)
    except ValueError:
        return _parse_form(stripped)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def parse_asked_time(written: str) -> datetime | None:
    """Read the time of a question as ``parse_time`` does, but a date as its last moment.

    A question asked on a day may be about anything said that day.

    >>> parse_asked_time("2023-05-08").isoformat()
    '2023-05-08T23:59:59.999999+00:00'
    """
    found = parse_time(written)
    is_date = found is not None and ":" not in written and found.time() == time.min
    return found + _DAY - _MOMENT if found is not None and is_date else found


def _parse_form(written: str) -> datetime | None:
    for form in _FORMS:
        try:
            return datetime.strptime(written, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
