"""What integration would do with an episode, as changes that are not written yet."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.domain.episodes import Edge, EdgeKind, EpisodeState
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, cause_of
from evolore.episodes.merging import IntegrationKind
from evolore.flows.composing import join
from evolore.flows.conflict_messages import conflict_reason, conflict_suggestion
from evolore.flows.keying import supersessions
from evolore.ports import Change, ChangeKind, FieldChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evolore.flows.context import Context
    from evolore.flows.likeness import Like, Likeness
    from evolore.flows.world import Known, World

_SETTLED = frozenset((EdgeKind.CONTRADICTS, EdgeKind.SUPERSEDES))
_LINKS = frozenset((EdgeKind.SEMANTIC, EdgeKind.ECHO))
_OPEN = (EpisodeState.ACTIVE, EpisodeState.CONFLICT_PENDING)


class Became(StrEnum):
    """What integration made of an episode."""

    NEW = "new"
    LINKED = "linked"
    DUPLICATE = "duplicate"
    MERGED = "merged"


_BECAME = {
    IntegrationKind.NEW: Became.NEW,
    IntegrationKind.LINK: Became.LINKED,
    IntegrationKind.DUPLICATE: Became.DUPLICATE,
    IntegrationKind.MERGE: Became.MERGED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrated:
    """What became of an episode.

    Args:
        became: Whether it stands alone, is linked, or went into another.
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
    """

    change: Change
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """A plan: what is to be written, in this order.

    Args:
        changes: Changes of structure.
        links: Edges that are derived.
        conflicts: What a person is to be asked.
    """

    changes: tuple[PlannedChange, ...] = ()
    links: tuple[Edge, ...] = ()
    conflicts: tuple[Conflict, ...] = ()


class Planner:
    """Plans what becomes of episodes, one after the other, each knowing what became of those before.

    Args:
        context: The ports and settings.
        world: What stands there; the plan is laid over it.
        likeness: Compares episodes.
        at: The moment the plan will be recorded at.
    """

    def __init__(self, context: Context, world: World, likeness: Likeness, *, at: datetime) -> None:
        self._context = context
        self._settings = context.integration_settings
        self._world = world
        self._likeness = likeness
        self._at = at
        self._changes: list[PlannedChange] = []
        self._links: list[Edge] = []
        self._conflicts: list[Conflict] = []

    @property
    def steps(self) -> Steps:
        """What is to be written."""
        return Steps(changes=tuple(self._changes), links=tuple(self._links), conflicts=tuple(self._conflicts))

    def integrate(self, one: Known) -> Integrated:
        """Plan what becomes of an episode that stands in the world."""
        near = self._likeness.near(one)
        decision = self._likeness.decide(one, near)
        head, target = one, decision.target
        if target is not None and decision.kind in {IntegrationKind.DUPLICATE, IntegrationKind.MERGE}:
            head = self._join(one, self._world.some([target])[target])
            near = [like for like in near if like.known.id != target]
        superseded = self._supersede(head)
        conflicts = self._flag(one, near) if head is one else ()
        self._link(head, near)
        return Integrated(
            became=_BECAME[decision.kind],
            episode_id=head.id,
            merged_with=None if head is one else target,
            reason=decision.reason,
            superseded=superseded,
            conflicts_with=conflicts,
        )

    def _join(self, one: Known, other: Known) -> Known:
        """Merge two episodes, the earlier one first."""
        older, newer = sorted((other, one), key=_order)
        joined = join(self._context, self._world, older, newer, at=self._at)
        self._apply(joined.change, joined.made)
        return self._world.some([joined.head])[joined.head]

    def _supersede(self, head: Known) -> tuple[str, ...]:
        """Order what was stated of one explicit key by time."""
        if head.about is None:
            return ()
        found = supersessions(self._world.of_key(head.about))
        if found.change is not None:
            self._apply(found.change)
        for older, newer in found.ties:
            self._ask(older, newer, why="")
        return tuple(id_ for id_ in found.superseded if id_ != head.id)

    def _flag(self, one: Known, near: Sequence[Like]) -> tuple[str, ...]:
        """Find what the episode does not fit together with; a person is asked about each pair once."""
        if not one.is_statement or one.about is not None or one.state not in _OPEN:
            return ()
        told = {
            id_ for edge in self._world.edges([one.id], kinds=_SETTLED) for id_ in (edge.source_id, edge.target_id)
        }
        found: list[str] = []
        for like in near:
            other = like.known
            if other.id in told or other.state not in _OPEN or len(found) >= self._settings.conflicts_at_once:
                continue
            older, newer = sorted((other, one), key=_order)
            why = self._likeness.conflict(older, newer, like)
            if why is not None:
                self._ask(older, newer, why=why)
                found.append(other.id)
        return tuple(found)

    def _ask(self, older: Known, newer: Known, *, why: str) -> None:
        """Let two statements wait for a person, who sees both."""
        waiting = EpisodeState.CONFLICT_PENDING
        self._apply(
            Change(
                kind=ChangeKind.CONFLICT_FOUND,
                subject_id=newer.id,
                fields=tuple(FieldChange(episode_id=one.id, state=waiting) for one in (older, newer)),
                added=(Edge(source_id=newer.id, target_id=older.id, kind=EdgeKind.CONTRADICTS),),
                reason="contradiction",
            )
        )
        item = ReviewItem(
            category=ReviewCategory.CONTRADICTION,
            reason=conflict_reason(older.text, newer.text, why, newer.language),
            suggestion=conflict_suggestion(newer.language),
            priority=Priority.HIGH,
            language=newer.language,
            text_length=len(older.text) + len(newer.text),
        )
        self._conflicts.append(Conflict(older=older.id, newer=newer.id, item=item))

    def _link(self, head: Known, near: Sequence[Like]) -> None:
        edges = self._likeness.links(head, near)
        self._links.extend(edges)
        self._world.join(edges)

    def _apply(self, change: Change, made: Sequence[Known] = ()) -> None:
        self._changes.append(PlannedChange(change=change, names=tuple(one.id for one in made)))
        self._world.apply(change, made)


def conflict_cause(older_id: str, newer_id: str) -> str:
    """Give the key under which a pair of statements is filed once."""
    return cause_of(ReviewCategory.CONTRADICTION, *sorted((older_id, newer_id)))


def _order(one: Known) -> tuple[datetime, str]:
    return one.moment, one.id
