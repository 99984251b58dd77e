"""All that is one person's in a memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from evolore.domain.result import Result, to_json


class SubjectRecordKind(StrEnum):
    """What a record of a person is: ``RATING`` is of an answer, ``FEEDBACK`` of a document."""

    STATEMENT = "statement"
    QUESTION = "question"
    ANSWER = "answer"
    RATING = "rating"
    FEEDBACK = "feedback"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRecord:
    """Something that was said, asked, answered or rated.

    Args:
        kind: Which of these.
        id: Of a rating the question's.
        at: When it was said, asked, given.
        recorded_at: When it was taken in.
        text: What was said, asked or answered; of ratings the comment.
        speaker: Of a statement, who said it.
        session: Of a statement, the conversation it belongs to.
        about: Of a statement, the subject and attribute it states.
        state: Of a statement, whether it holds.
        facts: Of a statement, what was read in it: attribute and value.
        of: The question that was answered or rated, or the document that was rated.
        question: Of an answer, what it answers.
        rating: What was said of the answer or document.
    """

    kind: SubjectRecordKind
    id: str
    at: datetime
    recorded_at: datetime
    text: str = ""
    speaker: str | None = None
    session: str | None = None
    about: tuple[str, str] | None = None
    state: str | None = None
    facts: tuple[tuple[str, str], ...] = ()
    of: str | None = None
    question: str | None = None
    rating: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectExport(Result):
    """All that is one person's, by kind and then time.

    Args:
        speaker: Whose, by what they said; None where a principal was named.
        principal: Whose, by whom it was done for; likewise.
        records: What there is.
    """

    speaker: str | None
    principal: str | None
    records: tuple[SubjectRecord, ...] = ()

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
