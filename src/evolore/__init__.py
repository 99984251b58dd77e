"""Evolore: a long-term memory and knowledge base for LLM applications that keeps itself in order.

Importing the package reads no file and loads no model; names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.chunking.chunker import Chunker
    from evolore.chunking.settings import ChunkSettings
    from evolore.config import Settings
    from evolore.domain.answer import Answer, Citation
    from evolore.domain.chat import ChatSettings
    from evolore.domain.citation import Level
    from evolore.domain.document import Document, DocumentTree, MediaType
    from evolore.domain.episode import Episode, Statement
    from evolore.domain.filters import Filter
    from evolore.domain.graph import Neighbourhood
    from evolore.domain.outcome import QueryRecord, Rating
    from evolore.domain.outline import OutlineCode
    from evolore.domain.query import AskOptions, Hit, Query, Recall, RecallOptions
    from evolore.domain.review import ReviewItem
    from evolore.errors import EvoloreError, InputError, SetupError, TryAgain
    from evolore.flows.add import Added
    from evolore.flows.remember.remember import Remembered
    from evolore.integrations.wrapping import wrap
    from evolore.memory import Memory
    from evolore.memory.async_memory import AsyncMemory
    from evolore.models.use import UseEmbedder
    from evolore.ports import ChatModel, Embedder, Receipt, Reranker, SourceText, Tokenizer
    from evolore.recall.settings import RerankSettings

__all__ = [
    "Added",
    "Answer",
    "AskOptions",
    "AsyncMemory",
    "ChatModel",
    "ChatSettings",
    "ChunkSettings",
    "Chunker",
    "Citation",
    "Document",
    "DocumentTree",
    "Embedder",
    "Episode",
    "EvoloreError",
    "Filter",
    "Hit",
    "InputError",
    "Level",
    "MediaType",
    "Memory",
    "Neighbourhood",
    "OutlineCode",
    "Query",
    "QueryRecord",
    "Rating",
    "Recall",
    "RecallOptions",
    "Receipt",
    "Remembered",
    "RerankSettings",
    "Reranker",
    "ReviewItem",
    "Settings",
    "SetupError",
    "SourceText",
    "Statement",
    "Tokenizer",
    "TryAgain",
    "UseEmbedder",
    "wrap",
]

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


if not TYPE_CHECKING:  # a type checker that saw it would accept every misspelt name

    def __getattr__(name: str) -> object:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module 'evolore' has no attribute {name!r}")
        return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
