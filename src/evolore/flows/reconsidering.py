"""What questions led to follows from their ratings; where somebody's count no longer, from those of the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.queries import Rating
from evolore.flows.asked import lie_apart
from evolore.ports import Reconsidered
from evolore.queries.edges import edges_of
from evolore.queries.outcomes import rated_outcome, rests_on
from evolore.queries.timing import at_once, enters_at_once

if TYPE_CHECKING:
    from evolore.domain.queries import Outcome, QueryRecord
    from evolore.ports import StoreReader
    from evolore.queries.settings import QuerySettings


def outcome_by_ratings(reader: StoreReader, record: QueryRecord, *, settings: QuerySettings) -> Outcome:
    """Say what a question led to, as its ratings say."""
    used = [one.episode_id for one in rests_on(record.given)]
    return rated_outcome(
        record.outcome,
        is_stated=record.is_stated,
        rating=record.rating,
        used=len(used),
        lies_apart=record.rating is Rating.GOOD and lie_apart(reader, used, distance=settings.insight_distance),
    )


def reconsidered(reader: StoreReader, principal: str | None, *, settings: QuerySettings) -> tuple[Reconsidered, ...]:
    """Give what becomes of the questions that somebody rated without having asked, had that never been.

    A question of which the others' ratings say the same, and on which as much rests, stays as it is.
    """
    found: list[Reconsidered] = []
    for query_id in reader.rated_by(principal):
        before = reader.query(query_id)
        assert before is not None
        after = _without(reader, before, principal)
        if (after.rating, after.given) == (before.rating, before.given):
            continue
        outcome = outcome_by_ratings(reader, after, settings=settings)
        edges = edges_of(query_id, after.given, outcome, settings=settings)
        found.append(
            Reconsidered(
                query_id=query_id,
                outcome=outcome,
                edges=edges,
                entering=tuple(at_once(edge) for edge in edges if enters_at_once(edge, settings)),
                is_uncited=after.given != before.given,
            )
        )
    return tuple(found)


def _without(reader: StoreReader, record: QueryRecord, principal: str | None) -> QueryRecord:
    """Give a question without what somebody said of it: the rating, and what the answer rests on if nobody else did."""
    ratings = tuple(one for one in record.ratings if one.principal != principal)
    said = reader.cited_by(record.id)
    left = {record.principal, *(one.principal for one in ratings)}
    if said is None or said & left:
        return replace(record, ratings=ratings)
    return replace(record, ratings=ratings, given=tuple(replace(one, is_cited=False) for one in record.given))
