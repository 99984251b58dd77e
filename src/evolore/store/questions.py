"""Record questions and answers, and note beside them what is stated of them later."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import sqlalchemy as sa

from evolore.domain.answer import Answer
from evolore.domain.feedback import Feedback
from evolore.domain.outcome import Given, Outcome, QueryRecord, Rating
from evolore.errors import NotFound
from evolore.ports import NewQuery, QueryEdge, Vectors
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch, EventBody, OpenedToWrite, Row
from evolore.store.forms import pack, row_of
from evolore.store.question_rows import IN_GRAPH, there_of, touch
from evolore.store.rows import to_feedback
from evolore.store.selects import DOCUMENT_OF_EPISODE, AnySelect, joined
from evolore.store.sql import (
    HERE,
    Prepared,
    SizeOf,
    among,
    as_json,
    as_json_rows,
    delete_rows,
    listed,
    new_row,
    part,
    upsert,
)
from evolore.store.tables import (
    answer_citations,
    answers,
    documents,
    episodes,
    feedback,
    queries,
    query_edges,
    query_texts,
    query_vectors,
    ratings,
    versions,
)
from evolore.text.tokens import query_tokens

NOBODY = ""
"""Replaces an unnamed principal in a key."""


def _count_of(table: sa.Table, *conditions: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    return sa.select(sa.func.count()).select_from(table).where(table.c.ns == HERE, *conditions).scalar_subquery()


_QUERY = Prepared(sa.insert(queries))
_TEXT = Prepared(sa.insert(query_texts))
_VECTOR = Prepared(upsert(query_vectors, {"data": new_row(query_vectors).data}))
_NAMES = ("ns", "query_id", "target_id", "rank", "is_cited", "cited_at", "led_to_insight")
_LISTED = listed("given")
_TARGET, _IS_CITED_NOW = part(_LISTED.c.value, 0), part(_LISTED.c.value, 2, sa.Boolean())
_ROW = (HERE, sa.bindparam("query_id", type_=sa.String), _TARGET, part(_LISTED.c.value, 1, sa.Integer()), _IS_CITED_NOW)
_ROWS = sa.select(*_ROW, sa.case((_IS_CITED_NOW, sa.bindparam("at", type_=sa.String))), sa.literal(value=False))
_THOSE_THERE = _ROWS.where(sa.select(sa.literal(1)).where(episodes.c.ns == HERE, episodes.c.id == _TARGET).exists())
_GIVEN = Prepared(
    sa.insert(query_edges).from_select(_NAMES, _THOSE_THERE, include_defaults=False).returning(query_edges.c.target_id)
)
_OUTCOME = Prepared(
    sa.update(queries).where(queries.c.ns == HERE, queries.c.id == sa.bindparam("of")), "outcome", "is_stated"
)
_ANSWERED = Prepared(sa.update(queries).where(queries.c.ns == HERE, queries.c.id == sa.bindparam("of")), "answer_id")
_IS_CITED = query_edges.c.target_id.in_(among("cited"))
_CITED = Prepared(
    sa.update(query_edges)
    .where(query_edges.c.ns == HERE, query_edges.c.query_id == sa.bindparam("of"), query_edges.c.is_cited != _IS_CITED)
    .values(is_cited=~query_edges.c.is_cited, cited_at=sa.case((_IS_CITED, sa.bindparam("at", type_=sa.String))))
    .returning(query_edges.c.target_id)
)
_READ = listed("read")
_ITS_NUMBER = versions.c.number == part(_READ.c.value, 1, sa.Integer())
_IS_READ = sa.and_(versions.c.ns == HERE, versions.c.document_id == part(_READ.c.value, 0), _ITS_NUMBER)
_THERE = Prepared(
    sa.select(
        _count_of(queries, queries.c.id.in_(among("asked"))),
        _count_of(episodes, episodes.c.id.in_(among("cited"))),
        sa.select(sa.func.count(versions.c.number)).select_from(_READ.outerjoin(versions, _IS_READ)).scalar_subquery(),
    )
)
_SAID = Prepared(
    sa.select(queries.c.outcome, queries.c.is_stated).where(queries.c.ns == HERE, queries.c.id == sa.bindparam("of"))
)
_IS_OPEN = (
    query_edges.c.ns == HERE,
    query_edges.c.query_id == sa.bindparam("of"),
    query_edges.c.evaluated_by.is_(None),
    ~IN_GRAPH,
)
_NEW = new_row(ratings)
_IS_SAID = sa.and_(ratings.c.rating == _NEW.rating, ratings.c.withdrawn_by.is_(None))
_SINCE = sa.case((_IS_SAID, ratings.c.rated_at), else_=_NEW.rated_at)
_RATING = Prepared(
    upsert(ratings, {"rating": _NEW.rating, "comment": _NEW.comment, "rated_at": _SINCE, "withdrawn_by": None})
)
"""Who says the same again has said it since the first time."""

_LEFT = listed("left")
_OF_THIS = part(_LEFT.c.value, 0) == query_edges.c.target_id
_LEFT_KIND = sa.select(part(_LEFT.c.value, 1)).where(_OF_THIS).correlate(query_edges).scalar_subquery()
_LEFT_INSIGHT = sa.select(part(_LEFT.c.value, 2, sa.Boolean())).where(_OF_THIS).correlate(query_edges).scalar_subquery()
_LEAVE = Prepared(
    sa.update(query_edges)
    .where(*_IS_OPEN, sa.or_(query_edges.c.kind.is_not(None), _LEFT_KIND.is_not(None)))
    .values(kind=_LEFT_KIND, led_to_insight=sa.func.coalesce(_LEFT_INSIGHT, sa.false()), entered_by=None)
)
_VECTOR_THERE = Prepared(
    sa.select(sa.literal(1))
    .where(query_vectors.c.ns == HERE, query_vectors.c.query_id == sa.bindparam("of"))
    .where(query_vectors.c.model_id == sa.bindparam("model"), SizeOf(query_vectors.c.data) == sa.bindparam("bytes"))
)


class QuestionWriter(OpenedToWrite):
    """Questions, answers and statements about them in one namespace, inside a write transaction."""

    def put_query(self, new: NewQuery, *, at: datetime) -> QueryRecord:
        """Record a question, and return it as it is kept; what was handed over and is not there any more is left out."""
        batch = self._batch(at)
        id_ = new.id or batch.new_id()
        known = {"ns": batch.ns, "query_id": id_}
        record = QueryRecord(
            id=id_,
            text=new.text,
            language=new.language,
            intent=new.intent,
            asked_at=new.asked_at.astimezone(UTC),
            recorded_at=at.astimezone(UTC),
            outcome=new.outcome,
            is_stated=new.is_stated,
            given=_hand_over(batch, id_, new.given),
            principal=self._principal,
            answer_id=new.answer_id,
        )
        _QUERY.run(batch.connection, row_of(queries, record, ns=batch.ns, touched_seq=0))
        _TEXT.run(batch.connection, {**known, "text": new.text, "tokens": " ".join(query_tokens(new.text))})
        _VECTOR.run(batch.connection, {**known, "model_id": self._model.id, "data": pack(new.vector)})
        return record

    def set_outcome(
        self, query_id: str, outcome: Outcome, *, is_stated: bool, cited: Collection[str] | None, at: datetime
    ) -> None:
        """Record what a question led to, and which of what was handed over the answer rests on; None leaves that as it is."""
        batch = self._batch(at)
        this = {"here": batch.ns, "of": query_id}
        said = _SAID.first(batch.connection, this)
        if said is None:
            raise _missing(query_id)
        is_new = (said[0], bool(said[1])) != (outcome.value, is_stated)
        if is_new:
            _OUTCOME.run(batch.connection, {**this, "outcome": outcome.value, "is_stated": is_stated})
        is_moved = cited is not None and _cite(batch, query_id, cited)
        if is_new or cited is not None:  # repeating what somebody else said counts as saying it
            named = {} if cited is None else {"cited": len(set(cited)), "confirms": not is_moved}
            body = {"outcome": outcome.value, "is_stated": is_stated, **named}
            batch.append_events(EventKind.OUTCOME_CHANGED, [(query_id, body)])

    def set_answer_id(self, query_id: str, answer_id: str, *, at: datetime) -> None:
        """Record for which answer a question was asked."""
        batch = self._batch(at)
        _ANSWERED.run(batch.connection, {"here": batch.ns, "of": query_id, "answer_id": answer_id})

    def rate_query(self, query_id: str, rating: Rating, *, comment: str | None, at: datetime) -> None:
        """Record what the principal said of an answer, in place of what the same principal said before."""
        batch = self._batch(at)
        if not touch(batch, [query_id]):
            raise _missing(query_id)
        said = {"rating": rating.value, "comment": comment, "rated_at": batch.recorded_at}
        key = {"ns": batch.ns, "query_id": query_id, "principal": self._principal or NOBODY}
        _RATING.run(batch.connection, {**key, **said})
        batch.append_events(EventKind.QUERY_RATED, [(query_id, {"rating": rating.value})])

    def put_query_edges(self, edges: Collection[QueryEdge], *, at: datetime) -> None:
        """Record as waiting the edges that questions leave, each question's all at once, in place of those that it left before.

        One that was evaluated, or is in the graph, stays as it is; one that left the graph waits again.
        """
        batch = self._batch(at)
        left: dict[str, list[tuple[str, str, int]]] = {}
        for edge in edges:
            left.setdefault(edge.query_id, []).append((edge.target_id, edge.kind.value, int(edge.led_to_insight)))
        for query_id, own in left.items():
            _LEAVE.run(batch.connection, {"here": batch.ns, "of": query_id, "left": as_json_rows(own)})

    def put_query_vectors(self, vectors: Mapping[str, Vectors]) -> None:
        """Write the vectors of questions without one of the store's model, by question."""
        connection, ns = self._connection, self._ns
        wanted = {"here": ns, "model": self._model.id, "bytes": 2 * self._model.dimension}
        there = sorted(there_of(connection, ns, vectors))
        lacking = [id_ for id_ in there if _VECTOR_THERE.first(connection, {**wanted, "of": id_}) is None]
        known = {"ns": ns, "model_id": self._model.id}
        packed = [{**known, "query_id": id_, "data": pack(vectors[id_])} for id_ in lacking]
        if packed:
            _VECTOR.run(connection, *packed)
            touch(self._batch(self._now()), lacking)

    def put_answer(self, answer: Answer, *, at: datetime) -> bool:
        """Write an answer, without what was found for it; False where it rests on what is not there any more."""
        batch = self._batch(at)
        if not _stands(batch, answer):
            return False
        row = row_of(answers, answer, ns=batch.ns, recorded_at=batch.recorded_at, **asdict(answer.usage))
        batch.connection.execute(sa.insert(answers), [row])
        cited = [
            row_of(answer_citations, one, ns=batch.ns, answer_id=answer.id, start=one.span.start, end=one.span.end)
            for one in answer.citations
        ]
        if cited:
            batch.connection.execute(sa.insert(answer_citations), cited)
        return True

    def put_feedback(
        self, document_id: str, rating: Rating, *, query_id: str | None = None, comment: str | None = None, at: datetime
    ) -> str:
        """Record what the principal says of a document, and return the feedback's id.

        It takes the place of what the same principal said before of the same answer, or of the document itself; where
        that was processed and says the same still, it stays processed.
        """
        batch = self._batch(at)
        version = _version(batch, document_id, query_id)
        if version is None:
            raise NotFound(f"No document has the id {document_id!r} here: `evolore list` shows the ids.")
        if query_id is not None and not there_of(batch.connection, batch.ns, [query_id]):
            raise _missing(query_id)
        said = _rated(document_id, version, query_id, self._principal, rating, comment)
        key = (feedback.c.query_id == (query_id or ITSELF), feedback.c.principal == (self._principal or NOBODY))
        before = _feedback(batch, feedback.c.document_id == document_id, *key)
        return _write_feedback(batch, [said], before)[0]["id"]

    def feedback_of_answer(
        self, rated: QueryRecord, episode_ids: Sequence[str], rating: Rating, *, comment: str | None, at: datetime
    ) -> tuple[Feedback, ...]:
        """Record what the principal says of the documents that some episodes lie in by rating an answer, and return that.

        What people said of other documents, when the answer was said to rest on those, counts for these now.
        """
        batch = self._batch(at)
        found = _versions_of_episodes(batch, episode_ids, rated.id)
        before = _feedback(batch, feedback.c.query_id == rated.id)
        stale = [row for row in before if row["document_id"] not in found and row["withdrawn_by"] is None]
        delete_rows(batch, feedback, [row["id"] for row in stale])
        others = {row["principal"]: row for row in stale if row["principal"] != (self._principal or NOBODY)}
        said = [(who, Rating(row["rating"]), row["comment"]) for who, row in others.items()]
        said.append((self._principal, rating, comment))
        new = [_rated(id_, version, rated.id, *one) for one in said for id_, version in found.items()]
        written = _write_feedback(batch, new, before)[len(new) - len(found) :]
        return tuple(to_feedback({**row, "question": rated.text}) for row in written)

    def set_processed(self, feedback_ids: Collection[str], job_id: str, *, is_taken_over: bool = False) -> None:
        """Mark feedback as taken up by a job; with ``is_taken_over`` also what another job took up."""
        these = sa.and_(feedback.c.ns == self._ns, feedback.c.id.in_(among("ids")))
        wanted = these if is_taken_over else sa.and_(these, feedback.c.job_id.is_(None))
        marked = sa.update(feedback).where(wanted).values(job_id=job_id)
        self._connection.execute(marked, {"ids": as_json(sorted(feedback_ids))})


def _hand_over(batch: Batch, query_id: str, given: Sequence[Given]) -> tuple[Given, ...]:
    """Write what was handed over for a question, and return what of that is there, best first."""
    if not given:
        return ()
    listed = as_json_rows((one.episode_id, one.rank, int(one.is_cited)) for one in given)
    values = {"here": batch.ns, "query_id": query_id, "given": listed, "at": batch.recorded_at}
    there = {id_ for (id_,) in _GIVEN.all(batch.connection, values)}
    return tuple(sorted((one for one in given if one.episode_id in there), key=lambda one: (one.rank, one.episode_id)))


def _cite(batch: Batch, query_id: str, cited: Collection[str]) -> bool:
    """Record on which of what was handed over an answer rests, and since when; return whether that changed anything."""
    named = {"here": batch.ns, "of": query_id, "cited": as_json(sorted(cited)), "at": batch.recorded_at}
    is_moved = _CITED.first(batch.connection, named) is not None
    if is_moved:
        touch(batch, [query_id])
    return is_moved


def _missing(query_id: str) -> NotFound:
    return NotFound(
        f"No question has the id {query_id!r} here: `evolore questions list` shows those that were recorded."
    )


def _stands(batch: Batch, answer: Answer) -> bool:
    """Return whether all that an answer names is there: what was forgotten meanwhile must not come back in its words."""
    asked = [] if answer.query_id is None else [answer.query_id]
    cited = sorted({one.episode_id for one in answer.citations})
    read = sorted({(one.document_id, one.version or 0) for one in answer.citations if one.document_id})
    named = {"here": batch.ns, "asked": as_json(asked), "cited": as_json(cited), "read": as_json_rows(read)}
    return _THERE.first(batch.connection, named) == (len(asked), len(cited), len(read))


ITSELF = ""
"""Replaces in a key the question of a rating of the document itself."""


def _rated(
    document_id: str, version: int, query_id: str | None, principal: str | None, rating: Rating, comment: str | None
) -> Row:
    """Return what one person says of one version of a document, as its row holds it."""
    key = {"document_id": document_id, "query_id": query_id or ITSELF, "principal": principal or NOBODY}
    return {**key, "version": version, "rating": rating.value, "comment": comment}


def _feedback(batch: Batch, *conditions: sa.ColumnElement[bool]) -> Sequence[sa.RowMapping]:
    query = sa.select(feedback).where(feedback.c.ns == batch.ns, *conditions).order_by(feedback.c.id)
    return batch.connection.execute(query).mappings().all()


def _write_feedback(batch: Batch, new: Sequence[Row], before: Sequence[sa.RowMapping]) -> list[Row]:
    """Write feedback in place of what the same people said before, with its events, and return it as it is kept."""
    known = {_key(row): row for row in before}
    rows: list[Row] = []
    for row in new:
        old = known.get(_key(row))
        id_, job_id = (old["id"], old["job_id"]) if old is not None and _says(old, row) else (batch.new_id(), None)
        kept = {"id": id_, "job_id": job_id, "rated_at": batch.recorded_at, "withdrawn_by": None}
        rows.append({"ns": batch.ns, **row, **kept})
    delete_rows(batch, feedback, [known[_key(row)]["id"] for row in new if _key(row) in known])
    if rows:
        batch.connection.execute(sa.insert(feedback), rows)
    batch.append_events(EventKind.FEEDBACK_GIVEN, [(row["document_id"], _told(row)) for row in rows])
    return rows


def _key(row: sa.RowMapping | Row) -> tuple[str, str, str]:
    return row["document_id"], row["query_id"], row["principal"]


def _told(row: Row) -> EventBody:
    asked = {} if row["query_id"] == ITSELF else {"query": row["query_id"]}
    return {"feedback": row["id"], "rating": row["rating"], "version": row["version"], **asked}


def reopen_feedback(connection: sa.Connection, ns: int, job_ids: Collection[str]) -> tuple[str, ...]:
    """Open again what jobs took up and no other has, and return the feedback that counts, oldest first."""
    these = sa.and_(feedback.c.ns == ns, feedback.c.job_id.in_(among("ids")))
    jobs = {"ids": as_json(sorted(job_ids))}
    counting = sa.select(feedback.c.id).where(these, feedback.c.withdrawn_by.is_(None))
    found = tuple(connection.scalars(counting.order_by(feedback.c.rated_at, feedback.c.id), jobs))
    connection.execute(sa.update(feedback).where(these).values(job_id=None), jobs)
    return found


def _says(before: sa.RowMapping, said: Row) -> bool:
    is_same = all(before[name] == said[name] for name in ("version", "rating", "comment"))
    return is_same and before["withdrawn_by"] is None


def _version(batch: Batch, document_id: str, query_id: str | None) -> int | None:
    """Return the version of a document that is rated; None where it is not there."""
    query = _select_versions(batch, query_id).where(documents.c.id == document_id)
    found = batch.connection.execute(query).first()
    return None if found is None else found.rated


def _versions_of_episodes(batch: Batch, episode_ids: Sequence[str], query_id: str) -> dict[str, int]:
    """Return the version that is rated of each document that some episodes lie in, in the order of the episodes."""
    query = _select_versions(batch, query_id).add_columns(episodes.c.id.label("episode_id"))
    query = query.join(episodes, DOCUMENT_OF_EPISODE).where(episodes.c.id.in_(among("ids")))
    rows = {row.episode_id: row for row in batch.connection.execute(query, {"ids": as_json(episode_ids)})}
    return {rows[id_].id: rows[id_].rated for id_ in episode_ids if id_ in rows}


def _select_versions(batch: Batch, query_id: str | None) -> AnySelect:
    """Select documents that are there with the version that is rated: the one that the answer cites, or the present."""
    of_answer = joined(answers, answer_citations, answer_citations.c.answer_id == answers.c.id)
    cites = (answers.c.query_id == query_id, answer_citations.c.document_id == documents.c.id)
    read = sa.select(answer_citations.c.version).join_from(answers, answer_citations, of_answer)
    read = read.where(answers.c.ns == batch.ns, *cites).order_by(answers.c.id.desc(), answer_citations.c.number)
    read = read.limit(1).correlate(documents).scalar_subquery()
    rated = documents.c.version if query_id is None else sa.func.coalesce(read, documents.c.version)
    return sa.select(documents.c.id, rated.label("rated")).where(documents.c.ns == batch.ns, documents.c.version > 0)
