"""Folders that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from evolore.errors import InvalidValue, StoreUnwritable


def refuse_what_is_there(target: Path) -> None:
    """Refuse to make a copy where something is."""
    if os.path.lexists(target):
        raise InvalidValue(f"{target} is there already: name a place where nothing is; nothing was overwritten.")


def publish_folder(folder: Path, target: Path) -> None:
    """Rename a folder that is whole to its final name."""
    settle(folder)
    folder.rename(target)
    settle(target.parent)


@contextmanager
def folder_beside(target: Path) -> Generator[Path]:
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


def settle(path: Path) -> None:
    """Flush a file or folder to the disk before going on."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
