"""What integration would do with an episode, as changes that are not written yet."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from evolore.domain.episode import Deed, Edge, EdgeKind, EpisodeState
from evolore.domain.fact import FactUpdate
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, cause_of
from evolore.episodes.conflict_messages import conflict_reason, conflict_suggestion
from evolore.episodes.explicit_keys import KeyedStatement, states_of_key
from evolore.episodes.merging import IntegrationKind
from evolore.episodes.restatements import restated
from evolore.episodes.stated_facts import Told, read_as
from evolore.flows.remember.merge import join
from evolore.flows.remember.similarity import COMPARED
from evolore.flows.remember.split import Parter
from evolore.ports import Change, ChangeKind, FieldChange

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evolore.domain.fact import StatedFact
    from evolore.episodes.conflict import Conflict as Conflicting
    from evolore.episodes.explicit_keys import KeyedState
    from evolore.episodes.merging import Integration
    from evolore.flows.context import Context
    from evolore.flows.remember.similarity import Like, Likeness
    from evolore.flows.remember.world import Known, World


_CONFLICTS_AT_ONCE = 2
"""With how many others one episode is found in conflict at once: a person who reads two knows."""


class Became(StrEnum):
    """What integration made of an episode."""

    NEW = "new"
    LINKED = "linked"
    DUPLICATE = "duplicate"
    MERGED = "merged"
    CONFLICT = "conflict"
    SPLIT = "split"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What a statement states otherwise than an older one, whose place it took.

    Args:
        episode_id: The older one.
        subject: What both are about; ``speaker`` for whoever said them.
        attribute: What of it.
        old: What held.
        new: What holds; empty where it only ended.
    """

    episode_id: str
    subject: str
    attribute: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrated:
    """What became of an episode.

    Args:
        became: Whether it stands alone, is linked, went into another, contradicts what is known, or was split; of several,
            what is first to be looked at.
        episode_id: The episode that stands for it now: its own id where it was not merged.
        merged_with: The episode it was merged with; None where it was not.
        reason: Why, in words.
        superseded: The episodes whose place it took, by an explicit key or by what it plainly states.
        replaced: What it states of which key, and what an episode whose place it took had stated.
        conflicts_with: The episodes that it does not fit together with; a person is asked.
        parts: The episodes that what stands for it was split into; none where it was not.
    """

    became: Became
    episode_id: str
    merged_with: str | None = None
    reason: str = ""
    superseded: tuple[str, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    conflicts_with: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


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


_JOINS = frozenset((IntegrationKind.DUPLICATE, IntegrationKind.MERGE))
_SETTLED = frozenset((EdgeKind.CONTRADICTS, EdgeKind.SUPERSEDES))
_OPEN = (EpisodeState.ACTIVE, EpisodeState.CONFLICT_PENDING)


_BECAME = {
    IntegrationKind.NEW: Became.NEW,
    IntegrationKind.LINK: Became.LINKED,
    IntegrationKind.DUPLICATE: Became.DUPLICATE,
    IntegrationKind.MERGE: Became.MERGED,
}


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
        self._world = world
        self._likeness = likeness
        self._parter = Parter(context, world, likeness, at=at)
        self._at = at
        self._changes: list[PlannedChange] = []
        self._links: list[Edge] = []
        self._conflicts: list[Conflict] = []
        self._actions: list[Action] = []

    @property
    def steps(self) -> Steps:
        """What is to be written."""
        return Steps(
            changes=tuple(self._changes),
            links=tuple(self._links),
            conflicts=tuple(self._conflicts),
            actions=tuple(self._actions),
        )

    @property
    def change_count(self) -> int:
        """How many changes are planned so far."""
        return len(self._changes)

    def integrate(self, one: Known) -> Integrated:
        """Plan what becomes of an episode that stands in the world: the seed's loop, which ends.

        Every merge leaves one standing episode less. What was split off is not split again before it was merged as often
        as ``merges_first`` says, and a split makes two more at the most; so there are fewer and fewer, and an end.
        """
        if not one.is_statement:
            return self._link_passage(one)
        near = self._likeness.near(one)
        decision = self._decide(one, near)
        head, target = one, decision.target if decision.kind in _JOINS else None
        if target is not None:
            head = self._join(one, self._world.some([target])[target], decision.reason)
            near = [like for like in near if like.known.id != target]
        superseded, tied = self._supersede(head)
        replaced = self._replace(head, near)
        superseded += tuple(was.episode_id for was in replaced)
        gone = set(superseded)
        near = [like for like in near if like.known.id not in gone]
        conflicts = self._flag(self._world.some([one.id])[one.id], near) if head is one else ()
        is_linked = self._link(head, near)
        parts = self.part(head)
        became, reason = _BECAME[decision.kind], decision.reason
        if tied or conflicts:
            became = Became.CONFLICT
        elif parts:
            became = Became.SPLIT
        elif became is Became.LINKED and not is_linked:
            became, reason = Became.NEW, "nothing known is surely of the same matter"
        if replaced:
            reason = "; ".join(_told(was) for was in replaced)
        return Integrated(
            became=became,
            episode_id=head.id,
            merged_with=target,
            reason=reason,
            superseded=superseded,
            replaced=replaced,
            conflicts_with=(*tied, *conflicts),
            parts=parts,
        )

    def _link_passage(self, one: Known) -> Integrated:
        """Link a passage that adding it did not link; it is never merged."""
        is_linked = bool(self._world.linked(one.id))
        if not is_linked:
            is_linked = self._link(one, self._likeness.near(one))
        return Integrated(became=Became.LINKED if is_linked else Became.NEW, episode_id=one.id)

    def part(self, one: Known) -> tuple[str, ...]:
        """Split an episode where its neighbours pull it apart, integrate the parts, and name what stands for them."""
        parted = self._parter.part(one)
        if parted is None or self._world.was_undone(ChangeKind.SPLIT, (one.id,)):
            return ()
        names = tuple(known.id for known in parted.made)
        self._apply(parted.change, parted.made)
        self._note(Deed.SPLIT, (one.id, *names), _apart(len(names), parted.conflict))
        return tuple(self.integrate(known).episode_id for known in parted.made)

    def _decide(self, one: Known, near: Sequence[Like]) -> Integration:
        """Decide what becomes of an episode; what holds no more or waits for a person stays apart, as it is."""
        decision = self._likeness.decide(one, near)
        if decision.kind not in _JOINS or decision.target is None:
            return decision
        if one.state is not EpisodeState.ACTIVE:
            return replace(decision, kind=IntegrationKind.LINK, reason="it does not hold any more, or is in conflict")
        other = self._world.some([decision.target])[decision.target]
        if self._is_stated_anew(one, other):
            return replace(decision, kind=IntegrationKind.LINK, reason="one states otherwise what the other states")
        if self._world.was_undone(ChangeKind.MERGED, (one.id, decision.target)):
            return replace(decision, kind=IntegrationKind.LINK, reason="somebody undid their merge")
        return decision

    def _is_stated_anew(self, one: Known, other: Known) -> bool:
        if not self._context.integration_settings.supersede_stated or read_as(one.language) is not read_as(
            other.language
        ):
            return False
        older, newer = sorted((other, one), key=_order)
        before, after = (Told(text=known.text, facts=known.facts) for known in (older, newer))
        return restated(before, after, newer.language) is not None

    def _join(self, one: Known, other: Known, reason: str) -> Known:
        """Merge two episodes, the earlier one first."""
        older, newer = sorted((other, one), key=_order)
        joined = join(self._context, self._world, older, newer, at=self._at)
        self._apply(joined.change, joined.made)
        taken = tuple(known.id for known in (older, newer) if known.id != joined.head)
        self._note(Deed.MERGED, (*taken, joined.head), reason)
        return self._world.some([joined.head])[joined.head]

    def _supersede(self, head: Known) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Order what was stated of one explicit key by time; give what it ended, and what it ties with."""
        if head.about is None:
            return (), ()
        found = order_key(self._world.of_key(head.about))
        done: list[str] = []
        for older, newer, change in found.superseded:
            if self._world.was_undone(ChangeKind.SUPERSEDED, (older, newer)):
                continue
            self._apply(change)
            done.append(older)
            self._note(Deed.SUPERSEDED, (older, newer), f"a later statement about {' / '.join(head.about)}")
        known = self._world.some([id_ for pair in found.ties for id_ in pair])
        tied: list[str] = []
        for pair in found.ties:
            if not self._is_told(*pair):
                self._ask(*(known[id_] for id_ in pair), why="both are stated for the same time")
                tied += [id_ for id_ in pair if head.id in pair and id_ != head.id]
        return tuple(older for older in done if older != head.id), tuple(tied)

    def _replace(self, head: Known, near: Sequence[Like]) -> tuple[Replaced, ...]:
        """Let what plainly states a key's value anew take the place of what stated it before; give what this one replaced."""
        if not self._context.integration_settings.supersede_stated or head.about is not None or head.state not in _OPEN:
            return ()
        keys = {fact.key for fact in head.facts}
        stating: dict[str, list[StatedFact]] = {}
        for one, fact in self._world.stating(keys):
            stating.setdefault(one.id, []).append(fact)
        near_ids = [like.known.id for like in near if like.known.is_statement]
        done: list[Replaced] = []
        for other in self._world.some([*stating, *near_ids]).values():
            if other.id == head.id or not _may_replace(head, other):
                continue
            older, newer = sorted((other, head), key=_order)
            told = {other.id: tuple(stating.get(other.id, other.facts)), head.id: head.facts}
            update = restated(
                Told(text=older.text, facts=told[older.id]), Told(text=newer.text, facts=told[newer.id]), newer.language
            )
            if update is None or self._world.was_undone(ChangeKind.SUPERSEDED, (older.id, newer.id)):
                continue
            is_dated = (newer.occurred_at is None) is (older.occurred_at is None)
            if not update.is_told and not (is_dated and newer.moment - older.moment >= _APART):
                continue
            self._apply(_stated_anew(older, newer))
            self._note(Deed.SUPERSEDED, (older.id, newer.id), _told_of(update))
            if newer is not head:
                return ()
            subject, attribute = update.key
            done.append(
                Replaced(episode_id=older.id, subject=subject, attribute=attribute, old=update.old, new=update.new)
            )
        return tuple(done)

    def _flag(self, one: Known, near: Sequence[Like]) -> tuple[str, ...]:
        """Find what the episode does not fit together with; a person is asked about each pair once."""
        if one.about is not None or one.state not in _OPEN:
            return ()
        found: list[str] = []
        for like in near[:COMPARED]:
            other = like.known
            if len(found) >= _CONFLICTS_AT_ONCE:
                break
            if other.state not in _OPEN or not other.is_statement or other.about is not None:
                continue
            older, newer = sorted((other, one), key=_order)
            why = self._likeness.conflict(older, newer, like)
            if why is not None and not self._is_told(one.id, other.id):
                self._ask(older, newer, why=why)
                found.append(other.id)
        return tuple(found)

    def _is_told(self, first: str, second: str) -> bool:
        edges = self._world.edges([first], kinds=_SETTLED)
        is_joined = any({edge.source_id, edge.target_id} == {first, second} for edge in edges)
        return is_joined or self._world.was_undone(ChangeKind.CONFLICT_FOUND, (first, second))

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
        self._note(Deed.CONFLICT, (older.id, newer.id), why)

    def _link(self, head: Known, near: Sequence[Like]) -> bool:
        """Link an episode with what is of its matter; say whether there is anything."""
        edges = self._likeness.links(head, near)
        self._links.extend(edges)
        self._world.join(edges)
        return bool(edges)

    def _apply(self, change: Change, made: Sequence[Known] = ()) -> None:
        names, places = tuple(one.id for one in made), tuple(one.place_of for one in made)
        self._changes.append(PlannedChange(change=change, names=names, places_of=places))
        self._world.apply(change, made)

    def _note(self, deed: Deed, ids: tuple[str, ...], reason: str) -> None:
        self._actions.append(Action(deed=deed, episode_ids=ids, reason=reason))


def _apart(parts: int, conflict: Conflicting) -> str:
    measures = (
        f"semantic {conflict.semantic:.2f}, directional {conflict.directional:.2f}, cluster {conflict.cluster:.2f}"
    )
    return f"its neighbours pull it apart into {parts} matters: conflict {conflict.total:.2f} ({measures})"


_APART = timedelta(days=1)
"""What only gives another value, and does not say that something changed, replaces what was said a day before or earlier: of two
that follow each other closely either may be a slip, and a person is asked."""

_LONGEST_REPLACED = 240
"""What says more than a fact or two is not put out of the way because one of them changed."""


def _may_replace(one: Known, other: Known) -> bool:
    """Tell whether one of two statements may take the other's place: one speaker's, one language's, short, and open."""
    older = min((one, other), key=_order)
    return (
        other.is_statement
        and other.about is None
        and other.state in _OPEN
        and read_as(one.language) is read_as(other.language)
        and one.speaker == other.speaker
        and (one.occurred_at is None or one.occurred_at != other.occurred_at)
        and len(older.text) <= _LONGEST_REPLACED
    )


def _stated_anew(older: Known, newer: Known) -> Change:
    state = EpisodeState.SUPERSEDED
    return Change(
        kind=ChangeKind.SUPERSEDED,
        subject_id=older.id,
        fields=(FieldChange(episode_id=older.id, state=state, valid_to=newer.valid_from or newer.moment),),
        added=(Edge(source_id=newer.id, target_id=older.id, kind=EdgeKind.SUPERSEDES),),
        reason="stated_anew",
    )


def _told(was: Replaced) -> str:
    return _told_of(FactUpdate(key=(was.subject, was.attribute), old=was.old, new=was.new))


def _told_of(update: FactUpdate) -> str:
    value = f"“{update.old}” → “{update.new}”" if update.new else f"“{update.old}” is over"
    return f"it says {' / '.join(update.key)} anew: {value}"


def _order(one: Known) -> tuple[datetime, str]:
    return one.moment, one.id


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOrder:
    """What follows from the order of time.

    Args:
        superseded: Each statement that another one ends now, or earlier than it was known, with the change that says so.
        ties: Statements of one moment that say different things: nobody can tell which came later.
    """

    superseded: tuple[tuple[str, str, Change], ...] = ()
    ties: tuple[tuple[str, str], ...] = ()


def order_key(stated: Sequence[Known]) -> KeyOrder:
    """Order statements about one subject and attribute by the time from which they hold.

    Args:
        stated: Those that stand, in any order; what was revoked has no say.
    """
    known = {one.id: one for one in stated if one.state is not EpisodeState.REVOKED}
    states = states_of_key(
        KeyedStatement(id=one.id, text=one.text, at=one.valid_from or one.moment, is_dated=one.valid_from is not None)
        for one in known.values()
    )
    ended = [
        (state.id, state.superseded_by, _ended(state, state.superseded_by))
        for state in states
        if state.superseded_by is not None and _is_news(known[state.id], state)
    ]
    tied = [state.id for state in states if state.state is EpisodeState.CONFLICT_PENDING]
    return KeyOrder(superseded=tuple(ended), ties=tuple(pairwise(tied)))


def _is_news(one: Known, state: KeyedState) -> bool:
    """Tell whether it is not known yet that something ends a statement, or that it does so early."""
    if one.state is not EpisodeState.SUPERSEDED or one.valid_to is None or state.valid_to is None:
        return True
    return state.valid_to < one.valid_to


def _ended(state: KeyedState, newer: str) -> Change:
    return Change(
        kind=ChangeKind.SUPERSEDED,
        subject_id=state.id,
        fields=(FieldChange(episode_id=state.id, state=EpisodeState.SUPERSEDED, valid_to=state.valid_to),),
        added=(Edge(source_id=newer, target_id=state.id, kind=EdgeKind.SUPERSEDES),),
        reason="explicit_key",
    )
