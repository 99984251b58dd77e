"""The folder a store lies in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.errors import StoreDamaged, StoreUnwritable

if TYPE_CHECKING:
    from pathlib import Path


_OF_SYSTEMS = frozenset((".DS_Store", ".gitignore", ".gitkeep", ".keep", "Thumbs.db", "desktop.ini", "lost+found"))
"""What systems and people leave in folders that are empty to them."""
_OURS = ("evolore.db",)
_ENDS = (".lock", ".snapshot", ".items")
"""What a store leaves behind whose database is gone, or not made yet."""


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
        StoreUnwritable: It cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnwritable(
            f"The folder {folder} could not be made: {error.strerror}. Name a place you may write to."
        ) from error


def refuse_other_things(folder: Path) -> None:
    """Refuse a file where a folder is meant, and a folder that holds what is not a store's.

    Raises:
        StoreDamaged: It is a file, or holds something else.
        StoreUnwritable: It cannot be looked into.
    """
    refuse_file(folder)
    try:
        others = sorted(path.name for path in folder.iterdir() if not _may_lie_there(path.name))
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreUnwritable(
            f"The store {folder} cannot be reached: {error.strerror}. Name a place you may read and write."
        ) from error
    if others:
        raise StoreDamaged(
            f"The folder {folder} holds other things, such as {others[0]!r}, and no store: name a store, or a new or "
            "empty folder for one."
        )


def _may_lie_there(name: str) -> bool:
    return name in _OF_SYSTEMS or name.startswith(_OURS) or name.endswith(_ENDS)


def refuse_file(folder: Path) -> None:
    """Refuse a file where a folder is meant.

    Raises:
        StoreDamaged: It is a file.
    """
    if folder.exists() and not folder.is_dir():
        raise StoreDamaged(f"{folder} is a file: a store is a folder; name another place.")
