"""What a chat model is asked and answers, as values, and how many calls may be made."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Mapping


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

    Args:
        purpose: What it is for, such as ``chunking.rewrite``: for logs, caches and scripts.
        messages: The chat so far, at least one message.
        reply_schema: The JSON schema the reply must satisfy; None for free text. The caller checks the reply against it
            too: a model may promise more than it keeps.
        most_tokens: The longest reply, in the model's tokens, at least 1.
        temperature: 0 for the likeliest reply; at least 0.
        seed: What makes the reply the same again, where the model knows seeds.
        prompt_version: Which version of the words it is asked with; 0 for words that have none. What is kept of
            replies goes by it.

    Raises:
        InvalidValue: There is no message, or a number is out of range.
    """

    purpose: str
    messages: tuple[ChatMessage, ...]
    reply_schema: Mapping[str, object] | None = None
    most_tokens: int = 2048
    temperature: float = 0.0
    seed: int | None = None
    prompt_version: int = 0

    def __post_init__(self) -> None:
        if not self.messages:
            raise InvalidValue("messages is empty: a request needs at least one message.")
        if self.prompt_version < 0:
            raise InvalidValue(f"prompt_version is {self.prompt_version}: give at least 0.")
        if self.most_tokens < 1:
            raise InvalidValue(f"most_tokens is {self.most_tokens}: give at least 1.")
        if not self.temperature >= 0:
            raise InvalidValue(f"temperature is {self.temperature}: give a number of at least 0.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatUsage:
    """What replies cost.

    Args:
        calls: How many calls were made; 0 for a reply that came from a cache.
        prompt_tokens: Tokens that were read, at least 0.
        reply_tokens: Tokens that were written, at least 0.
        cost_micros: Money, in millionths of the currency that the prices are in, rounded up for each call; 0 without
            prices.
    """

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0
    cost_micros: int = 0

    @property
    def tokens(self) -> int:
        """Tokens that were read and written."""
        return self.prompt_tokens + self.reply_tokens

    def __add__(self, other: ChatUsage) -> ChatUsage:
        return ChatUsage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            reply_tokens=self.reply_tokens + other.reply_tokens,
            cost_micros=self.cost_micros + other.cost_micros,
        )

    def __sub__(self, other: ChatUsage) -> ChatUsage:
        return ChatUsage(
            calls=self.calls - other.calls,
            prompt_tokens=self.prompt_tokens - other.prompt_tokens,
            reply_tokens=self.reply_tokens - other.reply_tokens,
            cost_micros=self.cost_micros - other.cost_micros,
        )


ONE_CALL = ChatUsage(calls=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a model answered, not checked yet.

    Args:
        text: Its words; JSON where a schema was given, if the model kept to it.
        usage: What it cost.
    """

    text: str
    usage: ChatUsage = ONE_CALL


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
    """Why one request has no reply; those beside it may have one.

    Args:
        kind: Which kind of failure.
        detail: What the model or its server said; never of the request's text.
        usage: What it cost all the same.
        retry_after_seconds: How long to wait before the same may succeed, at least 0; None where trying again is of no
            use.
        was_read: Whether the model may have worked on it; False where it is plain that nothing but the call was spent,
            as when the server was too busy to take it.
    """

    kind: ChatFailureKind
    detail: str = ""
    usage: ChatUsage = ONE_CALL
    retry_after_seconds: float | None = None
    was_read: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLogProbs:
    """How likely a model finds a text, token by token.

    Args:
        tokens: Each token's first character in the text and the natural logarithm of its probability under what came
            before it, in text order; the first token may be left out.
        usage: What it cost.
    """

    tokens: tuple[tuple[int, float], ...]
    usage: ChatUsage = ONE_CALL


ChatOutcome: TypeAlias = "ChatReply | ChatFailure"
LogProbsOutcome: TypeAlias = "PromptLogProbs | ChatFailure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatModelInfo:
    """Which model answers, and what it can do.

    Args:
        id: Name and version.
        gives_prompt_log_probs: Whether it tells how likely it finds a text it is given.
    """

    id: str
    gives_prompt_log_probs: bool = False

    def __post_init__(self) -> None:
        if not self.id:
            raise InvalidValue("A chat model's id is empty: name the model and its version.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatBudget:
    """How much may be spent; never more, not by one call.

    Args:
        calls: How many calls may be made, at least 0; None for any number.
        tokens: How many tokens may be read and written, at least 0; None for any number.
        cost_micros: How much money may be spent, in millionths of the currency that the prices are in, at least 0;
            None for any amount.

    Raises:
        InvalidValue: Below 0.
    """

    calls: int | None = 0
    tokens: int | None = None
    cost_micros: int | None = None

    def __post_init__(self) -> None:
        for name, limit in (("calls", self.calls), ("tokens", self.tokens), ("cost_micros", self.cost_micros)):
            if limit is not None and limit < 0:
                raise InvalidValue(f"The budget is {limit} {name}: give at least 0.")

    @property
    def is_limited(self) -> bool:
        """Whether it limits anything."""
        return not (self.calls is None and self.tokens is None and self.cost_micros is None)

    def allows(self, spent: ChatUsage) -> bool:
        """Tell whether so much may be spent in all.

        >>> ChatBudget(calls=3, tokens=100).allows(ChatUsage(calls=3, prompt_tokens=60, reply_tokens=41))
        False
        """
        limits = ((self.calls, spent.calls), (self.tokens, spent.tokens), (self.cost_micros, spent.cost_micros))
        return all(limit is None or amount <= limit for limit, amount in limits)

    def within(self, other: ChatBudget) -> ChatBudget:
        """Give what both allow.

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
