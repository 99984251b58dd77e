"""Tells which tables a statement would have a cluster ask all of its nodes for: those it does not keep to one namespace.

What the store sends to its database while tests run is read in the words of PostgreSQL, whatever it runs on. A table is kept where what must hold for each row says that its ``ns`` is one value, or that of a table that is kept. What
stands beside an ``or`` or under a ``not`` need not hold; an outer join keeps what it adds, not what it adds to; a selection
within another does not keep the other's tables.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlglot
from sqlalchemy import Engine, event
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.sql.compiler import SQLCompiler
from sqlglot import exp
from sqlglot.optimizer.scope import Scope, build_scope

import evolore.store
from evolore.store import postgres
from evolore.store.tables import metadata

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator

    from sqlalchemy.engine.default import DefaultExecutionContext

    from evolore.store.sql import Prepared

KEY = "ns"
SPREAD = frozenset(table.name for table in metadata.tables.values() if KEY in table.columns) - {"namespaces"}
"""The tables whose rows lie on one node each; the others lie on every node."""

OF_THE_STORE = {
    "copying.py": "a store is copied whole",
    "examination.py": "the doctor looks for rows of no namespace",
    "leftovers.py": "vectors of another model are the whole store's",
    "reembedding.py": "the model is the whole store's",
    "upgrading.py": "a store is upgraded whole",
}
"""What asks every node because it must, and why."""

_STORE = Path(evolore.store.__file__).parent
_DIALECT = psycopg.dialect()
assert postgres  # it says how our own elements are written


def crossing(sql: str) -> frozenset[str]:
    """Give the tables, by name, of which a statement would have every node asked; empty for one that keeps to one.

    Args:
        sql: In the words of PostgreSQL.
    """
    statement = sqlglot.parse_one(sql, dialect="postgres")
    if isinstance(statement, exp.Insert):
        chosen = statement.expression
        return _of_selection(chosen) if isinstance(chosen, exp.Query) else frozenset()
    if isinstance(statement, exp.Update | exp.Delete):
        target = statement.this
        source = statement.args.get("from_")
        beside = () if source is None else source.find_all(exp.Table)
        tables = {one.alias_or_name: one.name for one in (target, *beside) if isinstance(one, exp.Table)}
        where = statement.args.get("where")
        kept = _kept(tables, [(where.this, frozenset(tables))] if where is not None else [], frozenset())
        found = _left(tables, kept)
        for part in statement.iter_expressions():
            found |= _inside(part, tables, kept)
        return found
    return _of_selection(statement)


def words_of(prepared: Prepared) -> str:
    """Give a prepared statement in the words of PostgreSQL."""
    return _plain(prepared.compiled_for(_DIALECT).sql)


@contextmanager
def watched(*, without: Collection[str] = OF_THE_STORE) -> Generator[list[str]]:
    """Collect what the store has every node asked, each once, with the file it comes from; what tests ask is left out."""
    found: list[str] = []
    seen: set[str] = set()

    def note(
        _connection: object, _cursor: object, sql: str, _values: object, context: DefaultExecutionContext, _many: object
    ) -> None:
        if sql not in seen and (compiled := context.compiled) is not None and (asker := _asker()) is not None:
            seen.add(sql)
            statement: Any = compiled.statement
            keys = compiled.column_keys if isinstance(compiled, SQLCompiler) else None
            if (statement.is_select or statement.is_dml) and asker not in without:
                words = _plain(statement.compile(dialect=_DIALECT, column_keys=keys).string)
                found.extend(f"{asker}: {table} in {words}" for table in sorted(crossing(words)))

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def _asker() -> str | None:
    """Give the file of the store that a statement comes from."""
    frame = sys._getframe(2)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.parent == _STORE:
            return path.name
        frame = frame.f_back
    return None


@cache
def _plain(sql: str) -> str:
    """Give a statement without what only the driver reads."""
    named = re.sub(r"%\(\w+\)s", ":value", sql).replace("%%", "%")
    return " ".join(re.sub(r"__\[POSTCOMPILE_\w+\]", "null", named).split())


def _of_selection(statement: exp.Expr) -> frozenset[str]:
    return _of_scope(build_scope(statement), {}, frozenset())


def _inside(part: exp.Expr, tables: dict[str, str], kept: frozenset[str]) -> frozenset[str]:
    """Give what the selections leave that stand in a change."""
    found = frozenset[str]()
    for one in part.find_all(exp.Select):
        if one.find_ancestor(exp.Select) is None:
            whole: exp.Expr = one
            while isinstance(whole.parent, exp.SetOperation):
                whole = whole.parent
            found |= _of_scope(build_scope(whole), tables, kept)
    return found


def _of_scope(scope: Scope | None, around: dict[str, str], kept_around: frozenset[str]) -> frozenset[str]:
    """Give what one selection leaves, and those in it.

    Args:
        scope: The selection.
        around: The tables of those around it, by the names it may use.
        kept_around: Those of them that are kept.
    """
    assert scope is not None
    found = frozenset[str]()
    for one in (*scope.cte_scopes, *scope.derived_table_scopes, *(scope.set_operation_scopes or ())):
        found |= _of_scope(one, {}, frozenset()) if one.expression.find(exp.Table) else frozenset()
    tables = {name: one.name for name, (_, one) in scope.selected_sources.items() if isinstance(one, exp.Table)}
    kept = _kept(tables, list(_conditions(scope)), kept_around)
    found |= _left(tables, kept)
    below = {**around, **tables}
    still = frozenset(name for name in kept_around if name not in tables) | kept
    for one in scope.subquery_scopes:
        found |= _of_scope(one, below, still)
    return found


def _conditions(scope: Scope) -> Iterator[tuple[exp.Expr, frozenset[str]]]:
    """Give what must hold, each with the tables that it may keep."""
    names = frozenset(scope.selected_sources)
    if (where := scope.expression.args.get("where")) is not None:
        yield where.this, names
    for join in scope.expression.args.get("joins") or ():
        if (condition := join.args.get("on")) is not None:
            is_outer = join.side in ("LEFT", "RIGHT", "FULL")
            yield condition, frozenset({join.alias_or_name} if join.side == "LEFT" else () if is_outer else names)


def _kept(
    tables: dict[str, str], conditions: list[tuple[exp.Expr, frozenset[str]]], around: frozenset[str]
) -> frozenset[str]:
    """Give the names of the tables that are kept, those of the selections around included."""
    kept = {name for name, table in tables.items() if table not in SPREAD} | {
        one for one in around if one not in tables
    }
    by_other: list[tuple[str, str]] = []
    for condition, may in conditions:
        for one in _all_of(condition):
            if isinstance(one, exp.Boolean) and not one.this:  # no row is
                kept |= may
            for side, other in _same_in(one):
                name = _keyed(side, tables)
                if name in may and (there := _keyed(other, None)) is not None:
                    by_other.append((there, name))
                elif name in may and other.find(exp.Column) is None:
                    kept.add(name)
    while more := {name for there, name in by_other if there in kept} - kept:
        kept |= more
    return frozenset(kept)


def _all_of(condition: exp.Expr) -> Iterator[exp.Expr]:
    """Give what must hold, all of it."""
    for one in condition.flatten() if isinstance(condition, exp.And) else (condition,):
        yield one.unnest()


def _same_in(condition: exp.Expr) -> tuple[tuple[exp.Expr, exp.Expr], ...]:
    """Give what is said to be the same, both ways round."""
    if not isinstance(condition, exp.EQ):
        return ()
    return (condition.this, condition.expression), (condition.expression, condition.this)


def _keyed(side: exp.Expr, tables: dict[str, str] | None) -> str | None:
    """Give the name of the table whose ``ns`` this is; with tables, only of one of those."""
    if not isinstance(side, exp.Column) or side.name != KEY:
        return None
    name = side.table or (next(iter(tables), "") if tables else "")
    return name if tables is None or name in tables else None


def _left(tables: dict[str, str], kept: frozenset[str]) -> frozenset[str]:
    return frozenset(table for name, table in tables.items() if name not in kept)
