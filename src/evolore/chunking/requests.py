"""Requests of chunking to a chat model, and checks of its replies; the flow of chunking answers them."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from evolore.domain.chat import ChatRequest
from evolore.domain.document import AttemptOutcome
from evolore.domain.language import Language
from evolore.text.fences import Prompt, ReplyForm
from evolore.text.scripts import detect_language

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteRequest:
    """A text is to be rewritten with sentences and paragraphs; only their beginnings will be used."""

    text: str  #: The stretch nothing could be found in.
    language: Language  #: The language it is in.


@dataclass(frozen=True, slots=True, kw_only=True)
class LogProbsRequest:
    """How likely each part of a text is under what came before it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A text that a model rewrote."""

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
    """Run steps that ask to their end, without a model to answer."""
    nobody = Unanswered(outcome=AttemptOutcome.NO_MODEL)
    try:
        requests = next(steps)
        while True:
            requests = steps.send(tuple(nobody for _ in requests))
    except StopIteration as ended:
        result: T = ended.value
        return result


PROMPT_VERSION = 2
"""Raised with every change of the words that are asked, ``restore_sentences_2.md``: a new file."""

_TOKENS_PER_CHARACTER = 2
_LONGEST_GROWTH = 3.0
_SHORTEST_SHARE = 0.2


class RewriteReply(ReplyForm):
    """What a reply to a rewrite request must be."""

    text: str


_PROMPT = Prompt(version=PROMPT_VERSION, purpose="chunking.rewrite", marks="text", form=RewriteReply)


def rewrite_prompt(instructions: str, request: RewriteRequest) -> ChatRequest:
    """Ask for a text with its sentences restored."""
    return _PROMPT.request(
        instructions, {"text": request.text}, most_tokens=_TOKENS_PER_CHARACTER * len(request.text) + 64
    )


def read_rewrite(reply: str, request: RewriteRequest) -> Rewritten | Unanswered:
    """Read a reply; accept one of the right form, of about the right length and in the right language."""
    said = RewriteReply.read(reply)
    if said is None:
        return Unanswered(outcome=AttemptOutcome.UNUSABLE_REPLY)
    text = said.text
    if not _SHORTEST_SHARE * len(request.text) <= len(text) <= _LONGEST_GROWTH * len(request.text):
        is_other = text.strip() and _is_other(text, request)
        return Unanswered(outcome=AttemptOutcome.WRONG_LANGUAGE if is_other else AttemptOutcome.UNUSABLE_REPLY)
    return Unanswered(outcome=AttemptOutcome.WRONG_LANGUAGE) if _is_other(text, request) else Rewritten(text=text)


def _is_other(text: str, request: RewriteRequest) -> bool:
    asked = detect_language(request.text)
    return asked is not Language.UND and detect_language(text) is not asked
