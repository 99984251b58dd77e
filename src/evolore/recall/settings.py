"""Settings of recall: what time counts, what questions of each intent are after, and how much a reranker judges."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from evolore.domain.checks import check_count, check_least, check_share, checked_word
from evolore.domain.model_server import ModelServer
from evolore.domain.query import Intent
from evolore.errors import InvalidValue
from evolore.recall.cost import DECAY_RATE


class Decay(StrEnum):
    """What time does to the ranking."""

    SEED = "seed"
    RIVAL = "rival"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecaySettings:
    """How far a newer account of the same matter pushes an older one down."""

    #: ``rival``: time counts between items about the same matter; ``seed``: the cost of seed 001 orders the first
    #: candidates; ``none``: time does not count.
    decay: Decay = Decay.RIVAL
    #: A day's share of the decay, at least 0: how fast things grow old, with ``seed`` beside now, with ``rival`` beside
    #: a newer account.
    rate: float = DECAY_RATE

    def __post_init__(self) -> None:
        object.__setattr__(self, "decay", checked_word(Decay, self.decay, "decay"))
        check_least(0, rate=self.rate)


class Superseded(StrEnum):
    """Where superseded hits go."""

    LAST = "last"
    OUT = "out"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallSettings:
    """What recall returns."""

    #: Where what is superseded goes in the words for a prompt: ``last``, behind what holds, or ``out``: it
    #: is no hit, at no level. Asked from an earlier moment, what held then holds.
    superseded: Superseded = Superseded.LAST

    def __post_init__(self) -> None:
        object.__setattr__(self, "superseded", checked_word(Superseded, self.superseded, "superseded"))


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentSettings:
    """The weights α (similarity), β (arousal) and γ (time) of a question of each intent, at least 0 each.

    The defaults are the table of seed 001, section 2. Between rivals β and γ count, with ``decay = "seed"`` all three.
    """

    emotional: tuple[float, float, float] = (0.3, 0.6, 0.1)  #: α, β, γ of a question after a feeling.
    factual: tuple[float, float, float] = (0.5, 0.2, 0.3)  #: α, β, γ of a question after a datum.
    #: α, β, γ of a question after how something works or is done.
    technical: tuple[float, float, float] = (0.3, 0.1, 0.6)
    #: α, β, γ of a question after a date, a duration or an order.
    temporal: tuple[float, float, float] = (0.2, 0.2, 0.6)
    #: α, β, γ of a question after how people or things hang together.
    relational: tuple[float, float, float] = (0.4, 0.4, 0.2)
    #: How often the chat model may be asked what a question is after while a memory is open, one call for each question
    #: that is not known yet; at least 0. With 0, or without a chat model, it is not asked.
    chat_calls: int = 0

    def __post_init__(self) -> None:
        check_least(0, chat_calls=self.chat_calls)
        for intent in Intent:
            weights = self.weights(intent)
            if not all(math.isfinite(weight) and weight >= 0.0 for weight in weights) or not any(weights):
                raise InvalidValue(
                    f"{intent.value} is {weights}: use three finite numbers of at least 0, not all 0, for similarity, "
                    "arousal and time."
                )

    def weights(self, intent: Intent) -> tuple[float, float, float]:
        """Return α, β and γ of an intent.

        >>> from evolore.domain.query import Intent
        >>> IntentSettings().weights(Intent.TEMPORAL)
        (0.2, 0.2, 0.6)
        """
        return getattr(self, intent.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankSettings(ModelServer):
    """How the first hits are judged again, where there is a reranker: one that is given, one behind an address, or a chat model.

    Raises:
        InvalidValue: A value outside its range.
    """

    model: str = ""  #: The name of a reranker as its server knows it; empty for none.
    #: The address with its path of a server that answers `/rerank` behind it as Jina's and Cohere's do, such as
    #: `http://127.0.0.1:8080/v1`; needed with a `model`.
    base_url: str = ""
    #: The name of the environment variable that holds the key; never the key itself. Empty for no key.
    api_key_env: str = ""
    #: How long to wait for a connection, for the reply to begin, and for all of it to arrive, each; above 0. What is
    #: over it leaves the order as it was.
    timeout_seconds: float = 10.0
    items: int = 20  #: How many of the first items are judged, at least 1.
    #: How much the reranker's judgement counts against the score until then, 0–1; with 1 the order among those items is
    #: the reranker's, with 0 nothing changes.
    blend: float = 0.5
    #: How often the chat model may be asked to judge while a memory is open, one call for a recall; at least 0. With 0,
    #: or without a chat model, it is not asked.
    chat_calls: int = 0

    def __post_init__(self) -> None:
        ModelServer.__post_init__(self)
        if self.model and not self.base_url:
            raise InvalidValue(
                f"model is {self.model!r} and base_url is empty: set the address of the reranker's server."
            )
        check_count(self.items, "items")
        check_share(blend=self.blend)
        check_least(0, chat_calls=self.chat_calls)
