"""Asking a chat model within a budget, and so that nothing it does ends the flow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TypeVar

from evolore.domain import chat
from evolore.ports import ChatModel, Pacer, StreamingChatModel


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTerms:
    """On which terms one memory asks its chat model."""

    prices: chat.ChatPrices = field(default_factory=chat.ChatPrices)  #: What tokens cost.
    #: What one job may spend, beside what the job itself allows: cutting one document, checking, confirming.
    job: chat.ChatBudget = chat.UNLIMITED
    retries: chat.RetryRule = field(default_factory=chat.RetryRule)  #: When a failed call is made again.
    pacer: Pacer | None = None  #: What waits before it is; None for never again.


AT_ONCE = ChatTerms()
"""No prices, no limits, and what fails is not tried again."""


_NOTHING = chat.ChatUsage()


class Asker:
    """Asks one chat model on behalf of one job, and counts.

    A request is one call. The most that it can cost is taken from the budget before it is made, and given back as far
    as it cost less: all of it when the model says that it made no call, as for a reply from a cache. What is over the
    budget is not asked. A try after a failure is a call like any other.

    Args:
        model: What to ask; None for no model.
        budget: What may be spent.
        terms: Prices, what any job may spend, and when to try again; by default never.
    """

    def __init__(self, model: ChatModel | None, budget: chat.ChatBudget, terms: ChatTerms = AT_ONCE) -> None:
        self._model = model
        self._budget = budget.within(terms.job)
        self._terms = terms
        self._taken = _NOTHING
        self._lock = Lock()
        self.usage = chat.ChatUsage()

    @property
    def has_model(self) -> bool:
        """Whether there is anybody to ask."""
        return self._model is not None

    @property
    def model_id(self) -> str:
        """Name and version of the model, on one line; empty for no model."""
        return "" if self._model is None else model_name(self._model)

    def complete(self, requests: Sequence[chat.ChatRequest]) -> tuple[chat.ChatOutcome, ...]:
        """Return each request's reply or failure, in their order; raises nothing the model raises."""
        return self._answers(requests, lambda model: model.complete, chat.ChatReply)

    def stream(self, request: chat.ChatRequest, tell: Callable[[str], None]) -> chat.ChatOutcome:
        """Return a request's reply or failure, and pass on its pieces where the model can; raises nothing it raises.

        What fails is tried again as usual; the pieces of further tries are not passed on.
        """
        told: list[Callable[[str], None]] = [tell]

        def ask(model: ChatModel) -> Callable[[Sequence[chat.ChatRequest]], Sequence[chat.ChatOutcome]]:
            if not (told and isinstance(model, StreamingChatModel)):
                return model.complete
            hear = told.pop()
            return lambda sent: [model.stream(one, hear) for one in sent]

        (outcome,) = self._answers([request], ask, chat.ChatReply)
        return outcome

    def log_probs(self, texts: Sequence[str]) -> tuple[chat.LogProbsOutcome, ...]:
        """Return how likely each text is, in their order; raises nothing the model raises."""
        if self._model is not None and not offers_log_probs(self._model):
            return tuple(without_call(chat.ChatFailureKind.NOT_OFFERED) for _ in texts)
        return self._answers(texts, lambda model: model.prompt_log_probs, chat.PromptLogProbs)

    def _answers(
        self,
        asked: Sequence[Asked],
        ask: Callable[[ChatModel], Callable[[Sequence[Asked]], Sequence[Told | chat.ChatFailure]]],
        kind: type[Told],
    ) -> tuple[Told | chat.ChatFailure, ...]:
        model = self._model
        if model is None:
            return tuple(without_call(chat.ChatFailureKind.NO_MODEL) for _ in asked)
        answers: list[Told | chat.ChatFailure] = [without_call(chat.ChatFailureKind.OUT_OF_BUDGET) for _ in asked]
        places, tried = list(range(len(asked))), 0
        while places:
            sent = [place for place in places if self._take(chat.most_used(asked[place]))]
            if not sent:
                break
            replies = outcomes_of(lambda sent=sent: ask(model)([asked[place] for place in sent]), len(sent), kind)
            for place, answer in zip(sent, replies, strict=True):
                self._settle(chat.most_used(asked[place]), answer)
                answers[place] = answer
            tried += 1
            places = self._again([(place, answers[place]) for place in sent], tried)
        return tuple(answers)

    def _take(self, most: chat.ChatUsage) -> bool:
        """Reserve the most that a request can cost; return whether the budget allows it."""
        with self._lock:
            after = self._taken + self._terms.prices.priced(most)
            if not self._budget.allows(after):
                return False
            self._taken = after
            return True

    def _settle(self, most: chat.ChatUsage, answer: chat.ChatReply | chat.PromptLogProbs | chat.ChatFailure) -> None:
        reserved = self._terms.prices.priced(most)
        used = chat.charged(reserved, answer, self._terms.prices)
        with self._lock:
            self._taken = self._taken - reserved + used
            self.usage += used

    def _again(self, told: Sequence[tuple[int, Told | chat.ChatFailure]], tried: int) -> list[int]:
        """Wait as long as it takes, and return the places of what is worth another try."""
        retries, pacer = self._terms.retries, self._terms.pacer
        if pacer is None:
            return []
        failed = [
            (place, answer.retry_after_seconds or 0.0)
            for place, answer in told
            if isinstance(answer, chat.ChatFailure) and retries.is_worth_it(answer, tried)
        ]
        if failed:
            pacer.wait(retries.wait_seconds(tried, max(after for _, after in failed), pacer.jitter()))
        return [place for place, _ in failed]


Asked = TypeVar("Asked", "chat.ChatRequest", str)
Told = TypeVar("Told", chat.ChatReply, chat.PromptLogProbs)

_NO_CALL = chat.ChatUsage()


def without_call(kind: chat.ChatFailureKind, detail: str = "") -> chat.ChatFailure:
    """Return a failure for which no model was asked."""
    return chat.ChatFailure(kind=kind, detail=detail, usage=_NO_CALL)


def model_name(model: ChatModel) -> str:
    """Return name and version of a model on one line; one that cannot say has none."""
    try:
        return " ".join(model.info.id.split())
    except Exception:  # noqa: BLE001 - the edge: what it wrote is used, or not, whoever it is
        return "unnamed"


def offers_log_probs(model: ChatModel) -> bool:
    """Return whether a model says that it returns log-probabilities; one that cannot say does not."""
    try:
        return model.info.gives_prompt_log_probs
    except Exception:  # noqa: BLE001 - the edge: what does not say that it offers something does not
        return False


def outcomes_of(
    ask: Callable[[], Sequence[Told | chat.ChatFailure]], count: int, kind: type[Told]
) -> list[Told | chat.ChatFailure]:
    """Ask, and return as many outcomes as there are requests, each of the right kind; raises nothing the model raises."""
    try:
        answers = list(ask())
    except Exception as error:  # noqa: BLE001 - the edge: its failure is an answer
        return [chat.ChatFailure(kind=chat.ChatFailureKind.FAILED, detail=type(error).__name__)] * count
    if len(answers) != count:
        detail = f"{count} requests got {len(answers)} replies."
        return [chat.ChatFailure(kind=chat.ChatFailureKind.FAILED, detail=detail)] * count
    return [
        answer
        if isinstance(answer, (kind, chat.ChatFailure))
        else chat.ChatFailure(kind=chat.ChatFailureKind.FAILED, detail=f"A reply was a {type(answer).__name__}.")
        for answer in answers
    ]
