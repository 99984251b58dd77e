"""Answers with their citations: the reply to a question, and the sources it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from evolore.domain.chat import ChatUsage
from evolore.domain.checks import check_count, check_text
from evolore.domain.citation import context_words
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.domain.query import HitWarning, Recall
from evolore.domain.result import Result
from evolore.errors import InvalidValue


class AnswerKind(StrEnum):
    """How an answer was made.

    ``EXTRACTED``: sentences of the sources, word for word. ``WRITTEN``: by a chat model, resting on the sources it cites.
    ``NOT_IN_SOURCES``: what was found does not say it. ``RECORDED``: elsewhere, and handed in with what it rests on.
    """

    EXTRACTED = "extracted"
    WRITTEN = "written"
    NOT_IN_SOURCES = "not_in_sources"
    RECORDED = "recorded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A passage that an answer rests on."""

    number: int  #: What the answer calls it, from 1, in brackets: ``[1]``.
    episode_id: str  #: The episode it is in.
    span: Span  #: Where in the episode's text.
    quote: str  #: The text there.
    document_id: str | None = None  #: The document it is of; None for a statement.
    version: int | None = None  #: The version of the document that was read; None for a statement.
    source: str = ""  #: Where the document came from, or who made the statement; empty if unknown.
    namespace: str | None = None  #: The further namespace it was read from; None for one's own.
    warnings: tuple[HitWarning, ...] = ()  #: What to be wary of there; none for an answer that is read back.

    def __post_init__(self) -> None:
        check_count(self.number, "number")
        if (self.document_id is None) != (self.version is None):
            raise InvalidValue("A citation names a document and its version, or neither: name both.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Result):
    """The reply to a question."""

    id: str  #: Time-ordered; what a rating names.
    question: str  #: What was asked.
    text: str  #: The answer, in the question's language, with the numbers of its citations in brackets.
    kind: AnswerKind  #: How it was made.
    language: Language  #: The language it is in.
    #: What it rests on, in the order of their numbers; none where it is not in the sources.
    citations: tuple[Citation, ...] = ()
    query_id: str | None = None  #: The question as it was recorded; None if it was not.
    recall: Recall | None = None  #: What was found; None for an answer that is read back.
    principal: str | None = None  #: On whose behalf it was asked.
    model: str = ""  #: The chat model that wrote it; empty for none.
    prompt_version: int = 0  #: With which words it was asked; 0 for none.
    usage: ChatUsage = field(default_factory=ChatUsage)  #: What it cost.
    reason: str = ""  #: Why no chat model wrote it though there is one; empty for none.
    #: Changes on trial that it was answered under, each with whether it saw the new text.
    canaries: tuple[tuple[str, bool], ...] = ()
    #: How likely it was that the sources hold an answer, 0–1, where no chat model judged that; None for an answer that
    #: is read back.
    likelihood: float | None = None
    #: The numbers of two citations each that contradict each other, as the answer says; none for an answer that is read
    #: back.
    conflicts: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        check_text(self.question, "The question")
        numbers = [one.number for one in self.citations]
        if len(set(numbers)) != len(numbers):
            raise InvalidValue(f"Citations are numbered {numbers}: number each differently.")

    @property
    def document_ids(self) -> tuple[str, ...]:
        """The documents it rests on, each once, in the order of its citations."""
        return tuple(dict.fromkeys(one.document_id for one in self.citations if one.document_id is not None))

    def warnings_of(self, cited: Citation) -> tuple[str, ...]:
        """Return what to be wary of where a citation is from, in words of the answer's language."""
        words = context_words(self.language)
        return tuple(words["warning"].format(what=words[f"{one.value}_warning"]) for one in cited.warnings)
