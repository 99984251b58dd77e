"""A namespace as JSON records, and such records as rows, each value checked before it is written."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.exc import IntegrityError

from evolore.errors import InvalidValue
from evolore.ports import EmbeddingModel, JsonValue, Record
from evolore.store import tables
from evolore.store.events import Row
from evolore.store.evolution_erasure import note_all_named
from evolore.store.forms import check_of
from evolore.store.history import name_episodes
from evolore.store.namespaces import MAINTAINED_AT
from evolore.store.selects import joined
from evolore.store.sql import Opened
from evolore.store.tables import (
    WHOLE_STORE,
    chunks,
    documents,
    episodes,
    events,
    index_log,
    maintenance,
    metadata,
    namespaces,
    payloads,
    queries,
    query_texts,
    query_vectors,
    review_items,
    vectors,
    versions,
)
from evolore.text.tokens import query_tokens

_SHOWN = 40
_TYPES: tuple[tuple[type[Any], tuple[type, ...], str], ...] = (
    (sa.Boolean, (bool,), "true or false"),
    (sa.Integer, (int,), "a whole number"),
    (sa.Float, (int, float), "a number"),
    (sa.LargeBinary, (str,), "bytes in hex"),
    (sa.String, (str,), "a text"),
)


def check_value(column: sa.Column[Any], value: object, *, is_there: bool) -> None:
    """Refuse a value that its column cannot hold, or that the export does not name at all."""
    name = f"{column.table.name}.{column.name}"
    if not is_there:
        raise InvalidValue(f"{name} is missing: an export has it; write it, or null where it is unknown.")
    if value is None and column.nullable:
        return
    accepted, wanted = next((python, said) for type_, python, said in _TYPES if isinstance(column.type, type_))
    if not isinstance(value, accepted) or (isinstance(value, bool) and bool not in accepted):
        raise InvalidValue(f"{name} is {shown(value)}: {wanted} belongs there.")
    form = bytes.fromhex if isinstance(column.type, sa.LargeBinary) else check_of(column)
    if not _is_fit(value, form):
        raise InvalidValue(f"{name} is {shown(value)}: that is no value it can have; correct it.")


def shown(value: object) -> str:
    """Write a value as an error names it: in ASCII, and cut short.

    >>> shown("a" * 41)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    """
    written = ascii(value)
    return written if len(written) <= _SHOWN else written[:_SHOWN] + "…"


def _is_fit(value: object, form: Callable[[Any], object] | None) -> bool:
    try:
        is_fit = _can_be_stored(value)
        if form is not None:
            form(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False
    return is_fit


def _can_be_stored(value: object) -> bool:
    if isinstance(value, str):
        value.encode("utf-8")  # half of a surrogate pair raises
        return "\0" not in value
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -(2**63) <= value < 2**63


BATCH = 500
NESTED = frozenset((documents, versions, chunks, episodes, payloads))
LEFT_OUT = tables.WHOLE_STORE | {
    tables.stagings,
    tables.event_episodes,
    tables.evolution_step_names,
    vectors,
    index_log,
}
FLAT = tuple(table for table in tables.metadata.sorted_tables if table not in NESTED | LEFT_OUT)
"""Tables whose rows are independent, one a record: edges, review items, events, and all others of a schema."""
DERIVED = {tables.query_texts: ("tokens",)}
"""Columns of theirs that follow from others."""


class ExportReader(Opened):
    """One namespace as records, at one moment."""

    def records(self, *, with_vectors: bool) -> Generator[Record]:
        """Return everything that is visible and not derived, a document and its outlines or an episode at a time.

        The namespace's own row comes first, then documents, each before its episodes, then statements, then everything
        else; in the order of their ids. Holds one document or a batch in memory.
        """
        vectors_of = self._model.id if with_vectors else None
        made = sa.select(tables.namespaces.c.created_at).where(tables.namespaces.c.ns == self._ns)
        yield {"table": tables.namespaces.name, "created_at": self._connection.execute(made).scalar_one()}
        visible = sa.select(documents.c.id).where(documents.c.ns == self._ns, documents.c.version > 0)
        for id_ in self._connection.scalars(visible.order_by(documents.c.id)).all():
            document, leaf_ids = _document(self._connection, self._ns, id_)
            yield document
            yield from _episodes(self._connection, self._ns, sorted(leaf_ids), vectors_of)
        statements = sa.select(episodes.c.id).where(episodes.c.ns == self._ns, episodes.c.document_id.is_(None))
        in_order = statements.order_by(episodes.c.id).execution_options(yield_per=BATCH)
        with self._connection.scalars(in_order) as found:
            for ids in found.partitions(BATCH):
                yield from _episodes(self._connection, self._ns, ids, vectors_of)
        for table in FLAT:
            is_wanted = _is_wanted(table, vectors_of)
            query = sa.select(table).where(table.c.ns == self._ns, is_wanted).order_by(*table.primary_key.columns)
            with self._connection.execute(query.execution_options(yield_per=BATCH)) as rows:
                for row in rows.mappings():
                    yield {"table": table.name, **plain(table, row, without=("ns", *DERIVED.get(table, ())))}


def _is_wanted(table: sa.Table, vectors_of: str | None) -> sa.ColumnElement[bool]:
    """Leave out review items of a version that is just being added, and vectors that were not asked for."""
    if table is query_vectors:
        return sa.false() if vectors_of is None else query_vectors.c.model_id == vectors_of
    if table is not review_items:
        return sa.true()
    staged = sa.and_(documents.c.id == review_items.c.document_id, documents.c.version < review_items.c.version)
    return ~sa.exists().where(joined(review_items, documents, staged)).correlate(review_items)


def plain(table: sa.Table, row: sa.RowMapping, *, without: Iterable[str]) -> Record:
    """Return a row's columns by name as JSON holds them."""
    values: Record = {}
    for column in table.columns:
        if column.name not in without:
            value = cast("JsonValue | bytes", row[column.name])
            values[column.name] = value.hex() if isinstance(value, bytes) else value
    return values


def _document(connection: sa.Connection, ns: int, document_id: str) -> tuple[Record, set[str]]:
    """Return a document with its visible versions and their outlines, and the ids of their leaves."""
    this = connection.execute(
        sa.select(documents).where(documents.c.ns == ns, documents.c.id == document_id)
    ).mappings()
    row = this.one()
    contents: list[JsonValue] = []
    leaf_ids: set[str] = set()
    here = (versions.c.ns == ns, versions.c.document_id == document_id, versions.c.number <= row["version"])
    for version in connection.execute(sa.select(versions).where(*here).order_by(versions.c.number)).mappings().all():
        belong = (chunks.c.ns == ns, chunks.c.document_id == document_id, chunks.c.version == version["number"])
        nodes = connection.execute(sa.select(chunks).where(*belong).order_by(chunks.c.ordinal)).mappings().all()
        outline: list[JsonValue] = [plain(chunks, node, without=("ns", "document_id", "version")) for node in nodes]
        leaf_ids.update(node["episode_id"] for node in nodes if node["episode_id"] is not None)
        contents.append({**plain(versions, version, without=("ns", "document_id")), "chunks": outline})
    return {"table": documents.name, **plain(documents, row, without=("ns",)), "versions": contents}, leaf_ids


def _episodes(connection: sa.Connection, ns: int, ids: Sequence[str], vectors_of: str | None) -> Generator[Record]:
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        said = _payloads(connection, ns, batch, vectors_of)
        places = _places(connection, ns, batch)
        query = sa.select(episodes).where(episodes.c.ns == ns, episodes.c.id.in_(batch)).order_by(episodes.c.id)
        for row in connection.execute(query).mappings():
            others: Record = {"log_seq": places.get(row["id"]), "payloads": said.get(row["id"], [])}
            yield {"table": episodes.name, **plain(episodes, row, without=("ns",)), **others}


def _payloads(
    connection: sa.Connection, ns: int, episode_ids: Sequence[str], vectors_of: str | None
) -> dict[str, list[JsonValue]]:
    here = (payloads.c.ns == ns, payloads.c.episode_id.in_(episode_ids))
    packed = {} if vectors_of is None else _vectors(connection, ns, episode_ids, vectors_of)
    found: dict[str, list[JsonValue]] = {}
    for row in connection.execute(sa.select(payloads).where(*here).order_by(payloads.c.id)).mappings():
        values = plain(payloads, row, without=("ns", "episode_id", "tokens", "names", "periods"))
        if row["id"] in packed:
            values["vector"] = b64encode(packed[row["id"]]).decode("ascii")
        found.setdefault(row["episode_id"], []).append(values)
    return found


def _vectors(connection: sa.Connection, ns: int, episode_ids: Sequence[str], model_id: str) -> dict[str, bytes]:
    owned = sa.select(payloads.c.id).where(payloads.c.ns == ns, payloads.c.episode_id.in_(episode_ids))
    here = (vectors.c.ns == ns, vectors.c.model_id == model_id, vectors.c.payload_id.in_(owned))
    return {row.payload_id: row.data for row in connection.execute(sa.select(vectors).where(*here))}


def _places(connection: sa.Connection, ns: int, episode_ids: Sequence[str]) -> dict[str, int]:
    """Return the number each episode that is in the indexes has in their log: the order recall breaks ties by."""
    here = (index_log.c.ns == ns, index_log.c.episode_id.in_(episode_ids))
    last = sa.select(sa.func.max(index_log.c.seq)).where(*here).group_by(index_log.c.episode_id)
    entries = sa.select(index_log).where(index_log.c.ns == ns, index_log.c.seq.in_(last), index_log.c.present)
    return {row.episode_id: row.seq for row in connection.execute(entries)}


_BATCH = 2000
_DERIVED = frozenset(("vector", "tokens", "names", "periods", "arousal"))


def check_record(record: Record) -> None:
    """Refuse a record that is not of the form an export has."""
    for _ in rows_of(0, record, has_keys=False):
        pass


def rows_of(ns: int, record: Record, *, has_keys: bool) -> Generator[tuple[sa.Table, Row]]:
    """Yield the rows a record represents, vectors and the index log aside; without ``has_keys`` what an export holds of keys is ignored."""
    fields = {name: value for name, value in record.items() if name != "table"}
    match record.get("table"):
        case documents.name:
            yield from _document_rows(ns, fields)
        case episodes.name:
            yield from _episode_rows(ns, fields, has_keys=has_keys)
        case namespaces.name:
            created = namespaces.c.created_at
            check_value(created, fields.get("created_at"), is_there=True)
        case unknown:
            table = next((table for table in FLAT if table.name == unknown), None)
            if table is None:
                raise InvalidValue(f"table is {shown(unknown)}: correct it, or take the version that wrote the export.")
            yield table, _row(table, fields, ns=ns, **_derived(table, fields))


def _derived(table: sa.Table, fields: Record) -> dict[str, str]:
    """Return the columns of an independent row which an export leaves out: the words of a question."""
    text = fields.get("text")
    return {"tokens": " ".join(query_tokens(text if isinstance(text, str) else ""))} if table is query_texts else {}


def _document_rows(ns: int, fields: Record) -> Generator[tuple[sa.Table, Row]]:
    contents = _part(fields, "versions")
    yield documents, _row(documents, fields, ns=ns)
    for content in contents:
        belongs: Row = {"ns": ns, "document_id": fields["id"]}
        nodes = _part(content, "chunks")
        version = _row(versions, content, **belongs)
        yield versions, version
        for node in nodes:
            yield chunks, _row(chunks, node, **belongs, version=version["number"])


def _episode_rows(ns: int, fields: Record, *, has_keys: bool) -> Generator[tuple[sa.Table, Row]]:
    said = _part(fields, "payloads")
    log_seq = fields.pop("log_seq", None)
    yield episodes, _row(episodes, fields, ns=ns)
    if (fields["about_subject"] is None) != (fields["about_attribute"] is None):
        raise InvalidValue("episodes.about_subject and about_attribute belong together: write both, or null for both.")
    for payload in said:
        own = {name: value for name, value in payload.items() if name not in _DERIVED}
        yield payloads, _row(payloads, own, ns=ns, episode_id=fields["id"], **_key_columns(payload if has_keys else {}))
    if log_seq is not None:
        entry: Record = {"seq": log_seq, "episode_id": fields["id"], "present": True}
        yield index_log, _row(index_log, entry, ns=ns)


def _key_columns(payload: Record) -> Row:
    """Return what is indexed of a text as its columns hold it; empty where it has none."""
    periods = cast("list[list[str]]", payload.get("periods", []))
    return {
        "tokens": payload.get("tokens", ""),
        "names": "\n".join(cast("list[str]", payload.get("names", []))),
        "periods": " ".join("/".join(ends) for ends in periods),
    }


def _part(fields: Record, name: str) -> list[Record]:
    """Remove a list of records from a record, and return it."""
    value = fields.pop(name, None)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidValue(f"{name} is {shown(value)}: a list of objects belongs there.")
    return [dict(cast("Record", item)) for item in value]


def _row(table: sa.Table, fields: Record, **known: object) -> Row:
    columns = {column.name: column for column in table.columns}
    unknown = set(fields) - (set(columns) - set(known))
    if unknown:
        raise InvalidValue(f"{table.name} has no field {min(unknown)!r}: leave it out, or correct its name.")
    for name, column in columns.items():
        if name not in known:
            check_value(column, fields.get(name), is_there=name in fields)
    values: Row = {**fields, **known}
    for name, column in columns.items():
        if isinstance(column.type, sa.LargeBinary) and isinstance(values.get(name), str):
            values[name] = bytes.fromhex(values[name])
    return values


def put_records(connection: sa.Connection, ns: int, taken: Iterable[Record], *, model: EmbeddingModel) -> None:
    """Write records whose payloads have their tokens and vectors, into a namespace that holds nothing.

    Raises:
        InvalidValue: The namespace holds something, or a record is not of the form an export has.
    """
    if not is_empty(connection, ns):
        raise InvalidValue("The namespace is not empty: import into one that nothing was written to yet.")
    waiting: dict[sa.Table, list[Row]] = {}
    count = 0
    for record in taken:
        if record.get("table") == namespaces.name:
            created = sa.update(namespaces).where(namespaces.c.ns == ns)
            connection.execute(created.values(created_at=record["created_at"]))
        for table, row in (*rows_of(ns, record, has_keys=True), *_vector_rows(ns, record, model)):
            # A question's vector that does not come from the model is made again later.
            if table is not query_vectors or (row["model_id"], len(row["data"])) == (model.id, 2 * model.dimension):
                waiting.setdefault(table, []).append(row)
                count += 1
        if count >= _BATCH:
            _flush(connection, waiting)
            count = 0
    _flush(connection, waiting)
    _close(connection, ns)


def _flush(connection: sa.Connection, waiting: dict[sa.Table, list[Row]]) -> None:
    for table, rows in waiting.items():
        try:
            connection.execute(sa.insert(table), rows)
        except IntegrityError as error:
            raise InvalidValue(f"Two {table.name} of the export have one key: {error.orig}. Export again.") from error
    waiting.clear()


def _vector_rows(ns: int, record: Record, model: EmbeddingModel) -> Generator[tuple[sa.Table, Row]]:
    if record.get("table") == episodes.name:
        for payload in cast("list[Record]", record["payloads"]):
            made = {"model_id": model.id, "data": b64decode(str(payload["vector"])), "arousal": payload["arousal"]}
            yield vectors, {"ns": ns, "payload_id": payload["id"], **made}


def _close(connection: sa.Connection, ns: int) -> None:
    """Write into the namespace's own row where its log and its chain end."""
    last_entry = sa.select(index_log.c.seq).where(index_log.c.ns == ns).order_by(index_log.c.seq.desc()).limit(1)
    last_event = sa.select(events.c.seq, events.c.hash).where(events.c.ns == ns).order_by(events.c.seq.desc()).limit(1)
    end = connection.execute(last_event).first()
    in_log = (maintenance.c.ns == ns, maintenance.c.task != MAINTAINED_AT)  # that one is a time
    done: int = connection.scalar(sa.select(sa.func.max(maintenance.c.seq)).where(*in_log)) or 0
    touched: int = connection.scalar(sa.select(sa.func.max(queries.c.touched_seq)).where(queries.c.ns == ns)) or 0
    # What comes next was not maintained.
    values: Row = {"log_seq": max(connection.scalar(last_entry) or 0, done), "query_seq": touched}
    if end is not None:
        values |= {"event_seq": end.seq, "event_hash": end.hash}
    connection.execute(sa.update(namespaces).where(namespaces.c.ns == ns).values(values))
    name_episodes(connection, ns)
    note_all_named(connection, ns)


def is_empty(connection: sa.Connection, ns: int) -> bool:
    """Return whether a namespace holds nothing: no row, and no event that something was forgotten."""
    own = [table for table in metadata.sorted_tables if table not in WHOLE_STORE]
    return not any(connection.execute(sa.select(table.c.ns).where(table.c.ns == ns).limit(1)).first() for table in own)
