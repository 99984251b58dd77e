"""Which items a question may see: those of its moment that its filter lets through."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.domain.answers import Query
    from evolore.domain.filters import Filter
    from evolore.ports import IndexView, StoreReader


def seen_by(query: Query, view: IndexView, reader: StoreReader) -> npt.NDArray[np.int32]:
    """Give the numbers of the items that a question may see, rising.

    What it may not see takes no part at all: it is not ranked, lends its neighbours nothing and moves no average.
    So as many hits come back as were asked for, when as many match, and nothing shows of what does not match.
    """
    is_seen = np.ones(len(view.episode_ids), dtype=np.bool_)
    if query.as_of is not None:
        is_seen &= view.times <= query.as_of.timestamp()
    if query.filter.since is not None:
        is_seen &= view.times >= query.filter.since.timestamp()
    if query.filter.until is not None:
        is_seen &= view.times < query.filter.until.timestamp()
    if query.filter.asks_for_names:
        matches = _matching(reader, query.filter).__contains__
        is_seen &= np.fromiter(map(matches, view.episode_ids), dtype=np.bool_, count=is_seen.size)
    return np.flatnonzero(is_seen).astype(np.int32)


def there_by(query: Query, view: IndexView) -> npt.NDArray[np.bool_] | None:
    """Tell which items there were at the question's moment; None for all: how rare a word is, the future must not say.

    What a filter hides is counted: how rare a word is, the whole memory tells better than the few that match.
    """
    if query.as_of is None:
        return None
    was_there = view.times <= query.as_of.timestamp()
    return None if was_there.all() else was_there


def _matching(reader: StoreReader, wanted: Filter) -> frozenset[str]:
    """Look a filter up; a source that the store does not know as it is written is taken for a path."""
    found = reader.matching(wanted)
    if found or wanted.source is None:
        return found
    return reader.matching(replace(wanted, source=str(Path(wanted.source).resolve())))
