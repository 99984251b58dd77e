"""The embedded store: one folder, one database, indexes derived from it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, func, select

from evolore.domain.checks import check_name
from evolore.domain.evolution import Shadow
from evolore.domain.filters import Target
from evolore.domain.health import Backup, ChainCheck, Copied, Finding, FindingKind, Upgrade
from evolore.errors import StoreFailed
from evolore.index.settings import IndexSettings
from evolore.index.snapshots import alone
from evolore.ports import ChatCache, Clock, EmbeddingModel, IndexView, Receipt
from evolore.store.chat_ledger import StoredChatCache, StoredSpendLog
from evolore.store.database import WriteTurn
from evolore.store.erasure import find_doomed
from evolore.store.index_rows import StoreFeed
from evolore.store.leftovers import abandon, give_space_back
from evolore.store.location import Location, nothing
from evolore.store.namespaces import NOT_THERE, count_write, unknown
from evolore.store.opening import ERASING_LOCK, OpenStore
from evolore.store.reading import StoreReader
from evolore.store.reembedding import Reembedding, refuse_lost_vectors
from evolore.store.schema import Ends, namespace_ends
from evolore.store.service import Service
from evolore.store.shadows import read_shadows
from evolore.store.sql import Figures
from evolore.store.tables import namespaces, vectors
from evolore.store.verification import verify
from evolore.store.writing import StoreWriter

_NAMES = select(namespaces.c.name).order_by(namespaces.c.name)


class Store:
    """A store in a folder of its own.

    Nothing is made on disk before the first write. Threads may share a store; processes each open their own.

    Args:
        where: Where it lies, or will lie: a folder, or another place.
        model: The embedding model its vectors come from.
        clock: Where the time comes from.
        indexes: How much memory the indexes take.
        read_only: Whether it is to be read alone; a folder that cannot be written is, however it is opened.
    """

    def __init__(
        self,
        where: Path | Location,
        *,
        model: EmbeddingModel,
        clock: Clock,
        indexes: IndexSettings | None = None,
        read_only: bool = False,
    ) -> None:
        self._read_only = read_only
        self._index_settings = indexes or IndexSettings()
        self._model, self._clock = model, clock
        self._numbers: dict[str, int] = {}  # as last known: the index of a namespace is asked for before a snapshot
        self._shadows: dict[int, tuple[int, tuple[Shadow, ...]]] = {}  # by namespace, with the revision they are of
        self._figures: Figures = {}
        self._open = OpenStore(where, model=model, indexes=self._index_settings, read_only=read_only)
        self.where = self._open.where
        self.folder = self._open.folder

    @contextmanager
    def read(self, namespace: str) -> Generator[StoreReader]:
        """Open a snapshot of one namespace; one that nothing was written to is empty."""
        with self._reading(namespace) as (connection, ends):
            yield self._reader(connection, ends, namespace)

    @contextmanager
    def _reading(self, namespace: str) -> Generator[tuple[Connection, Ends]]:
        check_name(namespace, "namespace")
        if not self._open.is_there():
            with nothing().reading() as connection:
                yield connection, Ends()
            return
        database = self._open.database()
        with database.reading(namespace) as connection, database.telling_of_misstored(connection):
            yield connection, namespace_ends(connection, namespace, self._model, self.where)

    def _reader(self, connection: Connection, ends: Ends, namespace: str) -> StoreReader:
        reader = StoreReader(connection, ends.number, name=namespace, model=self._model, revision=ends.revision)
        reader.figures = self._figures
        return reader

    @property
    def is_read_only(self) -> bool:
        """Whether nothing of it can be written: so it was asked for, or its folder does not allow it."""
        return self._open.is_read_only

    def new_id(self, at: datetime) -> str:
        """Make the id of what is written later; threads may ask at once."""
        return self._open.ids.next(at)

    def has(self, namespace: str) -> bool:
        """Return whether anything was ever written to a namespace."""
        with self._reading(namespace) as (_, ends):
            return ends.number != NOT_THERE

    def require(self, namespace: str) -> None:
        """Refuse a namespace that nothing was written to, before anything is made of it."""
        self._open.refuse_missing()
        if not self.has(namespace):
            raise unknown(namespace, self.where)

    @contextmanager
    def write(self, namespace: str, *, principal: str | None = None) -> Generator[StoreWriter]:
        """Open a transaction that commits on leaving and undoes everything on an exception."""
        check_name(namespace, "namespace")
        self._open.refuse_read_only()
        database = self._open.database()
        with (
            self._open.taking_turns(),
            database.writing(WriteTurn.NAMESPACE, namespace=namespace) as connection,
            database.telling_of_misstored(connection),
        ):
            counters = count_write(connection, namespace, self._model, self.where, now=self._clock.now)
            database.show(connection, counters.ns)
            self._open.names[counters.ns] = namespace
            writer = StoreWriter(
                counters,
                name=namespace,
                model=self._model,
                ids=self._open.ids,
                now=self._clock.now,
                principal=principal,
            )
            yield writer
            writer.settle()

    def erase(
        self, namespace: str, target: Target, *, principal: str | None = None, is_dry_run: bool = False
    ) -> Receipt:
        """Erase documents with all their versions, and statements, from every table and file, in one transaction.

        Args:
            namespace: Where from.
            target: What; an id is whole, and a document is named by its id alone.
            principal: On whose behalf.
            is_dry_run: Whether only to count what would go.

        Raises:
            NotFound: It names nothing, or one of its ids does not; then nothing is erased.
            StoreBusy: Another process wrote for too long.
        """
        at = self._clock.now()
        if is_dry_run:
            with self._reading(namespace) as (connection, ends):
                doomed = find_doomed(connection, ends.number, target)
            return doomed.receipt("", at, is_dry_run=True)
        with self.write(namespace, principal=principal) as writer:
            receipt = writer.erase(target, at=at)
        return replace(receipt, lingering_in=self.take_out_erased())

    def alone_at(self, job_id: str) -> AbstractContextManager[bool]:
        """Hold a job, so that no other process goes on with it meanwhile; False where another does.

        It ends with the process, however that ends.
        """
        return self._open.database().alone(f"job-{job_id}")

    def take_out_erased(self) -> tuple[str, ...]:
        """Remove what was erased from every file; return those that may still hold some of it.

        What erases in a transaction of ``write`` is followed by this; ``erase`` does so itself.
        """
        try:
            with alone(self.folder / ERASING_LOCK):
                return self._open.take_out_erased()
        except OSError:  # the lock could not be had; what was erased is gone from the tables all the same
            return self._open.database().files

    @contextmanager
    def index(self, namespace: str) -> Generator[tuple[IndexView, StoreReader]]:
        """Open the indexes of one namespace, brought up to the last commit, and a snapshot of that same moment.

        Texts on trial take no part in the view, unless it is asked for one in which they do.
        """
        check_name(namespace, "namespace")
        if not self._open.is_there():
            with self._open.indexes.using(NOT_THERE) as index, nothing().reading() as connection:
                index.refresh(StoreFeed(connection, NOT_THERE, self._model))
                yield index.view(), self._reader(connection, Ends(), namespace)
            return
        database = self._open.database()
        if namespace not in self._numbers:
            with database.reading(namespace) as connection:
                self._numbers[namespace] = namespace_ends(connection, namespace, self._model, self.where).number
        while True:
            ns = self._numbers[namespace]
            # The snapshot is taken once the index is ours: an older one would not know what the index knows.
            with self._open.indexes.using(ns) as index, database.reading(namespace) as connection:
                # The model may have been changed since, or the store been replaced by another.
                ends = namespace_ends(connection, namespace, self._model, self.where)
                self._numbers[namespace] = ends.number
                self._open.names[ends.number] = namespace
                if self._numbers[namespace] != ns:
                    continue
                try:
                    with database.telling_of_misstored(connection):
                        index.refresh(StoreFeed(connection, ns, self._model, ends))
                        view = index.view().on_trial(self._shadows_at(connection, ends))
                        yield view, self._reader(connection, ends, namespace)
                except (TypeError, ValueError):
                    refuse_lost_vectors(connection, ns, name=namespace, model=self._model)
                    raise
                return

    def _shadows_at(self, connection: Connection, ends: Ends) -> tuple[Shadow, ...]:
        """List the texts on trial; they are read again where anything was written since."""
        revision, shadows = self._shadows.get(ends.number, (-1, ()))
        if revision != ends.revision:
            shadows = read_shadows(connection, ends.number)
            self._shadows[ends.number] = (ends.revision, shadows)
        return shadows

    def prepare(self, namespace: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Build what a large namespace is searched by, and wait until it is there; nothing where it is.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
            StoreFailed: The disk is full or failing; recall goes on without it.
        """
        with self._reading(namespace) as (connection, ends):
            ns = ends.number
            here = vectors.c.ns == ns
            count: int = connection.scalar(select(func.count()).where(here)) or 0
            if count <= self._index_settings.exact_up_to:
                return
        self._open.snapshots.forget_failures(ns)
        for _ in range(3):  # the vectors', then the items'; and once more where something was being built already
            with self.index(namespace):
                pass  # has what is due built
            self._open.snapshots.wait(progress=progress)
        if (failure := self._open.snapshots.failure(ns)) is not None:
            raise StoreFailed(
                f"The index files of {namespace!r} could not be built: {failure}. Check that the disk has room, and "
                "try again; recall goes on without them, slower."
            ) from failure

    def namespaces(self) -> tuple[str, ...]:
        """List the namespaces by name; none where there is no store yet."""
        if not self._open.is_there():
            return ()
        with self._open.database().reading() as connection:
            return tuple(connection.scalars(_NAMES))

    def verify(self, namespace: str) -> ChainCheck:
        """Check the events of one namespace, and the texts they speak of, at one moment."""
        with self._reading(namespace) as (connection, ends):
            number = ends.number
            if number == NOT_THERE:
                return ChainCheck(namespace=namespace, events=0, broken_event=None, texts=0, erased=0, altered=())
            return verify(connection, number, name=namespace)

    def examine(self, namespace: str | None = None) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
        """Look for what is wrong in the file, in the schema, and in the rows of a namespace, or of all.

        Tokens and vectors of texts that are there are not examined.

        Returns:
            The namespaces whose rows were examined, by name; none where the store could not be opened.
        """
        from evolore.store.examination import examine_store, file_findings  # noqa: PLC0415 - a recall need not pay for it

        if namespace is not None and not self._open.is_there():
            return (), ()
        self._open.refuse_missing()
        if (log := self.where.foreign_log()) is not None:
            reason = f"{log.name} is the log of another store: whoever opens the store puts that in its place."
            remedy = f"Move {log} elsewhere before anything opens the store."
            return (), (Finding(kind=FindingKind.UNREADABLE, reason=reason, remedy=remedy),)
        with self._open.unchecked() as database:
            names, found = examine_store(database, self._model, self.where, namespace=namespace)
        for name in names if not any(one.kind is FindingKind.UNREADABLE for one in found) else ():
            with self._open.database().reading(name) as connection:
                number = namespace_ends(connection, name, self._model, self.where).number
                found = (
                    *found,
                    *file_findings(StoreFeed(connection, number, self._model), self._open.snapshots, name=name),
                )
        return names, found

    def repair(self, namespace: str) -> None:
        """Delete leftovers and orphans of a namespace, and write again what is derived from its rows."""
        from evolore.store.examination import remove_wrong  # noqa: PLC0415 - as above

        self.require(namespace)
        with self.write(namespace) as writer:
            writer.repair(at=self._clock.now())
            number = writer.number
        with self._open.database().reading(namespace) as connection:
            remove_wrong(StoreFeed(connection, number, self._model), self._open.snapshots)

    def backup(self, target: Path) -> Backup:
        """Copy the store as it is now into a new folder, while it is in use.

        Raises:
            InvalidValue: The target is there already.
            StoreUnwritable: It cannot be made.
            StoreFailed: The disk did not do its part.
        """
        return self._open.existing_database().back_up(target)

    def upgrade(self, *, backup: Path | bool, is_dry_run: bool) -> Upgrade:
        """Back the store up and add what its schema lacks, or report what would be added.

        Args:
            backup: The folder to make first; or whether to make one beside the store.
            is_dry_run: Whether to change nothing.
        """
        from evolore.store import upgrading  # noqa: PLC0415 - as above

        self._open.refuse_missing()
        if not is_dry_run:
            self._open.refuse_read_only()
        with self._open.unchecked(read_only=is_dry_run) as database, self._open.taking_turns():
            return upgrading.upgrade(database, self.where, backup=backup, is_dry_run=is_dry_run)

    def copy(self, target: Location, *, progress: Callable[[int, int], None] | None = None) -> Copied:
        """Copy the store as it is now to another place, while it is in use.

        Raises:
            NamespaceNotFound: There is no store to copy yet.
            InvalidValue: Something else is at the target.
            StoreFailed: The copy is not what was read; it cannot be opened.
        """
        from evolore.store.copying import copy_store  # noqa: PLC0415 - a recall need not pay for it

        with self._open.of_any_model() as database:
            return copy_store(database, self.where, target, progress=progress)

    @contextmanager
    def reembedding(self, model: EmbeddingModel) -> Generator[Reembedding]:
        """Open the store to change its embedding model, from any present one."""
        self._open.refuse_read_only()
        with self._open.of_any_model() as database:
            yield Reembedding(
                database, self.where, model=model, ids=self._open.ids, taking_turns=self._open.taking_turns
            )

    def abandon_reembedding(self) -> tuple[EmbeddingModel | None, int]:
        """Abandon a change of the model that was begun.

        Returns:
            The model it was to, None where none was begun, and how many vectors were deleted.
        """
        self._open.refuse_read_only()
        with self._open.of_any_model() as database:
            abandoned = abandon(database, self._open.taking_turns)
            give_space_back(database, self._open.taking_turns)
            return abandoned

    def parts(self) -> tuple[Store, ...]:
        """List the stores it consists of: itself, unless it is spread over schemas."""
        return (self,)

    def rebound(self, model: EmbeddingModel) -> Store:
        """Return the same store, opened again with another model."""
        return type(self)(
            self.where, model=model, clock=self._clock, indexes=self._index_settings, read_only=self._read_only
        )

    def chat_spend(self) -> StoredSpendLog:
        """Return what keeps the chat model's spend of days in the store, once there is one."""
        return StoredSpendLog(self._open)

    def chat_cache(self, most: int, *, until: ChatCache) -> StoredChatCache:
        """Return what keeps so many of the chat model's replies in the store, and in ``until`` while there is none."""
        return StoredChatCache(self._open, most, until=until)

    def service(self) -> Service:
        """Return what keeps a server's keys, jobs, schedules and messages in the store."""
        return Service(self._open)

    def close(self) -> None:
        """Release files and memory; the next use of the store opens it again."""
        self._numbers.clear()
        self._shadows.clear()
        self._figures.clear()
        self._open.close()


def list_namespaces(where: Path | Location) -> tuple[str, ...]:
    """List the namespaces of a store by name, of any model; none where there is no store yet."""
    found: list[str] = []
    for place in where.parts() if isinstance(where, Location) else (where,):
        opened = OpenStore(place, model=EmbeddingModel(id="any", dimension=1), indexes=IndexSettings(), read_only=True)
        if opened.is_there():
            with opened.of_any_model() as database, database.reading() as connection:
                found += connection.scalars(_NAMES)
    return tuple(sorted(found))
