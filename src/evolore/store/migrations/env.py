"""Environment of Alembic: upgrade on the connection it was given."""

from alembic import context
from sqlalchemy import Connection

from evolore.store.tables import metadata

connection: Connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    version_table_schema=connection.dialect.default_schema_name,  # another application beside us may use Alembic too
)
with context.begin_transaction():
    context.run_migrations()
