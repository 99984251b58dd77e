"""What candidates are made of: documents, what people complain of, and the texts that may be cited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.checks import check_text
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.domain.knowledge import MediaType
    from evolore.domain.language import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """A document with its text, at one version.

    Args:
        document_id: Which.
        version: The version.
        source: Where it came from.
        title: What it is called.
        text: All of it.
        media_type: How it is marked up.
        language: The language most of it is in.
    """

    document_id: str
    version: int
    source: str
    title: str
    text: str
    media_type: MediaType
    language: Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """What a person who rated an answer BAD asked and said. It is data and never evidence.

    Args:
        feedback_id: Which feedback.
        question: What was asked; empty for a rating of the document itself.
        comment: What was said; empty for nothing.
    """

    feedback_id: str
    question: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceText:
    """A passage from elsewhere in the memory that a candidate may cite.

    Args:
        id: The episode it is, which an edit's evidence names.
        text: What it says.
        source: Where it stands.
    """

    id: str
    text: str
    source: str = ""

    def __post_init__(self) -> None:
        check_text(self.text, "The evidence")
        if not self.id:
            raise InvalidValue("A piece of evidence has no id: give that of its episode.")
