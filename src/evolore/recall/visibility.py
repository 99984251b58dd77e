"""Items that a question may see: those that were there at its moment and that its filter lets through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from evolore.domain.episode import EpisodeState
from evolore.domain.query import Query
from evolore.ports import IndexView
from evolore.recall.reader import RecallReader
from evolore.text.question_words import rarity
from evolore.text.tokens import query_tokens
from evolore.text.vectors import Bools, Float64s, Int32s

_REVOKED = tuple(EpisodeState).index(EpisodeState.REVOKED)
_SUPERSEDED = tuple(EpisodeState).index(EpisodeState.SUPERSEDED)
_PENDING = tuple(EpisodeState).index(EpisodeState.CONFLICT_PENDING)


def seen_by(query: Query, view: IndexView, matching: Collection[str] | None) -> Int32s:
    """Return the numbers of the items that a question may see, rising.

    What it may not see takes no part at all: it is not ranked, lends its neighbours nothing and moves no average.
    So as many hits come back as were asked for, when as many match, and nothing shows of what does not match.
    """
    there = there_by(query, view)
    is_seen = np.ones(len(view.episode_ids), dtype=np.bool_) if there is None else there.copy()
    if query.filter.since is not None:
        is_seen &= view.times >= query.filter.since.timestamp()
    if query.filter.until is not None:
        is_seen &= view.times < query.filter.until.timestamp()
    if matching is not None:
        is_seen &= np.fromiter(map(matching.__contains__, view.episode_ids), dtype=np.bool_, count=is_seen.size)
    return np.flatnonzero(is_seen).astype(np.int32)


def with_states_of_heads(
    query: Query, view: IndexView, reader: RecallReader
) -> tuple[IndexView, Mapping[str, Sequence[str]]]:
    """Return the view in which statements that count as they were said hold as long as what represents them does.

    What is superseded or waits for a person is the episode that represents a statement, and not the statement itself: said
    twice and then taken back, it would else be found as holding. One that several represent, after a split, is superseded
    where all of them are.

    Returns:
        The view, and for each such statement the episodes that represent it.
    """
    nothing: dict[str, Sequence[str]] = {}
    if query.filter.is_empty or not view.has_hidden:
        return view, nothing
    stands = np.isinf(view.stands_until)
    doubted = np.flatnonzero(stands & ((view.states == _SUPERSEDED) | (view.states == _PENDING)))
    members = reader.member_ids([view.episode_ids[one] for one in doubted.tolist()]) if doubted.size else nothing
    hidden = sorted({id_ for ids in members.values() for id_ in ids if not stands[view.numbers[id_]]})
    if not hidden:
        return view, nothing
    heads = reader.standing_for(hidden)
    states, valid_to = view.states.copy(), view.valid_to.copy()
    for id_, holders in heads.items():
        numbers = [view.numbers[one] for one in holders]
        of = view.states[numbers]
        if (of == _SUPERSEDED).all():
            states[view.numbers[id_]], valid_to[view.numbers[id_]] = _SUPERSEDED, view.valid_to[numbers].max()
        elif (of == _PENDING).any():
            states[view.numbers[id_]] = _PENDING
    return replace(view, states=states, valid_to=valid_to), heads


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCounts:
    """In how many items the words of a question are, of those it may see."""

    holding: Mapping[str, int]  #: For each word.
    items: int  #: How many there are.


def count_words(query: Query, view: IndexView) -> WordCounts:
    """Count the items that hold each word of a question, in what it may see."""
    tokens, is_there = query_tokens(query.text), there_by(query, view)
    starts, *_ = view.text.term_postings(tokens, among=is_there)
    items = len(view.episode_ids) if is_there is None else int(is_there.sum())
    return WordCounts(holding=dict(zip(tokens, np.diff(starts).tolist(), strict=True)), items=items)


def word_rarity(counts: Sequence[WordCounts]) -> dict[str, float]:
    """Return how rare each word of a question is, of all views together."""
    holding: Counter[str] = Counter()
    for one in counts:
        holding.update(one.holding)
    return rarity(dict(holding), sum(one.items for one in counts))


def there_by(query: Query, view: IndexView) -> Bools | None:
    """Return which items were there at the question's moment; None for all: later items must not change how rare a word is.

    Texts on trial take part only where they are before who asks, and then what they replace does not. What was
    merged into another or split counts for what it became, and what was taken back for nothing. A filter checks
    what was said, by whom, when and where: under one, statements count as they were said, and none for others. What
    a filter hides is counted: the whole memory shows better how rare a word is than the few that match.
    """
    as_said = view.has_hidden and not query.filter.is_empty
    if query.as_of is None and not as_said:
        return standing(view)
    was_there = _stood(query, view, as_said=as_said)
    return None if was_there.all() else was_there


def _stood(query: Query, view: IndexView, *, as_said: bool) -> Bools:
    moment = np.inf if query.as_of is None else query.as_of.timestamp()
    was_there = view.times <= moment
    if as_said:
        was_there &= ~view.is_made & (view.states != _REVOKED)
    elif view.has_hidden:
        was_there &= (moment < view.stands_until) & (view.states != _REVOKED)
    if view.withheld is not None:
        was_there &= ~view.withheld
    return was_there


def standing(view: IndexView) -> Bools | None:
    """Return which items are there now; None for all."""
    takes_part = None if view.withheld is None else ~view.withheld
    if not view.has_hidden:
        return takes_part
    stands = np.isinf(view.stands_until) & (view.states != _REVOKED)
    return stands if takes_part is None else stands & takes_part


def neighbours_by(query: Query, view: IndexView) -> tuple[Int32s, Float64s]:
    """Return each item's neighbours, and the seconds between them, as at the question's moment."""
    is_now = query.as_of is None and query.filter.is_empty
    there = there_by(query, view) if view.has_hidden and not is_now else None
    return (view.neighbours, view.neighbour_gaps) if there is None else view.relinked(there)


def superseded_by(as_of: datetime | None, view: IndexView, items: Int32s) -> Bools:
    """Return which of some items another had superseded at a moment, or now; one whose moment is not known, always."""
    is_superseded = view.states[items] == _SUPERSEDED
    if as_of is None or not is_superseded.any():
        return is_superseded
    valid_to = view.valid_to[items]
    return is_superseded & ((valid_to <= as_of.timestamp()) | np.isinf(valid_to))
