"""Where a job is worked on, and what a piece of work gives."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

from evolore.domain.chats import ChatFailureKind
from evolore.flows.evolving.documents import texts_of
from evolore.flows.evolving.job_log import Stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.domain.chats import ChatFailure
    from evolore.domain.evolving import JobState
    from evolore.domain.proposing import DocumentText
    from evolore.evolution.job import Job, StepKind
    from evolore.flows.context import Context
    from evolore.flows.evolving.job_log import JobLog
    from evolore.flows.evolving.recorded_model import JobAsker
    from evolore.ports import StoreWriter

_PASSING = frozenset({ChatFailureKind.REFUSED})
"""Failures that are the model's last word on something; after any other a job pauses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a piece of work gives.

    Args:
        kind: Of the step that tells of it.
        body: What that step holds.
        state: The job's new state; None where that stays.
        also: What else is written with it.
    """

    kind: StepKind
    body: dict[str, object]
    state: JobState | None = None
    also: Callable[[StoreWriter], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where a job is worked on.

    Args:
        context: The ports.
        log: The job.
        asker: What asks models on its behalf.
    """

    context: Context
    log: JobLog
    asker: JobAsker

    @property
    def job(self) -> Job:
        """The job as it is now."""
        return self.log.job

    @property
    def seed(self) -> int:
        """What the models draw from; another after each stop, so that a reply that could not be used is not had again."""
        digest = blake2b(self.job.seed.encode(), digest_size=4).digest()
        return (int.from_bytes(digest, "big") + self.job.stops) % 2**31

    def documents(self) -> tuple[DocumentText, ...]:
        """Give the documents as the job found them."""
        with self.context.store.read(self.context.namespace) as reader:
            return texts_of(reader, self.log.record.bases)


def is_pausing(failure: ChatFailure) -> bool:
    """Tell whether a job pauses for a failure."""
    return failure.kind not in _PASSING


def pause_after_failures(desk: Desk) -> None:
    """Pause where a model could not be asked: silence is no answer."""
    failed = list(filter(is_pausing, desk.asker.failures))
    desk.asker.failures = []
    if failed:
        raise Stopped(f"{failed[0].kind.value}: {failed[0].detail or 'the chat model gave no reply'}")
