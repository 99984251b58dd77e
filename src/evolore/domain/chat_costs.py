"""What calls of a chat model cost: an upper estimate before, and the account after."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from evolore.domain.chats import ChatFailure, ChatUsage
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.domain.chats import ChatReply, ChatRequest, PromptLogProbs

_TOKENS_AROUND = 64
"""What a server may put around all messages: beginnings, ends, a sentence about the schema."""
_TOKENS_PER_MESSAGE = 16
_NOTHING = ChatUsage()

Outcome: TypeAlias = "ChatReply | PromptLogProbs | ChatFailure"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPrices:
    """What a model's tokens cost, in one currency, whichever.

    Args:
        prompt_per_million: A million tokens that are read; at least 0.
        reply_per_million: A million tokens that are written; at least 0.

    Raises:
        InvalidValue: A price is below 0 or no number.
    """

    prompt_per_million: float = 0.0
    reply_per_million: float = 0.0

    def __post_init__(self) -> None:
        for name in ("prompt_per_million", "reply_per_million"):
            price: float = getattr(self, name)
            if not (math.isfinite(price) and price >= 0):
                raise InvalidValue(f"{name} is {price}: give a number of at least 0.")

    def priced(self, usage: ChatUsage) -> ChatUsage:
        """Give usage with its cost in millionths, rounded up.

        >>> ChatPrices(prompt_per_million=0.5, reply_per_million=2).priced(
        ...     ChatUsage(calls=1, prompt_tokens=1001, reply_tokens=10)
        ... ).cost_micros
        521
        """
        cost = usage.prompt_tokens * self.prompt_per_million + usage.reply_tokens * self.reply_per_million
        return ChatUsage(
            calls=usage.calls,
            prompt_tokens=usage.prompt_tokens,
            reply_tokens=usage.reply_tokens,
            cost_micros=math.ceil(cost),
        )


def most_used(asked: ChatRequest | str) -> ChatUsage:
    """Give the most that one call can use: no tokeniser in use makes more tokens of a text than it has bytes.

    Args:
        asked: A chat, or a text whose log-probabilities are wanted, of which a server may write one token more.
    """
    if isinstance(asked, str):
        return ChatUsage(calls=1, prompt_tokens=_bytes(asked) + _TOKENS_AROUND, reply_tokens=1)
    said = sum(_bytes(message.text) + _TOKENS_PER_MESSAGE for message in asked.messages)
    schema = 0 if asked.reply_schema is None else _bytes(json.dumps(asked.reply_schema))
    return ChatUsage(calls=1, prompt_tokens=said + schema + _TOKENS_AROUND, reply_tokens=asked.most_tokens)


def charged(reserved: ChatUsage, outcome: Outcome, prices: ChatPrices) -> ChatUsage:
    """Give what a call is charged: what the server said, and the most it can have been where it did not.

    Args:
        reserved: What was set aside for it.
        outcome: What came of it.
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
