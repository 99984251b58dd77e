"""Log the steps of a job, with the model's replies, so that after a crash nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import blake2b
from typing import cast

from evolore.chat.asking import Asker, ChatTerms, without_call
from evolore.domain import chat
from evolore.domain.contest import DocumentText
from evolore.domain.evolution import JobRecord, JobState, Step, StepValue
from evolore.domain.result import to_json
from evolore.errors import NotFound, StoreBusy
from evolore.evolution.job import Job, after, folded
from evolore.evolution.job_steps import Asking, HeardReply, JobPaused, Replied, StepKind, read_step
from evolore.flows.context import Context
from evolore.flows.evolve.documents import texts_of
from evolore.ports import ChatModel
from evolore.store.writing import StoreWriter


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

    Raises:
        NotFound: There is no such job.
    """

    def __init__(self, context: Context, job_id: str) -> None:
        self._context = context
        with context.store.read(context.namespace) as reader:
            record = reader.job(job_id)
            if record is None:
                raise NotFound(f"No job has the id {job_id!r}: `evolore evolution jobs` lists them.")
            steps = reader.steps(job_id)
            self.record: JobRecord = record
            self.job: Job = folded(record.seed, steps)
            self._last: Step | None = steps[-1] if steps else None

    def append(
        self,
        kind: StepKind,
        body: object,
        *,
        state: JobState | None = None,
        also: Callable[[StoreWriter], None] | None = None,
    ) -> None:
        """Write a step, in one transaction with what else belongs to it."""
        at = self._context.clock.now()
        with self._context.store.write(self._context.namespace, principal=self._context.principal) as writer:
            if also is not None:
                also(writer)
            step = append_step(writer, self.record.id, self.job.number + 1, kind, body, state=state, at=at)
        self.job = after(self.job, step)
        self._last = step
        self.record = replace(self.record, state=state or self.record.state, steps=step.number, updated_at=at)

    def pause(self, paused: JobPaused) -> None:
        """Write why the job does not go on now, unless that was the last entry and nothing has changed since."""
        last = self._last
        if paused.is_unusable or last is None or last.kind != StepKind.STOPPED.value or read_step(last) != paused:
            self.append(StepKind.STOPPED, paused)


def append_step(
    writer: StoreWriter,
    job_id: str,
    number: int,
    kind: StepKind,
    body: object,
    *,
    state: JobState | None = None,
    at: datetime,
) -> Step:
    """Write a step of a job."""
    step = Step(number=number, kind=kind.value, body=cast("dict[str, StepValue]", to_json(body)), at=at)
    if not writer.append_steps(job_id, [step], state=state, at=at):
        raise StoreBusy(f"Another process goes on with the job {job_id}: look at it again later.")
    return step


_NOTHING = chat.ChatUsage()


class RecordedModel:
    """Wraps a chat model, and is one. It writes what is about to be asked, then what was replied.

    A process that dies in between has spent the most that it could have.
    """

    def __init__(self, model: ChatModel, log: JobLog, prices: chat.ChatPrices) -> None:
        self._model, self._log, self._prices = model, log, prices

    @property
    def info(self) -> chat.ChatModelInfo:
        """The model behind it."""
        return self._model.info

    def complete(self, requests: Sequence[chat.ChatRequest]) -> Sequence[chat.ChatOutcome]:
        """Return each request's reply or failure, in the order of the requests."""
        most = sum((self._prices.priced(chat.most_used(request)) for request in requests), _NOTHING)
        purposes = tuple(sorted({request.purpose for request in requests}))
        self._log.append(StepKind.ASKING, Asking(purposes=purposes, most=most))
        outcomes = self._model.complete(requests)
        replies = tuple(
            HeardReply(
                key=self.key(request),
                text=one.text if isinstance(one, chat.ChatReply) else None,
                failure=one.kind if isinstance(one, chat.ChatFailure) else None,
            )
            for request, one in zip(requests, outcomes, strict=True)
        )
        usage = sum((one.usage for one in outcomes), _NOTHING)
        self._log.append(StepKind.REPLIED, Replied(replies=replies, usage=usage))
        return outcomes

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[chat.LogProbsOutcome]:
        """Return a failure for each text: no job asks for it."""
        return [without_call(chat.ChatFailureKind.NOT_OFFERED) for _ in texts]

    def heard(self, request: chat.ChatRequest) -> chat.ChatReply | None:
        """Return what the model replied to the same request before, for nothing; None where it was not asked, or in vain."""
        text = self._log.job.replies.get(self.key(request))
        return None if text is None else chat.ChatReply(text=text, usage=_NOTHING)

    def key(self, request: chat.ChatRequest) -> str:
        """Hash the model and all that is asked."""
        asked = [
            self.info.id,
            request.purpose,
            request.prompt_version,
            [(message.role.value, message.text) for message in request.messages],
            request.reply_schema,
            request.most_tokens,
            request.temperature,
            request.seed,
        ]
        return blake2b(json.dumps(asked, sort_keys=True).encode(), digest_size=16).hexdigest()


class JobAsker(Asker):
    """An asker that returns earlier replies without asking again, and remembers what failed.

    ``is_own_budget_spent`` reports whether something was not asked because this job may not spend more.

    Args:
        model: What to ask.
        budget: What may be spent.
        terms: Prices, what any job may spend, and when to try again.
    """

    def __init__(self, model: RecordedModel, budget: chat.ChatBudget, terms: ChatTerms) -> None:
        super().__init__(model, budget, terms)
        self._recorded = model
        self._own = terms.job
        self.failures: list[chat.ChatFailure] = []
        self.is_own_budget_spent = False

    def complete(self, requests: Sequence[chat.ChatRequest]) -> tuple[chat.ChatOutcome, ...]:
        """Return each request's reply or failure, in their order; raises nothing the model raises."""
        heard = [self._recorded.heard(request) for request in requests]
        asked = [request for request, reply in zip(requests, heard, strict=True) if reply is None]
        told = super().complete(asked)
        self.failures += [one for one in told if isinstance(one, chat.ChatFailure)]
        for request, one in zip(asked, told, strict=True):
            if isinstance(one, chat.ChatFailure) and one.kind is chat.ChatFailureKind.OUT_OF_BUDGET:
                most = self._terms.prices.priced(chat.most_used(request))
                self.is_own_budget_spent |= not self._own.allows(self.usage + most)
        rest = iter(told)
        return tuple(next(rest) if reply is None else reply for reply in heard)


_PASSING = frozenset({chat.ChatFailureKind.REFUSED})
"""Failures that are the model's last word on something; after any other a job pauses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The result of a piece of work."""

    kind: StepKind  #: Of the step that reports it.
    body: object  #: What that step holds, as its kind has it.
    state: JobState | None = None  #: The job's new state; None where that stays.
    also: Callable[[StoreWriter], None] | None = None  #: What else is written with it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where a job is worked on."""

    context: Context  #: The ports.
    log: JobLog  #: The job.
    asker: JobAsker  #: What asks models on its behalf.

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
        """Return the documents as the job found them."""
        with self.context.store.read(self.context.namespace) as reader:
            return texts_of(reader, self.log.record.bases)


def pause_after_failures(desk: Desk) -> None:
    """Pause where a model could not be asked: silence is no answer."""
    failed = [one for one in desk.asker.failures if one.kind not in _PASSING]
    desk.asker.failures = []
    if failed:
        raise Stopped(f"{failed[0].kind.value}: {failed[0].detail or 'the chat model returned no reply'}")
