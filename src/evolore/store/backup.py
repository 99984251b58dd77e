"""A copy of a store as it is at one moment, taken while it is in use."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from evolore.domain.health import Backup
from evolore.errors import InvalidValue, StoreDamaged, StoreFailed, StoreUnwritable
from evolore.store.connection import connect_read_only

if TYPE_CHECKING:
    from collections.abc import Generator


def back_up(database: Path, target: Path, *, read_only: bool = False) -> Backup:
    """Copy a database into a new folder, which appears whole or not at all.

    The copy is of the moment it begins at: SQLite reads one snapshot, and those who write meanwhile do not wait. What
    is derived is left out; the copy makes it anew.

    Args:
        database: The database's file.
        target: The folder to make; its parents are made too.
        read_only: Whether the database lies where nothing can be written.

    Raises:
        InvalidValue: The target is there already.
        StoreUnwritable: The folder cannot be made.
        StoreFailed: The disk did not do its part.
        StoreDamaged: The database cannot be read whole.
    """
    if os.path.lexists(target):
        raise InvalidValue(f"{target} is there already: name a place where nothing is; nothing was overwritten.")
    with _beside(target) as folder:
        copy = folder / database.name
        try:
            _copy(connect_read_only(database) if read_only else sqlite3.connect(database, isolation_level=None), copy)
            _settle(copy)
            _settle(folder)
            size = copy.stat().st_size
            folder.rename(target)
            _settle(target.parent)
        except sqlite3.OperationalError as error:
            raise StoreFailed(
                f"{database} could not be copied to {target}: {error}. Check that the disk has room and works, and "
                "try again; nothing was left there."
            ) from error
        except sqlite3.DatabaseError as error:
            raise StoreDamaged(
                f"{database} cannot be read whole: {error}. `evolore doctor` says more; nothing was left at {target}."
            ) from error
        except OSError as error:
            raise StoreFailed(
                f"The copy could not be put at {target}: {error.strerror}. Check the place, and try again."
            ) from error
    return Backup(path=str(target), bytes=size)


@contextmanager
def _beside(target: Path) -> Generator[Path]:
    """Make a folder on the target's disk, and take it away again where it was not renamed."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        around = Path(mkdtemp(prefix=f".{target.name[:100]}.", suffix=".unfinished", dir=target.parent))
    except OSError as error:
        raise StoreUnwritable(
            f"A folder beside {target} could not be made: {error.strerror}. Name a place you may write to."
        ) from error
    try:
        folder = around / "copy"
        folder.mkdir()  # unlike the one around it, it has the usual permissions
        yield folder
    finally:
        shutil.rmtree(around, ignore_errors=True)


def _copy(database: sqlite3.Connection, copy: Path) -> None:
    with closing(database) as source, closing(sqlite3.connect(copy)) as made:
        # In one step: between steps, SQLite begins anew whenever another process has written.
        source.backup(made, pages=-1)
        made.execute("pragma journal_mode=delete").close()
        (verdict,) = made.execute("pragma quick_check(1)").fetchone()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def _settle(path: Path) -> None:
    """Have the disk hold a file or folder before going on."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
