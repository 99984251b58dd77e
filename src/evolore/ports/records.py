"""Records written to a store and read from it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

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

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
Record: TypeAlias = "dict[str, JsonValue]"
"""One line of an export: ``table`` says where it belongs, the other fields its columns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedText:
    """A text and what else its keys are made of."""

    text: str  #: What it says.
    language: Language  #: The language it is in.
    speaker: str | None = None  #: Who said it.
    occurred_at: datetime | None = None  #: When it happened, in the zone it was given in.
    title: str | None = None  #: What its document is called; None for a statement.
    heading_path: tuple[str, ...] = ()  #: The headings above it, outermost first.


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredKeys:
    """What the store holds of a text's keys."""

    payload_id: str  #: The text's payload.
    text: IndexedText  #: The text, and what its keys are made of.
    tokens: tuple[str, ...]  #: Its tokens as they are stored.
    #: Its vector of the store's model; None where there is none, or one of another length.
    vector: npt.NDArray[np.float32] | None
    names: tuple[str, ...]  #: Its names as they are stored.
    periods: tuple[Period, ...] | None  #: Its periods as they are stored; None where what is stored is none.
    arousal: float | None  #: The estimate as it is stored.


TextPlace: TypeAlias = tuple[int, str]
"""A text's namespace, by number, and its payload: where it is among all texts of a store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAt:
    """A text of any namespace of a store, and where it is."""

    place: TextPlace
    text: IndexedText


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChange:
    """How far a store is on its way to another embedding model."""

    old_model: EmbeddingModel  #: The model its vectors come from now.
    texts: int  #: How many texts the store holds.
    remaining: int  #: How many of them have no vector of the new model.


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemKeys:
    """What is indexed of an episode."""

    tokens: tuple[str, ...]  #: Its lexical key as the analyser cut it; no token holds a space.
    vector: npt.NDArray[np.float32]  #: Its dense key embedded, shape (dimension,), unit length.
    names: tuple[str, ...] = ()  #: The names it holds, normalised, each once; none holds a line break.
    periods: tuple[Period, ...] = ()  #: The days it speaks of.
    #: How strongly it was felt, as its words and vector are taken, 0-1; None if unknown.
    arousal: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewVector:
    """A text's vector of another model, and what follows from it."""

    vector: npt.NDArray[np.float32]  #: Shape (dimension,), unit length.
    #: How strongly the text was felt, as it and the vector are taken, 0-1; None if unknown.
    arousal: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document cut and embedded, ready to be written."""

    source_text: SourceText  #: As it was read.
    title: str  #: What it is called.
    language: Language  #: The language most of it is in.
    content_sha256: str  #: Hash of its text in UTF-8, in hex.
    tree: ChunkTree  #: How it was cut.
    #: One for each leaf that is new, by its place among the leaves; a leaf without one keeps the episode that ``kept``
    #: names.
    keys: dict[int, ItemKeys]
    #: Episodes of the version before whose text and headings are unchanged, by place among the leaves.
    kept: dict[int, str]
    previous_id: str | None  #: The document it was computed against; None for a new one.
    previous_version: int  #: The version of it; 0 for a new document.
    #: Where its leaves are written already, one part after the other; then ``keys`` names a part of them, or none.
    staging_id: str | None = None
    is_from_source: bool = True  #: Whether its source says it; False for what a promotion or a rollback writes.
    #: Hash of what its source says, where the text keeps stretches that were promoted; empty where the text is what the
    #: source says.
    source_sha256: str = ""
    #: The stretches in which it says something else than its source; None where that is known otherwise.
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
    """A fact as the store holds it."""

    episode_id: str  #: The statement, or what was made of several.
    subject: str  #: What it is about.
    attribute: str  #: What of it.
    value: str  #: What holds, or holds no longer, as it is in the text.
    kind: FactKind  #: Which of the two.
    origin: FactOrigin  #: Who read it.


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """How much a namespace holds; every number counts what is visible now.

    Statements are those that represent themselves; ``hidden_statements`` counts the others apart: those that another
    represents, and what was taken back. ``queries`` are recorded questions, ``waiting_query_edges`` what waits
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
    maintained_at: datetime | None = None  #: When ``maintain`` last ran to its end; None where it never did.
    changed: int = 0  #: How many statements and passages changed since ``maintain`` examined them.


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt(Result):
    """What was erased, or would be."""

    event_id: str  #: The event that records it, without any text; empty where nothing was erased.
    documents: int  #: How many documents went.
    episodes: int  #: How many episodes went, of every version.
    payloads: int  #: How many texts went.
    vectors: int  #: How many vectors went.
    erased_at: datetime  #: When.
    review_items: int = 0  #: How many review items went.
    #: Files of the store that may still hold erased bytes, because another process reads an older state or writes, the
    #: disk has no room, or the role of a database may not clean its tables. Once that is over, the next ``forget``
    #: takes them out, and so do ``maintain`` and ``doctor`` with ``repair``.
    lingering_in: tuple[str, ...] = ()
    is_dry_run: bool = False  #: Whether this is what would go, and nothing went.
    #: How many statements represent themselves again, since what they were merged into or split into went.
    freed: int = 0
    answers: int = 0  #: How many answers went, which cited any of it.
    feedback: int = 0  #: How many ratings of the documents went.
    queries: int = 0  #: How many questions went, which were named.
    #: How many questions stay that any of it was handed over for: their words may name what was erased.
    kept_queries: int = 0
    #: How many comments of ratings went: of questions that went, and of those for which any of it was handed over or
    #: quoted.
    comments: int = 0
    ratings: int = 0  #: How many ratings of answers went: a person's own, and those of that person's questions.
    facts: int = 0  #: How many facts went that had been read in the statements.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NewQuery:
    """A question that is to be recorded."""

    text: str  #: As it was asked.
    language: Language  #: The language it is in.
    intent: Intent  #: What it is after.
    vector: Vectors  #: As a question, of unit length, shape (dimension,).
    asked_at: datetime  #: The moment it was asked from.
    outcome: Outcome  #: What it led to, as far as is known.
    is_stated: bool = False  #: Whether the caller stated that.
    given: tuple[Given, ...] = ()  #: What was handed to the reader, best first, each once.
    answer_id: str | None = None  #: The answer it was asked for.
    id: str | None = None  #: Its id, where it has one already.

    def __post_init__(self) -> None:
        check_text(self.text, "The question")
        check_time(asked_at=self.asked_at)
        check_given(self.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What represents an episode now: itself, or what it was merged or split into."""

    id: str  #: Which episode it is.
    confidence: float  #: How far it is trusted, 0–1.
    arousal: float | None = None  #: How strongly it is felt, as stated, 0–1; None if unstated.
    estimate: float | None = None  #: How strongly by estimate, 0–1; None where there is none.


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconsidered:
    """What a question leaves once a rating of somebody else than who asked counts no longer."""

    query_id: str  #: The question.
    outcome: Outcome  #: What it led to, as the other ratings say.
    edges: tuple[QueryEdge, ...]  #: All edges that it leaves, those that enter the graph at once among them.
    entering: tuple[Entering, ...] = ()  #: Those that enter at once.
    is_uncited: bool = False  #: Whether all who said what the answer rests on are gone.


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """What was taken back of what one principal taught, or would be."""

    #: The event that records it, which ``undo`` takes back; None where there was nothing, or it was only foreseen.
    event_id: str | None
    queries: int = 0  #: How many of the principal's questions had edges in the graph, or ratings.
    #: How many edges left the graph, of the principal's questions or because of the principal's ratings.
    edges: int = 0
    ratings: int = 0  #: How many ratings no longer count.
    episodes: int = 0  #: How many episodes got another confidence or arousal.
    has_taught: bool = False  #: Whether there was anything to take back.
    feedback: int = 0  #: How many ratings of documents no longer count.
    answers: int = 0  #: How many answers were erased with the questions.
    lingering_in: tuple[str, ...] = ()  #: Files of the store that may still hold what was erased, as of a ``Receipt``.
