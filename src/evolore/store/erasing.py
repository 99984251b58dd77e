"""Erasure: what was forgotten leaves every table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, Select, Table, delete, func, select

from evolore.errors import NotFound
from evolore.ports import Receipt
from evolore.store.evolution_erasing import said_of
from evolore.store.evolution_reading import evolution_counts
from evolore.store.filtering import select_matching_documents, select_matching_statements
from evolore.store.freeing import freed_by, holding_any, sources_of
from evolore.store.query_rows import count_erasure, touch
from evolore.store.question_erasing import DoomedAsked, all_comments, doomed_asked
from evolore.store.shadows import with_shadows
from evolore.store.tables import (
    attributes,
    chunks,
    documents,
    edges,
    episodes,
    event_episodes,
    events,
    index_log,
    metadata,
    namespaces,
    payloads,
    query_edges,
    review_items,
    vectors,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from evolore.domain.filters import Target
    from evolore.store.events import EventBody
    from evolore.store.selects import AnySelect

_BATCH = 500
_REVIEWED = (review_items.c.episode_id, review_items.c.other_episode_id)
_STAYS = {namespaces.name, events.name, event_episodes.name}
"""Of a namespace that is forgotten: its name, which the chain of events hangs on, and the chain with what it names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """What one erasure takes out of the tables.

    Args:
        document_ids: The documents, with all their versions.
        statement_ids: The statements.
        passage_ids: The passages of the documents, of all versions, and what waits to become visible.
        review_ids: The review items that are named, or are about any of these.
        payloads: How many texts they have.
        vectors: How many vectors these have.
        made_ids: Those of the statements that merges and splits made, and which hold something of the others.
        freed_ids: What stands again because of it.
        answers: How many answers cite any of it.
        feedback: How many ratings speak of the documents.
        asked: What goes of what was asked.
    """

    document_ids: tuple[str, ...]
    statement_ids: tuple[str, ...]
    passage_ids: tuple[str, ...]
    review_ids: tuple[str, ...]
    payloads: int
    vectors: int
    made_ids: tuple[str, ...] = ()
    freed_ids: tuple[str, ...] = ()
    answers: int = 0
    feedback: int = 0
    asked: DoomedAsked = field(default_factory=DoomedAsked)

    @property
    def episode_ids(self) -> tuple[str, ...]:
        """Statements and passages."""
        return self.statement_ids + self.passage_ids

    def receipt(self, event_id: str, at: datetime, *, is_dry_run: bool = False) -> Receipt:
        """Count it for the person who asked."""
        return Receipt(
            event_id=event_id,
            documents=len(self.document_ids),
            episodes=len(self.episode_ids),
            payloads=self.payloads,
            vectors=self.vectors,
            review_items=len(self.review_ids),
            erased_at=at,
            is_dry_run=is_dry_run,
            freed=len(self.freed_ids),
            answers=self.answers,
            feedback=self.feedback,
            queries=len(self.asked.query_ids),
            comments=self.asked.comments,
        )


def find_doomed(connection: Connection, ns: int, target: Target) -> Doomed:
    """Find what a target names, of documents also what waits to become visible; nothing is changed.

    Raises:
        NotFound: It names nothing, or one of its ids does not; a namespace may be empty.
    """
    document_ids, statement_ids = _named(connection, ns, target)
    if document_ids and not target.everything:
        document_ids = with_shadows(connection, ns, document_ids)
    review_ids = _reviews_with_ids(connection, ns, target.ids)
    named_asked = doomed_asked(connection, ns, target.ids, ((), ()))
    _refuse_missing(target, document_ids + statement_ids + review_ids + named_asked.ids)
    made_ids, freed_ids = (), ()
    if statement_ids and not target.everything:
        sources = sources_of(connection, ns, statement_ids)
        made_ids = tuple(sorted(holding_any(connection, ns, sources)))
        statement_ids = tuple(sorted(sources | set(made_ids)))
        freed_ids = freed_by(connection, ns, statement_ids)
    passage_ids: list[str] = []
    for some in _batches(document_ids):
        passage_ids += _ids(
            connection, select(episodes.c.id).where(episodes.c.ns == ns, episodes.c.document_id.in_(some))
        )
    counts = [0, 0]
    for some in _batches((*statement_ids, *passage_ids)):
        owned = _owned_payloads(ns, some)
        counts[0] += _count(connection, owned)
        counts[1] += _count(
            connection, select(vectors.c.model_id).where(vectors.c.ns == ns, vectors.c.payload_id.in_(owned))
        )
    about = (document_ids, (*statement_ids, *passage_ids))
    asked = doomed_asked(connection, ns, target.ids, about)
    answers, feedback = _said(connection, ns, target, about, asked)
    if target.everything:
        asked = replace(asked, comments=all_comments(connection, ns))
    return Doomed(
        document_ids=document_ids,
        statement_ids=statement_ids,
        passage_ids=tuple(passage_ids),
        review_ids=_reviews(connection, ns, target, about, review_ids),
        payloads=counts[0],
        vectors=counts[1],
        made_ids=made_ids,
        freed_ids=freed_ids,
        answers=answers,
        feedback=feedback,
        asked=asked,
    )


def _said(
    connection: Connection,
    ns: int,
    target: Target,
    about: tuple[Sequence[str], Sequence[str]],
    asked: DoomedAsked,
) -> tuple[int, int]:
    """Count the answers and ratings that go with it."""
    if target.everything:
        counts = evolution_counts(connection, ns)
        return counts["answers"], counts["feedback"]
    said = said_of(connection, ns, *about)
    return len(said.answer_ids.union(asked.answer_ids)), len(said.feedback_ids)


def erase(connection: Connection, ns: int, target: Target, doomed: Doomed) -> None:
    """Delete what was found, and everything that hangs on it.

    Events stay: they hold no text. The log entries that take the episodes out of the indexes are the caller's, who
    writes them afterwards: they are all that a forgotten namespace keeps in its log.
    """
    if target.everything:
        _erase_namespace(connection, ns)
        return
    for some in _batches(doomed.document_ids):
        for table in (versions, chunks):
            _delete(connection, table, ns, table.c.document_id.in_(some))
        _delete(connection, attributes, ns, attributes.c.owner_id.in_(some))
        _delete(connection, documents, ns, documents.c.id.in_(some))
    for some in _batches(doomed.review_ids):
        _delete(connection, review_items, ns, review_items.c.id.in_(some))
    delete_episodes(connection, ns, doomed.episode_ids)


def erasure_body(target: Target, doomed: Doomed) -> EventBody:
    """Say what an erasure took, so that ``verify`` can tell what was forgotten from what was lost.

    What stands again is named apart. Of a set, its ids and never what its items had in common: a session's or speaker's name must not outlive it. Of a
    whole namespace, all that is before the event is meant.
    """
    counts = {"documents": len(doomed.document_ids), "episodes": len(doomed.episode_ids)}
    body: EventBody = {"by": target.by, **counts}
    items = sorted(doomed.document_ids + doomed.statement_ids)
    if not target.everything and items != [target.item_id]:
        body = {**body, "items": items}
    return {**body, "freed": list(doomed.freed_ids)} if doomed.freed_ids else body


def delete_episodes(connection: Connection, ns: int, episode_ids: Sequence[str]) -> None:
    """Delete episodes with their texts, vectors, labels and edges."""
    for some in _batches(episode_ids):
        _delete(connection, vectors, ns, vectors.c.payload_id.in_(_owned_payloads(ns, some)))
        _delete(connection, payloads, ns, payloads.c.episode_id.in_(some))
        _delete_lessons(connection, ns, some)
        for end in (edges.c.source_id, edges.c.target_id):
            _delete(connection, edges, ns, end.in_(some))
        _delete(connection, attributes, ns, attributes.c.owner_id.in_(some))
        _delete(connection, episodes, ns, episodes.c.id.in_(some))


def _delete_lessons(connection: Connection, ns: int, some: Sequence[str]) -> None:
    """Delete what says that episodes were handed over for questions, and let open indexes hear of it."""
    handed = (query_edges.c.ns == ns, query_edges.c.target_id.in_(some))
    asked = set(connection.scalars(select(query_edges.c.query_id).where(*handed).distinct()))
    if asked:
        connection.execute(delete(query_edges).where(*handed))
        touch(connection, ns, asked)


def _erase_namespace(connection: Connection, ns: int) -> None:
    """Empty every table of the namespace, whatever it is for."""
    for table in metadata.sorted_tables:
        if "ns" in table.c and table.name not in _STAYS:
            # What left the indexes before stays told: an index that is behind must still hear of it.
            _delete(connection, table, ns, *([table.c.present] if table is index_log else []))
    count_erasure(connection, ns)


def _named(connection: Connection, ns: int, target: Target) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the ids of the documents and of the statements a target names."""
    if target.everything:
        whole, said = documents.c.ns == ns, (episodes.c.ns == ns, episodes.c.document_id.is_(None))
        return _ids(connection, select(documents.c.id).where(whole)), _ids(
            connection, select(episodes.c.id).where(*said)
        )
    if target.ids:
        return _with_ids(connection, ns, target.ids)
    wanted = target.matching
    of_documents = select_matching_documents(ns, wanted)
    return (
        _ids(connection, of_documents) if wanted.asks_for_labels else (),
        _ids(connection, select_matching_statements(ns, wanted)),
    )


def _with_ids(connection: Connection, ns: int, ids: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    document_ids: list[str] = []
    statement_ids: list[str] = []
    for some in _batches(ids):
        of_documents = select(documents.c.id).where(documents.c.ns == ns, documents.c.id.in_(some))
        of_statements = select(episodes.c.id).where(episodes.c.ns == ns, episodes.c.id.in_(some))
        document_ids += _ids(connection, of_documents)
        statement_ids += _ids(connection, of_statements.where(episodes.c.document_id.is_(None)))
    return tuple(document_ids), tuple(statement_ids)


def _reviews_with_ids(connection: Connection, ns: int, ids: Sequence[str]) -> tuple[str, ...]:
    query = select(review_items.c.id).where(review_items.c.ns == ns)
    return tuple(id_ for some in _batches(ids) for id_ in _ids(connection, query.where(review_items.c.id.in_(some))))


def _reviews(
    connection: Connection,
    ns: int,
    target: Target,
    about: tuple[Sequence[str], Sequence[str]],
    named: Sequence[str],
) -> tuple[str, ...]:
    """Give the review items that are named, or are about these documents and episodes."""
    query = select(review_items.c.id).where(review_items.c.ns == ns)
    if target.everything:
        return _ids(connection, query)
    found = set(named)
    for column, ids in ((review_items.c.document_id, about[0]), *((one, about[1]) for one in _REVIEWED)):
        for some in _batches(ids):
            found.update(_ids(connection, query.where(column.in_(some))))
    return tuple(sorted(found))


def _refuse_missing(target: Target, found: Sequence[str]) -> None:
    missing = min(set(target.ids) - set(found), default=None)
    if missing is not None:
        raise NotFound(
            f"No document, statement, question, answer or review item has the id {missing!r} here: `evolore list` shows the ids."
        )
    if not found and not target.everything:
        raise NotFound(_not_found(target))


def _not_found(target: Target) -> str:
    if target.by == "filter":
        return "No statement or document matches the filter: `evolore recall` with it shows what does."
    name = target.session if target.by == "session" else target.speaker
    return f"No statement has the {target.by} {name!r} here: check the name, `evolore list` shows the statements."


def _owned_payloads(ns: int, episode_ids: Sequence[str]) -> Select[str]:
    return select(payloads.c.id).where(payloads.c.ns == ns, payloads.c.episode_id.in_(episode_ids))


def _ids(connection: Connection, query: Select[str]) -> tuple[str, ...]:
    return tuple(connection.scalars(query))


def _count(connection: Connection, query: AnySelect) -> int:
    return connection.execute(select(func.count()).select_from(query.subquery())).scalar_one()


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]


def _delete(connection: Connection, table: Table, ns: int, *conditions: ColumnElement[bool]) -> None:
    connection.execute(delete(table).where(table.c.ns == ns, *conditions))
