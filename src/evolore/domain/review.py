"""The review queue: what a person should look at, and what became of it (the seed's bubbles)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from evolore.domain.checks import check_count, check_least
from evolore.domain.document import Attempt, Span, Tier
from evolore.domain.language import Language
from evolore.domain.result import Result


class ReviewCategory(StrEnum):
    """What kind of thing a person is asked to look at."""

    CHUNKING = "chunking"
    WHOLENESS = "wholeness"
    NOTE = "note"
    CONTRADICTION = "contradiction"
    DISAGREEMENT = "disagreement"
    PROMOTION = "promotion"
    FREED = "freed"
    GAP = "gap"
    PAGE = "page"
    PROCEDURE = "procedure"


class Priority(StrEnum):
    """How soon a review item wants a person, from the least to the most."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"
    URGENT = "urgent"


class ReviewStatus(StrEnum):
    """Whether a review item still waits."""

    OPEN = "open"
    RESOLVED = "resolved"


class Keep(StrEnum):
    """Which of two statements that do not fit together holds; of a promoted section, whose text."""

    NEWER = "newer"
    OLDER = "older"
    BOTH = "both"
    PROMOTED = "promoted"
    SOURCE = "source"


class ExportFormat(StrEnum):
    """How review items are written."""

    JSONL = "jsonl"
    CSV = "csv"


class Resolution(StrEnum):
    """How a review item was resolved: by a person or a chat model, or because what it is about is there no more."""

    PERSON = "person"
    MODEL = "model"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem(Result):
    """Something the system did that a person should look at, or a note a person made.

    Raises:
        InvalidValue: The length is below 0.
    """

    category: ReviewCategory  #: What kind of thing it is.
    reason: str  #: What happened, in the language of the text it is about; of a note, the note.
    suggestion: str = ""  #: What the person can do about it, in the same language; empty for a note.
    priority: Priority = Priority.NORMAL  #: How soon.
    status: ReviewStatus = ReviewStatus.OPEN  #: Open until resolved.
    source: str = ""  #: The file or text it is about; empty for none.
    text_length: int = 0  #: Characters of the text it is about, at least 0.
    attempts: tuple[Attempt, ...] = ()  #: The tiers that were tried, in order, each with its outcome.
    final_tier: Tier | None = None  #: The tier that ended it.
    span: Span | None = None  #: Where in the document it lies.
    language: Language = Language.UND  #: The language it is written in.
    cause: str = ""  #: What it was filed for: two with one cause are one.
    id: str | None = None  #: Its id, once it is filed.
    document_id: str | None = None  #: The document it is about.
    version: int | None = None  #: The version of it that it was last seen in.
    episode_id: str | None = None  #: The passage or statement it is about; of a contradiction the later one.
    other_episode_id: str | None = None  #: Of a contradiction, the earlier statement; of a disagreement, one side.
    created_at: datetime | None = None  #: When it was filed.
    resolved_at: datetime | None = None  #: When it was resolved.
    resolution: Resolution | None = None  #: How it was resolved.
    note: str | None = None  #: What the person said about it, or a chat model.

    def __post_init__(self) -> None:
        check_least(0, text_length=self.text_length)


def cause_of(category: ReviewCategory, *parts: str) -> str:
    """Return the key under which something is filed once: a hash of what it is about, in hex.

    Args:
        category: What kind of thing is filed.
        *parts: What makes it this one and no other, such as a source and a passage.
    """
    whole = sha256(category.value.encode("ascii"))
    for part in parts:
        encoded = part.encode("utf-8", "surrogatepass")
        whole.update(b"%d:" % len(encoded) + encoded)
    return whole.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFilter:
    """Which review items are meant; all that is named holds.

    Raises:
        InvalidValue: The limit is out of range.
    """

    status: ReviewStatus | None = None  #: Only these; None for all.
    category: ReviewCategory | None = None  #: Only of this kind.
    priority: Priority | None = None  #: Only this priority.
    document_id: str | None = None  #: Only about this document.
    episode_id: str | None = None  #: Only about this passage or statement, on either side.
    filed_before: datetime | None = None  #: Only those filed before this moment.
    #: Only those behind one of this priority, moment of filing and id, in the order of the queue.
    after: tuple[Priority, datetime, str] | None = None
    limit: int | None = None  #: How many at most, 1 to a million; None for all.

    def __post_init__(self) -> None:
        if self.limit is not None:
            check_count(self.limit, "limit")
