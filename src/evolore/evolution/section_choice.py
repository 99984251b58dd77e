"""Which sections of a long document a writer is shown: those that have most to do with what people complained of."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from evolore.evolution.gates.claims import content_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.language import Language
    from evolore.text.sections import Section


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
