"""The edges around episodes, stored ones and those that follow from places, in one query."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    and_,
    bindparam,
    func,
    literal,
    or_,
    select,
    tuple_,
    union_all,
)

from evolore.domain.episodes import Edge, EdgeKind
from evolore.errors import InvalidValue
from evolore.store.prepared import Prepared, among, as_json
from evolore.store.selects import AnySelect, Number, standing
from evolore.store.tables import chunks, documents, edges, episodes

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from sqlalchemy import FromClause, Select

MAX_IDS = 10_000
_QUERIES = sorted(kind.value for kind in (EdgeKind.QUERY_BYPASS, EdgeKind.QUERY_INSIGHT, EdgeKind.QUERY_RETRIEVAL))
_DERIVED = frozenset((EdgeKind.SEQUENCE, EdgeKind.HIERARCHY))
_DIGITS = "0123456789"


def edges_around(
    connection: Connection,
    ns: int,
    ids: Sequence[str],
    *,
    kinds: Collection[EdgeKind] | None,
    hidden: bool,
    limit: int,
) -> tuple[Edge, ...]:
    """Give the edges that begin or end at some episodes, heaviest first, then by kind and ends.

    Raises:
        InvalidValue: It is asked of too many episodes.
    """
    if len(ids) > MAX_IDS:
        raise InvalidValue(f"The edges around {len(ids):,} episodes were asked for: ask for {MAX_IDS:,} at a time.")
    wanted = frozenset(EdgeKind) if kinds is None else frozenset(kinds)
    if not ids or not wanted:
        return ()
    rows = _around(wanted, hidden=hidden).rows(
        connection, {"here": ns, "ids": as_json(dict.fromkeys(ids)), "most": limit}
    )
    return tuple(
        Edge(source_id=row.source_id, target_id=row.target_id, kind=EdgeKind(row.kind), weight=row.weight)
        for row in rows
    )


@lru_cache(maxsize=1024)  # building it takes twenty times as long as running it
def _around(kinds: frozenset[EdgeKind], *, hidden: bool) -> Prepared:
    return Prepared(select_around(bindparam("here", type_=Integer), kinds, hidden=hidden))


def select_around(ns: Number, kinds: frozenset[EdgeKind], *, hidden: bool) -> AnySelect:
    """Select the edges around the episodes that the parameter ``ids`` lists."""
    named = among("ids")
    parts: list[AnySelect] = []
    if kinds - _DERIVED:
        parts += [_stored(ns, end.in_(named), kinds - _DERIVED) for end in (edges.c.source_id, edges.c.target_id)]
    for is_later in (True, False):
        if EdgeKind.SEQUENCE in kinds:
            parts += [_said_beside(ns, named, is_later=is_later, hidden=hidden), _read_beside(ns, named, is_later)]
        if EdgeKind.HIERARCHY in kinds:
            parts.append(_under_one_part(ns, named, is_later=is_later))
    found = union_all(*parts).subquery()
    ends = (found.c.source_id, found.c.kind, found.c.target_id)
    heaviest = func.max(found.c.weight)
    query = select(*ends, heaviest.label("weight")).where(_is_there(found.c.source_id), _is_there(found.c.target_id))
    if not hidden:
        has_source = or_(found.c.kind.in_(_QUERIES), _stands(ns, found.c.source_id))
        query = query.where(_stands(ns, found.c.target_id), has_source)
    query = query.group_by(*ends).order_by(heaviest.desc(), found.c.kind, found.c.source_id, found.c.target_id)
    return query.limit(bindparam("most"))


def _is_there(id_: ColumnElement[str]) -> ColumnElement[bool]:
    """Tell whether an end was found; ``is not null`` would let SQLite walk an index of all rather than look ids up."""
    return func.coalesce(id_, "") != ""


def _stands(ns: Number, id_: ColumnElement[str]) -> ColumnElement[bool]:
    one = episodes.alias()
    return select(literal(1)).where(one.c.ns == ns, one.c.id == id_, standing(one)).exists()


def _edge(source: ColumnElement[str], kind: EdgeKind, target: ColumnElement[str], *, is_later: bool) -> AnySelect:
    """Select an edge to what is later, or to what is asked of from what is earlier."""
    first, last = (source, target) if is_later else (target, source)
    return select(
        first.label("source_id"),
        literal(kind.value).label("kind"),
        last.label("target_id"),
        literal(1.0).label("weight"),
    )


def _stored(ns: Number, is_at_end: ColumnElement[bool], kinds: Collection[EdgeKind]) -> AnySelect:
    """Select stored edges by one of their ends: both at once, with OR, would walk the namespace."""
    of_kind = edges.c.kind.in_(sorted(kind.value for kind in kinds))
    return select(edges.c.source_id, edges.c.kind, edges.c.target_id, edges.c.weight).where(
        edges.c.ns == ns, is_at_end, of_kind
    )


def _said_beside(ns: Number, among: Select[str], *, is_later: bool, hidden: bool) -> AnySelect:
    """Select the edges between statements and what stands next to them in their session."""
    this, other = episodes.alias(), episodes.alias()
    here, there = tuple_(this.c.position, this.c.id), tuple_(other.c.position, other.c.id)
    in_order = (other.c.position, other.c.id) if is_later else (other.c.position.desc(), other.c.id.desc())
    beside = select(other.c.id).where(
        other.c.ns == ns, other.c.session == this.c.session, there > here if is_later else there < here
    )
    if not hidden:
        beside = beside.where(standing(other))
    found = beside.order_by(*in_order).limit(1).correlate(this).scalar_subquery()
    return _edge(this.c.id, EdgeKind.SEQUENCE, found, is_later=is_later).where(this.c.ns == ns, this.c.id.in_(among))


def _read_beside(ns: Number, among: Select[str], is_later: bool) -> AnySelect:  # noqa: FBT001 - as the others have it
    """Select the edges between passages and what stands next to them in the visible version of their document."""
    this, other = chunks.alias(), chunks.alias()
    beside = select(other.c.episode_id).where(
        *_of_one_version(ns, this, other),
        other.c.ordinal > this.c.ordinal if is_later else other.c.ordinal < this.c.ordinal,
    )
    ordered = beside.order_by(other.c.ordinal if is_later else other.c.ordinal.desc()).limit(1)
    found = ordered.correlate(this).scalar_subquery()
    return _edge(this.c.episode_id, EdgeKind.SEQUENCE, found, is_later=is_later).where(_is_visible(ns, this, among))


def _under_one_part(ns: Number, among: Select[str], *, is_later: bool) -> AnySelect:
    """Select the edges between passages that stand directly under one part of a document."""
    this, other = chunks.alias(), chunks.alias()
    is_beside = other.c.ordinal > this.c.ordinal if is_later else other.c.ordinal < this.c.ordinal
    same = and_(*_of_one_version(ns, this, other), is_beside, _part(other.c.outline) == _part(this.c.outline))
    edge = _edge(this.c.episode_id, EdgeKind.HIERARCHY, other.c.episode_id, is_later=is_later)
    return edge.select_from(this).join(other, same).where(_is_visible(ns, this, among), _part(this.c.outline) != "")


def _of_one_version(ns: Number, this: FromClause, other: FromClause) -> tuple[ColumnElement[bool], ...]:
    return (
        other.c.ns == ns,
        other.c.document_id == this.c.document_id,
        other.c.version == this.c.version,
        other.c.episode_id.is_not(None),
    )


def _is_visible(ns: Number, this: FromClause, among: Select[str]) -> ColumnElement[bool]:
    version = select(documents.c.version).where(documents.c.ns == ns, documents.c.id == this.c.document_id)
    return and_(
        this.c.ns == ns, this.c.episode_id.in_(among), this.c.version == version.correlate(this).scalar_subquery()
    )


def _part(outline: ColumnElement[str]) -> ColumnElement[str]:
    """Give the code of the part an outline code stands in, with a dot behind; empty for one at the top."""
    return func.rtrim(outline, _DIGITS)
