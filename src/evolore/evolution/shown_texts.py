"""What chat models are shown of documents, complaints and evidence, and how long a reply to it may be."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from evolore.evolution.edits import place_of
from evolore.evolution.gates.claims import content_words
from evolore.text.sections import read_sections
from evolore.text.token_estimate import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.language import Language
    from evolore.domain.proposing import Complaint, DocumentText, EvidenceText
    from evolore.evolution.settings import WritingSettings
    from evolore.text.fences import Data
    from evolore.text.sections import Section


_TOKENS_AROUND = 600


def choose_sections(
    sections: Sequence[Section], about: Iterable[str], *, language: Language, longest: int
) -> tuple[Section, ...]:
    """Choose the sections to be shown, whole ones only: all where they fit, else the likeliest first.

    A section counts for every different content word it shares with what it is to be about, the more the fewer sections
    hold the word: ``log(1 + sections / sections that hold it)``. Of equals the earlier comes first.

    Args:
        sections: Those of the document.
        about: What people asked and said, and what evidence says.
        language: What the document is in.
        longest: Characters of the chosen ones together.

    Returns:
        In the document's order; none where not even one fits.
    """
    if sum(len(one.text) for one in sections) <= longest:
        return tuple(sections)
    scores = section_scores(sections, about, language=language)
    chosen: set[int] = set()
    left = longest
    for place in sorted(range(len(sections)), key=lambda place: (-scores[place], place)):
        if len(sections[place].text) <= left:
            chosen.add(place)
            left -= len(sections[place].text)
    return tuple(one for place, one in enumerate(sections) if place in chosen)


def section_scores(sections: Sequence[Section], about: Iterable[str], *, language: Language) -> list[float]:
    """Say how much each section has to do with some texts: 0 for nothing, in the order of the sections."""
    wanted = {word for text in about for word in content_words(text, language)}
    words = [wanted.intersection(content_words(one.text, language)) for one in sections]
    holders = Counter(word for some in words for word in some)
    return [sum(math.log1p(len(sections) / holders[word]) for word in sorted(some)) for some in words]


def sections_to_show(
    document: DocumentText,
    complaints: Sequence[Complaint],
    evidence: Sequence[EvidenceText],
    settings: WritingSettings,
) -> tuple[Section, ...]:
    """Give the sections of a document that a writer is shown, and may touch; none where not one is short enough."""
    said = (text for one in complaints for text in (one.question, one.comment))
    return choose_sections(
        read_sections(document.text, media_type=document.media_type),
        (*said, *(one.text for one in evidence)),
        language=document.language,
        longest=settings.longest_document,
    )


def shown_sections(sections: Sequence[Section]) -> list[Data]:
    """Give sections as they are shown: their place, their path and what they say."""
    return [{"place": place_of(one), "path": " > ".join(one.path), "text": one.text.rstrip()} for one in sections]


def shown_complaints(complaints: Sequence[Complaint]) -> list[Data]:
    """Give complaints as they are shown; who made them is not."""
    return [{"question": one.question, "comment": one.comment} for one in complaints]


def shown_evidence(evidence: Sequence[EvidenceText]) -> list[Data]:
    """Give evidence as it is shown."""
    return [{"id": one.id, "source": one.source, "text": one.text} for one in evidence]


def reply_tokens(texts: Sequence[str], settings: WritingSettings) -> int:
    """Say how long a reply may be: all of what is shown in JSON twice over, within the settings."""
    whole = sum(map(estimate_tokens, texts))
    return min(settings.most_reply_tokens, 2 * whole + _TOKENS_AROUND)


def one_line(text: str) -> str:
    """Give a text on one line, without signs that are not shown."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
