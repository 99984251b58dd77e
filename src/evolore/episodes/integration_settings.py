"""Settings of integration: when what is new becomes one with what is known."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from evolore.domain.checks import check_share
from evolore.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationSettings:
    """When statements merge and when they are linked.

    Args:
        merge_similarity: From this ``s_dup`` on a statement merges into the one it repeats; 0.85 is half of the way that
            a copy lies which lost 15 % of its words.
        strong_connection: So much lower it may be where one holds all words of the other, and so much again where the two
            are strongly connected already.
        least_link: Above this probability of the same matter they are linked.
        most_added: How large a share of the words may stand in one of the texts alone.
        flag_score: Above this score a newer statement is taken for one that says an older thing otherwise; higher flags
            less, and is right more often.
    """

    merge_similarity: float = 0.85
    strong_connection: float = 0.1
    least_link: float = 0.5
    most_added: float = 0.2
    flag_score: float = -0.2

    def __post_init__(self) -> None:
        for name in ("merge_similarity", "strong_connection", "least_link", "most_added"):
            check_share(getattr(self, name), name)
        if not isfinite(self.flag_score):
            raise InvalidValue(f"flag_score is {self.flag_score}: give a number, such as 0.5.")
