"""The steps of a job as they are written: one behind the other, by one process at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.evolving import Step
from evolore.errors import NotFound, StoreBusy
from evolore.evolution.job import StepKind
from evolore.evolution.job_folding import after, folded
from evolore.evolution.job_forms import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evolore.domain.evolving import JobRecord, JobState
    from evolore.evolution.job import Job
    from evolore.flows.context import Context
    from evolore.ports import StoreWriter


class Stopped(Exception):
    """Say that a job cannot go on now, and why; what it is about stays as it is.

    Args:
        reason: Why.
        is_unusable: Whether there were replies, and they cannot be used: then others are asked for next time.
    """

    def __init__(self, reason: str, *, is_unusable: bool = False) -> None:
        super().__init__(reason)
        self.is_unusable = is_unusable


class JobLog:
    """A job, and the place where its next step is written.

    Args:
        context: The ports.
        job_id: The whole id.

    Raises:
        NotFound: There is no such job.
    """

    def __init__(self, context: Context, job_id: str) -> None:
        self._context = context
        with context.store.read(context.namespace) as reader:
            record = reader.job(job_id)
            if record is None:
                raise NotFound(f"No job has the id {job_id!r}: `evolore jobs` lists them.")
            steps = reader.steps(job_id)
            self.record: JobRecord = record
            self.job: Job = folded(record.seed, steps)
            self._last: Step | None = steps[-1] if steps else None

    def append(
        self,
        kind: StepKind,
        body: Mapping[str, object],
        *,
        state: JobState | None = None,
        also: Callable[[StoreWriter], None] | None = None,
    ) -> None:
        """Write a step, in one transaction with what else belongs to it.

        Raises:
            StoreBusy: Another process went on with the job.
        """
        at = self._context.clock.now()
        form = to_json(dict(body))
        assert isinstance(form, dict)
        step = Step(number=self.job.number + 1, kind=kind.value, body=form, at=at)
        with self._context.store.write(self._context.namespace, principal=self._context.principal) as writer:
            if also is not None:
                also(writer)
            if not writer.append_steps(self.record.id, [step], state=state, at=at):
                raise StoreBusy(f"Another process goes on with the job {self.record.id}: look at it again later.")
        self.job = after(self.job, step)
        self._last = step
        self.record = replace(self.record, state=state or self.record.state, steps=step.number, updated_at=at)

    def pause(self, reason: str, *, is_unusable: bool) -> None:
        """Write why the job does not go on now, unless that is the last thing that was written and nothing came of it since.

        Raises:
            StoreBusy: Another process went on with the job.
        """
        body = {"reason": reason, "is_unusable": is_unusable}
        if is_unusable or self._last is None or (self._last.kind, self._last.body) != (StepKind.STOPPED.value, body):
            self.append(StepKind.STOPPED, body)
