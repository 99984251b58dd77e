"""What a plan says: what becomes of each episode, what is to be written, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.review import ReviewCategory, cause_of

if TYPE_CHECKING:
    from evolore.domain.episodes import Edge
    from evolore.domain.review import ReviewItem
    from evolore.ports import Change


class Became(StrEnum):
    """What integration made of an episode."""

    NEW = "new"
    LINKED = "linked"
    DUPLICATE = "duplicate"
    MERGED = "merged"
    CONFLICT = "conflict"
    SPLIT = "split"


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrated:
    """What became of an episode.

    Args:
        became: Whether it stands alone, is linked, went into another, contradicts what is known, or was split; of several,
            what is first to be looked at.
        episode_id: The episode that stands for it now: its own id where it was not merged.
        merged_with: The episode it was merged with; None where it was not.
        reason: Why, in words.
        superseded: The episodes whose place it took by their explicit key.
        conflicts_with: The episodes that it does not fit together with; a person is asked.
        parts: The episodes that what stands for it was split into; none where it was not.
    """

    became: Became
    episode_id: str
    merged_with: str | None = None
    reason: str = ""
    superseded: tuple[str, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


class Deed(StrEnum):
    """What a step of a plan does."""

    MERGED = "merged"
    SPLIT = "split"
    SUPERSEDED = "superseded"
    CONFLICT = "conflict"
    LINKED = "linked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One thing that a plan does.

    Args:
        deed: What.
        episode_ids: To which episodes; of a supersession what was replaced and what replaced it, of a merge what was
            taken in and what stands for it, of a split what is split and its parts.
        reason: Why, in words.
    """

    deed: Deed
    episode_ids: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """Two statements that do not fit together, and what a person is told of them.

    Args:
        older: The earlier one.
        newer: The later one.
        item: What is filed; it names neither, because planned ones have no id yet.
    """

    older: str
    newer: str
    item: ReviewItem


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """A change, and what those after it call what it makes.

    Args:
        change: What is to be written.
        names: Of the episodes it makes, in the order of its drafts.
        places_of: Of each the planned statement whose place in its session it takes, where one is.
    """

    change: Change
    names: tuple[str, ...] = ()
    places_of: tuple[str | None, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """A plan: what is to be written, in this order.

    Args:
        changes: Changes of structure.
        links: Edges that are derived.
        conflicts: What a person is to be asked.
        actions: The same in words.
    """

    changes: tuple[PlannedChange, ...] = ()
    links: tuple[Edge, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    actions: tuple[Action, ...] = ()


def conflict_cause(older_id: str, newer_id: str) -> str:
    """Give the key under which a pair of statements is filed once."""
    return cause_of(ReviewCategory.CONTRADICTION, *sorted((older_id, newer_id)))
