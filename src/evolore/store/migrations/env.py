"""What Alembic runs: upgrade on the connection it was given."""

from alembic import context

from evolore.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
