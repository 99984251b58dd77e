"""How flows ask a chat model: within a budget, and so that nothing it does ends the flow."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from evolore.domain.chats import ChatFailure, ChatFailureKind, ChatReply, ChatUsage, PromptLogProbs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.domain.chats import ChatBudget, ChatOutcome, ChatRequest, LogProbsOutcome
    from evolore.ports import ChatModel

_NO_CALL = ChatUsage()
Asked = TypeVar("Asked", "ChatRequest", str)
Told = TypeVar("Told", ChatReply, PromptLogProbs)


class Asker:
    """Asks one chat model on behalf of one verb, and counts.

    A request is one call. It is taken from the budget before it is made, and given back only when the model says that
    it made none, as for a reply from a cache. What is over the budget is not asked.

    Args:
        model: What to ask; None for nobody.
        budget: How many calls may be made.
    """

    def __init__(self, model: ChatModel | None, budget: ChatBudget) -> None:
        self._model = model
        self._left = budget.calls
        self._lock = Lock()
        self.usage = ChatUsage()

    @property
    def has_model(self) -> bool:
        """Whether there is anybody to ask."""
        return self._model is not None

    def complete(self, requests: Sequence[ChatRequest]) -> tuple[ChatOutcome, ...]:
        """Give each request's reply or failure, in their order; raises nothing the model raises."""
        return self._answers(requests, lambda model: model.complete, ChatReply)

    def log_probs(self, texts: Sequence[str]) -> tuple[LogProbsOutcome, ...]:
        """Tell how likely each text is, in their order; raises nothing the model raises."""
        if self._model is not None and not _offers_log_probs(self._model):
            return tuple(_failure(ChatFailureKind.NOT_OFFERED) for _ in texts)
        return self._answers(texts, lambda model: model.prompt_log_probs, PromptLogProbs)

    def _answers(
        self,
        asked: Sequence[Asked],
        ask: Callable[[ChatModel], Callable[[Sequence[Asked]], Sequence[Told | ChatFailure]]],
        kind: type[Told],
    ) -> tuple[Told | ChatFailure, ...]:
        if self._model is None:
            return tuple(_failure(ChatFailureKind.NO_MODEL) for _ in asked)
        affordable = asked[: self._take(len(asked))]
        answers: list[Told | ChatFailure] = []
        if affordable:
            answers = _checked(_called(lambda: ask(self._model_at_hand())(affordable)), len(affordable), kind)
            self._note(answers)
        return (*answers, *(_failure(ChatFailureKind.OUT_OF_BUDGET) for _ in asked[len(affordable) :]))

    def _model_at_hand(self) -> ChatModel:
        assert self._model is not None
        return self._model

    def _take(self, wanted: int) -> int:
        with self._lock:
            taken = min(wanted, self._left)
            self._left -= taken
            return taken

    def _note(self, answers: Sequence[ChatReply | PromptLogProbs | ChatFailure]) -> None:
        with self._lock:
            for answer in answers:
                self.usage += answer.usage
                self._left += not answer.usage.calls


def _failure(kind: ChatFailureKind, detail: str = "") -> ChatFailure:
    return ChatFailure(kind=kind, detail=detail, usage=_NO_CALL)


def _offers_log_probs(model: ChatModel) -> bool:
    try:
        return model.info.gives_prompt_log_probs
    except Exception:  # noqa: BLE001 - the same edge: what does not say that it offers something does not
        return False


def _called(call: Callable[[], Sequence[Told | ChatFailure]]) -> Sequence[Told | ChatFailure] | ChatFailure:
    try:
        return list(call())
    except Exception as error:  # noqa: BLE001 - the edge to a model that may be anyone's: its failure is an answer
        return ChatFailure(kind=ChatFailureKind.FAILED, detail=f"{type(error).__name__}: {error}")


def _checked(
    answers: Sequence[Told | ChatFailure] | ChatFailure, count: int, kind: type[Told]
) -> list[Told | ChatFailure]:
    """Give as many answers as were asked for, each of the right kind: models may be anyone's."""
    if isinstance(answers, ChatFailure):
        return [answers] * count
    if len(answers) != count:
        detail = f"{count} requests got {len(answers)} replies."
        return [ChatFailure(kind=ChatFailureKind.FAILED, detail=detail)] * count
    return [
        answer
        if isinstance(answer, (kind, ChatFailure))
        else ChatFailure(kind=ChatFailureKind.FAILED, detail=f"A reply was a {type(answer).__name__}.")
        for answer in answers
    ]
