"""Settings of integration: when what is new becomes one with what is known."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from evolore.domain.checks import check_count, check_share
from evolore.errors import InvalidValue


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationSettings:
    """When statements merge and when they are linked.

    Args:
        enabled: Whether what is remembered is integrated at all; else it only stands beside the rest.
        merge_similarity: From this ``s_dup`` on a statement merges into the one it repeats; 0.85 is half of the way that
            a copy lies which lost 15 % of its words.
        strong_connection: So much lower it may be where one holds all words of the other, and so much again where the two
            are strongly connected already.
        least_link: Above this probability of the same matter they are linked.
        most_added: How large a share of the words may stand in one of the texts alone.
        neighbours: How many of the nearest may be linked, at least 1.
        compared: With how many of them wordings are compared, at least 1.
        most_links: How many links of likeness lead from one episode to others, at least 1.
        most_links_in: How many lie at one episode before no other is linked to it, at least 1.
        conflicts_at_once: With how many others one episode is found in conflict at once, at least 1.
        flag_updates: Whether to file for review too what is only likely to say an older thing otherwise. In collections
            of facts that finds most changes; in conversations it files several false ones for every true one.
        flag_score: Above this score a newer statement is taken for one that says an older thing otherwise; higher flags
            less, and is right more often.
    """

    enabled: bool = True
    merge_similarity: float = 0.85
    strong_connection: float = 0.1
    least_link: float = 0.5
    most_added: float = 0.2
    neighbours: int = 16
    compared: int = 6
    most_links: int = 6
    most_links_in: int = 24
    conflicts_at_once: int = 2
    flag_updates: bool = False
    flag_score: float = -0.2

    def __post_init__(self) -> None:
        for name in ("merge_similarity", "strong_connection", "least_link", "most_added"):
            check_share(getattr(self, name), name)
        for name in ("neighbours", "compared", "most_links", "most_links_in", "conflicts_at_once"):
            check_count(getattr(self, name), name)
        if not isfinite(self.flag_score):
            raise InvalidValue(f"flag_score is {self.flag_score}: give a number, such as 0.5.")
