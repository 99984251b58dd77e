"""``Memory``: opens the adapters, binds a namespace and hands each verb to its flow."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Self

from evolore.domain.checks import check_name
from evolore.errors import TryAgain
from evolore.flows import (
    reembed,
)
from evolore.flows.arousal import ArousalSpaces
from evolore.flows.calibrations import Calibrations
from evolore.flows.context import Context
from evolore.flows.decay import MatterSpaces
from evolore.flows.intent import IntentSpaces
from evolore.flows.question_queue import QuestionQueue
from evolore.verbs.adding import MemoryAdding
from evolore.verbs.asking import MemoryAsking
from evolore.verbs.browsing import MemoryBrowsing
from evolore.verbs.evolving import MemoryEvolution
from evolore.verbs.given import folder_of
from evolore.verbs.keeping import MemoryKeeping
from evolore.verbs.maintaining import MemoryMaintaining
from evolore.verbs.questions import MemoryQueries
from evolore.verbs.reviewing import MemoryReviewing

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path
    from types import TracebackType

    from evolore.config import Settings
    from evolore.flows.budgeted_chat import BudgetedChat
    from evolore.flows.chat_intent import ChatIntents
    from evolore.flows.chat_terms import ChatTerms
    from evolore.flows.reembed import Reembedded, ReembedProgress
    from evolore.ports import ChatModel, Clock, Embedder, Reranker, Tokenizer
    from evolore.store.sqlite import SqliteStore


def _tokenizer(path: Path | None) -> Tokenizer | None:
    if path is None:
        return None
    from evolore.models.shared import shared  # noqa: PLC0415 - importing this module must stay cheap
    from evolore.models.tokenizer import TokenizerFile  # noqa: PLC0415 - likewise, and it is an extra

    return shared(TokenizerFile, path.expanduser().absolute())


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
    from evolore.jobs.clock import SystemPacer  # noqa: PLC0415 - likewise

    chat = settings.chat
    return ChatTerms(prices=chat.prices, job=chat.job, retries=chat.retries, pacer=SystemPacer())


def _asked_once(settings: Settings) -> ChatTerms:
    """Give the terms of what a person waits for."""
    return replace(_chat_terms(settings), pacer=None)


def _reranker(chat_model: ChatModel | None, settings: Settings) -> Reranker | None:
    if settings.reranker is not None:
        from evolore.models.onnx_reranker import OnnxReranker  # noqa: PLC0415 - an extra, and importing must stay cheap
        from evolore.models.shared import shared  # noqa: PLC0415 - likewise

        return shared(OnnxReranker, settings.reranker.expanduser().absolute())
    if chat_model is None or settings.rerank.chat_calls == 0:
        return None
    from evolore.flows.chat_reranking import ChatReranker  # noqa: PLC0415 - what checks replies is heavy

    return ChatReranker(chat_model, calls=settings.rerank.chat_calls, terms=_asked_once(settings))


def _chat_intents(chat_model: ChatModel | None, settings: Settings) -> ChatIntents | None:
    if chat_model is None or settings.intent.chat_calls == 0:
        return None
    from evolore.flows.chat_intent import ChatIntents  # noqa: PLC0415 - what checks replies is heavy

    return ChatIntents(chat_model, calls=settings.intent.chat_calls, terms=_asked_once(settings))


def _context(
    store: SqliteStore,
    embedder: Embedder,
    settings: Settings,
    *,
    chat_model: BudgetedChat | None,
    clock: Clock,
    namespace: str,
) -> Context:
    """Give what flows work through: the adapters, and what the settings and the shipped parameters say."""
    from evolore.chunking.chunker import Chunker  # noqa: PLC0415 - importing must stay cheap
    from evolore.flows.suited import suited  # noqa: PLC0415 - likewise
    from evolore.models.shipped import (  # noqa: PLC0415 - likewise
        shipped_arousal,
        shipped_calibration,
        shipped_intents,
        shipped_matter,
    )
    from evolore.sources.files import FileReader, ReaderSettings  # noqa: PLC0415 - likewise

    tokenizer = _tokenizer(settings.tokenizer)
    return Context(
        store=store,
        embedder=embedder,
        reader=FileReader(ReaderSettings(max_bytes=settings.max_file_bytes)),
        clock=clock,
        chunker=Chunker(settings.chunking, tiers=settings.tiers, tokenizer=tokenizer, embedder=embedder),
        chat_model=chat_model,
        chat_terms=_chat_terms(settings),
        chat_intents=_chat_intents(chat_model, settings),
        namespace=namespace,
        tokenizer=tokenizer,
        max_leaves_at_once=settings.max_leaves_at_once,
        calibrations=Calibrations(shipped_calibration),
        estimates=ArousalSpaces(shipped_arousal).estimates,
        intent_spaces=IntentSpaces(shipped_intents),
        matter_spaces=MatterSpaces(shipped_matter),
        recall_settings=suited(settings.recall, embedder.model),
        recall_settings_of=partial(suited, settings.recall),
        answer_settings=settings.answer,
        date_settings=settings.dates,
        decay_settings=settings.decay,
        episode_settings=settings.episodes,
        evolution_settings=settings.evolution,
        graph_settings=settings.graph,
        integration_settings=settings.integration,
        intent_settings=settings.intent,
        maintenance_settings=settings.maintenance,
        query_settings=settings.queries,
        rerank_settings=settings.rerank,
    )


class Memory(
    MemoryAdding,
    MemoryAsking,
    MemoryQueries,
    MemoryBrowsing,
    MemoryReviewing,
    MemoryMaintaining,
    MemoryEvolution,
    MemoryKeeping,
):
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
        read_only: bool | None = None,
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
            read_only: Whether nothing is written, also nothing beside the database; by default what the settings say.
                A store whose folder cannot be written, as on a read-only file system, is read so however it is opened.

        Raises:
            ChatKeyMissing: A chat model is set that needs a key, and the environment holds none.
            InvalidSetting: The settings file or the environment holds a wrong setting, or names no cross-encoder.
            InvalidValue: The namespace is blank, no embedder has the name, or sizes are in tokens and no tokenizer is
                set.
            MissingExtra: The embedder's extra is not installed, or a tokenizer, a cross-encoder or a chat model is set
                and what reads or reaches it is not.
        """
        from evolore import config  # noqa: PLC0415 - importing this module must stay cheap
        from evolore.jobs.clock import SystemClock  # noqa: PLC0415 - likewise
        from evolore.models.named import embedder_named  # noqa: PLC0415 - likewise
        from evolore.store.settings import IndexSettings  # noqa: PLC0415 - likewise
        from evolore.store.sqlite import SqliteStore  # noqa: PLC0415 - likewise

        settings = settings or config.load()
        namespace = settings.namespace if namespace is None else namespace
        check_name(namespace, "namespace")
        embedder = embedder_named(settings.embedder if embedder is None else embedder)
        is_local, clock = clock is None, clock or SystemClock()
        opened = SqliteStore(
            folder_of(settings.store if store is None else store),
            model=embedder.model,
            clock=clock,
            indexes=IndexSettings(memory_bytes=settings.index_memory_bytes),
            read_only=settings.read_only if read_only is None else read_only,
        )
        chat = _chat(chat_model, settings, clock, opened)
        context = _context(opened, embedder, settings, chat_model=chat, clock=clock, namespace=namespace)
        reranker = _reranker(chat, settings) if reranker is None else reranker
        return cls(replace(context, reranker=reranker, is_local=is_local))

    @staticmethod
    def namespaces(store: str | PathLike[str] | None = None) -> tuple[str, ...]:
        """List the namespaces of a store by name; none where there is no store yet.

        It is for whoever runs the store: no verb of a memory, and no message, names another namespace than its own.

        Args:
            store: The store's folder; by default the settings' one.

        Raises:
            InvalidSetting: It is an address, or the settings are wrong.
            StoreDamaged: What is there is not a store.
            StoreVersionError: Another version of Evolore wrote it.
        """
        from evolore import config  # noqa: PLC0415 - importing this module must stay cheap
        from evolore.store.sqlite import list_namespaces  # noqa: PLC0415 - likewise

        return list_namespaces(folder_of(config.load().store if store is None else store))

    @property
    def namespace(self) -> str:
        """The namespace it is bound to."""
        return self._context.namespace

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
            StoreFailed: The disk is failing, or has no room for the new vectors beside the old ones. The store has its
                old model then.
        """
        from evolore.models.named import embedder_named  # noqa: PLC0415 - importing this module must stay cheap

        new = embedder_named(embedder)
        done = reembed.reembed(self._for(principal), new, is_dry_run=dry_run, progress=progress)
        if not dry_run:
            self._questions.write_quietly()  # asked meanwhile: `maintain` embeds them with the new model
            self._context, old = reembed.rebound(self._context, new), self._context
            self._questions = QuestionQueue(self._context)
            old.store.close()
            with suppress(TryAgain):  # the store has switched: `maintain` goes on with what is left of questions
                reembed.embed_all_queries(self._context)
        return done

    def close(self) -> None:
        """Write the questions that are not taken down yet, and let go of files and memory."""
        self._questions.close()
        self._context.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
