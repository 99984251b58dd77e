"""What the settings of a chat model mean for a memory, whichever model it is given."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from evolore.chat.budget import CircuitBreaker
from evolore.config import Settings
from evolore.domain.chat import ChatFailure, ChatFailureKind, ChatSettings
from evolore.domain.document import MediaType
from evolore.errors import ChatKeyMissing, MissingExtra
from evolore.memory import Memory
from evolore.models import openai_chat
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.chat import ChatOutcome, ChatRequest
    from evolore.jobs.clock import SteppingClock

WHOLE = '{"verdicts": [{"number": 1, "whole": true}]}'
RUN_ON = "the oven was brought to the harbour by the monday boat and nobody there had asked for it " * 40


class Busy(ScriptedChatModel):
    """A model whose server is always too busy."""

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        self.requests.extend(requests)
        return [ChatFailure(kind=ChatFailureKind.FAILED, retry_after_seconds=0, was_read=False) for _ in requests]


def opened(store: Path, clock: SteppingClock, given: ScriptedChatModel | None, /, **chat: object) -> Memory:
    settings = Settings(chat=ChatSettings(**chat))  # pyright: ignore[reportArgumentType] - as from a file
    return Memory.open(store, embedder=HashingEmbedder(), clock=clock, chat_model=given, settings=settings)


def checked(memory: Memory) -> int:
    return memory.review.check_chunks(sample=1, chunks_per_call=1, calls=5).usage.calls


def test_all_verbs_share_the_budget_of_a_day(store_path: Path, clock: SteppingClock) -> None:
    model = ScriptedChatModel([WHOLE])
    with opened(store_path, clock, model, day_calls=3) as memory:
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
        with opened(store_path, clock, model, **limit) as memory:
            memory.add_text("The oven is old.", source="a.txt")
            assert memory.review.check_chunks(sample=1).skips[0].reason == "out_of_budget"
    assert model.calls == 0


def test_tries_are_paid_for_by_the_document_they_are_made_for(
    store_path: Path, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolore.domain.chat.FIRST_WAIT_SECONDS", 0.0)
    monkeypatch.setattr("evolore.chat.budget.CircuitBreaker", partial(CircuitBreaker, failures=1000))
    model = Busy()
    with opened(store_path, clock, model, tries=50) as memory:
        (added,) = memory.add(SourceText(source="a.txt", text=RUN_ON, media_type=MediaType.PLAIN)).documents
    assert model.calls == added.chat_calls == 8  # what one document may cost, by default


def test_replies_are_kept_where_wanted_until_something_is_forgotten(store_path: Path, clock: SteppingClock) -> None:
    with opened(store_path, clock, ScriptedChatModel([WHOLE]), kept_replies=10) as memory:
        memory.add_text("The oven is old.", source="a.txt")
        memory.remember("We moved in May.")
        assert [checked(memory), checked(memory)] == [1, 0]
        memory.forget(document="a.txt", dry_run=True)
        assert checked(memory) == 0
        memory.forget(memory.list().statements[0].id)
        assert checked(memory) == 1


def test_by_default_the_same_is_asked_again(store_path: Path, clock: SteppingClock) -> None:
    with opened(store_path, clock, ScriptedChatModel([WHOLE])) as memory:
        memory.add_text("The oven is old.", source="a.txt")
        assert [checked(memory), checked(memory)] == [1, 1]


def test_a_model_that_is_named_needs_its_key_and_its_extra(
    store_path: Path, clock: SteppingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ChatKeyMissing, match="OPENAI_API_KEY is not set"):
        opened(store_path, clock, None, model="gpt-4.1-mini")
    monkeypatch.setattr(openai_chat, "find_spec", dict[str, object]().get)
    with pytest.raises(MissingExtra, match=r"evolore\[openai\]"):
        opened(store_path, clock, None, model="small", base_url="http://127.0.0.1:1/v1")
    with opened(store_path, clock, ScriptedChatModel([WHOLE]), model="small") as memory:  # one that is given goes first
        assert memory.store.chat_check().model == "scripted-1"
