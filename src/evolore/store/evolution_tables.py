"""The tables of answers, feedback, and the jobs by which documents improve; and what is kept of chats.

Answers, their quotes, comments, the bodies of steps and replies are texts: they are erased with what they speak of.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from evolore.store.table_metadata import metadata

answers = Table(
    "answers",
    metadata,
    Column("ns", Integer, nullable=False),
    Column("id", String, nullable=False),
    Column("query_id", String),
    Column("question", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("language", String, nullable=False),
    Column("principal", String),
    Column("model", String, nullable=False),
    Column("prompt_version", Integer, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("reply_tokens", Integer, nullable=False),
    Column("cost_micros", Integer, nullable=False),
    Column("reason", Text, nullable=False),
    Column("canaries", Text, nullable=False),
    Column("recorded_at", String, nullable=False),
    PrimaryKeyConstraint("ns", "id"),
    Index("answers_by_query", "ns", "query_id"),
    Index("answers_by_principal", "ns", "principal"),
    comment="Answers that were given; canaries is a JSON list of pairs: a promotion, and whether its new text was seen",
)

answer_citations = Table(
    "answer_citations",
    metadata,
    Column("ns", Integer, nullable=False),
    Column("answer_id", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("episode_id", String, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("quote", Text, nullable=False),
    Column("document_id", String),
    Column("version", Integer),
    Column("source", Text, nullable=False),
    PrimaryKeyConstraint("ns", "answer_id", "number"),
    Index("answer_citations_by_episode", "ns", "episode_id"),
    Index("answer_citations_by_document", "ns", "document_id"),
    comment="What an answer rests on; start and end are places in the episode's text",
)

feedback = Table(
    "feedback",
    metadata,
    Column("ns", Integer, nullable=False),
    Column("id", String, nullable=False),
    Column("document_id", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("query_id", String, nullable=False),
    Column("principal", String, nullable=False),
    Column("rating", String, nullable=False),
    Column("comment", Text),
    Column("rated_at", String, nullable=False),
    Column("job_id", String),
    Column("withdrawn_by", String),
    PrimaryKeyConstraint("ns", "id"),
    UniqueConstraint("ns", "document_id", "query_id", "principal"),
    Index("feedback_by_principal", "ns", "principal"),
    Index("feedback_by_query", "ns", "query_id"),
    Index("feedback_by_job", "ns", "job_id"),
    Index("feedback_waiting", "ns", "document_id", sqlite_where=text("job_id is null and rating = 'bad'")),
    comment="What one person said of a document; query_id is empty for a rating of the document itself, principal for "
    "nobody in particular; job_id is what took it up; withdrawn_by is the event that took it back, null while it counts",
)

evolution_jobs = Table(
    "evolution_jobs",
    metadata,
    Column("ns", Integer, nullable=False),
    Column("id", String, nullable=False),
    Column("state", String, nullable=False),
    Column("seed", String, nullable=False),
    Column("steps", Integer, nullable=False),
    Column("principal", String),
    Column("created_at", String, nullable=False),
    Column("updated_at", String, nullable=False),
    Column("erased_by", String),
    PrimaryKeyConstraint("ns", "id"),
    Index("evolution_jobs_by_state", "ns", "state", "id"),
    comment="steps counts those that are there; erased_by is the event with which they were erased, null for none",
)

evolution_job_documents = Table(
    "evolution_job_documents",
    metadata,
    Column("ns", Integer, nullable=False),
    Column("job_id", String, nullable=False),
    Column("document_id", String, nullable=False),
    Column("version", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    PrimaryKeyConstraint("ns", "job_id", "document_id"),
    Index("evolution_job_documents_by_document", "ns", "document_id"),
    comment="The documents that a job is about, as it found them; place counts from 0",
)

evolution_steps = Table(
    "evolution_steps",
    metadata,
    Column("ns", Integer, nullable=False),
    Column("job_id", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("kind", String, nullable=False),
    Column("body", Text, nullable=False),
    Column("at", String, nullable=False),
    PrimaryKeyConstraint("ns", "job_id", "number"),
    comment="Append-only until erased; body is canonical JSON, replies of models among it",
)

promotions = Table(
    "promotions",
    metadata,
    Column("ns", Integer, nullable=False),
    Column("id", String, nullable=False),
    Column("job_id", String, nullable=False),
    Column("candidate_id", String, nullable=False),
    Column("operator", String, nullable=False),
    Column("win_rate", Float, nullable=False),
    Column("percent", Integer, nullable=False),
    Column("approved_by", String),
    Column("is_by_policy", Boolean, nullable=False),
    Column("is_edited", Boolean, nullable=False),
    Column("reason", Text, nullable=False),
    Column("promoted_at", String, nullable=False),
    Column("rolled_back_at", String),
    Column("rolled_back_by", String),
    Column("rollback_reason", Text, nullable=False),
    PrimaryKeyConstraint("ns", "id"),
    Index("promotions_by_job", "ns", "job_id"),
    comment="Candidates that were taken over, one generation each; their texts are versions of documents",
)

promotion_documents = Table(
    "promotion_documents",
    metadata,
    Column("ns", Integer, nullable=False),
    Column("promotion_id", String, nullable=False),
    Column("document_id", String, nullable=False),
    Column("place", Integer, nullable=False),
    Column("before", Integer, nullable=False),
    Column("after", Integer),
    Column("restored", Integer),
    PrimaryKeyConstraint("ns", "promotion_id", "document_id"),
    Index("promotion_documents_by_document", "ns", "document_id"),
    comment="What a promotion did to each document, as numbers of versions; place counts from 0",
)

chat_spend = Table(
    "chat_spend",
    metadata,
    Column("day", String, primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("prompt_tokens", Integer, nullable=False),
    Column("reply_tokens", Integer, nullable=False),
    Column("cost_micros", Integer, nullable=False),
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
