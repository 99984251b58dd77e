"""Stores behind the same two calls, so that they can be compared: Evolore, and the plainest there is."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from sqlalchemy import event

from durable_remember import wait_for_disk
from evolore.domain.episode import Statement
from evolore.jobs.clock import SteppingClock, SystemClock
from evolore.memory import Memory
from evolore.ports import SourceText, TextRole
from evolore.recall.indexed_texts import dense_key
from harness import inside

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import ExitStack
    from pathlib import Path

    from evolore.ports import Embedder, Vectors
    from evolore_evaluation.retrieval_sets import Collection, Question, SetItem

HITS = 50
ON_DISK, IN_MEMORY = "disk", "memory"


@dataclass(frozen=True, slots=True)
class Place:
    """What one store is opened for.

    Args:
        folder: A new one of its own.
        ends: Where it is closed.
        embedder: Knows every vector already.
        collection: What will be taken in.
    """

    folder: Path
    ends: ExitStack
    embedder: Embedder
    collection: Collection

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Give the vectors of texts that are taken in, shape (texts, dimension)."""
        return self.embedder.embed(texts, role=TextRole.PASSAGE)

    def question(self, text: str) -> Vectors:
        """Give the vector of a question, shape (dimension,)."""
        return self.embedder.embed([text], role=TextRole.QUERY)[0]


class Store(Protocol):
    """A store that takes items and answers questions."""

    kept: str

    def take(self, items: Sequence[SetItem]) -> None:
        """Take some items in, and return when they are kept."""
        ...

    def ask(self, question: Question) -> list[str]:
        """Give the ids of what answers a question, best first, at most ``HITS``."""
        ...


def text_of(item: SetItem) -> str:
    """Give what everyone is given of an item: what Evolore embeds of it."""
    content = item.content
    if isinstance(content, Statement):
        return dense_key(content.text, speaker=content.speaker)
    return "" if content is None else dense_key(content.text, title=content.title)


def facts_of(item: SetItem) -> dict[str, str]:
    """Give what stands beside a text, for those that keep it."""
    content = item.content
    if not isinstance(content, Statement):
        return {"item": item.id}
    said = {"item": item.id, "session": content.session or "", "speaker": content.speaker or ""}
    return said | ({"timestamp": content.occurred_at.isoformat()} if content.occurred_at else {})


class Evolore:
    """Evolore, as shipped or waiting for the disk with each commit."""

    kept = ON_DISK

    def __init__(self, place: Place, *, waits_for_disk: bool = False) -> None:
        began = place.collection.began_at
        clock = SystemClock() if began is None else SteppingClock(began)
        with Memory.open(place.folder, namespace="other", embedder=place.embedder, clock=clock) as other:
            other.remember("the first makes the store")
        self._memory = place.ends.enter_context(Memory.open(place.folder, embedder=place.embedder, clock=clock))
        self._items_of: defaultdict[str, list[str]] = defaultdict(list)
        if waits_for_disk:
            engine = inside(self._memory, "_context.store._open.database")().engine
            engine.dispose()
            event.listen(engine, "connect", wait_for_disk)

    def take(self, items: Sequence[SetItem]) -> None:
        """Remember statements in one transaction, add documents in one each."""
        said = [one.content for one in items if isinstance(one.content, Statement)]
        written = [one.content for one in items if isinstance(one.content, SourceText)]
        kept = [one.id for one in self._memory.remember_many(said).episodes] if said else []
        kept += [one.document.id for one in self._memory.add(*written).documents] if written else []
        for item, kept_as in zip(sorted(items, key=lambda one: isinstance(one.content, SourceText)), kept, strict=True):
            self._items_of[kept_as].append(item.id)

    def ask(self, question: Question) -> list[str]:
        """Recall; a document stands where its first passage does."""
        hits = self._memory.recall(question.query.text, limit=HITS, as_of=question.query.as_of).hits
        kept = dict.fromkeys(hit.episode.document_id or hit.episode.id for hit in hits)
        return [item for kept_as in kept for item in self._items_of[kept_as]]


class Dense:
    """One product of all vectors with the question's."""

    kept = IN_MEMORY

    def __init__(self, place: Place) -> None:
        self._place = place
        self._ids: list[str] = []
        self._vectors = np.empty((0, place.embedder.model.dimension), dtype=np.float32)

    def take(self, items: Sequence[SetItem]) -> None:
        """Put their vectors behind the others."""
        self._ids += [item.id for item in items]
        self._vectors = np.vstack([self._vectors, self._place.vectors([text_of(item) for item in items])])

    def ask(self, question: Question) -> list[str]:
        """Give the nearest."""
        near = np.argsort(-(self._vectors @ self._place.question(question.query.text)), kind="stable")[:HITS]
        return [self._ids[at] for at in near.tolist()]
