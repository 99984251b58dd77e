"""How flows ask a chat model: within a budget, and so that nothing it does ends the flow."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from evolore.domain.chat_costs import charged, most_used
from evolore.domain.chats import ChatFailure, ChatFailureKind, ChatReply, ChatUsage, PromptLogProbs
from evolore.flows.chat_terms import AT_ONCE
from evolore.flows.model_edge import model_name, offers_log_probs, outcomes_of, without_call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.domain.chats import ChatBudget, ChatOutcome, ChatRequest, LogProbsOutcome
    from evolore.flows.chat_terms import ChatTerms
    from evolore.flows.model_edge import Asked, Told
    from evolore.ports import ChatModel

_NOTHING = ChatUsage()


class Asker:
    """Asks one chat model on behalf of one job, and counts.

    A request is one call. The most that it can cost is taken from the budget before it is made, and given back as far
    as it cost less: all of it when the model says that it made no call, as for a reply from a cache. What is over the
    budget is not asked. A try after a failure is a call like any other.

    Args:
        model: What to ask; None for nobody.
        budget: What may be spent.
        terms: Prices, what any job may spend, and when to try again; by default never.
    """

    def __init__(self, model: ChatModel | None, budget: ChatBudget, terms: ChatTerms = AT_ONCE) -> None:
        self._model = model
        self._budget = budget.within(terms.job)
        self._terms = terms
        self._taken = _NOTHING
        self._lock = Lock()
        self.usage = ChatUsage()

    @property
    def has_model(self) -> bool:
        """Whether there is anybody to ask."""
        return self._model is not None

    @property
    def model_id(self) -> str:
        """Name and version of the model, on one line; empty for nobody."""
        return "" if self._model is None else model_name(self._model)

    def complete(self, requests: Sequence[ChatRequest]) -> tuple[ChatOutcome, ...]:
        """Give each request's reply or failure, in their order; raises nothing the model raises."""
        return self._answers(requests, lambda model: model.complete, ChatReply)

    def log_probs(self, texts: Sequence[str]) -> tuple[LogProbsOutcome, ...]:
        """Tell how likely each text is, in their order; raises nothing the model raises."""
        if self._model is not None and not offers_log_probs(self._model):
            return tuple(without_call(ChatFailureKind.NOT_OFFERED) for _ in texts)
        return self._answers(texts, lambda model: model.prompt_log_probs, PromptLogProbs)

    def _answers(
        self,
        asked: Sequence[Asked],
        ask: Callable[[ChatModel], Callable[[Sequence[Asked]], Sequence[Told | ChatFailure]]],
        kind: type[Told],
    ) -> tuple[Told | ChatFailure, ...]:
        model = self._model
        if model is None:
            return tuple(without_call(ChatFailureKind.NO_MODEL) for _ in asked)
        answers: list[Told | ChatFailure] = [without_call(ChatFailureKind.OUT_OF_BUDGET) for _ in asked]
        places, tried = list(range(len(asked))), 0
        while places:
            sent = self._sent(asked, places)
            if not sent:
                break
            replies = outcomes_of(lambda sent=sent: ask(model)([asked[place] for place in sent]), len(sent), kind)
            for place, answer in zip(sent, replies, strict=True):
                self._settle(most_used(asked[place]), answer)
                answers[place] = answer
            tried += 1
            places = self._again([(place, answers[place]) for place in sent], tried)
        return tuple(answers)

    def _sent(self, asked: Sequence[Asked], places: Sequence[int]) -> list[int]:
        """Give the places of what the budget allows, and take the most that each can cost."""
        return [place for place in places if self._take(most_used(asked[place]))]

    def _take(self, most: ChatUsage) -> bool:
        with self._lock:
            after = self._taken + self._terms.prices.priced(most)
            if not self._budget.allows(after):
                return False
            self._taken = after
            return True

    def _settle(self, most: ChatUsage, answer: ChatReply | PromptLogProbs | ChatFailure) -> None:
        reserved = self._terms.prices.priced(most)
        used = charged(reserved, answer, self._terms.prices)
        with self._lock:
            self._taken = self._taken - reserved + used
            self.usage += used

    def _again(self, told: Sequence[tuple[int, Told | ChatFailure]], tried: int) -> list[int]:
        """Wait as long as it takes, and give the places of what is worth another try."""
        retries, pacer = self._terms.retries, self._terms.pacer
        if pacer is None:
            return []
        failed = [
            (place, answer.retry_after_seconds or 0.0)
            for place, answer in told
            if isinstance(answer, ChatFailure) and retries.is_worth_it(answer, tried)
        ]
        if failed:
            pacer.wait(retries.wait_seconds(tried, max(after for _, after in failed), pacer.jitter()))
        return [place for place, _ in failed]
