"""Records that are handed to a store and given by it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, TypeAlias

from evolore.domain.checks import check_text, check_time
from evolore.domain.document import ChunkTree
from evolore.domain.episode import Statement
from evolore.domain.evolution import KeptStretch
from evolore.domain.fact import FactKind, FactOrigin, StatedFact
from evolore.domain.language import Language
from evolore.domain.outcome import Entering, Given, Outcome, QueryEdge, check_given
from evolore.domain.query import Intent
from evolore.domain.result import Result
from evolore.domain.times import Period
from evolore.ports.models import EmbeddingModel, Vectors
from evolore.ports.sources import SourceText

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

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
        vector: Its vector of the store's model; None where there is none, or one of another length.
        names: Its names as they are stored.
        periods: Its periods as they are stored; None where what is stored is none.
        arousal: The estimate as it is stored.
    """

    payload_id: str
    text: IndexedText
    tokens: tuple[str, ...]
    vector: npt.NDArray[np.float32] | None
    names: tuple[str, ...]
    periods: tuple[Period, ...] | None
    arousal: float | None


TextPlace: TypeAlias = tuple[int, str]
"""A text's namespace, by number, and its payload: where it stands among all texts of a store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAt:
    """A text of any namespace of a store, and where it stands."""

    place: TextPlace
    text: IndexedText


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChange:
    """How far a store is on its way to another embedding model.

    Args:
        old_model: The model its vectors come from now.
        texts: How many texts the store holds.
        remaining: How many of them have no vector of the new model.
    """

    old_model: EmbeddingModel
    texts: int
    remaining: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemKeys:
    """What is indexed of an episode.

    Args:
        tokens: Its lexical key as the analyser cut it; no token holds a space.
        vector: Its dense key embedded, shape (dimension,), unit length.
        names: The names it holds, normalised, each once; none holds a line break.
        periods: The days it speaks of.
        arousal: How strongly it was felt, as its words and vector are taken, 0-1; None where nobody can tell.
    """

    tokens: tuple[str, ...]
    vector: npt.NDArray[np.float32]
    names: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    arousal: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVector:
    """A text's vector of another model, and what follows from it.

    Args:
        vector: Shape (dimension,), unit length.
        arousal: How strongly the text was felt, as it and the vector are taken, 0-1; None where nobody can tell.
    """

    vector: npt.NDArray[np.float32]
    arousal: float | None = None


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
        is_from_source: Whether its source says it; False for what a promotion or a rollback writes.
        source_sha256: Hash of what its source says, where the text keeps stretches that were promoted; empty where the
            text is what the source says.
        stretches: The stretches in which it says something else than its source; None where that is known otherwise.
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
    is_from_source: bool = True
    source_sha256: str = ""
    stretches: tuple[KeptStretch, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStatement:
    """A statement embedded, ready to be written, with the facts it states.

    One that corrects another is written as revoked, and holds by the change that says so: undoing that is enough. It gets the id
    that is given, as ``Store.new_id`` made it, or a new one.
    """

    statement: Statement
    language: Language
    keys: ItemKeys
    facts: tuple[StatedFact, ...] = ()
    is_correction: bool = False
    id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFact:
    """A fact as the store holds it.

    Args:
        episode_id: The statement, or what was made of several.
        subject: What it is about.
        attribute: What of it.
        value: What holds, or holds no longer, as it stands in the text.
        kind: Which of the two.
        origin: Who read it.
    """

    episode_id: str
    subject: str
    attribute: str
    value: str
    kind: FactKind
    origin: FactOrigin


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """How much a namespace holds; every number counts what is visible now.

    Statements are those that stand for themselves; ``hidden_statements`` counts the others apart: those another stands
    for, and what was taken back. ``queries`` are the questions that were taken down, ``waiting_query_edges`` what waits
    for the next evaluation, ``ratings`` those that count. ``answers`` are those that were written down, ``feedback`` what
    people said of documents and counts, ``open_jobs`` those to which something is still to happen, ``promotions`` the
    changes that were taken over and hold. ``superseded_by_rule`` counts what a rule of an earlier version superseded and
    ``maintain`` with ``redecide`` did not decide again yet.
    """

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
    hidden_statements: int = 0
    queries: int = 0
    waiting_query_edges: int = 0
    ratings: int = 0
    answers: int = 0
    feedback: int = 0
    open_jobs: int = 0
    promotions: int = 0
    superseded_by_rule: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(Result):
    """What was erased, or would be.

    Args:
        event_id: The event that records it, without any text; empty where nothing was erased.
        documents: How many documents went.
        episodes: How many episodes went, of every version.
        payloads: How many texts went.
        vectors: How many vectors went.
        erased_at: When.
        review_items: How many review items went.
        lingering_in: Files of the store that may still hold erased bytes, because another process reads an older
            state or writes, the disk has no room, or the role of a database may not clean its tables. Once that is
            over, the next ``forget`` takes them out, and so do ``maintain`` and ``doctor`` with ``repair``.
        is_dry_run: Whether this is what would go, and nothing went.
        freed: How many statements stand for themselves again, since what they were merged into or split into went.
        answers: How many answers went, which cited any of it.
        feedback: How many ratings of the documents went.
        queries: How many questions went, which were named.
        comments: How many comments of ratings went: of questions that went, and of those for which any of it was handed
            over or quoted.
        ratings: How many ratings of answers went: a person's own, and those of that person's questions.
        facts: How many facts went that had been read in the statements.
    """

    event_id: str
    documents: int
    episodes: int
    payloads: int
    vectors: int
    erased_at: datetime
    review_items: int = 0
    lingering_in: tuple[str, ...] = ()
    is_dry_run: bool = False
    freed: int = 0
    answers: int = 0
    feedback: int = 0
    queries: int = 0
    comments: int = 0
    ratings: int = 0
    facts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewQuery:
    """A question that is to be taken down.

    Args:
        text: As it was asked.
        language: The language it is in.
        intent: What it is after.
        vector: As a question, of unit length, shape (dimension,).
        asked_at: The moment it was asked from.
        outcome: What it led to, as far as is known.
        is_stated: Whether the caller stated that.
        given: What was handed to the reader, best first, each once.
        answer_id: The answer it was asked for.
        id: Its id, where it has one already.
    """

    text: str
    language: Language
    intent: Intent
    vector: Vectors
    asked_at: datetime
    outcome: Outcome
    is_stated: bool = False
    given: tuple[Given, ...] = ()
    answer_id: str | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        check_time(asked_at=self.asked_at)
        check_given(self.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What stands for an episode now: itself, or what it was merged or split into.

    Args:
        id: Which episode it is.
        confidence: How far it is trusted, 0–1.
        arousal: How strongly it is felt, as stated, 0–1; None where nobody did.
        estimate: How strongly by estimate, 0–1; None where there is none.
    """

    id: str
    confidence: float
    arousal: float | None = None
    estimate: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconsidered:
    """What a question leaves once a rating of somebody else than who asked counts no longer.

    Args:
        query_id: The question.
        outcome: What it led to, as the other ratings say.
        edges: All edges that it leaves, those that enter the graph at once among them.
        entering: Those that enter at once.
        is_uncited: Whether nobody who is left said what the answer rests on.
    """

    query_id: str
    outcome: Outcome
    edges: tuple[QueryEdge, ...]
    entering: tuple[Entering, ...] = ()
    is_uncited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """What was taken back of what one principal taught, or would be.

    Args:
        event_id: The event that tells of it, which ``undo`` takes back; None where there was nothing, or it was only
            foreseen.
        queries: How many of the principal's questions had edges in the graph, or ratings.
        edges: How many edges left the graph, of the principal's questions or because of the principal's ratings.
        ratings: How many ratings no longer count.
        episodes: How many episodes got another confidence or arousal.
        has_taught: Whether there was anything to take back.
        feedback: How many ratings of documents no longer count.
        answers: How many answers were erased with the questions.
        lingering_in: Files of the store that may still hold what was erased, as of a ``Receipt``.
    """

    event_id: str | None
    queries: int = 0
    edges: int = 0
    ratings: int = 0
    episodes: int = 0
    has_taught: bool = False
    feedback: int = 0
    answers: int = 0
    lingering_in: tuple[str, ...] = ()
