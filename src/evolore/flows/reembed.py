"""``reembed``: embed every text of a store with another model, and then switch the store to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Protocol

from evolore.domain.result import Result
from evolore.errors import StoreBusy
from evolore.flows.context import Context
from evolore.flows.item_keys import EMBED_BATCH, arousal_of, embedded_alike
from evolore.flows.question_lookup import embed_queries
from evolore.ports import Embedder, EmbeddingModel, NewVector, TextAt, TextPlace
from evolore.recall.arousal import EstimateArousal
from evolore.store.reembedding import Reembedding

_ROUNDS = 100
"""How often what others wrote meanwhile is embedded too; each time there is less of it."""


class ReembedProgress(Protocol):
    """Hears how far a ``reembed`` has come, between its transactions; not any more once the store switches."""

    def __call__(self, *, done: int, texts: int) -> None:
        """Report how many texts have a vector of the new model."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reembedded(Result):
    """What ``reembed`` did, or would do."""

    old_model: EmbeddingModel  #: The model the store had.
    new_model: EmbeddingModel  #: The model it has now; of a dry run, the one it would have.
    texts: int  #: How many texts the store holds, in all its namespaces.
    embedded: int = 0  #: How many of them were embedded by this call.
    remaining: int = 0  #: How many have no vector of the new model: 0, but for a dry run.
    deleted_vectors: int = 0  #: How many vectors of other models were deleted by this call.
    #: The events that say so, by namespace; of those without texts none, and none where the switch was made by an
    #: earlier call or another process.
    events: Mapping[str, str] = field(default_factory=dict[str, str])
    #: Files that still hold the old vectors' space, because another process reads an older state.
    lingering_in: tuple[str, ...] = ()
    is_dry_run: bool = False  #: Whether nothing was done.


@dataclass(frozen=True, slots=True, kw_only=True)
class AbandonedReembed(Result):
    """What cancelling a ``reembed`` did."""

    model: EmbeddingModel | None  #: The model the store was changing to; None where it was not.
    deleted_vectors: int  #: How many vectors of it were deleted.


def reembed(
    context: Context, embedder: Embedder, *, is_dry_run: bool = False, progress: ReembedProgress | None = None
) -> Reembedded:
    """Change a store's embedding model: go on with what any process began, until the store has switched."""
    with ExitStack() as opened:
        changes = [opened.enter_context(part.reembedding(embedder.model)) for part in context.store.parts()]
        before = [change.state() for change in changes]
        result = Reembedded(
            old_model=next((one.old_model for one in before if one.old_model != embedder.model), embedder.model),
            new_model=embedder.model,
            texts=sum(one.texts for one in before),
            remaining=sum(one.remaining for one in before),
            is_dry_run=is_dry_run,
        )
        if is_dry_run:
            return result
        work = _EmbeddingWork(
            embedder=embedder,
            estimate=context.estimates(embedder.model),
            progress=progress,
            done=result.texts - result.remaining,
            texts=result.texts,
        )
        begun = [change for change, one in zip(changes, before, strict=True) if one.old_model != embedder.model]
        for change in begun:
            change.refuse_full_disk()
            change.begin()
        for change in begun[1:]:
            work.embed_all(change)  # so that the schemas switch one soon after the other
        for change in begun:
            result = replace(result, events={**result.events, **_switch(context, work, change)})
        cleaned = [change.clean() for change in changes]
    return replace(
        result,
        embedded=work.embedded,
        texts=work.texts,
        remaining=0,
        deleted_vectors=sum(deleted for deleted, _ in cleaned),
        lingering_in=tuple(file for _, files in cleaned for file in files),
    )


def abandon(context: Context) -> AbandonedReembed:
    """Abandon a change of the model that was begun, and delete the vectors that were made for it."""
    model, deleted = context.store.abandon_reembedding()
    return AbandonedReembed(model=model, deleted_vectors=deleted)


def rebound(context: Context, embedder: Embedder) -> Context:
    """Return the context of a memory that goes on with another model; the old one's store may still be in use."""
    return replace(context, embedder=embedder, store=context.store.rebound(embedder.model))


def embed_all_queries(context: Context) -> int:
    """Embed the questions of every namespace that have no vector of the store's model; return how many it were.

    What is interrupted here, ``maintain`` goes on with: until then those questions teach nothing.
    """
    return sum(embed_queries(replace(context, namespace=name)) for name in context.store.namespaces())


@dataclass(slots=True, kw_only=True)
class _EmbeddingWork:
    """Embedding what lacks a vector, and how far it has come."""

    embedder: Embedder
    estimate: EstimateArousal | None
    progress: ReembedProgress | None
    done: int
    texts: int
    embedded: int = 0

    def embed_all(self, change: Reembedding) -> None:
        """Embed every text that lacks a vector, some in each transaction."""
        self._tell()
        after: TextPlace | None = None
        while page := change.texts(after=after):
            for start in range(0, len(page), EMBED_BATCH):
                batch = page[start : start + EMBED_BATCH]
                if not change.put(self._made(batch)):
                    return
                self.embedded += len(batch)
                self.done += len(batch)
                self._tell()
            after = page[-1].place

    def _made(self, batch: Sequence[TextAt]) -> dict[TextPlace, NewVector]:
        return {
            one.place: NewVector(vector=vector, arousal=arousal_of(one.text, vector, estimate=self.estimate))
            for one, vector in embedded_alike(self.embedder, batch, lambda one: one.text)
        }

    def _tell(self) -> None:
        self.texts = max(self.texts, self.done)  # others may write meanwhile
        if self.progress is not None:
            self.progress(done=self.done, texts=self.texts)


def _switch(context: Context, work: _EmbeddingWork, change: Reembedding) -> Mapping[str, str]:
    """Embed, also what others write meanwhile, until no text lacks a vector and the store has switched."""
    for _ in range(_ROUNDS):
        work.embed_all(change)
        change.refuse_full_disk()
        events = change.switch(at=context.clock.now(), principal=context.principal)
        if events is not None:
            return events
    raise StoreBusy(
        "Others write to the store faster than what they write can be embedded: run it again when they write less; "
        "what was embedded is kept."
    )
