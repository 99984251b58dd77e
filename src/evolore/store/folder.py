"""The folder a store lies in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.errors import StoreDamaged, StoreUnwritable

if TYPE_CHECKING:
    from pathlib import Path


def has_file(folder: Path, name: str) -> bool:
    """Tell whether the folder holds a file of that name.

    Raises:
        StoreUnwritable: It cannot be reached.
    """
    try:
        return (folder / name).is_file()
    except OSError as error:
        raise StoreUnwritable(
            f"The store {folder} cannot be reached: {error.strerror}. Name a place you may read and write."
        ) from error


def make_folder(folder: Path) -> None:
    """Make the folder and its parents where there is none.

    Raises:
        StoreDamaged: It is a file.
        StoreUnwritable: It cannot be made.
    """
    refuse_file(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnwritable(
            f"The folder {folder} could not be made: {error.strerror}. Name a place you may write to."
        ) from error


def refuse_file(folder: Path) -> None:
    """Refuse a file where a folder is meant.

    Raises:
        StoreDamaged: It is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise StoreDamaged(f"{folder} is a file: a store is a folder; name another place.")
