"""What chunking asks of a chat model, and what it is told: its flow answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from evolore.domain.knowledge import AttemptOutcome

if TYPE_CHECKING:
    from collections.abc import Generator

    from evolore.domain.language import Language

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteRequest:
    """A text is to be written anew with sentences and paragraphs; only their beginnings will be used.

    Args:
        text: The stretch nothing could be found in.
        language: The language it is in.
    """

    text: str
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class LogProbsRequest:
    """How likely each part of a text is under what came before it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A text that a model wrote anew."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogProbs:
    """Each token's first character, ascending, and the natural logarithm of its probability."""

    tokens: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """There is no answer, and why."""

    outcome: AttemptOutcome


ChunkRequest: TypeAlias = "RewriteRequest | LogProbsRequest"
ChunkAnswer: TypeAlias = "Rewritten | LogProbs | Unanswered"
Steps: TypeAlias = "Generator[tuple[ChunkRequest, ...], tuple[ChunkAnswer, ...], T]"
"""Chunking that asks: yields requests, is sent as many answers in their order, and returns what it
made."""


def unanswered(steps: Steps[T]) -> T:
    """Run to the end what asks, where there is nobody to answer."""
    nobody = Unanswered(outcome=AttemptOutcome.NO_MODEL)
    try:
        requests = next(steps)
        while True:
            requests = steps.send(tuple(nobody for _ in requests))
    except StopIteration as ended:
        result: T = ended.value
        return result
