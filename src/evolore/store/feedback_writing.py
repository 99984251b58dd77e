"""What people say of documents is noted: one rating a person of each answer, or of the document itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, delete, insert, select, update

from evolore.domain.queries import Rating
from evolore.errors import NotFound
from evolore.store.event_kinds import EventKind
from evolore.store.evolution_tables import answer_citations, answers, feedback
from evolore.store.prepared import among, as_json
from evolore.store.query_rows import there_of
from evolore.store.query_writing import NOBODY
from evolore.store.selects import joined
from evolore.store.tables import documents

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection, RowMapping

    from evolore.store.batch import Batch

ITSELF = ""
"""Stands in a key for the question of a rating of the document itself."""


def put_feedback(
    batch: Batch, document_id: str, rating: Rating, *, query_id: str | None, principal: str | None, comment: str | None
) -> str:
    """Note what a principal says of a document, and give the feedback's id.

    Who says the same of the same text again keeps the feedback there is, processed or not; who says anything else gives
    a new one in its place, which no job has taken up.

    Raises:
        NotFound: There is no such document or question.
    """
    version = _version(batch, document_id, query_id)
    key = {"document_id": document_id, "query_id": query_id or ITSELF, "principal": principal or NOBODY}
    said: dict[str, Any] = {"version": version, "rating": rating.value, "comment": comment}
    this = and_(feedback.c.ns == batch.ns, *(feedback.c[name] == value for name, value in key.items()))
    before = batch.connection.execute(select(feedback).where(this)).mappings().first()
    if before is not None and _says(before, said):
        id_: str = before["id"]
        batch.connection.execute(update(feedback).where(this).values(rated_at=batch.recorded_at))
    else:
        id_ = batch.new_id()
        batch.connection.execute(delete(feedback).where(this))
        row = {"ns": batch.ns, "id": id_, **key, **said, "rated_at": batch.recorded_at}
        batch.connection.execute(insert(feedback), [row])
    asked = {} if query_id is None else {"query": query_id}
    body = {"feedback": id_, "rating": rating.value, "version": version, **asked}
    batch.append_events(EventKind.FEEDBACK_GIVEN, [(document_id, body)])
    return id_


def rest_feedback(batch: Batch, query_id: str, document_ids: Collection[str], *, principal: str | None) -> None:
    """Let what people said of an answer count for the documents it is said to rest on now, and for no other.

    What the principal said of others is deleted: the caller writes down what that person says now.
    """
    of_others = and_(
        feedback.c.ns == batch.ns,
        feedback.c.query_id == query_id,
        feedback.c.document_id.not_in(among("ids")),
        feedback.c.withdrawn_by.is_(None),
    )
    ids = {"ids": as_json(sorted(document_ids))}
    rows = batch.connection.execute(select(feedback).where(of_others).order_by(feedback.c.id), ids).mappings().all()
    batch.connection.execute(delete(feedback).where(of_others), ids)
    for who, row in {row["principal"]: row for row in rows if row["principal"] != (principal or NOBODY)}.items():
        for id_ in document_ids:
            rating, comment = Rating(row["rating"]), row["comment"]
            put_feedback(batch, id_, rating, query_id=query_id, principal=who or None, comment=comment)


def set_processed(
    connection: Connection, ns: int, feedback_ids: Collection[str], job_id: str, *, is_taken_over: bool
) -> None:
    """Mark feedback as taken up by a job; what another took up only where it is taken over from that."""
    these = and_(feedback.c.ns == ns, feedback.c.id.in_(among("ids")))
    wanted = these if is_taken_over else and_(these, feedback.c.job_id.is_(None))
    marked = update(feedback).where(wanted).values(job_id=job_id)
    connection.execute(marked, {"ids": as_json(sorted(feedback_ids))})


def reopen_feedback(connection: Connection, ns: int, job_ids: Collection[str]) -> tuple[str, ...]:
    """Open again what jobs took up and no other has, and give the feedback that counts, oldest first."""
    these = and_(feedback.c.ns == ns, feedback.c.job_id.in_(among("ids")))
    jobs = {"ids": as_json(sorted(job_ids))}
    counting = select(feedback.c.id).where(these, feedback.c.withdrawn_by.is_(None))
    found = tuple(connection.scalars(counting.order_by(feedback.c.rated_at, feedback.c.id), jobs))
    connection.execute(update(feedback).where(these).values(job_id=None), jobs)
    return found


def _says(before: RowMapping, said: dict[str, Any]) -> bool:
    return before["withdrawn_by"] is None and all(before[name] == value for name, value in said.items())


def _version(batch: Batch, document_id: str, query_id: str | None) -> int:
    """Give the version that is rated: the one that the answer cites, or the present one."""
    here = (documents.c.ns == batch.ns, documents.c.id == document_id, documents.c.version > 0)
    present: int | None = batch.connection.scalar(select(documents.c.version).where(*here))
    if present is None:
        raise NotFound(f"No document has the id {document_id!r} here: `evolore list` shows the ids.")
    if query_id is None:
        return present
    if not there_of(batch.connection, batch.ns, [query_id]):
        raise NotFound(f"No question has the id {query_id!r} here: `evolore queries` shows those that were taken down.")
    of_answer = joined(answers, answer_citations, answer_citations.c.answer_id == answers.c.id)
    read = (
        select(answer_citations.c.version)
        .join_from(answers, answer_citations, of_answer)
        .where(answers.c.ns == batch.ns, answers.c.query_id == query_id, answer_citations.c.document_id == document_id)
        .order_by(answers.c.id.desc(), answer_citations.c.number)
        .limit(1)
    )
    return batch.connection.scalar(read) or present
