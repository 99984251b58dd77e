"""``record``: a question is taken down with what was handed over for it, and leaves its edges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.checks import check_name, checked_word
from evolore.domain.queries import Given, Outcome
from evolore.errors import InvalidValue
from evolore.flows.asked import among_given, query_with_id, question_vector
from evolore.flows.calibrations import Scales
from evolore.flows.evaluating_edges import leave_edges
from evolore.flows.rating import follow_ratings, refuse_other_citations
from evolore.ports import NewQuery
from evolore.queries.edges import edges_of
from evolore.queries.outcomes import first_outcome, rests_on
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    import numpy.typing as npt

    from evolore.domain.answers import Hit, Recall
    from evolore.domain.queries import QueryRecord
    from evolore.flows.context import Context
    from evolore.ports import StoreWriter


def record(
    context: Context,
    recall: Recall,
    *,
    cited: Iterable[str] = (),
    outcome: Outcome | str | None = None,
    answer_id: str | None = None,
) -> QueryRecord:
    """Take a question down with the hits that were handed over, in one transaction with the edges it leaves.

    One that was taken down already is completed by what is said here.

    Args:
        context: Where, and on whose behalf.
        recall: What it brought back.
        cited: Ids of episodes of hits the answer rests on, or their beginnings.
        outcome: What it led to, where the caller knows: ``bypass`` for an answer from a cache. None lets it be told by
            what was handed over and, later, by ratings.
        answer_id: The answer it was asked for.

    Raises:
        NamespaceNotFound: Nothing was written to this namespace yet.
        NotFound: A cited id was not handed over.
        AmbiguousId: It begins several ids of what was.
        InvalidValue: The outcome is none of the three, the answer's id is blank, the question was asked elsewhere, or
            somebody else than who asked says otherwise what the answer rests on.
    """
    stated = None if outcome is None else checked_word(Outcome, outcome, "outcome")
    check_name(answer_id, "answer_id")
    given = handed_over(recall.hits)
    named = among_given(given, cited)
    given = tuple(Given(episode_id=one.episode_id, rank=one.rank, is_cited=one.episode_id in named) for one in given)
    context.store.require(context.namespace)
    _refuse_elsewhere(context, recall)
    at = context.clock.now()
    if recall.query_id is not None:
        return _complete(context, recall, given, outcome=stated, answer_id=answer_id, at=at)
    new = replace(new_query(context, recall, given, outcome=stated, at=at), answer_id=answer_id)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        return take_down(context, writer, new, at=at)


def _complete(
    context: Context,
    recall: Recall,
    given: tuple[Given, ...],
    *,
    outcome: Outcome | None,
    answer_id: str | None,
    at: datetime,
) -> QueryRecord:
    """Say of a question that was taken down already what it led to, and on what its answer rests."""
    cited = [one.episode_id for one in given if one.is_cited] or None
    told = outcome
    if told is None and cited:
        told = _outcome(context, question_vector(context, recall.query.text), given)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        present = query_with_id(writer, recall.query_id or "")
        if cited is not None:
            refuse_other_citations(present, cited, by=context.principal)
        if outcome is None and (told is None or present.is_stated):
            told = present.outcome
        assert told is not None
        if outcome is not None or cited is not None:
            is_stated = present.is_stated or outcome is not None
            writer.set_outcome(present.id, told, is_stated=is_stated, cited=cited, at=at)
            follow_ratings(writer, query_with_id(writer, present.id), settings=context.query_settings, at=at)
        if answer_id is not None:
            writer.set_answer_id(present.id, answer_id, at=at)
        return query_with_id(writer, present.id)


def _refuse_elsewhere(context: Context, recall: Recall) -> None:
    """Refuse what another namespace or store brought back: its question is nobody's business here."""
    is_here = recall.namespace in {None, context.namespace}
    if is_here and recall.hits:
        with context.store.read(context.namespace) as reader:
            is_here = bool(reader.episodes([hit.episode.id for hit in recall.hits]))
    if not is_here:
        raise InvalidValue(
            "Nothing of what was recalled is here: record it with the memory that recalled it, and before it is forgotten."
        )


def new_query(
    context: Context,
    recall: Recall,
    given: tuple[Given, ...],
    *,
    outcome: Outcome | None = None,
    vector: npt.NDArray[np.float32] | None = None,
    at: datetime,
) -> NewQuery:
    """Give a question as it is taken down, outside of any transaction.

    Args:
        context: Where.
        recall: What it brought back.
        given: What was handed over of that.
        outcome: What it led to, where the caller knows.
        vector: The question's, shape (dimension,), where the caller has it.
        at: When it is taken down.
    """
    vector = question_vector(context, recall.query.text) if vector is None else vector
    return NewQuery(
        text=recall.query.text,
        language=detect_language(recall.query.text),
        intent=recall.intent,
        vector=vector,
        asked_at=recall.query.as_of or at,
        outcome=outcome or _outcome(context, vector, given),
        is_stated=outcome is not None,
        given=given,
    )


def _outcome(context: Context, vector: npt.NDArray[np.float32], given: tuple[Given, ...]) -> Outcome:
    """Tell what a question led to from what was handed over and what its answer rests on."""
    least = context.query_settings.bypass_probability
    return first_outcome(given, best_probability=_probability(context, vector, given), least=least)


def take_down(context: Context, writer: StoreWriter, new: NewQuery, *, at: datetime) -> QueryRecord:
    """Write a question with the edges it leaves, and give it as it is kept: edges are no part of that."""
    settings = context.query_settings
    query_id = writer.put_query(new, at=at)
    taken = writer.query(query_id)
    assert taken is not None
    leave_edges(writer, edges_of(query_id, taken.given, new.outcome, settings=settings), settings=settings, at=at)
    return taken


def handed_over(hits: Sequence[Hit]) -> tuple[Given, ...]:
    """Give the hits' own episodes as what was handed over, each once with its best rank."""
    best: dict[str, int] = {}
    for hit in hits:
        best.setdefault(hit.episode.id, hit.rank)
    return tuple(Given(episode_id=id_, rank=rank) for id_, rank in best.items())


def _probability(context: Context, vector: npt.NDArray[np.float32], given: Sequence[Given]) -> float | None:
    """Give how likely question and episode are of one matter, where an answer rests on one; None elsewhere."""
    used = rests_on(given)
    if len(used) != 1:
        return None
    with context.store.index(context.namespace) as (view, reader):
        number = view.numbers.get(used[0].episode_id)
        found = reader.episodes([used[0].episode_id])
        if number is None or not found:
            return None
        model = context.embedder.model
        scale = Scales(context.calibrations, model, reader.calibrations(model.id)).of(found[0].language)
        row = view.vectors.rows_of(np.array([number], dtype=np.int32))
        return float(scale.probability(scale.cosines(vector[np.newaxis], row))[0, 0])
