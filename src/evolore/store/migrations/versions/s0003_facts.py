"""Keep what statements say of keys; of those that are there, ``maintain`` reads it. Count ratings by their time."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Apply the step."""
    op.create_table(
        "facts",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("episode_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("attribute", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "episode_id", "number"),
        comment="What a statement says of a key: value stands in its text; number counts from 0; origin is who read it",
    )
    op.create_index("facts_by_key", "facts", ["ns", "subject", "attribute"])
    only: dict[str, Any] = {f"{op.get_bind().dialect.name}_where": sa.text("withdrawn_by is null")}
    op.create_index("feedback_in_effect", "feedback", ["ns", "rated_at", "rating"], **only)
