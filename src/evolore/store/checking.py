"""Whether the rows of a namespace fit together: what refers to nothing, what was lost, what is derived and wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, union_all

from evolore.domain.health import Finding, FindingKind
from evolore.errors import InvalidValue
from evolore.store.deriving import altered_versions, crowded_sessions, unlogged, wrong_counts, wrong_places
from evolore.store.mending import lost_members, unheld_statements, unnamed
from evolore.store.model_setting import of_neither
from evolore.store.readable import unreadable
from evolore.store.tables import query_vectors, vectors
from evolore.store.verifying import verify
from evolore.store.wrong_rows import WRONG_ROWS

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel

_EXAMPLES = 5
REPAIR = "`evolore doctor --repair` mends it."
RESTORE = "Restore it from a backup, or forget it and add it again."


def examine(connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> Generator[Finding]:
    """Find what is wrong in a namespace, tokens and vectors of texts that are there aside."""
    for wrong in WRONG_ROWS:
        query = select(wrong.label).where(wrong.table.c.ns == ns, wrong.condition)
        remedy = REPAIR if wrong.can_be_deleted else RESTORE
        yield from _found(
            wrong.kind, name, connection.scalars(query), reason=wrong.reason, remedy=remedy, mends=wrong.can_be_deleted
        )
    for kind, ids, reason in _derived(connection, ns, model):
        yield from _found(kind, name, ids, reason=reason, remedy=REPAIR, mends=True)
    lost: tuple[tuple[FindingKind, Iterable[str], str], ...] = (
        (
            FindingKind.TEXT_ALTERED,
            altered_versions(connection, ns),
            "The passages of documents, joined, are not the text that was added.",
        ),
        (
            FindingKind.VALUES,
            (id_ for id_, _ in unreadable(connection, ns)),
            "Rows hold what none of their kind can hold, and cannot be read.",
        ),
    )
    for kind, ids, reason in lost:
        yield from _found(kind, name, ids, reason=reason, remedy=RESTORE, mends=False)
    yield from _event_findings(connection, ns, name)


def _derived(
    connection: Connection, ns: int, model: EmbeddingModel
) -> tuple[tuple[FindingKind, Iterable[str], str], ...]:
    """Give what is made of other rows and is not what is made of them, each kind with its reason."""
    others = union_all(
        select(vectors.c.payload_id).where(vectors.c.ns == ns, of_neither(model)),
        select(query_vectors.c.query_id).where(query_vectors.c.ns == ns, of_neither(model, query_vectors)),
    )
    return (
        (FindingKind.VECTORS, connection.scalars(others), "Vectors come from another model than the store's."),
        (FindingKind.COUNTS, wrong_counts(connection, ns), "The counts of versions are not those of their chunks."),
        (FindingKind.POSITIONS, wrong_places(connection, ns), "Passages say another place than their outline does."),
        (FindingKind.POSITIONS, crowded_sessions(connection, ns), "Statements of a session have one place."),
        (FindingKind.HISTORY, unnamed(connection, ns), "Which episodes events name is noted wrong."),
        (FindingKind.MEMBERS, lost_members(connection, ns), "What merges and splits made has no member any more."),
        (
            FindingKind.STANDING,
            unheld_statements(connection, ns),
            "Statements do not stand for themselves, and nothing stands for them.",
        ),
        (FindingKind.INDEX_LOG, (id_ for id_, _ in unlogged(connection, ns)), "The indexes are told another state."),
    )


def _found(
    kind: FindingKind, namespace: str, ids: Iterable[str], *, reason: str, remedy: str, mends: bool
) -> Generator[Finding]:
    count, examples = 0, list[str]()
    for id_ in ids:
        count += 1
        if len(examples) < _EXAMPLES:
            examples.append(id_)
    if count:
        yield Finding(
            kind=kind,
            reason=reason,
            remedy=remedy,
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
            remedy="Restore the store from a backup: what was done cannot be told any more.",
            namespace=name,
            examples=(str(chain.broken_event),),
        )
    yield from _found(
        FindingKind.EVENTS,
        name,
        chain.altered,
        reason="Texts are not those that were written.",
        remedy=RESTORE,
        mends=False,
    )


def refuse_unless_whole(connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> None:
    """Refuse rows that do not fit together.

    Raises:
        InvalidValue: Something is wrong with them.
    """
    found = next(examine(connection, ns, name=name, model=model), None)
    if found is not None:
        named = f" ({', '.join(found.examples)})" if found.examples else ""
        raise InvalidValue(
            f"The export does not fit together: {found.reason[0].lower()}{found.reason[1:-1]}{named}. It was changed "
            "since it was written, or the store it comes from was damaged; nothing was imported."
        )
