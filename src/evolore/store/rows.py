"""Metadata, tags and keys of texts as rows, and rows as values: documents, chunks, answers, feedback, jobs, promotions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, Select, delete, insert, select

from evolore.domain.answer import Answer, Citation
from evolore.domain.chat import ChatUsage
from evolore.domain.document import Chunk, Document, Span
from evolore.domain.evolution import Base, JobRecord, PromotedDocument, Promotion, Step
from evolore.domain.feedback import Feedback
from evolore.domain.metadata import Labels, MetadataValue
from evolore.domain.times import Period
from evolore.ports import ItemKeys
from evolore.store import tables
from evolore.store.forms import TAG, explained, metadata_in, read_attempts, reader, tags_in, write_metadata
from evolore.store.sql import RowsOf


def insert_labels(connection: Connection, ns: int, labels: Iterable[tuple[str, Labels]]) -> None:
    """Write the metadata and tags of documents or statements that have none yet, each after its id."""
    rows = [
        {"ns": ns, "owner_id": owner_id, "name": name, "kind": kind, "value": value}
        for owner_id, given in labels
        for name, kind, value in _entries(given.metadata or {}, given.tags or ())
    ]
    if rows:
        connection.execute(insert(tables.attributes), rows)


def replace_labels(connection: Connection, ns: int, owner_id: str, labels: Labels) -> None:
    """Replace the metadata and tags of a document or statement; what is None stays as it is."""
    here = (tables.attributes.c.ns == ns, tables.attributes.c.owner_id == owner_id)
    if labels.metadata is not None:
        connection.execute(delete(tables.attributes).where(*here, tables.attributes.c.kind != TAG))
    if labels.tags is not None:
        connection.execute(delete(tables.attributes).where(*here, tables.attributes.c.kind == TAG))
    insert_labels(connection, ns, [(owner_id, labels)])


def _entries(metadata: Mapping[str, MetadataValue], tags: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return the name, kind and value of each row."""
    return [*((name, *write_metadata(value)) for name, value in metadata.items()), *((tag, TAG, "") for tag in tags)]


def labels_column(ns: int | ColumnElement[int], owner_id: ColumnElement[Any]) -> ScalarSelect[str]:
    """Select the metadata and tags of the row's owner as one column, to be read by ``metadata_in`` and ``tags_in``."""
    owned = select(RowsOf(tables.attributes.c.name, tables.attributes.c.kind, tables.attributes.c.value)).where(
        tables.attributes.c.ns == ns, tables.attributes.c.owner_id == owner_id
    )
    return owned.scalar_subquery()


def labels_text(labels: Labels) -> str:
    """Write metadata and tags as a column of labels reads."""
    return json.dumps(_entries(labels.metadata or {}, labels.tags or ()))


def select_owners(ns: int, *, metadata: Mapping[str, MetadataValue], tags: Iterable[str]) -> list[Select[str]]:
    """Select, for each name and tag by itself, the documents and statements that have it."""
    return [
        select(tables.attributes.c.owner_id).where(
            tables.attributes.c.ns == ns,
            tables.attributes.c.name == name,
            tables.attributes.c.kind == kind,
            tables.attributes.c.value == value,
        )
        for name, kind, value in _entries(metadata, tags)
    ]


def written_keys(keys: ItemKeys) -> dict[str, str]:
    """Write a text's tokens, names and periods as the columns of its payload."""
    return {"tokens": " ".join(keys.tokens), "names": "\n".join(keys.names), "periods": write_periods(keys.periods)}


def write_periods(periods: Iterable[Period]) -> str:
    """Write periods.

    >>> write_periods([Period(first=date(2026, 3, 1), last=date(2026, 3, 31))])
    '2026-03-01/2026-03-31'
    """
    return " ".join(f"{period.first.isoformat()}/{period.last.isoformat()}" for period in periods)


def read_names(written: str) -> tuple[str, ...]:
    """Read names back."""
    return tuple(written.split("\n")) if written else ()


def read_periods(written: str) -> tuple[Period, ...] | None:
    """Read periods back; None where the text is not valid."""
    try:
        ends = (map(date.fromisoformat, pair.split("/")) for pair in written.split())
        return tuple(Period(first=first, last=last) for first, last in ends)
    except ValueError:
        return None


@lru_cache(maxsize=4096)  # texts of one time speak of the same days
def read_days(written: str) -> tuple[tuple[int, int], ...]:
    """Read periods back as first and last days, counted as ``date.toordinal`` does; none where the text is not valid.

    ``doctor`` reports and rebuilds what cannot be read.
    """
    return tuple((one.first.toordinal(), one.last.toordinal()) for one in read_periods(written) or ())


def read_share(written: object) -> float | None:
    """Read a share back; None where there is none, or it is not valid."""
    return written if isinstance(written, float) and 0.0 <= written <= 1.0 else None


to_chunk = explained(
    reader(
        Chunk,
        tables.chunks,
        span=lambda row: Span(row["start"], row["end"]),
        is_leaf=lambda row: row["episode_id"] is not None,
        attempts=lambda row: read_attempts(row["attempts"]),
    )
)
"""Read a chunk."""

to_document = explained(
    reader(
        Document,
        tables.documents,
        tables.versions,
        metadata=lambda row: metadata_in(row["labels"]),
        tags=lambda row: tags_in(row["labels"]),
    )
)
"""Read a document joined with its present version and its labels."""

_to_citation = reader(Citation, tables.answer_citations, span=lambda row: Span(row["start"], row["end"]))
_to_base = reader(Base, tables.evolution_job_documents)
_to_promoted_document = reader(PromotedDocument, tables.promotion_documents)
_to_usage = reader(ChatUsage, tables.answers)

to_answer = explained(
    reader(Answer, tables.answers, citations=lambda row: tuple(map(_to_citation, row["citations"])), usage=_to_usage)
)
"""Read an answer with the rows of what it rests on."""

to_feedback = explained(reader(Feedback, tables.feedback, question=itemgetter("question")))
"""Read a rating of a document, joined with the question if any."""

to_job = explained(reader(JobRecord, tables.evolution_jobs, bases=lambda row: tuple(map(_to_base, row["documents"]))))
"""Read a job with the rows of the documents it is about."""

to_step = explained(reader(Step, tables.evolution_steps))
"""Read a step, with the id of its job."""

to_promotion = explained(
    reader(Promotion, tables.promotions, documents=lambda row: tuple(map(_to_promoted_document, row["documents"])))
)
"""Read a promotion with the rows of its documents."""
