"""The tables, once for every database: each column with the form in which it holds values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Protocol, cast

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Dialect,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    event,
    false,
    text,
)
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from evolore.domain.answer import AnswerKind
from evolore.domain.document import BoundaryReason, MediaType, Tier
from evolore.domain.episode import EdgeKind, EpisodeKind, EpisodeState
from evolore.domain.evolution import JobState
from evolore.domain.fact import FactKind, FactOrigin
from evolore.domain.language import Language
from evolore.domain.outcome import Outcome, Rating
from evolore.domain.query import Intent
from evolore.domain.review import Priority, Resolution, ReviewCategory, ReviewStatus
from evolore.errors import StoreDamaged
from evolore.store.forms import (
    ATTEMPTS,
    CANARIES,
    COUNT,
    EMPTY_FOR_NONE,
    KEPT,
    MOMENT,
    NAME,
    OBJECT,
    OFFSET,
    OPERATOR,
    OUTLINE,
    PARAMETERS,
    QUERY_EDGE,
    SHARE,
    SOURCE,
    STEP_BODY,
    TEXTS,
    ColumnForm,
    held,
)

metadata = MetaData()
_WHERE = "where"
_PART, _REFERS = "part_of", "refers_to"


def _where(condition: str) -> dict[str, str]:
    """Return which rows an index holds; every database that has such indexes receives it when it makes the tables."""
    return {_WHERE: condition}


def _tell_indexes(made: MetaData, connection: Connection, **_options: object) -> None:
    for table in made.tables.values():
        for index in table.indexes:
            if _WHERE in index.info:
                index.dialect_options[connection.dialect.name][_WHERE] = text(index.info[_WHERE])


event.listen(metadata, "before_create", _tell_indexes)


def part_of(*tables: str) -> dict[str, tuple[str, ...]]:
    """Return what a column says that names a row of one of these tables, with which its own row goes."""
    return {_PART: tables}


def refers_to(table: str) -> dict[str, str]:
    """Return what a column says that names a row of a table, and whose own row is no part of it."""
    return {_REFERS: table}


def owner_of(column: Column[Any]) -> Table:
    """Return the first table of which a column names a row."""
    return metadata.tables[column.info.get(_REFERS) or column.info[_PART][0]]


@cache
def parts_of(table: Table) -> tuple[Column[str], ...]:
    """Return the columns that name rows of a table with which their own rows go."""
    columns = (column for other in metadata.sorted_tables for column in other.columns)
    return tuple(column for column in columns if table.name in column.info.get(_PART, ()))


def _of_store(name: str, *parts: SchemaItem, key: tuple[str, ...] = (), comment: str) -> Table:
    """Define a table whose rows have an id, unless they have another key."""
    own = () if key else (Column("id", String, nullable=False),)
    return Table(name, metadata, *own, *parts, PrimaryKeyConstraint(*(key or ("id",))), comment=comment)


def _in_namespace(name: str, *parts: SchemaItem, key: tuple[str, ...] = (), comment: str | None = None) -> Table:
    """Define a table whose rows are of a namespace, keyed by it and an id, or by it and another key."""
    own = () if key else (Column("id", String, nullable=False),)
    own_key = PrimaryKeyConstraint("ns", *(key or ("id",)))
    return Table(name, metadata, Column("ns", Integer, nullable=False), *own, *parts, own_key, comment=comment)


def _columns(
    kind: type[TypeEngine[Any]], *names: str, nullable: bool = False, info: dict[str, ColumnForm] | None = None
) -> list[Column[Any]]:
    """Define columns that lie side by side and hold values of one form."""
    return [Column(name, kind, nullable=nullable, info=info) for name in names]


answers = _in_namespace(
    "answers",
    Column("query_id", String),
    *_columns(Text, "question", "text"),
    Column("kind", String, nullable=False, info=held(AnswerKind)),
    Column("language", String, nullable=False, info=held(Language)),
    Column("principal", String),
    Column("model", String, nullable=False),
    *_columns(Integer, "prompt_version", "calls", "prompt_tokens", "reply_tokens", "cost_micros"),
    Column("reason", Text, nullable=False),
    Column("canaries", Text, nullable=False, info=held(CANARIES)),
    Column("recorded_at", String, nullable=False, info=held(MOMENT)),
    Index("answers_by_query", "ns", "query_id"),
    Index("answers_by_principal", "ns", "principal"),
    comment="Answers that were given; canaries is a JSON list of pairs: a promotion, and whether its new text was seen",
)

answer_citations = _in_namespace(
    "answer_citations",
    Column("answer_id", String, nullable=False, info=part_of("answers")),
    Column("number", Integer, nullable=False, info=held(COUNT)),
    Column("episode_id", String, nullable=False, info=refers_to("episodes")),
    *_columns(Integer, "start", "end"),
    Column("quote", Text, nullable=False),
    Column("document_id", String),
    Column("version", Integer),
    Column("source", Text, nullable=False),
    Index("answer_citations_by_episode", "ns", "episode_id"),
    Index("answer_citations_by_document", "ns", "document_id"),
    key=("answer_id", "number"),
    comment="What an answer rests on; start and end are places in the episode's text",
)

feedback = _in_namespace(
    "feedback",
    Column("document_id", String, nullable=False, info=refers_to("documents")),
    Column("version", Integer, nullable=False, info=held(COUNT)),
    Column("query_id", String, nullable=False, info=held(EMPTY_FOR_NONE) | refers_to("queries")),
    Column("principal", String, nullable=False, info=held(EMPTY_FOR_NONE)),
    Column("rating", String, nullable=False, info=held(Rating)),
    Column("comment", Text),
    Column("rated_at", String, nullable=False, info=held(MOMENT)),
    *_columns(String, "job_id", "withdrawn_by", nullable=True),
    UniqueConstraint("ns", "document_id", "query_id", "principal"),
    Index("feedback_by_principal", "ns", "principal"),
    Index("feedback_by_query", "ns", "query_id"),
    Index("feedback_by_job", "ns", "job_id"),
    Index("feedback_waiting", "ns", "document_id", info=_where("job_id is null and rating = 'bad'")),
    Index("feedback_in_effect", "ns", "rated_at", "rating", info=_where("withdrawn_by is null")),
    comment="What one person said of a document; query_id is empty for a rating of the document itself, principal for "
    "nobody in particular; job_id is what took it up; withdrawn_by is the event that took it back, null while it counts",
)

evolution_jobs = _in_namespace(
    "evolution_jobs",
    Column("state", String, nullable=False, info=held(JobState)),
    Column("seed", String, nullable=False),
    Column("steps", Integer, nullable=False),
    Column("principal", String),
    *_columns(String, "created_at", "updated_at", info=held(MOMENT)),
    Column("erased_by", String),
    Index("evolution_jobs_by_state", "ns", "state", "id"),
    comment="steps counts those that are there; erased_by is the event with which they were erased, null for none",
)

evolution_job_documents = _in_namespace(
    "evolution_job_documents",
    Column("job_id", String, nullable=False, info=part_of("evolution_jobs")),
    Column("document_id", String, nullable=False),
    Column("version", Integer, nullable=False, info=held(COUNT)),
    Column("place", Integer, nullable=False),
    Index("evolution_job_documents_by_document", "ns", "document_id"),
    key=("job_id", "document_id"),
    comment="The documents that a job is about, as it found them; place counts from 0",
)

evolution_steps = _in_namespace(
    "evolution_steps",
    Column("job_id", String, nullable=False, info=part_of("evolution_jobs")),
    Column("number", Integer, nullable=False, info=held(COUNT)),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False, info=held(STEP_BODY)),
    Column("at", String, nullable=False, info=held(MOMENT)),
    key=("job_id", "number"),
    comment="Append-only until erased; body is canonical JSON, replies of models among it",
)

evolution_step_names = _in_namespace(
    "evolution_step_names",
    *_columns(String, "named_id", "job_id"),
    Index("evolution_step_names_by_job", "ns", "job_id"),
    key=("named_id", "job_id"),
    comment="Every id that stands in the steps of a job: what is forgotten takes with it the steps that name it",
)

promotions = _in_namespace(
    "promotions",
    *_columns(String, "job_id", "candidate_id"),
    Column("operator", String, nullable=False, info=held(OPERATOR)),
    Column("win_rate", Float, nullable=False, info=held(SHARE)),
    Column("percent", Integer, nullable=False),
    Column("approved_by", String),
    *_columns(Boolean, "is_by_policy", "is_edited"),
    Column("reason", Text, nullable=False),
    Column("promoted_at", String, nullable=False, info=held(MOMENT)),
    Column("rolled_back_at", String, info=held(MOMENT)),
    Column("rolled_back_by", String),
    Column("rollback_reason", Text, nullable=False),
    Index("promotions_by_job", "ns", "job_id"),
    comment="Candidates that were taken over, one generation each; their texts are versions of documents",
)

promotion_documents = _in_namespace(
    "promotion_documents",
    Column("promotion_id", String, nullable=False, info=part_of("promotions")),
    Column("document_id", String, nullable=False),
    *_columns(Integer, "place", "before"),
    *_columns(Integer, "after", "restored", nullable=True),
    Index("promotion_documents_by_document", "ns", "document_id"),
    key=("promotion_id", "document_id"),
    comment="What a promotion did to each document, as numbers of versions; place counts from 0",
)

chat_spend = Table(
    "chat_spend",
    metadata,
    Column("day", String, primary_key=True),
    *_columns(Integer, "calls", "prompt_tokens", "reply_tokens", "cost_micros"),
    comment="What the chat model cost on each day in UTC, with what is taken for calls that are under way, or died",
)

chat_replies = Table(
    "chat_replies",
    metadata,
    Column("key", String, primary_key=True),
    Column("seq", Integer, nullable=False),
    Column("reply", Text, nullable=False),
    Index("chat_replies_by_seq", "seq"),
    comment="Replies of the chat model by a hash of what was asked; the lowest seq was kept first; any erasure empties it",
)


class _Makes(Protocol):
    def __call__(self, value: Any) -> Any: ...  # noqa: ANN401 - what a driver takes


class _ReadsText(Protocol):
    def __call__(self, value: Any) -> str | None: ...  # noqa: ANN401 - whatever a broken file holds


def _only_text(where: str) -> _ReadsText:
    def read(value: Any) -> str | None:  # noqa: ANN401 - whatever a broken file holds
        if value is None or type(value) is str:
            return value
        raise StoreDamaged(
            f"The column {where} of the store holds {type(value).__name__} where text belongs: `evolore store doctor` names "
            "the row; restore the store from a backup."
        )

    return read


class _OnlyText:
    """Refuses, on reading, what is no text."""

    cache_ok: ClassVar[bool] = True

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    def result_processor(self, dialect: Dialect, coltype: object) -> _ReadsText:  # noqa: ARG002 - as it is called
        """Return what reads a value of a row."""
        return _only_text(self.where)


class StoredString(_OnlyText, String):
    """A short text that is refused where it is none."""


class StoredText(_OnlyText, Text):
    """A long text that is refused where it is none."""


def check_texts() -> None:
    """Make every column of texts refuse, on reading, what is no text."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            where = f"{table.name}.{column.name}"
            if type(column.type) is Text:
                column.type = StoredText(where)
            elif type(column.type) is String:
                column.type = StoredString(where)


class HalfVector(LargeBinary):
    """A vector as little-endian float16 in bytes; a database with a type of its own for them stores it as that."""

    cache_ok: ClassVar[bool] = True
    makers: ClassVar[dict[str, Callable[[bytes], object]]] = {}
    """What becomes of one on its way to a driver, by dialect."""

    def bind_processor(self, dialect: Dialect) -> _Makes | None:
        """Return what a value goes through."""
        make = self.makers.get(dialect.name)
        if make is None:
            return cast("_Makes | None", super().bind_processor(dialect))
        return lambda value: None if value is None else make(value)


settings = Table(
    "settings",
    metadata,
    Column("name", String, primary_key=True),
    Column("value", Text, nullable=False),
    comment="What the whole store agrees on: embedding model, versions of what finds tokens, names and dates",
)

namespaces = Table(
    "namespaces",
    metadata,
    Column("ns", Integer, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("revision", Integer, nullable=False, default=0),
    Column("log_seq", Integer, nullable=False, default=0),
    Column("event_seq", Integer, nullable=False, default=0),
    Column("event_hash", String, nullable=False),
    Column("query_seq", Integer, nullable=False, default=0),
    Column("query_erasures", Integer, nullable=False, default=0),
    Column("created_at", String, nullable=False, info=held(MOMENT)),
    comment="revision counts committed writes; log_seq is the last number in index_log; event_* is the chain's end; "
    "query_seq counts changes to questions, query_erasures how often some were erased",
)

documents = _in_namespace(
    "documents",
    Column("source", Text, nullable=False, info=held(SOURCE)),
    Column("version", Integer, nullable=False),
    Column("source_sha256", String),
    Column("created_at", String, nullable=False),
    Column("is_file", Boolean, nullable=False, server_default=false()),
    UniqueConstraint("ns", "source"),
    comment="version is the number of the version that is visible; source_sha256 is the hash of the text as its source "
    "said it last, null where it never had one; is_file tells whether it was read from the file that source names",
)

stagings = _in_namespace(
    "stagings",
    Column("source", Text, nullable=False),
    Column("document_id", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("touched_at", String, nullable=False),
    Column("leaves_sha256", String),
    UniqueConstraint("ns", "source"),
    comment="A version that is being written in several transactions; its episodes wait, invisible, under its number. "
    "leaves_sha256 is the hash of all that decides its leaves: one who adds the same goes on with it",
)

versions = _in_namespace(
    "versions",
    Column("document_id", String, nullable=False, info=part_of("documents")),
    Column("number", Integer, nullable=False),
    Column("title", Text, nullable=False),
    Column("media_type", String, nullable=False, info=held(MediaType)),
    Column("encoding", String, nullable=False),
    Column("language", String, nullable=False, info=held(Language)),
    Column("characters", Integer, nullable=False),
    Column("content_sha256", String, nullable=False),
    *_columns(Integer, "chunk_count", "episode_count"),
    Column("recorded_at", String, nullable=False, info=held(MOMENT)),
    Column("kept", Text, info=held(KEPT)),
    key=("document_id", "number"),
    comment="A document's text at one time is its leaves' payloads, joined; kept is a JSON list of the stretches in which "
    "it says something else than its source: start, end, and what the source says there; null where that was not noted",
)

chunks = _in_namespace(
    "chunks",
    Column("document_id", String, nullable=False, info=part_of("documents")),
    *_columns(Integer, "version", "ordinal"),
    Column("outline", String, nullable=False, info=held(OUTLINE)),
    *_columns(Integer, "start", "end"),
    Column("heading_path", Text, nullable=False, info=held(TEXTS)),
    Column("tier", Integer, nullable=False, info=held(Tier)),
    Column("gain_bits", Float),
    Column("episode_id", String),
    Column("reason", String, nullable=False, info=held(BoundaryReason)),
    Column("attempts", String, info=held(ATTEMPTS)),
    Index("chunks_by_version", "ns", "document_id", "version", "ordinal"),
    Index("chunks_by_episode", "ns", "episode_id", "document_id", "version"),
    comment="ordinal is the place in outline order; episode_id is null on inner nodes; attempts is null where tier 1 "
    "was enough",
)

episodes = _in_namespace(
    "episodes",
    Column("kind", String, nullable=False, info=held(EpisodeKind)),
    Column("state", String, nullable=False, info=held(EpisodeState)),
    Column("language", String, nullable=False, info=held(Language)),
    Column("payload_id", String, nullable=False),
    Column("document_id", String),
    Column("version", Integer),
    Column("session", Text, info=held(NAME)),
    Column("position", Integer, nullable=False),
    *_columns(Text, "speaker", "about_subject", "about_attribute", nullable=True, info=held(NAME)),
    Column("occurred_at", String, info=held(MOMENT)),
    Column("occurred_offset_minutes", Integer, info=held(OFFSET)),
    Column("recorded_at", String, nullable=False, info=held(MOMENT)),
    *_columns(String, "valid_from", "valid_to", "stands_until", nullable=True, info=held(MOMENT)),
    Column("made_by", String),
    Column("confidence", Float, nullable=False, info=held(SHARE)),
    Column("arousal", Float, info=held(SHARE)),
    Column("merge_count", Integer, nullable=False),
    Index("episodes_by_document", "ns", "document_id", "position"),
    Index("episodes_by_session", "ns", "session", "position"),
    Index("episodes_by_kind", "ns", "kind", "id"),
    Index("episodes_by_speaker", "ns", "speaker"),
    Index("episodes_waiting", "ns", "id", info=_where("state = 'conflict_pending'")),
    Index("episodes_by_about", "ns", "about_subject", "about_attribute", info=_where("about_subject is not null")),
    comment="version is that of its document it came with, and it is hidden while the visible one is lower; "
    "payload_id is what it says now, what it said before stays in payloads until erased; the offset is that of "
    "the zone occurred_at was given in, whose calendar day people mean; stands_until is null while it stands for "
    "itself; made_by is the event of the merge or split that made it, null for what was remembered or added",
)

payloads = _in_namespace(
    "payloads",
    Column("episode_id", String, nullable=False, info=part_of("episodes")),
    Column("salt", LargeBinary, nullable=False),
    *_columns(Text, "text", "tokens", "names", "periods"),
    Index("payloads_by_episode", "ns", "episode_id"),
    comment="tokens is the lexical key as the analyser cut it, joined by single spaces; names stand one a line; periods "
    "are first and last day, joined by a slash, one behind the other",
)

facts = _in_namespace(
    "facts",
    Column("episode_id", String, nullable=False, info=part_of("episodes")),
    Column("number", Integer, nullable=False),
    *_columns(Text, "subject", "attribute", "value"),
    Column("kind", String, nullable=False, info=held(FactKind)),
    Column("origin", String, nullable=False, info=held(FactOrigin)),
    Index("facts_by_key", "ns", "subject", "attribute"),
    key=("episode_id", "number"),
    comment="What a statement says of a key: value stands in its text; number counts from 0; origin is who read it",
)

vectors = _in_namespace(
    "vectors",
    Column("payload_id", String, nullable=False, info=part_of("payloads")),
    Column("model_id", String, nullable=False),
    Column("data", HalfVector, nullable=False),
    Column("arousal", Float),
    key=("payload_id", "model_id"),
    comment="data is little-endian float16 of unit length before rounding; arousal is estimated from text and vector, "
    "and so of one model",
)

attributes = _in_namespace(
    "attributes",
    Column("owner_id", String, nullable=False, info=part_of("documents", "episodes")),
    Column("name", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("value", Text, nullable=False),
    # Not ns first: SQLite would then walk a namespace in it rather than look an owner up by the key.
    Index("attributes_by_value", "name", "kind", "value", "ns", "owner_id"),
    key=("owner_id", "name", "kind"),
    comment="Metadata and tags of the document or statement owner_id; equal values are written alike, a tag's is empty",
)

edges = _in_namespace(
    "edges",
    Column("source_id", String, nullable=False, info=part_of("episodes", "queries")),
    Column("target_id", String, nullable=False, info=part_of("episodes")),
    Column("kind", String, nullable=False, info=held(EdgeKind)),
    Column("weight", Float, nullable=False, info=held(SHARE)),
    Column("created_at", String, nullable=False),
    Index("edges_by_target", "ns", "target_id", "kind"),
    key=("source_id", "kind", "target_id"),
)

queries = _in_namespace(
    "queries",
    Column("intent", String, nullable=False, info=held(Intent)),
    Column("language", String, nullable=False, info=held(Language)),
    Column("outcome", String, nullable=False, info=held(Outcome)),
    Column("is_stated", Boolean, nullable=False),
    *_columns(String, "principal", "answer_id", nullable=True),
    *_columns(String, "asked_at", "recorded_at", info=held(MOMENT)),
    Column("touched_seq", Integer, nullable=False),
    Column("withdrawn_by", String),
    Index("queries_by_principal", "ns", "principal", "id"),
    Index("queries_by_touch", "ns", "touched_seq"),
    comment="Questions that were taken down; touched_seq is the namespace's query_seq when what it teaches last changed, "
    "0 where it never taught; withdrawn_by is the event that took back what its edges teach",
)

query_texts = _in_namespace(
    "query_texts",
    Column("query_id", String, nullable=False, info=part_of("queries")),
    *_columns(Text, "text", "tokens"),
    key=("query_id",),
    comment="tokens is the text as the analyser of questions cuts it, joined by single spaces",
)

query_vectors = _in_namespace(
    "query_vectors",
    Column("query_id", String, nullable=False, info=part_of("queries")),
    Column("model_id", String, nullable=False),
    Column("data", HalfVector, nullable=False),
    key=("query_id", "model_id"),
    comment="data is little-endian float16 of unit length before rounding",
)

query_edges = _in_namespace(
    "query_edges",
    Column("query_id", String, nullable=False, info=part_of("queries")),
    Column("target_id", String, nullable=False, info=refers_to("episodes")),
    Column("rank", Integer, nullable=False, info=held(COUNT)),
    Column("is_cited", Boolean, nullable=False),
    Column("cited_at", String, info=held(MOMENT)),
    Column("kind", String, info=held(QUERY_EDGE)),
    Column("led_to_insight", Boolean, nullable=False),
    *_columns(String, "evaluated_by", "entered_by", nullable=True),
    Index("query_edges_by_target", "ns", "target_id"),
    Index("query_edges_since", "ns", "target_id", info=_where("kind is not null and evaluated_by is null")),
    key=("query_id", "target_id"),
    comment="What was handed over for a question; cited_at is since when the answer rests "
    "on it; kind is null where that got no edge; evaluated_by is the event of the "
    "evaluation, null while it is awaited; entered_by is the event by which it entered the graph, also where that was "
    "undone by hand, null where it waits again; what is in the graph stands in edges besides",
)

ratings = _in_namespace(
    "ratings",
    Column("query_id", String, nullable=False, info=part_of("queries")),
    Column("principal", String, nullable=False),
    Column("rating", String, nullable=False, info=held(Rating)),
    Column("comment", Text),
    Column("rated_at", String, nullable=False, info=held(MOMENT)),
    Column("withdrawn_by", String),
    Index("ratings_by_principal", "ns", "principal"),
    key=("query_id", "principal"),
    comment="What one person said of an answer, since rated_at; principal is empty for nobody in particular; withdrawn_by "
    "is the event that took it back, null while it counts",
)

review_items = _in_namespace(
    "review_items",
    Column("category", String, nullable=False, info=held(ReviewCategory)),
    Column("priority", String, nullable=False, info=held(Priority)),
    Column("status", String, nullable=False, info=held(ReviewStatus)),
    Column("document_id", String),
    *_columns(Integer, "version", "start", "end", nullable=True),
    *_columns(Text, "reason", "suggestion"),
    Column("text_length", Integer, nullable=False),
    Column("attempts", String, nullable=False, info=held(ATTEMPTS)),
    Column("final_tier", Integer, info=held(Tier)),
    Column("created_at", String, nullable=False, info=held(MOMENT)),
    Column("resolved_at", String, info=held(MOMENT)),
    Column("note", Text),
    Column("language", String, nullable=False, info=held(Language)),
    Column("cause", String, nullable=False),
    Column("episode_id", String, info=refers_to("episodes")),
    Column("resolution", String, info=held(Resolution)),
    Column("other_episode_id", String),
    UniqueConstraint("ns", "cause"),
    Index("review_items_by_status", "ns", "status", "priority"),
    Index("review_items_by_document", "ns", "document_id"),
    Index("review_items_by_episode", "ns", "episode_id"),
    Index("review_items_by_other_episode", "ns", "other_episode_id"),
    comment="version is the one of its document that it was last seen in; cause is a hash of what it is about",
)

events = _in_namespace(
    "events",
    Column("seq", Integer, nullable=False),
    *_columns(String, "id", "kind", "subject_id"),
    Column("principal", String),
    Column("body", Text, nullable=False),
    *_columns(String, "recorded_at", "previous_hash", "hash"),
    UniqueConstraint("ns", "id"),
    Index("events_by_subject", "ns", "subject_id"),
    key=("seq",),
    comment="Append-only; body is canonical JSON of ids, numbers and salted digests, never text",
)

event_episodes = _in_namespace(
    "event_episodes",
    Column("episode_id", String, nullable=False),
    Column("seq", Integer, nullable=False),
    Index("event_episodes_by_seq", "ns", "seq"),
    key=("episode_id", "seq"),
    comment="Which episodes, or documents, the body of an event names; follows from events",
)

calibrations = _in_namespace(
    "calibrations",
    Column("model_id", String, nullable=False),
    Column("language", String, nullable=False, info=held(Language)),
    Column("version", Integer, nullable=False),
    Column("parameters", Text, nullable=False, info=held(PARAMETERS)),
    Column("texts", Integer, nullable=False),
    Column("created_at", String, nullable=False, info=held(MOMENT)),
    key=("model_id", "language", "version"),
    comment="What similarities of a model mean in a language, as JSON; the last version holds",
)

maintenance = _in_namespace(
    "maintenance",
    Column("task", String, nullable=False),
    Column("seq", Integer, nullable=False),
    key=("task",),
    comment="Up to which number of index_log a task is done",
)

index_log = _in_namespace(
    "index_log",
    Column("seq", Integer, nullable=False),
    Column("episode_id", String, nullable=False),
    Column("present", Boolean, nullable=False),
    Index("index_log_by_episode", "ns", "episode_id"),
    key=("seq",),
    comment="Which episodes entered, changed or left the indexes, in the order of their commits",
)

api_keys = _of_store(
    "api_keys",
    *_columns(String, "hash", "prefix"),
    Column("label", Text, nullable=False),
    *_columns(Text, "scopes", "namespaces", info=held(TEXTS)),
    Column("created_at", String, nullable=False, info=held(MOMENT)),
    Column("created_by", String),
    *_columns(String, "expires_at", "used_at", "revoked_at", nullable=True, info=held(MOMENT)),
    UniqueConstraint("hash"),
    comment="hash is of the key, which is not kept; scopes and namespaces are JSON lists, no namespace means every one",
)

audit = _of_store(
    "audit",
    Column("at", String, nullable=False, info=held(MOMENT)),
    *_columns(String, "key_id", "namespace", nullable=True),
    Column("act", String, nullable=False),
    Column("status", Integer, nullable=False),
    Column("detail", Text, nullable=False),
    comment="What the server refused, and what was done to keys, schedules and targets; never a text of a memory",
)

kept_replies = _of_store(
    "kept_replies",
    *_columns(String, "key_id", "name", "asked"),
    Column("status", Integer, nullable=False),
    Column("body", Text, nullable=False, info=held(OBJECT)),
    Column("at", String, nullable=False, info=held(MOMENT)),
    key=("key_id", "name"),
    comment="What was replied to a write under an idempotency key, so that it is done once; asked is a hash of the request",
)

background_jobs = _of_store(
    "background_jobs",
    *_columns(String, "namespace", "kind", "subject", "state"),
    Column("body", Text, nullable=False, info=held(OBJECT)),
    Column("result", Text, info=held(OBJECT)),
    Column("error", Text),
    Column("attempts", Integer, nullable=False),
    Column("runs_at", String, nullable=False, info=held(MOMENT)),
    Column("owner", String),
    Column("seen_at", String, info=held(MOMENT)),
    Column("created_at", String, nullable=False, info=held(MOMENT)),
    Column("created_by", String),
    Column("ended_at", String, info=held(MOMENT)),
    Index("background_jobs_by_state", "state", "runs_at"),
    comment="owner is the process that runs it and seen_at when that last said so; of one namespace, kind and subject at "
    "most one waits or runs",
)

background_lines = _of_store(
    "background_lines",
    Column("job_id", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", String, nullable=False, info=held(MOMENT)),
    Column("text", Text, nullable=False),
    key=("job_id", "number"),
    comment="What a background job says of itself while it runs",
)

schedules = _of_store(
    "schedules",
    *_columns(String, "namespace", "kind"),
    Column("body", Text, nullable=False, info=held(OBJECT)),
    *_columns(String, "cron", "zone"),
    Column("is_paused", Boolean, nullable=False),
    Column("next_at", String, nullable=False, info=held(MOMENT)),
    Column("last_at", String, info=held(MOMENT)),
    Column("created_at", String, nullable=False, info=held(MOMENT)),
    comment="What background job is begun when; cron is read in the time zone",
)

targets = _of_store(
    "targets",
    *_columns(String, "namespace", "kind"),
    *_columns(Text, "address", "secret"),
    Column("events", Text, nullable=False, info=held(TEXTS)),
    Column("language", String, nullable=False),
    Column("created_at", String, nullable=False, info=held(MOMENT)),
    comment="Who is told of what: events is a JSON list",
)

outbox = _of_store(
    "outbox",
    *_columns(String, "target_id", "name", "event"),
    Column("body", Text, nullable=False, info=held(OBJECT)),
    Column("state", String, nullable=False),
    Column("attempts", Integer, nullable=False),
    *_columns(String, "runs_at", "created_at", info=held(MOMENT)),
    Column("error", Text),
    UniqueConstraint("target_id", "name"),
    Index("outbox_by_state", "state", "runs_at"),
    comment="Messages that wait for their target, or were sent; name tells a message from any other, so that it is sent once",
)

check_texts()

SERVICE = frozenset((api_keys, audit, kept_replies, background_jobs, background_lines, schedules, targets, outbox))
"""Tables of the server."""

WHOLE_STORE = frozenset((settings, namespaces, chat_spend, chat_replies)) | SERVICE
"""Tables that are of no namespace: all others are keyed by one."""
