"""Evolore: a long-term memory and knowledge base for LLM applications that keeps itself in order.

Importing the package reads no file and loads no model; names are loaded when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolore.async_memory import AsyncMemory
    from evolore.chunking.chunker import Chunker
    from evolore.chunking.settings import ChunkSettings, SizeUnit
    from evolore.chunking.tier_settings import TierSettings
    from evolore.config import Settings
    from evolore.domain.answering import Answer, AnswerKind, Citation
    from evolore.domain.answers import (
        Echo,
        Expansion,
        Hit,
        Intent,
        Query,
        Recall,
        ScoreTerm,
        Whole,
    )
    from evolore.domain.chat_settings import ChatSettings
    from evolore.domain.episodes import Edge, EdgeKind, Episode, EpisodeKind, Statement
    from evolore.domain.filters import Filter
    from evolore.domain.influences import Reranking, Suppressed
    from evolore.domain.knowledge import Chunk, ChunkTree, Document, MediaType, Span, TreePart
    from evolore.domain.language import Language
    from evolore.domain.levels import Level
    from evolore.domain.metadata import Metadata
    from evolore.domain.outline import OutlineCode, Relation
    from evolore.domain.queries import Outcome, QueryRecord, Rating
    from evolore.domain.review import Priority, ReviewCategory, ReviewItem, ReviewStatus
    from evolore.errors import EvoloreError, InputError, SetupError, TryAgain
    from evolore.flows.add import Added, AddedDocument
    from evolore.flows.neighbours import Neighbourhood
    from evolore.flows.outlines import DocumentTree, Place
    from evolore.flows.remember import Remembered
    from evolore.memory import Memory
    from evolore.models.use import UseEmbedder
    from evolore.ports import ChatModel, Embedder, Receipt, Reranker, SourceText, Tokenizer
    from evolore.queries.settings import QuerySettings
    from evolore.recall.answer_settings import AnswerSettings
    from evolore.recall.decay_settings import Decay, DecaySettings
    from evolore.recall.intent_settings import IntentSettings
    from evolore.recall.rerank_settings import RerankSettings
    from evolore.recall.settings import RecallSettings

__all__ = [
    "Added",
    "AddedDocument",
    "Answer",
    "AnswerKind",
    "AnswerSettings",
    "AsyncMemory",
    "ChatModel",
    "ChatSettings",
    "Chunk",
    "ChunkSettings",
    "ChunkTree",
    "Chunker",
    "Citation",
    "Decay",
    "DecaySettings",
    "Document",
    "DocumentTree",
    "Echo",
    "Edge",
    "EdgeKind",
    "Embedder",
    "Episode",
    "EpisodeKind",
    "EvoloreError",
    "Expansion",
    "Filter",
    "Hit",
    "InputError",
    "Intent",
    "IntentSettings",
    "Language",
    "Level",
    "MediaType",
    "Memory",
    "Metadata",
    "Neighbourhood",
    "Outcome",
    "OutlineCode",
    "Place",
    "Priority",
    "Query",
    "QueryRecord",
    "QuerySettings",
    "Rating",
    "Recall",
    "RecallSettings",
    "Receipt",
    "Relation",
    "Remembered",
    "RerankSettings",
    "Reranker",
    "Reranking",
    "ReviewCategory",
    "ReviewItem",
    "ReviewStatus",
    "ScoreTerm",
    "Settings",
    "SetupError",
    "SizeUnit",
    "SourceText",
    "Span",
    "Statement",
    "Suppressed",
    "TierSettings",
    "Tokenizer",
    "TreePart",
    "TryAgain",
    "UseEmbedder",
    "Whole",
]

_HOMES = {
    "evolore.async_memory": ("AsyncMemory",),
    "evolore.chunking.chunker": ("Chunker",),
    "evolore.chunking.settings": ("ChunkSettings", "SizeUnit"),
    "evolore.chunking.tier_settings": ("TierSettings",),
    "evolore.config": ("Settings",),
    "evolore.domain.answering": ("Answer", "AnswerKind", "Citation"),
    "evolore.domain.answers": (
        "Echo",
        "Expansion",
        "Hit",
        "Intent",
        "Query",
        "Recall",
        "ScoreTerm",
        "Whole",
    ),
    "evolore.domain.chat_settings": ("ChatSettings",),
    "evolore.domain.episodes": ("Edge", "EdgeKind", "Episode", "EpisodeKind", "Statement"),
    "evolore.domain.filters": ("Filter",),
    "evolore.domain.influences": ("Reranking", "Suppressed"),
    "evolore.domain.knowledge": ("Chunk", "ChunkTree", "Document", "MediaType", "Span", "TreePart"),
    "evolore.domain.language": ("Language",),
    "evolore.domain.levels": ("Level",),
    "evolore.domain.metadata": ("Metadata",),
    "evolore.domain.outline": ("OutlineCode", "Relation"),
    "evolore.domain.queries": ("Outcome", "QueryRecord", "Rating"),
    "evolore.domain.review": ("Priority", "ReviewCategory", "ReviewItem", "ReviewStatus"),
    "evolore.errors": ("EvoloreError", "InputError", "SetupError", "TryAgain"),
    "evolore.flows.add": ("Added", "AddedDocument"),
    "evolore.flows.neighbours": ("Neighbourhood",),
    "evolore.flows.outlines": ("DocumentTree", "Place"),
    "evolore.flows.remember": ("Remembered",),
    "evolore.memory": ("Memory",),
    "evolore.models.use": ("UseEmbedder",),
    "evolore.ports": ("ChatModel", "Embedder", "Receipt", "Reranker", "SourceText", "Tokenizer"),
    "evolore.queries.settings": ("QuerySettings",),
    "evolore.recall.answer_settings": ("AnswerSettings",),
    "evolore.recall.decay_settings": ("Decay", "DecaySettings"),
    "evolore.recall.intent_settings": ("IntentSettings",),
    "evolore.recall.rerank_settings": ("RerankSettings",),
    "evolore.recall.settings": ("RecallSettings",),
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
