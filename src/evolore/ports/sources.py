"""Protocols for finding and reading documents, and a document as it was read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from os import PathLike
from pathlib import Path
from typing import Final, Protocol, Self

from evolore.domain.checks import check_name, check_text, check_time
from evolore.domain.document import MediaType
from evolore.domain.metadata import Labels, MetadataValue
from evolore.domain.secret import FoundSecret
from evolore.errors import InvalidValue

_ADDRESS: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
MAX_SOURCE_CHARACTERS = 4096
"""Longer than any path a system allows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A document as it was read."""

    source: str  #: What it is called in the store: a file's absolute path, or the name it was given.
    text: str  #: Its whole text, decoded, in the markup of ``media_type``; never empty.
    media_type: MediaType  #: How it is marked up.
    title: str = ""  #: Its title where it states one, else empty.
    encoding: str = "utf-8"  #: What its bytes were decoded from.
    #: What it is filed under; None for what the store knows already.
    metadata: Mapping[str, MetadataValue] | None = None
    tags: tuple[str, ...] | None = None  #: What it is filed under besides; None as above.
    notes: tuple[str, ...] = ()  #: What reading it left out, in sentences; ``add`` reports them.
    #: Whether it was read from the file that ``source`` names: a job reads that again before it begins.
    is_file: bool = False
    file_date: str = ""  #: Its date as the properties of its file state it, else empty.
    #: What it is dated; None for what ``metadata``, its front matter or ``file_date`` state.
    occurred_at: datetime | None = None

    secrets: tuple[FoundSecret, ...] = ()  #: What looked like a secret in what was read, by kind and place.

    def __post_init__(self) -> None:
        labels = Labels(metadata=self.metadata, tags=self.tags)
        object.__setattr__(self, "metadata", labels.metadata)
        object.__setattr__(self, "tags", labels.tags)
        check_name(self.source, "source", most=MAX_SOURCE_CHARACTERS)
        check_text(self.text, f"The text of {self.source!r}")
        check_time(occurred_at=self.occurred_at)
        if not isinstance(self.media_type, MediaType):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
            raise InvalidValue(f"media_type is {self.media_type!r}: use a MediaType, such as MediaType.MARKDOWN.")

    @property
    def labels(self) -> Labels:
        """What it is to be filed under."""
        return Labels(metadata=self.metadata, tags=self.tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathFilter:
    """Which files of a folder are meant; a file named itself is always taken."""

    #: Patterns on paths below the folder, such as ``guides/**/*.md``; without any, every file is meant.
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()  #: Patterns of what is left out, also where it is included.
    follow_links: bool = False  #: Whether a link in a folder may lead to a file outside what was named.

    def __post_init__(self) -> None:
        for pattern in (*self.include, *self.exclude):
            check_text(pattern, "The pattern")


class LeftOutReason(StrEnum):
    """Why something in a folder is not read."""

    EXTRA = "extra"
    ON_REQUEST = "on_request"
    ARCHIVE = "archive"
    KIND = "kind"
    HIDDEN = "hidden"
    HIDDEN_FOLDER = "hidden_folder"
    SKIPPED_FOLDER = "skipped_folder"
    LINKED_FOLDER = "linked_folder"
    PATTERN = "pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What was passed over in folders for one reason."""

    #: Why: files that an ``extra`` reads which is not installed, data and programs that are taken ``on_request``, each
    #: an ``archive``, files of a ``kind`` that is not read, ``hidden`` ones, folders that are not walked (hidden,
    #: linked, or skipped by name), files that a ``pattern`` leaves out.
    reason: LeftOutReason
    #: The ending of the files, in lower case and empty where they have none, or the folders' name; empty for others.
    name: str = ""
    count: int  #: How many files, or folders; what a folder holds is not counted.


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What is to be added, all of one kind."""

    texts: tuple[SourceText, ...] = ()  #: Texts at hand.
    addresses: tuple[str, ...] = ()  #: Addresses: texts that begin with a name and ``://``.
    paths: tuple[Path, ...] = ()  #: Files and folders.

    @classmethod
    def of(cls, given: Iterable[str | PathLike[str] | SourceText]) -> Self:
        """Sort what is given into texts, addresses and paths.

        Raises:
            InvalidValue: There are several kinds.
        """
        texts: list[SourceText] = []
        addresses: list[str] = []
        paths: list[Path] = []
        for one in given:
            if isinstance(one, SourceText):
                texts.append(one)
            elif isinstance(one, str) and _ADDRESS.match(one):
                addresses.append(one)
            else:
                paths.append(Path(one))
        kinds = [
            *(f"{str(one)!r} is a file" for one in paths[:1]),
            *(f"{one.partition('://')[0]}:// is an address" for one in addresses[:1]),
            *(f"{one.source!r} is a text" for one in texts[:1]),
        ]
        if len(kinds) > 1:
            raise InvalidValue(f"{', and '.join(kinds)}: add each kind by a call of its own.")
        return cls(texts=tuple(texts), addresses=tuple(addresses), paths=tuple(paths))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAtAddress:
    """What is at an address."""

    addresses: tuple[str, ...]  #: Of each file to read, sorted; with all that lets one in.
    left_out: tuple[LeftOut, ...] = ()  #: What was passed over, the most first.


class AddressSource(Protocol):
    """Finds and reads documents at addresses."""

    def find(self, address: str, *, where: PathFilter) -> FoundAtAddress:
        """List the files at an address: those of a folder, or the one that it names.

        Raises:
            MissingExtra: A package that speaks the address's protocol is not installed.
            UnreadableSource: It is of a kind that is not read, nothing is there, or there is no answer.
        """
        ...

    def name(self, address: str) -> str:
        """Return an address as it is shown and stored: without what lets one in."""
        ...

    def read(self, address: str) -> SourceText:
        """Read one file whole.

        Raises:
            MissingExtra: A package that speaks the address's protocol is not installed.
            UnreadableSource: It cannot be read, is too large, is empty, is binary or cannot be decoded.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginalFile:
    """A file that a document came from, so that it can be written again."""

    path: Path  #: Where it is.
    data: bytes  #: All of it.
    mark: bytes  #: The byte order mark that it begins with; empty for none.
    text: str  #: What it says, without the mark.
    encoding: str  #: The codec that read it, by Python's name.


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackedFile:
    """A file in the commit that is checked out in its git repository."""

    root: Path  #: The top folder of the repository's work tree.
    name: str  #: Its path below that.
    mode: str  #: Its mode as git writes it.
    head: str  #: The commit.
    original: OriginalFile  #: What the commit holds; the work tree may end lines otherwise.


class SourceReader(Protocol):
    """Finds and reads documents."""

    def find(self, paths: Sequence[Path], *, where: PathFilter = ...) -> tuple[Path, ...]:
        """List the files to read, sorted, each once; folders are walked, for the files that are meant.

        Raises:
            UnreadableSource: A path does not exist.
        """
        ...

    def left_out(self, paths: Sequence[Path], *, where: PathFilter = ...) -> tuple[LeftOut, ...]:
        """Count what ``find`` passes over in folders, by reason and name, the most first."""
        ...

    def outside(self, paths: Sequence[Path], *, where: PathFilter = ...) -> tuple[Path, ...]:
        """List the links in the folders that lead out of what was named, where they are not to be followed."""
        ...

    def gone(self, sources: Sequence[str], *, below: Sequence[Path], where: PathFilter = ...) -> tuple[str, ...]:
        """List those of these sources that were files that are meant in one of the folders, and are no more."""
        ...

    def read(self, path: Path) -> SourceText:
        """Read one file whole.

        Raises:
            UnreadableSource: It cannot be read, is empty, is binary or cannot be decoded.
        """
        ...

    def original(self, path: Path) -> OriginalFile:
        """Read a file so that it can be written again.

        Raises:
            UnreadableSource: It cannot be read or decoded, or it is HTML, a PDF or another kind that becomes Markdown: the document is what was made of it.
        """
        ...

    def encoded(self, original: OriginalFile, text: str) -> bytes:
        """Return the bytes of a text in the encoding, with the mark and the line ends of a file.

        Raises:
            InvalidValue: They cannot say it.
        """
        ...

    def patch(self, original: OriginalFile, data: bytes) -> str:
        """Return what new bytes change in a file, as `git apply` takes it.

        Raises:
            InvalidValue: No patch can be of the file's encoding.
        """
        ...

    def write(self, path: Path, data: bytes, *, instead_of: OriginalFile | None = None) -> None:
        """Write a file, whole or not at all: a new one, or in place of what was read.

        Raises:
            InvalidValue: Another is there, or it is no longer what was read.
            StoreUnwritable: It cannot be written.
        """
        ...

    def tracked(self, path: Path) -> TrackedFile:
        """Read a file from the commit that is checked out in its git repository.

        Raises:
            InvalidValue: It is in no repository, or not in the commit.
            UnreadableSource: It cannot be decoded, or is of a kind that becomes Markdown.
            MissingExtra: Git is not installed.
        """
        ...

    def commit(
        self, files: Sequence[tuple[TrackedFile, bytes]], *, branch: str, message: str, author: str, at: datetime
    ) -> tuple[str, bool]:
        """Commit new bytes of files of one repository on a new branch, and nothing else.

        Returns:
            The commit, and whether it was made; it was not where the branch is there with these bytes.

        Raises:
            InvalidValue: The branch is there with other bytes, is no name for one, or git refuses.
            MissingExtra: Git is not installed.
        """
        ...

    def is_branch_dropped(self, root: Path, branch: str, commit: str) -> bool:
        """Return whether a branch is gone and no other branch or tag holds its commit; False where that is not known."""
        ...
