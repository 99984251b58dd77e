"""What every chat model must do, whichever adapter it comes from."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from chat_parts import InMemorySpendLog
from evolore.chat.budget import BudgetedChat
from evolore.domain.chat import (
    ChatFailure,
    ChatFailureKind,
    ChatMessage,
    ChatReply,
    ChatRequest,
    ChatRole,
    ChatSettings,
    PromptLogProbs,
)
from evolore.jobs.clock import SystemClock
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFailure, ScriptedFault
from evolore.models.openai_connection import OpenAIChat
from offline_server import OfflineChatServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evolore.ports import ChatModel


def likely(text: str) -> list[float]:
    return [-1.0] * len(text)


def served(*, prompt_log_probs: bool) -> Iterator[tuple[ChatModel, Callable[[], int]]]:
    if find_spec("openai") is None:
        pytest.skip("openai is not installed")
    with OfflineChatServer(["one", "two"], log_probs=likely) as server:
        settings = ChatSettings(model="scripted", base_url=server.url, prompt_log_probs=prompt_log_probs)
        yield OpenAIChat(settings), lambda: server.calls


def scripted(model: ScriptedChatModel) -> Iterator[tuple[ChatModel, Callable[[], int]]]:
    yield model, lambda: model.calls


def budgeted(model: ScriptedChatModel) -> Iterator[tuple[ChatModel, Callable[[], int]]]:
    yield BudgetedChat(model, clock=SystemClock(), log=InMemorySpendLog()), lambda: model.calls


MODELS: dict[str, Callable[[], Iterator[tuple[ChatModel, Callable[[], int]]]]] = {
    "scripted": lambda: scripted(ScriptedChatModel(["one", "two"])),
    "scripted with log-probabilities": lambda: scripted(ScriptedChatModel(["one"], log_probs=likely)),
    "budgeted": lambda: budgeted(ScriptedChatModel(["one", "two"])),
    "budgeted with log-probabilities": lambda: budgeted(ScriptedChatModel(["one"], log_probs=likely)),
    "served": lambda: served(prompt_log_probs=False),
    "served with log-probabilities": lambda: served(prompt_log_probs=True),
}


def request(text: str = "Say one.") -> ChatRequest:
    return ChatRequest(purpose="test", messages=(ChatMessage(role=ChatRole.USER, text=text),))


@pytest.fixture(params=MODELS)
def counted(request: pytest.FixtureRequest) -> Iterator[tuple[ChatModel, Callable[[], int]]]:
    yield from MODELS[request.param]()


@pytest.fixture
def model(counted: tuple[ChatModel, Callable[[], int]]) -> ChatModel:
    return counted[0]


def test_every_request_has_its_outcome_and_says_what_it_cost(model: ChatModel) -> None:
    outcomes = model.complete([request(), request()])
    assert len(outcomes) == 2
    assert all(outcome.usage.calls == 1 for outcome in outcomes)
    assert isinstance(outcomes[0], ChatReply)
    assert list(model.complete([])) == []


def test_log_probabilities_are_given_where_they_are_promised(model: ChatModel) -> None:
    (told,) = model.prompt_log_probs(["text"])
    if model.info.gives_prompt_log_probs:
        assert isinstance(told, PromptLogProbs)
        assert [place for place, _ in told.tokens] == sorted({place for place, _ in told.tokens})
        assert all(0 <= place < 4 and share <= 0 for place, share in told.tokens)
    else:
        assert isinstance(told, ChatFailure)
        assert told.kind is ChatFailureKind.NOT_OFFERED


def test_asking_for_the_model_calls_nothing_and_a_request_is_one_call(
    counted: tuple[ChatModel, Callable[[], int]],
) -> None:
    model, calls = counted
    assert model.info == model.info
    assert calls() == 0
    model.complete([request(), request(), request()])
    assert calls() == 3


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
