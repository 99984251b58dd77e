"""Note where a version says something else than its source, and which documents were read from files."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Apply the step. Of a document that was there before it is not known whether it was read from a file: it counts as none."""
    op.add_column("documents", sa.Column("is_file", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("versions", sa.Column("kept", sa.Text(), nullable=True))
