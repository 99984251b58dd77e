"""Evolore: a long-term memory and knowledge base for LLM applications that keeps itself in order.

Importing the package reads no file and loads no model; names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.chunking.chunker import Chunker as Chunker
    from evolore.chunking.settings import ChunkSettings as ChunkSettings
    from evolore.config import Settings as Settings
    from evolore.domain.answer import Answer as Answer
    from evolore.domain.answer import Citation as Citation
    from evolore.domain.chat import ChatSettings as ChatSettings
    from evolore.domain.citation import Level as Level
    from evolore.domain.document import Document as Document
    from evolore.domain.document import DocumentTree as DocumentTree
    from evolore.domain.document import MediaType as MediaType
    from evolore.domain.episode import Episode as Episode
    from evolore.domain.episode import Statement as Statement
    from evolore.domain.filters import Filter as Filter
    from evolore.domain.graph import Neighbourhood as Neighbourhood
    from evolore.domain.outcome import QueryRecord as QueryRecord
    from evolore.domain.outcome import Rating as Rating
    from evolore.domain.outline import OutlineCode as OutlineCode
    from evolore.domain.query import AskOptions as AskOptions
    from evolore.domain.query import Hit as Hit
    from evolore.domain.query import Query as Query
    from evolore.domain.query import Recall as Recall
    from evolore.domain.query import RecallOptions as RecallOptions
    from evolore.domain.review import ReviewItem as ReviewItem
    from evolore.errors import EvoloreError as EvoloreError
    from evolore.errors import InputError as InputError
    from evolore.errors import SetupError as SetupError
    from evolore.errors import TryAgain as TryAgain
    from evolore.flows.add import Added as Added
    from evolore.flows.remember.remember import Remembered as Remembered
    from evolore.integrations.wrapping import wrap as wrap
    from evolore.memory import Memory as Memory
    from evolore.memory.async_memory import AsyncMemory as AsyncMemory
    from evolore.models.use import UseEmbedder as UseEmbedder
    from evolore.ports import ChatModel as ChatModel
    from evolore.ports import Embedder as Embedder
    from evolore.ports import Receipt as Receipt
    from evolore.ports import Reranker as Reranker
    from evolore.ports import SourceText as SourceText
    from evolore.ports import Tokenizer as Tokenizer
    from evolore.recall.settings import RerankSettings as RerankSettings

_HOMES = {
    "evolore.memory.async_memory": ("AsyncMemory",),
    "evolore.chunking.chunker": ("Chunker",),
    "evolore.chunking.settings": ("ChunkSettings",),
    "evolore.config": ("Settings",),
    "evolore.domain.answer": ("Answer", "Citation"),
    "evolore.domain.chat": ("ChatSettings",),
    "evolore.domain.citation": ("Level",),
    "evolore.domain.document": ("Document", "DocumentTree", "MediaType"),
    "evolore.domain.episode": ("Episode", "Statement"),
    "evolore.domain.filters": ("Filter",),
    "evolore.domain.graph": ("Neighbourhood",),
    "evolore.domain.outcome": ("QueryRecord", "Rating"),
    "evolore.domain.outline": ("OutlineCode",),
    "evolore.domain.query": ("AskOptions", "Hit", "Query", "Recall", "RecallOptions"),
    "evolore.domain.review": ("ReviewItem",),
    "evolore.errors": ("EvoloreError", "InputError", "SetupError", "TryAgain"),
    "evolore.flows.add": ("Added",),
    "evolore.flows.remember.remember": ("Remembered",),
    "evolore.integrations.wrapping": ("wrap",),
    "evolore.memory": ("Memory",),
    "evolore.models.use": ("UseEmbedder",),
    "evolore.ports": ("ChatModel", "Embedder", "Receipt", "Reranker", "SourceText", "Tokenizer"),
    "evolore.recall.settings": ("RerankSettings",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME_OF)  # noqa: PLE0605  # pyright: ignore[reportUnsupportedDunderAll] - they read the imports


if not TYPE_CHECKING:  # a type checker that saw it would accept every misspelt name

    def __getattr__(name: str) -> object:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'evolore' has no attribute {name!r}")
        return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
