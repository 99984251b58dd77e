"""The tables, once for every database: each column with the form in which it holds values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, Protocol, cast

import sqlalchemy as sa
from sqlalchemy import event
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
from evolore.store import forms

metadata = sa.MetaData()
_WHERE = "where"
_PART, _REFERS = "part_of", "refers_to"


def _where(condition: str) -> dict[str, str]:
    """Return which rows an index holds; every database that has such indexes receives it when it makes the tables."""
    return {_WHERE: condition}


def _tell_indexes(made: sa.MetaData, connection: sa.Connection, **_options: object) -> None:
    for table in made.tables.values():
        for index in table.indexes:
            if _WHERE in index.info:
                index.dialect_options[connection.dialect.name][_WHERE] = sa.text(index.info[_WHERE])


event.listen(metadata, "before_create", _tell_indexes)


def part_of(*tables: str) -> dict[str, tuple[str, ...]]:
    """Return what a column says that names a row of one of these tables, with which its own row goes."""
    return {_PART: tables}


def refers_to(table: str) -> dict[str, str]:
    """Return what a column says that names a row of a table, and whose own row is no part of it."""
    return {_REFERS: table}


def owner_of(column: sa.Column[Any]) -> sa.Table:
    """Return the first table of which a column names a row."""
    return metadata.tables[column.info.get(_REFERS) or column.info[_PART][0]]


@cache
def parts_of(table: sa.Table) -> tuple[sa.Column[str], ...]:
    """Return the columns that name rows of a table with which their own rows go."""
    columns = (column for other in metadata.sorted_tables for column in other.columns)
    return tuple(column for column in columns if table.name in column.info.get(_PART, ()))


def _of_store(name: str, *parts: SchemaItem, key: tuple[str, ...] = (), comment: str) -> sa.Table:
    """Define a table whose rows have an id, unless they have another key."""
    own = () if key else (sa.Column("id", sa.String, nullable=False),)
    return sa.Table(name, metadata, *own, *parts, sa.PrimaryKeyConstraint(*(key or ("id",))), comment=comment)


def _in_namespace(name: str, *parts: SchemaItem, key: tuple[str, ...] = (), comment: str | None = None) -> sa.Table:
    """Define a table whose rows are of a namespace, keyed by it and an id, or by it and another key."""
    own = () if key else (sa.Column("id", sa.String, nullable=False),)
    own_key = sa.PrimaryKeyConstraint("ns", *(key or ("id",)))
    return sa.Table(name, metadata, sa.Column("ns", sa.Integer, nullable=False), *own, *parts, own_key, comment=comment)


def _columns(
    kind: type[TypeEngine[Any]], *names: str, nullable: bool = False, info: dict[str, forms.ColumnForm] | None = None
) -> list[sa.Column[Any]]:
    """Define columns that lie side by side and hold values of one form."""
    return [sa.Column(name, kind, nullable=nullable, info=info) for name in names]


answers = _in_namespace(
    "answers",
    sa.Column("query_id", sa.String),
    *_columns(sa.Text, "question", "text"),
    sa.Column("kind", sa.String, nullable=False, info=forms.held(AnswerKind)),
    sa.Column("language", sa.String, nullable=False, info=forms.held(Language)),
    sa.Column("principal", sa.String),
    sa.Column("model", sa.String, nullable=False),
    *_columns(sa.Integer, "prompt_version", "calls", "prompt_tokens", "reply_tokens", "cost_micros"),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("canaries", sa.Text, nullable=False, info=forms.held(forms.CANARIES)),
    sa.Column("recorded_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Index("answers_by_query", "ns", "query_id"),
    sa.Index("answers_by_principal", "ns", "principal"),
    comment="Answers that were given; canaries is a JSON list of pairs: a promotion, and whether its new text was seen",
)

answer_citations = _in_namespace(
    "answer_citations",
    sa.Column("answer_id", sa.String, nullable=False, info=part_of("answers")),
    sa.Column("number", sa.Integer, nullable=False, info=forms.held(forms.COUNT)),
    sa.Column("episode_id", sa.String, nullable=False, info=refers_to("episodes")),
    *_columns(sa.Integer, "start", "end"),
    sa.Column("quote", sa.Text, nullable=False),
    sa.Column("document_id", sa.String),
    sa.Column("version", sa.Integer),
    sa.Column("source", sa.Text, nullable=False),
    sa.Index("answer_citations_by_episode", "ns", "episode_id"),
    sa.Index("answer_citations_by_document", "ns", "document_id"),
    key=("answer_id", "number"),
    comment="What an answer rests on; start and end are places in the episode's text",
)

feedback = _in_namespace(
    "feedback",
    sa.Column("document_id", sa.String, nullable=False, info=refers_to("documents")),
    sa.Column("version", sa.Integer, nullable=False, info=forms.held(forms.COUNT)),
    sa.Column("query_id", sa.String, nullable=False, info=forms.held(forms.EMPTY_FOR_NONE) | refers_to("queries")),
    sa.Column("principal", sa.String, nullable=False, info=forms.held(forms.EMPTY_FOR_NONE)),
    sa.Column("rating", sa.String, nullable=False, info=forms.held(Rating)),
    sa.Column("comment", sa.Text),
    sa.Column("rated_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    *_columns(sa.String, "job_id", "withdrawn_by", nullable=True),
    sa.UniqueConstraint("ns", "document_id", "query_id", "principal"),
    sa.Index("feedback_by_principal", "ns", "principal"),
    sa.Index("feedback_by_query", "ns", "query_id"),
    sa.Index("feedback_by_job", "ns", "job_id"),
    sa.Index("feedback_waiting", "ns", "document_id", info=_where("job_id is null and rating = 'bad'")),
    # It holds what its condition names: only so does SQLite count without the rows.
    sa.Index("feedback_in_effect", "ns", "rated_at", "rating", "withdrawn_by", info=_where("withdrawn_by is null")),
    comment="What one person said of a document; query_id is empty for a rating of the document itself, principal for "
    "nobody in particular; job_id is what took it up; withdrawn_by is the event that took it back, null while it counts",
)

evolution_jobs = _in_namespace(
    "evolution_jobs",
    sa.Column("state", sa.String, nullable=False, info=forms.held(JobState)),
    sa.Column("seed", sa.String, nullable=False),
    sa.Column("steps", sa.Integer, nullable=False),
    sa.Column("principal", sa.String),
    *_columns(sa.String, "created_at", "updated_at", info=forms.held(forms.MOMENT)),
    sa.Column("erased_by", sa.String),
    sa.Index("evolution_jobs_by_state", "ns", "state", "id"),
    comment="steps counts those that are there; erased_by is the event with which they were erased, null for none",
)

evolution_job_documents = _in_namespace(
    "evolution_job_documents",
    sa.Column("job_id", sa.String, nullable=False, info=part_of("evolution_jobs")),
    sa.Column("document_id", sa.String, nullable=False),
    sa.Column("version", sa.Integer, nullable=False, info=forms.held(forms.COUNT)),
    sa.Column("place", sa.Integer, nullable=False),
    sa.Index("evolution_job_documents_by_document", "ns", "document_id"),
    key=("job_id", "document_id"),
    comment="The documents that a job is about, as it found them; place counts from 0",
)

evolution_steps = _in_namespace(
    "evolution_steps",
    sa.Column("job_id", sa.String, nullable=False, info=part_of("evolution_jobs")),
    sa.Column("number", sa.Integer, nullable=False, info=forms.held(forms.COUNT)),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("body", sa.Text, nullable=False, info=forms.held(forms.STEP_BODY)),
    sa.Column("at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    key=("job_id", "number"),
    comment="Append-only until erased; body is canonical JSON, replies of models among it",
)

evolution_step_names = _in_namespace(
    "evolution_step_names",
    *_columns(sa.String, "named_id", "job_id"),
    sa.Index("evolution_step_names_by_job", "ns", "job_id"),
    key=("named_id", "job_id"),
    comment="Every id that stands in the steps of a job: what is forgotten takes with it the steps that name it",
)

promotions = _in_namespace(
    "promotions",
    *_columns(sa.String, "job_id", "candidate_id"),
    sa.Column("operator", sa.String, nullable=False, info=forms.held(forms.OPERATOR)),
    sa.Column("win_rate", sa.Float, nullable=False, info=forms.held(forms.SHARE)),
    sa.Column("percent", sa.Integer, nullable=False),
    sa.Column("approved_by", sa.String),
    *_columns(sa.Boolean, "is_by_policy", "is_edited"),
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("promoted_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("rolled_back_at", sa.String, info=forms.held(forms.MOMENT)),
    sa.Column("rolled_back_by", sa.String),
    sa.Column("rollback_reason", sa.Text, nullable=False),
    sa.Index("promotions_by_job", "ns", "job_id"),
    comment="Candidates that were taken over, one generation each; their texts are versions of documents",
)

promotion_documents = _in_namespace(
    "promotion_documents",
    sa.Column("promotion_id", sa.String, nullable=False, info=part_of("promotions")),
    sa.Column("document_id", sa.String, nullable=False),
    *_columns(sa.Integer, "place", "before"),
    *_columns(sa.Integer, "after", "restored", nullable=True),
    sa.Index("promotion_documents_by_document", "ns", "document_id"),
    key=("promotion_id", "document_id"),
    comment="What a promotion did to each document, as numbers of versions; place counts from 0",
)

chat_spend = sa.Table(
    "chat_spend",
    metadata,
    sa.Column("day", sa.String, primary_key=True),
    *_columns(sa.Integer, "calls", "prompt_tokens", "reply_tokens", "cost_micros"),
    comment="What the chat model cost on each day in UTC, with what is taken for calls that are under way, or died",
)

chat_replies = sa.Table(
    "chat_replies",
    metadata,
    sa.Column("key", sa.String, primary_key=True),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("reply", sa.Text, nullable=False),
    sa.Index("chat_replies_by_seq", "seq"),
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

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> _ReadsText:  # noqa: ARG002 - as it is called
        """Return what reads a value of a row."""
        return _only_text(self.where)


class StoredString(_OnlyText, sa.String):
    """A short text that is refused where it is none."""


class StoredText(_OnlyText, sa.Text):
    """A long text that is refused where it is none."""


def check_texts() -> None:
    """Make every column of texts refuse, on reading, what is no text."""
    for table in metadata.sorted_tables:
        for column in table.columns:
            where = f"{table.name}.{column.name}"
            if type(column.type) is sa.Text:
                column.type = StoredText(where)
            elif type(column.type) is sa.String:
                column.type = StoredString(where)


class HalfVector(sa.LargeBinary):
    """A vector as little-endian float16 in bytes; a database with a type of its own for them stores it as that."""

    cache_ok: ClassVar[bool] = True
    makers: ClassVar[dict[str, Callable[[bytes], object]]] = {}
    """What becomes of one on its way to a driver, by dialect."""

    def bind_processor(self, dialect: sa.Dialect) -> _Makes | None:
        """Return what a value goes through."""
        make = self.makers.get(dialect.name)
        if make is None:
            return cast("_Makes | None", super().bind_processor(dialect))
        return lambda value: None if value is None else make(value)


settings = sa.Table(
    "settings",
    metadata,
    sa.Column("name", sa.String, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    comment="What the whole store agrees on: embedding model, versions of what finds tokens, names and dates",
)

namespaces = sa.Table(
    "namespaces",
    metadata,
    sa.Column("ns", sa.Integer, primary_key=True),
    sa.Column("name", sa.String, nullable=False, unique=True),
    sa.Column("revision", sa.Integer, nullable=False, default=0),
    sa.Column("log_seq", sa.Integer, nullable=False, default=0),
    sa.Column("event_seq", sa.Integer, nullable=False, default=0),
    sa.Column("event_hash", sa.String, nullable=False),
    sa.Column("query_seq", sa.Integer, nullable=False, default=0),
    sa.Column("query_erasures", sa.Integer, nullable=False, default=0),
    sa.Column("created_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    comment="revision counts committed writes; log_seq is the last number in index_log; event_* is the chain's end; "
    "query_seq counts changes to questions, query_erasures how often some were erased",
)

documents = _in_namespace(
    "documents",
    sa.Column("source", sa.Text, nullable=False, info=forms.held(forms.SOURCE)),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("source_sha256", sa.String),
    sa.Column("created_at", sa.String, nullable=False),
    sa.Column("is_file", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.UniqueConstraint("ns", "source"),
    comment="version is the number of the version that is visible; source_sha256 is the hash of the text as its source "
    "said it last, null where it never had one; is_file tells whether it was read from the file that source names",
)

stagings = _in_namespace(
    "stagings",
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("document_id", sa.String, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("touched_at", sa.String, nullable=False),
    sa.Column("leaves_sha256", sa.String),
    sa.UniqueConstraint("ns", "source"),
    comment="A version that is being written in several transactions; its episodes wait, invisible, under its number. "
    "leaves_sha256 is the hash of all that decides its leaves: one who adds the same goes on with it",
)

versions = _in_namespace(
    "versions",
    sa.Column("document_id", sa.String, nullable=False, info=part_of("documents")),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("media_type", sa.String, nullable=False, info=forms.held(MediaType)),
    sa.Column("encoding", sa.String, nullable=False),
    sa.Column("language", sa.String, nullable=False, info=forms.held(Language)),
    sa.Column("characters", sa.Integer, nullable=False),
    sa.Column("content_sha256", sa.String, nullable=False),
    *_columns(sa.Integer, "chunk_count", "episode_count"),
    sa.Column("recorded_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("kept", sa.Text, info=forms.held(forms.KEPT)),
    key=("document_id", "number"),
    comment="A document's text at one time is its leaves' payloads, joined; kept is a JSON list of the stretches in which "
    "it says something else than its source: start, end, and what the source says there; null where that was not noted",
)

chunks = _in_namespace(
    "chunks",
    sa.Column("document_id", sa.String, nullable=False, info=part_of("documents")),
    *_columns(sa.Integer, "version", "ordinal"),
    sa.Column("outline", sa.String, nullable=False, info=forms.held(forms.OUTLINE)),
    *_columns(sa.Integer, "start", "end"),
    sa.Column("heading_path", sa.Text, nullable=False, info=forms.held(forms.TEXTS)),
    sa.Column("tier", sa.Integer, nullable=False, info=forms.held(Tier)),
    sa.Column("gain_bits", sa.Float),
    sa.Column("episode_id", sa.String),
    sa.Column("reason", sa.String, nullable=False, info=forms.held(BoundaryReason)),
    sa.Column("attempts", sa.String, info=forms.held(forms.ATTEMPTS)),
    sa.Index("chunks_by_version", "ns", "document_id", "version", "ordinal"),
    sa.Index("chunks_by_episode", "ns", "episode_id", "document_id", "version"),
    comment="ordinal is the place in outline order; episode_id is null on inner nodes; attempts is null where tier 1 "
    "was enough",
)

episodes = _in_namespace(
    "episodes",
    sa.Column("kind", sa.String, nullable=False, info=forms.held(EpisodeKind)),
    sa.Column("state", sa.String, nullable=False, info=forms.held(EpisodeState)),
    sa.Column("language", sa.String, nullable=False, info=forms.held(Language)),
    sa.Column("payload_id", sa.String, nullable=False),
    sa.Column("document_id", sa.String),
    sa.Column("version", sa.Integer),
    sa.Column("session", sa.Text, info=forms.held(forms.NAME)),
    sa.Column("position", sa.Integer, nullable=False),
    *_columns(sa.Text, "speaker", "about_subject", "about_attribute", nullable=True, info=forms.held(forms.NAME)),
    sa.Column("occurred_at", sa.String, info=forms.held(forms.MOMENT)),
    sa.Column("occurred_offset_minutes", sa.Integer, info=forms.held(forms.OFFSET)),
    sa.Column("recorded_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    *_columns(sa.String, "valid_from", "valid_to", "stands_until", nullable=True, info=forms.held(forms.MOMENT)),
    sa.Column("made_by", sa.String),
    sa.Column("confidence", sa.Float, nullable=False, info=forms.held(forms.SHARE)),
    sa.Column("arousal", sa.Float, info=forms.held(forms.SHARE)),
    sa.Column("merge_count", sa.Integer, nullable=False),
    sa.Index("episodes_by_document", "ns", "document_id", "position"),
    sa.Index("episodes_by_session", "ns", "session", "position"),
    sa.Index("episodes_by_kind", "ns", "kind", "id"),
    sa.Index("episodes_by_speaker", "ns", "speaker"),
    sa.Index("episodes_waiting", "ns", "id", info=_where("state = 'conflict_pending'")),
    sa.Index("episodes_by_about", "ns", "about_subject", "about_attribute", info=_where("about_subject is not null")),
    comment="version is that of its document it came with, and it is hidden while the visible one is lower; "
    "payload_id is what it says now, what it said before stays in payloads until erased; the offset is that of "
    "the zone occurred_at was given in, whose calendar day people mean; stands_until is null while it stands for "
    "itself; made_by is the event of the merge or split that made it, null for what was remembered or added",
)

payloads = _in_namespace(
    "payloads",
    sa.Column("episode_id", sa.String, nullable=False, info=part_of("episodes")),
    sa.Column("salt", sa.LargeBinary, nullable=False),
    *_columns(sa.Text, "text", "tokens", "names", "periods"),
    sa.Index("payloads_by_episode", "ns", "episode_id"),
    comment="tokens is the lexical key as the analyser cut it, joined by single spaces; names stand one a line; periods "
    "are first and last day, joined by a slash, one behind the other",
)

facts = _in_namespace(
    "facts",
    sa.Column("episode_id", sa.String, nullable=False, info=part_of("episodes")),
    sa.Column("number", sa.Integer, nullable=False),
    *_columns(sa.Text, "subject", "attribute", "value"),
    sa.Column("kind", sa.String, nullable=False, info=forms.held(FactKind)),
    sa.Column("origin", sa.String, nullable=False, info=forms.held(FactOrigin)),
    sa.Index("facts_by_key", "ns", "subject", "attribute"),
    key=("episode_id", "number"),
    comment="What a statement says of a key: value stands in its text; number counts from 0; origin is who read it",
)

vectors = _in_namespace(
    "vectors",
    sa.Column("payload_id", sa.String, nullable=False, info=part_of("payloads")),
    sa.Column("model_id", sa.String, nullable=False),
    sa.Column("data", HalfVector, nullable=False),
    sa.Column("arousal", sa.Float),
    key=("payload_id", "model_id"),
    comment="data is little-endian float16 of unit length before rounding; arousal is estimated from text and vector, "
    "and so of one model",
)

attributes = _in_namespace(
    "attributes",
    sa.Column("owner_id", sa.String, nullable=False, info=part_of("documents", "episodes")),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("kind", sa.String, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    # Not ns first: SQLite would then walk a namespace in it rather than look an owner up by the key.
    sa.Index("attributes_by_value", "name", "kind", "value", "ns", "owner_id"),
    key=("owner_id", "name", "kind"),
    comment="Metadata and tags of the document or statement owner_id; equal values are written alike, a tag's is empty",
)

edges = _in_namespace(
    "edges",
    sa.Column("source_id", sa.String, nullable=False, info=part_of("episodes", "queries")),
    sa.Column("target_id", sa.String, nullable=False, info=part_of("episodes")),
    sa.Column("kind", sa.String, nullable=False, info=forms.held(EdgeKind)),
    sa.Column("weight", sa.Float, nullable=False, info=forms.held(forms.SHARE)),
    sa.Column("created_at", sa.String, nullable=False),
    sa.Index("edges_by_target", "ns", "target_id", "kind"),
    key=("source_id", "kind", "target_id"),
)

queries = _in_namespace(
    "queries",
    sa.Column("intent", sa.String, nullable=False, info=forms.held(Intent)),
    sa.Column("language", sa.String, nullable=False, info=forms.held(Language)),
    sa.Column("outcome", sa.String, nullable=False, info=forms.held(Outcome)),
    sa.Column("is_stated", sa.Boolean, nullable=False),
    *_columns(sa.String, "principal", "answer_id", nullable=True),
    *_columns(sa.String, "asked_at", "recorded_at", info=forms.held(forms.MOMENT)),
    sa.Column("touched_seq", sa.Integer, nullable=False),
    sa.Column("withdrawn_by", sa.String),
    sa.Index("queries_by_principal", "ns", "principal", "id"),
    sa.Index("queries_by_touch", "ns", "touched_seq"),
    comment="Questions that were taken down; touched_seq is the namespace's query_seq when what it teaches last changed, "
    "0 where it never taught; withdrawn_by is the event that took back what its edges teach",
)

query_texts = _in_namespace(
    "query_texts",
    sa.Column("query_id", sa.String, nullable=False, info=part_of("queries")),
    *_columns(sa.Text, "text", "tokens"),
    key=("query_id",),
    comment="tokens is the text as the analyser of questions cuts it, joined by single spaces",
)

query_vectors = _in_namespace(
    "query_vectors",
    sa.Column("query_id", sa.String, nullable=False, info=part_of("queries")),
    sa.Column("model_id", sa.String, nullable=False),
    sa.Column("data", HalfVector, nullable=False),
    key=("query_id", "model_id"),
    comment="data is little-endian float16 of unit length before rounding",
)

query_edges = _in_namespace(
    "query_edges",
    sa.Column("query_id", sa.String, nullable=False, info=part_of("queries")),
    sa.Column("target_id", sa.String, nullable=False, info=refers_to("episodes")),
    sa.Column("rank", sa.Integer, nullable=False, info=forms.held(forms.COUNT)),
    sa.Column("is_cited", sa.Boolean, nullable=False),
    sa.Column("cited_at", sa.String, info=forms.held(forms.MOMENT)),
    sa.Column("kind", sa.String, info=forms.held(forms.QUERY_EDGE)),
    sa.Column("led_to_insight", sa.Boolean, nullable=False),
    *_columns(sa.String, "evaluated_by", "entered_by", nullable=True),
    sa.Index("query_edges_by_target", "ns", "target_id"),
    sa.Index("query_edges_since", "ns", "target_id", info=_where("kind is not null and evaluated_by is null")),
    key=("query_id", "target_id"),
    comment="What was handed over for a question; cited_at is since when the answer rests "
    "on it; kind is null where that got no edge; evaluated_by is the event of the "
    "evaluation, null while it is awaited; entered_by is the event by which it entered the graph, also where that was "
    "undone by hand, null where it waits again; what is in the graph stands in edges besides",
)

ratings = _in_namespace(
    "ratings",
    sa.Column("query_id", sa.String, nullable=False, info=part_of("queries")),
    sa.Column("principal", sa.String, nullable=False),
    sa.Column("rating", sa.String, nullable=False, info=forms.held(Rating)),
    sa.Column("comment", sa.Text),
    sa.Column("rated_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("withdrawn_by", sa.String),
    sa.Index("ratings_by_principal", "ns", "principal"),
    key=("query_id", "principal"),
    comment="What one person said of an answer, since rated_at; principal is empty for nobody in particular; withdrawn_by "
    "is the event that took it back, null while it counts",
)

review_items = _in_namespace(
    "review_items",
    sa.Column("category", sa.String, nullable=False, info=forms.held(ReviewCategory)),
    sa.Column("priority", sa.String, nullable=False, info=forms.held(Priority)),
    sa.Column("status", sa.String, nullable=False, info=forms.held(ReviewStatus)),
    sa.Column("document_id", sa.String),
    *_columns(sa.Integer, "version", "start", "end", nullable=True),
    *_columns(sa.Text, "reason", "suggestion"),
    sa.Column("text_length", sa.Integer, nullable=False),
    sa.Column("attempts", sa.String, nullable=False, info=forms.held(forms.ATTEMPTS)),
    sa.Column("final_tier", sa.Integer, info=forms.held(Tier)),
    sa.Column("created_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("resolved_at", sa.String, info=forms.held(forms.MOMENT)),
    sa.Column("note", sa.Text),
    sa.Column("language", sa.String, nullable=False, info=forms.held(Language)),
    sa.Column("cause", sa.String, nullable=False),
    sa.Column("episode_id", sa.String, info=refers_to("episodes")),
    sa.Column("resolution", sa.String, info=forms.held(Resolution)),
    sa.Column("other_episode_id", sa.String),
    sa.UniqueConstraint("ns", "cause"),
    sa.Index("review_items_by_status", "ns", "status", "priority"),
    sa.Index("review_items_by_document", "ns", "document_id"),
    sa.Index("review_items_by_episode", "ns", "episode_id"),
    sa.Index("review_items_by_other_episode", "ns", "other_episode_id"),
    comment="version is the one of its document that it was last seen in; cause is a hash of what it is about",
)

events = _in_namespace(
    "events",
    sa.Column("seq", sa.Integer, nullable=False),
    *_columns(sa.String, "id", "kind", "subject_id"),
    sa.Column("principal", sa.String),
    sa.Column("body", sa.Text, nullable=False),
    *_columns(sa.String, "recorded_at", "previous_hash", "hash"),
    sa.UniqueConstraint("ns", "id"),
    sa.Index("events_by_subject", "ns", "subject_id"),
    key=("seq",),
    comment="Append-only; body is canonical JSON of ids, numbers and salted digests, never text",
)

event_episodes = _in_namespace(
    "event_episodes",
    sa.Column("episode_id", sa.String, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Index("event_episodes_by_seq", "ns", "seq"),
    key=("episode_id", "seq"),
    comment="Which episodes, or documents, the body of an event names; follows from events",
)

calibrations = _in_namespace(
    "calibrations",
    sa.Column("model_id", sa.String, nullable=False),
    sa.Column("language", sa.String, nullable=False, info=forms.held(Language)),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("parameters", sa.Text, nullable=False, info=forms.held(forms.PARAMETERS)),
    sa.Column("texts", sa.Integer, nullable=False),
    sa.Column("created_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    key=("model_id", "language", "version"),
    comment="What similarities of a model mean in a language, as JSON; the last version holds",
)

maintenance = _in_namespace(
    "maintenance",
    sa.Column("task", sa.String, nullable=False),
    sa.Column("seq", sa.Integer, nullable=False),
    key=("task",),
    comment="Up to which number of index_log a task is done",
)

index_log = _in_namespace(
    "index_log",
    sa.Column("seq", sa.Integer, nullable=False),
    sa.Column("episode_id", sa.String, nullable=False),
    sa.Column("present", sa.Boolean, nullable=False),
    sa.Index("index_log_by_episode", "ns", "episode_id"),
    key=("seq",),
    comment="Which episodes entered, changed or left the indexes, in the order of their commits",
)

api_keys = _of_store(
    "api_keys",
    *_columns(sa.String, "hash", "prefix"),
    sa.Column("label", sa.Text, nullable=False),
    *_columns(sa.Text, "scopes", "namespaces", info=forms.held(forms.TEXTS)),
    sa.Column("created_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("created_by", sa.String),
    *_columns(sa.String, "expires_at", "used_at", "revoked_at", nullable=True, info=forms.held(forms.MOMENT)),
    sa.UniqueConstraint("hash"),
    comment="hash is of the key, which is not kept; scopes and namespaces are JSON lists, no namespace means every one",
)

audit = _of_store(
    "audit",
    sa.Column("at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    *_columns(sa.String, "key_id", "namespace", nullable=True),
    sa.Column("act", sa.String, nullable=False),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
    comment="What the server refused, and what was done to keys, schedules and targets; never a text of a memory",
)

kept_replies = _of_store(
    "kept_replies",
    *_columns(sa.String, "key_id", "name", "asked"),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("body", sa.Text, nullable=False, info=forms.held(forms.OBJECT)),
    sa.Column("at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    key=("key_id", "name"),
    comment="What was replied to a write under an idempotency key, so that it is done once; asked is a hash of the request",
)

background_jobs = _of_store(
    "background_jobs",
    *_columns(sa.String, "namespace", "kind", "subject", "state"),
    sa.Column("body", sa.Text, nullable=False, info=forms.held(forms.OBJECT)),
    sa.Column("result", sa.Text, info=forms.held(forms.OBJECT)),
    sa.Column("error", sa.Text),
    sa.Column("attempts", sa.Integer, nullable=False),
    sa.Column("runs_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("owner", sa.String),
    sa.Column("seen_at", sa.String, info=forms.held(forms.MOMENT)),
    sa.Column("created_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("created_by", sa.String),
    sa.Column("ended_at", sa.String, info=forms.held(forms.MOMENT)),
    sa.Index("background_jobs_by_state", "state", "runs_at"),
    comment="owner is the process that runs it and seen_at when that last said so; of one namespace, kind and subject at "
    "most one waits or runs",
)

background_lines = _of_store(
    "background_lines",
    sa.Column("job_id", sa.String, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("text", sa.Text, nullable=False),
    key=("job_id", "number"),
    comment="What a background job says of itself while it runs",
)

schedules = _of_store(
    "schedules",
    *_columns(sa.String, "namespace", "kind"),
    sa.Column("body", sa.Text, nullable=False, info=forms.held(forms.OBJECT)),
    *_columns(sa.String, "cron", "zone"),
    sa.Column("is_paused", sa.Boolean, nullable=False),
    sa.Column("next_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    sa.Column("last_at", sa.String, info=forms.held(forms.MOMENT)),
    sa.Column("created_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    comment="What background job is begun when; cron is read in the time zone",
)

targets = _of_store(
    "targets",
    *_columns(sa.String, "namespace", "kind"),
    *_columns(sa.Text, "address", "secret"),
    sa.Column("events", sa.Text, nullable=False, info=forms.held(forms.TEXTS)),
    sa.Column("language", sa.String, nullable=False),
    sa.Column("created_at", sa.String, nullable=False, info=forms.held(forms.MOMENT)),
    comment="Who is told of what: events is a JSON list",
)

outbox = _of_store(
    "outbox",
    *_columns(sa.String, "target_id", "name", "event"),
    sa.Column("body", sa.Text, nullable=False, info=forms.held(forms.OBJECT)),
    sa.Column("state", sa.String, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
    *_columns(sa.String, "runs_at", "created_at", info=forms.held(forms.MOMENT)),
    sa.Column("error", sa.Text),
    sa.UniqueConstraint("target_id", "name"),
    sa.Index("outbox_by_state", "state", "runs_at"),
    comment="Messages that wait for their target, or were sent; name tells a message from any other, so that it is sent once",
)

check_texts()

SERVICE = frozenset((api_keys, audit, kept_replies, background_jobs, background_lines, schedules, targets, outbox))
"""Tables of the server."""

WHOLE_STORE = frozenset((settings, namespaces, chat_spend, chat_replies)) | SERVICE
"""Tables that are of no namespace: all others are keyed by one."""
