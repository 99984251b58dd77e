"""Note where a version says something else than its source, which documents were read from files, and what a server keeps."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Apply the step. Of a document that was there before it is not known whether it was read from a file: it counts as none."""
    op.add_column("documents", sa.Column("is_file", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("versions", sa.Column("kept", sa.Text(), nullable=True))
    _service()


def _service() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("namespaces", sa.Text(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=True),
        sa.Column("expires_at", sa.String(), nullable=True),
        sa.Column("used_at", sa.String(), nullable=True),
        sa.Column("revoked_at", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("hash"),
        comment="hash is of the key, which is not kept; scopes and namespaces are JSON lists, no namespace means every one",
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=True),
        sa.Column("namespace", sa.String(), nullable=True),
        sa.Column("act", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        comment="What the server refused, and what was done to keys, schedules and targets; never a text of a memory",
    )
    op.create_table(
        "kept_replies",
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("asked", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("key_id", "name"),
        comment="What was replied to a write under an idempotency key, so that it is done once; asked is a hash of the request",
    )
    op.create_table(
        "background_jobs",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("namespace", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("runs_at", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=True),
        sa.Column("seen_at", sa.String(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("created_by", sa.String(), nullable=True),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        comment="owner is the process that runs it and seen_at when that last said so; of one namespace, kind and subject at most one waits or runs",
    )
    op.create_index("background_jobs_by_state", "background_jobs", ["state", "runs_at"])
    op.create_table(
        "background_lines",
        sa.Column("job_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "number"),
        comment="What a background job says of itself while it runs",
    )
    op.create_table(
        "schedules",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("namespace", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("cron", sa.String(), nullable=False),
        sa.Column("zone", sa.String(), nullable=False),
        sa.Column("is_paused", sa.Boolean(), nullable=False),
        sa.Column("next_at", sa.String(), nullable=False),
        sa.Column("last_at", sa.String(), nullable=True),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        comment="What background job is begun when; cron is read in the time zone",
    )
    op.create_table(
        "targets",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("namespace", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        comment="Who is told of what: events is a JSON list",
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("target_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("event", sa.String(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("runs_at", sa.String(), nullable=False),
        sa.Column("created_at", sa.String(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("target_id", "name"),
        comment="Messages that wait for their target, or were sent; name tells a message from any other, so that it is sent once",
    )
    op.create_index("outbox_by_state", "outbox", ["state", "runs_at"])
