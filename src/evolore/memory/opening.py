"""Opening a memory: the one place where adapters are made."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from evolore import config
from evolore.chat.asking import ChatTerms
from evolore.chunking.chunker import Chunker
from evolore.config import Settings
from evolore.domain.checks import check_name
from evolore.errors import InvalidSetting
from evolore.flows.calibrate import Calibrations
from evolore.flows.context import Context
from evolore.flows.intent import ChatIntents, IntentSpaces
from evolore.index.settings import IndexSettings
from evolore.jobs import clock as clocks
from evolore.jobs.score_log import ScoreLog
from evolore.memory.binding import where_of
from evolore.models import embedders
from evolore.ports import ChatModel, Clock, Embedder, Entailment, Reranker, Tokenizer
from evolore.recall.arousal import ArousalSpaces
from evolore.recall.dense import MatterSpaces
from evolore.sources.addresses import AddressReader
from evolore.sources.files import FileReader, ReaderSettings
from evolore.store.store import Store

if TYPE_CHECKING:
    from evolore.chat.budget import BudgetedChat


def open_context(
    store: str | PathLike[str] | None,
    *,
    namespace: str | None,
    embedder: Embedder | str | None,
    chat_model: ChatModel | None,
    reranker: Reranker | None,
    clock: Clock | None,
    settings: Settings | None,
    read_only: bool | None,
) -> Context:
    """Return the ports of a memory, as ``Memory.open`` describes them."""
    settings = settings or config.load()
    namespace = settings.namespace if namespace is None else namespace
    check_name(namespace, "namespace")
    embedder = embedder_of(embedder, settings=settings)
    is_local, clock = clock is None, clock or clocks.SystemClock()
    where = where_of(settings.store if store is None else store)
    kind = Store
    if where.shards is not None:
        from evolore.store.shards import ShardedStore as kind  # noqa: N813, PLC0415 - an extra
    opened = kind(
        where,
        model=embedder.model,
        clock=clock,
        indexes=IndexSettings(
            memory_bytes=settings.index_memory_bytes,
            namespace_bytes=settings.namespace_memory_bytes or _four_fifths_of_memory(),
        ),
        read_only=settings.read_only if read_only is None else read_only,
    )
    chat = _chat(chat_model, settings, clock, opened)
    context = _context(opened, embedder, settings, chat_model=chat, clock=clock, namespace=namespace)
    reranker = _reranker(chat, settings) if reranker is None else reranker
    return replace(context, reranker=reranker, entailment=_entailment(settings), is_local=is_local)


_LIMIT_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def _four_fifths_of_memory() -> int | None:
    """Return most of what the machine, or the container, has; None if unknown."""
    told: list[int] = []
    with suppress(AttributeError, ValueError, OSError):  # Windows has no such call
        told.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(OSError, ValueError):  # "max" is no limit
        told.append(int(_LIMIT_OF_CONTAINER.read_text(encoding="ascii")))
    return min(told) * 4 // 5 if told else None


_PACER = clocks.SystemPacer()


def embedder_of(given: Embedder | str | None, *, settings: Settings) -> Embedder:
    """Return the embedder that is given or named, by default as the settings name it.

    Raises:
        InvalidValue: No embedder has the name.
        InvalidSetting: The settings do not say where its model is, or its key is not there.
        MissingExtra: Its extra is not installed.
    """
    match settings.embedder if given is None else given:
        case "openai":
            if not settings.embedding.model:
                raise InvalidSetting(
                    "The embedder is 'openai', and embedding.model is empty: name the embedding model as its server knows it, "
                    "and where it is in embedding.base_url."
                )
            from evolore.models.openai_embedder import OpenAIEmbedder  # noqa: PLC0415 - an extra, and heavy

            key = config.server_key(settings.embedding, table="embedding")
            return embedders.shared(OpenAIEmbedder, settings.embedding, key=key, pacer=_PACER)
        case "model2vec":
            if settings.model2vec is None:
                raise InvalidSetting(
                    "The embedder is 'model2vec', and the setting model2vec is empty: name the folder of a model that "
                    "Model2Vec saved."
                )
            from evolore.models.static import StaticEmbedder  # noqa: PLC0415 - an extra

            return embedders.shared(StaticEmbedder, settings.model2vec.expanduser().absolute())
        case named:
            return embedders.embedder_named(named)


def _tokenizer(path: Path | None) -> Tokenizer | None:
    if path is None:
        return None
    from evolore.models.tokenizer import TokenizerFile  # noqa: PLC0415 - an extra

    return embedders.shared(TokenizerFile, path.expanduser().absolute())


def _chat(given: ChatModel | None, settings: Settings, clock: Clock, store: Store) -> BudgetedChat | None:
    """Return the chat model that is given or that the settings name, within the budget of a day of the store."""
    chat = settings.chat
    if given is None and not chat.model:
        return None
    from evolore.chat.budget import BudgetedChat, CircuitBreaker, DayTerms, InMemoryChatCache  # noqa: PLC0415 - heavy, and most have none

    kept = chat.kept_replies
    return BudgetedChat(
        _named_chat(settings) if given is None else given,
        clock=clock,
        log=store.chat_spend(),
        terms=DayTerms(budget=chat.day, prices=chat.prices, overlap=chat.concurrency),
        breaker=CircuitBreaker(),
        cache=store.chat_cache(kept, until=InMemoryChatCache(kept)) if kept else None,
        secrets=settings.secrets,
    )


def _named_chat(settings: Settings) -> ChatModel:
    from evolore.models.openai_connection import OpenAIChat  # noqa: PLC0415 - an extra, and heavy

    return OpenAIChat(settings.chat, key=config.chat_key(settings.chat))


def _chat_terms(settings: Settings) -> ChatTerms:
    chat = settings.chat
    return ChatTerms(prices=chat.prices, job=chat.job, retries=chat.retries, pacer=clocks.SystemPacer())


def _asked_once(settings: Settings) -> ChatTerms:
    """Return the terms of what a person waits for."""
    return replace(_chat_terms(settings), pacer=None)


def _reranker(chat_model: ChatModel | None, settings: Settings) -> Reranker | None:
    if settings.reranker is not None:
        from evolore.models.rerankers import OnnxReranker  # noqa: PLC0415 - an extra, and importing must stay cheap

        return embedders.shared(OnnxReranker, settings.reranker.expanduser().absolute())
    if settings.rerank.model:
        from evolore.models.rerankers import HttpReranker  # noqa: PLC0415 - an extra, and heavy

        return HttpReranker(settings.rerank, key=config.server_key(settings.rerank, table="rerank"))
    if chat_model is None or settings.rerank.chat_calls == 0:
        return None
    from evolore.flows.intent import ChatReranker  # noqa: PLC0415 - what checks replies is heavy

    return ChatReranker(chat_model, calls=settings.rerank.chat_calls, terms=_asked_once(settings))


def _entailment(settings: Settings) -> Entailment | None:
    if settings.entailment is None:
        return None
    from evolore.models.onnx_pairs import OnnxEntailment  # noqa: PLC0415 - an extra, and importing must stay cheap

    return embedders.shared(OnnxEntailment, settings.entailment.expanduser().absolute())


def _chat_intents(chat_model: ChatModel | None, settings: Settings) -> ChatIntents | None:
    if chat_model is None or settings.intent.chat_calls == 0:
        return None
    from evolore.flows.intent import ChatIntents  # noqa: PLC0415 - what checks replies is heavy

    return ChatIntents(chat_model, calls=settings.intent.chat_calls, terms=_asked_once(settings))


def _context(
    store: Store,
    embedder: Embedder,
    settings: Settings,
    *,
    chat_model: BudgetedChat | None,
    clock: Clock,
    namespace: str,
) -> Context:
    """Return what flows work through: the adapters, and what the settings and the shipped parameters say."""
    tokenizer = _tokenizer(settings.tokenizer)
    reading = ReaderSettings(max_bytes=settings.max_file_bytes)
    return Context(
        store=store,
        score_log=None if settings.score_log is None else ScoreLog(settings.score_log.expanduser().absolute()),
        embedder=embedder,
        embedder_of=partial(embedder_of, settings=settings),
        reader=FileReader(reading),
        addresses=AddressReader(reading),
        clock=clock,
        chunker=Chunker(settings.chunking, tiers=settings.tiers, tokenizer=tokenizer, embedder=embedder),
        chat_model=chat_model,
        chat_terms=_chat_terms(settings),
        chat_intents=_chat_intents(chat_model, settings),
        namespace=namespace,
        tokenizer=tokenizer,
        max_leaves_at_once=settings.max_leaves_at_once,
        secrets=settings.secrets,
        calibrations=Calibrations(embedders.shipped_calibration),
        estimates=ArousalSpaces(embedders.shipped_arousal).estimates,
        intent_spaces=IntentSpaces(embedders.shipped_intents),
        matter_spaces=MatterSpaces(embedders.shipped_matter),
        settings=settings,
    )
