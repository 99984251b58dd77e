"""Questions as rows: which are there, and a note of each that its lessons changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import exists, literal, select, update

from evolore.ports import QUERY_EDGES
from evolore.store.prepared import HERE, Prepared, among, as_json, written_out
from evolore.store.tables import edges, namespaces, queries, query_edges

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

QUERY_KINDS = frozenset(kind.value for kind in QUERY_EDGES)
KINDS = tuple(written_out(kind) for kind in sorted(QUERY_KINDS))
"""The kinds of edges that start at a question, as constants of a statement."""

IN_GRAPH = exists(
    select(literal(1))
    .where(
        edges.c.ns == query_edges.c.ns,
        edges.c.source_id == query_edges.c.query_id,
        edges.c.kind.in_(KINDS),
        edges.c.target_id == query_edges.c.target_id,
    )
    .correlate(query_edges)
)
"""Whether the edge of a row is in the graph."""

_NUMBER = Prepared(
    update(namespaces)
    .where(namespaces.c.ns == HERE)
    .values(query_seq=namespaces.c.query_seq + 1)
    .returning(namespaces.c.query_seq)
)
_ERASED = Prepared(
    update(namespaces).where(namespaces.c.ns == HERE).values(query_erasures=namespaces.c.query_erasures + 1)
)
_TOUCH = Prepared(update(queries).where(queries.c.ns == HERE, queries.c.id.in_(among("ids"))), "touched_seq")
_THERE = Prepared(select(queries.c.id).where(queries.c.ns == HERE, queries.c.id.in_(among("ids"))))


def touch(connection: Connection, ns: int, ids: Collection[str]) -> None:
    """Note that what some questions teach changed: indexes that are open read them anew."""
    if ids:
        numbered = _NUMBER.first(connection, {"here": ns})
        assert numbered is not None
        _TOUCH.run(connection, {"here": ns, "ids": as_json(sorted(ids)), "touched_seq": numbered[0]})


def count_erasure(connection: Connection, ns: int) -> None:
    """Note that questions left: indexes that are open begin anew."""
    _ERASED.run(connection, {"here": ns})


def there_of(connection: Connection, ns: int, ids: Collection[str]) -> frozenset[str]:
    """Give those of these questions that are there."""
    if not ids:
        return frozenset()
    rows: list[tuple[Any, ...]] = _THERE.all(connection, {"here": ns, "ids": as_json(sorted(ids))})
    return frozenset(id_ for (id_,) in rows)
