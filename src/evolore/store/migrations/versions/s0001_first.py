"""Begin: the tables of the first schema, which every store has. A new store is made from ``store/tables.py``."""

from __future__ import annotations

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Apply the step."""
