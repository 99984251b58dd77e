"""A plan is written: names of what was planned become ids."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolore.flows.planning import conflict_cause

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from evolore.domain.episodes import Edge
    from evolore.flows.planning import Action, Steps
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


def write_steps(writer: StoreWriter, steps: Steps, ids: Mapping[str, str], *, at: datetime) -> Written:
    """Write a plan in the transaction that is open.

    Args:
        writer: Where.
        steps: The plan, made against exactly what the writer sees.
        ids: The ids of planned statements that were written already, by their names.
        at: The moment.
    """
    known = dict(ids)
    event_ids: list[str] = []
    for planned in steps.changes:
        applied = writer.apply(_change(planned.change, known), at=at)
        known.update(zip(planned.names, (one.id for one in applied.made), strict=True))
        event_ids.append(applied.event_id)
    if steps.links:
        writer.link([_edge(edge, known) for edge in steps.links], at=at)
    items = [
        replace(
            conflict.item,
            episode_id=known.get(conflict.newer, conflict.newer),
            other_episode_id=known.get(conflict.older, conflict.older),
            cause=conflict_cause(known.get(conflict.older, conflict.older), known.get(conflict.newer, conflict.newer)),
        )
        for conflict in steps.conflicts
    ]
    review_ids = writer.file_review_items(items, at=at) if items else ()
    actions = tuple(
        replace(one, episode_ids=tuple(known.get(id_, id_) for id_ in one.episode_ids)) for one in steps.actions
    )
    return Written(ids=known, event_ids=tuple(event_ids), review_ids=review_ids, actions=actions)


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
