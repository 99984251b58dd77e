"""A namespace as records that JSON can hold: everything that is not derived, with ids, times and events as they are."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, cast

from sqlalchemy import ColumnElement, RowMapping, Select, Table, and_, exists, false, func, select, true

from evolore.store import tables
from evolore.store.selects import joined
from evolore.store.tables import (
    chunks,
    documents,
    episodes,
    index_log,
    payloads,
    query_vectors,
    review_items,
    vectors,
    versions,
)

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence

    from sqlalchemy import Connection

    from evolore.ports import JsonValue, Record

BATCH = 500
NESTED = frozenset((documents, versions, chunks, episodes, payloads))
LEFT_OUT = tables.WHOLE_STORE | {tables.stagings, tables.event_episodes, vectors, index_log}
FLAT = tuple(table for table in tables.metadata.sorted_tables if table not in NESTED | LEFT_OUT)
"""Tables whose rows stand alone, one a record: edges, review items, events, and whatever else a schema has."""
DERIVED = {tables.query_texts: ("tokens",)}
"""Columns of theirs that follow from others."""


def records(connection: Connection, ns: int, *, model_id: str, with_vectors: bool) -> Generator[Record]:
    """Give every row of a namespace that is visible and not derived, a document and its outlines as one record.

    The namespace's own row comes first, then documents, each before its episodes, then statements, then everything else; in the order of their ids.
    Holds one document or a batch in memory.
    """
    vectors_of = model_id if with_vectors else None
    made = select(tables.namespaces.c.created_at).where(tables.namespaces.c.ns == ns)
    yield {"table": tables.namespaces.name, "created_at": connection.execute(made).scalar_one()}
    for id_ in connection.scalars(_ids(ns)).all():
        document, leaf_ids = _document(connection, ns, id_)
        yield document
        yield from _episodes(connection, ns, sorted(leaf_ids), vectors_of)
    statements = select(episodes.c.id).where(episodes.c.ns == ns, episodes.c.document_id.is_(None))
    in_order = statements.order_by(episodes.c.id).execution_options(yield_per=BATCH)
    for ids in connection.scalars(in_order).partitions(BATCH):
        yield from _episodes(connection, ns, ids, vectors_of)
    for table in FLAT:
        is_wanted = _is_wanted(table, vectors_of)
        query = select(table).where(table.c.ns == ns, is_wanted).order_by(*table.primary_key.columns)
        for row in connection.execute(query.execution_options(yield_per=BATCH)).mappings():
            yield {"table": table.name, **plain(table, row, without=("ns", *DERIVED.get(table, ())))}


def _is_wanted(table: Table, vectors_of: str | None) -> ColumnElement[bool]:
    """Leave out review items of a version that is just being added, and vectors that nobody asked for."""
    if table is query_vectors:
        return false() if vectors_of is None else query_vectors.c.model_id == vectors_of
    if table is not review_items:
        return true()
    staged = and_(documents.c.id == review_items.c.document_id, documents.c.version < review_items.c.version)
    return ~exists().where(joined(review_items, documents, staged)).correlate(review_items)


def _ids(ns: int) -> Select[str]:
    return select(documents.c.id).where(documents.c.ns == ns, documents.c.version > 0).order_by(documents.c.id)


def plain(table: Table, row: RowMapping, *, without: Iterable[str]) -> Record:
    """Give a row's columns by name as JSON holds them."""
    values: Record = {}
    for column in table.columns:
        if column.name not in without:
            value = cast("JsonValue | bytes", row[column.name])
            values[column.name] = value.hex() if isinstance(value, bytes) else value
    return values


def _document(connection: Connection, ns: int, document_id: str) -> tuple[Record, set[str]]:
    """Give a document with its visible versions and their outlines, and the ids of their leaves."""
    this = connection.execute(select(documents).where(documents.c.ns == ns, documents.c.id == document_id)).mappings()
    row = this.one()
    contents: list[JsonValue] = []
    leaf_ids: set[str] = set()
    here = (versions.c.ns == ns, versions.c.document_id == document_id, versions.c.number <= row["version"])
    for version in connection.execute(select(versions).where(*here).order_by(versions.c.number)).mappings().all():
        belong = (chunks.c.ns == ns, chunks.c.document_id == document_id, chunks.c.version == version["number"])
        nodes = connection.execute(select(chunks).where(*belong).order_by(chunks.c.ordinal)).mappings().all()
        outline: list[JsonValue] = [plain(chunks, node, without=("ns", "document_id", "version")) for node in nodes]
        leaf_ids.update(node["episode_id"] for node in nodes if node["episode_id"] is not None)
        contents.append({**plain(versions, version, without=("ns", "document_id")), "chunks": outline})
    return {"table": documents.name, **plain(documents, row, without=("ns",)), "versions": contents}, leaf_ids


def _episodes(connection: Connection, ns: int, ids: Sequence[str], vectors_of: str | None) -> Generator[Record]:
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        said = _payloads(connection, ns, batch, vectors_of)
        places = _places(connection, ns, batch)
        query = select(episodes).where(episodes.c.ns == ns, episodes.c.id.in_(batch)).order_by(episodes.c.id)
        for row in connection.execute(query).mappings():
            values = plain(episodes, row, without=("ns",))
            yield {
                "table": episodes.name,
                **values,
                "log_seq": places.get(row["id"]),
                "payloads": said.get(row["id"], []),
            }


def _payloads(
    connection: Connection, ns: int, episode_ids: Sequence[str], vectors_of: str | None
) -> dict[str, list[JsonValue]]:
    here = (payloads.c.ns == ns, payloads.c.episode_id.in_(episode_ids))
    packed = {} if vectors_of is None else _vectors(connection, ns, episode_ids, vectors_of)
    found: dict[str, list[JsonValue]] = {}
    for row in connection.execute(select(payloads).where(*here).order_by(payloads.c.id)).mappings():
        values = plain(payloads, row, without=("ns", "episode_id", "tokens", "names", "periods"))
        if row["id"] in packed:
            values["vector"] = b64encode(packed[row["id"]]).decode("ascii")
        found.setdefault(row["episode_id"], []).append(values)
    return found


def _vectors(connection: Connection, ns: int, episode_ids: Sequence[str], model_id: str) -> dict[str, bytes]:
    owned = select(payloads.c.id).where(payloads.c.ns == ns, payloads.c.episode_id.in_(episode_ids))
    here = (vectors.c.ns == ns, vectors.c.model_id == model_id, vectors.c.payload_id.in_(owned))
    return {row.payload_id: row.data for row in connection.execute(select(vectors).where(*here))}


def _places(connection: Connection, ns: int, episode_ids: Sequence[str]) -> dict[str, int]:
    """Give the number each episode that is in the indexes has in their log: the order recall breaks ties by."""
    here = (index_log.c.ns == ns, index_log.c.episode_id.in_(episode_ids))
    last = select(func.max(index_log.c.seq)).where(*here).group_by(index_log.c.episode_id)
    entries = select(index_log).where(index_log.c.ns == ns, index_log.c.seq.in_(last), index_log.c.present)
    return {row.episode_id: row.seq for row in connection.execute(entries)}
