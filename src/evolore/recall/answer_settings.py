"""How questions are answered."""

from __future__ import annotations

from dataclasses import dataclass

from evolore.domain.checks import check_count, check_share
from evolore.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """What an answer is made from, and how long it may be.

    Args:
        hits: How many hits are read, at least 1.
        passage_characters: What a chat model is shown of them, in characters, at least 1; the best first.
        characters: How long an answer may be, at least 1. What is quoted whole, such as the first sentence, may be longer.
        sentences: How many sentences an answer without a chat model may quote, at least 1, beside what is needed to
            understand them.
        least_likelihood: An answer without a chat model is given where it is at least so likely that the sources hold
            one, 0–1; else it says that they do not.
        chat_calls: How many calls of a chat model one answer may take, at least 0; with 0 none is asked. A second is made
            only where the first failed for the server's sake.
    """

    hits: int = 8
    passage_characters: int = 6000
    characters: int = 600
    sentences: int = 3
    least_likelihood: float = 0.4
    chat_calls: int = 1

    def __post_init__(self) -> None:
        for name in ("hits", "passage_characters", "characters", "sentences"):
            check_count(getattr(self, name), name)
        check_share(self.least_likelihood, "least_likelihood")
        if self.chat_calls < 0:
            raise InvalidValue(f"chat_calls is {self.chat_calls}: give at least 0.")
