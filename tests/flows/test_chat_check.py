from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from evolore.chat.prompt import prompt_words
from evolore.config import Settings
from evolore.errors import ChatModelMissing
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault

if TYPE_CHECKING:
    from pathlib import Path

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
