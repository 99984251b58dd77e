"""Putting a collection into a memory and asking it, as a user would."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, TypeAlias

from evolore.domain.episodes import Statement
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from evolore.domain.answers import Hit, Recall
    from evolore.domain.episodes import Episode
    from evolore.evaluation.retrieval_sets import Collection, Item, Question
    from evolore.flows.add import Added
    from evolore.flows.remember import Remembered

    OpenMemory: TypeAlias = "Callable[[Path, str, datetime | None], MemoryUnderTest]"
    """Opens what is measured on a store's folder and a namespace."""

RANKING_LENGTH = 50
"""How many items or documents a ranking holds, where there are as many."""

_DOCUMENT_BATCH = 100


class MemoryUnderTest(Protocol):
    """What is measured: the part of ``Memory`` that takes in and recalls."""

    def remember_many(self, statements: Iterable[Statement]) -> Remembered:
        """Remember statements; the result names an episode for each, in their order."""
        ...

    def add_texts(self, texts: Iterable[SourceText]) -> Added:
        """Add documents; the result names one for each, in their order."""
        ...

    def recall(self, text: str, *, limit: int, as_of: datetime | None) -> Recall:
        """Find what answers a question, best first."""
        ...

    def close(self) -> None:
        """Let go of files and memory."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One question as it was answered.

    Args:
        question: What was asked.
        ranking: Ids of items or documents, best first, each once, at most 50.
        milliseconds: How long the recall took.
    """

    question: Question
    ranking: tuple[str, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of one collection.

    Args:
        collection: What was taken in and asked.
        trials: One for each question, in their order.
        taking_in_seconds: How long it took to take the items in.
    """

    collection: Collection
    trials: tuple[Trial, ...]
    taking_in_seconds: float


def try_collection(
    memory: MemoryUnderTest,
    collection: Collection,
    *,
    advance: Callable[[int], None],
    afterwards: Callable[[MemoryUnderTest], None] | None = None,
) -> Outcome:
    """Take every item in, then ask every question.

    Args:
        memory: An empty one.
        collection: Items and questions; of an item the memory sees its content, of a question its text and time.
        advance: Told how many more items and questions are behind us.
        afterwards: Done with the memory when all is taken in; its time counts as taking in.
    """
    started = perf_counter()
    items_of = take_in(memory, collection.items, advance=advance)
    if afterwards is not None:
        afterwards(memory)
    taking_in_seconds = perf_counter() - started
    trials: list[Trial] = []
    for question in collection.questions:
        trials.append(_ask(memory, question, items_of))
        advance(1)
    return Outcome(collection=collection, trials=tuple(trials), taking_in_seconds=taking_in_seconds)


def take_in(
    memory: MemoryUnderTest, items: Sequence[Item], *, advance: Callable[[int], None]
) -> dict[str, tuple[str, ...]]:
    """Hand the items in and give, by episode or document, the items it came from, in their order.

    Args:
        memory: An empty one.
        items: What it is given.
        advance: Told how many more are behind us.
    """
    said = [(item.id, item.content) for item in items if isinstance(item.content, Statement)]
    written = [(item.id, item.content) for item in items if isinstance(item.content, SourceText)]
    items_of: dict[str, tuple[str, ...]] = {}
    if said:
        episodes = memory.remember_many([statement for _, statement in said]).episodes
        _note(items_of, said, [episode.id for episode in episodes])
    for start in range(0, len(written), _DOCUMENT_BATCH):
        batch = written[start : start + _DOCUMENT_BATCH]
        added = memory.add_texts([text for _, text in batch]).documents
        _note(items_of, batch, [one.document.id for one in added])
        advance(len(batch))
    advance(len(items) - len(written))
    return items_of


def _note(items_of: dict[str, tuple[str, ...]], given: Sequence[tuple[str, object]], kept_as: Sequence[str]) -> None:
    # A statement merged into an earlier one shares its episode; such an episode stands for all of its items.
    for (item_id, _), kept in zip(given, kept_as, strict=True):
        items_of[kept] = (*items_of.get(kept, ()), item_id)


def _ask(memory: MemoryUnderTest, question: Question, items_of: Mapping[str, tuple[str, ...]]) -> Trial:
    if not items_of:
        return Trial(question=question, ranking=(), milliseconds=0.0)
    query, limit = question.query, RANKING_LENGTH
    started = perf_counter()
    hits = memory.recall(query.text, limit=limit, as_of=query.as_of).hits
    milliseconds = 1000 * (perf_counter() - started)
    enough = min(RANKING_LENGTH, sum(map(len, items_of.values())))
    # Several chunks of one document may be hits: ask on until there are enough documents, or no more hits.
    while len(ranked_items(hits, items_of)) < enough and len(hits) >= limit:
        limit *= 2
        hits = memory.recall(query.text, limit=limit, as_of=query.as_of).hits
    return Trial(question=question, ranking=ranked_items(hits, items_of)[:RANKING_LENGTH], milliseconds=milliseconds)


def ranked_items(hits: Sequence[Hit], items_of: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Give the items that hits stand for, best first, each once."""
    kept_as = (episode.document_id or episode.id for episode in _episodes(hits))
    return tuple(dict.fromkeys(item_id for kept in kept_as for item_id in items_of.get(kept, ())))


def _episodes(hits: Sequence[Hit]) -> tuple[Episode, ...]:
    """Give what was found, best first: what was folded into a hit stands where its own score puts it."""
    scored = [(score, episode) for hit in hits for score, episode in hit.scored_episodes]
    if len(scored) > len(hits):
        scored.sort(key=lambda one: -one[0])  # stable: ties stand as they came
    return tuple(episode for _, episode in scored)
