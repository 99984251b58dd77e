"""Edges as rows: read, written and deleted by their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import bindparam, delete, insert, select, tuple_, update

from evolore.domain.episodes import EdgeKind
from evolore.errors import InvalidValue
from evolore.store.change_sets import EdgeRow
from evolore.store.tables import edges, episodes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from evolore.domain.episodes import Edge
    from evolore.store.batch import Batch

_BATCH = 300
_NEVER_STORED = frozenset((EdgeKind.SEQUENCE, EdgeKind.HIERARCHY))
_LINKS = frozenset((EdgeKind.SEMANTIC, EdgeKind.ECHO))
_KEY = (edges.c.source_id, edges.c.kind, edges.c.target_id)


def edge_rows(batch: Batch, keys: Collection[tuple[str, str, str]]) -> dict[tuple[str, str, str], EdgeRow]:
    """Give those of these edges that are there."""
    wanted = sorted(keys)
    found: dict[tuple[str, str, str], EdgeRow] = {}
    for start in range(0, len(wanted), _BATCH):
        here = (edges.c.ns == batch.ns, tuple_(*_KEY).in_(wanted[start : start + _BATCH]))
        for row in batch.connection.execute(select(*_KEY, edges.c.weight, edges.c.created_at).where(*here)).mappings():
            edge = EdgeRow(**row)
            found[edge.key] = edge
    return found


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
        batch.connection.execute(insert(edges), rows)


def delete_edges(batch: Batch, gone: Iterable[EdgeRow]) -> None:
    """Delete edges by their keys."""
    rows = [{"source": one.source_id, "of": one.kind, "target": one.target_id} for one in gone]
    if rows:
        this = (
            edges.c.ns == batch.ns,
            edges.c.source_id == bindparam("source"),
            edges.c.kind == bindparam("of"),
            edges.c.target_id == bindparam("target"),
        )
        batch.connection.execute(delete(edges).where(*this), rows)


def link(batch: Batch, new: Collection[Edge]) -> None:
    """Write edges that follow from texts: those that are there take a new weight, ends that are gone take none.

    Raises:
        InvalidValue: One is of a kind that is an event's to write.
    """
    for edge in new:
        if edge.kind not in _LINKS:
            raise InvalidValue(f"An edge of kind {edge.kind.value!r} cannot be linked: write it with a change.")
    wanted = {(edge.source_id, edge.kind.value, edge.target_id): float(edge.weight) for edge in new}
    present = _present(batch, sorted({end for source, _, target in wanted for end in (source, target)}))
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
        {"source": key[0], "of": key[1], "target": key[2], "new": weight}
        for key, weight in wanted.items()
        if key in there and there[key].weight != weight
    ]
    if changed:
        this = (
            edges.c.ns == batch.ns,
            edges.c.source_id == bindparam("source"),
            edges.c.kind == bindparam("of"),
            edges.c.target_id == bindparam("target"),
        )
        batch.connection.execute(update(edges).where(*this).values(weight=bindparam("new")), changed)


def refuse_derived(new: Iterable[Edge]) -> None:
    """Refuse edges of kinds that follow from places.

    Raises:
        InvalidValue: One is of such a kind.
    """
    for edge in new:
        if edge.kind in _NEVER_STORED:
            raise InvalidValue(f"An edge of kind {edge.kind.value!r} follows from places and is never stored.")


def _present(batch: Batch, ids: Sequence[str]) -> frozenset[str]:
    found: set[str] = set()
    for start in range(0, len(ids), _BATCH):
        here = (episodes.c.ns == batch.ns, episodes.c.id.in_(ids[start : start + _BATCH]))
        found.update(batch.connection.scalars(select(episodes.c.id).where(*here)))
    return frozenset(found)
