"""Times: as callers pass them, as stretches of calendar days, and as a question asks about them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

from evolore.domain.checks import check_name, check_time
from evolore.errors import InvalidValue

Moment: TypeAlias = datetime | str
"""A time with a zone, or a date or time as ``read_moment`` reads it, which is in UTC where it names no zone."""

ERAS = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019, "民国": 1912, "民國": 1912}
"""The first year of each."""

_DATE = re.compile(
    rf"(?:({'|'.join(ERAS)})(\d{{1,3}}|元)年|(\d{{4}})[年/.-])(\d{{1,2}})[月/.-](\d{{1,2}})(?!\d)[日号]?"
)


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED = (
    r"(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ENGLISH = re.compile(
    rf"(?:(?:[a-z]{{3,9}}, )?(\d{{1,2}})(?:st|nd|rd|th)? {_NAMED},? (\d{{4}})|{_NAMED} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}}))(?!\d)",
    re.IGNORECASE,
)
"""15 January 2026 and Jan. 15, 2026."""


def read_moment(given: Moment | None, name: str) -> datetime | None:
    """Read a moment; None passes.

    Args:
        given: What was given: ISO 8601, or a date with the year first, as 2026/3/2 or 令和8年3月2日, or with an English month,
            as 2 Mar 2026, and a time after it.
        name: What it is called where it was given.

    Returns:
        A time with a zone; of a date its first moment.

    Raises:
        InvalidValue: It is neither a time nor a date, or a ``datetime`` without a zone.

    >>> read_moment("2026-03-02", "as_of").isoformat()
    '2026-03-02T00:00:00+00:00'
    >>> read_moment("2026-03-02T14:30+09:00", "as_of").isoformat()
    '2026-03-02T14:30:00+09:00'
    >>> read_moment("令和8年3月2日 14:30", "as_of").isoformat()
    '2026-03-02T14:30:00+00:00'
    """
    moment = _parsed(given, name) if isinstance(given, str) else given
    check_time(**{name: moment})
    return moment


def _parsed(text: str, name: str) -> datetime:
    try:
        moment = datetime.fromisoformat(_in_iso(text.strip()))
    except ValueError as error:
        raise InvalidValue(
            f"{name} {text!r} is not a date or time: write it as 2026-03-02 or 2026-03-02T14:30+09:00."
        ) from error
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment


def _in_iso(text: str) -> str:
    """Write a date with the year first, or with an English month, as ISO 8601 does; all else stays as it is."""
    if found := _ENGLISH.match(text):
        first_day, first_month, first_year, name, late_day, late_year = found.groups()
        day, year = first_day or late_day, first_year or late_year
        month = 1 + _MONTHS.index((first_month or name)[:3].lower())
    elif found := _DATE.match(text):
        era, counted, written, month, day = found.groups()
        year = written or ERAS[era] - 1 + (1 if counted == "元" else int(counted))
    else:
        return text
    time = text[found.end() :].replace(" ", "").removeprefix("T")
    return f"{int(year):04}-{int(month):02}-{int(day):02}T{time or '00:00'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A stretch of calendar days, both ends included.

    An end that is not known is ``date.min`` or ``date.max``: "since 2015" runs from the first day of 2015 to
    ``date.max``.
    """

    first: date  #: The first day.
    last: date  #: The last day, not before the first.

    def __post_init__(self) -> None:
        if self.first > self.last:
            raise InvalidValue(
                f"A period from {self.first.isoformat()} to {self.last.isoformat()} ends before it begins: "
                "use the earlier day as first."
            )


_LEAST_SLACK = timedelta(days=3)


class TimeSide(StrEnum):
    """How what is sought lies to the time that the question names."""

    WITHIN = "within"
    BEFORE = "before"
    AFTER = "after"
    AROUND = "around"


class AskedOrder(StrEnum):
    """Which of several a question is after."""

    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTime:
    """What a question says about time; at least one of its parts is there."""

    periods: tuple[Period, ...] = ()  #: The stretches it names: any of them will do.
    relation: TimeSide = TimeSide.WITHIN  #: How what is sought lies to them, or to the event.
    #: The words of what happened at a time that the question does not state: "we moved" in "before we moved". When that
    #: was has to be found first, and set by ``at``. Only where there are no periods.
    event: str | None = None
    order: AskedOrder | None = None  #: Whether the first or the last of several is wanted.
    asks_when: bool = False  #: Whether the time itself is what is sought.
    is_alone: bool = False  #: Whether the question names nothing but the time: "what did we talk about last week?".

    def __post_init__(self) -> None:
        check_name(self.event, "event")
        if self.event is not None and self.periods:
            raise InvalidValue(
                f"The event {self.event!r} comes with {len(self.periods)} periods: pass it only where there are "
                "none, because it is for a time that is not known."
            )
        if not (self.periods or self.event or self.order or self.asks_when):
            raise InvalidValue("The asked time is empty: use periods, an event, an order or asks_when.")

    def at(self, event: Period) -> AskedTime:
        """Return the same with the event's time in place of its words."""
        return replace(self, event=None, periods=(event,))

    def ranges(self) -> tuple[Period, ...]:
        """Return the stretches in which what is sought lies.

        Before and after leave out the named stretch itself; around adds half its length, at least three days, on both
        sides. What would lie outside the calendar is left out.
        """
        found = (_related(period, self.relation) for period in self.periods)
        return tuple(period for period in found if period is not None)


def _related(period: Period, relation: TimeSide) -> Period | None:
    if relation is TimeSide.WITHIN:
        return period
    if relation is TimeSide.BEFORE:
        return None if period.first == date.min else Period(first=date.min, last=period.first - timedelta(days=1))
    if relation is TimeSide.AFTER:
        return None if period.last == date.max else Period(first=period.last + timedelta(days=1), last=date.max)
    slack = max(_LEAST_SLACK, (period.last - period.first) / 2)
    return Period(
        first=period.first - min(slack, period.first - date.min), last=period.last + min(slack, date.max - period.last)
    )
