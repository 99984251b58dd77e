"""Each fault of a server at each place that asks it: nothing is changed or lost, and nothing is spent too much."""

from __future__ import annotations

from functools import cache
from shutil import copytree
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from chat_parts import InMemorySpendLog, RecordingPacer
from evolore.chat.asking import Asker, ChatTerms
from evolore.chat.budget import BudgetedChat, CircuitBreaker, DayTerms
from evolore.domain.chat import ChatBudget, ChatMessage, ChatPrices, ChatRequest, ChatRole, ChatSettings, RetryRule
from evolore.jobs.clock import SteppingClock
from evolore.models.openai_connection import OpenAIChat
from flows.chat_sites import DAY, SITES, Site, content, fill
from flows.chat_spend import Spent
from offline_server import OfflineChatServer, ServerFault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from _pytest.mark import ParameterSet

    from evolore.memory import Memory
    from flows.chat_sites import Asked

pytest.importorskip("openai", reason="openai is not installed")

PRICES = ChatPrices(prompt_per_million=2, reply_per_million=8)
HARMLESS = {ServerFault.ABSURD_USAGE}
"""What says nothing wrong about a text's log-probabilities."""


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Spent:
    """Hold on to what memories spend."""
    return Spent(monkeypatch)


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.domain.chat.FIRST_WAIT_SECONDS", 0.0)


def reached(server: OfflineChatServer, *, timeout_seconds: float = 20.0) -> ChatSettings:
    return ChatSettings(
        model="scripted",
        base_url=server.url,
        timeout_seconds=timeout_seconds,
        prompt_log_probs=True,
        tries=2,
        day_calls=3,
        day_tokens=60_000,
        day_cost=0.3,
        prompt_price=PRICES.prompt_per_million,
        reply_price=PRICES.reply_per_million,
    )


def script(site: Site, reply: ServerFault | None) -> Callable[[Mapping[str, object]], str]:
    """Let one place meet a fault, or nothing but good replies; of tiers 2 and 3 the other one leads nowhere."""

    def said(body: Mapping[str, object]) -> str:
        if site.is_log_probs is not ("prompt" in body):
            return ServerFault.REFUSAL
        if reply is not None:
            return reply
        return "An echo." if "prompt" in body else site.good(content(body))

    return said


def rising(text: str) -> list[float]:
    """Find a stretch in the middle hard to predict."""
    middle = len(text) // 2
    return [-9.0 if middle <= place < middle + 200 else -0.1 for place in range(len(text))]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Site, ChatSettings | None], Asked]:
    """Let a place ask in a memory of its own: a copy of one that was filled once for all that need it so."""

    @cache
    def filled(prepare: Callable[[Memory], None]) -> Path:
        folder = tmp_path_factory.mktemp("filled")
        fill(folder, prepare)
        return folder

    def asked(site: Site, chat: ChatSettings | None) -> Asked:
        folder = tmp_path_factory.mktemp("asked")
        copytree(filled(site.prepare), folder, dirs_exist_ok=True)
        return site.run_filled(folder, chat=chat)

    return asked


@pytest.fixture(scope="module")
def alone(run: Callable[[Site, ChatSettings | None], Asked]) -> Callable[[Site], object]:
    """Give what a place comes to without a model; each is found out once."""

    @cache
    def found(site: Site) -> object:
        return run(site, None).state

    return found


def _pairs() -> Iterator[ParameterSet]:
    """Give every place with every fault: an eighth of them at every change, in which each of both is met."""
    for number, site in enumerate(SITES):
        for at, fault in enumerate(ServerFault):
            marks = [] if (number + at) % 8 == 0 else [pytest.mark.long]
            yield pytest.param(site, fault, marks=marks, id=f"{fault}-{site}")


@pytest.mark.parametrize(("site", "fault"), tuple(_pairs()))
def test_a_fault_changes_nothing_is_told_and_stays_within_the_budget(
    site: Site,
    fault: ServerFault,
    kept: Spent,
    run: Callable[[Site, ChatSettings | None], Asked],
    alone: Callable[[Site], object],
) -> None:
    with OfflineChatServer([script(site, fault)], log_probs=rising) as server:
        seconds = 0.2 if fault is ServerFault.HANGS else 20.0
        beside = run(site, reached(server, timeout_seconds=seconds))
    if not (site.is_log_probs and fault in HARMLESS):
        assert beside.state == alone(site)
    assert beside.is_whole
    assert beside.told
    assert 1 <= server.calls <= 3
    spent = kept.usage
    assert spent.calls == server.calls
    assert spent.tokens <= 60_000
    assert spent.cost_micros <= 300_000


@pytest.mark.parametrize("site", SITES, ids=str)
def test_a_good_reply_over_the_same_way_does_change_it(
    site: Site, run: Callable[[Site, ChatSettings | None], Asked], alone: Callable[[Site], object]
) -> None:
    with OfflineChatServer([script(site, None)], log_probs=rising) as server:
        beside = run(site, reached(server))
    assert beside.state != alone(site)
    assert beside.is_whole
    assert 1 <= server.calls <= 3


@pytest.mark.parametrize("reply", ["{}", ServerFault.RATE_LIMITED, ServerFault.CUT_OFF])
def test_threads_and_tries_over_http_make_no_call_more_than_the_day_allows(reply: str) -> None:
    terms = ChatTerms(prices=PRICES, retries=RetryRule(tries=3, first_wait_seconds=0), pacer=RecordingPacer())
    message = ChatMessage(role=ChatRole.USER, text="Hello.")
    asked = ChatRequest(purpose="test", messages=(message,), reply_schema={"type": "object"})
    with OfflineChatServer([reply]) as server:
        chat = BudgetedChat(
            OpenAIChat(reached(server)),
            clock=SteppingClock(DAY),
            log=InMemorySpendLog(),
            terms=DayTerms(budget=ChatBudget(calls=11), prices=PRICES),
            breaker=CircuitBreaker(failures=1000),
        )
        threads = [
            Thread(target=lambda: Asker(chat, ChatBudget(calls=9), terms).complete([asked] * 3)) for _ in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert server.calls == 11
