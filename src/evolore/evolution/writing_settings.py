"""How much a chat model that writes candidates may see, write and touch."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evolore.domain.checks import check_count
from evolore.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingSettings:
    """What is asked of a writer, and what of its reply is let pass.

    Args:
        most_sections_share: A mutation touches at most this share of a document's sections, above 0 and at most 1.
        least_sections: So many sections it may touch in any case, at least 1.
        longest_document: Characters of one document that a mutation is shown, at least 1; of a longer one it is shown
            the sections that have most to do with the complaints.
        longest_joined: Characters of all documents of a crossover together, which are shown whole or not at all.
        longest_edit: Characters that one edit may write, at least 1.
        most_reply_tokens: The longest reply, in the model's tokens, at least 1.

    Raises:
        InvalidValue: A value outside its range.
    """

    most_sections_share: float = 0.5
    least_sections: int = 2
    longest_document: int = 24_000
    longest_joined: int = 40_000
    longest_edit: int = 8_000
    most_reply_tokens: int = 8_000

    def __post_init__(self) -> None:
        if not 0 < self.most_sections_share <= 1:
            raise InvalidValue(
                f"most_sections_share is {self.most_sections_share}: give a number above 0 and at most 1."
            )
        for name in ("least_sections", "longest_document", "longest_joined", "longest_edit", "most_reply_tokens"):
            check_count(getattr(self, name), name)

    def most_sections(self, sections: int) -> int:
        """Say how many of a document's sections a mutation may touch.

        >>> [WritingSettings().most_sections(count) for count in (1, 3, 9)]
        [2, 2, 5]
        """
        return max(self.least_sections, math.ceil(sections * self.most_sections_share))
