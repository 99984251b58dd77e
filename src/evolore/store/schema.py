"""Which schema a store has, how it is made and brought up to date, and what it was built with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, insert, inspect, select, text

from evolore.errors import StoreDamaged, StoreVersionError
from evolore.store.connection import reading, writing
from evolore.store.model_setting import DIMENSION, ID, refuse_other_model
from evolore.store.tables import settings
from evolore.text.dates import DATES_VERSION
from evolore.text.names import NAMES_VERSION
from evolore.text.tokens import ANALYSER_VERSION

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Engine

    from evolore.ports import EmbeddingModel

SCHEMA_VERSION = "0001"
_MADE_BY = {
    "analyser_version": ("the analyser", str(ANALYSER_VERSION)),
    "names_version": ("what finds names", str(NAMES_VERSION)),
    "dates_version": ("what finds dates", str(DATES_VERSION)),
}
"""What the indexes come from, and in which version: texts of two versions cannot be compared."""


def prepare(engine: Engine, model: EmbeddingModel, where: Path) -> None:
    """Make the tables in a database that is empty, and refuse one that does not fit.

    Raises:
        StoreDamaged: The database is not a store.
        StoreVersionError: Another version of Evolore wrote it.
        EmbedderMismatch: Its vectors come from another model.
    """
    with reading(engine) as connection:
        fresh = is_empty(connection)
    if fresh:
        with writing(engine) as connection:
            if is_empty(connection):
                create(connection, model)
    with reading(engine) as connection:
        check(connection, model, where)


def create(connection: Connection, model: EmbeddingModel) -> None:
    """Make every table in an empty database and write down what the store is built with."""
    from alembic import command  # noqa: PLC0415 - only making or changing a schema should pay for the import
    from alembic.config import Config  # noqa: PLC0415 - likewise

    config = Config()
    config.set_main_option("script_location", "evolore.store:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, SCHEMA_VERSION)
    built_with = {
        ID: model.id,
        DIMENSION: str(model.dimension),
        **{name: version for name, (_, version) in _MADE_BY.items()},
    }
    connection.execute(insert(settings), [{"name": name, "value": value} for name, value in built_with.items()])


def is_empty(connection: Connection) -> bool:
    """Tell whether the database holds no table at all."""
    return not inspect(connection).get_table_names()


def check(connection: Connection, model: EmbeddingModel, where: Path) -> None:
    """Refuse a store that this version, what finds tokens, names and dates, or the embedding model does not fit.

    Raises:
        StoreDamaged: The database is not a store.
        StoreVersionError: Another version of Evolore wrote it.
        EmbedderMismatch: Its vectors come from another model.
    """
    check_version(connection, where)
    refuse_other_model(connection, model, where)


def check_version(connection: Connection, where: Path) -> None:
    """Refuse a store that this version, or what finds tokens, names and dates, does not fit.

    Raises:
        StoreDamaged: The database is not a store.
        StoreVersionError: Another version of Evolore wrote it.
    """
    if not {"alembic_version", settings.name} <= set(inspect(connection).get_table_names()):
        raise StoreDamaged(f"{where} is a database, but not an Evolore store: name another store.")
    version = connection.scalar(text("select version_num from alembic_version"))
    if version != SCHEMA_VERSION:
        raise StoreVersionError(
            f"{where} has schema {version}, this version of Evolore knows {SCHEMA_VERSION}: "
            "install the version that wrote it, or a newer one."
        )
    query = select(settings.c.name, settings.c.value).where(settings.c.name.in_(_MADE_BY))
    stored = {row.name: row.value for row in connection.execute(query)}
    for name, (maker, known) in _MADE_BY.items():
        if stored.get(name) != known:
            raise StoreVersionError(
                f"{where} was indexed by version {stored.get(name)} of {maker}, this version of Evolore has "
                f"{known}: install the version that wrote it, or export with that and import into a new store."
            )
