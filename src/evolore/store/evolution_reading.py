"""Answers, feedback, jobs and promotions are read back, and documents' texts at any version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Select, and_, func, select, true

from evolore.domain.outcome import Rating
from evolore.store.evolution_rows import (
    OPEN_STATES,
    to_answer,
    to_feedback,
    to_job,
    to_promotion,
    to_step,
)
from evolore.store.rows import read_kept
from evolore.store.selects import joined
from evolore.store.shadows import is_shadow, read_shadows, trial_answers
from evolore.store.sql import Opened, among, as_json
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

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import Column, ColumnElement, Connection, RowMapping, Table

    from evolore.domain.answer import Answer
    from evolore.domain.evolution import JobRecord, JobState, KeptStretch, Promotion, Shadow, Step, TrialAnswer
    from evolore.domain.feedback import Feedback
    from evolore.store.selects import AnySelect

_BEST = 3


class EvolutionReader(Opened):
    """What one namespace holds of them at one moment."""

    def document_text(self, document_id: str, version: int | None = None) -> str | None:
        """Give the whole text of a document as it is, or as it was in one of its versions; None where it is not there."""
        return document_text(self._connection, self._ns, document_id, version)

    def kept_stretches(self, document_id: str, version: int) -> tuple[KeptStretch, ...] | None:
        """Give where a version says something else than its source; None where that was not noted with it."""
        here = (versions.c.ns == self._ns, versions.c.document_id == document_id, versions.c.number == version)
        return read_kept(self._connection.scalar(select(versions.c.kept).where(*here)))

    def rebased_versions(self, document_id: str) -> frozenset[int]:
        """Give the versions of a document that keep what was promoted before them."""
        here = (versions.c.ns == self._ns, versions.c.document_id == document_id, versions.c.kept.is_not(None))
        return frozenset(self._connection.scalars(select(versions.c.number).where(*here)))

    def answer(self, answer_id: str) -> Answer | None:
        """Give an answer that was given, by its whole id, without what was found for it."""
        here = (answers.c.ns == self._ns, answers.c.id == answer_id)
        row = self._connection.execute(select(answers).where(*here)).mappings().first()
        if row is None:
            return None
        belong = (answer_citations.c.ns == self._ns, answer_citations.c.answer_id == answer_id)
        cited = select(answer_citations).where(*belong).order_by(answer_citations.c.number)
        return to_answer({**row, "citations": self._connection.execute(cited).mappings().all()})

    def resolve_answer(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of answers that begin with ``prefix``."""
        return self._beginning(answers, prefix)

    def feedback(
        self, *, document_id: str | None = None, job_id: str | None = None, unprocessed: bool = False
    ) -> tuple[Feedback, ...]:
        """List feedback that counts, oldest first: what its author withdrew does not.

        Args:
            document_id: Only about this document.
            job_id: Only what this job took up.
            unprocessed: Only what no job has taken up.
        """
        asked = joined(feedback, query_texts, query_texts.c.query_id == feedback.c.query_id)
        query = (
            select(feedback, query_texts.c.text.label("question"))
            .join_from(feedback, query_texts, asked, isouter=True)
            .where(feedback.c.ns == self._ns, feedback.c.withdrawn_by.is_(None))
            .order_by(feedback.c.rated_at, feedback.c.id)
        )
        if document_id is not None:
            query = query.where(feedback.c.document_id == document_id)
        if job_id is not None:
            query = query.where(feedback.c.job_id == job_id)
        if unprocessed:
            query = query.where(feedback.c.job_id.is_(None))
        return tuple(to_feedback(row) for row in self._connection.execute(query).mappings())

    def rated_documents(self, *, least: int) -> tuple[str, ...]:
        """List the documents on which at least so many people gave unprocessed BAD feedback, the most first.

        All who are not named count as one. Documents of a job that is open are left out.
        """
        many = func.count(feedback.c.principal.distinct())
        query = (
            select(feedback.c.document_id)
            .where(
                feedback.c.ns == self._ns,
                feedback.c.rating == Rating.BAD.value,
                feedback.c.job_id.is_(None),
                feedback.c.withdrawn_by.is_(None),
                feedback.c.document_id.not_in(select_busy_documents(self._ns)),
                feedback.c.document_id.not_in(select(documents.c.id).where(documents.c.ns == self._ns, is_shadow())),
            )
            .group_by(feedback.c.document_id)
            .having(many >= least)
            .order_by(many.desc(), feedback.c.document_id)
        )
        return tuple(self._connection.scalars(query))

    def asked_about(self, document_id: str, *, limit: int) -> dict[str, str]:
        """Give questions of which one of the first three hits lies in a document, any version of it, by id; the last first."""
        lies = joined(query_edges, episodes, episodes.c.id == query_edges.c.target_id)
        handed = (
            select(query_edges.c.query_id)
            .join_from(query_edges, episodes, lies)
            .where(query_edges.c.ns == self._ns, query_edges.c.rank <= _BEST)
            .where(episodes.c.document_id == document_id)
        )
        query = select(query_texts).where(query_texts.c.ns == self._ns, query_texts.c.query_id.in_(handed))
        rows = self._connection.execute(query.order_by(query_texts.c.query_id.desc()).limit(limit))
        return {row.query_id: row.text for row in rows}

    def job(self, job_id: str) -> JobRecord | None:
        """Give a job, by its whole id."""
        return next(iter(self._jobs(self._select_jobs().where(evolution_jobs.c.id == job_id))), None)

    def resolve_job(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of jobs that begin with ``prefix``."""
        return self._beginning(evolution_jobs, prefix)

    def jobs(
        self, *, states: Collection[JobState] | None = None, document_id: str | None = None, limit: int = 1000
    ) -> tuple[JobRecord, ...]:
        """List jobs, the newest first; only those in some states, only those about a document."""
        query = self._select_jobs().order_by(evolution_jobs.c.id.desc()).limit(limit)
        if states is not None:
            query = query.where(evolution_jobs.c.state.in_(sorted(state.value for state in states)))
        if document_id is not None:
            about = (
                evolution_job_documents.c.ns == self._ns,
                evolution_job_documents.c.document_id == document_id,
            )
            query = query.where(evolution_jobs.c.id.in_(select(evolution_job_documents.c.job_id).where(*about)))
        return self._jobs(query)

    def steps(self, job_id: str) -> tuple[Step, ...]:
        """Give the steps of a job in their order."""
        here = (evolution_steps.c.ns == self._ns, evolution_steps.c.job_id == job_id)
        named = select(evolution_steps, evolution_steps.c.job_id.label("id"))
        query = named.where(*here).order_by(evolution_steps.c.number)
        return tuple(to_step(row) for row in self._connection.execute(query).mappings())

    def step(self, job_id: str, number: int) -> Step | None:
        """Give one step of a job."""
        here = (
            evolution_steps.c.ns == self._ns,
            evolution_steps.c.job_id == job_id,
            evolution_steps.c.number == number,
        )
        named = select(evolution_steps, evolution_steps.c.job_id.label("id")).where(*here)
        row = self._connection.execute(named).mappings().first()
        return None if row is None else to_step(row)

    def promotion(self, promotion_id: str) -> Promotion | None:
        """Give a promotion, by its whole id."""
        found = self._promotions(select(promotions).where(promotions.c.id == promotion_id))
        return found[0] if found else None

    def resolve_promotion(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of promotions that begin with ``prefix``."""
        return self._beginning(promotions, prefix)

    def promotions(self, *, document_id: str | None = None, job_id: str | None = None) -> tuple[Promotion, ...]:
        """List promotions, oldest first; of one document its line."""
        query = select(promotions)
        if job_id is not None:
            query = query.where(promotions.c.job_id == job_id)
        if document_id is not None:
            about = joined(promotions, promotion_documents, promotion_documents.c.promotion_id == promotions.c.id)
            line = query.join(promotion_documents, about).where(promotion_documents.c.document_id == document_id)
            query = line.order_by(promotion_documents.c.before)  # a clock may be set back, a version never
        return self._promotions(query)

    def shadows(self) -> tuple[Shadow, ...]:
        """List the texts that are before some people only, oldest first."""
        return read_shadows(self._connection, self._ns)

    def trial_answers(self, promotion_id: str) -> tuple[TrialAnswer, ...]:
        """List what known principals were answered while a promotion is before some people only, in the order of asking."""
        return trial_answers(self._connection, self._ns, promotion_id)

    def _beginning(self, table: Table, prefix: str) -> tuple[str, ...]:
        begin = (table.c.ns == self._ns, table.c.id >= prefix, table.c.id < prefix + "~")
        return tuple(self._connection.scalars(select(table.c.id).where(*begin).order_by(table.c.id).limit(2)))

    def _select_jobs(self) -> AnySelect:
        return select(evolution_jobs).where(evolution_jobs.c.ns == self._ns)

    def _jobs(self, wanted: AnySelect) -> tuple[JobRecord, ...]:
        found = self._connection.execute(wanted).mappings().all()
        parts = self._parts(evolution_job_documents.c.job_id, [row["id"] for row in found])
        return tuple(to_job({**row, "documents": parts.get(row["id"], ())}) for row in found)

    def _promotions(self, wanted: AnySelect) -> tuple[Promotion, ...]:
        in_order = wanted.where(promotions.c.ns == self._ns).order_by(promotions.c.promoted_at, promotions.c.id)
        found = self._connection.execute(in_order).mappings().all()
        parts = self._parts(promotion_documents.c.promotion_id, [row["id"] for row in found])
        return tuple(to_promotion({**row, "documents": parts.get(row["id"], ())}) for row in found)

    def _parts(self, of: Column[str], ids: Sequence[str]) -> dict[str, list[RowMapping]]:
        """Give the rows of a table that belong to some of another, each owner's in the order of their places."""
        if not ids:
            return {}
        table = of.table
        query = select(table).where(table.c.ns == self._ns, of.in_(among("ids"))).order_by(of, table.c.place)
        found: dict[str, list[RowMapping]] = {}
        for row in self._connection.execute(query, {"ids": as_json(ids)}).mappings():
            found.setdefault(row[of.name], []).append(row)
        return found


def evolution_counts(connection: Connection, ns: int) -> dict[str, int]:
    """Count answers, feedback that counts, open jobs and promotions that hold."""
    counted: dict[str, tuple[Table, ColumnElement[bool]]] = {
        "answers": (answers, true()),
        "feedback": (feedback, feedback.c.withdrawn_by.is_(None)),
        "open_jobs": (evolution_jobs, evolution_jobs.c.state.in_(OPEN_STATES)),
        "promotions": (promotions, promotions.c.rolled_back_at.is_(None)),
    }
    return {
        name: connection.scalar(select(func.count()).where(table.c.ns == ns, condition)) or 0
        for name, (table, condition) in counted.items()
    }


def select_busy_documents(ns: int) -> Select[str]:
    """Select the documents that open jobs are about."""
    of_job = joined(evolution_job_documents, evolution_jobs, evolution_jobs.c.id == evolution_job_documents.c.job_id)
    return (
        select(evolution_job_documents.c.document_id)
        .join_from(evolution_job_documents, evolution_jobs, of_job)
        .where(evolution_job_documents.c.ns == ns, evolution_jobs.c.state.in_(OPEN_STATES))
    )


def document_text(connection: Connection, ns: int, document_id: str, version: int | None) -> str | None:
    """Join the leaves of a version of a document that is or was visible; of the present one where none is named."""
    visible = joined(versions, documents, documents.c.id == versions.c.document_id)
    number = documents.c.version if version is None else version
    there = (
        select(versions.c.number)
        .join_from(versions, documents, visible)
        .where(
            versions.c.ns == ns,
            versions.c.document_id == document_id,
            versions.c.number == number,
            versions.c.number <= documents.c.version,
        )
    )
    found: int | None = connection.scalar(there)
    if found is None:
        return None
    leaves = (
        select(payloads.c.text)
        .join_from(chunks, episodes, joined(chunks, episodes, episodes.c.id == chunks.c.episode_id))
        .join(payloads, and_(payloads.c.ns == episodes.c.ns, payloads.c.id == episodes.c.payload_id))
        .where(chunks.c.ns == ns, chunks.c.document_id == document_id, chunks.c.version == found)
        .order_by(chunks.c.ordinal)
    )
    return "".join(connection.scalars(leaves))
