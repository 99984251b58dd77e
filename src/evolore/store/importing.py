"""Records of an export become rows again, each checked before it is written."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, cast

from sqlalchemy import LargeBinary, Table, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from evolore.errors import InvalidValue
from evolore.store.exporting import FLAT
from evolore.store.history import name_episodes
from evolore.store.record_forms import FORMS
from evolore.store.record_values import check_value, shown
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
    vectors,
    versions,
)
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel, Record
    from evolore.store.batch import Row

_BATCH = 2000
_DERIVED = frozenset(("vector", "tokens", "names", "periods", "arousal"))


def check_record(record: Record) -> None:
    """Refuse a record that is not of the form an export has.

    Raises:
        InvalidValue: A field is missing, unknown or of another form.
    """
    for _ in rows_of(0, record, has_keys=False):
        pass


def rows_of(ns: int, record: Record, *, has_keys: bool) -> Generator[tuple[Table, Row]]:
    """Give the rows a record stands for, vectors and the index log aside.

    Args:
        ns: The namespace's number.
        record: The record.
        has_keys: Whether what is indexed of texts was made anew; what stands in an export there counts for nothing.

    Raises:
        InvalidValue: A field is missing, unknown or of another form.
    """
    fields = {name: value for name, value in record.items() if name != "table"}
    match record.get("table"):
        case documents.name:
            yield from _document_rows(ns, fields)
        case episodes.name:
            yield from _episode_rows(ns, fields, has_keys=has_keys)
        case namespaces.name:
            created = namespaces.c.created_at
            check_value(created, fields.get("created_at"), is_there=True, form=FORMS[created])
        case unknown:
            table = next((table for table in FLAT if table.name == unknown), None)
            if table is None:
                raise InvalidValue(f"table is {shown(unknown)}: correct it, or take the version that wrote the export.")
            yield table, _row(table, fields, ns=ns, **_derived(table, fields))


def _derived(table: Table, fields: Record) -> dict[str, str]:
    """Give the columns of a row that stands alone which an export leaves out: the words of a question."""
    text = fields.get("text")
    return {"tokens": " ".join(query_tokens(text if isinstance(text, str) else ""))} if table is query_texts else {}


def _document_rows(ns: int, fields: Record) -> Generator[tuple[Table, Row]]:
    contents = _part(fields, "versions")
    yield documents, _row(documents, fields, ns=ns)
    for content in contents:
        belongs: Row = {"ns": ns, "document_id": fields["id"]}
        nodes = _part(content, "chunks")
        version = _row(versions, content, **belongs)
        yield versions, version
        for node in nodes:
            yield chunks, _row(chunks, node, **belongs, version=version["number"])


def _episode_rows(ns: int, fields: Record, *, has_keys: bool) -> Generator[tuple[Table, Row]]:
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
    """Give what is indexed of a text as its columns hold it; empty where it has none."""
    periods = cast("list[list[str]]", payload.get("periods", []))
    return {
        "tokens": payload.get("tokens", ""),
        "names": "\n".join(cast("list[str]", payload.get("names", []))),
        "periods": " ".join("/".join(ends) for ends in periods),
    }


def _part(fields: Record, name: str) -> list[Record]:
    """Take a list of records out of a record."""
    value = fields.pop(name, None)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InvalidValue(f"{name} is {shown(value)}: a list of objects belongs there.")
    return [dict(cast("Record", item)) for item in value]


def _row(table: Table, fields: Record, **known: object) -> Row:
    columns = {column.name: column for column in table.columns}
    unknown = set(fields) - (set(columns) - set(known))
    if unknown:
        raise InvalidValue(f"{table.name} has no field {min(unknown)!r}: leave it out, or correct its name.")
    for name, column in columns.items():
        if name not in known:
            check_value(column, fields.get(name), is_there=name in fields, form=FORMS.get(column))
    values: Row = {**fields, **known}
    for name, column in columns.items():
        if isinstance(column.type, LargeBinary) and isinstance(values.get(name), str):
            values[name] = bytes.fromhex(values[name])
    return values


def put_records(connection: Connection, ns: int, taken: Iterable[Record], *, model: EmbeddingModel) -> None:
    """Write records whose payloads have their tokens and vectors, into a namespace that holds nothing.

    Raises:
        InvalidValue: The namespace holds something, or a record is not of the form an export has.
    """
    if not is_empty(connection, ns):
        raise InvalidValue("The namespace is not empty: import into one that nothing was written to yet.")
    waiting: dict[Table, list[Row]] = {}
    count = 0
    for record in taken:
        if record.get("table") == namespaces.name:
            created = update(namespaces).where(namespaces.c.ns == ns)
            connection.execute(created.values(created_at=record["created_at"]))
        for table, row in (*rows_of(ns, record, has_keys=True), *_vector_rows(ns, record, model)):
            if table is not query_vectors or _is_of(model, row):
                waiting.setdefault(table, []).append(row)
                count += 1
        if count >= _BATCH:
            _flush(connection, waiting)
            count = 0
    _flush(connection, waiting)
    _close(connection, ns)


def _is_of(model: EmbeddingModel, row: Row) -> bool:
    """Tell whether a question's vector comes from a model; those that do not are made anew later."""
    return row["model_id"] == model.id and len(row["data"]) == 2 * model.dimension


def _flush(connection: Connection, waiting: dict[Table, list[Row]]) -> None:
    for table, rows in waiting.items():
        try:
            connection.execute(insert(table), rows)
        except IntegrityError as error:
            raise InvalidValue(f"Two {table.name} of the export have one key: {error.orig}. Export again.") from error
    waiting.clear()


def _vector_rows(ns: int, record: Record, model: EmbeddingModel) -> Generator[tuple[Table, Row]]:
    if record.get("table") == episodes.name:
        for payload in cast("list[Record]", record["payloads"]):
            made = {"model_id": model.id, "data": b64decode(str(payload["vector"])), "arousal": payload["arousal"]}
            yield vectors, {"ns": ns, "payload_id": payload["id"], **made}


def _close(connection: Connection, ns: int) -> None:
    """Let the namespace's own row say where its log and its chain end."""
    last_entry = select(index_log.c.seq).where(index_log.c.ns == ns).order_by(index_log.c.seq.desc()).limit(1)
    last_event = select(events.c.seq, events.c.hash).where(events.c.ns == ns).order_by(events.c.seq.desc()).limit(1)
    end = connection.execute(last_event).first()
    done: int = connection.scalar(select(func.max(maintenance.c.seq)).where(maintenance.c.ns == ns)) or 0
    touched: int = connection.scalar(select(func.max(queries.c.touched_seq)).where(queries.c.ns == ns)) or 0
    # What comes next was not maintained.
    values: Row = {"log_seq": max(connection.scalar(last_entry) or 0, done), "query_seq": touched}
    if end is not None:
        values |= {"event_seq": end.seq, "event_hash": end.hash}
    connection.execute(update(namespaces).where(namespaces.c.ns == ns).values(values))
    name_episodes(connection, ns)


def is_empty(connection: Connection, ns: int) -> bool:
    """Tell whether a namespace holds nothing: no row, and no event that something was forgotten."""
    own = [table for table in metadata.sorted_tables if table not in WHOLE_STORE]
    return not any(connection.execute(select(table.c.ns).where(table.c.ns == ns).limit(1)).first() for table in own)
