"""Note what decides the leaves of a version that is written in parts, so that an interrupted ``add`` goes on with it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Apply the step."""
    op.add_column("stagings", sa.Column("leaves_sha256", sa.String(), nullable=True))
