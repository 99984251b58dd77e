"""A chat model whose replies are steps of a job: after a crash nothing is asked twice, and nothing spent is forgotten."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING

from evolore.domain.chat_costs import most_used
from evolore.domain.chats import ChatFailure, ChatFailureKind, ChatReply, ChatUsage
from evolore.evolution.job import StepKind
from evolore.flows.asking import Asker
from evolore.flows.model_edge import without_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.chats import ChatBudget, ChatModelInfo, ChatOutcome, ChatRequest, LogProbsOutcome
    from evolore.flows.chat_terms import ChatTerms
    from evolore.flows.evolving.job_log import JobLog
    from evolore.ports import ChatModel

_NOTHING = ChatUsage()


class RecordedModel:
    """Stands before a chat model, and is one. What is about to be asked is written down, then what was replied.

    A process that dies in between has spent the most that it could have. A reply that the job heard since it last
    stopped is given again, for nothing.

    Args:
        model: The model behind it.
        log: The job's.
    """

    def __init__(self, model: ChatModel, log: JobLog) -> None:
        self._model = model
        self._log = log

    @property
    def info(self) -> ChatModelInfo:
        """The model behind it."""
        return self._model.info

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        """Give each request's reply or failure, in the order of the requests."""
        keys = [_key(self.info.id, request) for request in requests]
        known = dict(self._log.job.replies)
        asked = [(key, request) for key, request in zip(keys, requests, strict=True) if key not in known]
        told = dict(zip((key for key, _ in asked), self._asked(asked), strict=True))
        return [ChatReply(text=known[key], usage=_NOTHING) if key in known else told[key] for key in keys]

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        """Give a failure for each text: no job asks for it."""
        return [without_call(ChatFailureKind.NOT_OFFERED) for _ in texts]

    def _asked(self, asked: Sequence[tuple[str, ChatRequest]]) -> Sequence[ChatOutcome]:
        if not asked:
            return ()
        most = sum((most_used(request) for _, request in asked), _NOTHING)
        purposes = sorted({request.purpose for _, request in asked})
        self._log.append(StepKind.ASKING, {"purposes": purposes, "most": most})
        outcomes = self._model.complete([request for _, request in asked])
        replies = [
            {"key": key, "text": one.text if isinstance(one, ChatReply) else None, "failure": _failure(one)}
            for (key, _), one in zip(asked, outcomes, strict=True)
        ]
        usage = sum((one.usage for one in outcomes), _NOTHING)
        self._log.append(StepKind.REPLIED, {"replies": replies, "usage": usage})
        return outcomes


class JobAsker(Asker):
    """An asker that remembers what failed, so that a job pauses instead of taking silence for an answer."""

    def __init__(self, model: ChatModel | None, budget: ChatBudget, terms: ChatTerms) -> None:
        super().__init__(model, budget, terms)
        self.failures: list[ChatFailure] = []

    def complete(self, requests: Sequence[ChatRequest]) -> tuple[ChatOutcome, ...]:
        """Give each request's reply or failure, in their order; raises nothing the model raises."""
        outcomes = super().complete(requests)
        self.failures += [one for one in outcomes if isinstance(one, ChatFailure)]
        return outcomes


def _failure(outcome: ChatOutcome) -> str | None:
    return outcome.kind.value if isinstance(outcome, ChatFailure) else None


def _key(model: str, request: ChatRequest) -> str:
    asked = [
        model,
        request.purpose,
        request.prompt_version,
        [(message.role.value, message.text) for message in request.messages],
        request.reply_schema,
        request.most_tokens,
        request.temperature,
        request.seed,
    ]
    return blake2b(json.dumps(asked, sort_keys=True).encode(), digest_size=16).hexdigest()
