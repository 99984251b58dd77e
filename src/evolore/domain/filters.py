"""Which items a question is put to, and which are to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.checks import check_name, check_time
from evolore.domain.metadata import Metadata, MetadataValue, checked_tags
from evolore.domain.outline import OutlineCode
from evolore.domain.paths import read_path
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from evolore.domain.paths import OutlinePath

MAX_FOLDER_CHARACTERS = 4096
EVERYTHING = "everything"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What items must have in common; an item matches when everything that is named holds.

    A passage has the metadata, tags and source of its document, and neither session nor speaker; a statement has
    neither source nor path.

    Args:
        where: Metadata it has, with exactly these values.
        tags: Tags it has, all of them.
        session: The conversation it belongs to.
        speaker: Who said it.
        source: The source of its document, or a folder above it.
        path: Where it stands in its document: at or below a code, which needs a source; or below these headings, which
            follow each other among those above it, the title of its document counting as the first.
        since: The earliest moment it happened or, where that is unknown, was recorded; with a zone.
        until: The moment before which it did; with a zone, later than ``since``.
    """

    where: Mapping[str, MetadataValue] = field(default_factory=Metadata)
    tags: tuple[str, ...] = ()
    session: str | None = None
    speaker: str | None = None
    source: str | None = None
    path: OutlinePath | None = None
    since: datetime | None = None
    until: datetime | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "where", Metadata(self.where))
        object.__setattr__(self, "tags", checked_tags(self.tags))
        check_name(self.session, "session")
        check_name(self.speaker, "speaker")
        check_name(self.source, "source", most=MAX_FOLDER_CHARACTERS)
        self._check_path()
        check_time(self.since, "since")
        check_time(self.until, "until")
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise InvalidValue(
                f"since is {self.since.isoformat()} and until is {self.until.isoformat()}: "
                "give an until that is later than since."
            )

    @property
    def is_empty(self) -> bool:
        """Whether everything matches."""
        return not (self.asks_for_names or self.since or self.until)

    @property
    def asks_for_labels(self) -> bool:
        """Whether it asks for metadata or tags."""
        return bool(self.where or self.tags)

    @property
    def asks_for_names(self) -> bool:
        """Whether it asks for anything but a time."""
        named = (self.session, self.speaker, self.source, self.path)
        return self.asks_for_labels or any(name is not None for name in named)

    def _check_path(self) -> None:
        if self.path is None:
            return
        object.__setattr__(self, "path", read_path(self.path))
        if isinstance(self.path, OutlineCode) and self.source is None:
            raise InvalidValue(
                f"path is the code {self.path}, which every document has its own of: name the document with source, "
                "or give headings."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is to be forgotten: exactly one of its parts.

    Args:
        item_id: The document or statement with this id.
        item_ids: The documents and statements with these ids, whole ones; all of them, or nothing.
        document: The document with this id, source or path.
        session: The statements of this conversation.
        speaker: The statements of this speaker.
        filter: The statements that match and, where it asks for metadata or tags, the documents that do.
        everything: All of the namespace.

    Raises:
        InvalidValue: None of them is named, or several are.
    """

    item_id: str | None = None
    item_ids: tuple[str, ...] = ()
    document: str | None = None
    session: str | None = None
    speaker: str | None = None
    filter: Filter = field(default_factory=Filter)
    everything: bool = False

    def __post_init__(self) -> None:
        names = self._named()
        choice = "an id, a document, a session, a speaker, a filter (where, tags, since, until) or everything"
        if not names:
            raise InvalidValue(f"Nothing was named to forget: name exactly one of {choice}.")
        if len(names) > 1:
            raise InvalidValue(f"{' and '.join(names)} were named to forget: name exactly one of {choice}.")
        check_name(self.session, "session")
        check_name(self.speaker, "speaker")
        if self.filter.path is not None:
            raise InvalidValue("A part of a document cannot be forgotten: name the whole document.")

    @property
    def by(self) -> str:
        """Which of its parts is named."""
        return self._named()[0]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids it names; none where it names a set by what its items have in common."""
        return self.item_ids if self.item_id is None else (self.item_id,)

    @property
    def matching(self) -> Filter:
        """The filter that its items match; an empty one where it is no filter, session or speaker."""
        return self.filter if self.by == "filter" else Filter(session=self.session, speaker=self.speaker)

    def _named(self) -> list[str]:
        parts = {
            "id": self.item_id is not None,
            "ids": bool(self.item_ids),
            "document": self.document is not None,
            "session": self.session is not None,
            "speaker": self.speaker is not None,
            "filter": not self.filter.is_empty,
            EVERYTHING: self.everything,
        }
        return [name for name, is_named in parts.items() if is_named]
