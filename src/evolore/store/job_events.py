"""What becomes of jobs is told in the chain of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from evolore.store.event_kinds import EventKind
from evolore.store.evolution_tables import evolution_job_documents

if TYPE_CHECKING:
    from evolore.store.batch import Batch


def tell_decided(batch: Batch, job_id: str, state: str, *, steps: int) -> None:
    """Note that nothing is left to be done in a job."""
    here = (evolution_job_documents.c.ns == batch.ns, evolution_job_documents.c.job_id == job_id)
    about = select(evolution_job_documents.c.document_id).where(*here).order_by(evolution_job_documents.c.place)
    body = {"documents": list(batch.connection.scalars(about)), "state": state, "steps": steps}
    batch.append_events(EventKind.JOB_DECIDED, [(job_id, body)])
