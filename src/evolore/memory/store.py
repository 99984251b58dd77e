"""``memory.store``: the store as a whole is checked, mended, copied, moved, and given another embedder."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from evolore import flows
from evolore.domain.checks import checked_word
from evolore.domain.health import Audit, Backup, Copied, Diagnosis, MovedNamespace, Shard, Upgrade, Verification
from evolore.domain.turn import ChatExport, MovedIn
from evolore.errors import InvalidSetting, TryAgain
from evolore.flows.calibrate import Calibrated
from evolore.memory.binding import Noun, file_or_stream, folder_of, where_of
from evolore.ports import Embedder

if TYPE_CHECKING:
    from evolore.flows.chat_check import ChatCheck
    from evolore.flows.reembed import AbandonedReembed, Reembedded, ReembedProgress
    from evolore.flows.transfer import Exported, Imported
    from evolore.store.shards import ShardedStore


class StoreCare(Noun):
    """What is done about a store as a whole."""

    def verify(self, *, all_namespaces: bool = False) -> Verification:
        """Check that every event, and every text that is left, is as it was written.

        Walks the event chain of this namespace and recomputes every hash, and the digest of every statement and
        document. A flipped byte in either shows.

        Args:
            all_namespaces: Whether to check every namespace of the store.

        Raises:
            StoreDamaged: The database cannot be read.
        """
        return flows.doctor.verify(self._bound.asked(), all_namespaces=all_namespaces)

    def doctor(self, *, repair: bool = False, all_namespaces: bool = True) -> Diagnosis:
        """Look for everything that is wrong in the store, and repair what is derived or left over.

        The file, the schema, rows that refer to nothing, leftovers of what was interrupted, lost and altered texts, the
        event chain, counts, places, the index log, tokens and vectors. Repairing deletes no text that was ever visible.
        Do it while no documents are added.

        Args:
            repair: Whether to repair what can be.
            all_namespaces: Whether to look at every namespace of the store, or at this one alone.

        Returns:
            What is wrong, each with a reason and what to do; what was repaired says so.

        Raises:
            NamespaceNotFound: There is no store, and all of it is asked for.
            StoreBusy: Another process held the store for too long.
        """
        return flows.doctor.doctor(self._bound.asked(), repair=repair, all_namespaces=all_namespaces)

    def audit(self, *, unused_days: int = 90) -> Audit:
        """List what this namespace holds that should perhaps not be there, each with the command that mends it.

        Secrets in statements, questions and all versions of documents; statements in the same words and documents that say
        the same; statements that no recorded question led to; what does not hold any more or is overdue; open
        contradictions. Nothing is changed, and no text is returned.

        Args:
            unused_days: How old a statement is that no recorded question led to; at least 1. Nothing is unused where no
                question was recorded.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            InvalidValue: The number is below 1.
        """
        return flows.audit.audit(self._bound.asked(), unused_days=unused_days)

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
        return self._bound.asked().store.backup(folder_of(path))

    def upgrade(self, *, backup: str | PathLike[str] | bool = True, dry_run: bool = False) -> Upgrade:
        """Back the store up, and bring its tables up to those of this version in one transaction.

        Opening an older store for writing upgrades it too, without a backup.

        Args:
            backup: The folder to make first; or whether to make one beside the store, named after the old schema.
            dry_run: Report what would be added, and change nothing.

        Raises:
            InvalidValue: Something lies at the backup's place, or the store lies in PostgreSQL and no ``False`` was given.
            NamespaceNotFound: There is no store yet.
            StoreBusy: Another process held the store for too long.
            StoreFailed: The disk has no room, or fails; the store is as it was.
            StoreUnwritable: It was opened to be read alone, or the backup's folder cannot be made.
            StoreVersionError: A newer version wrote it, or one that finds tokens, names or dates in another way.
        """
        return self._bound.asked().store.upgrade(
            backup=backup if isinstance(backup, bool) else folder_of(backup), is_dry_run=dry_run
        )

    def copy(self, target: str | PathLike[str], *, progress: Callable[[int, int], None] | None = None) -> Copied:
        """Copy the whole store, every namespace of it, to another place: a folder, or ``postgresql://…``.

        The copy is of one moment, and those who write meanwhile do not wait. Every row is the same, and a digest of both
        says so before the copy can be opened. One that was cut off goes on where it was when it is called again, as long
        as nothing was written to this store meanwhile.

        Args:
            target: Where nothing is, or the beginning of this copy.
            progress: Receives after each part how many rows are copied, and how many there are.

        Raises:
            InvalidValue: Something else is there.
            InvalidSetting: It is an address of another kind.
            NamespaceNotFound: There is no store to copy yet.
            StoreUnwritable: The place cannot be made.
            StoreFailed: The disk or the server failed, or the copy is not what was read; it cannot be opened.
        """
        return self._bound.asked().store.copy(where_of(target), progress=progress)

    def shards(self, *, make: bool = False) -> tuple[Shard, ...]:
        """List the schemas over which the store is spread, with their nodes, sizes and numbers of namespaces.

        Args:
            make: Make all of them beforehand; otherwise each is made by the first write to it. It also takes a larger number
                of shards than the store has, and spreads a store that has none: its namespaces stay until they are moved.

        Returns:
            The schema of the directory first, then the shards by number.

        Raises:
            InvalidSetting: The address names no shards, or another number than the store has.
            StoreUnwritable: The role may not make schemas.
        """
        return self._sharded().shards(make=make)

    def move_namespace(self, name: str, *, to: str) -> MovedNamespace:
        """Move a namespace to another schema in one transaction, once a digest says that every row is the same there.

        Who writes to it meanwhile waits. Stopped before the transaction commits, it lies where it was; after that it lies in the
        new schema, and only files of the old one are left to clean.

        Args:
            name: Which.
            to: A schema that ``shards`` lists, but for the first.

        Raises:
            InvalidSetting: The address names no shards, or another number than the store has.
            InvalidValue: The schema is none of the store's, or the namespace lies there already.
            NamespaceNotFound: Nothing was written to it yet.
            StoreBusy: Others wrote to it for too long, or the store is changing its embedding model.
            StoreFailed: The copy is not what was read; nothing was moved.
        """
        return self._sharded().move(name, to)

    def _sharded(self) -> ShardedStore:
        store = self._bound.asked().store
        if store.where.shards is None:
            raise InvalidSetting(
                f"{store.where} is in one place: only a PostgreSQL address with a number of shards, such as "
                "postgresql://user@host/database?shards=64, is spread over schemas."
            )
        return cast("ShardedStore", store)

    def export(self, target: str | PathLike[str] | IO[bytes], *, with_vectors: bool = False) -> Exported:
        """Write this namespace, as it is at one moment, as JSON lines.

        Everything but what is derived: ids, times, texts of every version, and the event chain, as they are.

        Args:
            target: A new file, which appears once it is whole, or a stream.
            with_vectors: Whether to write vectors too; otherwise they are made again on import.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            InvalidValue: The file is there already.
            StoreUnwritable: The file cannot be made.
            StoreFailed: The disk is full or failing, or the stream takes no more.
        """
        return flows.transfer.export(self._bound.asked(), file_or_stream(target), with_vectors=with_vectors)

    def import_(self, source: str | PathLike[str] | IO[bytes]) -> Imported:
        """Load an export into this namespace, which nothing was written to yet: all of it, or nothing.

        Args:
            source: A file that ``store.export`` wrote, or a stream of its lines.

        Raises:
            UnreadableSource: The file cannot be opened.
            InvalidValue: A line is not of the form an export has, the export is cut off or was changed, a newer
                version wrote it, or the namespace is not empty.
            StoreBusy: Another process held the store for too long.
            StoreFailed: The disk is full or failing.
        """
        return flows.transfer.import_from(self._bound.acting(None), file_or_stream(source))

    def move_in(
        self,
        source: str | PathLike[str],
        kind: ChatExport | str,
        *,
        dry_run: bool = False,
        principal: str | None = None,
    ) -> MovedIn:
        """Remember what another program exported: each message or memory as a statement, with its time, speaker and conversation.

        It may be called again, also with a later export: what is there already is not said again.

        Args:
            source: The file; of Slack the unpacked folder, of ChatGPT and Claude ``conversations.json`` or its folder, of
                a coding agent a transcript or the folder of them.
            kind: ``"jsonl"`` (an object a line with ``text``, and ``speaker``, ``session``, ``at``, ``id``, ``tags`` where
                there are any), ``"mem0"``, ``"langgraph"``, ``"chatgpt"``, ``"claude"``, ``"slack"``, ``"mbox"``, ``"claude-code"`` or
                ``"codex"``.
            dry_run: Count, and change nothing.
            principal: On whose behalf; it is kept in the events.

        Returns:
            How many statements are new and known, and what could not be read, each with its place.

        Raises:
            UnreadableSource: It is not there, or no export of this kind.
            InvalidValue: The kind is another word.
            StoreBusy: Another process held the store for too long; call it again, and it goes on.
        """
        wanted = checked_word(ChatExport, kind, "kind")
        from evolore.sources.chats import read_export  # noqa: PLC0415 - loaded when it is first needed, like `flows`

        return flows.move_in.move_in(
            self._bound.acting(principal), read_export(Path(source), wanted), name=wanted.value, is_dry_run=dry_run
        )

    def reembed(
        self,
        embedder: Embedder | str,
        *,
        dry_run: bool = False,
        principal: str | None = None,
        progress: ReembedProgress | None = None,
    ) -> Reembedded:
        """Change the embedding model of the whole store, every namespace of it, while it is in use.

        Every text is embedded with the new model, some in each transaction. Meanwhile recall and all writes go on with
        the old one, here and in other processes, and what they write is embedded too. Then one transaction switches the
        store, and the old vectors are deleted. Whenever it is interrupted, call it again: it goes on where it was.

        What similarities mean with a model that does not ship with Evolore is found at once, in namespaces of 40 texts of
        a language. This memory goes on with the new model. Others that are open get ``EmbedderMismatch`` from then on, and have to
        be opened again with it. It does not matter which model this one was opened with.

        Args:
            embedder: The new one: of your own, or ``"use"``, ``"e5"``, ``"use+e5"``, ``"openai"`` or
                ``"model2vec"``; the last two as the settings say where they are.
            dry_run: Count what there is to do, and change nothing.
            principal: On whose behalf; it is kept in the events.
            progress: Hears how far it has come.

        Raises:
            NamespaceNotFound: There is no store yet.
            InvalidValue: No embedder has the name.
            InvalidSetting: The settings do not say where its model is, or its key is not there.
            MissingExtra: The embedder's extra is not installed.
            EmbedderBroken: The embedder refuses, or returns what cannot be compared; what was embedded is kept.
            ServerUnreachable: The embedder's server does not answer; what was embedded is kept.
            EmbedderMismatch: A change to another model has begun, or the new model has the old one's id and another
                dimension.
            StoreBusy: Another process abandoned the change, held the store for too long, or writes faster than texts
                are embedded; what was embedded is kept.
            StoreFailed: The disk is failing, or has no room for the new vectors beside the old ones. The store has its
                old model then.
        """
        new = self._bound.context.embedder_of(embedder)
        done = flows.reembed.reembed(self._bound.acting(principal), new, is_dry_run=dry_run, progress=progress)
        if not dry_run:
            self._bound.rebind(flows.reembed.rebound(self._bound.context, new))
            # The store has switched: `maintain` goes on with what is left of questions and calibration.
            with suppress(TryAgain):
                flows.reembed.embed_all_queries(self._bound.context)
                flows.calibrate.calibrate_foreign(self._bound.context)
        return done

    def abandon_reembed(self) -> AbandonedReembed:
        """Return up a ``reembed`` that was begun: the store stays with its model, and the new vectors are deleted.

        Raises:
            NamespaceNotFound: There is no store yet.
            StoreBusy: Another process held the store for too long.
        """
        return flows.reembed.abandon(self._bound.acting(None))

    def calibrate(self, *, dry_run: bool = False, principal: str | None = None) -> tuple[Calibrated, ...]:
        """Learn from this namespace's own texts what similarities mean in each of its languages.

        What was decided before stays as it is. Below 40 texts of a language nothing is changed; below 230 what is found
        is blended with the values that ship with Evolore, if there are any for the embedder.

        Args:
            dry_run: Report what would be found, and change nothing.
            principal: On whose behalf; it is kept in the events.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
        """
        return flows.calibrate.calibrate(self._bound.acting(principal), is_dry_run=dry_run)

    def prepare(self, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Build the files that make recall fast in a namespace of more than 10,000 texts, and wait until they are there.

        A process that goes on recalling builds them by itself, in the background. Call this before one that does not
        ends, when much was added. Where nothing is due, it costs opening the indexes; in a small namespace nothing.

        Args:
            progress: Hears how many vectors of how many are in; called a few times a second.

        Raises:
            StoreFailed: The disk is full or failing; recall goes on without the files.
        """
        self._bound.context.store.prepare(self._bound.context.namespace, progress=progress)

    def chat_check(self) -> ChatCheck:
        """Make one small call of the chat model, to see that it works; nothing of the memory is sent.

        Raises:
            ChatModelMissing: There is no chat model.
        """
        return flows.chat_check.chat_check(self._bound.context)
