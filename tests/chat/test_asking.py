from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.chat.asking import Asker
from evolore.domain.chat import (
    ChatBudget,
    ChatFailure,
    ChatFailureKind,
    ChatMessage,
    ChatModelInfo,
    ChatReply,
    ChatRequest,
    ChatRole,
    ChatUsage,
)
from evolore.errors import InvalidValue
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.chat import ChatOutcome, LogProbsOutcome


def request(text: str = "Hello.") -> ChatRequest:
    return ChatRequest(purpose="test", messages=(ChatMessage(role=ChatRole.USER, text=text),))


def kinds(outcomes: Sequence[ChatOutcome | LogProbsOutcome]) -> list[str]:
    return [outcome.kind.value if isinstance(outcome, ChatFailure) else "reply" for outcome in outcomes]


@given(budget=st.integers(0, 6), batches=st.lists(st.integers(0, 4), max_size=5), fails=st.booleans())
def test_the_budget_is_never_exceeded_by_one_call(budget: int, batches: list[int], fails: bool) -> None:  # noqa: FBT001 - drawn
    model = ScriptedChatModel([ScriptedFault.EXCEPTION if fails else "yes"], log_probs=lambda text: [-1.0] * len(text))
    asker = Asker(model, ChatBudget(calls=budget))
    for number, size in enumerate(batches):
        outcomes = asker.log_probs(["x"] * size) if number % 2 else asker.complete([request()] * size)
        assert len(outcomes) == size
    assert model.calls <= budget
    if not fails:
        assert model.calls == min(budget, sum(batches)) == asker.usage.calls


def test_what_is_over_the_budget_is_told_so() -> None:
    asker = Asker(ScriptedChatModel(["yes"]), ChatBudget(calls=1))
    assert kinds(asker.complete([request(), request()])) == ["reply", "out_of_budget"]
    assert kinds(asker.complete([request()])) == ["out_of_budget"]


def test_a_reply_from_a_cache_costs_nothing() -> None:
    class Cached(ScriptedChatModel):
        def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
            return [ChatReply(text="again", usage=ChatUsage()) for _ in requests]

    asker = Asker(Cached(), ChatBudget(calls=1))
    assert kinds(asker.complete([request()])) == ["reply"]
    assert kinds(asker.complete([request()])) == ["reply"]
    assert asker.usage.calls == 0


def test_nobody_to_ask_is_an_answer() -> None:
    asker = Asker(None, ChatBudget(calls=3))
    assert kinds(asker.complete([request()])) == ["no_model"]
    assert kinds(asker.log_probs(["x"])) == ["no_model"]
    assert kinds(Asker(ScriptedChatModel(), ChatBudget(calls=3)).log_probs(["x"])) == ["not_offered"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (ScriptedFault.EXCEPTION, "failed"),
        (ScriptedFault.TOO_FEW, "failed"),
        (ScriptedFault.REFUSAL, "refused"),
        (ScriptedFault.TIMEOUT, "timed_out"),
        (ScriptedFault.EMPTY, "reply"),
    ],
)
def test_whatever_the_model_does_there_is_an_outcome_for_each_request(fault: ScriptedFault, kind: str) -> None:
    asker = Asker(ScriptedChatModel([fault], log_probs_fault=fault), ChatBudget(calls=9))
    assert kinds(asker.complete([request(), request()])) == [kind, kind]
    assert kinds(asker.log_probs(["ab"])) == [kind]


def test_replies_of_another_kind_are_failures() -> None:
    class Careless(ScriptedChatModel):
        def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
            return ["plain text" for _ in requests]  # pyright: ignore[reportReturnType] - models may be anyone's

    (outcome,) = Asker(Careless(), ChatBudget(calls=1)).complete([request()])
    assert isinstance(outcome, ChatFailure)
    assert outcome.kind is ChatFailureKind.FAILED
    assert "str" in outcome.detail


def test_only_a_stop_by_the_user_passes_through() -> None:
    class Stopped(ScriptedChatModel):
        def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
            raise KeyboardInterrupt(len(requests))

    with pytest.raises(KeyboardInterrupt):
        Asker(Stopped(), ChatBudget(calls=1)).complete([request()])


def test_values_that_make_no_sense_are_refused() -> None:
    with pytest.raises(InvalidValue, match="budget"):
        ChatBudget(calls=-1)
    with pytest.raises(InvalidValue, match="messages"):
        ChatRequest(purpose="p", messages=())
    with pytest.raises(InvalidValue, match="most_tokens"):
        ChatRequest(purpose="p", messages=request().messages, most_tokens=0)
    with pytest.raises(InvalidValue, match="temperature"):
        ChatRequest(purpose="p", messages=request().messages, temperature=-1)
    with pytest.raises(InvalidValue, match="id"):
        ChatModelInfo(id="")


class Careless:
    """A model that answers with one value for all, and does not say what it is."""

    def __init__(self, answer: object) -> None:
        self._answer = answer

    @property
    def info(self) -> ChatModelInfo:
        raise ConnectionError("nobody there")

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        del requests
        return cast("Sequence[ChatOutcome]", self._answer)

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        del texts
        return cast("Sequence[LogProbsOutcome]", self._answer)


@pytest.mark.parametrize("answer", [None, 3, iter(()), [], ["one"]])
def test_what_is_no_list_of_outcomes_is_a_failure(answer: object) -> None:
    asker = Asker(Careless(answer), ChatBudget(calls=9))
    assert kinds(asker.complete([request()])) == ["failed"]
    assert kinds(asker.log_probs(["a"])) == ["not_offered"]
    replies = iter([ChatReply(text="yes", usage=ChatUsage())])
    assert kinds(Asker(Careless(replies), ChatBudget(calls=1)).complete([request()])) == ["reply"]
