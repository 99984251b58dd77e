"""Texts on trial whose job is over: its steps were erased, and nobody else would take them from people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from evolore.domain.evolving import JobState
from evolore.store.evolution_tables import evolution_jobs, promotions
from evolore.store.selects import joined

if TYPE_CHECKING:
    from sqlalchemy import Connection

_WHOLE = 100


def orphaned_trials(connection: Connection, ns: int) -> tuple[str, ...]:
    """List the promotions that are before some people only though their job does not go on, oldest first."""
    of_job = joined(promotions, evolution_jobs, evolution_jobs.c.id == promotions.c.job_id)
    query = (
        select(promotions.c.id)
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
