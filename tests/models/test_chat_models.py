"""What every chat model must do, whichever adapter it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.chats import (
    ChatFailure,
    ChatFailureKind,
    ChatMessage,
    ChatReply,
    ChatRequest,
    ChatRole,
    PromptLogProbs,
)
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFailure, ScriptedFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from evolore.ports import ChatModel

MODELS: dict[str, Callable[[], ChatModel]] = {
    "scripted": lambda: ScriptedChatModel(["one", "two"]),
    "scripted with log-probabilities": lambda: ScriptedChatModel(["one"], log_probs=lambda text: [-1.0] * len(text)),
}


def request(text: str = "Say one.") -> ChatRequest:
    return ChatRequest(purpose="test", messages=(ChatMessage(role=ChatRole.USER, text=text),))


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest) -> ChatModel:
    return MODELS[request.param]()


def test_every_request_has_its_outcome_and_says_what_it_cost(model: ChatModel) -> None:
    outcomes = model.complete([request(), request()])
    assert len(outcomes) == 2
    assert all(outcome.usage.calls == 1 for outcome in outcomes)
    assert isinstance(outcomes[0], ChatReply)
    assert model.complete([]) == []


def test_log_probabilities_are_given_where_they_are_promised(model: ChatModel) -> None:
    (told,) = model.prompt_log_probs(["text"])
    if model.info.gives_prompt_log_probs:
        assert isinstance(told, PromptLogProbs)
        assert [place for place, _ in told.tokens] == sorted({place for place, _ in told.tokens})
        assert all(0 <= place < 4 and share <= 0 for place, share in told.tokens)
    else:
        assert isinstance(told, ChatFailure)
        assert told.kind is ChatFailureKind.NOT_OFFERED


def test_asking_for_the_model_calls_nothing(model: ChatModel) -> None:
    assert model.info == model.info
    assert isinstance(model, ScriptedChatModel)
    assert model.calls == 0


def test_a_script_is_followed_call_by_call_and_its_last_line_repeats() -> None:
    model = ScriptedChatModel(["one", lambda asked: asked.purpose, ScriptedFault.TIMEOUT])
    outcomes = model.complete([request() for _ in range(4)])
    assert [getattr(outcome, "text", "") for outcome in outcomes] == ["one", "test", "", ""]
    assert isinstance(outcomes[3], ChatFailure)
    assert len(model.requests) == model.calls == 4


def test_without_a_script_every_call_is_refused() -> None:
    (outcome,) = ScriptedChatModel().complete([request()])
    assert isinstance(outcome, ChatFailure)
    assert outcome.kind is ChatFailureKind.REFUSED


def test_a_scripted_exception_is_raised() -> None:
    model = ScriptedChatModel([ScriptedFault.EXCEPTION], log_probs_fault=ScriptedFault.EXCEPTION)
    with pytest.raises(ScriptedFailure):
        model.complete([request()])
    with pytest.raises(ScriptedFailure):
        model.prompt_log_probs(["x"])
