"""Has the stores of a process lie in PostgreSQL, to see how far the seam reaches.

``EVOLORE_POSTGRES=postgresql+psycopg://… pytest -p store.on_postgres tests/store`` runs tests on it. What opens the file
itself cannot pass there.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import pytest
from alembic import command
from sqlalchemy import create_engine, event, text

from evolore.store import opening
from evolore.store.opening import OpenStore

from .postgres_database import PostgresDatabase, schema_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path
    from types import ModuleType

    from alembic.config import Config
    from sqlalchemy import Connection

ADDRESS = "EVOLORE_POSTGRES"


class Tables:
    """What the migrations make on PostgreSQL, noted the first time and written from the notes after that."""

    def __init__(self, migrate: Callable[..., None]) -> None:
        self._migrate = migrate
        self._made: list[str] = []

    def upgrade(self, config: Config, revision: str) -> None:
        connection: Connection = config.attributes["connection"]
        if self._made:
            connection.exec_driver_sql(";\n".join(self._made))
            connection.exec_driver_sql("insert into alembic_version values (%s)", (revision,))
            return
        made: list[str] = []

        def note(*told: Any) -> None:  # noqa: ANN401 - SQLAlchemy's own
            made.append(told[2])

        event.listen(connection, "before_cursor_execute", note)
        self._migrate(config, revision)
        event.remove(connection, "before_cursor_execute", note)
        self._made = [one for one in made if one.lstrip().upper().startswith(("CREATE", "COMMENT"))]


class Server:
    """The stores that were made on a server.

    Args:
        address: The server's.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._admin = create_engine(address, isolation_level="AUTOCOMMIT")
        self._opened: list[PostgresDatabase] = []

    def open(self, path: Path, *, read_only: bool = False) -> PostgresDatabase:
        del read_only
        self._opened.append(PostgresDatabase(self.address, path))
        return self._opened[-1]

    def is_there(self, path: Path) -> bool:
        asked = text("select 1 from information_schema.tables where table_schema = :named limit 1")
        with self._admin.connect() as connection:
            return connection.execute(asked, {"named": schema_of(path)}).first() is not None

    def clear(self) -> None:
        """Take away what was made."""
        for database in self._opened:
            database.close()
        with self._admin.connect() as connection:
            for schema in {database.schema for database in self._opened}:
                connection.execute(text(f"drop schema if exists {schema} cascade"))
        self._opened.clear()

    def close(self) -> None:
        self.clear()
        self._admin.dispose()


@contextmanager
def stores_on(server: Server, upgrade: Callable[..., None]) -> Generator[None]:
    """Have every store that is opened meanwhile lie on a server."""

    def is_there(store: OpenStore) -> bool:
        return server.is_there(store.folder / opening.DATABASE)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(opening, "open_database", server.open)
        patch.setattr(OpenStore, "is_there", is_there)
        patch.setattr(command, "upgrade", upgrade)
        yield


@pytest.fixture(autouse=True, scope="session")
def _server(_stores_share_what_is_the_same_in_all: None) -> Iterator[tuple[Server, Tables]]:
    from once import MIGRATE  # noqa: PLC0415 - this module is loaded before the tests' own

    server = Server(os.environ[ADDRESS])
    yield server, Tables(MIGRATE)
    server.close()


@pytest.fixture(autouse=True)
def _on_postgres(
    _server: tuple[Server, Tables], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    from store import structures  # noqa: PLC0415 - likewise

    server, tables = _server
    asking = cast("ModuleType", request.module)
    for module in (asking, structures):
        if hasattr(module, "open_database"):
            monkeypatch.setattr(module, "open_database", server.open)
    with stores_on(server, tables.upgrade):
        yield
    server.clear()
