"""What questions say about time beside dates: order, events, "when", names that hold numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from evolore.domain.language import Language
from evolore.domain.times import Relation
from evolore.text.word_files import read_words


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """Patterns for one language.

    Args:
        when: What asks for a time.
        first: What asks for the first of several.
        last: And for the last.
        events: Clauses that stand for a date, in the group ``event``, and how what is sought lies to them.
        no_event: What shows that such a clause is none.
        titles: Names that may hold a date and do not mean it.
        talk: What only asks to be told: "what did we talk about", "what happened".
        subject: What names a subject where it stands beside a date and such words.
    """

    when: re.Pattern[str]
    first: re.Pattern[str]
    last: re.Pattern[str]
    events: tuple[tuple[Relation, re.Pattern[str]], ...]
    no_event: re.Pattern[str]
    titles: re.Pattern[str]
    talk: re.Pattern[str]
    subject: re.Pattern[str]


_AS_WRITTEN = ("titles", "subject")
"""What tells capitals from small letters."""


@cache
def question_words(language: Language) -> QuestionWords:
    """Give the patterns of a language; English ones where it has none."""
    words = read_words("evolore.text", "time_questions", language).patterns()
    flags = re.NOFLAG if language in {Language.JA, Language.ZH} else re.IGNORECASE
    patterns = {name: re.compile(text, re.NOFLAG if name in _AS_WRITTEN else flags) for name, text in words.items()}
    events = tuple((relation, patterns.pop(relation)) for relation in (Relation.BEFORE, Relation.AFTER))
    return QuestionWords(events=events, **patterns)
