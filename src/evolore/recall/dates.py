"""Dates as evidence: how well the time of items, and the times they speak of, fit what a question asks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime

import numpy as np

from evolore.domain.language import Language
from evolore.domain.query import Query
from evolore.domain.times import AskedOrder, AskedTime, Period
from evolore.errors import InvalidValue
from evolore.ports import IndexView
from evolore.recall.dense import Seen
from evolore.recall.evidence import word_scores
from evolore.recall.ranking import Ranking, Term
from evolore.recall.visibility import there_by
from evolore.text.dates import asked_period
from evolore.text.tokens import query_tokens
from evolore.text.vectors import Float32s, Int32s, Int64s

# Chosen on TimeQA, LoCoMo and the visible half of tests/data/life: of the first five, inside a time that is asked for alone,
# 87.2 % are right (docs/figures.md). Weights are in the unit of scores.
_DATE_WEIGHT = 0.25
_ALONE_WEIGHT = 2.0
"""What an item gains whose time is the one that was asked for; where the question names nothing but the time."""

_SPREAD_COST = 0.05
"""What each further item of a day loses then, so that the days of the time take turns."""

DATED_SHARE = 0.4
"""Part of the weight that an item gains by naming any date where a question asks when something was."""

_NEAR_SHARE = 0.5
"""Part of it that is left right beside what was asked for; it fades with the distance."""

_BREADTH_EXPONENT = 0.25
"""How fast it falls where an item speaks of a longer time than was asked for: by the share that was asked for to this power."""

ORDER_WEIGHT = 0.035
"""What the first or last of the best gains where a question asks for it."""

_EARLIEST = date.min.toordinal()
_LATEST = date.max.toordinal()
_OPEN_DAYS = 3650.0
"""How long a stretch without an end is taken to be: "since 2015" holds for years, and says little of a month."""

_FADING_SHARE = 0.5
_LEAST_FADING_DAYS = 2.0
_MOST_FADING_DAYS = 730.0
MOST_TURNS = 20
"""Behind so many of a day, nothing more is lost."""

_REACH = 4.0
"""Beyond so many times the distance at which it fades to a third, a fiftieth is left, which counts for nothing."""


_NO_OWNERS = np.zeros(0, dtype=np.int32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemDates:
    """When items were and which times they speak of; days are counted as ``date.toordinal`` does."""

    occurred: Int32s  #: The day each happened; 0 where that is not known. int32, shape (items,).
    #: Where the periods of each item begin, and the end of the last: int64, shape (items + 1,).
    starts: Int64s
    first: Int32s  #: The first day of each period, int32, shape (periods,).
    last: Int32s  #: The last day of each, int32, shape (periods,).
    #: The item each period belongs to, shape (periods,); counted where it is not given.
    owners: Int32s = field(default_factory=lambda: _NO_OWNERS, repr=False)

    def __post_init__(self) -> None:
        if self.starts.size != self.occurred.size + 1 or self.starts[0] != 0 or self.starts[-1] != self.first.size:
            raise InvalidValue(
                f"{self.starts.size} starts do not cut {self.first.size} periods for {self.occurred.size} items: pass "
                "one for each item and the number of periods at the end, from 0."
            )
        if self.first.shape != self.last.shape:
            raise InvalidValue(f"{self.first.size} first days and {self.last.size} last days: use as many of each.")
        # An item's number is how many items began up to there; counting so is ten times as fast as np.repeat.
        if self.owners is not _NO_OWNERS:
            return
        begun = np.bincount(self.starts[1:-1], minlength=self.first.size)[: self.first.size]
        object.__setattr__(self, "owners", np.cumsum(begun).astype(np.int32))


def date_evidence(asked: AskedTime, dates: ItemDates) -> Float32s:
    """Return how well each item fits the time that was asked for, from 0 to 1.

    The best of its own day and the periods it speaks of counts. A stretch that lies within what was asked for fits
    wholly; one that overlaps it fits as far as the shorter of the two is covered; one that is longer fits less, by
    ``_BREADTH_EXPONENT``; one that lies beside fits by ``_NEAR_SHARE``, and the less the farther it is. Where a question
    only asks when something was, what speaks of any time gains ``DATED_SHARE``.

    Costs a few comparisons a period, and a dozen operations on those that overlap or come near without lying within.

    Returns:
        Shape (items,); 0 for all where nothing about a time was asked.
    """
    found = np.zeros(dates.occurred.size, dtype=np.float32)
    for period in asked.ranges():
        _take_best(found, None, dates.occurred, dates.occurred, period=period)
        _take_best(found, dates.owners, dates.first, dates.last, period=period)
    if asked.asks_when and not asked.periods:
        found[np.diff(dates.starts) > 0] = DATED_SHARE
    return found


def order_preference(order: AskedOrder, days: Int32s) -> Float32s:
    """Return what the best candidates gain where the first or the last of several is asked for.

    They are put in the order of their days; the one asked for gains ``ORDER_WEIGHT``, the other end nothing, those
    between evenly by their place. Equal days gain alike, and what has no day gains nothing.
    """
    gained = np.zeros(days.size, dtype=np.float32)
    known = np.flatnonzero(days)
    places, place = np.unique(days[known], return_inverse=True)
    if places.size > 1:
        share = place / (places.size - 1)
        gained[known] = ORDER_WEIGHT * (share if order is AskedOrder.LAST else 1.0 - share)
    return gained


def turn_costs(days: Int32s) -> Float32s:
    """Return what items lose so that their days take turns: nothing for the best of a day, more for each behind it.

    What has no day takes no turns.

    Args:
        days: When each happened, best item first, as ``date.toordinal`` counts; 0 where that is not known. Shape (items,).

    >>> turn_costs(np.array([5, 5, 6], dtype=np.int32)).round(3).tolist()
    [0.0, 0.05000000074505806, 0.0]
    """
    order = np.argsort(days, kind="stable")
    begins = (
        np.flatnonzero(np.concatenate(([True], np.diff(days[order]) != 0))) if days.size else np.zeros(0, dtype=np.intp)
    )
    place = np.zeros(days.size, dtype=np.float32)
    place[order] = np.arange(days.size) - np.repeat(begins, np.diff(np.append(begins, days.size)))
    place[days == 0] = 0.0
    return np.asarray(np.float32(_SPREAD_COST) * np.minimum(place, np.float32(MOST_TURNS)), dtype=np.float32)


def _fading_days(period: Period) -> float:
    return min(max(_LEAST_FADING_DAYS, _FADING_SHARE * _length(period)), _MOST_FADING_DAYS)


def _length(period: Period) -> float:
    return float(period.last.toordinal() - period.first.toordinal() + 1)


def _take_best(found: Float32s, owners: Int32s | None, first: Int32s, last: Int32s, *, period: Period) -> None:
    """Raise each item's evidence to the best fit of its stretches: those it owns, or its own day."""
    start, end = np.int32(period.first.toordinal()), np.int32(period.last.toordinal())
    reach = int(_REACH * _fading_days(period))
    is_near = first <= end + reach
    is_near &= last >= max(int(start) - reach, _EARLIEST)
    near = np.flatnonzero(is_near)
    first, last = first[near], last[near]
    items = near if owners is None else owners[near]
    # What lies within fits wholly: most of what a broad question meets needs no more than this.
    is_inside = first >= start
    is_inside &= last <= end
    found[items[is_inside]] = 1.0
    rest = np.flatnonzero(~is_inside)
    if rest.size:
        fit, items = _fit(first[rest], last[rest], period), items[rest]
        runs = np.flatnonzero(np.concatenate(([True], items[1:] != items[:-1])))
        found[items[runs]] = np.maximum(found[items[runs]], np.maximum.reduceat(fit, runs))


def _fit(first: Int32s, last: Int32s, period: Period) -> Float32s:
    length = np.float32(_length(period))
    is_open = (first <= _EARLIEST) | (last >= _LATEST)
    theirs = (last - first + 1).astype(np.float32)
    theirs[is_open] = np.minimum(theirs[is_open], np.float32(_OPEN_DAYS))
    overlap = np.minimum(last, np.int32(period.last.toordinal())) - np.maximum(
        first, np.int32(period.first.toordinal())
    )
    overlap = overlap.astype(np.float32) + np.float32(1.0)
    covered = np.minimum(overlap / np.minimum(theirs, length), np.float32(1.0))
    beside = _NEAR_SHARE * np.exp(np.minimum(overlap - 1.0, 0.0) / np.float32(_fading_days(period)))
    fit = np.where(overlap > 0.0, covered, beside)
    fit *= np.minimum(length / theirs, np.float32(1.0)) ** np.float32(_BREADTH_EXPONENT)
    return np.asarray(fit, dtype=np.float32)


_EVENT_SHARE = 0.5
"""An item reports an event when it holds so much of what the event's words can score."""

_SPREAD = 200
"""Among so many of the best the days take turns."""

_ORDERED = 10
"""The first or last is sought among so many of the best."""


def read_time(
    query: Query, *, language: Language, now: datetime, view: IndexView, seen: Seen, is_southern: bool
) -> AskedTime | None:
    """Read what a question says about time; an event in it gets its time from an item that reports it."""
    asked = asked_period(query.text, language=language, as_of=now, southern=is_southern)
    if asked is None or asked.event is None:
        return asked
    day = _day_of(query, asked.event, view, seen)
    return asked if day is None else asked.at(Period(first=day, last=day))


def date_term(asked: AskedTime, view: IndexView, seen: Seen) -> dict[Term, Float32s]:
    """Return what each item gains by its time and the times it speaks of; nothing where no time is asked for."""
    if not (asked.periods or asked.asks_when):
        return {}
    periods = view.periods
    dates = ItemDates(
        occurred=view.days, starts=periods.starts, first=periods.first, last=periods.last, owners=periods.owners
    )
    found = date_evidence(asked, dates)
    if not seen.is_all:
        found = found[seen.numbers]
    weight = _ALONE_WEIGHT if asked.is_alone else _DATE_WEIGHT
    return {Term.DATE: np.float32(weight) * found}


def with_order(ranking: Ranking, asked: AskedTime, view: IndexView, seen: Seen) -> Ranking:
    """Alternate the days of a time that is asked for alone; prefer the first or the last of the best, where one is asked for."""
    if asked.is_alone:
        days = view.days[seen.numbers]
        best = np.argsort(-ranking.score, kind="stable")[:_SPREAD]
        cost = np.where(days > 0, np.float32(-_SPREAD_COST * MOST_TURNS), np.float32(0.0))
        cost[best] = -turn_costs(days[best])
        ranking = ranking.with_term(Term.DATE, cost, limit=ranking.order.size)
    if asked.order is None:
        return ranking
    best = ranking.order[:_ORDERED]
    gained = np.zeros_like(ranking.score)
    gained[best] = order_preference(asked.order, view.days[seen.numbers[best]])
    return ranking.with_term(Term.DATE, gained, limit=ranking.order.size)


def _day_of(query: Query, event: str, view: IndexView, seen: Seen) -> date | None:
    """Return the day of the item that best reports an event, if there is one and its day is known."""
    terms = word_scores(query_tokens(event), view, among=there_by(query, view)).renumbered(seen.new_numbers)
    held = np.bincount(terms.items, weights=terms.scores, minlength=seen.numbers.size)
    if not held.size or held.max() < _EVENT_SHARE * max(sum(float(best.max()) for _, best in terms.rows()), 1e-9):
        return None
    day = int(view.days[seen.numbers[int(held.argmax())]])
    return date.fromordinal(day) if day else None
