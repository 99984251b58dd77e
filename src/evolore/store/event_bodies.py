"""Contents of events, as their bodies hold them: enough to undo an event and to do it again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar, cast

from evolore.domain.episode import EdgeKind, EpisodeState
from evolore.ports import QUERY_EDGES, ChangeKind

T = TypeVar("T")


class EventKind(StrEnum):
    """Name what was done, besides the changes that a ``ChangeKind`` names."""

    DOCUMENT_ADDED = "document_added"
    STATEMENT_REMEMBERED = "statement_remembered"
    LABELS_CHANGED = "labels_changed"
    SOURCE_FOLLOWED = "source_followed"
    ERASED = "erased"
    REEMBEDDED = "reembedded"
    CALIBRATED = "calibrated"
    AROUSAL_CHANGED = "arousal_changed"
    AROUSAL_RESTORED = "arousal_restored"
    UNDONE = "undone"
    OUTCOME_CHANGED = "outcome_changed"
    QUERY_RATED = "query_rated"
    QUERY_EDGES_ENTERED = "query_edges_entered"
    QUERY_EDGES_DISMISSED = "query_edges_dismissed"
    TEACHING_WITHDRAWN = "teaching_withdrawn"
    REVIEW_FILED = "review_filed"
    REVIEW_RESOLVED = "review_resolved"
    REVIEW_REOPENED = "review_reopened"
    REVIEW_NOTED = "review_noted"
    FEEDBACK_GIVEN = "feedback_given"
    JOB_BEGUN = "job_begun"
    JOB_DECIDED = "job_decided"
    PROMOTED = "promoted"
    PERCENT_CHANGED = "percent_changed"
    ROLLED_BACK = "rolled_back"
    CONDENSED = "condensed"
    LOG_CONDENSED = "log_condensed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeDelta:
    """What one question led to: before, and now."""

    query_id: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedState:
    """The state of one episode that was handed over for a question."""

    cited_at: str | None  #: Since when the answer rests on it, as text; None where it does not.
    kind: str | None  #: The kind of the edge to it; None where it got none.
    led_to_insight: bool  #: Whether the question led to insight, as the edge says.
    entered_by: str | None  #: The event by which the edge entered the graph; None where it did not.


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedDelta:
    """The state of one episode that was handed over for a question: before, and now."""

    query_id: str
    target_id: str
    old: HandedState
    new: HandedState


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDeltas:
    """What one event did to questions beside the graph."""

    outcomes: tuple[OutcomeDelta, ...] = ()  #: What questions led to.
    handed: tuple[HandedDelta, ...] = ()  #: Changes of what was handed over for them.

    @property
    def questions(self) -> frozenset[str]:
        """Every question it is about."""
        return frozenset(one.query_id for one in (*self.outcomes, *self.handed))

    @property
    def inverse(self) -> QuestionDeltas:
        """What takes it back."""
        return QuestionDeltas(
            outcomes=tuple(replace(one, old=one.new, new=one.old) for one in self.outcomes),
            handed=tuple(replace(one, old=one.new, new=one.old) for one in self.handed),
        )

    def body(self) -> dict[str, Any]:
        """Write it as part of an event's body; what is empty is left out."""
        written = {"outcomes": [*map(astuple, self.outcomes)], "handed": [*map(astuple, self.handed)]}
        return {name: rows for name, rows in written.items() if rows}


def read_question_deltas(body: Mapping[str, Any]) -> QuestionDeltas:
    """Read what an event did to questions out of its body."""
    return QuestionDeltas(
        outcomes=tuple(_read(OutcomeDelta, values) for values in body.get("outcomes", ())),
        handed=tuple(
            HandedDelta(query_id=id_, target_id=target, old=_read(HandedState, old), new=_read(HandedState, new))
            for id_, target, old, new in body.get("handed", ())
        ),
    )


def _read(kind: type[T], values: Sequence[Any]) -> T:
    """Read a value that lies in a body as the list of its fields."""
    return kind(**dict(zip((one.name for one in fields(cast("Any", kind))), values, strict=True)))


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
    """An episode that an event made."""

    id: str  #: Its id.
    digest: str  #: The salted digest of its text.
    members: tuple[str, ...]  #: The source statements it represents; the edges to them follow.


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """What one principal taught is taken back, or counts again."""

    principal: str  #: Whose it was; empty if unnamed.
    asked: tuple[str, ...] = ()  #: The principal's questions whose edges count no longer.
    rated: tuple[str, ...] = ()  #: The questions that the principal rated.
    feedback: tuple[str, ...] = ()  #: The principal's feedback on documents.
    is_back: bool = False  #: Whether it counts again.
    is_erased: bool = False  #: Whether it was erased, so that it never will.


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSet:
    """What one event did."""

    made: tuple[MadeRow, ...] = ()  #: The episodes it made.
    fields: tuple[FieldDelta, ...] = ()  #: Fields that it changed.
    added: tuple[EdgeRow, ...] = ()  #: Edges that it added, those to members of what it made among them.
    removed: tuple[EdgeRow, ...] = ()  #: Edges that it removed.
    withdrawal: Withdrawal | None = None  #: What of one principal it took back, or let count again, beside these.
    deltas: QuestionDeltas = field(default_factory=QuestionDeltas)  #: What it did to questions beside the graph.

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
        """The fields and edges it wrote, but for edges of questions that it erased: those cannot be written again.

        A question has one edge to an episode at most: one of another kind is the same.
        """
        fields = {(one.episode_id, one.name) for one in self.fields}
        edges = (*self.added, *self.removed)
        if self.withdrawal is not None and self.withdrawal.is_erased:
            edges = tuple(edge for edge in edges if edge.source_id in self.deltas.questions)
        return frozenset(fields | {edge.place for edge in edges})

    @property
    def held(self) -> frozenset[str]:
        """The statements that it let others represent."""
        added = {edge.target_id for edge in self.added if edge.kind == EdgeKind.MEMBER.value}
        return frozenset(added.union(*(one.members for one in self.made)))

    @property
    def moved(self) -> frozenset[str]:
        """The episodes that became visible, or hidden, through it."""
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
        back = tuple(replace(one, old=one.new, new=one.old) for one in self.fields)
        withdrawn = self.withdrawal
        again = None if withdrawn is None else replace(withdrawn, is_back=not withdrawn.is_back)
        return ChangeSet(
            fields=back + revoked, added=self.removed, removed=self.added, withdrawal=again, deltas=self.deltas.inverse
        )

    def body(self) -> dict[str, Any]:
        """Write it as part of an event's body; what is empty, and edges that follow from what was made, are left out."""
        follow = {(one.id, EdgeKind.MEMBER.value, member) for one in self.made for member in one.members}
        written: dict[str, list[tuple[Value, ...]]] = {
            "made": [(one.id, one.digest, *one.members) for one in self.made],
            "fields": [*map(astuple, self.fields)],
            "added": [astuple(edge) for edge in self.added if edge.key not in follow],
            "removed": [*map(astuple, self.removed)],
        }
        body: dict[str, Any] = {name: rows for name, rows in written.items() if rows} | self.deltas.body()
        return body if self.withdrawal is None else {**body, "withdrawal": asdict(self.withdrawal)}


def read_change_set(kind: str, body: Mapping[str, Any], recorded_at: str) -> ChangeSet:
    """Read what an event did out of its body; nothing where it is of a kind that cannot be undone."""
    if kind in AROUSAL:
        fields = zip(body["items"], body["old"], body["new"], strict=True)
        return ChangeSet(
            fields=tuple(FieldDelta(episode_id=id_, name="arousal", old=old, new=new) for id_, old, new in fields)
        )
    if kind not in UNDOABLE:
        return ChangeSet()
    made = tuple(
        MadeRow(id=id_, digest=digest, members=tuple(members)) for id_, digest, *members in body.get("made", ())
    )
    return ChangeSet(
        made=made,
        fields=tuple(_read(FieldDelta, values) for values in body.get("fields", ())),
        added=(*member_edges(made, recorded_at), *(_read(EdgeRow, values) for values in body.get("added", ()))),
        removed=tuple(_read(EdgeRow, values) for values in body.get("removed", ())),
        withdrawal=_withdrawal(body.get("withdrawal")),
        deltas=read_question_deltas(body),
    )


def member_edges(made: Iterable[MadeRow], recorded_at: str) -> tuple[EdgeRow, ...]:
    """Return the edges from what was made to its members."""
    kind = EdgeKind.MEMBER.value
    return tuple(
        EdgeRow(source_id=one.id, kind=kind, target_id=member, weight=1.0, created_at=recorded_at)
        for one in made
        for member in one.members
    )


def _withdrawal(written: Mapping[str, Any] | None) -> Withdrawal | None:
    if written is None:
        return None
    told: dict[str, Any] = {
        name: tuple(cast("list[str]", value)) if isinstance(value, list) else value for name, value in written.items()
    }
    return Withdrawal(**told)


def read_body(written: str) -> dict[str, Any]:
    """Read an event's body; empty where it is none: the chain check reports that."""
    try:
        body: object = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}


def named_in(kind: str, body: Mapping[str, Any]) -> frozenset[str]:
    """Return what an event's body names, episodes and documents: what it is found by, beside its subject."""
    if kind in EVOLVING:
        return _documents_in(body)
    if kind == EventKind.ERASED.value:
        return frozenset(map(str, body.get("freed", ())))
    try:
        return read_change_set(kind, body, "").named
    except (KeyError, TypeError, ValueError):
        return frozenset()


def _documents_in(body: Mapping[str, Any]) -> frozenset[str]:
    """Return the documents that a body lists: by their ids, or by lists that begin with these."""
    listed: object = body.get("documents")
    if not isinstance(listed, list):
        return frozenset()
    rows = (cast("list[object]", one) if isinstance(one, list) else [one] for one in cast("list[object]", listed))
    return frozenset(row[0] for row in rows if row and isinstance(row[0], str))
