"""What was forgotten leaves answers, feedback and jobs too, and the replies that chats left; and what one person said.

An answer is erased with what it cites, feedback with its document, the steps of a job with a document it is about and
with whatever they name: an id is all that tells where a quote in them comes from. A job without its steps is over. Of
promotions ids and numbers stay.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Table, and_, delete, select, update

from evolore.domain.evolving import JobState
from evolore.store.chat_keeping import clear_replies
from evolore.store.event_kinds import EventKind
from evolore.store.evolution_rows import OPEN_STATES
from evolore.store.evolution_tables import (
    answer_citations,
    answers,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    promotion_documents,
    promotions,
)
from evolore.store.feedback_writing import reopen_feedback
from evolore.store.job_events import tell_decided
from evolore.store.prepared import among, as_json
from evolore.store.query_writing import NOBODY
from evolore.store.tables import episodes, events, index_log

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import Column, Connection

    from evolore.store.batch import Batch
    from evolore.store.place import Place

_ID = re.compile(r"(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])")
_ID_OF_THIS_AGE = re.compile(r"0(?<![0-9a-z]0)[0-9a-hjkmnp-tv-z]{25}(?![0-9a-z])")
"""Ids begin with a zero until the year 3084; a pattern that begins with a letter is found 14 times as fast."""
_BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOf:
    """What speaks of documents and episodes.

    Args:
        answer_ids: Answers that cite them.
        feedback_ids: What people said of the documents.
    """

    answer_ids: frozenset[str]
    feedback_ids: frozenset[str]


def said_of(connection: Connection, ns: int, document_ids: Collection[str], episode_ids: Collection[str]) -> SaidOf:
    """Find what speaks of documents and episodes, and goes with them."""
    cites = answer_citations.c
    of_documents = _those(connection, ns, cites.answer_id, cites.document_id, document_ids)
    return SaidOf(
        answer_ids=frozenset(of_documents | _those(connection, ns, cites.answer_id, cites.episode_id, episode_ids)),
        feedback_ids=frozenset(_those(connection, ns, feedback.c.id, feedback.c.document_id, document_ids)),
    )


def answers_of(place: Place, whose: str, query_ids: Collection[str]) -> frozenset[str]:
    """Find the answers that a principal was given, and those to some questions."""
    own = select(answers.c.id).where(answers.c.ns == place.ns, _asked_by(whose))
    to_these = _those(place.connection, place.ns, answers.c.id, answers.c.query_id, query_ids)
    return frozenset({*place.connection.scalars(own), *to_these})


def forget_said(batch: Batch, document_ids: Collection[str], episode_ids: Collection[str], event_id: str) -> None:
    """Erase what speaks of documents and episodes that were forgotten.

    Args:
        batch: The transaction, in which they were erased.
        document_ids: The documents.
        episode_ids: The statements, and the passages of the documents.
        event_id: The event of their erasure.
    """
    said = said_of(batch.connection, batch.ns, document_ids, episode_ids)
    of_job, promoted = evolution_job_documents.c, promotion_documents.c
    about = _those(batch.connection, batch.ns, of_job.job_id, of_job.document_id, document_ids)
    over = _those(batch.connection, batch.ns, promoted.promotion_id, promoted.document_id, document_ids)
    _erase_answers(batch, said.answer_ids)
    _delete(batch, feedback, feedback.c.id, said.feedback_ids)
    _erase_steps(batch, about, {*document_ids, *episode_ids, *said.answer_ids, *said.feedback_ids}, event_id)
    silent = update(promotions).where(promotions.c.ns == batch.ns, promotions.c.id.in_(among("ids")))
    batch.connection.execute(silent.values(reason="", rollback_reason=""), {"ids": as_json(sorted(over))})
    clear_replies(batch.connection)


def counting(place: Place, whose: str) -> tuple[str, ...]:
    """Give the feedback of a principal that counts."""
    here = (feedback.c.ns == place.ns, feedback.c.principal == whose, feedback.c.withdrawn_by.is_(None))
    return tuple(place.connection.scalars(select(feedback.c.id).where(*here).order_by(feedback.c.id)))


def has_said(place: Place, whose: str) -> bool:
    """Tell whether there are answers or feedback of a principal, whether or not they count."""
    theirs = (
        select(answers.c.id).where(answers.c.ns == place.ns, _asked_by(whose)),
        select(feedback.c.id).where(feedback.c.ns == place.ns, feedback.c.principal == whose),
    )
    return any(place.connection.execute(query.limit(1)).first() is not None for query in theirs)


def erase_said(batch: Batch, whose: str, query_ids: Collection[str], event_id: str) -> None:
    """Erase a principal's answers and feedback, what others said of these questions, and the steps that name any of it.

    Args:
        batch: The transaction.
        whose: The principal; empty for nobody in particular.
        query_ids: The principal's questions, which are erased too.
        event_id: The event of the erasure.
    """
    answer_ids = answers_of(batch, whose, query_ids)
    own = select(feedback.c.id).where(feedback.c.ns == batch.ns, feedback.c.principal == whose)
    of_these = _those(batch.connection, batch.ns, feedback.c.id, feedback.c.query_id, query_ids)
    feedback_ids = {*batch.connection.scalars(own), *of_these}
    _erase_answers(batch, answer_ids)
    _delete(batch, feedback, feedback.c.id, feedback_ids)
    _erase_steps(batch, (), {*query_ids, *answer_ids, *feedback_ids}, event_id)
    clear_replies(batch.connection)


def forget_asked(
    batch: Batch,
    query_ids: Collection[str],
    answer_ids: Collection[str],
    commented_ids: Collection[str],
    event_id: str,
) -> None:
    """Erase answers, what was said of documents by rating questions that go, and comments on others.

    Args:
        batch: The transaction.
        query_ids: The questions that go.
        answer_ids: The answers that go.
        commented_ids: Questions that stay, on whose answers no comment may.
        event_id: The event of the erasure.
    """
    place = (batch.connection, batch.ns, feedback.c.id, feedback.c.query_id)
    gone, silent = _those(*place, query_ids), _those(*place, commented_ids)
    if not (query_ids or answer_ids or silent):
        return
    _erase_answers(batch, answer_ids)
    _delete(batch, feedback, feedback.c.id, gone)
    blank = update(feedback).where(feedback.c.ns == batch.ns, feedback.c.id.in_(among("ids"))).values(comment=None)
    batch.connection.execute(blank, {"ids": as_json(sorted(silent))})
    _erase_steps(batch, (), {*query_ids, *answer_ids, *gone, *silent}, event_id)
    clear_replies(batch.connection)


def mark_said(batch: Batch, feedback_ids: Collection[str], event_id: str) -> None:
    """Let feedback count no longer, because of an event."""
    these = and_(feedback.c.ns == batch.ns, feedback.c.id.in_(among("ids")), feedback.c.withdrawn_by.is_(None))
    marked = update(feedback).where(these).values(withdrawn_by=event_id)
    batch.connection.execute(marked, {"ids": as_json(sorted(feedback_ids))})


def free_said(batch: Batch, event_id: str) -> None:
    """Let the feedback that an event took back count again."""
    these = and_(feedback.c.ns == batch.ns, feedback.c.withdrawn_by == event_id)
    batch.connection.execute(update(feedback).where(these).values(withdrawn_by=None))


def end_if_forgotten(batch: Batch, job_id: str, bodies: Iterable[str]) -> bool:
    """End a job, erasing its steps, where its next steps name an episode that was forgotten meanwhile; tell whether."""
    named = as_json(sorted({id_ for body in bodies for id_ in _ID.findall(body)}))
    there = select(episodes.c.id).where(episodes.c.ns == batch.ns, episodes.c.id.in_(among("ids")))
    gone = (index_log.c.ns == batch.ns, index_log.c.episode_id.in_(among("ids")), index_log.c.episode_id.not_in(there))
    if batch.connection.scalar(select(index_log.c.seq).where(*gone).limit(1), {"ids": named}) is None:
        return False
    erased = (events.c.ns == batch.ns, events.c.kind == EventKind.ERASED.value)
    last = batch.connection.scalar(select(events.c.id).where(*erased).order_by(events.c.seq.desc()).limit(1))
    _erase_steps(batch, [job_id], (), last or "")
    return True


def _asked_by(whose: str) -> ColumnElement[bool]:
    return answers.c.principal.is_(None) if whose == NOBODY else answers.c.principal == whose


def _erase_answers(batch: Batch, ids: Collection[str]) -> None:
    _delete(batch, answer_citations, answer_citations.c.answer_id, ids)
    _delete(batch, answers, answers.c.id, ids)


def _erase_steps(batch: Batch, about: Iterable[str], named: Collection[str], event_id: str) -> None:
    """Erase the steps of jobs, and of those whose steps name any of some ids; what was to happen in them does not."""
    ids = {*about, *_naming(batch, frozenset(named))}
    _delete(batch, evolution_steps, evolution_steps.c.job_id, ids)
    these = and_(
        evolution_jobs.c.ns == batch.ns, evolution_jobs.c.id.in_(among("ids")), evolution_jobs.c.erased_by.is_(None)
    )
    values = {"ids": as_json(sorted(ids))}
    is_open = and_(these, evolution_jobs.c.state.in_(OPEN_STATES))
    ended = list(
        batch.connection.scalars(select(evolution_jobs.c.id).where(is_open).order_by(evolution_jobs.c.id), values)
    )
    over = JobState.ORIGINAL_STAYS.value
    batch.connection.execute(update(evolution_jobs).where(is_open).values(state=over), values)
    reopen_feedback(batch.connection, batch.ns, ended)  # nobody decides about it any more
    erased = {"steps": 0, "erased_by": event_id, "updated_at": batch.recorded_at}
    batch.connection.execute(update(evolution_jobs).where(these).values(erased), values)
    for job_id in ended:
        tell_decided(batch, job_id, over, steps=0)


def _naming(batch: Batch, ids: frozenset[str]) -> set[str]:
    """Give the jobs whose steps name any of some ids."""
    if not ids:
        return set()
    pattern = _ID_OF_THIS_AGE if all(id_.startswith("0") for id_ in ids) else _ID
    query = select(evolution_steps.c.job_id, evolution_steps.c.body).where(evolution_steps.c.ns == batch.ns)
    with batch.connection.execute(query.execution_options(yield_per=_BATCH)) as rows:
        return {job_id for job_id, body in rows if not ids.isdisjoint(pattern.findall(body))}


def _those(
    connection: Connection, ns: int, wanted: Column[str], of: Column[str] | Column[str | None], ids: Collection[str]
) -> set[str]:
    """Give one column of the rows of which another is among some ids."""
    query = select(wanted).where(wanted.table.c.ns == ns, of.in_(among("ids")))
    return set(connection.scalars(query, {"ids": as_json(sorted(ids))}))


def _delete(batch: Batch, table: Table, of: Column[str], ids: Collection[str]) -> None:
    gone = delete(table).where(table.c.ns == batch.ns, of.in_(among("ids")))
    batch.connection.execute(gone, {"ids": as_json(sorted(ids))})
