"""The time a question asks about: read from its words, an event in it looked up, and weighed over the items."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.periods import Period
from evolore.flows.evidence import word_scores
from evolore.flows.seen import there_by
from evolore.recall.dates import MOST_TURNS, ItemDates, date_evidence, order_preference, turn_costs
from evolore.recall.ranking import Term
from evolore.text.dates import asked_period
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    from datetime import datetime

    import numpy.typing as npt

    from evolore.domain.answers import Query
    from evolore.domain.asked_times import AskedTime
    from evolore.domain.language import Language
    from evolore.flows.meaning import Seen
    from evolore.ports import IndexView
    from evolore.recall.date_settings import DateSettings
    from evolore.recall.evidence import TermScores
    from evolore.recall.ranking import Ranking

_EVENT_SHARE = 0.5
"""An item tells of an event when it holds so much of what the event's words can give."""

_SPREAD = 200
"""Among so many of the best the days take turns."""

_ORDERED = 10
"""The first or last is sought among so many of the best."""


def read_time(
    query: Query, *, language: Language, now: datetime, view: IndexView, seen: Seen, settings: DateSettings
) -> AskedTime | None:
    """Read what a question says about time; an event in it has its time where an item is found that tells of it.

    Args:
        query: The question.
        language: The language it is in.
        now: The moment it is asked from; relative dates are counted from its day.
        view: The indexes.
        seen: What it may see.
        settings: Where seasons fall.
    """
    asked = asked_period(query.text, language=language, as_of=now, southern=settings.southern)
    if asked is None or asked.event is None:
        return asked
    day = _day_of(query, asked.event, view, seen)
    return asked if day is None else asked.at(Period(first=day, last=day))


def date_term(
    asked: AskedTime | None, view: IndexView, seen: Seen, *, settings: DateSettings
) -> dict[Term, npt.NDArray[np.float32]]:
    """Give what each item gains by its time and the times it speaks of; nothing where no time is asked for."""
    if asked is None or not settings.date_weight or not (asked.periods or asked.asks_when):
        return {}
    periods = view.periods
    dates = ItemDates(
        occurred=view.days, starts=periods.starts, first=periods.first, last=periods.last, owners=periods.owners
    )
    found = date_evidence(asked, dates, settings=settings)
    if not seen.is_all:
        found = found[seen.numbers]
    weight = settings.alone_weight if asked.is_alone else settings.date_weight
    return {Term.DATE: np.float32(weight) * found}


def with_order(
    ranking: Ranking, asked: AskedTime | None, view: IndexView, seen: Seen, *, settings: DateSettings
) -> Ranking:
    """Let the days of a time that is asked for alone take turns; prefer the first or the last of the best, where one is asked for."""
    if asked is not None and asked.is_alone:
        days = view.days[seen.numbers]
        best = np.argsort(-ranking.score, kind="stable")[:_SPREAD]
        cost = np.where(days > 0, np.float32(-settings.spread_cost * MOST_TURNS), np.float32(0.0))
        cost[best] = -turn_costs(days[best], settings=settings)
        ranking = ranking.with_term(Term.DATE, cost, limit=ranking.order.size)
    if asked is None or asked.order is None or not settings.order_weight:
        return ranking
    best = ranking.order[:_ORDERED]
    gained = np.zeros_like(ranking.score)
    gained[best] = order_preference(asked.order, view.days[seen.numbers[best]], settings=settings)
    return ranking.with_term(Term.DATE, gained, limit=ranking.order.size)


def _day_of(query: Query, event: str, view: IndexView, seen: Seen) -> date | None:
    """Give the day of the item that tells best of an event, if one tells of it and its day is known."""
    tokens = query_tokens(event)
    terms = word_scores(tokens, view, among=there_by(query, view)).renumbered(seen.new_numbers)
    held = np.bincount(terms.items, weights=terms.scores, minlength=seen.numbers.size)
    if not held.size or held.max() < _EVENT_SHARE * _most_held(terms):
        return None
    day = int(view.days[seen.numbers[int(held.argmax())]])
    return date.fromordinal(day) if day else None


def _most_held(terms: TermScores) -> float:
    """Give what an item would hold that is the best for every word."""
    return max(sum(float(best.max()) for _, best in terms.rows()), 1e-9)
