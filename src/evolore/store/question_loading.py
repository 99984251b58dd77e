"""What questions teach is read from the tables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from evolore.domain.queries import Rating
from evolore.store.prepared import HERE, Prepared, among, as_json
from evolore.store.query_rows import KINDS
from evolore.store.rows import moment
from evolore.store.tables import edges, queries, query_edges, query_texts, query_vectors, ratings
from evolore.store.teaching_periods import Entered, Said, lessons

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from sqlalchemy import Connection

    from evolore.store.question_lessons import Taught

_FETCHED = 4096
_TOUCHED = Prepared(
    select(queries.c.id, queries.c.principal, queries.c.asked_at, queries.c.recorded_at)
    .where(queries.c.ns == HERE, queries.c.touched_seq > bindparam("after"))
    .order_by(queries.c.id)
)
_EDGES = Prepared(
    select(edges.c.source_id, edges.c.target_id, edges.c.weight, edges.c.created_at).where(
        edges.c.ns == HERE, edges.c.source_id.in_(among("ids")), edges.c.kind.in_(KINDS)
    )
)
_RATINGS = Prepared(
    select(ratings.c.query_id, ratings.c.principal, ratings.c.rating, ratings.c.rated_at).where(
        ratings.c.ns == HERE, ratings.c.query_id.in_(among("ids")), ratings.c.withdrawn_by.is_(None)
    )
)
_CITED = Prepared(
    select(query_edges.c.query_id, query_edges.c.target_id, query_edges.c.cited_at).where(
        query_edges.c.ns == HERE, query_edges.c.query_id.in_(among("ids")), query_edges.c.is_cited
    )
)
_KEYS = Prepared(
    select(query_vectors.c.query_id, query_vectors.c.data, query_texts.c.tokens)
    .join_from(
        query_vectors,
        query_texts,
        (query_texts.c.ns == query_vectors.c.ns) & (query_texts.c.query_id == query_vectors.c.query_id),
    )
    .where(
        query_vectors.c.ns == HERE,
        query_vectors.c.query_id.in_(among("ids")),
        query_vectors.c.model_id == bindparam("model"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that was touched, and what it teaches and taught.

    Args:
        id: Which.
        asked_at: When it was asked, seconds since 1970 UTC.
        lessons: By episode, then by principal; none where all that it taught was taken back.
    """

    id: str
    asked_at: float
    lessons: Taught


def touched(connection: Connection, ns: int, *, after: int) -> Generator[list[Question]]:
    """Give the questions that were touched behind a number of the namespace's, in the order of their ids, in parts."""
    rows: list[tuple[Any, ...]] = _TOUCHED.all(connection, {"here": ns, "after": after})
    for start in range(0, len(rows), _FETCHED):
        some = rows[start : start + _FETCHED]
        taught = _taught(connection, ns, {id_: (who, _seconds(recorded)) for id_, who, _, recorded in some})
        yield [
            Question(id=id_, asked_at=_seconds(asked_at), lessons=taught.get(id_, ())) for id_, _, asked_at, _ in some
        ]


def keys_of(connection: Connection, ns: int, ids: Iterable[str], *, model_id: str) -> dict[str, tuple[bytes, str]]:
    """Give vectors and words of those of these questions that have a vector of the model, as they are written."""
    rows = _KEYS.all(connection, {"here": ns, "ids": as_json(ids), "model": model_id})
    return {id_: (data, tokens) for id_, data, tokens in rows}


def _taught(connection: Connection, ns: int, asked: Mapping[str, tuple[str | None, float]]) -> dict[str, Taught]:
    """Give what each of some questions teaches, given who asked it and when it was recorded."""
    these = {"here": ns, "ids": as_json(asked)}
    said: defaultdict[str, list[Said]] = defaultdict(list)
    for id_, who, rating, rated_at in _RATINGS.all(connection, these):
        said[id_].append(Said(_seconds(rated_at), who or None, rating == Rating.GOOD.value))
    cited: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for id_, target_id, cited_at in _CITED.all(connection, these) if said else ():
        cited[id_][target_id] = _seconds(cited_at)
    entered: defaultdict[str, list[Entered]] = defaultdict(list)
    for id_, target_id, weight, entered_at in _EDGES.all(connection, these):
        entered[id_].append(Entered(_seconds(entered_at), target_id, weight))
    return {
        id_: lessons(
            principal=asked[id_][0],
            since=asked[id_][1],
            ratings=said.get(id_, ()),
            cited=cited.get(id_, {}),
            edges=entered.get(id_, ()),
        )
        for id_ in said.keys() | entered.keys()
    }


def _seconds(written: str) -> float:
    return moment(written).timestamp()
