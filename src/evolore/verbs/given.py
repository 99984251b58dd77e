"""What callers hand in, read into values."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING

from evolore.domain.checks import check_name
from evolore.domain.filters import Filter
from evolore.domain.metadata import Labels, Metadata, checked_tags
from evolore.domain.moments import read_moment
from evolore.domain.paths import read_path
from evolore.errors import InvalidSetting
from evolore.ports import MAX_SOURCE_CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evolore.domain.metadata import MetadataValue
    from evolore.domain.moments import Moment
    from evolore.domain.outline import OutlineCode


def folder_of(store: str | PathLike[str]) -> Path:
    """Give the folder of a store, so that it does not move when the process changes folders.

    Raises:
        InvalidSetting: It is an address.
        InvalidValue: It is blank, or too long.
    """
    if "://" in str(store):
        raise InvalidSetting(f"{str(store)!r} is an address: a store is a folder on this machine; name one.")
    check_name(str(store), "store", most=MAX_SOURCE_CHARACTERS)
    return Path(store).expanduser().absolute()


def file_or_stream(given: str | PathLike[str] | IO[bytes]) -> Path | IO[bytes]:
    """Give a path for the name of a file, and a stream as it is."""
    return Path(given).expanduser() if isinstance(given, (str, PathLike)) else given


def labels_of(metadata: Mapping[str, MetadataValue] | None, tags: Iterable[str] | None) -> Labels:
    """Give metadata and tags as labels; None leaves what is there."""
    return Labels(metadata=metadata, tags=None if tags is None else checked_tags(tags))


def filter_of(
    *,
    where: Mapping[str, MetadataValue] | None,
    tags: Iterable[str],
    session: str | None,
    speaker: str | None,
    source: str | None,
    path: str | OutlineCode | Sequence[str] | None,
    since: Moment | None,
    until: Moment | None,
) -> Filter:
    """Give what narrows a search as one filter.

    Raises:
        InvalidValue: A part is not of its form.
    """
    return Filter(
        where=Metadata(where),
        tags=checked_tags(tags),
        session=session,
        speaker=speaker,
        source=source,
        path=None if path is None else read_path(path),
        since=read_moment(since, "since"),
        until=read_moment(until, "until"),
    )
