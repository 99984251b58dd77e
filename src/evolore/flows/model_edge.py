"""The edge to a chat model that may be anyone's: whatever it does, each request has an outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from evolore.domain.chats import ChatFailure, ChatFailureKind, ChatReply, ChatUsage, PromptLogProbs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.ports import ChatModel

Asked = TypeVar("Asked", "ChatRequest", str)
Told = TypeVar("Told", ChatReply, PromptLogProbs)

_NO_CALL = ChatUsage()

if TYPE_CHECKING:
    from evolore.domain.chats import ChatRequest


def without_call(kind: ChatFailureKind, detail: str = "") -> ChatFailure:
    """Give a failure for which nobody was asked."""
    return ChatFailure(kind=kind, detail=detail, usage=_NO_CALL)


def model_name(model: ChatModel) -> str:
    """Give name and version of a model on one line; one that cannot say has none."""
    try:
        return " ".join(model.info.id.split())
    except Exception:  # noqa: BLE001 - the edge: what it wrote is used, or not, whoever it is
        return "unnamed"


def offers_log_probs(model: ChatModel) -> bool:
    """Tell whether a model says that it gives log-probabilities; one that cannot say does not."""
    try:
        return model.info.gives_prompt_log_probs
    except Exception:  # noqa: BLE001 - the edge: what does not say that it offers something does not
        return False


def outcomes_of(
    ask: Callable[[], Sequence[Told | ChatFailure]], count: int, kind: type[Told]
) -> list[Told | ChatFailure]:
    """Ask, and give as many outcomes as there are requests, each of the right kind; raises nothing the model raises."""
    try:
        answers = list(ask())
    except Exception as error:  # noqa: BLE001 - the edge: its failure is an answer
        return [ChatFailure(kind=ChatFailureKind.FAILED, detail=type(error).__name__)] * count
    if len(answers) != count:
        detail = f"{count} requests got {len(answers)} replies."
        return [ChatFailure(kind=ChatFailureKind.FAILED, detail=detail)] * count
    return [
        answer
        if isinstance(answer, (kind, ChatFailure))
        else ChatFailure(kind=ChatFailureKind.FAILED, detail=f"A reply was a {type(answer).__name__}.")
        for answer in answers
    ]
