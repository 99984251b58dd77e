"""Which items a question may see: those that stood at its moment and that its filter lets through."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episodes import EpisodeState

if TYPE_CHECKING:
    from datetime import datetime

    import numpy.typing as npt

    from evolore.domain.answers import Query
    from evolore.domain.filters import Filter
    from evolore.ports import IndexView, StoreReader

_REVOKED = tuple(EpisodeState).index(EpisodeState.REVOKED)
_SUPERSEDED = tuple(EpisodeState).index(EpisodeState.SUPERSEDED)


def seen_by(query: Query, view: IndexView, reader: StoreReader) -> npt.NDArray[np.int32]:
    """Give the numbers of the items that a question may see, rising.

    What it may not see takes no part at all: it is not ranked, lends its neighbours nothing and moves no average.
    So as many hits come back as were asked for, when as many match, and nothing shows of what does not match.
    """
    there = there_by(query, view)
    is_seen = np.ones(len(view.episode_ids), dtype=np.bool_) if there is None else there.copy()
    if query.filter.since is not None:
        is_seen &= view.times >= query.filter.since.timestamp()
    if query.filter.until is not None:
        is_seen &= view.times < query.filter.until.timestamp()
    if query.filter.asks_for_names:
        matches = _matching(reader, query.filter).__contains__
        is_seen &= np.fromiter(map(matches, view.episode_ids), dtype=np.bool_, count=is_seen.size)
    return np.flatnonzero(is_seen).astype(np.int32)


def there_by(query: Query, view: IndexView) -> npt.NDArray[np.bool_] | None:
    """Tell which items stood at the question's moment; None for all: how rare a word is, the future must not say.

    What was merged into another or split counts for what it became, and what was taken back for nothing. A filter looks
    at what was said, by whom, when and where: under one, statements count as they were said, and none for others. What
    a filter hides is counted: how rare a word is, the whole memory tells better than the few that match.
    """
    as_said = view.has_hidden and not query.filter.is_empty
    if query.as_of is None and not as_said:
        return standing(view)
    moment = np.inf if query.as_of is None else query.as_of.timestamp()
    was_there = view.times <= moment
    if as_said:
        was_there &= ~view.is_made & (view.states != _REVOKED)
    elif view.has_hidden:
        was_there &= (moment < view.stands_until) & (view.states != _REVOKED)
    return None if was_there.all() else was_there


def standing(view: IndexView) -> npt.NDArray[np.bool_] | None:
    """Tell which items stand now; None for all."""
    if not view.has_hidden:
        return None
    return np.isinf(view.stands_until) & (view.states != _REVOKED)


def neighbours_by(query: Query, view: IndexView) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Give each item's neighbours, and the seconds between them, as they stood at the question's moment."""
    is_now = query.as_of is None and query.filter.is_empty
    there = there_by(query, view) if view.has_hidden and not is_now else None
    return (view.neighbours, view.neighbour_gaps) if there is None else view.relinked(there)


def superseded_by(as_of: datetime | None, view: IndexView, items: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Tell which of some items another had superseded at a moment, or now; one whose moment is not known, always."""
    is_superseded = view.states[items] == _SUPERSEDED
    if as_of is None or not is_superseded.any():
        return is_superseded
    valid_to = view.valid_to[items]
    return is_superseded & ((valid_to <= as_of.timestamp()) | np.isinf(valid_to))


def _matching(reader: StoreReader, wanted: Filter) -> frozenset[str]:
    """Look a filter up; a source that the store does not know as it is written is taken for a path."""
    found = reader.matching(wanted)
    if found or wanted.source is None:
        return found
    return reader.matching(replace(wanted, source=str(Path(wanted.source).resolve())))
