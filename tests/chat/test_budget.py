"""Whatever a model does and whoever asks: what is spent is within the budget, and never one call over it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from threading import Barrier, Lock, Thread
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_parts import InMemorySpendLog, RecordingPacer
from evolore.chat.asking import Asker, ChatTerms
from evolore.chat.budget import BudgetedChat, CircuitBreaker, DayTerms, InMemoryChatCache
from evolore.domain.chat import (
    UNLIMITED,
    ChatBudget,
    ChatFailure,
    ChatFailureKind,
    ChatMessage,
    ChatModelInfo,
    ChatPrices,
    ChatReply,
    ChatRequest,
    ChatRole,
    ChatUsage,
    RetryRule,
    most_used,
)
from evolore.errors import InvalidValue
from evolore.jobs.clock import SteppingClock
from evolore.models.offline_chat import ScriptedChatModel, ScriptedFault

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.chat import ChatOutcome, LogProbsOutcome

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
PRICES = ChatPrices(prompt_per_million=0.3, reply_per_million=2.5)
BUSY = ChatFailure(kind=ChatFailureKind.FAILED, retry_after_seconds=0.0, was_read=False)


def request(text: str = "Hello.", *, most_tokens: int = 20, version: int = 1) -> ChatRequest:
    message = ChatMessage(role=ChatRole.USER, text=text)
    return ChatRequest(purpose="test", messages=(message,), most_tokens=most_tokens, prompt_version=version)


class Spender:
    """Uses a share of the most that a call can, says so or not, and knows what it truly used."""

    def __init__(self, shares: Sequence[float] = (1.0,), ways: Sequence[str] = ("told",)) -> None:
        self.used = ChatUsage()
        self._shares, self._ways = shares, ways
        self._lock = Lock()

    @property
    def info(self) -> ChatModelInfo:
        return ChatModelInfo(id="spender", gives_prompt_log_probs=True)

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        ways = [self._use(one) for one in requests]
        if any(way == "raises" for way, _ in ways):
            raise ConnectionError("gone")
        return [_outcome(way, used) for way, used in ways]

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        for text in texts:
            self._use(text)
        return [ChatFailure(kind=ChatFailureKind.FAILED) for _ in texts]

    def _use(self, asked: ChatRequest | str) -> tuple[str, ChatUsage]:
        with self._lock:
            place = self.used.calls
            way = self._ways[place % len(self._ways)]
            most = most_used(asked)
            share = 0.0 if way == "busy" else self._shares[place % len(self._shares)]
            used = PRICES.priced(
                ChatUsage(
                    calls=1, prompt_tokens=int(share * most.prompt_tokens), reply_tokens=int(share * most.reply_tokens)
                )
            )
            self.used += used
            return way, used


def _outcome(way: str, used: ChatUsage) -> ChatOutcome:
    match way:
        case "told":
            return ChatReply(text="yes", usage=used)
        case "untold":
            return ChatReply(text="yes")
        case "busy":
            return BUSY
        case _:
            return ChatFailure(kind=ChatFailureKind.TIMED_OUT)


def budgeted(model: object, *, day: ChatBudget = UNLIMITED, overlap: int = 4, **more: object) -> BudgetedChat:
    terms = DayTerms(budget=day, prices=PRICES, overlap=overlap)
    given = {"clock": SteppingClock(START), "log": InMemorySpendLog(), **more}
    return BudgetedChat(model, terms=terms, **given)  # pyright: ignore[reportArgumentType] - tests hand over what they like


def terms(**more: object) -> ChatTerms:
    given = {"prices": PRICES, "pacer": RecordingPacer(), **more}
    return ChatTerms(**given)  # pyright: ignore[reportArgumentType] - likewise


limits = st.one_of(st.none(), st.integers(0, 12))
budgets = st.builds(
    ChatBudget,
    calls=limits,
    tokens=st.one_of(st.none(), st.integers(0, 2500)),
    cost_micros=st.one_of(st.none(), st.integers(0, 1500)),
)


@given(
    day=budgets,
    job=budgets,
    batches=st.lists(st.lists(st.sampled_from(["", "a", "会議は三時から。", "long " * 40]), max_size=5), max_size=5),
    shares=st.lists(st.floats(0, 1), min_size=1, max_size=3),
    ways=st.lists(st.sampled_from(["told", "untold", "busy", "fails", "raises"]), min_size=1, max_size=4),
    overlap=st.integers(1, 4),
)
def test_neither_a_day_nor_a_job_ever_costs_more_than_its_budget(
    day: ChatBudget,
    job: ChatBudget,
    batches: list[list[str]],
    shares: list[float],
    ways: list[str],
    overlap: int,
) -> None:
    model, log = Spender(shares, ways), InMemorySpendLog()
    chat = budgeted(model, day=day, overlap=overlap, log=log, breaker=CircuitBreaker(failures=3, pause_seconds=0))
    asker = Asker(chat, job, terms())
    for number, texts in enumerate(batches):
        if number % 3 == 2:
            assert len(asker.log_probs(texts)) == len(texts)
        else:
            assert len(asker.complete([request(text) for text in texts])) == len(texts)
    assert day.within(job).allows(model.used)
    spent = log.spent(START.date())
    assert spent == asker.usage
    assert spent.calls == model.used.calls
    assert spent.tokens >= model.used.tokens
    assert spent.cost_micros >= model.used.cost_micros


@pytest.mark.parametrize("way", ["told", "busy", "fails"])
def test_threads_together_make_exactly_as_many_calls_as_the_day_allows(way: str) -> None:
    model, log = Spender([0.5], [way]), InMemorySpendLog()
    breaker = CircuitBreaker(failures=1000)
    chat = budgeted(model, day=ChatBudget(calls=23), log=log, breaker=breaker)
    barrier = Barrier(8)

    def work() -> None:
        barrier.wait()
        for _ in range(3):
            Asker(chat, UNLIMITED, terms()).complete([request(), request()])

    threads = [Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert model.used.calls == log.spent(START.date()).calls == 23


def test_threads_together_stay_within_tokens_and_money_and_use_most_of_them() -> None:
    most = PRICES.priced(most_used(request()))
    day = ChatBudget(calls=None, tokens=10 * most.tokens, cost_micros=10 * most.cost_micros)
    model = Spender([0.5])
    chat = budgeted(model, day=day)
    threads = [Thread(target=lambda: [chat.complete([request()] * 3) for _ in range(5)]) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert day.allows(model.used)
    assert model.used.calls > 10  # what was taken and not used is given back


def test_what_a_job_may_spend_bounds_its_retries_too() -> None:
    model = ScriptedChatModel([ScriptedFault.REFUSAL])
    model.complete = lambda requests: [model.requests.append(one) or BUSY for one in requests]
    pacer = RecordingPacer()
    asker = Asker(budgeted(model), ChatBudget(calls=4), terms(pacer=pacer, retries=RetryRule(tries=9)))
    outcomes = asker.complete([request(), request(), request()])
    assert [one.kind for one in outcomes if isinstance(one, ChatFailure)] == [ChatFailureKind.FAILED] * 3
    assert model.calls == asker.usage.calls == 4


def test_a_call_that_fails_for_the_servers_sake_is_made_again_after_longer_and_longer_waits() -> None:
    told: list[ChatOutcome] = [BUSY, BUSY, ChatReply(text="at last")]
    model = Listed(told)
    pacer = RecordingPacer(jitter=0.0)
    (outcome,) = Asker(budgeted(model), ChatBudget(calls=9), terms(pacer=pacer)).complete([request()])
    assert isinstance(outcome, ChatReply)
    assert pacer.waits == [0.5, 1.0]


def test_a_server_is_never_asked_before_it_said_and_not_at_all_when_that_is_too_long() -> None:
    def after(seconds: float) -> ChatFailure:
        return ChatFailure(kind=ChatFailureKind.FAILED, retry_after_seconds=seconds, was_read=False)

    pacer = RecordingPacer()
    (outcome,) = Asker(Listed([after(12), ChatReply(text="yes")]), ChatBudget(calls=9), terms(pacer=pacer)).complete(
        [request()]
    )
    assert isinstance(outcome, ChatReply)
    assert pacer.waits == [12]
    patient = RecordingPacer()
    model = Listed([after(3600), ChatReply(text="yes")])
    (refused,) = Asker(model, ChatBudget(calls=9), terms(pacer=patient)).complete([request()])
    assert isinstance(refused, ChatFailure)
    assert (patient.waits, model.calls) == ([], 1)


@pytest.mark.parametrize("kind", [ChatFailureKind.REFUSED, ChatFailureKind.TIMED_OUT, ChatFailureKind.FAILED])
def test_what_would_fail_again_is_not_tried_again(kind: ChatFailureKind) -> None:
    model = Listed([ChatFailure(kind=kind), ChatReply(text="yes")])
    Asker(model, ChatBudget(calls=9), terms()).complete([request()])
    assert model.calls == 1


class Listed(ScriptedChatModel):
    """Gives outcomes one after the other; the last again and again."""

    def __init__(self, outcomes: Sequence[ChatOutcome]) -> None:
        super().__init__()
        self._outcomes = outcomes

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        given: list[ChatOutcome] = []
        for one in requests:
            given.append(self._outcomes[min(len(self.requests), len(self._outcomes) - 1)])
            self.requests.append(one)
        return given


def test_a_server_that_failed_time_and_again_is_left_alone_and_tried_by_one_call_later() -> None:
    clock = SteppingClock(START, step=timedelta(seconds=1))
    model = Listed([BUSY, BUSY, BUSY, BUSY, ChatReply(text="back")])
    chat = budgeted(model, clock=clock, breaker=CircuitBreaker(failures=3, pause_seconds=60), overlap=1)
    for _ in range(5):
        chat.complete([request()])
    assert model.calls == 3
    (alone,) = chat.complete([request()])
    assert isinstance(alone, ChatFailure)
    assert (alone.usage.calls, "3 times" in alone.detail) == (0, True)
    for _ in range(60):
        clock.now()
    chat.complete([request(), request()])
    assert model.calls == 4  # the trial failed, and the one beside it was not made
    for _ in range(60):
        clock.now()
    chat.complete([request()])
    assert [type(one) for one in chat.complete([request(), request()])] == [ChatReply, ChatReply]
    assert model.calls == 7


def test_a_refusal_or_a_wrong_request_says_nothing_of_the_server() -> None:
    wrong = ChatFailure(kind=ChatFailureKind.FAILED, was_read=False)
    for failure in (ChatFailure(kind=ChatFailureKind.REFUSED), wrong):
        model = Listed([failure])
        chat = budgeted(model, breaker=CircuitBreaker(failures=2))
        chat.complete([request()] * 8)
        assert model.calls == 8


def test_a_new_day_has_a_budget_of_its_own() -> None:
    clock = SteppingClock(START, step=timedelta(hours=5))
    model = ScriptedChatModel(["yes"])
    chat = budgeted(model, clock=clock, day=ChatBudget(calls=1))
    kinds = [type(chat.complete([request()])[0]).__name__ for _ in range(6)]
    assert kinds[:2] == ["ChatReply", "ChatFailure"]
    assert kinds.count("ChatReply") == model.calls >= 2


def test_what_was_asked_before_comes_from_the_cache_and_costs_nothing() -> None:
    model, log = ScriptedChatModel(["one", "two", "three", "four"]), InMemorySpendLog()
    chat = budgeted(model, log=log, cache=InMemoryChatCache())
    asked = [request("a"), request("b")]
    first = [one.text for one in chat.complete(asked) if isinstance(one, ChatReply)]
    again = chat.complete([*asked, request("c")])
    assert [one.text for one in again if isinstance(one, ChatReply)] == [*first, "three"]
    assert [one.usage.calls for one in again] == [0, 0, 1]
    assert model.calls == log.spent(START.date()).calls == 3
    chat.complete([request("a", version=2)])
    assert model.calls == 4  # another version of the words is another question
    chat.forget_replies()
    chat.complete([request("a")])
    assert model.calls == 5


def test_chance_unversioned_words_and_what_is_no_json_are_not_kept() -> None:
    model = ScriptedChatModel(["no json"])
    chat = budgeted(model, cache=InMemoryChatCache())
    message = ChatMessage(role=ChatRole.USER, text="a")
    for kept in (
        request(version=0),
        ChatRequest(purpose="t", messages=(message,), prompt_version=1, temperature=0.7),
        ChatRequest(purpose="t", messages=(message,), prompt_version=1, reply_schema={"type": "object"}),
    ):
        before = model.calls
        chat.complete([kept])
        chat.complete([kept])
        assert model.calls == before + 2


def test_a_cache_forgets_what_was_not_asked_for_longest() -> None:
    cache = InMemoryChatCache(2)
    cache.put("a", "1")
    cache.put("b", "2")
    assert cache.get("a") == "1"
    cache.put("c", "3")
    assert [cache.get(key) for key in "abc"] == ["1", None, "3"]


def test_a_stop_by_the_user_passes_through_and_what_was_taken_stays_spent() -> None:
    class Stopped(ScriptedChatModel):
        def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
            raise KeyboardInterrupt(len(requests))

    log = InMemorySpendLog()
    with pytest.raises(KeyboardInterrupt):
        budgeted(Stopped(), log=log).complete([request()])
    assert log.spent(START.date()).calls == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: ChatPrices(prompt_per_million=-1),
        lambda: ChatPrices(reply_per_million=float("nan")),
        lambda: RetryRule(tries=0),
        lambda: RetryRule(longest_wait_seconds=-1),
        lambda: CircuitBreaker(failures=0),
        lambda: CircuitBreaker(pause_seconds=-1),
        lambda: InMemoryChatCache(0),
        lambda: DayTerms(overlap=0),
        lambda: ChatBudget(calls=None, tokens=-1),
        lambda: ChatBudget(cost_micros=-1),
        lambda: request(version=-1),
    ],
)
def test_values_that_make_no_sense_are_refused(make: object) -> None:
    assert callable(make)
    with pytest.raises(InvalidValue):
        make()
