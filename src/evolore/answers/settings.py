"""Settings of answers: what they are made from, and how long they may be."""

from __future__ import annotations

from dataclasses import dataclass

from evolore.domain.checks import check_count, check_least, check_share

HITS = 8
"""The number of hits that an answer reads by default."""

PASSAGE_CHARACTERS = 6000
"""What a chat model is shown of them, in characters; the best first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSettings:
    """The length of an answer and the effort spent on it."""

    #: How long an answer may be, at least 1. What is quoted whole, such as the first sentence, may be longer.
    characters: int = 600
    #: An answer without a chat model is given where it is at least so likely that the sources hold one, 0–1; else it
    #: says that they do not.
    least_likelihood: float = 0.5
    #: How many calls of a chat model one answer may take, at least 0; with 0 none is asked. A second is made only where
    #: the first failed for the server's sake.
    chat_calls: int = 1

    def __post_init__(self) -> None:
        check_count(self.characters, "characters")
        check_share(least_likelihood=self.least_likelihood)
        check_least(0, chat_calls=self.chat_calls)
