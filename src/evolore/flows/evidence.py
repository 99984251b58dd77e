"""What the indexes say about a question, gathered for the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.recall.candidates import candidates, evenly
from evolore.recall.evidence import Evidence, TermScores
from evolore.recall.neighbours import near_neighbours
from evolore.recall.speakers import match_speakers
from evolore.recall.spread import spread_terms
from evolore.text.token_weights import token_weights
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    import numpy.typing as npt

    from evolore.domain.answers import Query
    from evolore.ports import IndexView
    from evolore.recall.settings import RecallSettings
    from evolore.recall.spread import SpreadTerms

_NEAREST = 50
_BEST_BY_WORDS = 500
"""At the least; ten times as many as are asked for, where that is more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathered:
    """Evidence about the items that a question may see.

    Args:
        evidence: As the ranking takes it.
        words: What words say, with what neighbours lend.
        numbers: Each item's number in the index, shape (items,).
    """

    evidence: Evidence
    words: SpreadTerms
    numbers: npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """Which items of an index are seen, and how they are numbered among themselves."""

    count: int
    numbers: npt.NDArray[np.int32]
    new_numbers: npt.NDArray[np.int32]

    @property
    def is_all(self) -> bool:
        """Whether nothing is hidden, so that all numbers stay."""
        return self.numbers.size == self.count


def gather(
    view: IndexView,
    query: Query,
    vector: npt.NDArray[np.float32],
    *,
    seen: npt.NDArray[np.int32],
    settings: RecallSettings,
) -> Gathered:
    """Ask the indexes about a question; costs a pass over the items that hold its words, and a few over all.

    Args:
        view: The indexes.
        query: The question.
        vector: It as a unit vector, shape (dimension,).
        seen: Numbers of the items it may see, rising.
        settings: How hits are ranked.
    """
    visible = _seen(view, seen)
    tokens = query_tokens(query.text)
    starts, items, scores = view.text.term_postings(tokens, among=_there_by(view, query))
    scores = scores * np.repeat(token_weights(tokens), np.diff(starts))
    terms = TermScores(starts=starts, items=items, scores=scores)
    neighbours = near_neighbours(view.neighbours, view.neighbour_gaps, max_gap_days=settings.neighbour_gap_days)
    groups, named = view.groups, match_speakers(query.text, view.speakers, view.speaker_names)
    if not visible.is_all:
        terms = terms.renumbered(visible.new_numbers)
        neighbours = visible.new_numbers[neighbours[visible.numbers]]
        groups, named = groups[visible.numbers], named[visible.numbers]
    words = spread_terms(terms, neighbours, groups=groups, neighbour_share=settings.neighbour_share)
    similarity, sample = _similarity(view, vector, visible, words, neighbours=neighbours, limit=query.limit)
    evidence = Evidence(
        terms=terms,
        similarity=similarity,
        neighbours=neighbours,
        groups=groups,
        is_by_named_speaker=named,
        sample=sample,
    )
    return Gathered(evidence=evidence, words=words, numbers=visible.numbers)


def _there_by(view: IndexView, query: Query) -> npt.NDArray[np.bool_] | None:
    """Tell which items there were at the question's moment; None for all: how rare a word is, the future must not say."""
    if query.as_of is None:
        return None
    was_there = view.times <= query.as_of.timestamp()
    return None if was_there.all() else was_there


def _seen(view: IndexView, numbers: npt.NDArray[np.int32]) -> _Seen:
    count = len(view.episode_ids)
    if numbers.size == count:
        return _Seen(count=count, numbers=numbers, new_numbers=numbers)
    new_numbers = np.full(count + 1, -1, dtype=np.int32)  # the last answers for the neighbour that is none
    new_numbers[numbers] = np.arange(numbers.size, dtype=np.int32)
    return _Seen(count=count, numbers=numbers, new_numbers=new_numbers)


def _similarity(
    view: IndexView,
    vector: npt.NDArray[np.float32],
    seen: _Seen,
    words: SpreadTerms,
    *,
    neighbours: npt.NDArray[np.int32],
    limit: int,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int32] | None]:
    """Compare all items with the question, or those that can matter and a sample of the rest."""
    near = _nearest(view, vector, seen, count=max(_NEAREST, limit))
    if near is None:
        similarity = view.vectors.similarities(vector)
        return (similarity if seen.is_all else similarity[seen.numbers]), None
    by_words = words.windowed + words.grouped
    compared = candidates(by_words, near, neighbours, count=max(_BEST_BY_WORDS, 10 * limit))
    similarity = np.full(seen.numbers.size, np.nan, dtype=np.float32)
    similarity[compared] = view.vectors.similarities_of(vector, seen.numbers[compared])
    return similarity, evenly(seen.numbers.size)


def _nearest(
    view: IndexView, vector: npt.NDArray[np.float32], seen: _Seen, *, count: int
) -> npt.NDArray[np.int32] | None:
    """Give the nearest items; None where most are hidden, because the nearest of all would be hidden too."""
    if 2 * seen.numbers.size < seen.count:
        return None
    near = view.vectors.nearest(vector, count=count)
    if near is None or seen.is_all:
        return near
    shown = seen.new_numbers[near]
    return shown[shown >= 0]
