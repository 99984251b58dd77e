"""Check that a store can be opened, and that its rows, structure and files fit together."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path

import numpy as np
from sqlalchemy import Connection, RowMapping, Table, null, select, union_all

from evolore import errors
from evolore.domain.health import Finding, FindingKind
from evolore.index.items import ItemTable
from evolore.index.questions import question_ids
from evolore.index.snapshots import NO_ID, Kept, begins_with_rows, read_snapshot, rows_of
from evolore.index.vector_search import SnapshotKeeper
from evolore.ports import EmbeddingModel
from evolore.store import leftovers, schema, tables
from evolore.store.database import Database
from evolore.store.evolution_erasure import wrongly_named
from evolore.store.forms import to_episode
from evolore.store.index_rows import StoreFeed
from evolore.store.question_reading import select_queries, to_query
from evolore.store.repair import (
    WRONG_ROWS,
    altered_versions,
    crowded_sessions,
    lost_members,
    unheld_statements,
    unlogged,
    unnamed,
    wrong_counts,
    wrong_places,
)
from evolore.store.rows import to_answer, to_chunk, to_document, to_feedback, to_job, to_promotion, to_step
from evolore.store.schema import of_neither
from evolore.store.selects import AnySelect, select_documents, select_episodes
from evolore.store.verification import verify

_BATCH = 500


_ANY = ({"document_id": "", "version": 1, "before": 0, "after": None, "restored": None},)
"""Represents the rows that belong to another, which is read by itself."""


def unreadable(connection: Connection, ns: int) -> Generator[tuple[str, str]]:
    """Yield the ids of documents, chunks, episodes and all else whose rows are no values, and what is wrong with each."""
    readers: tuple[tuple[AnySelect, Callable[[RowMapping], object]], ...] = (
        (select_documents(ns), to_document),
        (_all(tables.chunks, ns), to_chunk),
        (select_episodes(ns), to_episode),
        (select_queries(ns), to_query),
        (_all(tables.answers, ns), lambda row: to_answer({**row, "citations": ()})),
        (_all(tables.feedback, ns).add_columns(null().label("question")), to_feedback),
        (_all(tables.evolution_jobs, ns), lambda row: to_job({**row, "documents": _ANY})),
        (_all(tables.evolution_steps, ns).add_columns(tables.evolution_steps.c.job_id.label("id")), to_step),
        (_all(tables.promotions, ns), lambda row: to_promotion({**row, "documents": _ANY})),
    )
    for query, read in readers:
        with connection.execute(query.execution_options(yield_per=_BATCH)) as rows:
            for row in rows.mappings():
                try:
                    read(row)
                except errors.StoreDamaged as error:
                    yield row["id"], str(error.__cause__)


def _all(table: Table, ns: int) -> AnySelect:
    return select(table).where(table.c.ns == ns)


_EXAMPLES = 5
REPAIR = "`evolore store doctor --repair` mends it."
RESTORE = "Restore it from a backup, or forget it and add it again."


def examine(connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> Generator[Finding]:
    """Find what is wrong in a namespace, tokens and vectors of texts that are there aside."""
    for wrong in WRONG_ROWS:
        query = select(wrong.label).where(wrong.table.c.ns == ns, wrong.condition)
        ids = connection.scalars(query)
        yield from _found(wrong.kind, name, ids, reason=wrong.reason, mends=wrong.can_be_deleted)
    for kind, ids, reason in _derived(connection, ns, model):
        yield from _found(kind, name, ids, reason=reason, mends=True)
    reason = "The passages of documents, joined, are not the text that was added."
    yield from _found(FindingKind.TEXT_ALTERED, name, altered_versions(connection, ns), reason=reason, mends=False)
    broken = (id_ for id_, _ in unreadable(connection, ns))
    reason = "Rows hold what no row of their kind can hold, and cannot be read."
    yield from _found(FindingKind.VALUES, name, broken, reason=reason, mends=False)
    yield from _event_findings(connection, ns, name)


def _derived(
    connection: Connection, ns: int, model: EmbeddingModel
) -> tuple[tuple[FindingKind, Iterable[str], str], ...]:
    """Return what is made of other rows and is not what is made of them, each kind with its reason."""
    others = union_all(
        select(tables.vectors.c.payload_id).where(tables.vectors.c.ns == ns, of_neither(model)),
        select(tables.query_vectors.c.query_id).where(
            tables.query_vectors.c.ns == ns, of_neither(model, tables.query_vectors)
        ),
    )
    return (
        (FindingKind.VECTORS, connection.scalars(others), "Vectors come from another model than the store's."),
        (FindingKind.COUNTS, wrong_counts(connection, ns), "The counts of versions are not those of their chunks."),
        (FindingKind.POSITIONS, wrong_places(connection, ns), "Passages say another place than their outline does."),
        (FindingKind.POSITIONS, crowded_sessions(connection, ns), "Statements of a session have one place."),
        (FindingKind.HISTORY, unnamed(connection, ns), "Which episodes events name is noted wrong."),
        (FindingKind.HISTORY, wrongly_named(connection, ns), "Which ids the steps of jobs name is noted wrong."),
        (FindingKind.MEMBERS, lost_members(connection, ns), "What merges and splits made has no member any more."),
        (
            FindingKind.STANDING,
            unheld_statements(connection, ns),
            "Statements are represented neither by themselves nor by anything else.",
        ),
        (FindingKind.INDEX_LOG, (id_ for id_, _ in unlogged(connection, ns)), "The indexes have another state."),
    )


def _found(kind: FindingKind, namespace: str, ids: Iterable[str], *, reason: str, mends: bool) -> Generator[Finding]:
    count, examples = 0, list[str]()
    for id_ in ids:
        count += 1
        if len(examples) < _EXAMPLES:
            examples.append(id_)
    if count:
        yield Finding(
            kind=kind,
            reason=reason,
            remedy=REPAIR if mends else RESTORE,
            namespace=namespace,
            count=count,
            examples=tuple(examples),
            can_be_repaired=mends,
        )


def _event_findings(connection: Connection, ns: int, name: str) -> Generator[Finding]:
    chain = verify(connection, ns, name=name)
    if chain.broken_event is not None:
        yield Finding(
            kind=FindingKind.EVENTS,
            reason=f"Event {chain.broken_event} does not fit the chain, or is missing.",
            remedy="Restore the store from a backup: what was done is no longer known.",
            namespace=name,
            examples=(str(chain.broken_event),),
        )
    reason = "Texts are not those that were written."
    yield from _found(FindingKind.EVENTS, name, chain.altered, reason=reason, mends=False)


def refuse_unless_whole(connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> None:
    """Refuse rows that do not fit together."""
    found = next(examine(connection, ns, name=name, model=model), None)
    if found is not None:
        named = f" ({', '.join(found.examples)})" if found.examples else ""
        raise errors.InvalidValue(
            f"The export does not fit together: {found.reason[0].lower()}{found.reason[1:-1]}{named}. It was changed "
            "since it was written, or the store it comes from was damaged; nothing was imported."
        )


_RESTORE = "Restore the store from a backup; `evolore store export` may still save what can be read."
_REOPEN = "Look again where the store can be written, or as who may write it: nothing says that it is broken."
_SHOWN = 5


def examine_store(
    database: Database, model: EmbeddingModel, where: object, *, namespace: str | None
) -> tuple[tuple[str, ...], tuple[Finding, ...]]:
    """Look for what is wrong in the file, in the schema, and in the rows of one namespace or all.

    Returns:
        The namespaces whose rows were examined, by name; none where the store could not be opened.
    """
    names: tuple[str, ...] = ()
    found: list[Finding] = []
    try:
        with database.reading(namespace) as connection:
            found.extend(_file_findings(database, connection))
            found.extend(_schema_findings(connection, model, where))
            found.extend(_misstored_findings(database, connection, found))
            if not any(finding.kind in _FATAL for finding in found):
                numbers = _numbers(connection, namespace)
                found.extend(_lost_namespaces(connection))
                found.extend(leftovers.findings(connection))
                for name, ns in numbers.items():
                    names = (*names, name)
                    found.extend(examine(connection, ns, name=name, model=model))
    except errors.StoreBusy:
        raise
    except errors.StoreUnwritable as error:
        found.append(Finding(kind=FindingKind.UNREADABLE, reason=str(error), remedy=_REOPEN))
    except errors.EvoloreError as error:
        found.append(Finding(kind=FindingKind.UNREADABLE, reason=str(error), remedy=_RESTORE))
    except (AttributeError, LookupError, TypeError, ValueError):
        if not any(finding.kind is FindingKind.UNREADABLE for finding in found):
            raise
    return names, tuple(found)


_FATAL = frozenset((FindingKind.SCHEMA, FindingKind.EMBEDDER))


def _file_findings(database: Database, connection: Connection) -> Generator[Finding]:
    told = database.broken(connection)
    if told:
        yield _lost(FindingKind.UNREADABLE, f"The database finds itself broken: {told[0]}.", told)


def _misstored_findings(database: Database, connection: Connection, found: list[Finding]) -> Generator[Finding]:
    """Find values of another class than their column's; of a schema that is not ours, only in what says so."""
    is_ours = not any(finding.kind in _FATAL for finding in found)
    for table, column, rows in database.misstored(
        connection, tables.metadata.sorted_tables if is_ours else (tables.settings,)
    ):
        reason = f"The column {table}.{column} holds what does not belong there, in {rows[0]}."
        yield _lost(FindingKind.UNREADABLE, reason, rows)


def _schema_findings(connection: Connection, model: EmbeddingModel, where: object) -> Generator[Finding]:
    try:
        schema.check(connection, model, where)
    except errors.EmbedderMismatch as error:
        yield Finding(kind=FindingKind.EMBEDDER, reason=str(error), remedy="Open the store with the model it names.")
    except errors.StoreVersionError as error:
        yield Finding(kind=FindingKind.SCHEMA, reason=str(error), remedy="Open the store with the version it names.")
    except errors.EvoloreError as error:
        yield Finding(kind=FindingKind.SCHEMA, reason=str(error), remedy=_RESTORE)


def _numbers(connection: Connection, namespace: str | None) -> dict[str, int]:
    query = select(tables.namespaces.c.name, tables.namespaces.c.ns).order_by(tables.namespaces.c.name)
    numbers: dict[str, int] = {row.name: row.ns for row in connection.execute(query)}
    if namespace is None:
        return numbers
    return {namespace: numbers[namespace]} if namespace in numbers else {}


def _lost_namespaces(connection: Connection) -> Generator[Finding]:
    """Find rows of namespaces that have no row of their own."""
    known = select(tables.namespaces.c.ns)
    for table in tables.metadata.sorted_tables:
        if "ns" in table.columns and table is not tables.namespaces:
            lost = list(connection.scalars(select(table.c.ns).distinct().where(table.c.ns.not_in(known))))
            if lost:
                reason = f"Rows of {table.name} belong to a namespace whose name is lost."
                yield _lost(FindingKind.TEXT_LOST, reason, [str(ns) for ns in lost])


def _lost(kind: FindingKind, reason: str, examples: Sequence[str]) -> Finding:
    return Finding(kind=kind, reason=reason, remedy=_RESTORE, count=len(examples), examples=tuple(examples[:_SHOWN]))


def file_findings(feed: StoreFeed, keeper: SnapshotKeeper, *, name: str) -> Generator[Finding]:
    """Look for what is wrong in the files of a namespace; none at all is as it should be."""
    kind = FindingKind.INDEX_FILE
    for path, erased in _erased(feed, keeper):
        if path.exists() and erased is None:
            reason = f"{path.name} is damaged, or of another store or version."
            yield Finding(kind=kind, reason=reason, remedy=REPAIR, namespace=name, can_be_repaired=True)
        yield from _found(kind, name, erased or (), reason=f"{path.name} holds what was erased.", mends=True)


def remove_wrong(feed: StoreFeed, keeper: SnapshotKeeper) -> None:
    """Delete the files of a namespace in which something is wrong: they are derived."""
    for path, erased in _erased(feed, keeper):
        if erased != []:
            path.unlink(missing_ok=True)


def _erased(feed: StoreFeed, keeper: SnapshotKeeper) -> Generator[tuple[Path, list[str] | None]]:
    """Yield each file of a namespace with what should not be in it; None where it cannot be trusted."""
    yield keeper.path(feed.ns), _erased_vectors(feed, keeper)
    yield keeper.path(feed.ns, Kept.ITEMS), _erased_items(feed, keeper)
    yield keeper.path(feed.ns, Kept.QUESTIONS), _erased_questions(feed, keeper)


def _erased_vectors(feed: StoreFeed, keeper: SnapshotKeeper) -> list[str] | None:
    """Return the payloads whose vectors should not be in the snapshot; None where it cannot be trusted."""
    origin = keeper.origin(feed)
    found = read_snapshot(keeper.path(feed.ns), origin)
    if found is None or not begins_with_rows(found, origin):
        return None
    present = set(feed.connection.scalars(select(tables.vectors.c.payload_id).where(tables.vectors.c.ns == feed.ns)))
    is_full: list[bool] = np.any(rows_of(found, origin.dimension).view(np.uint16), axis=1).tolist()
    held = zip(found.payload_ids, is_full, strict=True)
    return [id_ for id_, has_vector in held if (has_vector if id_ == NO_ID else id_ not in present)]


def _erased_items(feed: StoreFeed, keeper: SnapshotKeeper) -> list[str] | None:
    """Return the episodes that should not be in the file of items; None where it cannot be trusted."""
    found = keeper.open_items(feed)
    if found is None:
        return None
    present = set(feed.connection.scalars(select(tables.episodes.c.id).where(tables.episodes.c.ns == feed.ns)))
    return [id_ for id_ in ItemTable.restored(found.part("items ")).ids if id_ not in present]


def _erased_questions(feed: StoreFeed, keeper: SnapshotKeeper) -> list[str] | None:
    """Return the questions that should not be in the file of questions; None where it cannot be trusted."""
    found = keeper.read(Kept.QUESTIONS, feed)
    if found is None:
        return None
    present = set(feed.connection.scalars(select(tables.queries.c.id).where(tables.queries.c.ns == feed.ns)))
    return [id_ for id_ in question_ids(found) if id_ not in present]
