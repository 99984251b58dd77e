"""What an answer is made from: hits as passages, each with what it needs to be understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.citing import episode_day
from evolore.domain.knowledge import Span
from evolore.flows.on_trial import as_seen
from evolore.flows.seen import neighbours_by, seen_by, superseded_by, there_by
from evolore.recall.answer_units import UnitKind, answer_units
from evolore.recall.asked_words import rarity
from evolore.recall.extracting import Passage
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from evolore.domain.answers import Hit, Query, Recall
    from evolore.domain.episodes import Episode
    from evolore.flows.context import Context
    from evolore.ports import IndexView, StoreReader

_BEFORE, _AFTER = 1, 2
"""Columns of the neighbour links that are next before and next after the item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage, and the episodes it is made of.

    Args:
        passage: What it says.
        parts: The episodes, each with where its text begins in the passage, in text order.
        rank: Of the hit it was found by.
    """

    passage: Passage
    parts: tuple[tuple[int, Episode], ...]
    rank: int

    @property
    def whole(self) -> Span:
        """All of it."""
        return Span(0, len(self.passage.text))

    def cut(self, span: Span) -> Iterator[tuple[Episode, Span]]:
        """Give the episodes that a span of the passage lies in, each with the span in its own text, without blanks."""
        for start, episode in self.parts:
            first, last = max(span.start - start, 0), min(span.end - start, len(episode.text))
            quote = episode.text[first:last] if first < last else ""
            if quote.strip():
                first += len(quote) - len(quote.lstrip())
                yield episode, Span(first, first + len(quote.strip()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a question may be answered from.

    Args:
        found: Passages, best first.
        rarity: How rare the question's words are in what it may see.
        versions: The version of each document that was read.
        items: How many items the question may see.
    """

    found: tuple[Source, ...]
    rarity: Mapping[str, float]
    versions: Mapping[str, int]
    items: int


def read_sources(context: Context, found: Recall) -> Sources:
    """Read the hits of a question, each with what it announces or is announced by, as far as the question may see it."""
    with context.store.index(context.namespace) as (whole, reader):
        view = as_seen(found.query, whole)
        sources = _Reading(found.query, view, reader).sources(found.hits)
        return Sources(
            found=sources,
            rarity=word_rarity(found.query, view),
            versions=_versions(found.query, sources, reader),
            items=found.searched,
        )


def word_rarity(query: Query, view: IndexView) -> dict[str, float]:
    """Give how rare each word of a question is in what it may see."""
    tokens, there = query_tokens(query.text), there_by(query, view)
    starts, *_ = view.text.term_postings(tokens, among=there)
    counts: list[int] = np.diff(starts).tolist()
    return rarity(dict(zip(tokens, counts, strict=True)), len(view.episode_ids) if there is None else int(there.sum()))


def _versions(query: Query, sources: Sequence[Source], reader: StoreReader) -> dict[str, int]:
    """Give the version of each document: the present one, or that of the moment the question is asked from."""
    named = {episode.document_id for source in sources for _, episode in source.parts}
    versions: dict[str, int] = {}
    for id_ in sorted(one for one in named if one is not None):
        past = reader.outline_at(id_, query.as_of) if query.as_of is not None else None
        document = past[0] if past is not None else reader.document(id_)
        if document is not None:
            versions[id_] = document.version
    return versions


class _Reading:
    """Reads hits, and what stands next to them as far as the question may see it."""

    def __init__(self, query: Query, view: IndexView, reader: StoreReader) -> None:
        self._as_of = query.as_of
        self._view = view
        self._reader = reader
        self._seen = frozenset(seen_by(query, view, reader).tolist())
        self._neighbours, _ = neighbours_by(query, view)

    def sources(self, hits: Sequence[Hit]) -> tuple[Source, ...]:
        best = max((hit.score for hit in hits), default=0.0)
        met: set[str] = set()
        found: list[Source] = []
        for hit in hits:
            if self._is_superseded(hit.episode):
                continue
            episodes = self._episodes(hit)
            if any(one.id not in met for one in episodes):
                met |= {one.id for one in episodes}
                found.append(_source(hit, episodes, best))
        return tuple(found)

    def _is_superseded(self, episode: Episode) -> bool:
        """Tell whether another says what holds in its stead: recall finds it below that one, an answer leaves it out."""
        number = self._view.numbers.get(episode.id)
        return number is not None and bool(superseded_by(self._as_of, self._view, np.array([number], np.int32))[0])

    def _episodes(self, hit: Hit) -> tuple[Episode, ...]:
        wider = hit.expansion
        if wider is not None:
            ids, _ = self._reader.passage(hit.episode.document_id or "", wider.span)
            return self._reader.episodes(ids)
        units = answer_units(hit.episode.text)
        goes_on = bool(units) and units[-1].announces
        is_led = bool(units) and units[0].kind in {UnitKind.ITEM, UnitKind.TABLE_ROW}
        before = self._beside(hit.episode, _BEFORE) if is_led else ()
        return (*before, hit.episode, *(self._beside(hit.episode, _AFTER) if goes_on else ()))

    def _beside(self, episode: Episode, column: int) -> tuple[Episode, ...]:
        number = self._view.numbers.get(episode.id)
        beside = -1 if number is None else int(self._neighbours[number, column])
        if beside not in self._seen:
            return ()
        found = self._reader.episodes([self._view.episode_ids[beside]])
        return tuple(one for one in found if one.document_id == episode.document_id)


def _source(hit: Hit, episodes: Sequence[Episode], best: float) -> Source:
    """Join what belongs together: leaves of a document as they stand, statements on lines of their own."""
    between = "" if hit.episode.document_id else "\n"
    parts: list[tuple[int, Episode]] = []
    length = 0
    for one in episodes:
        parts.append((length, one))
        length += len(one.text) + len(between)
    weight = min(max(hit.score / best, 0.0), 1.0) if best > 0 else 1.0 / hit.rank
    passage = Passage(text=between.join(one.text for one in episodes), weight=weight, context=_place(episodes[0]))
    return Source(passage=passage, parts=tuple(parts), rank=hit.rank)


def _place(episode: Episode) -> str:
    """Say where a passage stands, or who said it and when, as far as anybody told."""
    if episode.document_id is None:
        day = episode_day(episode) if episode.occurred_at else None
        return " · ".join(part for part in (episode.speaker, day) if part)
    return " › ".join(dict.fromkeys(part for part in (episode.title or "", *episode.heading_path) if part))
