"""Questions are taken down, and what is said of them later is noted beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import String, and_, bindparam, case, func, insert, literal, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from evolore.errors import NotFound
from evolore.store import rows
from evolore.store.event_kinds import EventKind
from evolore.store.prepared import HERE, Prepared, among, as_json
from evolore.store.query_rows import IN_GRAPH, there_of, touch
from evolore.store.tables import episodes, queries, query_edges, query_texts, query_vectors, ratings
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import Connection

    from evolore.domain.queries import Outcome, Rating
    from evolore.ports import EmbeddingModel, NewQuery, QueryEdge, Vectors
    from evolore.store.batch import Batch

NOBODY = ""
"""Stands in a key for the principal of whoever did not say."""

_QUERY = Prepared(insert(queries))
_TEXT = Prepared(insert(query_texts))
_VECTOR = Prepared(insert(query_vectors).prefix_with("or replace"))
_NAMES = ("ns", "query_id", "target_id", "rank", "is_cited", "cited_at", "led_to_insight")
_GIVEN = Prepared(
    insert(query_edges).from_select(
        _NAMES,
        select(*(bindparam(name, type_=query_edges.c[name].type) for name in _NAMES)).where(
            select(literal(1)).where(episodes.c.ns == HERE, episodes.c.id == bindparam("target_id")).exists()
        ),
        include_defaults=False,
    )
)
_OUTCOME = Prepared(
    update(queries).where(queries.c.ns == HERE, queries.c.id == bindparam("of")), "outcome", "is_stated"
)
_ANSWERED = Prepared(update(queries).where(queries.c.ns == HERE, queries.c.id == bindparam("of")), "answer_id")
_IS_CITED = query_edges.c.target_id.in_(among("cited"))
_CITED = Prepared(
    update(query_edges)
    .where(query_edges.c.ns == HERE, query_edges.c.query_id == bindparam("of"), query_edges.c.is_cited != _IS_CITED)
    .values(is_cited=~query_edges.c.is_cited, cited_at=case((_IS_CITED, bindparam("at", type_=String))))
    .returning(query_edges.c.target_id)
)
_SAID = Prepared(
    select(queries.c.outcome, queries.c.is_stated).where(queries.c.ns == HERE, queries.c.id == bindparam("of"))
)
_IS_OPEN = (
    query_edges.c.ns == HERE,
    query_edges.c.query_id == bindparam("of"),
    query_edges.c.evaluated_by.is_(None),
    ~IN_GRAPH,
)
_NEW = upsert(ratings)
_IS_SAID = and_(ratings.c.rating == _NEW.excluded.rating, ratings.c.withdrawn_by.is_(None))
_RATING = Prepared(
    _NEW.on_conflict_do_update(
        index_elements=ratings.primary_key.columns,
        set_={
            "rating": _NEW.excluded.rating,
            "comment": _NEW.excluded.comment,
            "rated_at": case((_IS_SAID, ratings.c.rated_at), else_=_NEW.excluded.rated_at),
            "withdrawn_by": None,
        },
    )
)
"""Who says the same again has said it since the first time."""

_WAIT = Prepared(
    update(query_edges).where(*_IS_OPEN, query_edges.c.target_id == bindparam("to")),
    "kind",
    "led_to_insight",
    "entered_by",
)
_LEAVE = Prepared(
    update(query_edges)
    .where(*_IS_OPEN, query_edges.c.kind.is_not(None), query_edges.c.target_id.not_in(among("left")))
    .values(kind=None, led_to_insight=False, entered_by=None)
)
_HAS_VECTOR = select(literal(1)).where(
    query_vectors.c.ns == HERE,
    query_vectors.c.query_id == bindparam("of"),
    query_vectors.c.model_id == bindparam("model"),
    func.length(query_vectors.c.data) == bindparam("bytes"),
)
_VECTOR_THERE = Prepared(_HAS_VECTOR)


def put_query(batch: Batch, new: NewQuery, *, principal: str | None, model: EmbeddingModel) -> str:
    """Take a question down, and give its id; what was handed over and is not there any more is left out.

    Nothing is learned from it yet, so that no index hears of it.
    """
    id_ = new.id or batch.new_id()
    known = {"ns": batch.ns, "query_id": id_}
    row = {
        "ns": batch.ns,
        "id": id_,
        "intent": new.intent.value,
        "language": new.language.value,
        "outcome": new.outcome.value,
        "is_stated": new.is_stated,
        "principal": principal,
        "answer_id": new.answer_id,
        "asked_at": rows.timestamp(new.asked_at),
        "recorded_at": batch.recorded_at,
        "touched_seq": 0,
    }
    _QUERY.run(batch.connection, row)
    _TEXT.run(batch.connection, {**known, "text": new.text, "tokens": " ".join(query_tokens(new.text))})
    _VECTOR.run(batch.connection, {**known, "model_id": model.id, "data": rows.pack(new.vector)})
    given = [
        {
            **known,
            "here": batch.ns,
            "target_id": one.episode_id,
            "rank": one.rank,
            "is_cited": one.is_cited,
            "cited_at": batch.recorded_at if one.is_cited else None,
            "led_to_insight": False,
        }
        for one in new.given
    ]
    if given:
        _GIVEN.run(batch.connection, *given)
    return id_


def set_outcome(
    batch: Batch, query_id: str, outcome: Outcome, *, is_stated: bool, cited: Collection[str] | None
) -> None:
    """Say what a question led to, and on which of what was handed over its answer rests; None leaves that as it is.

    Raises:
        NotFound: No question has the id.
    """
    this = {"here": batch.ns, "of": query_id}
    said = _SAID.first(batch.connection, this)
    if said is None:
        raise _missing(query_id)
    is_new = (said[0], bool(said[1])) != (outcome.value, is_stated)
    if is_new:
        _OUTCOME.run(batch.connection, {**this, "outcome": outcome.value, "is_stated": is_stated})
    is_moved = cited is not None and _cite(batch, query_id, cited)
    if is_new or cited is not None:  # whoever says the same as somebody else did says it too
        named = {} if cited is None else {"cited": len(set(cited)), "confirms": not is_moved}
        body = {"outcome": outcome.value, "is_stated": is_stated, **named}
        batch.append_events(EventKind.OUTCOME_CHANGED, [(query_id, body)])


def set_answer_id(batch: Batch, query_id: str, answer_id: str) -> None:
    """Note for which answer a question was asked."""
    _ANSWERED.run(batch.connection, {"here": batch.ns, "of": query_id, "answer_id": answer_id})


def _cite(batch: Batch, query_id: str, cited: Collection[str]) -> bool:
    """Note on which of what was handed over an answer rests, and since when; tell whether that changed anything."""
    named = {"here": batch.ns, "of": query_id, "cited": as_json(sorted(cited)), "at": batch.recorded_at}
    is_moved = _CITED.first(batch.connection, named) is not None
    if is_moved:
        touch(batch.connection, batch.ns, [query_id])
    return is_moved


def rate_query(batch: Batch, query_id: str, rating: Rating, *, principal: str | None, comment: str | None) -> None:
    """Note what a principal said of an answer, in the place of what the same principal said before.

    Raises:
        NotFound: No question has the id.
    """
    if not there_of(batch.connection, batch.ns, [query_id]):
        raise _missing(query_id)
    row = {
        "ns": batch.ns,
        "query_id": query_id,
        "principal": principal or NOBODY,
        "rating": rating.value,
        "comment": comment,
        "rated_at": batch.recorded_at,
    }
    _RATING.run(batch.connection, row)
    touch(batch.connection, batch.ns, [query_id])
    batch.append_events(EventKind.QUERY_RATED, [(query_id, {"rating": rating.value})])


def put_query_edges(batch: Batch, edges: Collection[QueryEdge]) -> None:
    """Let the edges that questions leave wait, and those no longer that they left before and leave no more.

    What was evaluated, or is in the graph, stays; what is there no more waits again.
    """
    for query_id in sorted({edge.query_id for edge in edges}):
        left = sorted(edge.target_id for edge in edges if edge.query_id == query_id)
        _LEAVE.run(batch.connection, {"here": batch.ns, "of": query_id, "left": as_json(left)})
    waiting = [
        {
            "here": batch.ns,
            "of": edge.query_id,
            "to": edge.target_id,
            "kind": edge.kind.value,
            "led_to_insight": edge.led_to_insight,
            "entered_by": None,
        }
        for edge in edges
    ]
    if waiting:
        _WAIT.run(batch.connection, *waiting)


def put_query_vectors(
    connection: Connection, ns: int, vectors: Mapping[str, Vectors], *, model: EmbeddingModel
) -> None:
    """Write the vectors of questions that are there and have none of the store's model."""
    wanted = {"here": ns, "model": model.id, "bytes": 2 * model.dimension}
    lacking = [
        id_
        for id_ in sorted(there_of(connection, ns, vectors))
        if _VECTOR_THERE.first(connection, {**wanted, "of": id_}) is None
    ]
    known = {"ns": ns, "model_id": model.id}
    packed = [{**known, "query_id": id_, "data": rows.pack(vectors[id_])} for id_ in lacking]
    if packed:
        _VECTOR.run(connection, *packed)
        touch(connection, ns, lacking)


def _missing(query_id: str) -> NotFound:
    return NotFound(f"No question has the id {query_id!r} here: `evolore queries` shows those that were taken down.")
