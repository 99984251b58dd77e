"""A standing page: a question that is kept answered."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from evolore.domain.answer import AnswerKind
from evolore.domain.result import Result


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingPage(Result):
    """A question, and the page that answers it from what is remembered now."""

    id: str  #: What ``show``, ``rebuild`` and ``remove`` take.
    question: str  #: What is asked.
    text: str  #: The page as Markdown: an answer, what holds of whom the question names, and what is quoted, numbered.
    kind: AnswerKind  #: How its answer was made: quoted, written by a chat model, or not in the sources.
    rests_on: tuple[str, ...]  #: The statements and passages on it.
    rebuilt_at: datetime  #: When it was rebuilt last.
    is_stale: bool  #: Whether what it rested on then has changed, or something new bears on the question.
    stale_since: datetime | None = None  #: Since when; None where it is not stale, or nothing says when.
    reason: str = ""  #: Why no chat model wrote it at the last rebuild, though there is one; empty for none.
