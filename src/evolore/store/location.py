"""Location of a store: a folder of this machine, or a place that an adapter brings along."""

from __future__ import annotations

import atexit
import os
import shutil
from abc import ABC, abstractmethod
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from evolore.errors import InvalidSetting, MissingExtra, StoreDamaged, StoreUnwritable
from evolore.store.database import Database
from evolore.store.sqlite import has_foreign_log, open_database, open_nothing

_OF_SYSTEMS = frozenset((".DS_Store", ".gitignore", ".gitkeep", ".keep", "Thumbs.db", "desktop.ini", "lost+found"))
"""What systems and people leave in folders that are empty to them."""
_ENDS = (".lock", ".snapshot", ".items")
"""What a store leaves behind whose database is gone, or not made yet."""


DATABASE = "evolore.db"


def _may_lie_there(name: str) -> bool:
    return name in _OF_SYSTEMS or name.startswith(DATABASE) or name.endswith(_ENDS)


class Location(ABC):
    """Where a store lies, or will lie; written out, it is named as messages name it, without a password."""

    shards: int | None = None
    """Over how many schemas it is spread; 0 for one of these, None where it is in one place."""

    def parts(self) -> tuple[Location, ...]:
        """List the places that are there of it, each with the tables of a store."""
        return (self,)

    @property
    @abstractmethod
    def folder(self) -> Path:
        """Where this process keeps what it derives: files of the indexes, and locks."""

    @property
    @abstractmethod
    def can_be_written(self) -> bool:
        """Whether anything of it may be written, as far as that is known before it is tried."""

    @abstractmethod
    def is_there(self) -> bool:
        """Return whether there is a store, or only a place for one."""

    @abstractmethod
    def make(self) -> None:
        """Make the place for a store."""

    @abstractmethod
    def connect(self, *, read_only: bool) -> Database:
        """Open the database as it is, without checking it."""

    @abstractmethod
    def free_bytes(self) -> int | None:
        """Return how much the store may still grow; None if unknown."""

    def foreign_log(self) -> Path | None:
        """Return the file that lies beside the database and is of another one; None for none."""
        return None


class FolderLocation(Location):
    """A folder with one SQLite file, and the files of the indexes beside it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __str__(self) -> str:
        """Return the path."""
        return str(self._folder)

    @property
    def folder(self) -> Path:
        """The folder itself."""
        return self._folder

    @property
    def can_be_written(self) -> bool:
        """Whether the folder allows it; one that is not there does."""
        return not self._folder.is_dir() or os.access(self._folder, os.W_OK)

    def is_there(self) -> bool:
        """Return whether the folder holds a store."""
        try:
            if (self._folder / DATABASE).is_file():
                return True
            if self._folder.exists() and not self._folder.is_dir():
                raise StoreDamaged(f"{self._folder} is a file: a store is a folder; name another place.")
            others = sorted(path.name for path in self._folder.iterdir() if not _may_lie_there(path.name))
        except FileNotFoundError:
            return False
        except OSError as error:
            raise StoreUnwritable(
                f"The store {self._folder} cannot be reached: {error.strerror}. Name a place you may read and write."
            ) from error
        if others:
            raise StoreDamaged(
                f"The folder {self._folder} holds other things, such as {others[0]!r}, and no store: name a store, or a "
                "new or empty folder for one."
            )
        return False

    def make(self) -> None:
        """Make the folder and its parents."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnwritable(
                f"The folder {self._folder} could not be made: {error.strerror}. Name a place you may write to."
            ) from error

    def connect(self, *, read_only: bool) -> Database:
        """Open the file."""
        return open_database(self._folder / DATABASE, read_only=read_only)

    def free_bytes(self) -> int | None:
        """Return what the disk has free."""
        return shutil.disk_usage(self._folder).free

    def foreign_log(self) -> Path | None:
        """Return the write-ahead log of another store."""
        return self._folder / f"{DATABASE}-wal" if has_foreign_log(self._folder / DATABASE) else None


def location_of(store: str) -> Location:
    """Return where a store lies that is named by a folder or an address.

    Raises:
        InvalidSetting: It is an address of another kind.
        MissingExtra: What speaks to PostgreSQL is not installed.
    """
    if "://" not in store:
        return FolderLocation(Path(store))
    if not store.startswith(ADDRESSES):
        raise InvalidSetting(
            f"{store.partition('@')[2] or store!r} is an address where no store can be: name a folder of this machine, or a "
            "PostgreSQL database as postgresql://user@host/database. A server is spoken to with evolore.client.connect."
        )
    if find_spec("psycopg") is None:
        raise MissingExtra('A store in PostgreSQL needs psycopg: run `pip install "evolore[postgres]"`.')
    from evolore.store.postgres import PostgresLocation  # noqa: PLC0415 - an extra

    return PostgresLocation(store)


ADDRESSES = ("postgresql://", "postgres://")


@cache
def nothing() -> Database:
    """Return what represents every store that is not there."""
    atexit.register(lambda: nothing().close())  # Python 3.13 warns of a connection that nobody closed
    return open_nothing()
