"""Whether a store can be opened at all, and what is wrong in its namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from evolore.domain.health import Finding, FindingKind
from evolore.errors import EmbedderMismatch, EvoloreError, StoreBusy, StoreUnwritable, StoreVersionError
from evolore.store import lingering, schema
from evolore.store.checking import examine
from evolore.store.connection import open_engine, read_only_engine, reading
from evolore.store.storage_classes import misstored
from evolore.store.tables import metadata, namespaces, settings

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from evolore.ports import EmbeddingModel

_RESTORE = "Restore the store from a backup; `evolore export` may still save what can be read."
_REOPEN = "Look again where the store can be written, or as who may write it: nothing says that it is broken."
_SHOWN = 5


def examine_store(
    database: Path, model: EmbeddingModel, *, namespace: str | None, read_only: bool = False
) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Look for what is wrong in the file, in the schema, and in the rows of one namespace or all.

    Returns:
        The namespaces whose rows were looked at, by name; none where the store could not be opened.
    """
    engine = (read_only_engine if read_only else open_engine)(database)
    names: tuple[str, ...] = ()
    found: list[Finding] = []
    try:
        with reading(engine) as connection:
            found.extend(_file_findings(connection))
            found.extend(_schema_findings(connection, model, database.parent))
            found.extend(_misstored_findings(connection, found))
            if not any(finding.kind in _FATAL for finding in found):
                numbers = _numbers(connection, namespace)
                found.extend(_lost_namespaces(connection))
                found.extend(lingering.findings(connection))
                for name, ns in numbers.items():
                    names = (*names, name)
                    found.extend(examine(connection, ns, name=name, model=model))
    except StoreBusy:
        raise
    except StoreUnwritable as error:
        found.append(Finding(kind=FindingKind.UNREADABLE, reason=str(error), remedy=_REOPEN))
    except EvoloreError as error:
        found.append(_unreadable(str(error)))
    except (AttributeError, LookupError, TypeError, ValueError):
        if not any(finding.kind is FindingKind.UNREADABLE for finding in found):
            raise
    finally:
        engine.dispose()
    return names, tuple(found)


_FATAL = frozenset((FindingKind.SCHEMA, FindingKind.EMBEDDER))


def _unreadable(reason: str) -> Finding:
    return Finding(kind=FindingKind.UNREADABLE, reason=reason, remedy=_RESTORE)


def _file_findings(connection: Connection) -> Generator[Finding]:
    told = [row[0] for row in connection.exec_driver_sql("pragma integrity_check").fetchmany(100)]
    if told != ["ok"]:
        yield Finding(
            kind=FindingKind.UNREADABLE,
            reason=f"SQLite finds the file broken: {told[0]}.",
            remedy=_RESTORE,
            count=len(told),
            examples=tuple(told[:_SHOWN]),
        )


def _misstored_findings(connection: Connection, found: list[Finding]) -> Generator[Finding]:
    """Find values of another class than their column's; of a schema that is not ours, only in what says so."""
    is_ours = not any(finding.kind in _FATAL for finding in found)
    for table, column, rows in misstored(connection, metadata.sorted_tables if is_ours else (settings,)):
        yield Finding(
            kind=FindingKind.UNREADABLE,
            reason=f"The column {table}.{column} holds what does not belong there, in {rows[0]}.",
            remedy=_RESTORE,
            count=len(rows),
            examples=rows[:_SHOWN],
        )


def _schema_findings(connection: Connection, model: EmbeddingModel, where: Path) -> Generator[Finding]:
    try:
        schema.check(connection, model, where)
    except EmbedderMismatch as error:
        yield Finding(kind=FindingKind.EMBEDDER, reason=str(error), remedy="Open the store with the model it names.")
    except StoreVersionError as error:
        yield Finding(kind=FindingKind.SCHEMA, reason=str(error), remedy="Open the store with the version it names.")
    except EvoloreError as error:
        yield Finding(kind=FindingKind.SCHEMA, reason=str(error), remedy=_RESTORE)


def _numbers(connection: Connection, namespace: str | None) -> dict[str, int]:
    query = select(namespaces.c.name, namespaces.c.ns).order_by(namespaces.c.name)
    numbers: dict[str, int] = {row.name: row.ns for row in connection.execute(query)}
    if namespace is None:
        return numbers
    return {namespace: numbers[namespace]} if namespace in numbers else {}


def _lost_namespaces(connection: Connection) -> Generator[Finding]:
    """Find rows of namespaces that have no row of their own."""
    known = select(namespaces.c.ns)
    for table in metadata.sorted_tables:
        if "ns" in table.columns and table is not namespaces:
            lost = list(connection.scalars(select(table.c.ns).distinct().where(table.c.ns.not_in(known))))
            if lost:
                yield Finding(
                    kind=FindingKind.TEXT_LOST,
                    reason=f"Rows of {table.name} belong to a namespace whose name is lost.",
                    remedy=_RESTORE,
                    count=len(lost),
                    examples=tuple(map(str, lost[:_SHOWN])),
                )
