"""What the settings of a chat model mean for a memory, whichever model it is given."""

from __future__ import annotations

import json
import sys
from functools import partial
from typing import TYPE_CHECKING

import pytest

from evolore.chat.budget import CircuitBreaker
from evolore.chat.prompt import prompt_words
from evolore.config import Settings
from evolore.domain.chat import ChatFailure, ChatFailureKind, ChatSettings
from evolore.domain.document import MediaType
from evolore.errors import ChatKeyMissing, ChatModelMissing, MissingExtra
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.chat import ChatOutcome, ChatRequest
    from evolore.jobs.clock import SteppingClock


def opened(store: Path, clock: SteppingClock, model: ScriptedChatModel | None) -> Memory:
    return Memory.open(store, embedder=HashingEmbedder(), clock=clock, settings=Settings(), chat_model=model)


def test_a_check_is_one_call_with_nothing_of_the_memory(store_path: Path, clock: SteppingClock) -> None:
    model = ScriptedChatModel(['{"answer": "Yes."}'])
    with opened(store_path, clock, model) as memory:
        memory.remember("Grandmother's secret.")
        found = memory.store.chat_check()
    assert (found.model, found.answered, found.reply) == ("scripted-1", True, '{"answer": "Yes."}')
    assert found.usage.calls == model.calls == 1
    assert found.seconds > 0
    (request,) = model.requests
    assert request.messages[0].text == prompt_words("say_hello", request.prompt_version)
    assert json.loads(request.messages[1].text.splitlines()[1]) == {"question": "Are you there?"}


def test_a_failure_is_said_and_raises_nothing(store_path: Path, clock: SteppingClock) -> None:
    with opened(store_path, clock, ScriptedChatModel([ScriptedFault.TIMEOUT])) as memory:
        found = memory.store.chat_check()
    assert not found.answered
    assert found.reply == "timed_out: No reply within 60 seconds."


def test_without_a_model_it_says_what_to_set(store_path: Path, clock: SteppingClock) -> None:
    with opened(store_path, clock, None) as memory, pytest.raises(ChatModelMissing, match=r"chat\.model"):
        memory.store.chat_check()


WHOLE = '{"verdicts": [{"number": 1, "whole": true}]}'
RUN_ON = "the oven was brought to the harbour by the monday boat and nobody there had asked for it " * 40


class Busy(ScriptedChatModel):
    """A model whose server is always too busy."""

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        self.requests.extend(requests)
        return [ChatFailure(kind=ChatFailureKind.FAILED, retry_after_seconds=0, was_read=False) for _ in requests]


def limited(store: Path, clock: SteppingClock, given: ScriptedChatModel | None, /, **chat: object) -> Memory:
    settings = Settings(chat=ChatSettings(**chat))  # pyright: ignore[reportArgumentType] - as from a file
    return Memory.open(store, embedder=HashingEmbedder(), clock=clock, chat_model=given, settings=settings)


def checked(memory: Memory) -> int:
    return memory.review.check_chunks(sample=1, chunks_per_call=1, calls=5).usage.calls


def test_all_verbs_share_the_budget_of_a_day(store_path: Path, clock: SteppingClock) -> None:
    model = ScriptedChatModel([WHOLE])
    with limited(store_path, clock, model, day_calls=3) as memory:
        memory.add_text("The oven is old.", source="a.txt")
        assert [checked(memory) for _ in range(3)] == [1, 1, 1]
        found = memory.review.check_chunks(sample=1, chunks_per_call=1, calls=5)
        assert found.skips[0].reason == "out_of_budget"
        assert not memory.store.chat_check().answered
        assert memory.add_text(RUN_ON, source="b.txt").version == 1
    assert model.calls == 3


def test_a_job_has_a_budget_of_tokens_and_money_too(store_path: Path, clock: SteppingClock) -> None:
    model = ScriptedChatModel([WHOLE])
    for limit in ({"job_tokens": 10}, {"job_cost": 0.000001, "prompt_price": 1.0}, {"job_calls": 0}):
        with limited(store_path, clock, model, **limit) as memory:
            memory.add_text("The oven is old.", source="a.txt")
            assert memory.review.check_chunks(sample=1).skips[0].reason == "out_of_budget"
    assert model.calls == 0


def test_tries_are_paid_for_by_the_document_they_are_made_for(
    store_path: Path, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolore.domain.chat.FIRST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr("evolore.chat.budget.CircuitBreaker", partial(CircuitBreaker, failures=1000))
    model = Busy()
    with limited(store_path, clock, model, tries=50) as memory:
        (added,) = memory.add(SourceText(source="a.txt", text=RUN_ON, media_type=MediaType.PLAIN)).documents
    assert model.calls == added.chat_calls == 8  # what one document may cost, by default


def test_replies_are_kept_where_wanted_until_something_is_forgotten(store_path: Path, clock: SteppingClock) -> None:
    with limited(store_path, clock, ScriptedChatModel([WHOLE]), kept_replies=10) as memory:
        memory.add_text("The oven is old.", source="a.txt")
        memory.remember("We moved in May.")
        assert [checked(memory), checked(memory)] == [1, 0]
        memory.forget(document="a.txt", dry_run=True)
        assert checked(memory) == 0
        memory.forget(memory.list().statements[0].id)
        assert checked(memory) == 1


def test_by_default_the_same_is_asked_again(store_path: Path, clock: SteppingClock) -> None:
    with limited(store_path, clock, ScriptedChatModel([WHOLE])) as memory:
        memory.add_text("The oven is old.", source="a.txt")
        assert [checked(memory), checked(memory)] == [1, 1]


def test_a_model_that_is_named_needs_its_key_and_its_extra(
    store_path: Path, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ChatKeyMissing, match="OPENAI_API_KEY is not set"):
        limited(store_path, clock, None, model="gpt-4.1-mini")
    monkeypatch.setitem(sys.modules, "openai", None)  # as if it were not installed
    for name in ("openai_connection",):
        monkeypatch.delitem(sys.modules, f"evolore.models.{name}", raising=False)
    with pytest.raises(MissingExtra, match=r"evolore\[openai\]"):
        limited(store_path, clock, None, model="small", base_url="http://127.0.0.1:1/v1")
    with limited(
        store_path, clock, ScriptedChatModel([WHOLE]), model="small"
    ) as memory:  # one that is given goes first
        assert memory.store.chat_check().model == "scripted-1"
