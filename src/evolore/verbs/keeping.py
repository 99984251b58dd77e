"""The verbs about the store: erasing, checking, copying and moving what is in it."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from evolore.domain.filters import Filter, Target
from evolore.domain.metadata import Metadata, checked_tags
from evolore.domain.moments import read_moment
from evolore.flows import (
    chat_check,
    doctor,
    exporting,
    forget,
    importing,
    reembed,
    verify,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from os import PathLike

    from evolore.domain.health import Backup, Diagnosis, Verification
    from evolore.domain.metadata import MetadataValue
    from evolore.domain.moments import Moment
    from evolore.flows.chat_check import ChatCheck
    from evolore.flows.exporting import Exported
    from evolore.flows.importing import Imported
    from evolore.flows.reembed import AbandonedReembed
    from evolore.ports import Receipt

from evolore.verbs.binding import Bound
from evolore.verbs.given import file_or_stream, folder_of


class MemoryKeeping(Bound):
    """What is done about the store as a whole."""

    def forget(  # noqa: PLR0913 - exactly one of the first is named
        self,
        item_id: str | None = None,
        *,
        document: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        since: Moment | None = None,
        until: Moment | None = None,
        everything: bool = False,
        dry_run: bool = False,
        principal: str | None = None,
    ) -> Receipt:
        """Erase what is named, everywhere: documents with all their versions, and statements.

        Name exactly one of an id, a document, a session, a speaker, a filter or everything. ``where``, ``tags``,
        ``since`` and ``until`` are one filter together. It takes statements and, where it holds metadata or tags, whole
        documents; a document's time is that of its present version. Everything is erased in one transaction, and the
        receipt given when no file of the store holds it any more. What people wrote about answers from it goes too.

        Args:
            item_id: The id of a document, a statement, a question, an answer or a review item, or the beginning of one.
                A question goes with its answers, ratings and what it taught of edges; an answer with the comments on it.
            document: A document's id, the beginning of it, its source or its file's path.
            session: The statements of this conversation.
            speaker: The statements of this speaker.
            where: What has this metadata.
            tags: What has all of these tags.
            since: What happened then or later or, where that is unknown, was recorded; a time with a zone, or a
                text in ISO 8601.
            until: What did before then; likewise.
            everything: All of the namespace. Its name and its events stay.
            dry_run: Give the receipt of what would go, and change nothing.
            principal: On whose behalf; it is kept in the event.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
            InvalidValue: Nothing was named or too much, or a part of a document.
        """
        wanted = Filter(
            where=Metadata(where),
            tags=checked_tags(tags),
            since=read_moment(since, "since"),
            until=read_moment(until, "until"),
        )
        target = Target(
            item_id=item_id, document=document, session=session, speaker=speaker, filter=wanted, everything=everything
        )
        return forget.forget(self._for(principal), target, is_dry_run=dry_run)

    def verify(self, *, all_namespaces: bool = False) -> Verification:
        """Check that every event, and every text that is left, is as it was written.

        Walks the event chain of this namespace and recomputes every hash, and the digest of every statement and
        document. A flipped byte in either shows.

        Args:
            all_namespaces: Whether to check every namespace of the store.

        Raises:
            StoreDamaged: The database cannot be read.
        """
        return verify.verify(self._with_questions(), all_namespaces=all_namespaces)

    def doctor(self, *, repair: bool = False, all_namespaces: bool = True) -> Diagnosis:
        """Look for everything that is wrong in the store, and repair what is derived or left over.

        The file, the schema, rows that refer to nothing, leftovers of what was interrupted, lost and altered texts, the
        event chain, counts, places, the index log, tokens and vectors. Repairing deletes no text that was ever visible.
        Do it while nobody adds documents.

        Args:
            repair: Whether to repair what can be.
            all_namespaces: Whether to look at every namespace of the store, or at this one alone.

        Returns:
            What is wrong, each with a reason and what to do; what was repaired says so.

        Raises:
            NamespaceNotFound: There is no store, and all of it is asked for.
            StoreBusy: Another process held the store for too long.
        """
        return doctor.doctor(self._with_questions(), repair=repair, all_namespaces=all_namespaces)

    def export_to(self, target: str | PathLike[str] | IO[bytes], *, with_vectors: bool = False) -> Exported:
        """Write this namespace, as it is at one moment, as JSON lines.

        Everything but what is derived: ids, times, texts of every version, and the event chain, as they are.

        Args:
            target: A new file, which appears once it is whole, or a stream.
            with_vectors: Whether to write vectors too; otherwise they are made anew on import.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            InvalidValue: The file is there already.
            StoreUnwritable: The file cannot be made.
            StoreFailed: The disk is full or failing, or the stream takes no more.
        """
        return exporting.export(self._with_questions(), file_or_stream(target), with_vectors=with_vectors)

    def import_from(self, source: str | PathLike[str] | IO[bytes]) -> Imported:
        """Take an export into this namespace, which nothing was written to yet: all of it, or nothing.

        Args:
            source: A file that ``export_to`` wrote, or a stream of its lines.

        Raises:
            UnreadableSource: The file cannot be opened.
            InvalidValue: A line is not of the form an export has, the export is cut off or was changed, a newer
                version wrote it, or the namespace is not empty.
            StoreBusy: Another process held the store for too long.
            StoreFailed: The disk is full or failing.
        """
        return importing.import_from(self._for(None), file_or_stream(source))

    def backup(self, path: str | PathLike[str]) -> Backup:
        """Copy the whole store, every namespace of it, into a new folder, while it is in use.

        The copy is of one moment, and those who write meanwhile do not wait. The folder appears once it is whole; it is
        a store like any other.

        Args:
            path: The folder to make.

        Raises:
            InvalidValue: Something is there already.
            NamespaceNotFound: There is no store to copy yet.
            StoreUnwritable: The folder cannot be made.
            StoreFailed: The disk is full or failing; nothing is left there.
        """
        return self._with_questions().store.backup(folder_of(path))

    def prepare(self, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Build the files that make recall fast in a namespace of more than 10,000 texts, and wait until they are there.

        A process that goes on recalling builds them by itself, in the background. Call this before one that does not
        ends, when much was added. Where nothing is due, it costs opening the indexes; in a small namespace nothing.

        Args:
            progress: Hears how many vectors of how many are in; called a few times a second.

        Raises:
            StoreFailed: The disk is full or failing; recall goes on without the files.
        """
        self._context.store.prepare(self._context.namespace, progress=progress)

    def abandon_reembed(self) -> AbandonedReembed:
        """Give up a ``reembed`` that was begun: the store stays with its model, and the new vectors are deleted.

        Raises:
            NamespaceNotFound: There is no store yet.
            StoreBusy: Another process held the store for too long.
        """
        return reembed.abandon(self._for(None))

    def chat_check(self) -> ChatCheck:
        """Make one small call of the chat model, to see that it works; nothing of the memory is sent.

        Raises:
            ChatModelMissing: There is no chat model.
        """
        return chat_check.chat_check(self._context)
