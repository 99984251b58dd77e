"""``rate``: somebody says whether an answer served, and what it rests on is trusted more or less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.checks import check_text, checked_word
from evolore.domain.episodes import EdgeKind
from evolore.domain.queries import Rating
from evolore.errors import InvalidValue
from evolore.flows.asked import among_given, query_with_id
from evolore.flows.evaluating_edges import INSIGHT, Evaluated, Left, leave_edges
from evolore.flows.rated_documents import (
    RatedDocument,
    feedback_of_query,
    rate_document,
    rateable,
    refuse_for_documents,
)
from evolore.flows.rated_effects import Effects, Felt, felt_of
from evolore.flows.reconsidering import outcome_by_ratings
from evolore.flows.undone import undo_if_possible
from evolore.queries.edges import edges_of
from evolore.queries.outcomes import rests_on

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from evolore.domain.episodes import Episode
    from evolore.domain.feedback import Feedback
    from evolore.domain.queries import QueryRecord
    from evolore.flows.context import Context
    from evolore.ports import QueryEdge, StoreWriter
    from evolore.queries.settings import QuerySettings

ENTERED = "query_edges_entered"
"""The kind of an event by which edges of questions entered the graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedQuery:
    """What a rating did.

    Args:
        query: The question as it is now, with all ratings that count.
        episodes: The episodes whose confidence or arousal this rating moved, as they are now.
        event_ids: The events of that, and of edges that entered the graph; ``undo`` takes each back.
        evaluated: The episodes that were evaluated because of it.
        capped: How many episodes it would have moved too, had the same person not moved them as often as one may.
        feedback: What it says of the documents that the answer rests on.
    """

    query: QueryRecord
    episodes: tuple[Episode, ...] = ()
    event_ids: tuple[str, ...] = ()
    evaluated: tuple[Evaluated, ...] = ()
    capped: int = 0
    feedback: tuple[Feedback, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What is said of an answer, checked."""

    rating: Rating
    comment: str | None
    is_helpful: bool


def rate(
    context: Context,
    query_id: str,
    rating: Rating | str,
    *,
    comment: str | None = None,
    cited: Iterable[str] | None = None,
    is_helpful: bool = False,
) -> RatedQuery:
    """Note whether an answer served, in one transaction with all that follows.

    One person's later rating takes the place of the earlier one, whose effect is taken back first.

    Args:
        context: Where, and on whose behalf.
        query_id: The question, or the beginning of its id.
        rating: ``good`` or ``bad``.
        comment: Why.
        cited: Ids of the episodes the answer rests on, or their beginnings; None for what was said before.
        is_helpful: Whether it helped with the step it was asked for; of a good one.

    Raises:
        NotFound: No question has the id, or a cited episode was not handed over for it.
        AmbiguousId: It begins several ids.
        InvalidValue: The rating is none, the comment blank, or a bad answer called helpful; or somebody else than who
            asked says otherwise what the answer rests on.
    """
    said = _read(rating, comment, is_helpful=is_helpful)
    settings = context.query_settings
    with context.store.read(context.namespace) as reader:
        before = query_with_id(reader, query_id)
    felt = felt_of(context, before)
    named = None if cited is None else among_given(before.given, cited)
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        present = query_with_id(writer, before.id)  # others may have rated it, or erased it, meanwhile
        if named is not None:
            refuse_other_citations(present, named, by=context.principal)
        effects = Effects(writer, principal=context.principal, most=settings.most_per_principal, at=at)
        effects.take_back(present)
        if named is not None:
            writer.set_outcome(present.id, present.outcome, is_stated=present.is_stated, cited=named, at=at)
        writer.rate_query(present.id, said.rating, comment=said.comment, at=at)  # its effects follow it in the chain
        rated = query_with_id(writer, present.id)
        moved = _move(effects, rated, said, felt)
        left = follow_ratings(writer, rated, settings=settings, at=at)
        feedback = feedback_of_query(writer, rated, said.rating, comment=said.comment, at=at)
        return RatedQuery(
            query=query_with_id(writer, present.id),
            episodes=writer.episodes(sorted(moved)),
            event_ids=(*effects.event_ids, *left.event_ids),
            evaluated=left.evaluated,
            capped=effects.capped,
            feedback=feedback,
        )


def rate_item(
    context: Context,
    item_id: str,
    rating: Rating | str,
    *,
    comment: str | None = None,
    cited: Iterable[str] | None = None,
    is_helpful: bool = False,
) -> RatedQuery | RatedDocument:
    """Note whether an answer served, or a document, whichever an id or the beginning of one names.

    Raises:
        NotFound: It names none, or a cited episode was not handed over.
        AmbiguousId: It begins several ids.
        InvalidValue: As ``rate`` says; or a document is said to cite or to help.
    """
    with context.store.read(context.namespace) as reader:
        named = rateable(reader, item_id)
    if named.document_id is None:
        query_id = named.query_id or item_id
        return rate(context, query_id, rating, comment=comment, cited=cited, is_helpful=is_helpful)
    refuse_for_documents(cited=cited is not None, helpful=is_helpful)
    return rate_document(context, named.document_id, rating, comment=comment)


def _read(rating: Rating | str, comment: str | None, *, is_helpful: bool) -> _Said:
    word = checked_word(Rating, rating, "rating")
    if comment is not None:
        check_text(comment, "comment")
    if is_helpful and word is Rating.BAD:
        raise InvalidValue("helpful goes with a good rating: leave it out, or rate the answer 'good'.")
    return _Said(rating=word, comment=comment, is_helpful=is_helpful)


def refuse_other_citations(query: QueryRecord, named: Collection[str], *, by: str | None) -> None:
    """Refuse that somebody says otherwise what an answer rests on than the one it was given to did."""
    if query.cited_ids and by != query.principal and set(query.cited_ids) != set(named):
        raise InvalidValue(
            f"What the answer to {query.id} rests on was said already: leave cited out. Only whoever asked may say it anew."
        )


def _move(effects: Effects, rated: QueryRecord, said: _Said, felt: Felt | None) -> frozenset[str]:
    """Move the confidence of what an answer rests on, and how strongly what it cites was felt."""
    if said.rating is Rating.BAD:
        return effects.distrust([one.episode_id for one in rests_on(rated.given)])
    moved = effects.trust(rated.cited_ids, is_helpful=said.is_helpful)
    return moved | effects.resonate(rated.cited_ids, felt)


def follow_ratings(writer: StoreWriter, rated: QueryRecord, *, settings: QuerySettings, at: datetime) -> Left:
    """Let outcome and edges of a question follow from its ratings."""
    outcome = outcome_by_ratings(writer, rated, settings=settings)
    if outcome is not rated.outcome:
        writer.set_outcome(rated.id, outcome, is_stated=rated.is_stated, cited=None, at=at)
    edges = edges_of(rated.id, rated.given, outcome, settings=settings)
    _withdraw_insight(writer, rated.id, but=edges, at=at)
    return leave_edges(writer, edges, settings=settings, at=at)


def _withdraw_insight(writer: StoreWriter, query_id: str, *, but: Iterable[QueryEdge], at: datetime) -> None:
    """Take edges of an insight that is none any more, or rests on something else, out of the graph again."""
    kept = {edge.target_id for edge in but if edge.kind is EdgeKind.QUERY_INSIGHT}
    for event in reversed(writer.history(query_id)):
        is_its_own = event.kind == ENTERED and event.reason == INSIGHT and event.undone_by is None
        if is_its_own and not kept & set(event.episode_ids):
            undo_if_possible(writer, event.id, at=at)
