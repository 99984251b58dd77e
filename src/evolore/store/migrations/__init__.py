"""Migrations of the schema; one file a step, applied in order by Alembic."""
