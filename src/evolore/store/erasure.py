"""Erase what was forgotten from every table, with the merges and splits that depend on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from sqlalchemy import CompoundSelect, Connection, Row, Select, delete, func, select, union, union_all, update

from evolore.domain.episode import EdgeKind, EpisodeState
from evolore.domain.filters import Target
from evolore.domain.language import Language
from evolore.domain.review import ReviewCategory, ReviewItem, cause_of
from evolore.errors import NotFound
from evolore.ports import Receipt
from evolore.store.events import Batch, EventBody
from evolore.store.evolution import evolution_counts
from evolore.store.evolution_erasure import DoomedAsked, SaidOf, all_comments, count_ratings, doomed_asked, said_of
from evolore.store.history import Chain, naming
from evolore.store.namespaces import FORGOTTEN_TO
from evolore.store.question_rows import count_erasure, touch
from evolore.store.selects import joined, select_matching_documents, select_matching_statements
from evolore.store.shadows import with_shadows
from evolore.store.sql import HERE, Prepared, among, as_json, delete_rows, written_out
from evolore.store.structure_reading import holders_of, members_of
from evolore.store.subjects import statements_of
from evolore.store.tables import (
    answers,
    documents,
    episodes,
    event_episodes,
    events,
    facts,
    feedback,
    index_log,
    maintenance,
    metadata,
    namespaces,
    payloads,
    queries,
    query_edges,
    ratings,
    review_items,
    stagings,
    vectors,
)

_MEMBER = EdgeKind.MEMBER.value
_REASON = {
    Language.EN: "What this statement had been merged into held something that was forgotten; it is separate again.",
    Language.JA: "この発言の統合先には忘れられた内容が含まれていたため、この発言は再び単独で扱われます。",
    Language.ZH: "这条陈述曾并入的内容里有已被遗忘的部分，因此它重新独立存在。",
}
_SUGGESTION = {
    Language.EN: "Check that it says nothing of what was forgotten, or forget it too.",
    Language.JA: "忘れた内容がここに残っていないか確かめ、残っていればこれも忘れさせてください。",
    Language.ZH: "请确认其中没有已被遗忘的内容；若有，请把它也遗忘。",
}


def sources_of(connection: Connection, ns: int, ids: Collection[str]) -> frozenset[str]:
    """Return the source statements of what was made, now or by the events that made it; of a plain statement itself."""
    made = {id_ for id_, row in _rows(connection, ns, ids).items() if row.made_by is not None}
    now = members_of(connection, ns, made)
    ever = naming(connection, ns, made)
    then = (one.members for event in ever.events.values() for one in event.done.made if one.id in made)
    return frozenset(ids) | frozenset(chain(*now.values(), *then))


def holding_any(connection: Connection, ns: int, ids: Collection[str]) -> frozenset[str]:
    """Return what merges and splits made that holds, or held before it was undone, anything of some statements."""
    events = naming(connection, ns, ids)
    found = set(chain.from_iterable(holders_of(connection, ns, ids).values()))
    for event in events.events.values():
        edges = (*event.done.added, *event.done.removed)
        found.update(edge.source_id for edge in edges if edge.kind == _MEMBER and edge.target_id in ids)
    return frozenset(id_ for id_, row in _rows(connection, ns, found).items() if row.made_by is not None)


def freed_by(connection: Connection, ns: int, erased: Collection[str]) -> tuple[str, ...]:
    """Return what is visible again once some episodes are erased, sorted; nothing is changed.

    What an erased merge had replaced is visible again as it was, and of what no such episode holds, the statements
    themselves. Law: every statement that is left is visible, or is held by a visible episode.
    """
    gone = frozenset(erased)
    rows = _rows(connection, ns, gone)
    held = members_of(connection, ns, gone)
    stood = [id_ for id_, row in rows.items() if row.stands_until is None and not row.is_revoked]
    left = set(chain.from_iterable(held.get(id_, ()) for id_ in stood)) - gone
    others = set(chain.from_iterable(held.values())) - gone - left
    still = holders_of(connection, ns, others)
    hidden = {id_ for id_, row in _rows(connection, ns, others).items() if row.stands_until and not row.is_revoked}
    left |= {id_ for id_ in hidden if not set(still.get(id_, ())) - gone}
    left = {id_ for id_, row in _rows(connection, ns, left).items() if row.stands_until and not row.is_revoked}
    again = _replaced_by(connection, ns, stood, gone)
    under = members_of(connection, ns, again)
    freed = {id_ for id_ in again if id_ in left or left & set(under.get(id_, ()))}
    return tuple(sorted(freed | (left - set(chain.from_iterable(under.get(id_, ()) for id_ in freed)))))


def free(batch: Batch, ids: Sequence[str], *, event_id: str) -> list[ReviewItem]:
    """Restore episodes whose others were erased, and return the review items by which a person looks at each."""
    if ids:
        these = update(episodes).where(episodes.c.ns == batch.ns, episodes.c.id.in_(among("ids")))
        batch.connection.execute(these.values(stands_until=None), {"ids": as_json(ids)})
    languages = {id_: Language(row.language) for id_, row in _rows(batch.connection, batch.ns, ids).items()}
    return [_item(id_, languages[id_], event_id) for id_ in ids]


def _replaced_by(connection: Connection, ns: int, stood: Collection[str], gone: Collection[str]) -> frozenset[str]:
    """Return what is no longer visible because of merges and splits whose outcome goes, through those that go too."""
    events: Chain = naming(connection, ns, gone)
    makers = {one.id: event for event in events.events.values() for one in event.done.made}
    found: set[str] = set()
    waiting, seen = list(stood), set(stood)
    while waiting:
        event = makers.get(waiting.pop())
        if event is None:
            continue
        until = {one.episode_id: one.new for one in event.done.fields if one.name == "stands_until" and one.new}
        for id_, row in _rows(connection, ns, set(until) - seen).items():
            if row.stands_until == until[id_] and not row.is_revoked:
                seen.add(id_)
                (waiting.append if id_ in gone else found.add)(id_)
    return frozenset(found)


def _item(id_: str, language: Language, event_id: str) -> ReviewItem:
    return ReviewItem(
        category=ReviewCategory.FREED,
        reason=_REASON.get(language, _REASON[Language.EN]),
        suggestion=_SUGGESTION.get(language, _SUGGESTION[Language.EN]),
        language=language if language in _REASON else Language.EN,
        cause=cause_of(ReviewCategory.FREED, id_, event_id),
        episode_id=id_,
    )


def _rows(connection: Connection, ns: int, ids: Collection[str]) -> dict[str, Row[*tuple[Any, ...]]]:
    is_revoked = (episodes.c.state == EpisodeState.REVOKED.value).label("is_revoked")
    columns = (episodes.c.made_by, episodes.c.stands_until, episodes.c.language, is_revoked)
    query = select(episodes.c.id, *columns).where(episodes.c.ns == ns, episodes.c.id.in_(among("ids")))
    return {row.id: row for row in connection.execute(query, {"ids": as_json(sorted(ids))})} if ids else {}


_REVIEWED = (
    (review_items.c.document_id, "documents"),
    (review_items.c.episode_id, "episodes"),
    (review_items.c.other_episode_id, "episodes"),
)
_REVIEWS = Prepared(  # not joined by OR, with which the namespace would be walked
    union_all(
        *(select(review_items.c.id).where(review_items.c.ns == HERE, of.in_(among(ids))) for of, ids in _REVIEWED)
    )
)
_STAYS = {namespaces.name, events.name, event_episodes.name}
"""Of a namespace that is forgotten: its name, which the chain of events hangs on, and the chain with what it names."""

_TOLD = {index_log.name: (index_log.c.present,), maintenance.name: (maintenance.c.task != FORGOTTEN_TO,)}
"""What goes of two tables: records of what left the indexes before stay, for indexes that are behind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Doomed:
    """What one erasure takes out of the tables."""

    document_ids: tuple[str, ...]  #: The documents, with all their versions.
    statement_ids: tuple[str, ...]  #: The statements.
    passage_ids: tuple[str, ...]  #: The passages of the documents, of all versions, and what waits to become visible.
    review_ids: tuple[str, ...]  #: The review items that are named, or are about any of these.
    payloads: int  #: How many texts they have.
    vectors: int  #: How many vectors these have.
    #: Those of the statements that merges and splits made, and which hold something of the others.
    made_ids: tuple[str, ...] = ()
    freed_ids: tuple[str, ...] = ()  #: What is visible again because of it.
    answers: int = 0  #: How many answers cite any of it.
    feedback: int = 0  #: How many ratings speak of the documents.
    ratings: int = 0  #: How many ratings of answers there are of it.
    facts: int = 0  #: How many facts were read in the statements.
    kept_queries: int = 0  #: How many questions stay that any of it was handed over for.
    said: SaidOf  #: What speaks of the documents and episodes.
    asked: DoomedAsked  #: What goes of what was asked.

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
            kept_queries=self.kept_queries,
            comments=self.asked.comments,
            ratings=self.ratings,
            facts=self.facts,
        )


def find_doomed(connection: Connection, ns: int, target: Target) -> Doomed:
    """Find what a target names, of documents also what waits to become visible; nothing is changed.

    Raises:
        NotFound: It names nothing, or one of its ids does not; a namespace may be empty.
    """
    named = _with_ids(connection, ns, target.ids) if target.ids else _matching(connection, ns, target)
    _refuse_missing(target, named.ids)
    document_ids, statement_ids, made_ids, freed_ids = named.document_ids, named.statement_ids, (), ()
    if document_ids and not target.everything:
        document_ids = with_shadows(connection, ns, document_ids)
    if statement_ids and not target.everything:
        sources = sources_of(connection, ns, statement_ids)
        made_ids = tuple(sorted(holding_any(connection, ns, sources)))
        statement_ids = tuple(sorted(sources | set(made_ids)))
        freed_ids = freed_by(connection, ns, statement_ids)
    passages = select(episodes.c.id).where(episodes.c.ns == ns, episodes.c.document_id.in_(among("ids")))
    passage_ids = tuple(connection.scalars(passages, {"ids": as_json(document_ids)})) if document_ids else ()
    episode_ids = (*statement_ids, *passage_ids)
    handed = select(query_edges.c.query_id).where(query_edges.c.ns == ns, query_edges.c.target_id.in_(among("ids")))
    counts = _count_texts(connection, ns, episode_ids)
    said = said_of(connection, ns, document_ids, episode_ids)
    asked = doomed_asked(
        connection,
        ns,
        named.query_ids,
        named.answer_ids,
        citing=said.answer_ids,
        episode_ids=episode_ids,
        whose=target.person,
    )
    answer_count = len(said.answer_ids.union(asked.answer_ids))
    feedback_count = len(said.feedback_ids.union(named.feedback_ids))
    if target.everything:
        told = evolution_counts(connection, ns)
        answer_count, feedback_count = told["answers"], told["feedback"]
        asked = replace(asked, comments=all_comments(connection, ns))
    return Doomed(
        document_ids=document_ids,
        statement_ids=statement_ids,
        passage_ids=passage_ids,
        review_ids=_reviews(connection, ns, target, (document_ids, episode_ids), named.review_ids),
        payloads=counts[0],
        vectors=counts[1],
        made_ids=made_ids,
        freed_ids=freed_ids,
        answers=answer_count,
        feedback=feedback_count,
        ratings=count_ratings(connection, ns, named.query_ids, target.person),
        facts=counts[2],
        kept_queries=len(set(connection.scalars(handed, {"ids": as_json(episode_ids)})).difference(asked.query_ids)),
        said=said,
        asked=asked,
    )


def _count_texts(connection: Connection, ns: int, episode_ids: Sequence[str]) -> tuple[int, int, int]:
    """Count the texts of some episodes, their vectors, and the facts that were read in them."""
    of_text = joined(payloads, vectors, vectors.c.payload_id == payloads.c.id)
    read = select(func.count()).select_from(facts).where(facts.c.ns == ns, facts.c.episode_id.in_(among("ids")))
    counted = (
        select(func.count(payloads.c.id.distinct()), func.count(vectors.c.model_id), read.scalar_subquery())
        .join_from(payloads, vectors, of_text, isouter=True)
        .where(payloads.c.ns == ns, payloads.c.episode_id.in_(among("ids")))
    )
    texts, of_texts, stated = connection.execute(counted, {"ids": as_json(episode_ids)}).one()
    return texts, of_texts, stated


def erase(batch: Batch, target: Target, doomed: Doomed) -> None:
    """Delete what was found, and everything that hangs on it.

    Events stay: they hold no text. The log entries that take the episodes out of the indexes are the caller's, who
    writes them afterwards: they are all that a forgotten namespace keeps in its log.
    """
    if target.everything:
        _erase_namespace(batch.connection, batch.ns)
        return
    delete_rows(batch, documents, doomed.document_ids)
    delete_rows(batch, review_items, doomed.review_ids)
    delete_episodes(batch, doomed.episode_ids)


def erasure_body(target: Target, doomed: Doomed) -> EventBody:
    """Return the event of what an erasure removed: ``verify`` uses it to distinguish forgotten from lost.

    What is visible again is named apart. Of a set, its ids and never what its items had in common: a session's or
    speaker's name must not outlive it. Of a whole namespace, all that is before the event is meant.
    """
    counts = {"documents": len(doomed.document_ids), "episodes": len(doomed.episode_ids)}
    body: EventBody = {"by": target.by, **counts}
    items = sorted(doomed.document_ids + doomed.statement_ids)
    if not target.everything and items != [target.item_id]:
        body = {**body, "items": items}
    return {**body, "freed": list(doomed.freed_ids)} if doomed.freed_ids else body


def delete_episodes(batch: Batch, episode_ids: Sequence[str]) -> None:
    """Delete episodes with their texts, vectors, facts, labels and edges, and that they were handed over for questions."""
    if episode_ids:
        handed = delete(query_edges).where(query_edges.c.ns == batch.ns, query_edges.c.target_id.in_(among("ids")))
        taught = handed.returning(query_edges.c.query_id)
        touch(batch, set(batch.connection.scalars(taught, {"ids": as_json(episode_ids)})))  # open indexes hear of it
        delete_rows(batch, episodes, episode_ids)


def _erase_namespace(connection: Connection, ns: int) -> None:
    """Empty every table of the namespace."""
    for table in metadata.sorted_tables:
        if "ns" in table.c and table.name not in _STAYS:
            connection.execute(delete(table).where(table.c.ns == ns, *_TOLD.get(table.name, ())))
    count_erasure(connection, ns)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """What a target names."""

    document_ids: tuple[str, ...] = ()
    statement_ids: tuple[str, ...]
    review_ids: tuple[str, ...] = ()
    query_ids: tuple[str, ...] = ()
    answer_ids: tuple[str, ...] = ()
    feedback_ids: tuple[str, ...] = ()
    rated_ids: tuple[str, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        asked = self.query_ids + self.answer_ids + self.feedback_ids + self.rated_ids
        return self.document_ids + self.statement_ids + self.review_ids + asked


def _matching(connection: Connection, ns: int, target: Target) -> _Named:
    """Return what a target names without ids."""
    if target.person is not None:
        query_ids, answer_ids, feedback_ids, rated_ids = (
            _ids(connection, select(id_).where(id_.table.c.ns == ns, id_.table.c.principal == target.person))
            for id_ in (queries.c.id, answers.c.id, feedback.c.id, ratings.c.query_id)
        )
        return _Named(
            statement_ids=statements_of(connection, ns, speaker=target.speaker, principal=target.principal),
            query_ids=query_ids,
            answer_ids=answer_ids,
            feedback_ids=feedback_ids,
            rated_ids=rated_ids,
        )
    # The labels of a half-written new document are not known yet: it goes with every target named by labels.
    if target.everything:
        of_documents = select(documents.c.id).where(documents.c.ns == ns)
        of_statements = select(episodes.c.id).where(episodes.c.ns == ns, episodes.c.document_id.is_(None))
    else:
        of_documents = select_matching_documents(ns, target.matching)
        of_statements = select_matching_statements(ns, target.matching)
    has_documents = target.everything or target.matching.asks_for_labels
    begun = select(stagings.c.document_id).where(stagings.c.ns == ns, stagings.c.version == 1)
    return _Named(
        document_ids=_ids(connection, of_documents.union(begun)) if has_documents else (),
        statement_ids=_ids(connection, of_statements),
        query_ids=_ids(connection, select(queries.c.id).where(queries.c.ns == ns)) if target.everything else (),
    )


_NAMED = Prepared(
    union(
        select(written_out(documents.name), stagings.c.document_id).where(
            stagings.c.ns == HERE, stagings.c.document_id.in_(among("ids"))
        ),
        *(
            select(written_out(table.name).label("what"), table.c.id).where(
                table.c.ns == HERE, table.c.id.in_(among("ids")), *conditions
            )
            for table, *conditions in (
                (documents,),
                (episodes, episodes.c.document_id.is_(None)),
                (review_items,),
                (queries,),
                (answers,),
            )
        ),
    )
)


def _with_ids(connection: Connection, ns: int, ids: Sequence[str]) -> _Named:
    found: dict[str, list[str]] = defaultdict(list)
    for what, id_ in _NAMED.all(connection, {"here": ns, "ids": as_json(ids)}):
        found[what].append(id_)
    return _Named(
        document_ids=tuple(found[documents.name]),
        statement_ids=tuple(found[episodes.name]),
        review_ids=tuple(found[review_items.name]),
        query_ids=tuple(found[queries.name]),
        answer_ids=tuple(found[answers.name]),
    )


def _reviews(
    connection: Connection, ns: int, target: Target, about: tuple[Sequence[str], Sequence[str]], named: Sequence[str]
) -> tuple[str, ...]:
    """Return the review items that are named, or are about these documents and episodes."""
    query = select(review_items.c.id).where(review_items.c.ns == ns)
    if target.everything:
        return _ids(connection, query)
    if not any(about):
        return tuple(sorted(named))
    ids = {"here": ns, "documents": as_json(about[0]), "episodes": as_json(about[1])}
    return tuple(sorted({*named, *_REVIEWS.scalars(connection, ids)}))


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
    if target.person is not None:
        return f"Nothing here is of the {target.by} {target.person!r}: check the name, `evolore list` shows the statements."
    name = target.session
    return f"No statement has the {target.by} {name!r} here: check the name, `evolore list` shows the statements."


def _ids(connection: Connection, query: Select[str] | CompoundSelect[str]) -> tuple[str, ...]:
    return tuple(connection.scalars(query))
