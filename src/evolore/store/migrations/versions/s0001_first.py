"""Make the first schema."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from evolore.store.tables import HalfVector

revision = "0001"
down_revision = None


def _only(condition: str) -> dict[str, Any]:
    """Return which rows an index holds, for any database it is made in."""
    return {f"{op.get_bind().dialect.name}_where": sa.text(condition)}


def upgrade() -> None:  # noqa: PLR0915 - a statement for each table and index
    """Apply the step."""
    op.create_table(
        "answer_citations",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("answer_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("episode_id", sa.String(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "answer_id", "number"),
        comment="What an answer rests on; start and end are places in the episode's text",
    )
    op.create_index("answer_citations_by_document", "answer_citations", ["ns", "document_id"], unique=False)
    op.create_index("answer_citations_by_episode", "answer_citations", ["ns", "episode_id"], unique=False)
    op.create_table(
        "answers",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=True),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=True),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("prompt_version", sa.Integer(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("reply_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_micros", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("canaries", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "id"),
        comment="Answers that were given; canaries is a JSON list of pairs: a promotion, and whether its new text was seen",
    )
    op.create_index("answers_by_principal", "answers", ["ns", "principal"], unique=False)
    op.create_index("answers_by_query", "answers", ["ns", "query_id"], unique=False)
    op.create_table(
        "attributes",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "owner_id", "name", "kind"),
        comment="Metadata and tags of the document or statement owner_id; equal values are written alike, a tag's is empty",
    )
    op.create_index("attributes_by_value", "attributes", ["name", "kind", "value", "ns", "owner_id"], unique=False)
    op.create_table(
        "calibrations",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("model_id", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("texts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "model_id", "language", "version"),
        comment="What similarities of a model mean in a language, as JSON; the last version holds",
    )
    op.create_table(
        "chat_replies",
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        comment="Replies of the chat model by a hash of what was asked; the lowest seq was kept first; any erasure empties it",
    )
    op.create_index("chat_replies_by_seq", "chat_replies", ["seq"], unique=False)
    op.create_table(
        "chat_spend",
        sa.Column("day", sa.String(), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("reply_tokens", sa.Integer(), nullable=False),
        sa.Column("cost_micros", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("day"),
        comment="What the chat model cost on each day in UTC, with what is taken for calls that are under way, or died",
    )
    op.create_table(
        "chunks",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("outline", sa.String(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("end", sa.Integer(), nullable=False),
        sa.Column("heading_path", sa.Text(), nullable=False),
        sa.Column("tier", sa.Integer(), nullable=False),
        sa.Column("gain_bits", sa.Float(), nullable=True),
        sa.Column("episode_id", sa.String(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("attempts", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "id"),
        comment="ordinal is the place in outline order; episode_id is null on inner nodes; attempts is null where tier 1 was enough",
    )
    op.create_index("chunks_by_episode", "chunks", ["ns", "episode_id", "document_id", "version"], unique=False)
    op.create_index("chunks_by_version", "chunks", ["ns", "document_id", "version", "ordinal"], unique=False)
    op.create_table(
        "documents",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("source_sha256", sa.String(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "id"),
        sa.UniqueConstraint("ns", "source"),
        comment="version is the number of the version that is visible; source_sha256 is the hash of the text as its source said it last, null where it never had one",
    )
    op.create_table(
        "edges",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("source_id", sa.String(), nullable=False),
        sa.Column("target_id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "source_id", "kind", "target_id"),
    )
    op.create_index("edges_by_target", "edges", ["ns", "target_id", "kind"], unique=False)
    op.create_table(
        "episodes",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("payload_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("session", sa.Text(), nullable=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("speaker", sa.Text(), nullable=True),
        sa.Column("about_subject", sa.Text(), nullable=True),
        sa.Column("about_attribute", sa.Text(), nullable=True),
        sa.Column("occurred_at", sa.String(), nullable=True),
        sa.Column("occurred_offset_minutes", sa.Integer(), nullable=True),
        sa.Column("recorded_at", sa.String(), nullable=False),
        sa.Column("valid_from", sa.String(), nullable=True),
        sa.Column("valid_to", sa.String(), nullable=True),
        sa.Column("stands_until", sa.String(), nullable=True),
        sa.Column("made_by", sa.String(), nullable=True),
        sa.Column("confidence", sa.Float(), nullable=False),
        sa.Column("arousal", sa.Float(), nullable=True),
        sa.Column("merge_count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "id"),
        comment="version is that of its document it came with, and it is hidden while the visible one is lower; payload_id is what it says now, what it said before stays in payloads until erased; the offset is that of the zone occurred_at was given in, whose calendar day people mean; stands_until is null while it stands for itself; made_by is the event of the merge or split that made it, null for what was remembered or added",
    )
    op.create_index(
        "episodes_by_about",
        "episodes",
        ["ns", "about_subject", "about_attribute"],
        unique=False,
        **_only("about_subject is not null"),
    )
    op.create_index("episodes_by_document", "episodes", ["ns", "document_id", "position"], unique=False)
    op.create_index("episodes_by_kind", "episodes", ["ns", "kind", "id"], unique=False)
    op.create_index("episodes_by_session", "episodes", ["ns", "session", "position"], unique=False)
    op.create_index("episodes_by_speaker", "episodes", ["ns", "speaker"], unique=False)
    op.create_index("episodes_waiting", "episodes", ["ns", "id"], unique=False, **_only("state = 'conflict_pending'"))
    op.create_table(
        "event_episodes",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("episode_id", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "episode_id", "seq"),
        comment="Which episodes, or documents, the body of an event names; follows from events",
    )
    op.create_index("event_episodes_by_seq", "event_episodes", ["ns", "seq"], unique=False)
    op.create_table(
        "events",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject_id", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.String(), nullable=False),
        sa.Column("previous_hash", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "seq"),
        sa.UniqueConstraint("ns", "id"),
        comment="Append-only; body is canonical JSON of ids, numbers and salted digests, never text",
    )
    op.create_index("events_by_subject", "events", ["ns", "subject_id"], unique=False)
    op.create_table(
        "evolution_job_documents",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "job_id", "document_id"),
        comment="The documents that a job is about, as it found them; place counts from 0",
    )
    op.create_index(
        "evolution_job_documents_by_document", "evolution_job_documents", ["ns", "document_id"], unique=False
    )
    op.create_table(
        "evolution_jobs",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("seed", sa.String(), nullable=False),
        sa.Column("steps", sa.Integer(), nullable=False),
        sa.Column("principal", sa.String(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("updated_at", sa.String(), nullable=False),
        sa.Column("erased_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "id"),
        comment="steps counts those that are there; erased_by is the event with which they were erased, null for none",
    )
    op.create_index("evolution_jobs_by_state", "evolution_jobs", ["ns", "state", "id"], unique=False)
    op.create_table(
        "evolution_steps",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "job_id", "number"),
        comment="Append-only until erased; body is canonical JSON, replies of models among it",
    )
    op.create_table(
        "feedback",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=False),
        sa.Column("rating", sa.String(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("rated_at", sa.String(), nullable=False),
        sa.Column("job_id", sa.String(), nullable=True),
        sa.Column("withdrawn_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "id"),
        sa.UniqueConstraint("ns", "document_id", "query_id", "principal"),
        comment="What one person said of a document; query_id is empty for a rating of the document itself, principal for nobody in particular; job_id is what took it up; withdrawn_by is the event that took it back, null while it counts",
    )
    op.create_index("feedback_by_job", "feedback", ["ns", "job_id"], unique=False)
    op.create_index("feedback_by_principal", "feedback", ["ns", "principal"], unique=False)
    op.create_index("feedback_by_query", "feedback", ["ns", "query_id"], unique=False)
    op.create_index(
        "feedback_waiting",
        "feedback",
        ["ns", "document_id"],
        unique=False,
        **_only("job_id is null and rating = 'bad'"),
    )
    op.create_table(
        "index_log",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("episode_id", sa.String(), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "seq"),
        comment="Which episodes entered, changed or left the indexes, in the order of their commits",
    )
    op.create_index("index_log_by_episode", "index_log", ["ns", "episode_id"], unique=False)
    op.create_table(
        "maintenance",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "task"),
        comment="Up to which number of index_log a task is done",
    )
    op.create_table(
        "namespaces",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("log_seq", sa.Integer(), nullable=False),
        sa.Column("event_seq", sa.Integer(), nullable=False),
        sa.Column("event_hash", sa.String(), nullable=False),
        sa.Column("query_seq", sa.Integer(), nullable=False),
        sa.Column("query_erasures", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns"),
        sa.UniqueConstraint("name"),
        comment="revision counts committed writes; log_seq is the last number in index_log; event_* is the chain's end; query_seq counts changes to questions, query_erasures how often some were erased",
    )
    op.create_table(
        "payloads",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("episode_id", sa.String(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Text(), nullable=False),
        sa.Column("names", sa.Text(), nullable=False),
        sa.Column("periods", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "id"),
        comment="tokens is the lexical key as the analyser cut it, joined by single spaces; names stand one a line; periods are first and last day, joined by a slash, one behind the other",
    )
    op.create_index("payloads_by_episode", "payloads", ["ns", "episode_id"], unique=False)
    op.create_table(
        "promotion_documents",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("promotion_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("before", sa.Integer(), nullable=False),
        sa.Column("after", sa.Integer(), nullable=True),
        sa.Column("restored", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "promotion_id", "document_id"),
        comment="What a promotion did to each document, as numbers of versions; place counts from 0",
    )
    op.create_index("promotion_documents_by_document", "promotion_documents", ["ns", "document_id"], unique=False)
    op.create_table(
        "promotions",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("candidate_id", sa.String(), nullable=False),
        sa.Column("operator", sa.String(), nullable=False),
        sa.Column("win_rate", sa.Float(), nullable=False),
        sa.Column("percent", sa.Integer(), nullable=False),
        sa.Column("approved_by", sa.String(), nullable=True),
        sa.Column("is_by_policy", sa.Boolean(), nullable=False),
        sa.Column("is_edited", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("promoted_at", sa.String(), nullable=False),
        sa.Column("rolled_back_at", sa.String(), nullable=True),
        sa.Column("rolled_back_by", sa.String(), nullable=True),
        sa.Column("rollback_reason", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "id"),
        comment="Candidates that were taken over, one generation each; their texts are versions of documents",
    )
    op.create_index("promotions_by_job", "promotions", ["ns", "job_id"], unique=False)
    op.create_table(
        "queries",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("intent", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("outcome", sa.String(), nullable=False),
        sa.Column("is_stated", sa.Boolean(), nullable=False),
        sa.Column("principal", sa.String(), nullable=True),
        sa.Column("answer_id", sa.String(), nullable=True),
        sa.Column("asked_at", sa.String(), nullable=False),
        sa.Column("recorded_at", sa.String(), nullable=False),
        sa.Column("touched_seq", sa.Integer(), nullable=False),
        sa.Column("withdrawn_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "id"),
        comment="Questions that were taken down; touched_seq is the namespace's query_seq when what it teaches last changed, 0 where it never taught; withdrawn_by is the event that took back what its edges teach",
    )
    op.create_index("queries_by_principal", "queries", ["ns", "principal", "id"], unique=False)
    op.create_index("queries_by_touch", "queries", ["ns", "touched_seq"], unique=False)
    op.create_table(
        "query_edges",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("target_id", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("is_cited", sa.Boolean(), nullable=False),
        sa.Column("cited_at", sa.String(), nullable=True),
        sa.Column("kind", sa.String(), nullable=True),
        sa.Column("led_to_insight", sa.Boolean(), nullable=False),
        sa.Column("evaluated_by", sa.String(), nullable=True),
        sa.Column("entered_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "query_id", "target_id"),
        comment="What was handed over for a question; kind is null where that got no edge; evaluated_by is the event of the evaluation, null while it is awaited; entered_by is the event by which it entered the graph, also where that was undone by hand, null where it waits again; what is in the graph stands in edges besides",
    )
    op.create_index("query_edges_by_target", "query_edges", ["ns", "target_id"], unique=False)
    op.create_index(
        "query_edges_since",
        "query_edges",
        ["ns", "target_id"],
        unique=False,
        **_only("kind is not null and evaluated_by is null"),
    )
    op.create_table(
        "query_texts",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("tokens", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "query_id"),
        comment="tokens is the text as the analyser of questions cuts it, joined by single spaces",
    )
    op.create_table(
        "query_vectors",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("model_id", sa.String(), nullable=False),
        sa.Column("data", HalfVector(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "query_id", "model_id"),
        comment="data is little-endian float16 of unit length before rounding",
    )
    op.create_table(
        "ratings",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("query_id", sa.String(), nullable=False),
        sa.Column("principal", sa.String(), nullable=False),
        sa.Column("rating", sa.String(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("rated_at", sa.String(), nullable=False),
        sa.Column("withdrawn_by", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "query_id", "principal"),
        comment="What one person said of an answer; principal is empty for nobody in particular; withdrawn_by is the event that took it back, null while it counts",
    )
    op.create_index("ratings_by_principal", "ratings", ["ns", "principal"], unique=False)
    op.create_table(
        "review_items",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("category", sa.String(), nullable=False),
        sa.Column("priority", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=True),
        sa.Column("start", sa.Integer(), nullable=True),
        sa.Column("end", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("suggestion", sa.Text(), nullable=False),
        sa.Column("text_length", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.String(), nullable=False),
        sa.Column("final_tier", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("resolved_at", sa.String(), nullable=True),
        sa.Column("note", sa.Text(), nullable=True),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("episode_id", sa.String(), nullable=True),
        sa.Column("resolution", sa.String(), nullable=True),
        sa.Column("other_episode_id", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "id"),
        sa.UniqueConstraint("ns", "cause"),
        comment="version is the one of its document that it was last seen in; cause is a hash of what it is about",
    )
    op.create_index("review_items_by_document", "review_items", ["ns", "document_id"], unique=False)
    op.create_index("review_items_by_episode", "review_items", ["ns", "episode_id"], unique=False)
    op.create_index("review_items_by_other_episode", "review_items", ["ns", "other_episode_id"], unique=False)
    op.create_index("review_items_by_status", "review_items", ["ns", "status", "priority"], unique=False)
    op.create_table(
        "settings",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
        comment="What the whole store agrees on: embedding model, versions of what finds tokens, names and dates",
    )
    op.create_table(
        "stagings",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("touched_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "id"),
        sa.UniqueConstraint("ns", "source"),
        comment="A version that is being written in several transactions; its episodes wait, invisible, under its number",
    )
    op.create_table(
        "vectors",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("payload_id", sa.String(), nullable=False),
        sa.Column("model_id", sa.String(), nullable=False),
        sa.Column("data", HalfVector(), nullable=False),
        sa.Column("arousal", sa.Float(), nullable=True),
        sa.PrimaryKeyConstraint("ns", "payload_id", "model_id"),
        comment="data is little-endian float16 of unit length before rounding; arousal is estimated from text and vector, and so of one model",
    )
    op.create_table(
        "versions",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("media_type", sa.String(), nullable=False),
        sa.Column("encoding", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("characters", sa.Integer(), nullable=False),
        sa.Column("content_sha256", sa.String(), nullable=False),
        sa.Column("chunk_count", sa.Integer(), nullable=False),
        sa.Column("episode_count", sa.Integer(), nullable=False),
        sa.Column("recorded_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "document_id", "number"),
        comment="A document's text at one time is its leaves' payloads, joined",
    )
