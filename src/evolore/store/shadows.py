"""Texts on trial: which there are, what was answered under them, and how they go."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta

import sqlalchemy as sa

from evolore.domain.evolution import SHADOW_SCHEME, SHADOWS_END, JobState, Shadow, TrialAnswer
from evolore.domain.outcome import Rating
from evolore.store.events import Batch, earlier
from evolore.store.forms import moment, read_canaries
from evolore.store.selects import HANDED_EPISODE, joined
from evolore.store.sql import Opened, Position, Prepared, among, as_json
from evolore.store.tables import (
    answers,
    documents,
    episodes,
    evolution_jobs,
    feedback,
    promotions,
    query_edges,
    ratings,
)

_SET_BACK = timedelta(days=1)
"""By how much a clock may be set back under a canary, without answers being lost for it."""

_ORIGINALS = documents.alias("originals")
_REST = sa.func.substr(documents.c.source, len(SHADOW_SCHEME) + 1)
_SLASH = Position(_REST, sa.literal_column("'/'"))
_IDS = (documents.c.id, _ORIGINALS.c.id.label("original_id"), promotions.c.id.label("promotion_id"))
_PROMOTION = joined(documents, promotions, promotions.c.id == sa.func.substr(_REST, 1, _SLASH - 1))
_ORIGINAL = sa.and_(_ORIGINALS.c.ns == documents.c.ns, _ORIGINALS.c.source == sa.func.substr(_REST, _SLASH + 1))


def is_shadow() -> sa.ColumnElement[bool]:
    """Return of a document whether it is a text on trial."""
    return sa.and_(documents.c.source >= SHADOW_SCHEME, documents.c.source < SHADOWS_END)


_SHADOWS = Prepared(
    sa.select(*_IDS, promotions.c.percent, promotions.c.promoted_at)
    .join_from(documents, promotions, _PROMOTION)
    .outerjoin(_ORIGINALS, _ORIGINAL)
    .where(documents.c.ns == sa.bindparam("here", type_=sa.Integer), is_shadow())
    .order_by(documents.c.id)
)


def read_shadows(connection: sa.Connection, ns: int) -> tuple[Shadow, ...]:
    """List the texts on trial, oldest first; one look into an index where there is none."""
    return tuple(
        Shadow(
            document_id=row.id,
            promotion_id=row.promotion_id,
            original_id=row.original_id,
            percent=row.percent,
            begun_at=moment(row.promoted_at),
        )
        for row in _SHADOWS.rows(connection, {"here": ns})
    )


def with_shadows(connection: sa.Connection, ns: int, document_ids: Collection[str]) -> tuple[str, ...]:
    """Return documents with all the texts of the trials that one of them takes part in: all of these go together."""
    shadows = read_shadows(connection, ns)
    named = frozenset(document_ids)
    over = {one.promotion_id for one in shadows if not named.isdisjoint({one.document_id, one.original_id})}
    more = [one.document_id for one in shadows if one.promotion_id in over and one.document_id not in named]
    return (*document_ids, *more)


class TrialReader(Opened):
    """One namespace's texts on trial at one moment."""

    def trial_answers(self, promotion_id: str) -> tuple[TrialAnswer, ...]:
        """List what known principals were answered from either text of a trial, in the order of asking."""
        of_it = [one for one in read_shadows(self._connection, self._ns) if one.promotion_id == promotion_id]
        about = as_json(id_ for one in of_it for id_ in (one.document_id, one.original_id) if id_ is not None)
        its = (query_edges.c.ns == answers.c.ns, query_edges.c.query_id == answers.c.query_id)
        there = sa.select(sa.literal(1)).join_from(query_edges, episodes, HANDED_EPISODE)
        handed = sa.exists(there.where(*its, episodes.c.document_id.in_(among("about"))).correlate(answers))
        own = sa.and_(
            ratings.c.query_id == answers.c.query_id,
            ratings.c.principal == answers.c.principal,
            ratings.c.withdrawn_by.is_(None),
        )
        query = (
            sa.select(answers.c.recorded_at, answers.c.principal, answers.c.canaries, ratings.c.rating)
            .join_from(answers, ratings, joined(answers, ratings, own), isouter=True)
            .where(
                answers.c.ns == self._ns,
                answers.c.id > earlier(promotion_id, _SET_BACK),  # so that not every answer there is has to be read
                answers.c.principal.is_not(None),
                answers.c.canaries.contains(promotion_id, autoescape=True),
                handed,
            )
            .order_by(answers.c.id)
        )
        return tuple(
            TrialAnswer(
                at=moment(row.recorded_at),
                principal=row.principal,
                is_new=dict(read_canaries(row.canaries))[promotion_id],
                is_bad=row.rating == Rating.BAD.value,
            )
            for row in self._connection.execute(query, {"about": about})
        )


def move_feedback(batch: Batch, moved: Mapping[str, tuple[str, int]]) -> None:
    """Move feedback on texts on trial to the documents and versions that they became."""
    on_trial = feedback.alias()
    for shadow_id, (document_id, version) in moved.items():
        again = sa.select(on_trial.c.id).where(
            on_trial.c.ns == feedback.c.ns,
            on_trial.c.document_id == shadow_id,
            on_trial.c.query_id == feedback.c.query_id,
            on_trial.c.principal == feedback.c.principal,
        )
        before = sa.and_(feedback.c.ns == batch.ns, feedback.c.document_id == document_id)
        batch.connection.execute(sa.delete(feedback).where(before, again.exists()))
        these = sa.and_(feedback.c.ns == batch.ns, feedback.c.document_id == shadow_id)
        batch.connection.execute(sa.update(feedback).where(these).values(document_id=document_id, version=version))


_WHOLE = 100


def orphaned_trials(connection: sa.Connection, ns: int) -> tuple[str, ...]:
    """List the promotions that are before some people only though their job does not go on, oldest first."""
    of_job = joined(promotions, evolution_jobs, evolution_jobs.c.id == promotions.c.job_id)
    query = (
        sa.select(promotions.c.id)
        .join_from(promotions, evolution_jobs, of_job)
        .where(
            promotions.c.ns == ns,
            promotions.c.rolled_back_at.is_(None),
            promotions.c.percent < _WHOLE,
            evolution_jobs.c.state != JobState.CANARY.value,
        )
        .order_by(promotions.c.id)
    )
    return tuple(connection.scalars(query))
