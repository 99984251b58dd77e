"""Which embedding model a store has, and which one it is changing to: rows of ``settings`` that every process sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Connection, Table, and_, bindparam, delete, insert, select, update

from evolore.errors import EmbedderMismatch
from evolore.ports import EmbeddingModel
from evolore.store.prepared import Prepared
from evolore.store.tables import namespaces, settings, vectors

if TYPE_CHECKING:
    from pathlib import Path

ID, DIMENSION = "embedding_model", "embedding_dimension"
_NEXT_ID, _NEXT_DIMENSION = "next_embedding_model", "next_embedding_dimension"
_NUMBER = Prepared(
    select(settings.c.value, namespaces.c.ns)
    .join_from(settings, namespaces, namespaces.c.name == bindparam("called"), isouter=True)
    .where(settings.c.name == ID)
)
_NEXT = select(settings.c.value).where(settings.c.name == _NEXT_ID)


def stored_model(connection: Connection) -> EmbeddingModel:
    """Give the model that the store's vectors come from."""
    built_with = _values(connection)
    return EmbeddingModel(id=built_with.get(ID, "unknown"), dimension=int(built_with.get(DIMENSION, "1")))


def next_model(connection: Connection) -> EmbeddingModel | None:
    """Give the model that a change has begun to; None where none has."""
    values = _values(connection)
    if _NEXT_ID not in values:
        return None
    return EmbeddingModel(id=values[_NEXT_ID], dimension=int(values[_NEXT_DIMENSION]))


def begin_change(connection: Connection, model: EmbeddingModel) -> None:
    """Note that the store is changing to a model."""
    rows = {_NEXT_ID: model.id, _NEXT_DIMENSION: str(model.dimension)}
    connection.execute(insert(settings), [{"name": name, "value": value} for name, value in rows.items()])


def end_change(connection: Connection) -> None:
    """Take the note away."""
    connection.execute(delete(settings).where(settings.c.name.in_((_NEXT_ID, _NEXT_DIMENSION))))


def set_model(connection: Connection, model: EmbeddingModel) -> None:
    """Say that the store's vectors come from this model from now on."""
    for name, value in ((ID, model.id), (DIMENSION, str(model.dimension))):
        connection.execute(update(settings).where(settings.c.name == name).values(value=value))
    end_change(connection)


def of_neither(model: EmbeddingModel, table: Table = vectors) -> ColumnElement[bool]:
    """Tell of a vector whether it comes from neither this model nor the one the store is changing to."""
    return and_(table.c.model_id != model.id, table.c.model_id.not_in(_NEXT))


def namespace_number(connection: Connection, namespace: str, model: EmbeddingModel, where: Path) -> int | None:
    """Give a namespace's number, None where there is none, in a store that still has the model it was opened with.

    Raises:
        EmbedderMismatch: Another process has changed the model since.
    """
    row = _NUMBER.first(connection, {"called": namespace})
    if row is None or row[0] != model.id:
        refuse_other_model(connection, model, where)
        return None
    return row[1]


def refuse_other_model(connection: Connection, model: EmbeddingModel, where: Path) -> None:
    """Refuse a store whose vectors come from another model than the one at hand.

    Raises:
        EmbedderMismatch: They do.
    """
    stored = stored_model(connection)
    if stored != model:
        raise EmbedderMismatch(
            f"The vectors of {where} come from the embedding model {stored.id} ({stored.dimension} dimensions) now, "
            f"the one at hand is {model.id} ({model.dimension} dimensions): vectors of two models cannot be compared. "
            "Open it anew with the first (the setting `embedder`), or change the store's model with `evolore reembed`."
        )


def _values(connection: Connection) -> dict[str, str]:
    return {row.name: row.value for row in connection.execute(select(settings))}
