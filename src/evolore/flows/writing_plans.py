"""A plan is written: names of what was planned become ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolore.flows.plans import conflict_cause
from evolore.flows.waiting import bring_in_line
from evolore.ports import ChangeKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from evolore.domain.episodes import Edge, Episode
    from evolore.domain.review import ReviewItem
    from evolore.flows.plans import Action, Conflict, PlannedChange, Steps
    from evolore.ports import Change, StoreWriter


class Outrun(Exception):
    """Somebody wrote since the plan was made: the transaction is left without a trace, and the plan made anew."""


def refuse_if_outrun(writer: StoreWriter, revision: int) -> None:
    """Leave the transaction unless it sees just what a reader of this revision saw.

    Raises:
        Outrun: Somebody wrote in between.
    """
    if writer.revision != revision + 1:
        raise Outrun


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What was written of a plan.

    Args:
        ids: The id of everything that was planned, by its name.
        event_ids: The event of each change, in their order.
        actions: What was done.
        review_ids: The review items that were filed.
    """

    ids: Mapping[str, str]
    event_ids: tuple[str, ...]
    review_ids: tuple[str, ...]
    actions: tuple[Action, ...] = ()


class PlanWriter:
    """Writes a plan in the transaction that is open; names of what was planned become ids on the way.

    Args:
        writer: Where; the plan was made against exactly what it sees.
        at: The moment.
    """

    def __init__(self, writer: StoreWriter, *, at: datetime) -> None:
        self._writer = writer
        self._at = at
        self._ids: dict[str, str] = {}
        self._positions: dict[str, int] = {}
        self._event_ids: list[str] = []

    def take(self, names: Sequence[str], episodes: Sequence[Episode]) -> None:
        """Take note of planned statements that were written."""
        for name, one in zip(names, episodes, strict=True):
            self._ids[name] = one.id
            self._positions[name] = one.position

    def change(self, changes: Sequence[PlannedChange]) -> None:
        """Write changes, in their order."""
        for planned in changes:
            made = tuple(
                draft if place is None else replace(draft, position=self._positions[place])
                for draft, place in zip(planned.change.made, planned.places_of, strict=True)
            )
            applied = self._writer.apply(_change(replace(planned.change, made=made), self._ids), at=self._at)
            self._ids.update(zip(planned.names, (one.id for one in applied.made), strict=True))
            self._event_ids.append(applied.event_id)

    def finish(self, steps: Steps) -> Written:
        """Write the rest of a plan, whose changes are written: links, and what a person is asked."""
        known = self._ids
        if steps.links:
            self._writer.link([_edge(edge, known) for edge in steps.links], at=self._at)
        items = [_item(conflict, known) for conflict in steps.conflicts]
        review_ids = self._writer.file_review_items(items, at=self._at) if items else ()
        if any(one.change.kind is ChangeKind.SUPERSEDED for one in steps.changes):
            bring_in_line(self._writer, at=self._at)
        actions = tuple(
            replace(one, episode_ids=tuple(known.get(id_, id_) for id_ in one.episode_ids)) for one in steps.actions
        )
        return Written(ids=known, event_ids=tuple(self._event_ids), review_ids=review_ids, actions=actions)


def write_steps(writer: StoreWriter, steps: Steps, *, at: datetime) -> Written:
    """Write a plan for what is there, in the transaction that is open."""
    writing = PlanWriter(writer, at=at)
    writing.change(steps.changes)
    return writing.finish(steps)


def _item(conflict: Conflict, ids: Mapping[str, str]) -> ReviewItem:
    older, newer = ids.get(conflict.older, conflict.older), ids.get(conflict.newer, conflict.newer)
    return replace(conflict.item, episode_id=newer, other_episode_id=older, cause=conflict_cause(older, newer))


def _change(change: Change, ids: Mapping[str, str]) -> Change:
    return replace(
        change,
        subject_id=ids.get(change.subject_id, change.subject_id),
        made=tuple(replace(one, members=tuple(ids.get(id_, id_) for id_ in one.members)) for one in change.made),
        fields=tuple(replace(one, episode_id=ids.get(one.episode_id, one.episode_id)) for one in change.fields),
        added=tuple(_edge(edge, ids) for edge in change.added),
        removed=tuple(_edge(edge, ids) for edge in change.removed),
    )


def _edge(edge: Edge, ids: Mapping[str, str]) -> Edge:
    return replace(
        edge, source_id=ids.get(edge.source_id, edge.source_id), target_id=ids.get(edge.target_id, edge.target_id)
    )
