"""What one event did to questions beside the graph, as its body holds it: outcomes, and edges that wait or entered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeDelta:
    """What one question led to: before, and now."""

    query_id: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedState:
    """What is said of one episode that was handed over for a question.

    Args:
        cited_at: Since when the answer rests on it, as text; None where it does not.
        kind: The kind of the edge to it; None where it got none.
        led_to_insight: Whether the question led to insight, as the edge says.
        entered_by: The event by which the edge entered the graph; None where it did not.
    """

    cited_at: str | None
    kind: str | None
    led_to_insight: bool
    entered_by: str | None

    def values(self) -> list[Any]:
        """Give it as it lies in an event's body."""
        return [self.cited_at, self.kind, self.led_to_insight, self.entered_by]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedDelta:
    """What is said of one episode that was handed over for a question: before, and now."""

    query_id: str
    target_id: str
    old: HandedState
    new: HandedState


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionDeltas:
    """What one event did to questions beside the graph.

    Args:
        outcomes: What questions led to.
        handed: What is said of what was handed over for them.
    """

    outcomes: tuple[OutcomeDelta, ...] = ()
    handed: tuple[HandedDelta, ...] = ()

    @property
    def questions(self) -> frozenset[str]:
        """Every question it is about."""
        return frozenset(one.query_id for one in (*self.outcomes, *self.handed))

    @property
    def inverse(self) -> QuestionDeltas:
        """What takes it back."""
        return QuestionDeltas(
            outcomes=tuple(OutcomeDelta(query_id=one.query_id, old=one.new, new=one.old) for one in self.outcomes),
            handed=tuple(
                HandedDelta(query_id=one.query_id, target_id=one.target_id, old=one.new, new=one.old)
                for one in self.handed
            ),
        )

    def body(self) -> dict[str, Any]:
        """Write it as part of an event's body; what is empty is left out."""
        written = {
            "outcomes": [[one.query_id, one.old, one.new] for one in self.outcomes],
            "handed": [[one.query_id, one.target_id, one.old.values(), one.new.values()] for one in self.handed],
        }
        return {name: rows for name, rows in written.items() if rows}


def read_question_deltas(body: Mapping[str, Any]) -> QuestionDeltas:
    """Read what an event did to questions out of its body."""
    return QuestionDeltas(
        outcomes=tuple(OutcomeDelta(query_id=id_, old=old, new=new) for id_, old, new in body.get("outcomes", ())),
        handed=tuple(
            HandedDelta(query_id=id_, target_id=target, old=_state(old), new=_state(new))
            for id_, target, old, new in body.get("handed", ())
        ),
    )


def _state(values: tuple[str | None, str | None, bool, str | None]) -> HandedState:
    cited_at, kind, led_to_insight, entered_by = values
    return HandedState(cited_at=cited_at, kind=kind, led_to_insight=led_to_insight, entered_by=entered_by)
