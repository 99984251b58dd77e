"""Lists of a namespace a part at a time, for routes and pages: what lies behind a part is not read."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from evolore.domain.document import Document
from evolore.domain.evolution import JobRecord, JobState
from evolore.domain.feedback import Feedback
from evolore.domain.filters import Filter
from evolore.domain.outcome import QueryRecord
from evolore.evolution.job import FIGURED, JobFigures, figures_of
from evolore.flows.browse import document_named
from evolore.flows.context import Context
from evolore.flows.evolve.show import JobDocument, job_document
from evolore.flows.question_lookup import list_queries
from evolore.memory import Memory
from evolore.store.reading import StoreReader


def context_of(memory: Memory) -> Context:
    """Return a memory's ports and namespace."""
    return memory._context  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - the server is of the house


def reading(memory: Memory) -> AbstractContextManager[StoreReader]:
    """Open a memory's namespace to be read, as it is at one moment."""
    context = context_of(memory)
    return context.store.read(context.namespace)


def questions_before(memory: Memory, principal: str | None, *, before: str, limit: int) -> tuple[QueryRecord, ...]:
    """List recorded questions, the last first: those asked before the one with an id."""
    asked = memory._bound.asked()  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - likewise
    return list_queries(asked, principal=principal, before=before, limit=limit)


def documents_behind(memory: Memory, *, after: str, limit: int, wanted: Filter | None = None) -> tuple[Document, ...]:
    """List documents behind an id, oldest first; where a filter is given, only those that have its metadata and tags."""
    with reading(memory) as reader:
        return reader.documents(wanted, after=after, limit=limit)


def feedback_behind(
    memory: Memory, document: str | None = None, *, unprocessed: bool, after: tuple[datetime, str] | None, limit: int
) -> tuple[Feedback, ...]:
    """List what people said of documents, oldest first, behind a moment and an id."""
    with reading(memory) as reader:
        id_ = None if document is None else document_named(reader, document).id
        return reader.feedback(document_id=id_, unprocessed=unprocessed, after=after, limit=limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """A job as lists have it; its trial is not read."""

    id: str  #: Which.
    state: JobState  #: Its state.
    documents: tuple[JobDocument, ...]  #: What it is about.
    feedback_ids: tuple[str, ...]  #: What started it.
    candidates: tuple[str, ...]  #: The numbers of its candidates, in the order they were made.
    updated_at: datetime  #: When it was last changed.


def jobs_before(
    memory: Memory,
    *,
    states: Collection[JobState] | None = None,
    document_id: str | None = None,
    before: str = "",
    limit: int,
) -> tuple[JobRow, ...]:
    """List jobs, the newest first: those begun before the one with an id."""
    with reading(memory) as reader:
        records = reader.jobs(states=states, document_id=document_id, before=before, limit=limit)
        figures = figures_in(reader, records)
        ids = dict.fromkeys(base.document_id for one in records for base in one.bases)
        known = {one.id: one for one in reader.documents_with(list(ids))}
    return tuple(
        JobRow(
            id=one.id,
            state=one.state,
            documents=tuple(job_document(base, known.get(base.document_id)) for base in one.bases),
            feedback_ids=figures[one.id].taken,
            candidates=tuple(figures[one.id].models),
            updated_at=one.updated_at,
        )
        for one in records
    )


_FIGURES: OrderedDict[tuple[str, int, datetime], JobFigures] = OrderedDict()
"""Of jobs as they were last: what a job's steps say of them changes only with the job."""
_MOST_KEPT = 100_000
_AT_ONCE = 200


def figures_in(reader: StoreReader, records: Sequence[JobRecord]) -> dict[str, JobFigures]:
    """Return the figures of jobs; the steps of those that are as they were are not read again."""
    keys = {one.id: (one.id, one.steps, one.updated_at) for one in records}
    found = {id_: known for id_, key in keys.items() if (known := _FIGURES.get(key)) is not None}
    new = [id_ for id_ in keys if id_ not in found]
    for begin in range(0, len(new), _AT_ONCE):
        some = new[begin : begin + _AT_ONCE]
        steps = reader.steps_of(some, FIGURED)
        found |= {id_: figures_of(steps.get(id_, ())) for id_ in some}
    _FIGURES.update({keys[id_]: found[id_] for id_ in new})
    while len(_FIGURES) > _MOST_KEPT:
        _FIGURES.popitem(last=False)
    return found
