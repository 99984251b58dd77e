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

    Raises:
        InvalidValue: There is no message, or a number is out of range.
    """

    purpose: str
    messages: tuple[ChatMessage, ...]
    reply_schema: Mapping[str, object] | None = None
    most_tokens: int = 2048
    temperature: float = 0.0
    seed: int | None = None

    def __post_init__(self) -> None:
        if not self.messages:
            raise InvalidValue("messages is empty: a request needs at least one message.")
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
    """

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0

    def __add__(self, other: ChatUsage) -> ChatUsage:
        return ChatUsage(
            calls=self.calls + other.calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            reply_tokens=self.reply_tokens + other.reply_tokens,
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
    """

    kind: ChatFailureKind
    detail: str = ""
    usage: ChatUsage = ONE_CALL


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
    """How many calls may be made; never one more.

    Raises:
        InvalidValue: Below 0.
    """

    calls: int = 0

    def __post_init__(self) -> None:
        if self.calls < 0:
            raise InvalidValue(f"The budget is {self.calls} calls: give at least 0.")
