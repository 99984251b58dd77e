"""How the schema grew; one file a step, applied in order by Alembic."""
