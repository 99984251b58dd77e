"""A store that is spread over schemas: each is a whole store, and holds the namespaces that are placed there."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, func, select, update

from evolore.domain.checks import check_name
from evolore.domain.health import Finding, FindingKind, MovedNamespace, Shard, Upgrade
from evolore.errors import InvalidSetting, InvalidValue
from evolore.ports import EmbeddingModel, IndexView
from evolore.store import leftovers
from evolore.store.chat_ledger import clear_replies
from evolore.store.copying import copy_namespace, delete_namespace
from evolore.store.database import FaultPoint, WriteTurn, reached
from evolore.store.location import Location
from evolore.store.namespaces import NOT_THERE, unknown
from evolore.store.opening import OpenStore
from evolore.store.placements import Placements, placements
from evolore.store.postgres import PostgresDatabase, PostgresLocation
from evolore.store.reading import StoreReader
from evolore.store.schema import SHARDS, Ends, check_schema
from evolore.store.store import Store, list_namespaces
from evolore.store.tables import namespaces, settings
from evolore.store.writing import StoreWriter

Found = TypeVar("Found")


class _Moved(Exception):
    """The namespace lies in another schema by now."""


class _SchemaStore(Store):
    """The store of one of the schemas."""

    @property
    def opened(self) -> OpenStore:
        """The schema as this process has it open."""
        return self._open

    def reading(self, namespace: str) -> AbstractContextManager[tuple[Connection, Ends]]:
        """Open a snapshot of a namespace."""
        return self._reading(namespace)

    def connected(self) -> PostgresDatabase:
        """Return its database, made where it is not there."""
        database = self._open.database()
        assert isinstance(database, PostgresDatabase)
        return database


class ShardedStore(Store):
    """A store that is spread over schemas of one PostgreSQL database.

    The first schema holds the directory and what is of the whole store: keys, jobs, the chat model's spend and replies.

    Args:
        where: The first schema, with the number of shards.
        **options: As of ``Store``; the memory that indexes take is that of each schema.
    """

    def __init__(self, where: Path | Location, **options: Any) -> None:  # noqa: ANN401 - those of a store
        super().__init__(where, **options)
        assert isinstance(where, PostgresLocation)
        self._place, self._options = where, options
        self._used: dict[str, _SchemaStore] = {}
        self._placements = Placements(self._open, where.schemas, self._model)

    def parts(self) -> tuple[_SchemaStore, ...]:
        """List the stores of the schemas that are made, the first one's first."""
        self._open.refuse_missing()
        return tuple(self._part(place.schema) for place in self._place.parts())

    def _part(self, schema: str) -> _SchemaStore:
        if schema not in self._used:
            part = _SchemaStore(self._place.part(schema), **self._options)
            part.opened.ids = self._open.ids
            if schema != self._place.schema:
                part.opened.on_erased = self._empty_replies
            self._used.setdefault(schema, part)
        return self._used[schema]

    def _part_of(self, namespace: str) -> _SchemaStore:
        self._placements.is_elsewhere(namespace, "")  # reads where it lies now
        return self._part(self._placements.find(namespace))

    @contextmanager
    def _there(
        self, namespace: str, opened: Callable[[_SchemaStore], AbstractContextManager[Found]], *, place: bool = False
    ) -> Generator[Found]:
        """Open what is of a namespace in its schema; where that is as new, look whether it was moved meanwhile."""
        check_name(namespace, "namespace")
        while True:
            schema = self._placements.find(namespace, place=place)
            with suppress(_Moved), opened(self._part(schema)) as found:
                ends = cast("StoreReader | Ends", found[-1] if isinstance(found, tuple) else found)
                if ends.revision == int(place) and self._placements.is_elsewhere(namespace, schema):
                    raise _Moved
                yield found
                return

    @contextmanager
    def _reading(self, namespace: str) -> Generator[tuple[Connection, Ends]]:
        with self._there(namespace, lambda part: part.reading(namespace)) as found:
            yield found

    @contextmanager
    def write(self, namespace: str, *, principal: str | None = None) -> Generator[StoreWriter]:
        """Open a transaction in the namespace's schema; a namespace that is new is placed first."""
        self._open.refuse_read_only()
        with self._there(namespace, lambda part: part.write(namespace, principal=principal), place=True) as writer:
            yield writer

    @contextmanager
    def index(self, namespace: str) -> Generator[tuple[IndexView, StoreReader]]:
        """Open the indexes of a namespace, and a snapshot of that same moment."""
        with self._there(namespace, lambda part: part.index(namespace)) as found:
            yield found

    def prepare(self, namespace: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Build what a large namespace is searched by, and wait until it is there."""
        self._part_of(namespace).prepare(namespace, progress=progress)

    def namespaces(self) -> tuple[str, ...]:
        """List the namespaces of all schemas by name."""
        return list_namespaces(self._place)

    def take_out_erased(self) -> tuple[str, ...]:
        """Remove what was erased from every file of the schemas in use; return those that may still hold some of it."""
        used = [part for part in tuple(self._used.values()) if part.opened.is_there()]
        return (*(file for part in used for file in part.take_out_erased()), *super().take_out_erased())

    def _empty_replies(self) -> None:
        """Keep no reply that may quote what was erased in another schema."""
        with self._open.database().writing(WriteTurn.SERVICE) as connection:
            if clear_replies(connection) + leftovers.empty_replies(connection):
                leftovers.note(connection, NOT_THERE, self.new_id(self._clock.now()))

    def examine(self, namespace: str | None = None) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
        """Look for what is wrong in the schema of a namespace; or in all, and in the directory."""
        if namespace is not None:
            return self._part_of(namespace).examine(namespace)
        self._open.refuse_missing()
        names: set[str] = set()
        found: list[Finding] = []
        placed: dict[str, str] = {}
        for place in self._place.parts():
            own, wrong = self._part(place.schema).examine()
            names.update(own)
            placed = self._placements.all() if own else placed
            found += (one if one.namespace else replace(one, reason=f"{place.schema}: {one.reason}") for one in wrong)
            found += (_misplaced(name, place.schema, placed) for name in own if placed.get(name) != place.schema)
        return tuple(sorted(names)), tuple(found)

    def repair(self, namespace: str) -> None:
        """Delete leftovers and orphans of a namespace, and write again what is derived from its rows."""
        self._part_of(namespace).repair(namespace)

    def upgrade(self, *, backup: Path | bool, is_dry_run: bool) -> Upgrade:
        """Add what the schemas lack, one after the other, or report what would be added."""
        done = [part.upgrade(backup=backup, is_dry_run=is_dry_run) for part in self.parts()]
        steps = tuple(step for one in done for step in one.steps)
        oldest, needed = min(one.old_schema for one in done), sum(one.needed_bytes for one in done)
        return replace(done[0], old_schema=oldest, steps=steps, needed_bytes=needed)

    def abandon_reembedding(self) -> tuple[EmbeddingModel | None, int]:
        """Abandon a change of the model in every schema."""
        abandoned = [part.abandon_reembedding() for part in self.parts()]
        return next((model for model, _ in abandoned if model), None), sum(deleted for _, deleted in abandoned)

    def shards(self, *, make: bool = False) -> tuple[Shard, ...]:
        """List the schemas, made or not; ``make`` makes them all, and takes a larger number of shards."""
        schemas = (self._place.schema, *self._place.schemas)
        if make:
            self._add_shards()
            for schema in schemas:
                self._part(schema).connected()
        there = {place.schema for place in self._place.parts()}
        return tuple(self._shard(schema) if schema in there else Shard(schema=schema) for schema in schemas)

    def _add_shards(self) -> None:
        self._open.refuse_read_only()
        if not self._open.is_there():
            return
        with self._open.unchecked() as database, database.writing() as connection:
            check_schema(connection, self.where)
            stored = connection.scalar(select(settings.c.value).where(settings.c.name == SHARDS)) or "0"
            if int(stored) > (self._place.shards or 0):
                raise InvalidSetting(f"{self.where} has {stored} shards: write shards={stored} or more.")
            database.lay_out(connection)

    def _shard(self, schema: str) -> Shard:
        with self._part(schema).opened.of_any_model() as database, database.reading() as connection:
            node, size = cast("PostgresDatabase", database).node(connection), database.size_bytes(connection)
            count = connection.scalar(select(func.count()).select_from(namespaces)) or 0
        return Shard(schema=schema, node=node, bytes=size, namespaces=count)

    def move(self, namespace: str, to: str) -> MovedNamespace:
        """Move a namespace to another schema in one transaction, once a digest says that every row is the same there.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
            InvalidValue: The schema is none of the store's, or it lies there already.
            StoreBusy: Others wrote to it for too long, or the embedding model is being changed.
            StoreFailed: The copy is not what was read; nothing was moved.
        """
        self._open.refuse_read_only()
        self.require(namespace)
        if to not in self._place.schemas:
            raise InvalidValue(f"{to!r} is no schema of {self.where}: name one that `evolore store shards` lists.")
        target, here = self._part(to).connected(), placements.c.name == namespace
        with self._open.database().writing(WriteTurn.NAMESPACE, namespace=namespace) as connection:
            came_from = connection.scalar(select(placements.c.schema).where(here).with_for_update())
            if came_from == to:
                raise InvalidValue(f"The namespace {namespace!r} lies in {to!r} already: name another schema.")
            source = self._part(came_from or to).connected()
            source.enter(connection)
            held = select(namespaces.c.ns).where(namespaces.c.name == namespace).with_for_update()
            if came_from is None or (ns := connection.scalar(held)) is None:
                raise unknown(namespace, self.where)
            rows, digest = copy_namespace(connection, source, target, ns=ns, model=self._model)
            self._part(self._place.schema).connected().enter(connection)
            connection.execute(update(placements).where(here).values(schema=to))
            reached(FaultPoint.NAMESPACE_PLACED)
            delete_namespace(connection, source, ns=ns, event_id=self.new_id(self._clock.now()))
        left = self.take_out_erased()
        return MovedNamespace(
            namespace=namespace, source=came_from, target=to, rows=rows, sha256=digest, lingering_in=left
        )

    def close(self) -> None:
        """Release files and memory; the next use of the store opens it again."""
        for part in self._used.values():
            part.close()
        super().close()


def _misplaced(name: str, schema: str, placed: Mapping[str, str]) -> Finding:
    where = f"It lies in the schema {schema}, and the table placements names {placed.get(name, 'none')}."
    remedy = "Restore the table, or correct its row."
    return Finding(kind=FindingKind.ORPHAN, reason=where, remedy=remedy, namespace=name)
