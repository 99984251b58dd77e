"""What one event did to the structure, as its body holds it: enough to undo it, to do it again, and to find it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, TypeAlias

from evolore.domain.episodes import EdgeKind, EpisodeState
from evolore.ports import QUERY_EDGES, ChangeKind
from evolore.store.event_kinds import EventKind
from evolore.store.question_deltas import QuestionDeltas

Value: TypeAlias = str | float | None
_QUERY_KINDS = frozenset(kind.value for kind in QUERY_EDGES)

QUERIES = frozenset((EventKind.QUERY_EDGES_ENTERED.value, EventKind.TEACHING_WITHDRAWN.value))
CHANGES = frozenset(kind.value for kind in ChangeKind) | QUERIES
"""The kinds of events that changed the structure, and were no undoing."""

ABOUT = (CHANGES - {EventKind.TEACHING_WITHDRAWN.value}) | {
    EventKind.STATEMENT_REMEMBERED.value,
    EventKind.QUERY_EDGES_DISMISSED.value,
}
"""The kinds of events whose subject is an episode that they concern."""

AROUSAL = frozenset((EventKind.AROUSAL_CHANGED.value, EventKind.AROUSAL_RESTORED.value))
UNDOABLE = CHANGES | AROUSAL | {EventKind.UNDONE.value}
EVOLVING = frozenset(
    kind.value
    for kind in (
        EventKind.JOB_BEGUN,
        EventKind.JOB_DECIDED,
        EventKind.PROMOTED,
        EventKind.PERCENT_CHANGED,
        EventKind.ROLLED_BACK,
    )
)
"""The kinds of events whose bodies name documents."""
NAMING = UNDOABLE | EVOLVING | {EventKind.ERASED.value}
"""The kinds of events whose bodies name what they are found by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDelta:
    """One field of one episode: what it was, and what it is."""

    episode_id: str
    name: str
    old: Value
    new: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeRow:
    """One edge as it lies in its table."""

    source_id: str
    kind: str
    target_id: str
    weight: float
    created_at: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What it is found by."""
        return self.source_id, self.kind, self.target_id

    @property
    def place(self) -> tuple[str, ...]:
        """What no second edge may share with it."""
        return (self.source_id, self.target_id, "") if self.starts_at_question else self.key

    @property
    def starts_at_question(self) -> bool:
        """Whether its source is no episode."""
        return self.kind in _QUERY_KINDS

    @property
    def episode_ids(self) -> tuple[str, ...]:
        """Those of its ends that are episodes."""
        return (self.target_id,) if self.starts_at_question else (self.source_id, self.target_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeRow:
    """An episode that an event made.

    Args:
        id: Its id.
        digest: The salted digest of its text.
        members: The source statements it stands for; the edges to them follow.
    """

    id: str
    digest: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """What one principal taught is taken back, or counts again.

    Args:
        principal: Whose it was; empty for nobody in particular.
        asked: The principal's questions whose edges count no longer.
        rated: The questions that the principal rated.
        feedback: The principal's feedback on documents.
        is_back: Whether it counts again.
        is_erased: Whether it was erased, so that it never will.
    """

    principal: str
    asked: tuple[str, ...] = ()
    rated: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    is_back: bool = False
    is_erased: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """What one event did.

    Args:
        made: The episodes it made.
        fields: Fields that it changed.
        added: Edges that it added, those to members of what it made among them.
        removed: Edges that it removed.
        withdrawal: What of one principal it took back, or let count again, beside these.
        deltas: What it did to questions beside the graph.
    """

    made: tuple[MadeRow, ...] = ()
    fields: tuple[FieldDelta, ...] = ()
    added: tuple[EdgeRow, ...] = ()
    removed: tuple[EdgeRow, ...] = ()
    withdrawal: Withdrawal | None = None
    deltas: QuestionDeltas = field(default_factory=QuestionDeltas)

    @property
    def made_ids(self) -> frozenset[str]:
        """The episodes it made."""
        return frozenset(one.id for one in self.made)

    @property
    def ids(self) -> frozenset[str]:
        """Every episode it names."""
        ends = (end for edge in (*self.added, *self.removed) for end in edge.episode_ids)
        return self.made_ids | {one.episode_id for one in self.fields} | frozenset(ends)

    @property
    def named(self) -> frozenset[str]:
        """What it is found by: every episode, every question and all feedback it names."""
        return self.ids | self.questions | self.feedback

    @property
    def feedback(self) -> frozenset[str]:
        """The feedback whose teaching was withdrawn."""
        return frozenset(() if self.withdrawal is None else self.withdrawal.feedback)

    @property
    def questions(self) -> frozenset[str]:
        """Every question it names: those it changed, whose edges came or went, or whose teaching was withdrawn."""
        withdrawn = () if self.withdrawal is None else (*self.withdrawal.asked, *self.withdrawal.rated)
        edges = (*self.added, *self.removed)
        asked = (edge.source_id for edge in edges if edge.starts_at_question)
        return self.deltas.questions.union(withdrawn, asked)

    @property
    def touched(self) -> frozenset[tuple[str, ...]]:
        """The fields and edges it wrote, but for edges of questions that it erased: nobody can write those again.

        A question has one edge to an episode at the most: one of another kind is the same.
        """
        fields = {(one.episode_id, one.name) for one in self.fields}
        edges = (*self.added, *self.removed)
        if self.withdrawal is not None and self.withdrawal.is_erased:
            edges = tuple(edge for edge in edges if edge.source_id in self.deltas.questions)
        return frozenset(fields | {edge.place for edge in edges})

    @property
    def held(self) -> frozenset[str]:
        """The statements that it let others stand for."""
        added = {edge.target_id for edge in self.added if edge.kind == EdgeKind.MEMBER.value}
        return frozenset(added.union(*(one.members for one in self.made)))

    @property
    def moved(self) -> frozenset[str]:
        """The episodes that stand, or stand no more, since it."""
        return frozenset(one.episode_id for one in self.fields if one.name == "stands_until")

    @property
    def brought(self) -> frozenset[str]:
        """The episodes that were not there, or not any more, and are since."""
        revoked = EpisodeState.REVOKED.value
        return self.made_ids | {one.episode_id for one in self.fields if one.name == "state" and one.old == revoked}

    @property
    def inverse(self) -> ChangeSet:
        """What takes it back: what was made is revoked, and never unmade."""
        active = EpisodeState.ACTIVE.value
        revoked = tuple(
            FieldDelta(episode_id=one.id, name="state", old=active, new=EpisodeState.REVOKED.value) for one in self.made
        )
        back = tuple(
            FieldDelta(episode_id=one.episode_id, name=one.name, old=one.new, new=one.old) for one in self.fields
        )
        withdrawn = self.withdrawal
        again = None if withdrawn is None else replace(withdrawn, is_back=not withdrawn.is_back)
        return ChangeSet(
            fields=back + revoked,
            added=self.removed,
            removed=self.added,
            withdrawal=again,
            deltas=self.deltas.inverse,
        )

    def body(self) -> dict[str, Any]:
        """Write it as part of an event's body; what is empty, and edges that follow from what was made, are left out."""
        follow = {(one.id, EdgeKind.MEMBER.value, member) for one in self.made for member in one.members}
        written: dict[str, list[list[Value]]] = {
            "made": [[one.id, one.digest, *one.members] for one in self.made],
            "fields": [[one.episode_id, one.name, one.old, one.new] for one in self.fields],
            "added": [_edge_values(edge) for edge in self.added if edge.key not in follow],
            "removed": [_edge_values(edge) for edge in self.removed],
        }
        body: dict[str, Any] = {name: rows for name, rows in written.items() if rows} | self.deltas.body()
        return body if self.withdrawal is None else {**body, "withdrawal": asdict(self.withdrawal)}


def _edge_values(edge: EdgeRow) -> list[Value]:
    return [edge.source_id, edge.kind, edge.target_id, edge.weight, edge.created_at]
