"""Read answers, feedback, jobs, promotions and canaries, and write them by one process at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from evolore.domain.answer import Answer
from evolore.domain.evolution import JobRecord, JobState, KeptStretch, NewJob, PromotedDocument, Promotion, Shadow, Step
from evolore.domain.feedback import Feedback
from evolore.domain.outcome import Rating
from evolore.errors import InvalidValue, NotFound
from evolore.store import selects
from evolore.store.database import FaultPoint, reached
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch, OpenedToWrite
from evolore.store.evolution_erasure import OPEN_STATES, end_if_forgotten, note_named, tell_decided
from evolore.store.forms import read_kept, row_of, timestamp
from evolore.store.rows import to_answer, to_feedback, to_job, to_promotion, to_step
from evolore.store.shadows import TrialReader, is_shadow, read_shadows
from evolore.store.sql import among, as_json, upsert
from evolore.store.tables import (
    answer_citations,
    answers,
    chunks,
    documents,
    episodes,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    payloads,
    promotion_documents,
    promotions,
    query_edges,
    query_texts,
    versions,
)

_BEST = 3
_SORTED = (feedback.c.rated_at.concat(""), feedback.c.id)
"""Of few, oldest first: so written, a database finds the few first, and does not walk through all in their order."""
_IS_BAD = feedback.c.rating == sa.literal_column("'bad'")
"""Written out, so that the index of what waits fits."""

_BAD = sa.func.coalesce(sa.func.sum(sa.case((_IS_BAD, 1), else_=0)), 0).label("bad")

_IS_ASKED = feedback.c.query_id != ""
_WAITS = sa.and_(feedback.c.withdrawn_by.is_(None), feedback.c.job_id.is_(None), _IS_BAD, feedback.c.document_id > "")
"""By the documents they are about: so a database reads the few that wait, and not all that count."""


class EvolutionReader(TrialReader):
    """What one namespace holds of them at one moment."""

    def document_text(self, document_id: str, version: int | None = None) -> str | None:
        """Return the whole text of a document as it is, or as it was in one of its versions; None where it is not there."""
        number = documents.c.version if version is None else version
        there = selects.select_versions(self._ns, document_id, versions.c.number).where(versions.c.number == number)
        found: int | None = self._connection.scalar(there)
        if found is None:
            return None
        leaves = (
            sa.select(payloads.c.text)
            .join_from(chunks, episodes, selects.EPISODE_OF_CHUNK)
            .join(payloads, selects.TEXT_OF_EPISODE)
        )
        leaves = leaves.where(chunks.c.ns == self._ns, chunks.c.document_id == document_id, chunks.c.version == found)
        leaves = leaves.order_by(chunks.c.ordinal)
        return "".join(self._connection.scalars(leaves))

    def kept_stretches(self, document_id: str, version: int) -> tuple[KeptStretch, ...] | None:
        """Return where a version says something else than its source; None where that was not noted with it."""
        here = (versions.c.ns == self._ns, versions.c.document_id == document_id, versions.c.number == version)
        return read_kept(self._connection.scalar(sa.select(versions.c.kept).where(*here)))

    def rebased_versions(self, document_id: str) -> frozenset[int]:
        """Return the versions of a document that keep what was promoted before them."""
        here = (versions.c.ns == self._ns, versions.c.document_id == document_id, versions.c.kept.is_not(None))
        return frozenset(self._connection.scalars(sa.select(versions.c.number).where(*here)))

    def answer(self, answer_id: str) -> Answer | None:
        """Return an answer that was given, by its whole id, without what was found for it."""
        here = (answers.c.ns == self._ns, answers.c.id == answer_id)
        row = self._connection.execute(sa.select(answers).where(*here)).mappings().first()
        if row is None:
            return None
        belong = (answer_citations.c.ns == self._ns, answer_citations.c.answer_id == answer_id)
        cited = sa.select(answer_citations).where(*belong).order_by(answer_citations.c.number)
        return to_answer({**row, "citations": self._connection.execute(cited).mappings().all()})

    def resolve_answer(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of answers that begin with ``prefix``."""
        return self._beginning(answers, prefix)

    def feedback(
        self,
        *,
        document_id: str | None = None,
        job_id: str | None = None,
        unprocessed: bool = False,
        after: tuple[datetime, str] | None = None,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> tuple[Feedback, ...]:
        """List feedback that counts, oldest first: what its author withdrew does not.

        Args:
            document_id: Only about this document.
            job_id: Only what this job took up.
            unprocessed: Only what no job has taken up.
            after: Only what was said later than this moment, or at it by another of a later id: where the last page ended.
            limit: How many at most.
            newest_first: Whether the last said comes first.
        """
        is_narrow = document_id is not None or job_id is not None
        in_order = _SORTED if is_narrow else (feedback.c.rated_at, feedback.c.id)
        query = self._select_feedback().order_by(*(one.desc() for one in in_order) if newest_first else in_order)
        if after is not None:
            query = query.where(
                sa.tuple_(feedback.c.rated_at, feedback.c.id) > sa.tuple_(timestamp(after[0]), after[1])
            )
        if limit is not None:
            query = query.limit(limit)
        if document_id is not None:
            query = query.where(feedback.c.document_id == document_id)
        if job_id is not None:
            query = query.where(feedback.c.job_id == job_id)
        if unprocessed:
            query = query.where(feedback.c.job_id.is_(None))
        return tuple(to_feedback(row) for row in self._connection.execute(query).mappings())

    def complaints_beside(self) -> tuple[Feedback, ...]:
        """List BAD feedback of the questions about whose answers some of it is unprocessed, oldest first."""
        asked = sa.select(feedback.c.query_id).where(feedback.c.ns == self._ns, _WAITS, _IS_ASKED)
        query = self._select_feedback().where(
            feedback.c.rating == Rating.BAD.value, _IS_ASKED, feedback.c.query_id.in_(asked)
        )
        return tuple(to_feedback(row) for row in self._connection.execute(query.order_by(*_SORTED)).mappings())

    def feedback_counts(self) -> tuple[int, int, int]:
        """Count feedback that counts: GOOD, BAD, and BAD that no job has taken up."""
        return self._counted("feedback", self._count_feedback)

    def _count_feedback(self) -> tuple[int, int, int]:
        here = (feedback.c.ns == self._ns, feedback.c.withdrawn_by.is_(None))
        total, bad = self._connection.execute(sa.select(sa.func.count(), _BAD).where(*here)).one()
        waiting = self._count(feedback, _WAITS)
        return int(total) - int(bad), int(bad), waiting

    def open_complaints(self, document_ids: Collection[str]) -> tuple[Feedback, ...]:
        """List BAD feedback about documents that no job has taken up, oldest first."""
        in_order = self._select_feedback().where(feedback.c.document_id.in_(among("ids")), _WAITS).order_by(*_SORTED)
        rows = self._connection.execute(in_order, {"ids": as_json(document_ids)})
        return tuple(to_feedback(row) for row in rows.mappings())

    def ratings_by_version(self, document_ids: Collection[str]) -> tuple[tuple[str, int, Rating, int], ...]:
        """Count feedback that counts by document, version and rating."""
        by = (feedback.c.document_id, feedback.c.version, feedback.c.rating)
        here = (feedback.c.ns == self._ns, feedback.c.withdrawn_by.is_(None))
        query = sa.select(*by, sa.func.count()).where(*here, feedback.c.document_id.in_(among("ids"))).group_by(*by)
        rows = self._connection.execute(query.order_by(*by), {"ids": as_json(sorted(document_ids))})
        return tuple((id_, version, Rating(rating), count) for id_, version, rating, count in rows)

    def ratings_since(self, begins: Sequence[date]) -> tuple[tuple[int, int], ...]:
        """Count feedback that counts, GOOD and BAD, by when it was said last: from each day (UTC) on, until the next one."""
        return self._counted("ratings", self._count_ratings, tuple(begins))

    def _count_ratings(self, begins: tuple[date, ...]) -> tuple[tuple[int, int], ...]:
        here = (feedback.c.ns == self._ns, feedback.c.withdrawn_by.is_(None))
        spans: list[selects.AnySelect] = []
        for number, begin in enumerate(begins):
            inside = [feedback.c.rated_at >= begin.isoformat()]
            inside += [feedback.c.rated_at < end.isoformat() for end in begins[number + 1 : number + 2]]
            spans.append(sa.select(sa.literal(number), sa.func.count(), _BAD).where(*here, *inside))
        rows = self._connection.execute(sa.union_all(*spans)).all() if spans else ()
        counted = {int(row[0]): (int(row[1]) - int(row[2]), int(row[2])) for row in rows}
        return tuple(counted[number] for number in range(len(begins)))

    def _select_feedback(self) -> selects.AnySelect:
        asked = selects.joined(feedback, query_texts, query_texts.c.query_id == feedback.c.query_id)
        return (
            sa.select(feedback, query_texts.c.text.label("question"))
            .join_from(feedback, query_texts, asked, isouter=True)
            .where(feedback.c.ns == self._ns, feedback.c.withdrawn_by.is_(None))
        )

    def rated_documents(self, *, least: int) -> tuple[str, ...]:
        """List the documents on which at least so many people left unprocessed BAD feedback, the most first.

        Of those without a name each rating counts. Documents of a job that is open are left out.
        """
        is_named = feedback.c.principal != ""
        many = sa.func.count(feedback.c.principal.distinct()).filter(is_named) + sa.func.count().filter(~is_named)
        about = feedback.c.document_id
        shadows = sa.select(documents.c.id).where(documents.c.ns == self._ns, is_shadow())
        query = sa.select(about).where(
            feedback.c.ns == self._ns, _WAITS, about.not_in(select_busy_documents(self._ns)), about.not_in(shadows)
        )
        query = query.group_by(about).having(many >= least).order_by(many.desc(), about)
        return tuple(self._connection.scalars(query))

    def asked_about(self, document_id: str, *, limit: int) -> dict[str, str]:
        """Return questions of which one of the first three hits lies in a document, any version of it, by id; the last first."""
        handed = sa.select(query_edges.c.query_id).join_from(query_edges, episodes, selects.HANDED_EPISODE)
        handed = handed.where(query_edges.c.ns == self._ns, query_edges.c.rank <= _BEST)
        handed = handed.where(episodes.c.document_id == document_id)
        query = sa.select(query_texts).where(query_texts.c.ns == self._ns, query_texts.c.query_id.in_(handed))
        rows = self._connection.execute(query.order_by(query_texts.c.query_id.desc()).limit(limit))
        return {row.query_id: row.text for row in rows}

    def job(self, job_id: str) -> JobRecord | None:
        """Return a job, by its whole id."""
        return next(iter(self._jobs(self._select_jobs().where(evolution_jobs.c.id == job_id))), None)

    def resolve_job(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of jobs that begin with ``prefix``."""
        return self._beginning(evolution_jobs, prefix)

    def jobs(
        self,
        *,
        states: Collection[JobState] | None = None,
        document_id: str | None = None,
        before: str = "",
        limit: int | None = 1000,
    ) -> tuple[JobRecord, ...]:
        """List jobs, the newest first; only those in some states, only those about a document.

        Args:
            states: Only those in one of these; None for all.
            document_id: Only those about this document.
            before: Only those begun before the one with this id: where the last page ended.
            limit: How many at most; None for all.
        """
        query = self._select_jobs().order_by(evolution_jobs.c.id.desc()).limit(limit)
        if before:
            query = query.where(evolution_jobs.c.id < before)
        if states is not None:
            query = query.where(evolution_jobs.c.state.in_(sorted(state.value for state in states)))
        if document_id is not None:
            about = (evolution_job_documents.c.ns == self._ns, evolution_job_documents.c.document_id == document_id)
            query = query.where(evolution_jobs.c.id.in_(sa.select(evolution_job_documents.c.job_id).where(*about)))
        return self._jobs(query)

    def job_counts(self) -> dict[JobState, int]:
        """Count jobs by state; states without jobs are left out."""
        table = evolution_jobs
        query = sa.select(table.c.state, sa.func.count()).where(table.c.ns == self._ns).group_by(table.c.state)
        return {JobState(state): count for state, count in self._connection.execute(query)}

    def steps(self, job_id: str) -> tuple[Step, ...]:
        """Return the steps of a job in their order."""
        return tuple(to_step(row) for row in self._steps(evolution_steps.c.job_id == job_id))

    def steps_of(self, job_ids: Collection[str], kinds: Collection[str]) -> dict[str, list[Step]]:
        """Return the steps of some kinds, of jobs, in their order; jobs that have none are left out."""
        these = (evolution_steps.c.job_id.in_(among("ids")), evolution_steps.c.kind.in_(sorted(kinds)))
        found: dict[str, list[Step]] = {}
        for row in self._steps(*these, ids=as_json(sorted(job_ids))):
            found.setdefault(row["job_id"], []).append(to_step(row))
        return found

    def step(self, job_id: str, number: int) -> Step | None:
        """Return one step of a job."""
        row = self._steps(evolution_steps.c.job_id == job_id, evolution_steps.c.number == number).first()
        return None if row is None else to_step(row)

    def _steps(self, *wanted: sa.ColumnElement[bool], **values: str) -> sa.MappingResult:
        """Return the rows of steps, by job and number."""
        named = sa.select(evolution_steps, evolution_steps.c.job_id.label("id"))
        query = named.where(evolution_steps.c.ns == self._ns, *wanted)
        in_order = query.order_by(evolution_steps.c.job_id, evolution_steps.c.number)
        return self._connection.execute(in_order, values).mappings()

    def promotion(self, promotion_id: str) -> Promotion | None:
        """Return a promotion, by its whole id."""
        found = self._promotions(sa.select(promotions).where(promotions.c.id == promotion_id))
        return found[0] if found else None

    def resolve_promotion(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of promotions that begin with ``prefix``."""
        return self._beginning(promotions, prefix)

    def promotions(self, *, document_id: str | None = None, job_id: str | None = None) -> tuple[Promotion, ...]:
        """List promotions, oldest first; of one document its line."""
        query = sa.select(promotions)
        if job_id is not None:
            query = query.where(promotions.c.job_id == job_id)
        if document_id is not None:
            query = query.join(promotion_documents, selects.DOCUMENT_OF_PROMOTION)
            query = query.where(promotion_documents.c.document_id == document_id)
            query = query.order_by(promotion_documents.c.before)  # a clock may be set back, a version never
        return self._promotions(query)

    def shadows(self) -> tuple[Shadow, ...]:
        """List the texts that are before some people only, oldest first."""
        return read_shadows(self._connection, self._ns)

    def _select_jobs(self) -> selects.AnySelect:
        return sa.select(evolution_jobs).where(evolution_jobs.c.ns == self._ns)

    def _jobs(self, wanted: selects.AnySelect) -> tuple[JobRecord, ...]:
        found = self._connection.execute(wanted).mappings().all()
        parts = self._parts(evolution_job_documents.c.job_id, [row["id"] for row in found])
        return tuple(to_job({**row, "documents": parts.get(row["id"], ())}) for row in found)

    def _promotions(self, wanted: selects.AnySelect) -> tuple[Promotion, ...]:
        in_order = wanted.where(promotions.c.ns == self._ns).order_by(promotions.c.promoted_at, promotions.c.id)
        found = self._connection.execute(in_order).mappings().all()
        parts = self._parts(promotion_documents.c.promotion_id, [row["id"] for row in found])
        return tuple(to_promotion({**row, "documents": parts.get(row["id"], ())}) for row in found)

    def _parts(self, of: sa.Column[str], ids: Sequence[str]) -> dict[str, list[sa.RowMapping]]:
        """Return the rows of a table that belong to some of another, each owner's in the order of their places."""
        if not ids:
            return {}
        table = of.table
        query = sa.select(table).where(table.c.ns == self._ns, of.in_(among("ids"))).order_by(of, table.c.place)
        found: dict[str, list[sa.RowMapping]] = {}
        for row in self._connection.execute(query, {"ids": as_json(ids)}).mappings():
            found.setdefault(row[of.name], []).append(row)
        return found


def evolution_counts(connection: sa.Connection, ns: int) -> dict[str, int]:
    """Count answers, feedback that counts, open jobs and promotions that hold."""

    def count(table: sa.Table, *conditions: sa.ColumnElement[bool]) -> int:
        return connection.scalar(sa.select(sa.func.count()).where(table.c.ns == ns, *conditions)) or 0

    return {
        "answers": count(answers),
        "feedback": count(feedback, feedback.c.withdrawn_by.is_(None)),
        "open_jobs": count(evolution_jobs, evolution_jobs.c.state.in_(OPEN_STATES)),
        "promotions": count(promotions, promotions.c.rolled_back_at.is_(None)),
    }


def select_busy_documents(ns: int) -> sa.Select[str]:
    """Select the documents that open jobs are about."""
    of_job = selects.joined(
        evolution_job_documents, evolution_jobs, evolution_jobs.c.id == evolution_job_documents.c.job_id
    )
    query = sa.select(evolution_job_documents.c.document_id).join_from(evolution_job_documents, evolution_jobs, of_job)
    return query.where(evolution_job_documents.c.ns == ns, evolution_jobs.c.state.in_(OPEN_STATES))


class EvolutionWriter(OpenedToWrite):
    """Jobs and promotions of one namespace, inside a write transaction."""

    def begin_job(self, new: NewJob, *, at: datetime) -> str | None:
        """Begin a job, and return its id; None where a document is not as named, or another open job is about it."""
        batch = self._batch(at)
        ids = [base.document_id for base in new.bases]
        if not ids or len(set(ids)) != len(ids):
            raise InvalidValue(f"The job is about the documents {ids}: name at least one, and each once.")
        here = (documents.c.ns == batch.ns, documents.c.id.in_(among("ids")))
        free = sa.select(documents.c.id, documents.c.version).where(*here)
        if not new.is_alongside:
            free = free.where(documents.c.id.not_in(select_busy_documents(batch.ns)))
        present = {row.id: row.version for row in batch.connection.execute(free, {"ids": as_json(ids)})}
        if present != {base.document_id: base.version for base in new.bases}:
            return None
        job_id = batch.new_id()
        job = {"ns": batch.ns, "id": job_id, "state": JobState.RUNNING.value, "seed": new.seed, "steps": 0}
        begun = {"principal": self._principal, "created_at": batch.recorded_at, "updated_at": batch.recorded_at}
        batch.connection.execute(sa.insert(evolution_jobs), [{**job, **begun}])
        about = [
            row_of(evolution_job_documents, base, ns=batch.ns, job_id=job_id, place=place)
            for place, base in enumerate(new.bases)
        ]
        batch.connection.execute(sa.insert(evolution_job_documents), about)
        bases = [[base.document_id, base.version] for base in new.bases]
        batch.append_events(EventKind.JOB_BEGUN, [(job_id, {"documents": bases, "feedback": sorted(new.feedback_ids)})])
        return job_id

    def append_steps(self, job_id: str, steps: Sequence[Step], *, state: JobState | None = None, at: datetime) -> bool:
        """Write steps behind those that are there, and the job's state where it changes; False where they do not fit.

        A job whose steps were erased never goes on; one whose next steps name an episode that was forgotten meanwhile
        ends.

        Raises:
            InvalidValue: There is none, their numbers do not follow each other, or a body is not of JSON.
        """
        batch = self._batch(at)
        numbers = [step.number for step in steps]
        if not numbers or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
            raise InvalidValue(f"The steps have the numbers {numbers}: use at least one, each behind the one before.")
        rows = [row_of(evolution_steps, step, ns=batch.ns, job_id=job_id) for step in steps]
        here = (evolution_jobs.c.ns == batch.ns, evolution_jobs.c.id == job_id)
        goes_on = (evolution_jobs.c.steps == numbers[0] - 1, evolution_jobs.c.erased_by.is_(None))
        old: str | None = batch.connection.scalar(sa.select(evolution_jobs.c.state).where(*here, *goes_on))
        if old is None or end_if_forgotten(batch, job_id, (str(row["body"]) for row in rows)):
            return False
        after = old if state is None else state.value
        moved = {"steps": numbers[-1], "state": after, "updated_at": batch.recorded_at}
        batch.connection.execute(sa.update(evolution_jobs).where(*here).values(moved))
        batch.connection.execute(sa.insert(evolution_steps), rows)
        note_named(batch.connection, batch.ns, job_id, (str(row["body"]) for row in rows))
        reached(FaultPoint.STEPS_WRITTEN)
        if after != old and not JobState(after).is_open:
            tell_decided(batch, job_id, after, steps=numbers[-1])
        return True

    def end_erased(self, job_id: str, state: JobState, *, at: datetime) -> None:
        """Record how a job whose steps were erased ended: no step is left to show it."""
        batch = self._batch(at)
        this = (evolution_jobs.c.ns == batch.ns, evolution_jobs.c.id == job_id, evolution_jobs.c.erased_by.is_not(None))
        ended = sa.update(evolution_jobs).where(*this).values(state=state.value, updated_at=batch.recorded_at)
        if batch.connection.execute(ended).rowcount:
            tell_decided(batch, job_id, state.value, steps=0)

    def put_promotion(self, promotion: Promotion, *, at: datetime) -> str:
        """Write a promotion, with its event, and return the event's id.

        Its documents are written by ``put_document`` in the same transaction.
        """
        batch = self._batch(at)
        batch.connection.execute(sa.insert(promotions), row_of(promotions, promotion, ns=batch.ns))
        _put_documents(batch, promotion.id, promotion.documents)
        reached(FaultPoint.PROMOTION_WRITTEN)
        body = {
            "job": promotion.job_id,
            "candidate": promotion.candidate_id,
            "operator": promotion.operator.value,
            **{name: getattr(promotion, name) for name in ("win_rate", "percent", "is_by_policy", "is_edited")},
            "documents": [[one.document_id, one.before, one.after] for one in promotion.documents],
        }
        return batch.append_events(EventKind.PROMOTED, [(promotion.id, body)])[0]

    def set_percent(
        self, promotion_id: str, percent: int, *, documents: Sequence[PromotedDocument], at: datetime
    ) -> str:
        """Record which share of people sees a promotion, with its documents' versions; return the event's id.

        Raises:
            NotFound: There is no such promotion.
            InvalidValue: It was taken back, or the share is no percentage.
        """
        batch = self._batch(at)
        if not 0 <= percent <= _WHOLE:
            raise InvalidValue(f"The share of people is {percent} %: use 0 to {_WHOLE}.")
        _refuse_unless_holding(batch, promotion_id)
        _set(batch, promotion_id, {"percent": percent})
        _put_documents(batch, promotion_id, documents)
        reached(FaultPoint.PROMOTION_WRITTEN)
        body = {"percent": percent, "documents": [[one.document_id, one.before, one.after] for one in documents]}
        return batch.append_events(EventKind.PERCENT_CHANGED, [(promotion_id, body)])[0]

    def close_promotion(
        self, promotion_id: str, *, documents: Sequence[PromotedDocument], reason: str, at: datetime
    ) -> str:
        """Record that a promotion was taken back, with the versions that restored its documents; return the event's id."""
        batch = self._batch(at)
        _refuse_unless_holding(batch, promotion_id)
        back = {"rolled_back_at": batch.recorded_at, "rolled_back_by": self._principal, "rollback_reason": reason}
        _set(batch, promotion_id, back)
        _put_documents(batch, promotion_id, documents)
        reached(FaultPoint.PROMOTION_WRITTEN)
        body = {"documents": [[one.document_id, one.before, one.after, one.restored] for one in documents]}
        return batch.append_events(EventKind.ROLLED_BACK, [(promotion_id, body)])[0]


_WHOLE = 100


def _refuse_unless_holding(batch: Batch, promotion_id: str) -> None:
    here = (promotions.c.ns == batch.ns, promotions.c.id == promotion_id)
    row: sa.RowMapping | None = batch.connection.execute(sa.select(promotions).where(*here)).mappings().first()
    if row is None:
        raise NotFound(f"No promotion has the id {promotion_id!r} here: the history of a document shows them.")
    if row["rolled_back_at"] is not None:
        raise InvalidValue(
            f"The promotion {promotion_id!r} was taken back on {row['rolled_back_at']}: nothing is left."
        )


def _set(batch: Batch, promotion_id: str, values: dict[str, Any]) -> None:
    here = (promotions.c.ns == batch.ns, promotions.c.id == promotion_id)
    batch.connection.execute(sa.update(promotions).where(*here).values(values))


def _put_documents(batch: Batch, promotion_id: str, documents: Sequence[PromotedDocument]) -> None:
    """Write what a promotion did to documents, in place of what was noted of these before."""
    for place, one in enumerate(documents):
        did = {"before": one.before, "after": one.after, "restored": one.restored}
        key = {"ns": batch.ns, "promotion_id": promotion_id, "document_id": one.document_id}
        written = upsert(promotion_documents, did).values(**key, place=place, **did)
        batch.connection.execute(written)
