"""Edges as rows: read, written and deleted by their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, insert, select, update

from evolore.domain.episodes import EdgeKind
from evolore.errors import InvalidValue
from evolore.store.change_sets import EdgeRow
from evolore.store.prepared import HERE, Prepared, among, as_json
from evolore.store.query_rows import KINDS
from evolore.store.tables import edges, episodes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from evolore.domain.episodes import Edge
    from evolore.store.batch import Batch, Row

_NEVER_STORED = frozenset((EdgeKind.SEQUENCE, EdgeKind.HIERARCHY))
_LINKS = frozenset((EdgeKind.SEMANTIC, EdgeKind.ECHO))
_THIS = (
    edges.c.ns == bindparam("here"),
    edges.c.source_id == bindparam("source"),
    edges.c.kind == bindparam("of"),
    edges.c.target_id == bindparam("target"),
)
_AS_ROWS = (edges.c.source_id, edges.c.kind, edges.c.target_id, edges.c.weight, edges.c.created_at)
_OF_QUESTIONS = (
    select(*_AS_ROWS)
    .where(edges.c.ns == HERE, edges.c.source_id.in_(among("ids")), edges.c.kind.in_(KINDS))
    .order_by(edges.c.source_id, edges.c.kind, edges.c.target_id)
)
_ASKED = Prepared(_OF_QUESTIONS)
_ASKED_OF_ONE = Prepared(_OF_QUESTIONS.where(edges.c.target_id == bindparam("target")))
_READ = Prepared(select(edges.c.weight, edges.c.created_at).where(*_THIS))
_INSERT = Prepared(insert(edges))
_DELETE = Prepared(delete(edges).where(*_THIS))
_WEIGH = Prepared(update(edges).where(*_THIS).values(weight=bindparam("new")))
_PRESENT = Prepared(select(episodes.c.id).where(episodes.c.ns == bindparam("here"), episodes.c.id.in_(among("ids"))))


def edge_rows(batch: Batch, keys: Collection[tuple[str, str, str]]) -> dict[tuple[str, str, str], EdgeRow]:
    """Give those of these edges that are there."""
    found: dict[tuple[str, str, str], EdgeRow] = {}
    for key in sorted(keys):
        row = _READ.first(batch.connection, _named(batch, key))
        if row is not None:
            found[key] = EdgeRow(source_id=key[0], kind=key[1], target_id=key[2], weight=row[0], created_at=row[1])
    return found


def edges_of_questions(batch: Batch, query_ids: Iterable[str], *, target_id: str | None = None) -> tuple[EdgeRow, ...]:
    """Give the edges that start at some questions, all or those to one episode, in the order of their keys."""
    these = {"here": batch.ns, "ids": as_json(query_ids)}
    if target_id is None:
        found = _ASKED.all(batch.connection, these)
    else:
        found = _ASKED_OF_ONE.all(batch.connection, {**these, "target": target_id})
    names = tuple(column.name for column in _AS_ROWS)
    return tuple(EdgeRow(**dict(zip(names, row, strict=True))) for row in found)


def insert_edges(batch: Batch, new: Iterable[EdgeRow]) -> None:
    """Write edges that are not there."""
    rows = [
        {
            "ns": batch.ns,
            "source_id": one.source_id,
            "target_id": one.target_id,
            "kind": one.kind,
            "weight": one.weight,
            "created_at": one.created_at,
        }
        for one in new
    ]
    if rows:
        _INSERT.run(batch.connection, *rows)


def delete_edges(batch: Batch, gone: Iterable[EdgeRow]) -> None:
    """Delete edges by their keys."""
    rows = [_named(batch, one.key) for one in gone]
    if rows:
        _DELETE.run(batch.connection, *rows)


def link(batch: Batch, new: Collection[Edge]) -> None:
    """Write edges that follow from texts: those that are there take a new weight, ends that are gone take none.

    Raises:
        InvalidValue: One is of a kind that is an event's to write.
    """
    for edge in new:
        if edge.kind not in _LINKS:
            raise InvalidValue(f"An edge of kind {edge.kind.value!r} cannot be linked: write it with a change.")
    wanted = {(edge.source_id, edge.kind.value, edge.target_id): float(edge.weight) for edge in new}
    ends = {end for source, _, target in wanted for end in (source, target)}
    present = frozenset(_PRESENT.scalars(batch.connection, {"here": batch.ns, "ids": as_json(sorted(ends))}))
    there = edge_rows(batch, wanted)
    insert_edges(
        batch,
        [
            EdgeRow(source_id=key[0], kind=key[1], target_id=key[2], weight=weight, created_at=batch.recorded_at)
            for key, weight in wanted.items()
            if key not in there and key[0] in present and key[2] in present
        ],
    )
    changed = [
        {**_named(batch, key), "new": weight}
        for key, weight in wanted.items()
        if key in there and there[key].weight != weight
    ]
    if changed:
        _WEIGH.run(batch.connection, *changed)


def refuse_derived(new: Iterable[Edge]) -> None:
    """Refuse edges of kinds that follow from places.

    Raises:
        InvalidValue: One is of such a kind.
    """
    for edge in new:
        if edge.kind in _NEVER_STORED:
            raise InvalidValue(f"An edge of kind {edge.kind.value!r} follows from places and is never stored.")


def _named(batch: Batch, key: tuple[str, str, str]) -> Row:
    return {"here": batch.ns, "source": key[0], "of": key[1], "target": key[2]}
