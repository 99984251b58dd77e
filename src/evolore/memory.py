"""``Memory``: opens the adapters, binds a namespace and hands each verb to its flow."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Self

from evolore.domain.answers import Query, Recall, default_limit
from evolore.domain.checks import check_name
from evolore.domain.episodes import Statement
from evolore.domain.filters import Filter, Target
from evolore.domain.knowledge import MediaType
from evolore.domain.levels import Level, read_level
from evolore.domain.metadata import Labels, Metadata, checked_tags
from evolore.domain.paths import read_path
from evolore.domain.review import Priority, ReviewStatus
from evolore.errors import InvalidSetting
from evolore.flows import (
    add,
    answering,
    browse,
    calibrate,
    chat_check,
    doctor,
    exporting,
    forget,
    importing,
    maintain,
    neighbourhood,
    recall,
    reembed,
    remember,
    resonate,
    review,
    settle,
    undoing,
    verify,
)
from evolore.flows.arousal import ArousalSpaces
from evolore.flows.calibrations import Calibrations
from evolore.flows.context import Context
from evolore.flows.decay import MatterSpaces
from evolore.flows.intent import IntentSpaces
from evolore.flows.sync import path_filter, sync_mode
from evolore.memory_evolution import MemoryEvolution
from evolore.memory_queries import MemoryQueries
from evolore.ports import MAX_SOURCE_CHARACTERS, SourceText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from types import TracebackType

    from evolore.config import Settings
    from evolore.domain.answering import Answer
    from evolore.domain.episodes import EdgeKind, Episode
    from evolore.domain.health import Backup, Diagnosis, Verification
    from evolore.domain.knowledge import Document
    from evolore.domain.metadata import MetadataValue
    from evolore.domain.outline import OutlineCode
    from evolore.domain.review import ExportFormat, Keep, ReviewCategory, ReviewItem
    from evolore.flows.add import Added, AddProgress
    from evolore.flows.browse import Listing
    from evolore.flows.budgeted_chat import BudgetedChat
    from evolore.flows.calibrate import Calibrated
    from evolore.flows.chat_check import ChatCheck
    from evolore.flows.chat_intent import ChatIntents
    from evolore.flows.chat_terms import ChatTerms
    from evolore.flows.checking import Checked
    from evolore.flows.confirming import Confirmed
    from evolore.flows.exporting import Exported
    from evolore.flows.importing import Imported
    from evolore.flows.maintain import Maintained, MaintainProgress
    from evolore.flows.neighbours import Neighbourhood
    from evolore.flows.outlines import DocumentTree, Place
    from evolore.flows.reembed import AbandonedReembed, Reembedded, ReembedProgress
    from evolore.flows.remember import Remembered
    from evolore.flows.resonate import Resonated
    from evolore.flows.settle import Settled
    from evolore.flows.sync import SyncMode
    from evolore.ports import (
        ChatModel,
        Clock,
        Embedder,
        EventRecord,
        Receipt,
        Reranker,
        StoreStats,
        TextSearch,
        Tokenizer,
        Undone,
    )
    from evolore.store.sqlite import SqliteStore


def _folder(store: str | PathLike[str]) -> Path:
    if "://" in str(store):
        raise InvalidSetting(f"{str(store)!r} is an address: a store is a folder on this machine; name one.")
    check_name(str(store), "store", most=MAX_SOURCE_CHARACTERS)
    return Path(store).expanduser().absolute()  # a relative one must not move when the process changes folders


def _tokenizer(path: Path | None) -> Tokenizer | None:
    if path is None:
        return None
    from evolore.models.tokenizer import TokenizerFile  # noqa: PLC0415 - an extra, and importing this must stay cheap

    return TokenizerFile(path.expanduser())


def _chat(given: ChatModel | None, settings: Settings, clock: Clock, store: SqliteStore) -> BudgetedChat | None:
    """Give the chat model that is given or that the settings name, within the budget of a day of the store."""
    chat = settings.chat
    if given is None and not chat.model:
        return None
    from evolore.config import chat_key  # noqa: PLC0415 - importing must stay cheap
    from evolore.flows.budgeted_chat import BudgetedChat, DayTerms  # noqa: PLC0415 - likewise
    from evolore.flows.chat_breaker import CircuitBreaker  # noqa: PLC0415 - likewise
    from evolore.models.chat_cache import InMemoryChatCache  # noqa: PLC0415 - likewise
    from evolore.models.openai_chat import OpenAIChat  # noqa: PLC0415 - likewise

    kept = chat.kept_replies
    return BudgetedChat(
        OpenAIChat(chat, key=chat_key(chat)) if given is None else given,
        clock=clock,
        log=store.chat_spend(),
        terms=DayTerms(budget=chat.day, prices=chat.prices, overlap=chat.concurrency),
        breaker=CircuitBreaker(failures=chat.failures_before_pause, pause_seconds=chat.pause_seconds),
        cache=store.chat_cache(kept, until=InMemoryChatCache(kept)) if kept else None,
    )


def _chat_terms(settings: Settings) -> ChatTerms:
    from evolore.flows.chat_terms import ChatTerms  # noqa: PLC0415 - importing must stay cheap
    from evolore.jobs.pacing import SystemPacer  # noqa: PLC0415 - likewise

    chat = settings.chat
    return ChatTerms(prices=chat.prices, job=chat.job, retries=chat.retries, pacer=SystemPacer())


def _asked_once(settings: Settings) -> ChatTerms:
    """Give the terms of what a person waits for."""
    return replace(_chat_terms(settings), pacer=None)


def _reranker(chat_model: ChatModel | None, settings: Settings) -> Reranker | None:
    if settings.reranker is not None:
        from evolore.models.onnx_reranker import OnnxReranker  # noqa: PLC0415 - an extra, and importing must stay cheap

        return OnnxReranker(settings.reranker.expanduser())
    if chat_model is None or settings.rerank.chat_calls == 0:
        return None
    from evolore.flows.chat_reranking import ChatReranker  # noqa: PLC0415 - what checks replies is heavy

    return ChatReranker(chat_model, calls=settings.rerank.chat_calls, terms=_asked_once(settings))


def _search() -> TextSearch:
    from evolore.models.gepa_search import GepaSearch  # noqa: PLC0415 - an extra, and importing must stay cheap

    return GepaSearch()


def _chat_intents(chat_model: ChatModel | None, settings: Settings) -> ChatIntents | None:
    if chat_model is None or settings.intent.chat_calls == 0:
        return None
    from evolore.flows.chat_intent import ChatIntents  # noqa: PLC0415 - what checks replies is heavy

    return ChatIntents(chat_model, calls=settings.intent.chat_calls, terms=_asked_once(settings))


def _labels(metadata: Mapping[str, MetadataValue] | None, tags: Iterable[str] | None) -> Labels:
    return Labels(metadata=metadata, tags=None if tags is None else checked_tags(tags))


def _filter(
    *,
    where: Mapping[str, MetadataValue] | None,
    tags: Iterable[str],
    session: str | None,
    speaker: str | None,
    source: str | None,
    path: str | OutlineCode | Sequence[str] | None,
    since: datetime | None,
    until: datetime | None,
) -> Filter:
    return Filter(
        where=Metadata(where),
        tags=checked_tags(tags),
        session=session,
        speaker=speaker,
        source=source,
        path=None if path is None else read_path(path),
        since=since,
        until=until,
    )


def _file_or_stream(given: str | PathLike[str] | IO[bytes]) -> Path | IO[bytes]:
    return Path(given).expanduser() if isinstance(given, (str, PathLike)) else given


class Memory(MemoryQueries, MemoryEvolution):
    """A long-term memory in one store, bound to one namespace.

    Open one with ``Memory.open`` and close it, or use it in a ``with`` block. Threads may share a memory; a forked
    process starts with connections of its own.

    Args:
        context: The ports it works through.
    """

    @classmethod
    def open(
        cls,
        store: str | PathLike[str] | None = None,
        *,
        namespace: str | None = None,
        embedder: Embedder | str | None = None,
        chat_model: ChatModel | None = None,
        reranker: Reranker | None = None,
        clock: Clock | None = None,
        settings: Settings | None = None,
    ) -> Self:
        """Open a memory; nothing is made on disk before the first write.

        Args:
            store: The store's folder; by default the settings' one.
            namespace: The namespace it is bound to; by default the settings' one, ``default``.
            embedder: What turns texts into vectors: one of your own, or ``"use"`` or ``"e5"``; by default the
                settings' one, which is ``use``, the offline model that is installed with Evolore.
            chat_model: What completes chats, to cut and check documents with, and where the settings say so to judge
                hits and questions; by default the one that `chat.model` names, else none, and none is needed. What the
                settings say of budgets, prices and tries holds for one of your own too.
            reranker: What judges the first hits of every recall anew; by default the cross-encoder that the settings
                name, else the chat model where `rerank.chat_calls` is above 0, else nothing.
            clock: Where the time comes from; by default the machine's clock.
            settings: How documents are cut and hits ranked; by default what the settings file and the environment say.

        Raises:
            ChatKeyMissing: A chat model is set that needs a key, and the environment holds none.
            InvalidSetting: The settings file or the environment holds a wrong setting, or names no cross-encoder.
            InvalidValue: The namespace is blank, no embedder has the name, or sizes are in tokens and no tokenizer is
                set.
            MissingExtra: The embedder's extra is not installed, or a tokenizer, a cross-encoder or a chat model is set
                and what reads or reaches it is not.
        """
        from evolore import config  # noqa: PLC0415 - importing this module must stay cheap
        from evolore.chunking.chunker import Chunker  # noqa: PLC0415 - likewise
        from evolore.flows.suited import suited  # noqa: PLC0415 - likewise
        from evolore.jobs.clock import SystemClock  # noqa: PLC0415 - likewise
        from evolore.models.named import embedder_named  # noqa: PLC0415 - likewise
        from evolore.models.shipped_arousal import shipped_arousal  # noqa: PLC0415 - likewise
        from evolore.models.shipped_calibration import shipped_calibration  # noqa: PLC0415 - likewise
        from evolore.models.shipped_intents import shipped_intents  # noqa: PLC0415 - likewise
        from evolore.models.shipped_matter import shipped_matter  # noqa: PLC0415 - likewise
        from evolore.sources.files import FileReader, ReaderSettings  # noqa: PLC0415 - likewise
        from evolore.store.settings import IndexSettings  # noqa: PLC0415 - likewise
        from evolore.store.sqlite import SqliteStore  # noqa: PLC0415 - likewise

        settings = settings or config.load()
        namespace = settings.namespace if namespace is None else namespace
        check_name(namespace, "namespace")
        embedder = embedder_named(settings.embedder if embedder is None else embedder)
        is_local, clock = clock is None, clock or SystemClock()
        folder = _folder(settings.store if store is None else store)
        opened = SqliteStore(
            folder,
            model=embedder.model,
            clock=clock,
            indexes=IndexSettings(memory_bytes=settings.index_memory_bytes),
        )
        chat = _chat(chat_model, settings, clock, opened)
        tokenizer = _tokenizer(settings.tokenizer)
        return cls(
            Context(
                store=opened,
                embedder=embedder,
                reader=FileReader(ReaderSettings(max_bytes=settings.max_file_bytes)),
                clock=clock,
                chunker=Chunker(
                    settings.chunking,
                    tiers=settings.tiers,
                    tokenizer=tokenizer,
                    embedder=embedder,
                ),
                chat_model=chat,
                chat_terms=_chat_terms(settings),
                recall_settings=suited(settings.recall, embedder.model),
                recall_settings_of=partial(suited, settings.recall),
                namespace=namespace,
                max_leaves_at_once=settings.max_leaves_at_once,
                graph_settings=settings.graph,
                date_settings=settings.dates,
                intent_spaces=IntentSpaces(shipped_intents),
                estimates=ArousalSpaces(shipped_arousal).estimates,
                tokenizer=tokenizer,
                chat_intents=_chat_intents(chat, settings),
                reranker=_reranker(chat, settings) if reranker is None else reranker,
                rerank_settings=settings.rerank,
                intent_settings=settings.intent,
                decay_settings=settings.decay,
                matter_spaces=MatterSpaces(shipped_matter),
                is_local=is_local,
                episode_settings=settings.episodes,
                integration_settings=settings.integration,
                maintenance_settings=settings.maintenance,
                query_settings=settings.queries,
                evolution_settings=settings.evolution,
                calibrations=Calibrations(shipped_calibration),
                open_search=_search,
                answer_settings=settings.answer,
            )
        )

    @property
    def namespace(self) -> str:
        """The namespace it is bound to."""
        return self._context.namespace

    def add(
        self,
        *paths: str | PathLike[str],
        metadata: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] | None = None,
        principal: str | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        sync: SyncMode | str | None = None,
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
            progress: Hears how far it has come.

        Raises:
            InvalidValue: Metadata, a tag, the principal or a pattern is not of its form, or ``sync`` is another word.
            UnreadableSource: A path does not exist; nothing is added then.
            StoreBusy: Another process held the store for too long; documents before stay added.
        """
        return add.add_files(
            self._for(principal),
            [Path(path) for path in paths],
            where=path_filter(include, exclude),
            labels=_labels(metadata, tags),
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
        labels = _labels(metadata, tags)
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
        occurred_at: datetime | None = None,
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
            occurred_at: When, with a zone.
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
            occurred_at=occurred_at,
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

    def recall(  # noqa: PLR0913 - each narrows what is searched, and none depends on another
        self,
        text: str,
        *,
        limit: int | None = None,
        as_of: datetime | None = None,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        session: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        path: str | OutlineCode | Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        depth: int | None = None,
        expand: bool | None = None,
        fold_echoes: bool | None = None,
        tokens: int | None = None,
        level: Level | str = Level.EPISODE,
        record: bool | None = None,
        principal: str | None = None,
    ) -> Recall:
        """Find what answers a question, among the items that match everything named.

        What does not match takes no part: it is not ranked, and lends no context to what does.

        Args:
            text: The question, 1 to 10,000 characters.
            limit: How many hits at the most, at least 1; by default 5, or with ``tokens`` as many as fit, up to 100.
            as_of: The moment it is asked from, with a zone: what happened later is not seen, nor what was recorded
                later where it is not known when it happened. "Yesterday" is the day before it in that zone; by default
                the day before this one in the machine's zone, or in that of the ``clock`` the memory was opened with.
            where: Metadata of the statement or document, with exactly these values.
            tags: Tags of the statement or document, all of them.
            session: Only statements of this conversation.
            speaker: Only statements of this speaker.
            source: Only passages of the document with this source or path, or of those in this folder.
            path: Only passages at or below this outline code of ``source``, such as ``"1.2"``, or below these
                headings, such as ``"Handbook › Going live"`` or a tuple of them; a document's title counts as one.
            since: Only what happened then or later or, where that is unknown, was recorded; with a zone.
            until: Only what did before then; with a zone, later than ``since``.
            depth: Prefer passages this deep in their outlines, from 1 for the top.
            expand: Whether hits that are siblings in an outline come back as the chunk above them, with the hits it
                stands for in ``Hit.expansion``; by default what the settings say.
            fold_echoes: Whether hits that only repeat a better one are folded into it and stand in ``Hit.echoes``; by
                default what the settings say.
            tokens: What the hits may take as ``Recall.context`` gives them, in tokens of the tokenizer that is set, or
                estimated; at least 1. The best hit is given in any case; ``Recall.is_over_budget`` says so then.
            level: What a hit is: ``"episode"``, or ``"session"`` or ``"document"`` for the one it stands in, each once,
                ranked by the best episode in it, with its text and what was found in it in ``Hit.whole``.
            record: Whether the question is taken down with its hits, so that its answer can be rated: ``Recall.query_id``
                says under which id; by default what the settings say, which is not to.
            principal: On whose behalf; it stands in the query of what comes back, and beside what is taken down.

        Returns:
            Hits, best first, each with its text, place, and the terms its score is the sum of.

        Raises:
            InvalidValue: The question is blank or too long, the limit below 1, or what narrows it not of its form.
            NamespaceNotFound: Nothing was written to this namespace yet.
            StoreDamaged: Texts have lost their vectors, or a row cannot be read; ``doctor`` says more.
        """
        wanted = _filter(
            where=where,
            tags=tags,
            session=session,
            speaker=speaker,
            source=source,
            path=path,
            since=since,
            until=until,
        )
        query = Query(
            text=text,
            limit=default_limit(tokens) if limit is None else limit,
            as_of=as_of,
            filter=wanted,
            principal=principal,
            depth=depth,
            expand=expand,
            fold_echoes=fold_echoes,
            tokens=tokens,
            level=read_level(level),
        )
        found = recall.recall(self._context, query)
        if not (self._context.query_settings.record if record is None else record):
            return found
        return replace(found, query_id=self.record(found).id)

    def answer(  # noqa: PLR0913 - each narrows what is searched, and none depends on another
        self,
        question: str,
        *,
        limit: int | None = None,
        as_of: datetime | None = None,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        session: str | None = None,
        speaker: str | None = None,
        source: str | None = None,
        path: str | OutlineCode | Sequence[str] | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        depth: int | None = None,
        record: bool = True,
        principal: str | None = None,
    ) -> Answer:
        """Answer a question from what is found, each sentence with the passage it rests on.

        With a chat model, it writes the answer, in the question's language, and every sentence cites what it was shown; a
        reply that cites nothing, or states a number, date or address that its passages do not, is not used. Where it fails,
        and without one, the answer is sentences of the sources, word for word. Where these do not say it, neither does the
        answer: ``Answer.kind`` is ``"not_in_sources"``.

        Args:
            question: What is asked, 1 to 10,000 characters.
            limit: How many hits are read at the most, at least 1; by default what the settings say, which is 8.
            as_of: As ``recall`` takes it; so are all that narrow what is searched: nothing else is read, quoted or shown to
                a chat model.
            where: Metadata of the statement or document, with exactly these values.
            tags: Tags of the statement or document, all of them.
            session: Only statements of this conversation.
            speaker: Only statements of this speaker.
            source: Only passages of the document with this source or path, or of those in this folder.
            path: Only passages at or below this place of ``source``.
            since: Only what happened then or later.
            until: Only what did before then.
            depth: Prefer passages this deep in their outlines, from 1 for the top.
            record: Whether question and answer are taken down, so that the answer can be rated by ``Answer.id``.
            principal: On whose behalf; it is kept with the answer.

        Raises:
            InvalidValue: The question is blank or too long, the limit below 1, or what narrows it not of its form.
            NamespaceNotFound: Nothing was written to this namespace yet.
            StoreBusy: Another process held the store for too long; nothing was taken down.
        """
        query = Query(
            text=question,
            limit=self._context.answer_settings.hits if limit is None else limit,
            as_of=as_of,
            filter=_filter(
                where=where,
                tags=tags,
                session=session,
                speaker=speaker,
                source=source,
                path=path,
                since=since,
                until=until,
            ),
            principal=principal,
            depth=depth,
        )
        return answering.answer(self._for(principal), query, record=record)

    def list(self, *, limit: int = 20) -> Listing:
        """List every document and the newest ``limit`` statements.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
        """
        return browse.list_items(self._context, limit=limit)

    def show(self, item_id: str) -> Document | Episode:
        """Give the document or episode that an id, or the beginning of one, names.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
        """
        return browse.show(self._context, item_id)

    def tree(self, document: str, *, with_text: bool = False, as_of: datetime | None = None) -> DocumentTree:
        """Give the outline of a document, named by its id, the beginning of it, its source or its file's path.

        Args:
            document: Which.
            with_text: Whether to give its whole text with it.
            as_of: The moment, with a zone, whose version is wanted; by default the present one.

        Raises:
            NotFound: It names no document, or one that was not there at that moment.
            AmbiguousId: It begins several ids.
            InvalidValue: The moment has no zone.
        """
        return browse.tree(self._context, document, with_text=with_text, as_of=as_of)

    def place(self, item_id: str) -> Place:
        """Give where a passage stands in its document: its node, parent, ancestors, siblings and children.

        Args:
            item_id: The id of a passage, as a hit's episode has it, or the beginning of one.

        Raises:
            NotFound: It names nothing, a statement, or a passage of an earlier version.
            AmbiguousId: It begins several ids.
        """
        return browse.place(self._context, item_id)

    def graph(
        self,
        item_id: str,
        *,
        depth: int = 1,
        limit: int = 60,
        as_of: datetime | None = None,
        kinds: Iterable[EdgeKind | str] | None = None,
    ) -> Neighbourhood:
        """Give what stands around an episode: its neighbours, what joins them, and the contexts they fall into.

        Args:
            item_id: The id of a statement or passage, or the beginning of one.
            depth: How many edges to follow, 1–3.
            limit: How many episodes to give at the most with the one asked for, 1–200.
            as_of: The moment to show, with a zone: who stood for what then, and in which state; None for now.
            kinds: Which edges to follow, such as ``{"semantic"}``; None for all.

        Returns:
            The episode and its neighbours: the nearest first, and of those the most strongly joined.

        Raises:
            NotFound: It names nothing, a document, or what was not there yet at ``as_of``.
            AmbiguousId: It begins several ids.
            InvalidValue: ``depth``, ``limit``, ``as_of`` or ``kinds`` is out of range.
        """
        return neighbourhood.neighbourhood(self._context, item_id, depth=depth, limit=limit, as_of=as_of, kinds=kinds)

    def chunk_text(self, document_id: str, outline: OutlineCode) -> str:
        """Give the text of one chunk, inner ones joined from their leaves.

        Raises:
            NotFound: There is no such chunk.
        """
        return browse.chunk_text(self._context, document_id, outline)

    def review_list(
        self,
        *,
        status: ReviewStatus | str | None = ReviewStatus.OPEN,
        category: ReviewCategory | str | None = None,
        priority: Priority | str | None = None,
        document: str | None = None,
        unresolved_for_days: int | None = None,
        limit: int | None = None,
    ) -> tuple[ReviewItem, ...]:
        """List the review queue: the most urgent first, and of those the oldest first.

        Args:
            status: ``"open"`` or ``"resolved"``; None for both.
            category: Only ``"chunking"``, ``"wholeness"`` or ``"note"``.
            priority: Only ``"low"``, ``"normal"``, ``"high"`` or ``"urgent"``.
            document: Only about the document with this id, source or path.
            unresolved_for_days: Only open ones filed at least so many days ago.
            limit: How many at the most.

        Raises:
            InvalidValue: A word is none of these, or a number is out of range.
            NotFound: There is no such document.
            NamespaceNotFound: Nothing was written to this namespace yet.
        """
        wanted = review.choose(
            self._context,
            status=status,
            category=category,
            priority=priority,
            document=document,
            unresolved_for_days=unresolved_for_days,
            limit=limit,
        )
        return review.list_items(self._context, wanted)

    def review_show(self, item_id: str) -> ReviewItem:
        """Give the review item that an id, or the beginning of one, names.

        Raises:
            NotFound: It names none.
            AmbiguousId: It begins several ids.
        """
        return review.show(self._context, item_id)

    def review_resolve(self, item_id: str, *, note: str | None = None, principal: str | None = None) -> ReviewItem:
        """Resolve a review item; what it was filed for is not filed again.

        Args:
            item_id: Its id, or the beginning of one.
            note: What was done about it.
            principal: On whose behalf.

        Raises:
            NotFound: The id names none.
            InvalidValue: The note is blank or too long.
        """
        return review.set_status(self._for(principal), item_id, ReviewStatus.RESOLVED, note=note)

    def review_reopen(self, item_id: str, *, note: str | None = None, principal: str | None = None) -> ReviewItem:
        """Open a resolved review item again; its note is replaced.

        Raises:
            NotFound: The id names none.
            InvalidValue: The note is blank or too long.
        """
        return review.set_status(self._for(principal), item_id, ReviewStatus.OPEN, note=note)

    def review_note(
        self,
        text: str,
        *,
        priority: Priority | str = Priority.NORMAL,
        about: str | None = None,
        principal: str | None = None,
    ) -> ReviewItem:
        """File a note by hand.

        Args:
            text: What a person should look at, at most 10,000 characters.
            priority: How soon.
            about: The document, by id, source or path, or the passage or statement, by id, that it is about; it is
                forgotten with it.
            principal: On whose behalf.

        Raises:
            InvalidValue: The note is blank or too long, or the priority is none.
            NotFound: What it is about is not there.
        """
        return review.add_note(self._for(principal), text, priority=priority, about=about)

    def review_export(
        self,
        target: str | PathLike[str] | IO[bytes],
        *,
        format: ExportFormat | str = "jsonl",  # noqa: A002 - what callers look for
        status: ReviewStatus | str | None = None,
        category: ReviewCategory | str | None = None,
        priority: Priority | str | None = None,
        document: str | None = None,
        unresolved_for_days: int | None = None,
    ) -> int:
        """Write the review queue, open and resolved items, as JSON lines or CSV; give their number.

        Args:
            target: A new file, or a stream.
            format: ``"jsonl"`` or ``"csv"``.
            status: As in ``review_list``, like the others; by default both.
            category: Likewise.
            priority: Likewise.
            document: Likewise.
            unresolved_for_days: Likewise.

        Raises:
            InvalidValue: A word is none of those that are known, or the file is there already.
            StoreUnwritable: The file cannot be made.
            StoreFailed: The disk is full or failing.
        """
        wanted = review.choose(
            self._context,
            status=status,
            category=category,
            priority=priority,
            document=document,
            unresolved_for_days=unresolved_for_days,
            limit=None,
        )
        return review.export(self._context, wanted, _file_or_stream(target), form=format)

    def check_chunks(
        self,
        document: str | None = None,
        *,
        sample: int = 20,
        chunks_per_call: int = 5,
        calls: int = 4,
        seed: int = 0,
        principal: str | None = None,
    ) -> Checked:
        """Have the chat model read some passages; those it finds broken are filed for review, and nothing is cut.

        Args:
            document: The document to look at, by id, source or path; by default all.
            sample: How many passages to choose, as if by chance.
            chunks_per_call: How many the model is shown at a time.
            calls: How many calls may be made; never one more. At least 0.
            seed: Another one chooses other passages.
            principal: On whose behalf.

        Raises:
            ChatModelMissing: The memory was opened without a chat model.
            InvalidValue: A number is out of range.
            NotFound: There is no such document.
        """
        from evolore.flows import checking  # noqa: PLC0415 - what checks replies is heavy, and most never check

        return checking.check_chunks(
            self._for(principal),
            document=document,
            sample=sample,
            chunks_per_call=chunks_per_call,
            calls=calls,
            seed=seed,
        )

    def stats(self) -> StoreStats:
        """Count what this namespace holds.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
        """
        return browse.stats(self._context)

    def resonate(self, *episode_ids: str, arousal: float, principal: str | None = None) -> Resonated:
        """Say that memories were used, and how strongly that was felt: their arousal moves a fifth of the way there.

        One whose arousal nobody stated starts from its estimate, or from 0.5. If then the mean of all arousals that
        were stated, or moved by use, is above 0.6, all of these are scaled by 0.9. Both are events that ``undo`` takes
        back.

        Args:
            *episode_ids: The ids of statements or passages, or the beginnings of them.
            arousal: How strongly the use was felt, 0–1.
            principal: On whose behalf; it is kept in the events.

        Raises:
            InvalidValue: No id is given, or the arousal is out of range.
            NotFound: An id names nothing, or a document.
            AmbiguousId: It begins several ids.
        """
        return resonate.resonate_with(self._for(principal), episode_ids, arousal=arousal)

    def undo(self, event_id: str, *, cascade: bool = False, principal: str | None = None) -> Undone:
        """Take back what an event did, exactly: a merge, a split, a supersession, a conflict, a change of arousal.

        Undoing is an event too: undoing that does the change again. What a person undid, maintenance does not do again.

        Args:
            event_id: The id that the change was reported with, or the beginning of it; ``history`` shows those of an
                episode.
            cascade: Whether later changes that depend on it are undone first, newest first, all in one transaction.
            principal: On whose behalf; it is kept in the events.

        Raises:
            NotFound: No event that can be undone has the id, or what it changed was erased.
            AmbiguousId: It begins several ids.
            InvalidValue: It was undone already, or later changes depend on it; the message names them.
        """
        return undoing.undo(self._for(principal), event_id, cascade=cascade)

    def history(self, episode_id: str) -> tuple[EventRecord, ...]:
        """Give the events that made, changed or joined an episode, oldest first.

        Args:
            episode_id: Its id, or the beginning of it.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
        """
        return undoing.history(self._context, episode_id)

    def members(self, episode_id: str) -> tuple[Episode, ...]:
        """Give the statements that an episode was made of, oldest first; none for one that was only said.

        Args:
            episode_id: Its id, or the beginning of it.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
        """
        return browse.members(self._context, episode_id)

    def standing_for(self, episode_id: str) -> tuple[str, ...]:
        """Give the ids of the episodes that stand for one now: its own, or those it was merged or split into.

        Args:
            episode_id: Its id, or the beginning of it.

        Returns:
            None for one that was taken back, and for a document.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
        """
        return browse.standing_for(self._context, episode_id)

    def settle(
        self, item_id: str, *, keep: Keep | str, note: str | None = None, principal: str | None = None
    ) -> Settled:
        """Say which of two statements that do not fit together holds; the review item shows both.

        Args:
            item_id: The review item's id, or its beginning.
            keep: ``"newer"``: the older is superseded from the newer's time on. ``"older"``: the newer is revoked, and
                not found any more. ``"both"``: both hold, and are not asked about again.
            note: What you say about it.
            principal: On whose behalf; it is kept in the event.

        Raises:
            NotFound: No review item has the id, or a statement of it was forgotten.
            AmbiguousId: It begins several ids.
            InvalidValue: The item is no contradiction or resolved already, or ``keep`` is another word.
        """
        return settle.settle(self._for(principal), item_id, keep=keep, note=note)

    def confirm_conflicts(self, *, calls: int = 4, pairs_per_call: int = 4, principal: str | None = None) -> Confirmed:
        """Ask the chat model about open contradictions, the most urgent and oldest first.

        Where it says that the newer statement holds, or that both do, that is settled as with ``settle``, and ``undo``
        takes it back. Where it says that the older holds, or is not sure, the item gets a note and waits for you: a
        model never takes back what was said. Whatever goes wrong with a call is counted, and changes nothing.

        Args:
            calls: How many calls may be made; never one more. At least 0.
            pairs_per_call: How many contradictions the model is shown at a time.
            principal: On whose behalf; it is kept in the events.

        Raises:
            ChatModelMissing: The memory was opened without a chat model.
            InvalidValue: A number is out of range.
            NamespaceNotFound: Nothing was written to this namespace yet.
        """
        from evolore.flows import confirming  # noqa: PLC0415 - what checks replies is heavy, and most never ask

        return confirming.confirm_conflicts(self._for(principal), calls=calls, pairs_per_call=pairs_per_call)

    def maintain(
        self,
        *,
        items: int = maintain.DEFAULT_ITEMS,
        seconds: float | None = None,
        dry_run: bool = False,
        principal: str | None = None,
        progress: MaintainProgress | None = None,
    ) -> Maintained:
        """Look again at what changed since the last time: merge, split, link, find what does not fit together, prune.

        It goes on where it was. Others may read and write meanwhile. Every change is an event that ``undo`` takes back.

        Args:
            items: How many episodes it may look at, at least 1.
            seconds: How long it may begin new work, above 0; by default until the items are done.
            dry_run: Tell what it would do, and change nothing.
            principal: On whose behalf; it is kept in the events.
            progress: Hears how far it has come.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
            InvalidValue: A number is out of range.
            StoreBusy: Another process held the store for too long; what was done before stays.
        """
        budget = maintain.Budget(items=items, seconds=seconds)
        return maintain.maintain(self._for(principal), budget=budget, is_dry_run=dry_run, progress=progress)

    def calibrate(self, *, dry_run: bool = False, principal: str | None = None) -> tuple[Calibrated, ...]:
        """Find anew, from this namespace's own texts, what similarities mean in each of its languages.

        What was decided before stays as it is. Below 40 texts of a language nothing is changed; below 230 what is found
        leans on what ships with Evolore, or on nothing for an embedder of your own.

        Args:
            dry_run: Tell what would be found, and change nothing.
            principal: On whose behalf; it is kept in the events.

        Raises:
            NamespaceNotFound: Nothing was written to this namespace yet.
        """
        return calibrate.calibrate(self._for(principal), is_dry_run=dry_run)

    def forget(  # noqa: PLR0913 - exactly one of the first is named
        self,
        item_id: str | None = None,
        *,
        document: str | None = None,
        session: str | None = None,
        speaker: str | None = None,
        where: Mapping[str, MetadataValue] | None = None,
        tags: Iterable[str] = (),
        since: datetime | None = None,
        until: datetime | None = None,
        everything: bool = False,
        dry_run: bool = False,
        principal: str | None = None,
    ) -> Receipt:
        """Erase what is named, everywhere: documents with all their versions, and statements.

        Name exactly one of an id, a document, a session, a speaker, a filter or everything. ``where``, ``tags``,
        ``since`` and ``until`` are one filter together. It takes statements and, where it holds metadata or tags, whole
        documents; a document's time is that of its present version. Everything is erased in one transaction, and the
        receipt given when no file of the store holds it any more.

        Args:
            item_id: The id of a document or statement, or the beginning of one.
            document: A document's id, the beginning of it, its source or its file's path.
            session: The statements of this conversation.
            speaker: The statements of this speaker.
            where: What has this metadata.
            tags: What has all of these tags.
            since: What happened then or later or, where that is unknown, was recorded; with a zone.
            until: What did before then.
            everything: All of the namespace. Its name and its events stay.
            dry_run: Give the receipt of what would go, and change nothing.
            principal: On whose behalf; it is kept in the event.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
            InvalidValue: Nothing was named or too much, or a part of a document.
        """
        wanted = Filter(where=Metadata(where), tags=checked_tags(tags), since=since, until=until)
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
            NamespaceNotFound: Nothing was written to this namespace yet.
            StoreDamaged: The database cannot be read.
        """
        return verify.verify(self._context, all_namespaces=all_namespaces)

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
            NamespaceNotFound: There is no store, or no such namespace.
            StoreBusy: Another process held the store for too long.
        """
        return doctor.doctor(self._context, repair=repair, all_namespaces=all_namespaces)

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
        return exporting.export(self._context, _file_or_stream(target), with_vectors=with_vectors)

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
        return importing.import_from(self._context, _file_or_stream(source))

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

        This memory goes on with the new model. Others that are open get ``EmbedderMismatch`` from then on, and have to
        be opened anew with it. It does not matter which model this one was opened with.

        Args:
            embedder: The new one: of your own, or ``"use"`` or ``"e5"``.
            dry_run: Count what there is to do, and change nothing.
            principal: On whose behalf; it is kept in the events.
            progress: Hears how far it has come.

        Raises:
            NamespaceNotFound: There is no store yet.
            InvalidValue: No embedder has the name.
            MissingExtra: The embedder's extra is not installed.
            EmbedderMismatch: A change to another model has begun, or the new model has the old one's id and another
                dimension.
            StoreBusy: Another process gave the change up, held the store for too long, or writes faster than texts
                are embedded; what was embedded is kept.
        """
        from evolore.models.named import embedder_named  # noqa: PLC0415 - importing this module must stay cheap

        new = embedder_named(embedder)
        done = reembed.reembed(self._for(principal), new, is_dry_run=dry_run, progress=progress)
        if not dry_run:
            self._context, old = reembed.rebound(self._context, new), self._context
            old.store.close()
            reembed.embed_all_queries(self._context)
        return done

    def abandon_reembed(self) -> AbandonedReembed:
        """Give up a ``reembed`` that was begun: the store stays with its model, and the new vectors are deleted.

        Raises:
            NamespaceNotFound: There is no store yet.
            StoreBusy: Another process held the store for too long.
        """
        return reembed.abandon(self._context)

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
        return self._context.store.backup(_folder(path))

    def prepare(self, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Build the files that make recall fast in a namespace of more than 10,000 texts, and wait until they are there.

        A process that goes on recalling builds them by itself, in the background. Call this before one that does not
        ends, when much was added. Where nothing is due, it costs opening the indexes; in a small namespace nothing.

        Args:
            progress: Hears how many vectors of how many are in; called a few times a second.

        Raises:
            NamespaceNotFound: Nothing was written to the namespace yet.
            StoreFailed: The disk is full or failing; recall goes on without the files.
        """
        self._context.store.prepare(self._context.namespace, progress=progress)

    def chat_check(self) -> ChatCheck:
        """Make one small call of the chat model, to see that it works; nothing of the memory is sent.

        Raises:
            ChatModelMissing: There is no chat model.
        """
        return chat_check.chat_check(self._context)

    def close(self) -> None:
        """Let go of files and memory."""
        self._context.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
