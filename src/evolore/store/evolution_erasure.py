"""Erase what was forgotten from answers, feedback, jobs, questions, and the replies that chats left."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Column, ColumnElement, Connection, Delete, Table, Update, and_, delete, func, or_, select, update

from evolore.domain.evolution import JobState
from evolore.store.chat_ledger import clear_replies
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch
from evolore.store.question_rows import count_erasure, touch
from evolore.store.questions import NOBODY, reopen_feedback
from evolore.store.sql import Space, among, as_json, delete_rows, new_row, upsert
from evolore.store.tables import (
    answer_citations,
    answers,
    episodes,
    events,
    evolution_job_documents,
    evolution_jobs,
    evolution_step_names,
    evolution_steps,
    feedback,
    index_log,
    promotion_documents,
    promotions,
    queries,
    query_edges,
    ratings,
)

_ID = re.compile(r"(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])")
_BATCH = 500


OPEN_STATES = tuple(state.value for state in JobState if state.is_open)
"""The states of jobs to which something is still to happen."""


def tell_decided(batch: Batch, job_id: str, state: str, *, steps: int) -> None:
    """Record that nothing is left to be done in a job."""
    here = (evolution_job_documents.c.ns == batch.ns, evolution_job_documents.c.job_id == job_id)
    about = select(evolution_job_documents.c.document_id).where(*here).order_by(evolution_job_documents.c.place)
    body = {"documents": list(batch.connection.scalars(about)), "state": state, "steps": steps}
    batch.append_events(EventKind.JOB_DECIDED, [(job_id, body)])


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidOf:
    """What speaks of documents and episodes."""

    answer_ids: frozenset[str]  #: Answers that cite them.
    feedback_ids: frozenset[str]  #: What people said of the documents.


def said_of(connection: Connection, ns: int, document_ids: Collection[str], episode_ids: Collection[str]) -> SaidOf:
    """Find what speaks of documents and episodes, and goes with them."""
    cites = answer_citations.c
    of_documents = _those(connection, ns, cites.answer_id, cites.document_id, document_ids)
    return SaidOf(
        answer_ids=frozenset(of_documents | _those(connection, ns, cites.answer_id, cites.episode_id, episode_ids)),
        feedback_ids=frozenset(_those(connection, ns, feedback.c.id, feedback.c.document_id, document_ids)),
    )


def answers_of(place: Space, whose: str, query_ids: Collection[str]) -> frozenset[str]:
    """Find the answers that a principal was given, and those to some questions."""
    own = select(answers.c.id).where(answers.c.ns == place.ns, _asked_by(whose))
    to_these = _those(place.connection, place.ns, answers.c.id, answers.c.query_id, query_ids)
    return frozenset({*place.connection.scalars(own), *to_these})


def forget_said(
    batch: Batch, said: SaidOf, document_ids: Collection[str], episode_ids: Collection[str], event_id: str
) -> None:
    """Erase what speaks of documents and episodes that were forgotten, in the transaction of that event."""
    of_job, promoted = evolution_job_documents.c, promotion_documents.c
    about = _those(batch.connection, batch.ns, of_job.job_id, of_job.document_id, document_ids)
    over = _those(batch.connection, batch.ns, promoted.promotion_id, promoted.document_id, document_ids)
    delete_rows(batch, answers, said.answer_ids)
    delete_rows(batch, feedback, said.feedback_ids)
    _erase_steps(batch, about, {*document_ids, *episode_ids, *said.answer_ids, *said.feedback_ids}, event_id)
    silent = update(promotions).where(promotions.c.ns == batch.ns, promotions.c.id.in_(among("ids")))
    _run(batch, silent.values(reason="", rollback_reason=""), over)
    clear_replies(batch.connection)


def counting(place: Space, whose: str) -> tuple[str, ...]:
    """Return the feedback of a principal that counts."""
    here = (feedback.c.ns == place.ns, feedback.c.principal == whose, feedback.c.withdrawn_by.is_(None))
    return tuple(place.connection.scalars(select(feedback.c.id).where(*here).order_by(feedback.c.id)))


def has_said(place: Space, whose: str) -> bool:
    """Return whether there are answers or feedback of a principal, whether or not they count."""
    theirs = (
        select(answers.c.id).where(answers.c.ns == place.ns, _asked_by(whose)),
        select(feedback.c.id).where(feedback.c.ns == place.ns, feedback.c.principal == whose),
    )
    return any(place.connection.execute(query.limit(1)).first() is not None for query in theirs)


def erase_said(batch: Batch, whose: str, query_ids: Collection[str], event_id: str) -> None:
    """Erase a principal's answers and feedback, what others said of these questions, and the steps that name any of it."""
    answer_ids = answers_of(batch, whose, query_ids)
    own = select(feedback.c.id).where(feedback.c.ns == batch.ns, feedback.c.principal == whose)
    of_these = _those(batch.connection, batch.ns, feedback.c.id, feedback.c.query_id, query_ids)
    feedback_ids = {*batch.connection.scalars(own), *of_these}
    delete_rows(batch, answers, answer_ids)
    delete_rows(batch, feedback, feedback_ids)
    _erase_steps(batch, (), {*query_ids, *answer_ids, *feedback_ids}, event_id)
    clear_replies(batch.connection)


def forget_asked(
    batch: Batch, query_ids: Collection[str], answer_ids: Collection[str], commented_ids: Collection[str], event_id: str
) -> None:
    """Erase answers, what was said of documents by rating questions that go, and comments on the answers to some that stay."""
    place = (batch.connection, batch.ns, feedback.c.id, feedback.c.query_id)
    gone, silent = _those(*place, query_ids), _those(*place, commented_ids)
    if not (query_ids or answer_ids or silent):
        return
    delete_rows(batch, answers, answer_ids)
    delete_rows(batch, feedback, gone)
    blank = update(feedback).where(feedback.c.ns == batch.ns, feedback.c.id.in_(among("ids"))).values(comment=None)
    _run(batch, blank, silent)
    _erase_steps(batch, (), {*query_ids, *answer_ids, *gone, *silent}, event_id)
    clear_replies(batch.connection)


def mark_said(batch: Batch, feedback_ids: Collection[str], event_id: str) -> None:
    """Withdraw feedback because of an event, so that it counts no longer."""
    these = and_(feedback.c.ns == batch.ns, feedback.c.id.in_(among("ids")), feedback.c.withdrawn_by.is_(None))
    marked = update(feedback).where(these).values(withdrawn_by=event_id)
    batch.connection.execute(marked, {"ids": as_json(sorted(feedback_ids))})


def end_if_forgotten(batch: Batch, job_id: str, bodies: Iterable[str]) -> bool:
    """End a job, erasing its steps, where its next steps name an episode that was forgotten meanwhile; return whether."""
    named = as_json(sorted(ids_in(bodies)))
    there = select(episodes.c.id).where(episodes.c.ns == batch.ns, episodes.c.id.in_(among("ids")))
    gone = (index_log.c.ns == batch.ns, index_log.c.episode_id.in_(among("ids")), index_log.c.episode_id.not_in(there))
    if batch.connection.scalar(select(index_log.c.seq).where(*gone).limit(1), {"ids": named}) is None:
        return False
    erased = (events.c.ns == batch.ns, events.c.kind == EventKind.ERASED.value)
    last = batch.connection.scalar(select(events.c.id).where(*erased).order_by(events.c.seq.desc()).limit(1))
    _erase_steps(batch, [job_id], (), last or "")
    return True


def ids_in(bodies: Iterable[str]) -> frozenset[str]:
    """Return every id in the bodies of steps."""
    return frozenset(id_ for body in bodies for id_ in _ID.findall(body))


def note_named(connection: Connection, ns: int, job_id: str, bodies: Iterable[str]) -> None:
    """Record the ids that new steps of a job name."""
    named = ids_in(bodies)
    if named:
        rows = [{"ns": ns, "named_id": id_, "job_id": job_id} for id_ in sorted(named)]
        noted = upsert(evolution_step_names, {"job_id": new_row(evolution_step_names).job_id})
        connection.execute(noted, rows)


def wrongly_named(connection: Connection, ns: int) -> list[str]:
    """Return the jobs of which it is not noted what their steps name, or something else is."""
    noted: defaultdict[str, set[str]] = defaultdict(set)
    named = evolution_step_names.c
    for job_id, id_ in connection.execute(select(named.job_id, named.named_id).where(named.ns == ns)):
        noted[job_id].add(id_)
    told = dict(_named_by_job(connection, ns))
    return sorted(job_id for job_id in noted.keys() | told.keys() if noted.get(job_id) != told.get(job_id))


def note_all_named(connection: Connection, ns: int) -> None:
    """Record again what the steps of a namespace's jobs name."""
    connection.execute(delete(evolution_step_names).where(evolution_step_names.c.ns == ns))
    for job_id, ids in list(_named_by_job(connection, ns)):
        note_named(connection, ns, job_id, ids)


def _named_by_job(connection: Connection, ns: int) -> Iterator[tuple[str, set[str]]]:
    """Yield the jobs whose steps name anything, with what they name."""
    here = evolution_steps.c.ns == ns
    query = select(evolution_steps.c.job_id, evolution_steps.c.body).where(here).order_by(evolution_steps.c.job_id)
    with connection.execute(query.execution_options(yield_per=_BATCH)) as rows:
        for job_id, steps in groupby(rows, key=itemgetter(0)):
            if ids := ids_in(body for _, body in steps):
                yield job_id, set(ids)


def _asked_by(whose: str) -> ColumnElement[bool]:
    return answers.c.principal.is_(None) if whose == NOBODY else answers.c.principal == whose


def _erase_steps(batch: Batch, about: Iterable[str], named: Collection[str], event_id: str) -> None:
    """Erase the steps of jobs, and of those whose steps name any of some ids; what was to happen in them does not."""
    names = evolution_step_names.c
    ids = {*about, *_those(batch.connection, batch.ns, names.job_id, names.named_id, named)}
    if not ids:
        return
    for table in (evolution_steps, evolution_step_names):
        _run(batch, delete(table).where(table.c.ns == batch.ns, table.c.job_id.in_(among("ids"))), ids)
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
    reopen_feedback(batch.connection, batch.ns, ended)  # no job decides about it any more
    erased = {"steps": 0, "erased_by": event_id, "updated_at": batch.recorded_at}
    batch.connection.execute(update(evolution_jobs).where(these).values(erased), values)
    for job_id in ended:
        tell_decided(batch, job_id, over, steps=0)


def _those(
    connection: Connection, ns: int, wanted: Column[str], of: Column[str] | Column[str | None], ids: Collection[str]
) -> set[str]:
    """Return one column of the rows of which another is among some ids."""
    query = select(wanted).where(wanted.table.c.ns == ns, of.in_(among("ids")))
    return set(connection.scalars(query, {"ids": as_json(sorted(ids))})) if ids else set()


def _run(batch: Batch, change: Update | Delete, ids: Collection[str]) -> None:
    """Run what changes the rows among some ids, where there are any."""
    if ids:
        batch.connection.execute(change, {"ids": as_json(sorted(ids))})


@dataclass(frozen=True, slots=True, kw_only=True)
class DoomedAsked:
    """What one erasure takes of what was asked."""

    query_ids: tuple[str, ...] = ()  #: The questions that are named.
    answer_ids: tuple[str, ...] = ()  #: The answers that are named, or were given to these questions.
    #: Questions that stay, for which something was handed over or quoted that goes: what people wrote about the answer
    #: may reveal it.
    commented_ids: tuple[str, ...] = ()
    comments: int = 0  #: How many comments go.

    @property
    def ids(self) -> tuple[str, ...]:
        """Questions and answers."""
        return self.query_ids + self.answer_ids


def doomed_asked(
    connection: Connection,
    ns: int,
    query_ids: Collection[str],
    answer_ids: Collection[str],
    *,
    citing: Collection[str],
    episode_ids: Collection[str],
    whose: str | None = None,
) -> DoomedAsked:
    """Find what goes of what was asked: with what is named, what rests on it; and with a principal the comments on other answers."""
    query_ids, own = set(query_ids), set(answer_ids)
    answer_ids = own | _those(connection, ns, answers.c.id, answers.c.query_id, query_ids)
    commented = _those(connection, ns, answers.c.query_id, answers.c.id, own.union(citing))
    commented |= _those(connection, ns, query_edges.c.query_id, query_edges.c.target_id, episode_ids)
    counted = (*query_ids, *commented)
    return DoomedAsked(
        query_ids=tuple(sorted(query_ids)),
        answer_ids=tuple(sorted(answer_ids)),
        commented_ids=tuple(sorted(commented - query_ids)),
        comments=sum(_comments(connection, ns, table, counted, whose) for table in (ratings, feedback)),
    )


def all_comments(connection: Connection, ns: int) -> int:
    """Count the comments of a namespace."""
    return sum(
        connection.scalar(select(func.count()).where(table.c.ns == ns, _has_own_comment(table))) or 0
        for table in (ratings, feedback)
    )


def erase_asked(batch: Batch, doomed: DoomedAsked, event_id: str) -> None:
    """Delete questions with all that hangs on them, answers, and comments on answers from what was forgotten."""
    delete_rows(batch, queries, doomed.query_ids)
    blank = update(ratings).where(ratings.c.ns == batch.ns, ratings.c.query_id.in_(among("ids"))).values(comment=None)
    _run(batch, blank, doomed.commented_ids)
    forget_asked(batch, doomed.query_ids, doomed.answer_ids, doomed.commented_ids, event_id)
    touch(batch, doomed.commented_ids)
    if doomed.query_ids:
        count_erasure(batch.connection, batch.ns)


def count_ratings(connection: Connection, ns: int, query_ids: Collection[str], whose: str | None) -> int:
    """Count the ratings of some questions, and somebody's ratings of others."""
    counted = select(func.count()).where(ratings.c.ns == ns, _of_these(ratings, whose))
    return (connection.scalar(counted, {"ids": as_json(sorted(query_ids))}) or 0) if query_ids or whose else 0


def _comments(connection: Connection, ns: int, table: Table, query_ids: Collection[str], whose: str | None) -> int:
    counted = select(func.count()).where(table.c.ns == ns, _has_own_comment(table), _of_these(table, whose))
    return (connection.scalar(counted, {"ids": as_json(sorted(query_ids))}) or 0) if query_ids or whose else 0


def _has_own_comment(table: Table) -> ColumnElement[bool]:
    """Return what is true of a row with a comment of its own; that on an answer is copied to feedback on its documents."""
    has_comment = table.c.comment.is_not(None)
    return and_(has_comment, table.c.query_id == "") if table is feedback else has_comment


def _of_these(table: Table, whose: str | None) -> ColumnElement[bool]:
    these = table.c.query_id.in_(among("ids"))
    return these if whose is None else or_(these, table.c.principal == whose)
