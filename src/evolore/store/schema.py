"""Make, check and update a store's schema, and record which embedding model it has."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.schema import CreateTable

from evolore.errors import EmbedderMismatch, InvalidSetting, StoreDamaged, StoreVersionError
from evolore.ports import EmbeddingModel
from evolore.store.database import Database
from evolore.store.location import Location
from evolore.store.sql import Prepared
from evolore.store.tables import index_log, metadata, namespaces, settings, vectors
from evolore.text.dates import DATES_VERSION
from evolore.text.names import NAMES_VERSION
from evolore.text.tokens import ANALYSER_VERSION

SCHEMA_VERSION = "0006"
OLDER = frozenset({"0001", "0002", "0003", "0004", "0005"})
"""Versions that a store is upgraded from, also when it is opened for writing."""
_VERSION = sa.Table(
    "alembic_version",  # so the first versions named it
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)

_MADE_BY = {
    "analyser_version": ("the analyser", str(ANALYSER_VERSION)),
    "names_version": ("what finds names", str(NAMES_VERSION)),
    "dates_version": ("what finds dates", str(DATES_VERSION)),
}
"""What the indexes come from, and in which version: texts of two versions cannot be compared."""


def prepare(database: Database, model: EmbeddingModel, where: Location) -> None:
    """Make the tables in a database that is empty, upgrade an older one after a backup, and refuse one that does not fit.

    Raises:
        StoreDamaged: The database is not a store.
        StoreVersionError: Another version of Evolore wrote it.
        EmbedderMismatch: Its vectors come from another model.
    """
    with database.reading() as connection:
        found = _found(connection)
        if found.is_made and found.version not in OLDER:
            check(connection, model, where, found)
            return
    if found.is_made:
        from evolore.store.upgrading import upgrade  # noqa: PLC0415 - a recall need not pay for it

        upgrade(database, where, backup=True)
    else:
        with database.writing() as connection:
            if is_empty(connection):  # another process may have been first
                create(connection, model)
                database.lay_out(connection)
    with database.reading() as connection:
        check(connection, model, where)


def create(connection: sa.Connection, model: EmbeddingModel) -> None:
    """Make every table in an empty database and write down what the store is built with."""
    make_tables(connection)
    built_with = {
        ID: model.id,
        DIMENSION: str(model.dimension),
        **{name: version for name, (_, version) in _MADE_BY.items()},
    }
    connection.execute(sa.insert(settings), [{"name": name, "value": value} for name, value in built_with.items()])


def make_tables(connection: sa.Connection) -> None:
    """Make every table in an empty database."""
    metadata.create_all(connection, checkfirst=False)  # another schema may show tables of these names
    connection.execute(CreateTable(_VERSION))
    connection.execute(sa.insert(_VERSION), {"version_num": SCHEMA_VERSION})


@dataclass(frozen=True, slots=True)
class _FoundTables:
    """What a database holds: whether any table, whether those of a store, and the version of its schema."""

    is_made: bool
    is_store: bool
    version: str | None


def _found(connection: sa.Connection) -> _FoundTables:
    names = _tables(connection)
    is_store = {_VERSION.name, settings.name} <= names
    version = connection.scalar(sa.select(_VERSION)) if is_store else None
    return _FoundTables(is_made=bool(names), is_store=is_store, version=version)


def version_of(connection: sa.Connection, where: object) -> str:
    """Return the version of a store's schema, older or this one.

    Raises:
        StoreDamaged: The database is not a store.
        StoreVersionError: A newer version of Evolore wrote it.
    """
    found = _found(connection)
    if found.version not in OLDER:
        check_version(connection, where, found)
    return found.version or SCHEMA_VERSION


def is_empty(connection: sa.Connection) -> bool:
    """Return whether the database holds no table at all."""
    return not _tables(connection)


def _tables(connection: sa.Connection) -> set[str]:
    """Return the tables of our schema alone: others may be visible beside it."""
    return set(sa.inspect(connection).get_table_names(own_schema(connection)))


OWN_SCHEMA = "evolore_schema"
"""The option of an engine whose connections are shared by several schemas: its own."""


def own_schema(connection: sa.Connection) -> str | None:
    """Return the schema in which the store's tables lie."""
    return connection.get_execution_options().get(OWN_SCHEMA, connection.dialect.default_schema_name)


def check(connection: sa.Connection, model: EmbeddingModel, where: object, found: _FoundTables | None = None) -> None:
    """Refuse a store that this version, what finds tokens, names and dates, or the embedding model does not fit.

    Raises:
        StoreDamaged: The database is not a store.
        StoreVersionError: Another version of Evolore wrote it.
        EmbedderMismatch: Its vectors come from another model.
    """
    check_version(connection, where, found)
    refuse_other_model(connection, model, where)


def check_version(connection: sa.Connection, where: object, found: _FoundTables | None = None) -> None:
    """Refuse a store that this version, or what finds tokens, names and dates, does not fit.

    Raises:
        InvalidSetting: It is spread over another number of schemas.
        StoreDamaged: The database is not a store.
        StoreVersionError: Another version of Evolore wrote it.
    """
    check_schema(connection, where, found)
    check_maker(connection, where)


def check_schema(connection: sa.Connection, where: object, found: _FoundTables | None = None) -> None:
    """Refuse a store whose schema is of another version.

    Raises:
        StoreDamaged: The database is not a store.
        StoreVersionError: Another version of Evolore wrote it.
    """
    found = found or _found(connection)
    if not found.is_store:
        raise StoreDamaged(f"{where} is a database, but not an Evolore store: name another store.")
    version = found.version
    if version in OLDER:
        raise StoreVersionError(
            f"{where} has schema {version}, this version of Evolore has {SCHEMA_VERSION}: run `evolore store upgrade`, or open "
            "it once for writing: both make a backup first."
        )
    if version != SCHEMA_VERSION:
        raise StoreVersionError(
            f"{where} has schema {version}, this version of Evolore knows {SCHEMA_VERSION}: "
            "install the version that wrote it, or a newer one."
        )


def check_maker(connection: sa.Connection, where: object) -> None:
    """Refuse a store whose tokens, names or dates are of another version, an unfinished copy, and another number of shards."""
    query = sa.select(settings.c.name, settings.c.value).where(settings.c.name.in_((*_MADE_BY, COPYING, SHARDS)))
    stored = {row.name: row.value for row in connection.execute(query)}
    has, named = stored.get(SHARDS, "none"), getattr(where, "shards", None)
    if has != ("none" if named is None else str(named)):
        raise InvalidSetting(
            f"{where} has shards={has}, and the address says shards={'none' if named is None else named}: write the number it "
            "has; 0 is one schema of a store with shards: open that store. `evolore store shards --make` with a larger number "
            "adds shards, also to a store that has none."
        )
    if COPYING in stored:
        raise StoreDamaged(f"The copy at {where} is not whole: run `evolore store copy` again, which goes on with it.")
    for name, (maker, known) in _MADE_BY.items():
        if stored.get(name) != known:
            raise StoreVersionError(
                f"{where} was indexed by version {stored.get(name, 0)} of {maker}, this version of Evolore has "
                f"{known}: install the version that wrote it, or export with that and import into a new store."
            )


SHARDS = "shards"
"""The setting of a store that is spread over schemas: over how many; "0" in each of them."""
COPYING = "copying"
"""The note in a store that is being copied to its place: what state of which store."""
ID, DIMENSION = "embedding_model", "embedding_dimension"
_NEXT_ID, _NEXT_DIMENSION = "next_embedding_model", "next_embedding_dimension"
_ENDS = Prepared(
    sa.select(
        settings.c.value,
        *(namespaces.c[name] for name in ("ns", "revision", "event_seq", "query_seq", "query_erasures")),
        sa.select(sa.func.max(index_log.c.seq)).where(index_log.c.ns == namespaces.c.ns).scalar_subquery(),
    )
    .join_from(settings, namespaces, namespaces.c.name == sa.bindparam("called"), isouter=True)
    .where(settings.c.name == ID)
)
_NEXT = sa.select(settings.c.value).where(settings.c.name == _NEXT_ID)


def stored_model(connection: sa.Connection) -> EmbeddingModel:
    """Return the model that the store's vectors come from."""
    built_with = _values(connection)
    return EmbeddingModel(id=built_with.get(ID, "unknown"), dimension=int(built_with.get(DIMENSION, "1")))


def next_model(connection: sa.Connection) -> EmbeddingModel | None:
    """Return the model that a change has begun to; None where none has."""
    values = _values(connection)
    if _NEXT_ID not in values:
        return None
    return EmbeddingModel(id=values[_NEXT_ID], dimension=int(values[_NEXT_DIMENSION]))


def begin_change(connection: sa.Connection, model: EmbeddingModel) -> None:
    """Record that the store is changing to a model."""
    rows = {_NEXT_ID: model.id, _NEXT_DIMENSION: str(model.dimension)}
    connection.execute(sa.insert(settings), [{"name": name, "value": value} for name, value in rows.items()])


def end_change(connection: sa.Connection) -> None:
    """Delete the record that the store is changing to a model."""
    connection.execute(sa.delete(settings).where(settings.c.name.in_((_NEXT_ID, _NEXT_DIMENSION))))


def set_model(connection: sa.Connection, model: EmbeddingModel) -> None:
    """Record that the store's vectors come from this model from now on."""
    for name, value in ((ID, model.id), (DIMENSION, str(model.dimension))):
        connection.execute(sa.update(settings).where(settings.c.name == name).values(value=value))
    end_change(connection)


def of_neither(model: EmbeddingModel, table: sa.Table = vectors) -> sa.ColumnElement[bool]:
    """Return of a vector whether it comes from neither this model nor the one the store is changing to."""
    return sa.and_(table.c.model_id != model.id, table.c.model_id.not_in(_NEXT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Where a namespace is at one moment; as it is made, one that nothing was written to."""

    number: int = 0  #: The namespace's.
    revision: int = 0  #: How many writes were committed to it.
    log: int = 0  #: The last number in the indexes' log.
    events: int = 0  #: The last number of an event.
    questions: int = 0  #: The last number by which a question was touched.
    erasures: int = 0  #: How often questions were erased.


def namespace_ends(connection: sa.Connection, namespace: str, model: EmbeddingModel, where: object) -> Ends:
    """Return where a namespace is, in a store that still has the model it was opened with."""
    row = _ENDS.first(connection, {"called": namespace})
    if row is None or row[0] != model.id:
        refuse_other_model(connection, model, where)
        return Ends()
    _, number, revision, events, questions, erasures, log = row
    if number is None:
        return Ends()
    return Ends(number=number, revision=revision, log=log or 0, events=events, questions=questions, erasures=erasures)


def refuse_other_model(connection: sa.Connection, model: EmbeddingModel, where: object) -> None:
    """Refuse a store whose vectors come from another model than the one at hand."""
    stored = stored_model(connection)
    if stored != model:
        raise EmbedderMismatch(
            f"The vectors of {where} come from the embedding model {stored.id} ({stored.dimension} dimensions) now, "
            f"the one at hand is {model.id} ({model.dimension} dimensions): vectors of two models cannot be compared. "
            "Open it with the first (the setting `embedder`), or change the store's model with `evolore store reembed`."
        )


def _values(connection: sa.Connection) -> dict[str, str]:
    return {row.name: row.value for row in connection.execute(sa.select(settings))}
