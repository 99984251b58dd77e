"""A chat model that is never asked beyond a day's budget, nor while it is down, nor twice for the same."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from hashlib import blake2b
from threading import Lock

from evolore.chat.asking import Asked, Told, outcomes_of, without_call
from evolore.domain import chat
from evolore.domain.checks import check_count
from evolore.domain.secret import SecretsPolicy
from evolore.errors import InvalidValue
from evolore.ports import ChatCache, ChatModel, Clock, SpendLog, StreamingChatModel
from evolore.text.secret_signs import redacted

_NOTHING = chat.ChatUsage()
_OVER = "The budget of the day is spent, or what is left of it may not be enough for this call."


@dataclass(frozen=True, slots=True, kw_only=True)
class DayTerms:
    """What holds for all calls of one day.

    Raises:
        InvalidValue: A value outside its range.
    """

    budget: chat.ChatBudget = chat.UNLIMITED  #: What may be spent on a day in UTC; by default any amount.
    prices: chat.ChatPrices = field(default_factory=chat.ChatPrices)  #: What tokens cost.
    overlap: int = 4  #: How many calls are under way at once at most, at least 1.

    def __post_init__(self) -> None:
        check_count(self.overlap, "overlap")


class BudgetedChat:
    """Wraps a chat model, and is one: each request is at most one call of it.

    The most that a call can cost is taken from the day's budget before it is made, and what it did cost is put in its
    place afterwards; a process that dies in between has spent it. After several server failures in a row, the model
    is not asked for a while. Replies at temperature 0 to prompts that name their version may come from a cache; one
    that should be JSON and is not never does. Threads may share it.

    Args:
        model: The model behind it.
        clock: What says which day it is, and when a pause is over.
        log: What keeps the spend of days.
        terms: The day's budget, and prices.
        breaker: What says whether the model is left alone.
        cache: What keeps replies; None for nothing.
        secrets: Whether replies come as they are, or with a mark instead of each secret.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        clock: Clock,
        log: SpendLog,
        terms: DayTerms | None = None,
        breaker: CircuitBreaker | None = None,
        cache: ChatCache | None = None,
        secrets: SecretsPolicy = SecretsPolicy.KEEP,
    ) -> None:
        self._model = model
        self._secrets = secrets
        self._clock = clock
        self._log = log
        self._terms = terms or DayTerms()
        self._breaker = breaker or CircuitBreaker()
        self._cache = cache

    @property
    def info(self) -> chat.ChatModelInfo:
        """The model behind it."""
        return self._model.info

    def share_spent(self) -> float | None:
        """Return what share of today's budget is spent: of calls, tokens or money, the most; None where nothing limits it."""
        spent, budget = self._log.spent(self._clock.now().date()), self._terms.budget
        limits = ((budget.calls, spent.calls), (budget.tokens, spent.tokens), (budget.cost_micros, spent.cost_micros))
        shares = [amount / limit if limit else 1.0 for limit, amount in limits if limit is not None]
        return max(shares, default=None)

    def complete(self, requests: Sequence[chat.ChatRequest]) -> Sequence[chat.ChatOutcome]:
        """Return each request's reply or failure, in the order of the requests; raises nothing the model raises."""
        kept = [self._kept(request) for request in requests]
        asked = [request for request, reply in zip(requests, kept, strict=True) if reply is None]
        told = self._told(asked, lambda model: model.complete, chat.ChatReply)
        for request, outcome in zip(asked, told, strict=True):
            self._keep(request, outcome)
        rest = iter(told)
        return [next(rest) if reply is None else reply for reply in kept]

    def stream(self, request: chat.ChatRequest, tell: Callable[[str], None]) -> chat.ChatOutcome:
        """Return a request's reply or failure, and pass its pieces on as they come.

        A kept reply is not streamed, nor is one of a model that cannot stream.
        """
        kept = self._kept(request)
        if kept is not None:
            return kept

        def ask(model: ChatModel) -> Callable[[Sequence[chat.ChatRequest]], Sequence[chat.ChatOutcome]]:
            if not isinstance(model, StreamingChatModel):
                return model.complete
            return lambda sent: [model.stream(one, tell) for one in sent]

        (outcome,) = self._told([request], ask, chat.ChatReply)
        self._keep(request, outcome)
        return outcome

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[chat.LogProbsOutcome]:
        """Return how likely each text is, in their order; raises nothing the model raises."""
        return self._told(texts, lambda model: model.prompt_log_probs, chat.PromptLogProbs)

    def forget_replies(self) -> None:
        """Keep no reply any more: something was erased, and a reply may quote it."""
        if self._cache is not None:
            self._cache.clear()

    def _told(
        self,
        asked: Sequence[Asked],
        ask: Callable[[ChatModel], Callable[[Sequence[Asked]], Sequence[Told | chat.ChatFailure]]],
        kind: type[Told],
    ) -> list[Told | chat.ChatFailure]:
        """Ask part by part: what one part did not use of what was taken for it is there for the next."""
        told: list[Told | chat.ChatFailure] = []
        for start in range(0, len(asked), self._terms.overlap):
            told += self._part(asked[start : start + self._terms.overlap], ask, kind)
        return told

    def _part(
        self,
        asked: Sequence[Asked],
        ask: Callable[[ChatModel], Callable[[Sequence[Asked]], Sequence[Told | chat.ChatFailure]]],
        kind: type[Told],
    ) -> list[Told | chat.ChatFailure]:
        now = self._clock.now()
        day = now.date()
        refused = [self._refused(chat.most_used(one), now) for one in asked]
        sent = [one for one, failure in zip(asked, refused, strict=True) if failure is None]
        told = iter(outcomes_of(lambda: ask(self._model)(sent), len(sent), kind) if sent else ())
        return [
            self._settled(chat.most_used(one), next(told), day) if failure is None else failure
            for one, failure in zip(asked, refused, strict=True)
        ]

    def _refused(self, most: chat.ChatUsage, now: datetime) -> chat.ChatFailure | None:
        """Reserve the most that a call can cost; or return why it is not made."""
        reserved = self._terms.prices.priced(most)
        if not self._log.take(now.date(), reserved, self._terms.budget):
            return without_call(chat.ChatFailureKind.OUT_OF_BUDGET, _OVER)
        if self._breaker.lets_through(now):
            return None
        self._log.settle(now.date(), reserved, _NOTHING)
        failures = self._breaker.failures
        return without_call(
            chat.ChatFailureKind.FAILED, f"The model failed {failures} times in a row and is left alone for a while."
        )

    def _settled(self, most: chat.ChatUsage, outcome: Told | chat.ChatFailure, day: date) -> Told | chat.ChatFailure:
        """Replace what was taken for a call by what it did cost, and write it on the outcome."""
        reserved = self._terms.prices.priced(most)
        used = chat.charged(reserved, outcome, self._terms.prices)
        self._log.settle(day, reserved, used)
        if used.calls:
            self._breaker.note(has_failed=_is_the_servers(outcome), now=self._clock.now())
        if isinstance(outcome, chat.ChatReply) and self._secrets is not SecretsPolicy.KEEP:
            outcome = replace(outcome, text=_redacted(outcome.text))
        return replace(outcome, usage=used)

    def _kept(self, request: chat.ChatRequest) -> chat.ChatReply | None:
        if self._cache is None or not _may_be_kept(request):
            return None
        text = self._cache.get(self._key(request))
        return None if text is None else chat.ChatReply(text=text, usage=_NOTHING)

    def _keep(self, request: chat.ChatRequest, outcome: chat.ChatOutcome) -> None:
        if self._cache is None or not isinstance(outcome, chat.ChatReply) or not _may_be_kept(request):
            return
        if request.reply_schema is None or _is_json(outcome.text):
            self._cache.put(self._key(request), outcome.text)

    def _key(self, request: chat.ChatRequest) -> str:
        """Hash the model, the prompt's version and all that was asked."""
        asked = [
            self._model.info.id,
            request.purpose,
            request.prompt_version,
            [(message.role.value, message.text) for message in request.messages],
            request.reply_schema,
            request.most_tokens,
            request.seed,
        ]
        return blake2b(json.dumps(asked, sort_keys=True).encode(), digest_size=32).hexdigest()


def _may_be_kept(request: chat.ChatRequest) -> bool:
    return request.temperature == 0 and request.prompt_version > 0


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _redacted(text: str) -> str:
    """Return a reply with a mark instead of each secret; JSON stays JSON."""
    try:
        return json.dumps(redacted(json.loads(text)), ensure_ascii=False)
    except (ValueError, RecursionError):
        return str(redacted(text))


def _is_the_servers(outcome: chat.ChatReply | chat.PromptLogProbs | chat.ChatFailure) -> bool:
    """Return whether a failure says something of the server, and not of what it was asked."""
    if not isinstance(outcome, chat.ChatFailure):
        return False
    is_broken = outcome.kind is chat.ChatFailureKind.FAILED and outcome.was_read
    return is_broken or outcome.kind is chat.ChatFailureKind.TIMED_OUT or outcome.retry_after_seconds is not None


class CircuitBreaker:
    """Opens after so many failures in a row; then lets one call through each time the pause is over.

    If that one succeeds, all may go again. Threads may share it.

    Args:
        failures: How many in a row, at least 1; five are no accident.
        pause_seconds: How long the model is not asked, at least 0; long enough for a server to start again.

    Raises:
        InvalidValue: A value outside its range.
    """

    def __init__(self, *, failures: int = 5, pause_seconds: float = 30.0) -> None:
        check_count(failures, "failures")
        if not 0 <= pause_seconds <= timedelta.max.total_seconds():
            raise InvalidValue(f"pause_seconds is {pause_seconds}: use a number of at least 0.")
        self._most = failures
        self._pause = timedelta(seconds=pause_seconds)
        self.failures = 0  # since the last call that succeeded
        self._closed_until: datetime | None = None
        self._lock = Lock()

    def lets_through(self, now: datetime) -> bool:
        """Return whether a call may be made now; a yes during a trial is given once a pause."""
        with self._lock:
            if self._closed_until is None:
                return True
            if now < self._closed_until:
                return False
            self._closed_until = now + self._pause
            return True

    def note(self, *, has_failed: bool, now: datetime) -> None:
        """Record the outcome of a call."""
        with self._lock:
            if not has_failed:
                self.failures, self._closed_until = 0, None
                return
            self.failures += 1
            if self.failures >= self._most:
                self._closed_until = now + self._pause


class InMemoryChatCache:
    """Keeps so many replies; the one not asked for longest goes first. Threads may share it.

    Args:
        most: How many, at least 1.

    Raises:
        InvalidValue: Below 1.
    """

    def __init__(self, most: int = 1000) -> None:
        check_count(most, "most")
        self._most = most
        self._replies: OrderedDict[str, str] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> str | None:
        """Return the reply that was kept, or None."""
        with self._lock:
            if key not in self._replies:
                return None
            self._replies.move_to_end(key)
            return self._replies[key]

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        with self._lock:
            self._replies[key] = reply
            self._replies.move_to_end(key)
            while len(self._replies) > self._most:
                self._replies.popitem(last=False)

    def clear(self) -> None:
        """Drop all of them."""
        with self._lock:
            self._replies.clear()
