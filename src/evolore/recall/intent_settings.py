"""What similarity, arousal and time weigh, by what a question is after."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.domain.answers import Intent


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentSettings:
    """The weights α (similarity), β (arousal) and γ (time) of a question of each intent, at least 0 each.

    The defaults are the table of seed 001, section 2. Between rivals β and γ count, with ``decay = "seed"`` all three.

    Args:
        emotional: α, β, γ of a question after a feeling.
        factual: α, β, γ of a question after a datum.
        technical: α, β, γ of a question after how something works or is done.
        temporal: α, β, γ of a question after a date, a duration or an order.
        relational: α, β, γ of a question after how people or things hang together.
        chat_calls: How often the chat model may be asked what a question is after while a memory is open, one call for
            each question that is not known yet; at least 0. With 0, or without a chat model, it is not asked.
    """

    emotional: tuple[float, float, float] = (0.3, 0.6, 0.1)
    factual: tuple[float, float, float] = (0.5, 0.2, 0.3)
    technical: tuple[float, float, float] = (0.3, 0.1, 0.6)
    temporal: tuple[float, float, float] = (0.2, 0.2, 0.6)
    relational: tuple[float, float, float] = (0.4, 0.4, 0.2)
    chat_calls: int = 0

    def __post_init__(self) -> None:
        if self.chat_calls < 0:
            raise InvalidValue(f"chat_calls is {self.chat_calls}: give at least 0.")
        for field in fields(self):
            if field.name == "chat_calls":
                continue
            weights: tuple[float, float, float] = getattr(self, field.name)
            if not all(math.isfinite(weight) and weight >= 0.0 for weight in weights) or not any(weights):
                raise InvalidValue(
                    f"{field.name} is {weights}: give three finite numbers of at least 0, not all 0, for similarity, "
                    "arousal and time."
                )

    def weights(self, intent: Intent) -> tuple[float, float, float]:
        """Give α, β and γ of an intent.

        >>> from evolore.domain.answers import Intent
        >>> IntentSettings().weights(Intent.TEMPORAL)
        (0.2, 0.2, 0.6)
        """
        return getattr(self, intent.value)
