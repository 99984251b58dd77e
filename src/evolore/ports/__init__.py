"""What Evolore asks of the outside, as small protocols and the values that cross them.

Adapters in ``store``, ``models`` and ``sources`` satisfy these; flows know nothing else of them. Every port is
synchronous and takes batches, so that an adapter can overlap its requests.
"""

from evolore.domain.queries import QUERY_EDGES, Entering, QueryEdge
from evolore.ports.changes import (
    UNSET,
    Applied,
    Change,
    ChangeKind,
    EpisodeDraft,
    EventRecord,
    FieldChange,
    StoredCalibration,
    Undone,
    Unset,
)
from evolore.ports.chat import ChatModel
from evolore.ports.chat_keeping import ChatCache, Pacer, SpendLog
from evolore.ports.clock import Clock
from evolore.ports.embedding import Embedder, EmbeddingModel, TextRole, Vectors
from evolore.ports.indexes import IndexView, ItemPeriods, NameIndex, Slots, TextIndex, VectorIndex
from evolore.ports.queries import Lessons, NewQuery, QueryIndex, Reconsidered, Withdrawn
from evolore.ports.records import (
    IndexedText,
    ItemKeys,
    JsonValue,
    ModelChange,
    NewDocument,
    NewStatement,
    NewVector,
    Receipt,
    Record,
    StoredKeys,
    StoreStats,
    TextAt,
    TextPlace,
)
from evolore.ports.reembedding import Reembedding
from evolore.ports.reranking import Reranked, Reranker, RerankFailure
from evolore.ports.sources import MAX_SOURCE_CHARACTERS, LeftOut, LeftOutReason, PathFilter, SourceReader, SourceText
from evolore.ports.store import Store
from evolore.ports.store_reader import StoreReader
from evolore.ports.store_writer import StoreWriter
from evolore.ports.tokens import Tokenizer

__all__ = [
    "MAX_SOURCE_CHARACTERS",
    "QUERY_EDGES",
    "UNSET",
    "Applied",
    "Change",
    "ChangeKind",
    "ChatCache",
    "ChatModel",
    "Clock",
    "Embedder",
    "EmbeddingModel",
    "Entering",
    "EpisodeDraft",
    "EventRecord",
    "FieldChange",
    "IndexView",
    "IndexedText",
    "ItemKeys",
    "ItemPeriods",
    "JsonValue",
    "LeftOut",
    "LeftOutReason",
    "Lessons",
    "ModelChange",
    "NameIndex",
    "NewDocument",
    "NewQuery",
    "NewStatement",
    "NewVector",
    "Pacer",
    "PathFilter",
    "QueryEdge",
    "QueryIndex",
    "Receipt",
    "Reconsidered",
    "Record",
    "Reembedding",
    "RerankFailure",
    "Reranked",
    "Reranker",
    "Slots",
    "SourceReader",
    "SourceText",
    "SpendLog",
    "Store",
    "StoreReader",
    "StoreStats",
    "StoreWriter",
    "StoredCalibration",
    "StoredKeys",
    "TextAt",
    "TextIndex",
    "TextPlace",
    "TextRole",
    "Tokenizer",
    "Undone",
    "Unset",
    "VectorIndex",
    "Vectors",
    "Withdrawn",
]
