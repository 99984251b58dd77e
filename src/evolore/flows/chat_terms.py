"""On which terms chat models are asked: tries, prices, and what one job may spend."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.chat_costs import ChatPrices
from evolore.domain.chat_retries import RetrySettings
from evolore.domain.chats import UNLIMITED, ChatBudget

if TYPE_CHECKING:
    from evolore.ports import Pacer


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTerms:
    """On which terms one memory asks its chat model.

    Args:
        prices: What tokens cost.
        job: What one job may spend, beside what the job itself allows: cutting one document, checking, confirming.
        retries: When a failed call is made again.
        pacer: What waits before it is; None for never again.
    """

    prices: ChatPrices = field(default_factory=ChatPrices)
    job: ChatBudget = UNLIMITED
    retries: RetrySettings = field(default_factory=RetrySettings)
    pacer: Pacer | None = None


AT_ONCE = ChatTerms()
"""No prices, no limits, and what fails is not tried again."""
