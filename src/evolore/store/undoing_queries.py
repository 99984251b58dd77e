"""What undoing does to questions: what an event says of them beside the graph follows it, there and back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, update

from evolore.errors import NotFound
from evolore.store.evolution_erasing import free_said, mark_said
from evolore.store.handed_rows import note_entered, write_deltas
from evolore.store.prepared import HERE, Prepared, among, as_json
from evolore.store.query_rows import there_of, touch
from evolore.store.tables import queries, ratings

if TYPE_CHECKING:
    from collections.abc import Collection

    from evolore.store.batch import Batch
    from evolore.store.change_sets import ChangeSet, Withdrawal
    from evolore.store.history import Past
    from evolore.store.question_deltas import QuestionDeltas

_MARK_ASKED = Prepared(
    update(queries).where(queries.c.ns == HERE, queries.c.id.in_(among("ids")), queries.c.withdrawn_by.is_(None)),
    "withdrawn_by",
)
_MARK_RATED = Prepared(
    update(ratings).where(
        ratings.c.ns == HERE,
        ratings.c.query_id.in_(among("ids")),
        ratings.c.principal == bindparam("whose"),
        ratings.c.withdrawn_by.is_(None),
        ratings.c.rated_at <= bindparam("until"),
    ),
    "withdrawn_by",
)
_FREE_ASKED = Prepared(
    update(queries).where(queries.c.ns == HERE, queries.c.withdrawn_by == bindparam("mark")).values(withdrawn_by=None)
)
_FREE_RATED = Prepared(
    update(ratings).where(ratings.c.ns == HERE, ratings.c.withdrawn_by == bindparam("mark")).values(withdrawn_by=None)
)


def left_of(batch: Batch, back: ChangeSet, episode_ids: Collection[str]) -> ChangeSet:
    """Give what of a change is left to be done where episodes and questions are gone.

    Raises:
        NotFound: It was about questions alone, and all of them are.
    """
    edges = (*back.added, *back.removed)
    asked = there_of(batch.connection, batch.ns, {edge.source_id for edge in edges if edge.starts_at_question})
    there = asked.union(episode_ids)
    left = replace(
        back,
        fields=tuple(one for one in back.fields if one.episode_id in episode_ids),
        added=tuple(edge for edge in back.added if {edge.source_id, edge.target_id} <= there),
        removed=tuple(edge for edge in back.removed if {edge.source_id, edge.target_id} <= there),
    )
    if edges and not (left.fields or left.added or left.removed or left.withdrawal):
        raise NotFound("The event cannot be undone: the questions it was about were erased since, for good.")
    return left


def follow(batch: Batch, back: ChangeSet, target: Past, event_id: str) -> QuestionDeltas:
    """Let what is not in the graph follow an undoing: ratings, outcomes, what waits, and open indexes.

    Returns:
        What it did to questions beside the graph, so that it can be undone in turn.
    """
    written = write_deltas(batch, back.deltas)
    settled = {(one.query_id, one.target_id) for one in written.handed}
    others = [edge for edge in back.added if (edge.source_id, edge.target_id) not in settled]
    entered = note_entered(batch, others, event_id)
    changed = {edge.source_id for edge in (*back.added, *back.removed) if edge.starts_at_question}
    if (withdrawal := back.withdrawal) is not None:
        if withdrawal.is_back:
            free(batch, target.id)
        else:
            mark(batch, withdrawal, event_id, until=target.recorded_at)
        changed.update(withdrawal.asked, withdrawal.rated)
    touch(batch.connection, batch.ns, changed.union(written.questions))
    return replace(written, handed=(*written.handed, *entered))


def mark(batch: Batch, withdrawal: Withdrawal, event_id: str, *, until: str) -> None:
    """Let what a principal taught up to a moment count no longer."""
    known = {"here": batch.ns, "withdrawn_by": event_id}
    _MARK_ASKED.run(batch.connection, {**known, "ids": as_json(withdrawal.asked)})
    rated = {**known, "ids": as_json(withdrawal.rated), "whose": withdrawal.principal, "until": until}
    _MARK_RATED.run(batch.connection, rated)
    mark_said(batch, withdrawal.feedback, event_id)


def free(batch: Batch, event_id: str) -> None:
    """Let what an event took back count again."""
    for statement in (_FREE_ASKED, _FREE_RATED):
        statement.run(batch.connection, {"here": batch.ns, "mark": event_id})
    free_said(batch, event_id)
