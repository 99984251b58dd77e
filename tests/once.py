"""What every test would do anew, done once in a process: tables, compiled SQL, the model, commands, schemas of replies.

A user opens one store in a process; the tests open thousands, and half of their time went into making tables,
compiling the same statements and loading the model that ships again. Nor does a test wait for the disk, whose power
does not fail, or read the certificates of the machine, since none speaks to another. Other processes, which tests of
the command line and of crashes start, do without this.
"""

from __future__ import annotations

import json
import os
import ssl
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from pydantic import BaseModel
from sqlalchemy import text
from sqlalchemy.util import LRUCache

from evolore.models.use import UseEmbedder
from evolore.store import schema
from evolore.store import sqlite as opening

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from sqlite3 import Connection as Driver

    from sqlalchemy import Connection, Engine

MAKE_TABLES = schema.make_tables
MOST_COMPILED = 10_000
_OPEN = opening.create_engine
_PREPARE = opening._prepare
_DESCRIBE = BaseModel.model_json_schema.__func__


class Tables:
    """The tables of an empty store, noted the first time and written from the notes after that."""

    def __init__(self) -> None:
        self._made: list[str] = []

    def make(self, connection: Connection) -> None:
        """Stand in for ``schema.make_tables`` on an empty database."""
        if connection.dialect.name != "sqlite":
            MAKE_TABLES(connection)
            return
        if not self._made:
            MAKE_TABLES(connection)
            made = connection.scalars(text("select sql from sqlite_master where sql is not null order by rowid"))
            self._made = list(made)
            return
        cursor = connection.connection.cursor()  # what goes around it takes as long again
        for statement in self._made:
            cursor.execute(statement)
        cursor.execute("insert into alembic_version values (?)", (schema.SCHEMA_VERSION,))
        cursor.close()


class Compiled:
    """Engines that share what one of them has compiled."""

    def __init__(self) -> None:
        self._cache: Any = LRUCache(MOST_COMPILED)
        self._first: Engine | None = None

    def open(self, *arguments: Any, **options: Any) -> Engine:  # noqa: ANN401 - passed on as they are
        """Stand in for ``sqlalchemy.create_engine``."""
        engine = _OPEN(*arguments, **options)
        self._first = self._first or engine
        engine.dialect = self._first.dialect  # what is compiled is kept for a dialect
        engine._compiled_cache = self._cache
        return engine


def _be(first: UseEmbedder) -> Callable[[UseEmbedder], None]:
    def share(other: UseEmbedder) -> None:
        other.__dict__ = first.__dict__  # the model and the lock around it

    return share


def _prepare_unsynchronised(connection: Driver, record: object) -> None:
    connection.execute("PRAGMA synchronous=OFF").close()  # else the change of the journal waits for the disk
    _PREPARE(connection, record)
    connection.execute("PRAGMA synchronous=OFF").close()


def _do_nothing(*_: object, **__: object) -> None:
    """Stand in for what a test does not need."""


@cache
def _schema_of(form: type[BaseModel]) -> str:
    return json.dumps(_DESCRIBE(form))


def _describe(form: type[BaseModel], **how: Any) -> dict[str, Any]:  # noqa: ANN401 - passed on as it is
    """Stand in for ``BaseModel.model_json_schema``, which every call of a chat model asks for."""
    return _DESCRIBE(form, **how) if how else json.loads(_schema_of(form))


@contextmanager
def doing_once() -> Generator[None]:
    """Let the stores of this process share what is the same in all, and wait for nothing outside."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema, "make_tables", Tables().make)
        patch.setattr(opening, "create_engine", Compiled().open)
        patch.setattr(opening, "_prepare", _prepare_unsynchronised)
        patch.setattr(os, "fsync", _do_nothing)
        patch.setattr(BaseModel, "model_json_schema", classmethod(_describe))
        commands = cache(typer.main.get_command)  # what a hundred functions say of their options
        patch.setattr(typer.main, "get_command", commands)
        patch.setattr(typer.testing, "_get_command", commands)
        patch.setattr(ssl.SSLContext, "load_verify_locations", _do_nothing)
        patch.setattr(UseEmbedder, "__init__", _be(UseEmbedder()))
        yield
