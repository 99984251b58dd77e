"""Metadata and tags: one row for each name of each document or statement."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, delete, func, insert, select

from evolore.domain.metadata import Metadata, MetadataValue
from evolore.store.tables import attributes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sqlalchemy import Connection, ScalarSelect, Select

    from evolore.domain.metadata import Labels

TAG = "tag"
_BOOL = "bool"
_NUMBER = "number"
_TEXT = "text"
_NONE = "[]"
_NO_METADATA = Metadata()


def written(value: MetadataValue) -> tuple[str, str]:
    """Give a value's kind and the one way it is written, so that equal values are equal rows.

    >>> written(2024), written(True), written("2024")
    (('number', '2024'), ('bool', 'true'), ('text', '2024'))
    """
    if isinstance(value, bool):
        return _BOOL, "true" if value else "false"
    return (_TEXT, value) if isinstance(value, str) else (_NUMBER, repr(value))


def read(kind: str, value: str) -> MetadataValue:
    """Read a value back."""
    if kind == _TEXT:
        return value
    parsed: int | float | bool = json.loads(value)
    return parsed


def insert_labels(connection: Connection, ns: int, labels: Iterable[tuple[str, Labels]]) -> None:
    """Write the metadata and tags of documents or statements that have none yet, each after its id."""
    rows = [
        {"ns": ns, "owner_id": owner_id, "name": name, "kind": kind, "value": value}
        for owner_id, given in labels
        for name, kind, value in _entries(given.metadata or {}, given.tags or ())
    ]
    if rows:
        connection.execute(insert(attributes), rows)


def replace_labels(connection: Connection, ns: int, owner_id: str, labels: Labels) -> None:
    """Replace the metadata and tags of a document or statement; what is None stays as it is."""
    here = (attributes.c.ns == ns, attributes.c.owner_id == owner_id)
    if labels.metadata is not None:
        connection.execute(delete(attributes).where(*here, attributes.c.kind != TAG))
    if labels.tags is not None:
        connection.execute(delete(attributes).where(*here, attributes.c.kind == TAG))
    insert_labels(connection, ns, [(owner_id, labels)])


def _entries(metadata: Mapping[str, MetadataValue], tags: Iterable[str]) -> list[tuple[str, str, str]]:
    """Give the name, kind and value of each row."""
    return [*((name, *written(value)) for name, value in metadata.items()), *((tag, TAG, "") for tag in tags)]


def labels_column(ns: int | ColumnElement[int], owner_id: ColumnElement[Any]) -> ScalarSelect[str]:
    """Select the metadata and tags of the row's owner as one column, to be read by ``metadata_in`` and ``tags_in``."""
    one = func.json_array(attributes.c.name, attributes.c.kind, attributes.c.value)
    owned = select(func.json_group_array(func.json(one))).where(
        attributes.c.ns == ns, attributes.c.owner_id == owner_id
    )
    return owned.scalar_subquery()


def labels_text(labels: Labels) -> str:
    """Write metadata and tags as a column of labels reads."""
    return json.dumps(_entries(labels.metadata or {}, labels.tags or ()))


def metadata_in(labels: str) -> Metadata:
    """Read the metadata out of a column of labels."""
    if labels == _NONE:  # as most have it
        return _NO_METADATA
    return Metadata({name: read(kind, value) for name, kind, value in json.loads(labels) if kind != TAG})


def tags_in(labels: str) -> tuple[str, ...]:
    """Read the tags out of a column of labels, sorted."""
    if labels == _NONE:
        return ()
    return tuple(sorted(name for name, kind, _ in json.loads(labels) if kind == TAG))


def select_owners(ns: int, *, metadata: Mapping[str, MetadataValue], tags: Iterable[str]) -> list[Select[str]]:
    """Select, for each name and tag by itself, the documents and statements that have it."""
    return [
        select(attributes.c.owner_id).where(
            attributes.c.ns == ns, attributes.c.name == name, attributes.c.kind == kind, attributes.c.value == value
        )
        for name, kind, value in _entries(metadata, tags)
    ]
