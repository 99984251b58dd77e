"""The verbs by which a memory takes things in: documents and statements."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evolore.domain.episodes import Statement
from evolore.domain.knowledge import MediaType
from evolore.domain.metadata import Metadata, checked_tags
from evolore.domain.moments import read_moment
from evolore.flows import (
    add,
    remember,
)
from evolore.flows.sync import path_filter, sync_mode
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from evolore.domain.episodes import Episode
    from evolore.domain.knowledge import Document
    from evolore.domain.metadata import MetadataValue
    from evolore.domain.moments import Moment
    from evolore.flows.add import Added, AddProgress
    from evolore.flows.remember import Remembered
    from evolore.flows.sync import SyncMode

from evolore.verbs.binding import Bound
from evolore.verbs.given import labels_of


class MemoryAdding(Bound):
    """How a memory takes in documents and statements."""

    def add(
        self,
        *paths: str | PathLike[str],
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] | None = None,
        principal: str | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        sync: SyncMode | str | None = None,
        follow_links: bool = False,
        progress: AddProgress | None = None,
    ) -> Added:
        """Add files and folders: Markdown, text, HTML.

        Each document is one transaction. A file that was added before and is unchanged is left alone; a changed one
        becomes its next version, of which only the new passages are embedded. Files that cannot be read are listed
        in the result, and the others are added.

        Args:
            *paths: Files, or folders to walk.
            metadata: What each of them is filed under: names with a text, a number or a bool. It replaces what a
                document had, also where its content is unchanged; by default that stays.
            tags: What each of them is filed under besides; likewise.
            principal: On whose behalf; it is kept in the events, also when the documents are forgotten.
            include: Patterns on paths below the folders given, such as ``"guides/**/*.md"``; of folders only files
                that fit one are taken. A pattern without ``/`` fits a name at any depth.
            exclude: Patterns of what is left out; one that fits a folder leaves out all it holds.
            sync: What to do about documents whose files are no longer in the folders given: ``"report"`` them in the
                result, or ``"forget"`` them. Only what fits ``include`` and ``exclude`` is looked at.
            follow_links: Whether links in the folders may lead to files outside them. By default such a link is listed
                as a failure: else who may write into a folder has any file read that this process may read. Links to
                folders are never walked.
            progress: Hears how far it has come.

        Raises:
            InvalidValue: Metadata, a tag, the principal or a pattern is not of its form, or ``sync`` is another word.
            UnreadableSource: A path does not exist; nothing is added then.
            StoreBusy: Another process held the store for too long; documents before stay added.
        """
        return add.add_files(
            self._for(principal),
            [Path(path) for path in paths],
            where=path_filter(include, exclude, follow_links=follow_links),
            labels=labels_of(metadata, tags),
            sync=sync_mode(sync),
            progress=progress,
        )

    def add_text(
        self,
        text: str,
        *,
        source: str,
        title: str = "",
        media_type: MediaType = MediaType.PLAIN,
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] | None = None,
        principal: str | None = None,
    ) -> Document:
        """Add a document whose text is at hand.

        Args:
            text: The whole text, not blank.
            source: What to call it; the same name again makes its next version.
            title: Its title; by default its first heading, else the end of ``source``.
            media_type: How the text is marked up.
            metadata: What it is filed under; by default what it was before.
            tags: What it is filed under besides; likewise.
            principal: On whose behalf.

        Raises:
            InvalidValue: The text is blank or cannot be stored, or metadata, a tag or the principal is not of its form.
        """
        labels = labels_of(metadata, tags)
        source_text = SourceText(
            source=source,
            text=text,
            title=title,
            media_type=media_type,
            metadata=labels.metadata,
            tags=labels.tags,
        )
        return self.add_texts([source_text], principal=principal).documents[0].document

    def add_texts(
        self, texts: Iterable[SourceText], *, principal: str | None = None, progress: AddProgress | None = None
    ) -> Added:
        """Add many documents whose texts are at hand; one transaction each.

        Raises:
            InvalidValue: A text is blank or cannot be stored; the ones before it are added.
        """
        return add.add_texts(self._for(principal), texts, progress=progress)

    def remember(  # noqa: PLR0913 - each is a part of what is said
        self,
        text: str,
        *,
        occurred_at: Moment | None = None,
        speaker: str | None = None,
        session: str | None = None,
        arousal: float | None = None,
        about: tuple[str, str] | None = None,
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        principal: str | None = None,
    ) -> Episode:
        """Remember one statement.

        Args:
            text: What was said, not blank.
            occurred_at: When: a time with a zone, or a text in ISO 8601, such as ``"2026-03-02"``, in UTC without a zone.
            speaker: Who said it.
            session: The conversation it belongs to; its statements are each other's context.
            arousal: How strongly felt, 0–1.
            about: The subject and attribute it states, such as ``("office", "city")``.
            metadata: What it is filed under: names with a text, a number or a bool.
            tags: What it is filed under besides.
            principal: On whose behalf; it is kept in the event, also when the statement is forgotten.

        Raises:
            InvalidValue: The text is blank or cannot be stored, the time has no zone, a number is out of range,
                metadata, a tag or the principal is not of its form.
        """
        statement = Statement(
            text=text,
            occurred_at=read_moment(occurred_at, "occurred_at"),
            speaker=speaker,
            session=session,
            arousal=arousal,
            about=about,
            metadata=Metadata(metadata),
            tags=checked_tags(tags),
        )
        return self.remember_many([statement], principal=principal).episodes[0]

    def remember_many(self, statements: Iterable[Statement], *, principal: str | None = None) -> Remembered:
        """Remember a conversation: all of its statements in one transaction, in their order.

        Raises:
            InvalidValue: A statement cannot be remembered; then none is.
        """
        return remember.remember(self._for(principal), statements)
