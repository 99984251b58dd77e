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

    from evolore.domain.chat_costs import ChatPrices
    from evolore.domain.chats import ChatBudget, ChatModelInfo, ChatOutcome, ChatRequest, LogProbsOutcome
    from evolore.flows.chat_terms import ChatTerms
    from evolore.flows.evolving.job_log import JobLog
    from evolore.ports import ChatModel

_NOTHING = ChatUsage()


class RecordedModel:
    """Stands before a chat model, and is one. What is about to be asked is written down, then what was replied.

    A process that dies in between has spent the most that it could have.

    Args:
        model: The model behind it.
        log: The job's.
        prices: What tokens cost.
    """

    def __init__(self, model: ChatModel, log: JobLog, prices: ChatPrices) -> None:
        self._model = model
        self._log = log
        self._prices = prices

    @property
    def info(self) -> ChatModelInfo:
        """The model behind it."""
        return self._model.info

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        """Give each request's reply or failure, in the order of the requests."""
        most = sum((self._prices.priced(most_used(request)) for request in requests), _NOTHING)
        purposes = sorted({request.purpose for request in requests})
        self._log.append(StepKind.ASKING, {"purposes": purposes, "most": most})
        outcomes = self._model.complete(requests)
        replies = [
            {
                "key": self.key(request),
                "text": one.text if isinstance(one, ChatReply) else None,
                "failure": one.kind if isinstance(one, ChatFailure) else None,
            }
            for request, one in zip(requests, outcomes, strict=True)
        ]
        usage = sum((one.usage for one in outcomes), _NOTHING)
        self._log.append(StepKind.REPLIED, {"replies": replies, "usage": usage})
        return outcomes

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        """Give a failure for each text: no job asks for it."""
        return [without_call(ChatFailureKind.NOT_OFFERED) for _ in texts]

    def heard(self, request: ChatRequest) -> ChatReply | None:
        """Give what the model replied to the same request before, for nothing; None where it was not asked, or in vain."""
        text = self._log.job.replies.get(self.key(request))
        return None if text is None else ChatReply(text=text, usage=_NOTHING)

    def key(self, request: ChatRequest) -> str:
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
    """An asker that gives what was replied before without asking again, and remembers what failed.

    ``is_own_budget_spent`` tells whether something was not asked because this job may not spend more.

    Args:
        model: What to ask; None for nobody.
        budget: What may be spent.
        terms: Prices, what any job may spend, and when to try again.
    """

    def __init__(self, model: RecordedModel | None, budget: ChatBudget, terms: ChatTerms) -> None:
        super().__init__(model, budget, terms)
        self._recorded = model
        self._own = terms.job
        self.failures: list[ChatFailure] = []
        self.is_own_budget_spent = False

    def complete(self, requests: Sequence[ChatRequest]) -> tuple[ChatOutcome, ...]:
        """Give each request's reply or failure, in their order; raises nothing the model raises."""
        heard = [None if self._recorded is None else self._recorded.heard(request) for request in requests]
        asked = [request for request, reply in zip(requests, heard, strict=True) if reply is None]
        told = super().complete(asked)
        self.failures += [one for one in told if isinstance(one, ChatFailure)]
        for request, one in zip(asked, told, strict=True):
            if isinstance(one, ChatFailure) and one.kind is ChatFailureKind.OUT_OF_BUDGET:
                most = self._terms.prices.priced(most_used(request))
                self.is_own_budget_spent |= not self._own.allows(self.usage + most)
        rest = iter(told)
        return tuple(next(rest) if reply is None else reply for reply in heard)
