"""All that is one person's in a memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evolore.domain.result import Result, to_json


class StatementState(StrEnum):
    """What became of a statement: ``DOUBTED``, it holds though a later one may take its place; ``REVOKED``, it was retired."""

    HOLDS = "holds"
    DOUBTED = "doubted"
    CONFLICT_PENDING = "conflict_pending"
    SUPERSEDED = "superseded"
    REVOKED = "revoked"
    MERGED = "merged"


class SubjectRecordKind(StrEnum):
    """What a record of a person is: ``RATING`` is of an answer, ``FEEDBACK`` of a document."""

    STATEMENT = "statement"
    QUESTION = "question"
    ANSWER = "answer"
    RATING = "rating"
    FEEDBACK = "feedback"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRecord:
    """Something that was said, asked, answered or rated."""

    kind: SubjectRecordKind  #: Which of these.
    id: str  #: Of a rating the question's.
    at: datetime  #: When it was said, asked, given.
    recorded_at: datetime  #: When it was taken in.
    text: str = ""  #: What was said, asked or answered; of ratings the comment.
    speaker: str | None = None  #: Of a statement, who said it.
    session: str | None = None  #: Of a statement, the conversation it belongs to.
    about: tuple[str, str] | None = None  #: Of a statement, the subject and attribute it states.
    state: str | None = None  #: Of a statement, whether it holds.
    facts: tuple[tuple[str, str], ...] = ()  #: Of a statement, what was read in it: attribute and value.
    of: str | None = None  #: The question that was answered or rated, or the document that was rated.
    question: str | None = None  #: Of an answer, what it answers.
    rating: str | None = None  #: What was said of the answer or document.


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectExport(Result):
    """All that is one person's, by kind and then time."""

    speaker: str | None  #: Whose, by what they said; None where a principal was named.
    principal: str | None  #: Whose, by whom it was done for; None where a speaker was named.
    records: tuple[SubjectRecord, ...] = ()  #: What there is.

    @property
    def counts(self) -> Mapping[str, int]:
        """How many records there are of each kind."""
        return Counter(one.kind.value for one in self.records)

    def lines(self) -> Iterator[str]:
        """Yield the records as JSON, one a line; what a record does not have is left out."""
        for one in self.records:
            told: dict[str, object] = {name: getattr(one, name) for name in SubjectRecord.__slots__}
            yield json.dumps(
                {name: to_json(value) for name, value in told.items() if value not in (None, (), "")},
                ensure_ascii=False,
            )
