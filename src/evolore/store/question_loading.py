"""What questions teach is read from the tables."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select

from evolore.domain.queries import Rating
from evolore.store.prepared_reads import HERE, PreparedRead, among, as_json
from evolore.store.query_rows import KINDS
from evolore.store.question_lessons import Lesson
from evolore.store.rows import moment
from evolore.store.tables import edges, queries, query_edges, query_texts, query_vectors, ratings

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from sqlalchemy import Connection

    from evolore.store.question_lessons import Taught

_FETCHED = 4096
_TOUCHED = PreparedRead(
    select(queries.c.id, queries.c.principal, queries.c.asked_at)
    .where(queries.c.ns == HERE, queries.c.touched_seq > bindparam("after"))
    .order_by(queries.c.id)
)
_EDGES = PreparedRead(
    select(edges.c.source_id, edges.c.target_id, edges.c.weight).where(
        edges.c.ns == HERE, edges.c.source_id.in_(among("ids")), edges.c.kind.in_(KINDS)
    )
)
_RATINGS = PreparedRead(
    select(ratings.c.query_id, ratings.c.principal, ratings.c.rating).where(
        ratings.c.ns == HERE, ratings.c.query_id.in_(among("ids")), ratings.c.withdrawn_by.is_(None)
    )
)
_CITED = PreparedRead(
    select(query_edges.c.query_id, query_edges.c.target_id).where(
        query_edges.c.ns == HERE, query_edges.c.query_id.in_(among("ids")), query_edges.c.is_cited
    )
)
_KEYS = PreparedRead(
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
    """A question that was touched, and what it teaches now.

    Args:
        id: Which.
        asked_at: When it was asked, seconds since 1970 UTC.
        lessons: By episode, then by principal; none where it teaches nothing any more.
    """

    id: str
    asked_at: float
    lessons: Taught


def touched(connection: Connection, ns: int, *, after: int) -> Generator[list[Question]]:
    """Give the questions that were touched behind a number of the namespace's, in the order of their ids, in parts."""
    rows: list[tuple[Any, ...]] = _TOUCHED.all(connection, {"here": ns, "after": after})
    for start in range(0, len(rows), _FETCHED):
        some = rows[start : start + _FETCHED]
        taught = _taught(connection, ns, {id_: principal for id_, principal, _ in some})
        yield [
            Question(id=id_, asked_at=moment(asked_at).timestamp(), lessons=taught.get(id_, ()))
            for id_, _, asked_at in some
        ]


def keys_of(connection: Connection, ns: int, ids: Iterable[str], *, model_id: str) -> dict[str, tuple[bytes, str]]:
    """Give vectors and words of those of these questions that have a vector of the model, as they are written."""
    rows = _KEYS.all(connection, {"here": ns, "ids": as_json(ids), "model": model_id})
    return {id_: (data, tokens) for id_, data, tokens in rows}


def _taught(connection: Connection, ns: int, principals: dict[str, str | None]) -> dict[str, Taught]:
    """Give what each of some questions teaches, by who rated it good, else by who asked it; those that teach nothing are left out."""
    these = {"here": ns, "ids": as_json(principals)}
    good = _teachers(_RATINGS.all(connection, these))
    found: defaultdict[str, list[Lesson]] = defaultdict(list)
    rated: set[tuple[str, str]] = set()
    cited = _CITED.all(connection, these) if good else []
    for id_, target_id in cited:
        for who in good.get(id_, ()):
            found[id_].append(Lesson(target_id=target_id, weight=1.0, is_rated=True, principal=who or None))
            rated.add((id_, target_id))
    for id_, target_id, weight in _EDGES.all(connection, these):
        if (id_, target_id) not in rated:
            # Where ratings made an insight of it, those who rated teach, and not whoever asked: one is one.
            found[id_] += [
                Lesson(target_id=target_id, weight=weight, is_rated=False, principal=who or None)
                for who in good.get(id_) or [principals[id_]]
            ]
    return {id_: tuple(sorted(lessons, key=_by_target)) for id_, lessons in found.items()}


def _teachers(rows: Iterable[Sequence[Any]]) -> dict[str, list[str]]:
    """Give who rated the answer good, for each question that more did than did not."""
    balance: defaultdict[str, int] = defaultdict(int)
    good: defaultdict[str, list[str]] = defaultdict(list)
    for id_, who, rating in rows:
        is_good = rating == Rating.GOOD.value
        balance[id_] += 1 if is_good else -1
        if is_good:
            good[id_].append(who)
    return {id_: names for id_, names in good.items() if balance[id_] > 0}


def _by_target(lesson: Lesson) -> tuple[str, str]:
    return lesson.target_id, lesson.principal or ""
