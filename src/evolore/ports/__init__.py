"""Small protocols for what Evolore asks of the outside, and the values that cross them.

Adapters in ``models`` and ``sources`` satisfy these; flows know nothing else of them. Every port is synchronous and takes
batches, so that an adapter can overlap its requests.
"""

# pyright: reportUnusedImport=false
from evolore.domain.outcome import QUERY_EDGES, Entering, QueryEdge
from evolore.ports.changes import (
    UNSET,
    Change,
    ChangeKind,
    EventRecord,
    FieldChange,
    MadeEpisode,
    StoredCalibration,
    Undone,
    Unset,
)
from evolore.ports.indexes import IndexView, ItemPeriods, Lessons, NameIndex, QueryIndex, Slots, TextIndex, VectorIndex
from evolore.ports.models import (
    ChatCache,
    ChatModel,
    Clock,
    Embedder,
    EmbeddingModel,
    Entailed,
    Entailment,
    EntailmentFailure,
    EntailmentLabel,
    Pacer,
    Reranked,
    Reranker,
    RerankFailure,
    SpendLog,
    StreamingChatModel,
    TextRole,
    Tokenizer,
    Vectors,
)
from evolore.ports.records import (
    Head,
    IndexedText,
    ItemKeys,
    JsonValue,
    ModelChange,
    NewDocument,
    NewQuery,
    NewStatement,
    NewVector,
    Receipt,
    Reconsidered,
    Record,
    StoredFact,
    StoredKeys,
    StoreStats,
    TextAt,
    TextPlace,
    Withdrawn,
)
from evolore.ports.sources import (
    MAX_SOURCE_CHARACTERS,
    AddressSource,
    FoundAtAddress,
    LeftOut,
    LeftOutReason,
    OriginalFile,
    PathFilter,
    SourceReader,
    Sources,
    SourceText,
    TrackedFile,
)
