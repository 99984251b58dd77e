"""Chat models: what they are asked and answer, how they are reached, when a call is made again, and what it costs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TypeAlias

from evolore.domain.checks import check_count, check_least, checked_word
from evolore.domain.model_server import ModelServer
from evolore.errors import InvalidValue


class ChatRole(StrEnum):
    """Who says a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """One message of a chat."""

    role: ChatRole
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """What one call is asked.

    Raises:
        InvalidValue: There is no message, or a number is out of range.
    """

    purpose: str  #: What it is for, such as ``chunking.rewrite``: for logs, caches and scripts.
    messages: tuple[ChatMessage, ...]  #: The chat so far, at least one message.
    #: The JSON schema the reply must satisfy; None for free text. The caller checks the reply against it too: a model
    #: may promise more than it keeps.
    reply_schema: Mapping[str, object] | None = None
    most_tokens: int = 2048  #: The longest reply, in the model's tokens, at least 1.
    temperature: float = 0.0  #: 0 for the likeliest reply; at least 0.
    seed: int | None = None  #: What makes the reply the same again, where the model knows seeds.
    #: Which version of the words it is asked with; 0 for words that have none. What is kept of replies goes by it.
    prompt_version: int = 0

    def __post_init__(self) -> None:
        if not self.messages:
            raise InvalidValue("messages is empty: a request needs at least one message.")
        check_least(0, prompt_version=self.prompt_version, temperature=self.temperature)
        check_least(1, most_tokens=self.most_tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatUsage:
    """What replies cost."""

    calls: int = 0  #: How many calls were made; 0 for a reply that came from a cache.
    prompt_tokens: int = 0  #: Tokens that were read, at least 0.
    reply_tokens: int = 0  #: Tokens that were written, at least 0.
    #: Money, in millionths of the currency that the prices are in, rounded up for each call; 0 without prices.
    cost_micros: int = 0

    @property
    def tokens(self) -> int:
        """Tokens that were read and written."""
        return self.prompt_tokens + self.reply_tokens

    def __add__(self, other: ChatUsage) -> ChatUsage:
        return ChatUsage(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(self)})

    def __sub__(self, other: ChatUsage) -> ChatUsage:
        return ChatUsage(**{one.name: getattr(self, one.name) - getattr(other, one.name) for one in fields(self)})


ONE_CALL = ChatUsage(calls=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a model answered, not checked yet."""

    text: str  #: Its words; JSON where a schema was given, if the model kept to it.
    usage: ChatUsage = ONE_CALL  #: What it cost.


class ChatFailureKind(StrEnum):
    """Why there is no reply that can be used."""

    NO_MODEL = "no_model"
    NOT_OFFERED = "not_offered"
    OUT_OF_BUDGET = "out_of_budget"
    REFUSED = "refused"
    TIMED_OUT = "timed_out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFailure:
    """Why one request has no reply; those beside it may have one."""

    kind: ChatFailureKind  #: Which kind of failure.
    detail: str = ""  #: What the model or its server said; never of the request's text.
    usage: ChatUsage = ONE_CALL  #: What it cost all the same.
    #: How long to wait before the same may succeed, at least 0; None where trying again is of no use.
    retry_after_seconds: float | None = None
    #: Whether the model may have worked on it; False where it is plain that nothing but the call was spent, as when the
    #: server was too busy to take it.
    was_read: bool = True
    status: int | None = None  #: The HTTP status that a server refused with.


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLogProbs:
    """How likely a model finds a text, token by token."""

    #: Each token's first character in the text and the natural logarithm of its probability under what came before it,
    #: in text order; the first token may be left out.
    tokens: tuple[tuple[int, float], ...]
    usage: ChatUsage = ONE_CALL  #: What it cost.


ChatOutcome: TypeAlias = "ChatReply | ChatFailure"
LogProbsOutcome: TypeAlias = "PromptLogProbs | ChatFailure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModelInfo:
    """Which model answers, and what it can do."""

    id: str  #: Name and version.
    gives_prompt_log_probs: bool = False  #: Whether it reports how likely it finds a text it is given.

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidValue("A chat model's id is empty: name the model and its version.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatBudget:
    """How much may be spent; never more, not by one call.

    Raises:
        InvalidValue: Below 0.
    """

    calls: int | None = 0  #: How many calls may be made, at least 0; None for any number.
    tokens: int | None = None  #: How many tokens may be read and written, at least 0; None for any number.
    #: How much money may be spent, in millionths of the currency that the prices are in, at least 0; None for any
    #: amount.
    cost_micros: int | None = None

    def __post_init__(self) -> None:
        for name, limit in (("calls", self.calls), ("tokens", self.tokens), ("cost_micros", self.cost_micros)):
            if limit is not None and limit < 0:
                raise InvalidValue(f"The budget is {limit} {name}: use at least 0.")

    @property
    def is_limited(self) -> bool:
        """Whether it limits anything."""
        return not (self.calls is None and self.tokens is None and self.cost_micros is None)

    def allows(self, spent: ChatUsage) -> bool:
        """Return whether so much may be spent in all.

        >>> ChatBudget(calls=3, tokens=100).allows(ChatUsage(calls=3, prompt_tokens=60, reply_tokens=41))
        False
        """
        limits = ((self.calls, spent.calls), (self.tokens, spent.tokens), (self.cost_micros, spent.cost_micros))
        return all(limit is None or amount <= limit for limit, amount in limits)

    def within(self, other: ChatBudget) -> ChatBudget:
        """Return what both allow.

        >>> ChatBudget(calls=3).within(ChatBudget(calls=None, tokens=100))
        ChatBudget(calls=3, tokens=100, cost_micros=None)
        """
        return ChatBudget(
            calls=_lesser(self.calls, other.calls),
            tokens=_lesser(self.tokens, other.tokens),
            cost_micros=_lesser(self.cost_micros, other.cost_micros),
        )


UNLIMITED = ChatBudget(calls=None)


def _lesser(one: int | None, other: int | None) -> int | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


_TOKENS_AROUND = 64
"""What a server may put around all messages: beginnings, ends, a sentence about the schema."""
_TOKENS_PER_MESSAGE = 16
_NOTHING = ChatUsage()

Outcome: TypeAlias = "ChatReply | PromptLogProbs | ChatFailure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPrices:
    """What a model's tokens cost, all in one currency of your choice.

    Raises:
        InvalidValue: A price is below 0 or no number.
    """

    prompt_per_million: float = 0.0  #: A million tokens that are read; at least 0.
    reply_per_million: float = 0.0  #: A million tokens that are written; at least 0.

    def __post_init__(self) -> None:
        check_least(0, prompt_per_million=self.prompt_per_million, reply_per_million=self.reply_per_million)

    def priced(self, usage: ChatUsage) -> ChatUsage:
        """Return usage with its cost in millionths, rounded up.

        >>> ChatPrices(prompt_per_million=0.5, reply_per_million=2).priced(
        ...     ChatUsage(calls=1, prompt_tokens=1001, reply_tokens=10)
        ... ).cost_micros
        521
        """
        cost = usage.prompt_tokens * self.prompt_per_million + usage.reply_tokens * self.reply_per_million
        return replace(usage, cost_micros=math.ceil(cost))


def most_used(asked: ChatRequest | str) -> ChatUsage:
    """Return the most that one call can use: no tokeniser in use makes more tokens of a text than it has bytes.

    Args:
        asked: A chat, or a text whose log-probabilities are wanted, of which a server may write one token more.
    """
    if isinstance(asked, str):
        return ChatUsage(calls=1, prompt_tokens=_bytes(asked) + _TOKENS_AROUND, reply_tokens=1)
    said = sum(_bytes(message.text) + _TOKENS_PER_MESSAGE for message in asked.messages)
    schema = 0 if asked.reply_schema is None else _bytes(json.dumps(asked.reply_schema))
    return ChatUsage(calls=1, prompt_tokens=said + schema + _TOKENS_AROUND, reply_tokens=asked.most_tokens)


def charged(reserved: ChatUsage, outcome: Outcome, prices: ChatPrices) -> ChatUsage:
    """Return what a call is charged: what the server said, and the most it can have been where it did not.

    Args:
        reserved: What was set aside for it.
        outcome: Its result.
        prices: What tokens cost.
    """
    used = outcome.usage
    if not used.calls:
        return _NOTHING
    if min(used.prompt_tokens, used.reply_tokens) >= 0 and used.tokens:
        return prices.priced(ChatUsage(calls=1, prompt_tokens=used.prompt_tokens, reply_tokens=used.reply_tokens))
    return reserved if not isinstance(outcome, ChatFailure) or outcome.was_read else ChatUsage(calls=1)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
"""How long the wait before the second try lasts, and the longest: a server that takes longer to come back is left to the next
run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryRule:
    """When a call that failed is made again.

    Raises:
        InvalidValue: A value outside its range.
    """

    tries: int = 3  #: How often a request is sent at most, the first time included; at least 1. Each costs a call.
    #: How long to wait before the second try, at least 0; twice as long before each further one. A part of it, up to a
    #: half, is left off by chance, so that many who wait do not come back at once.
    first_wait_seconds: float = FIRST_WAIT_SECONDS
    #: The longest wait, at least 0. A server that wants a longer one is not asked again.
    longest_wait_seconds: float = LONGEST_WAIT_SECONDS

    def __post_init__(self) -> None:
        check_count(self.tries, "tries")
        check_least(0, first_wait_seconds=self.first_wait_seconds, longest_wait_seconds=self.longest_wait_seconds)

    def is_worth_it(self, failure: ChatFailure, tried: int) -> bool:
        """Return whether to try again after so many tries."""
        after = failure.retry_after_seconds
        return after is not None and after <= self.longest_wait_seconds and tried < self.tries

    def wait_seconds(self, tried: int, asked_for: float, jitter: float) -> float:
        """Return how long to wait after so many tries: never less than the server asked for.

        Args:
            tried: How often it was tried, at least 1.
            asked_for: What the server asked for, in seconds.
            jitter: From 0 up to 1, by chance.

        >>> [RetryRule().wait_seconds(tried, 0, 0.5) for tried in (1, 2, 3)]
        [0.75, 1.5, 3.0]
        >>> RetryRule().wait_seconds(1, 7, 0.5)
        7
        """
        backed_off = self.first_wait_seconds * 2.0 ** min(tried - 1, 60)
        return max(asked_for, min(self.longest_wait_seconds, backed_off) * (0.5 + jitter / 2))


_MICROS = 1_000_000


class StructuredOutput(StrEnum):
    """How a request names the form of the reply."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


class TokenLimitName(StrEnum):
    """Under which name a request limits the length of the reply."""

    AUTO = "auto"
    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings(ModelServer):
    """How a chat model behind an OpenAI-compatible address is reached, and what may be spent on it.

    Raises:
        InvalidValue: A value outside its range or of another form.
    """

    model: str = ""  #: The model's name as its server knows it; empty for no chat model, and everything works without.
    concurrency: int = 4  #: How many calls run at once at most; at least 1.
    #: How a request names the form of the reply: `json_schema`, `json_object` for one that knows no schemas, `none`
    #: for one that knows neither. Replies are checked in any case.
    structured_output: StructuredOutput = StructuredOutput.JSON_SCHEMA
    #: Whether its completions endpoint returns log-probabilities of a text it is given (`echo` with `logprobs`), as
    #: vLLM's does.
    prompt_log_probs: bool = False
    #: What the longest reply is called: `max_tokens`, `max_completion_tokens`, or `auto`, which is the latter with
    #: OpenAI's own address and the former with any other.
    token_limit_name: TokenLimitName = TokenLimitName.AUTO
    sends_temperature: bool = True  #: Whether a temperature is sent; some reasoning models take none.
    #: How often a request that fails because of the server is sent at most, the first time included; at least 1.
    #: Each costs a call of the budget. Questions of `recall` are sent once.
    tries: int = 3
    prompt_price: float = 0.0  #: What a million tokens that are read cost, in any currency; at least 0.
    reply_price: float = 0.0  #: What a million tokens that are written cost, in the same; at least 0.
    day_calls: int | None = None  #: How many calls may be made on a day in UTC; none for any number.
    day_tokens: int | None = None  #: How many tokens may be read and written on a day; none for any number.
    #: How much money may be spent on a day, in the currency of the prices; none for any amount.
    day_cost: float | None = None
    #: As `day_calls`, for one job: cutting one document, one `review check`, one `review confirm`, and all questions of
    #: `recall` of one kind while a memory is open.
    job_calls: int | None = None
    job_tokens: int | None = None  #: As `day_tokens`, for one job.
    job_cost: float | None = None  #: As `day_cost`, for one job.
    #: How many replies are kept in the store, to be given again when the same is asked with the same version of a
    #: prompt; at least 0. Forgetting anything drops them all.
    kept_replies: int = 0

    def __post_init__(self) -> None:
        ModelServer.__post_init__(self)
        check_count(self.concurrency, "concurrency")
        check_least(0, kept_replies=self.kept_replies)
        # Made for their checks.
        _ = self.retries, self.prices, self.day, self.job
        for name, words in (("structured_output", StructuredOutput), ("token_limit_name", TokenLimitName)):
            object.__setattr__(self, name, checked_word(words, getattr(self, name), name))

    @property
    def retries(self) -> RetryRule:
        """When a call that failed is made again."""
        return RetryRule(tries=self.tries, first_wait_seconds=FIRST_WAIT_SECONDS)

    @property
    def prices(self) -> ChatPrices:
        """What tokens cost."""
        return ChatPrices(prompt_per_million=self.prompt_price, reply_per_million=self.reply_price)

    @property
    def day(self) -> ChatBudget:
        """What one day may cost."""
        return ChatBudget(calls=self.day_calls, tokens=self.day_tokens, cost_micros=_micros(self.day_cost, "day_cost"))

    @property
    def job(self) -> ChatBudget:
        """What one job may cost."""
        return ChatBudget(calls=self.job_calls, tokens=self.job_tokens, cost_micros=_micros(self.job_cost, "job_cost"))


def _micros(amount: float | None, name: str) -> int | None:
    """Return an amount in millionths; what is less than one is left off."""
    check_least(0, **{name: amount})
    return None if amount is None else math.floor(round(amount * _MICROS, 3))
