"""Bind the ports of a memory and its nouns to one namespace, and read what callers hand in into values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING

from evolore.domain.checks import check_name
from evolore.domain.metadata import Labels, MetadataValue, checked_tags
from evolore.errors import InvalidSetting
from evolore.flows.record import QuestionQueue
from evolore.ports import MAX_SOURCE_CHARACTERS
from evolore.store.location import FolderLocation, Location, location_of

if TYPE_CHECKING:
    from evolore.flows.context import Context


class Bound:
    """A namespace of a store with the ports that work on it; a memory and its nouns share one.

    Args:
        context: The ports.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.queue = QuestionQueue(context)

    def acting(self, principal: str | None) -> Context:
        """Return the ports on somebody's behalf, for a verb that writes: what was asked before is written before it."""
        self.queue.write()
        return replace(self.context, principal=principal)

    def asked(self) -> Context:
        """Return the ports for a verb that reads what was asked: that is written before, where it can be."""
        self.queue.write_quietly()
        return self.context

    def rebind(self, context: Context) -> None:
        """Go on with other ports, and let go of the old ones."""
        self.queue.write_quietly()  # asked meanwhile: `maintain` embeds them with the new model
        old, self.context = self.context, context
        self.queue = QuestionQueue(context)
        old.store.close()

    def close(self) -> None:
        """Write the questions that are not recorded yet, and release files and memory."""
        self.queue.close()
        self.context.store.close()


class Noun:
    """Verbs of a memory on one noun.

    Args:
        bound: The memory's ports and namespace.
    """

    def __init__(self, bound: Bound) -> None:
        self._bound = bound


def folder_of(store: str | PathLike[str]) -> Path:
    """Return a folder, so that it does not move when the process changes folders.

    Raises:
        InvalidSetting: It is an address.
        InvalidValue: It is blank, or too long.
    """
    if "://" in str(store):
        raise InvalidSetting(f"{str(store).partition('://')[0]}:// is an address: name a folder on this machine.")
    check_name(str(store), "store", most=MAX_SOURCE_CHARACTERS)
    return Path(store).expanduser().absolute()


def where_of(store: str | PathLike[str]) -> Location:
    """Return where a store lies: a folder, or a schema of a PostgreSQL database.

    Raises:
        InvalidSetting: It is an address of another kind.
        InvalidValue: It is blank, or too long.
        MissingExtra: It is an address, and what speaks to it is not installed.
    """
    return location_of(store) if isinstance(store, str) and "://" in store else FolderLocation(folder_of(store))


def file_or_stream(given: str | PathLike[str] | IO[bytes]) -> Path | IO[bytes]:
    """Return a path for the name of a file, and a stream as it is."""
    return Path(given).expanduser() if isinstance(given, (str, PathLike)) else given


def labels_of(metadata: Mapping[str, MetadataValue] | None, tags: Iterable[str] | None) -> Labels:
    """Return metadata and tags as labels; None leaves what is there."""
    return Labels(metadata=metadata, tags=None if tags is None else checked_tags(tags))
