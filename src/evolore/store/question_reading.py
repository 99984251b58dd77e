"""Read questions, what was returned for them, who rated them and what was said of their answers."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from sqlalchemy import ColumnElement, and_, bindparam, func, literal, select

from evolore.domain.answer import AnswerKind
from evolore.domain.outcome import Given, QueryRecord, Rated, Rating
from evolore.ports import Head, Vectors
from evolore.store.event_bodies import EventKind, read_body
from evolore.store.forms import explained, moment, reader, unpack
from evolore.store.history import Past, find, withdrawals
from evolore.store.questions import NOBODY
from evolore.store.selects import TEXT_OF_QUERY, AnySelect, Number, joined, standing
from evolore.store.sql import HERE, Opened, Prepared, ReadRow, RowsOf, SizeOf, among, as_json, written_out
from evolore.store.structure_reading import holders_of
from evolore.store.tables import (
    answers,
    episodes,
    events,
    queries,
    query_edges,
    query_texts,
    query_vectors,
    ratings,
    vectors,
)

_WHO_ASKED = func.coalesce(queries.c.principal, literal(NOBODY))
_RATED = Prepared(
    select(ratings.c.query_id)
    .join_from(ratings, queries, and_(queries.c.ns == ratings.c.ns, queries.c.id == ratings.c.query_id))
    .where(ratings.c.ns == HERE, ratings.c.principal == bindparam("whose"), ratings.c.withdrawn_by.is_(None))
    .where(bindparam("whose") != _WHO_ASKED)
    .order_by(ratings.c.query_id)
)
_CITED = Prepared(
    select(events.c.principal, events.c.body)
    .where(events.c.ns == HERE, events.c.subject_id == bindparam("of"))
    .where(events.c.kind == written_out(EventKind.OUTCOME_CHANGED.value))
    .order_by(events.c.seq)
)
_RATED_SINCE = Prepared(
    select(events.c.subject_id)
    .where(events.c.ns == HERE, events.c.subject_id.in_(among("ids")), events.c.seq > bindparam("after"))
    .where(events.c.kind == written_out(EventKind.QUERY_RATED.value))
    .distinct()
)


def _root(chain: Mapping[str, Past], event: Past) -> Past:
    """Return the withdrawal that an event undid or did again."""
    while event.undoes is not None and event.undoes in chain:
        event = chain[event.undoes]
    return event


_OF_MODEL = and_(vectors.c.payload_id == episodes.c.payload_id, vectors.c.model_id == bindparam("model"))
_WEIGHED = Prepared(
    select(*episodes.c["id", "confidence", "arousal"], standing().label("stands"), vectors.c.arousal.label("estimate"))
    .join_from(episodes, vectors, joined(episodes, vectors, _OF_MODEL), isouter=True)
    .where(episodes.c.ns == HERE, episodes.c.id.in_(among("ids")))
)


def select_queries(ns: Number) -> AnySelect:
    """Select questions with their texts."""
    return select(queries, query_texts.c.text).join_from(queries, query_texts, TEXT_OF_QUERY).where(queries.c.ns == ns)


def _select_records(ns: Number) -> AnySelect:
    """Select questions with what was handed over and the ratings that count, as ``to_query`` reads them."""
    given = RowsOf(query_edges.c.target_id, query_edges.c.rank, query_edges.c.is_cited)
    handed = (query_edges.c.ns == ns, query_edges.c.query_id == queries.c.id)
    rated = RowsOf(ratings.c.rating, ratings.c.rated_at, ratings.c.principal, ratings.c.comment)
    counting = (ratings.c.ns == ns, ratings.c.query_id == queries.c.id, ratings.c.withdrawn_by.is_(None))
    return select_queries(ns).add_columns(
        select(given).where(*handed).scalar_subquery().label("given"),
        select(rated).where(*counting).scalar_subquery().label("ratings"),
    )


_RECORD = Prepared(_select_records(HERE).where(queries.c.id == bindparam("of")))
_ITS_QUESTION = select(answers.c.query_id).where(answers.c.ns == HERE, answers.c.id == bindparam("of"))
_OF_ANSWER = Prepared(_select_records(HERE).where(queries.c.id == _ITS_QUESTION.scalar_subquery()))


class QuestionReader(Opened):
    """One namespace's questions at one moment."""

    def query(self, query_id: str) -> QueryRecord | None:
        """Return a question that was recorded, by its whole id."""
        return self._record(_RECORD, query_id)

    def query_of_answer(self, answer_id: str) -> QueryRecord | None:
        """Return the question that an answer was given to, by the answer's whole id."""
        return self._record(_OF_ANSWER, answer_id)

    def _record(self, prepared: Prepared, of: str) -> QueryRecord | None:
        rows = prepared.mappings(self._connection, {"here": self._ns, "of": of})
        return to_query(rows[0]) if rows else None

    def queries(self, *, principal: str | None = None, before: str = "", limit: int) -> tuple[QueryRecord, ...]:
        """List questions, the last asked first; those of one principal, or of all where none is named.

        Args:
            principal: Whose.
            before: Only those asked before the one with this id: where the last part ended.
            limit: How many at most.
        """
        wanted = _select_records(self._ns).order_by(queries.c.id.desc()).limit(limit)
        if before:
            wanted = wanted.where(queries.c.id < before)
        if principal is not None:
            wanted = wanted.where(queries.c.principal == principal)
        return tuple(to_query(row) for row in self._connection.execute(wanted).mappings())

    def resolve_query(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of questions that begin with ``prefix``."""
        return self._beginning(queries, prefix)

    def rated_by(self, principal: str | None) -> tuple[str, ...]:
        """Return the questions that a principal rated without having asked them, sorted; withdrawn ratings are left out."""
        return tuple(id_ for (id_,) in _RATED.all(self._connection, {"here": self._ns, "whose": principal or NOBODY}))

    def cited_by(self, query_id: str) -> frozenset[str | None] | None:
        """Return who said of an answer that it rests on what it does; None where that was said when it was recorded."""
        said: set[str | None] | None = None
        for principal, written in _CITED.all(self._connection, {"here": self._ns, "of": query_id}):
            body = read_body(written)
            if "cited" in body and not body.get("confirms"):
                said = {principal}
            elif "cited" in body and said is not None:
                said.add(principal)
        return None if said is None else frozenset(said)

    def stirred_since(self, event_ids: Collection[str], *, before: str) -> tuple[str, ...]:
        """Return the questions of some withdrawals that were rated since, or of which other ratings were withdrawn.

        Args:
            event_ids: The events of withdrawals, or by which such were undone; others are passed over.
            before: The event from which on nothing counts.
        """
        undone = (find(self._connection, self._ns, id_) for id_ in event_ids)
        if all(one is None or one.done.withdrawal is None for one in undone):
            return ()
        last = find(self._connection, self._ns, before)
        chain = withdrawals(self._connection, self._ns).events
        found: set[str] = set()
        for event in (chain[id_] for id_ in event_ids if id_ in chain):
            root = _root(chain, event)
            asked = event.done.questions
            since = {"here": self._ns, "ids": as_json(sorted(asked)), "after": root.seq}
            found.update(_RATED_SINCE.scalars(self._connection, since))
            for other in chain.values():
                if last is not None and root.seq < other.seq < last.seq and _root(chain, other) is not root:
                    found.update(asked & other.done.questions)
        return tuple(sorted(found))

    def heads(self, ids: Collection[str]) -> Mapping[str, tuple[Head, ...]]:
        """Return what represents each of these now, sorted, with how it is trusted and felt; empty where nothing does.

        Ids that name none are left out.
        """
        rows = self._weighed(ids)
        hidden = [id_ for id_, row in rows.items() if not row.stands]
        holders = holders_of(self._connection, self._ns, hidden) if hidden else {}
        rows |= self._weighed({one for some in holders.values() for one in some} - rows.keys())
        standing = {id_: (id_,) if row.stands else holders.get(id_, ()) for id_, row in rows.items() if id_ in ids}
        return {id_: tuple(_head(rows[one]) for one in some) for id_, some in standing.items()}

    def _weighed(self, ids: Collection[str]) -> dict[str, ReadRow]:
        if not ids:
            return {}
        named = {"here": self._ns, "ids": as_json(sorted(ids)), "model": self._model.id}
        return {row.id: row for row in _WEIGHED.rows(self._connection, named)}

    def refused_queries(self, ids: Collection[str]) -> frozenset[str]:
        """Return those of some questions whose last answer said that the sources do not say it."""
        kinds = select(answers.c.query_id, answers.c.kind).where(
            answers.c.ns == self._ns, answers.c.query_id.in_(among("ids"))
        )
        rows = self._connection.execute(kinds.order_by(answers.c.id), {"ids": as_json(sorted(ids))})
        last = {row.query_id: row.kind for row in rows}
        return frozenset(id_ for id_, kind in last.items() if kind == AnswerKind.NOT_IN_SOURCES.value)

    def query_vectors(self, ids: Collection[str]) -> Mapping[str, Vectors]:
        """Return the vectors of some questions by the store's model, each of shape (dimension,); those without one are left out."""
        these = (query_vectors.c.ns == self._ns, query_vectors.c.query_id.in_(among("ids")), *self._of_model())
        wanted = select(query_vectors.c.query_id, query_vectors.c.data).where(*these)
        rows = self._connection.execute(wanted, {"ids": as_json(sorted(ids))})
        return {row.query_id: unpack(row.data) for row in rows}

    def unembedded_queries(self, *, limit: int) -> tuple[tuple[str, str], ...]:
        """Return ids and texts of questions that have no vector of the store's model."""
        its = (query_vectors.c.ns == query_texts.c.ns, query_vectors.c.query_id == query_texts.c.query_id)
        lacking = ~select(query_vectors.c.ns).where(*its, *self._of_model()).correlate(query_texts).exists()
        query = select(query_texts.c.query_id, query_texts.c.text).where(query_texts.c.ns == self._ns, lacking)
        rows = self._connection.execute(query.order_by(query_texts.c.query_id).limit(limit))
        return tuple((row.query_id, row.text) for row in rows)

    def _of_model(self) -> tuple[ColumnElement[bool], ...]:
        is_whole = SizeOf(query_vectors.c.data) == 2 * self._model.dimension
        return query_vectors.c.model_id == self._model.id, is_whole


def _head(row: ReadRow) -> Head:
    return Head(id=row.id, confidence=row.confidence, arousal=row.arousal, estimate=row.estimate)


def _given(written: str) -> tuple[Given, ...]:
    """Read what was handed over, best first."""
    rows = [Given(episode_id=id_, rank=rank, is_cited=bool(is_cited)) for id_, rank, is_cited in json.loads(written)]
    return tuple(sorted(rows, key=lambda one: (one.rank, one.episode_id)))


def _ratings(written: str) -> tuple[Rated, ...]:
    """Read what people said, oldest first."""
    in_order = sorted(json.loads(written), key=lambda row: (row[1], row[2]))
    return tuple(
        Rated(rating=Rating(rating), at=moment(at), principal=principal or None, comment=comment)
        for rating, at, principal, comment in in_order
    )


to_query = explained(
    reader(
        QueryRecord,
        queries,
        query_texts,
        given=lambda row: _given(row.get("given", "[]")),
        ratings=lambda row: _ratings(row.get("ratings", "[]")),
    )
)
"""Read a question, joined with its text; what was handed over and its ratings are read where they are there."""
