"""Plan what integration would do with an episode, as changes that are not written yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from itertools import pairwise

from evolore.domain.episode import Deed, Edge, EdgeKind, EpisodeState
from evolore.domain.fact import FactOrigin, StatedFact
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, cause_of
from evolore.episodes.contradictions import conflict_reason, suggestion_for
from evolore.episodes.key_extraction import KeyedState, KeyedStatement, states_of_key
from evolore.episodes.merging import Integration, IntegrationKind
from evolore.episodes.settings import Conclude
from evolore.episodes.stated_facts import read_as
from evolore.episodes.updates import Update, find_update, keyed_update
from evolore.flows.context import Context
from evolore.flows.remember.merge import join
from evolore.flows.remember.similarity import COMPARED, Like, Likeness
from evolore.flows.remember.split import Parter
from evolore.flows.remember.world import Known, World
from evolore.ports import Change, ChangeKind, FieldChange

_SPLIT_AT_ONCE = 2
"""How many neighbours of a statement may be split while somebody waits."""

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
class Action:
    """One thing that a plan does."""

    deed: Deed  #: What.
    #: To which episodes; of a supersession, sure or likely, or a conflict, the older and the newer one, of a
    #: merge what was taken in and what represents it, of a split what is split and its parts, of a link the one and the
    #: other.
    episode_ids: tuple[str, ...]
    reason: str  #: Why, in words.
    #: The event that ``undo`` takes back; None for a link, which is derived, and for what is not written yet.
    event_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Integrated:
    """What became of an episode."""

    #: Whether it stays alone, is linked, went into another, contradicts what is known, or was split; of several, what
    #: must be examined first.
    became: Became
    episode_id: str  #: The episode that represents it now: its own id where it was not merged.
    merged_with: str | None = None  #: The episode it was merged with; None where it was not.
    reason: str = ""  #: Why, in words.
    actions: tuple[Action, ...] = ()  #: All that was done because of it, in order, each with its reason and event.
    parts: tuple[str, ...] = ()  #: The episodes that what represents it was split into; none where it was not.


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    """A plan: what is to be written, in this order."""

    changes: tuple[Change, ...] = ()  #: Changes of structure.
    links: tuple[Edge, ...] = ()  #: Edges that are derived.
    conflicts: tuple[ReviewItem, ...] = ()  #: What a person is to be asked.
    actions: tuple[Action, ...] = ()  #: The changes in words, one each, in the same order.


def conflict_cause(older_id: str, newer_id: str) -> str:
    """Return the key under which a pair of statements is filed once."""
    return cause_of(ReviewCategory.CONTRADICTION, *sorted((older_id, newer_id)))


_UPDATES = frozenset((Deed.SUPERSEDED, Deed.LIKELY_SUPERSEDED))
_JOINS = frozenset((IntegrationKind.DUPLICATE, IntegrationKind.MERGE))
_SETTLED = frozenset((EdgeKind.CONTRADICTS, EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES))
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
        world: What is there; the plan is laid over it.
        likeness: Compares episodes.
        at: The moment the plan will be recorded at.
        is_brief: Whether somebody waits for it: what costs most is left to ``maintain``.
    """

    def __init__(
        self, context: Context, world: World, likeness: Likeness, *, at: datetime, is_brief: bool = False
    ) -> None:
        self._context, self._world, self._likeness = context, world, likeness
        self._parter = Parter(context, world, likeness, at=at, is_brief=is_brief)
        self._is_brief, self._at = is_brief, at
        self._changes: list[Change] = []
        self._links: list[Edge] = []
        self._conflicts: list[ReviewItem] = []
        self._actions: list[Action] = []
        self._corrected: set[str] = set()

    @property
    def _concludes(self) -> bool:
        return self._context.settings.integration.conclude is Conclude.SURE

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

    def correct(self, one: Known, change: Change) -> None:
        """Plan the change by which an episode takes the place of the one that it corrects, and is joined by nothing else."""
        self._do(change, Deed.SUPERSEDED, (change.subject_id, one.id), "it corrects it")
        self._corrected.add(change.subject_id)

    def arrive(self, one: Known) -> Integrated:
        """Plan what becomes of an episode, and split those near it that its coming pulls apart."""
        near = self._likeness.near(one) if one.is_statement else []
        integrated = self.integrate(one, near)
        others = [like.known.id for like in near[:COMPARED] if self._parter.may_part(like.known)]
        if self._is_brief:  # the turns of a chat come fast, and wait for `maintain`
            others = others[:_SPLIT_AT_ONCE] if one.session is None else []
        for id_ in others:
            if self._world.stands(id_):
                self.part(self._world.some([id_])[id_])
        return integrated

    def integrate(self, one: Known, around: Sequence[Like] | None = None) -> Integrated:
        """Plan what becomes of a visible episode: a loop of merges and splits, which ends.

        Every merge leaves one visible episode less. What was split off is not split again before it was merged as often
        as ``merges_first`` says, and a split makes two more at most; so there are fewer and fewer, and an end.
        """
        if not one.is_statement:
            return self._link_passage(one)
        first = len(self._actions)
        around = self._likeness.near(one) if around is None else around
        near = [like for like in around if like.known.id not in self._corrected]
        decision = self._decide(one, near)
        head, target = one, decision.target if decision.kind in _JOINS else None
        if target is not None:
            head = self._join(one, self._world.some([target])[target], decision.reason)
            near = [like for like in near if like.known.id != target]
        gone, tied = self._supersede(head)
        updates = self._updates(head, near)
        gone |= self._update(head, updates, near)
        near = [like for like in near if like.known.id not in gone]
        changed = {other.id for other, _ in updates}
        doubtful = [like for like in near if like.known.id not in changed]
        conflicts = self._flag(self._world.some([one.id])[one.id], doubtful) if head is one else ()
        links = self._link(head, near)
        parts = self.part(head)
        became, reason = _BECAME[decision.kind], decision.reason
        if tied or conflicts:
            became = Became.CONFLICT
        elif parts:
            became = Became.SPLIT
        elif became is Became.LINKED and not links:
            became, reason = Became.NEW, "nothing known is surely of the same matter"
        told = [action.reason for action in self._actions[first:] if action.deed in _UPDATES]
        return Integrated(
            became=became,
            episode_id=head.id,
            merged_with=target,
            reason="; ".join(told) or reason,
            actions=links,
            parts=parts,
        )

    def _link_passage(self, one: Known) -> Integrated:
        """Link a passage that adding it did not link; it is never merged."""
        is_linked = bool(self._world.linked(one.id))
        if not is_linked:
            is_linked = bool(self._link(one, self._likeness.near(one)))
        return Integrated(became=Became.LINKED if is_linked else Became.NEW, episode_id=one.id)

    def part(self, one: Known) -> tuple[str, ...]:
        """Split an episode where its neighbours pull it apart, integrate the parts, and name what represents them."""
        parted = self._parter.part(one)
        if parted is None or self._world.was_undone(ChangeKind.SPLIT, (one.id,)):
            return ()
        ids = tuple(made.id for made in parted.change.made)
        self._do(
            parted.change,
            Deed.SPLIT,
            (one.id, *ids),
            f"its neighbours pull it apart into {len(ids)} matters: {parted.conflict.in_words()}",
        )
        parts = self._world.some(ids)
        return tuple(self.integrate(parts[id_]).episode_id for id_ in ids)

    def _decide(self, one: Known, near: Sequence[Like]) -> Integration:
        """Decide what becomes of an episode; what holds no more or waits for a person stays apart, as it is."""
        decision = self._likeness.decide(one, near)
        if decision.kind not in _JOINS or decision.target is None:
            return decision
        if one.state is not EpisodeState.ACTIVE:
            return replace(decision, kind=IntegrationKind.LINK, reason="it does not hold any more, or is in conflict")
        if self._world.was_undone(ChangeKind.MERGED, (one.id, decision.target)):
            return replace(decision, kind=IntegrationKind.LINK, reason="somebody undid their merge")
        return decision

    def _join(self, one: Known, other: Known, reason: str) -> Known:
        """Merge two episodes, the earlier one first."""
        older, newer = sorted((other, one), key=_order)
        change = join(self._context, self._world, older, newer, at=self._at)
        head = change.made[0].id if change.made else older.id
        taken = tuple(known.id for known in (older, newer) if known.id != head)
        self._do(change, Deed.MERGED, (*taken, head), reason)
        return self._world.some([head])[head]

    def _supersede(self, head: Known) -> tuple[set[str], tuple[str, ...]]:
        """Order what was stated of one explicit key by time; return what it ended, and what it ties with."""
        if head.about is None:
            return set(), ()
        found = order_key(self._world.of_key(head.about))
        done: list[str] = []
        for older, newer, change in found.superseded:
            if self._world.was_undone(ChangeKind.SUPERSEDED, (older, newer)):
                continue
            done.append(older)
            self._do(change, Deed.SUPERSEDED, (older, newer), f"a later statement about {' / '.join(head.about)}")
        known = self._world.some([id_ for pair in found.ties for id_ in pair])
        tied: list[str] = []
        for pair in found.ties:
            if not self._is_told(*pair):
                self._ask(*(known[id_] for id_ in pair), why="both are stated for the same time")
                tied += [id_ for id_ in pair if head.id in pair and id_ != head.id]
        return {older for older in done if older != head.id}, tuple(tied)

    def _updates(self, head: Known, near: Sequence[Like]) -> list[tuple[Known, Update]]:
        """Return what the episode replaces, or what replaces it, by a chat model's keys or else by the later one's wording."""
        if head.about is not None or head.state not in _OPEN:
            return []
        return self._keyed_updates(head) or (self._worded_updates(head, near) if self._concludes else [])

    def _update(self, head: Known, found: Sequence[tuple[Known, Update]], near: Sequence[Like]) -> set[str]:
        """Mark what is surely replaced, or else the nearest if that likely is; return what the episode replaced.

        Only corrections in words and keys of a chat model change a state; the rest is an edge, and words beside a hit. Of 57
        real changes 51 are of the nearest statement, of 264 pairs wrongly taken for one 93 (``benchmarks/everyday.py``).
        """
        nearest = next((like.known.id for like in near if self._may_update(head, like.known)), "")
        marked = [one for one in found if one[1].is_sure] or [one for one in found if one[0].id == nearest]
        for other, update in marked:
            older, newer = sorted((other, head), key=_order)
            deed = Deed.SUPERSEDED if update.is_sure else Deed.LIKELY_SUPERSEDED
            self._do(_superseded(older, newer, update), deed, (older.id, newer.id), update.reason)
        return {other.id for other, _ in marked if _order(other) < _order(head)}

    def _keyed_updates(self, head: Known) -> list[tuple[Known, Update]]:
        """Return what a chat model read another value of the same key in."""
        keys = {fact.key for fact in head.facts if fact.origin is FactOrigin.CHAT}
        stating: dict[str, list[StatedFact]] = {}
        for one, fact in self._world.stating(keys):
            stating.setdefault(one.id, []).append(fact)
        found: list[tuple[Known, Update]] = []
        for other in self._world.some(stating).values():
            if self._may_update(head, other):
                facts = {other.id: stating[other.id], head.id: head.facts}
                older, newer = sorted((other, head), key=_order)
                update = keyed_update(facts[older.id], facts[newer.id])
                found += [] if update is None else [(other, update)]
        return found

    def _worded_updates(self, head: Known, near: Sequence[Like]) -> list[tuple[Known, Update]]:
        """Return which of the nearest it replaces by the wording of the later one, of what it corrects the nearest alone."""
        found: list[tuple[Known, Update]] = []
        for like in near[:COMPARED]:
            other = like.known
            if not self._may_update(head, other):
                continue
            older, newer = sorted((other, head), key=_order)
            update = worded_update(self._world, older, newer, likeness=like.cosine)
            if update is None or self._world.was_undone(_CHANGES[update.is_sure], (older.id, newer.id)):
                continue
            if not (update.is_sure and any(one.is_sure for _, one in found)):
                found.append((other, update))
        return found

    def _may_update(self, head: Known, other: Known) -> bool:
        return other.id != head.id and may_replace(head, other) and not self._is_told(head.id, other.id)

    def _flag(self, one: Known, near: Sequence[Like]) -> tuple[str, ...]:
        """Find what the episode does not fit together with; a person is asked about each pair once."""
        if not self._concludes or one.about is not None or one.state not in _OPEN:
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
        kinds = (ChangeKind.CONFLICT_FOUND, ChangeKind.LIKELY_SUPERSEDED)
        return is_joined or any(self._world.was_undone(kind, (first, second)) for kind in kinds)

    def _ask(self, older: Known, newer: Known, *, why: str) -> None:
        """Mark two statements as waiting for a person, who sees both."""
        waiting = EpisodeState.CONFLICT_PENDING
        change = Change(
            kind=ChangeKind.CONFLICT_FOUND,
            subject_id=newer.id,
            fields=tuple(FieldChange(episode_id=one.id, state=waiting) for one in (older, newer)),
            added=(Edge(source_id=newer.id, target_id=older.id, kind=EdgeKind.CONTRADICTS),),
            reason="contradiction",
        )
        self._do(change, Deed.CONFLICT, (older.id, newer.id), why)
        item = ReviewItem(
            category=ReviewCategory.CONTRADICTION,
            reason=conflict_reason(older.text, newer.text, why, newer.language),
            suggestion=suggestion_for(ReviewCategory.CONTRADICTION, newer.language),
            priority=Priority.HIGH,
            language=newer.language,
            text_length=len(older.text) + len(newer.text),
            episode_id=newer.id,
            other_episode_id=older.id,
            cause=conflict_cause(older.id, newer.id),
        )
        self._conflicts.append(item)

    def _link(self, head: Known, near: Sequence[Like]) -> tuple[Action, ...]:
        """Link an episode with what is of its matter; return what was linked."""
        edges = self._likeness.links(head, near)
        self._links.extend(edges)
        self._world.join(edges)
        return tuple(
            Action(
                deed=Deed.LINKED,
                episode_ids=(edge.source_id, edge.target_id),
                reason=f"probably of one matter ({edge.weight:.2f})",
            )
            for edge in edges
        )

    def _do(self, change: Change, deed: Deed, ids: tuple[str, ...], reason: str) -> None:
        """Plan a change and what it is called: one action a change, in the same order."""
        self._changes.append(change)
        self._actions.append(Action(deed=deed, episode_ids=ids, reason=reason))
        self._world.apply(change)


_LONGEST_REPLACED = 240
"""What says more than a fact or two is not put out of the way because one of them changed."""


def may_replace(one: Known, other: Known) -> bool:
    """Return whether one of two statements may take the other's place: one speaker's, one language's, short, and open."""
    return (
        other.is_statement
        and other.about is None
        and other.state in _OPEN
        and read_as(one.language) is read_as(other.language)
        and one.speaker == other.speaker
        and (one.occurred_at is None or one.occurred_at != other.occurred_at)
        and len(min((one, other), key=_order).text) <= _LONGEST_REPLACED
    )


def worded_update(world: World, older: Known, newer: Known, *, likeness: float) -> Update | None:
    """Return what the wording of the later of two statements says of the earlier one."""
    return find_update(
        older.text,
        newer.text,
        newer.language,
        likeness=likeness,
        apart=newer.moment - older.moment,
        is_next=partial(world.is_next, older, newer),
    )


_CHANGES = {True: ChangeKind.SUPERSEDED, False: ChangeKind.LIKELY_SUPERSEDED}


def _superseded(older: Known, newer: Known, update: Update) -> Change:
    ended = FieldChange(episode_id=older.id, state=EpisodeState.SUPERSEDED, valid_to=newer.valid_from or newer.moment)
    kind = EdgeKind.SUPERSEDES if update.is_sure else EdgeKind.LIKELY_SUPERSEDES
    return Change(
        kind=_CHANGES[update.is_sure],
        subject_id=older.id,
        fields=(ended,) if update.is_sure else (),
        added=(Edge(source_id=newer.id, target_id=older.id, kind=kind),),
        reason=update.cause,
    )


def _order(one: Known) -> tuple[datetime, str]:
    return one.moment, one.id


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyOrder:
    """What follows from the order of time."""

    #: Each statement that another one ends now, or earlier than it was known, with the change that says so.
    superseded: tuple[tuple[str, str, Change], ...] = ()
    #: Statements of one moment that say different things: their order is unknown.
    ties: tuple[tuple[str, str], ...] = ()


def order_key(stated: Sequence[Known]) -> KeyOrder:
    """Order statements about one subject and attribute by the time from which they hold.

    Args:
        stated: The visible ones, in any order; what was revoked, or corrected from its beginning on, has no say.
    """
    known = {one.id: one for one in stated if one.state is not EpisodeState.REVOKED and not _never_held(one)}
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


def _never_held(one: Known) -> bool:
    if one.state is not EpisodeState.SUPERSEDED or one.valid_to is None:
        return False
    return one.valid_to <= (one.valid_from or one.moment)


def _is_news(one: Known, state: KeyedState) -> bool:
    """Return whether it is not known yet that something ends a statement, or that it does so early."""
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
