"""Whether promotions are as their events tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from sqlalchemy import select

from evolore.domain.filters import EVERYTHING
from evolore.store.change_bodies import read_body
from evolore.store.event_kinds import EventKind
from evolore.store.events import as_bytes
from evolore.store.evolution_tables import promotion_documents, promotions
from evolore.store.selects import joined
from evolore.store.tables import events

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping, Sequence

    from sqlalchemy import Connection

_TOLD = (EventKind.PROMOTED, EventKind.PERCENT_CHANGED, EventKind.ROLLED_BACK)


def altered_promotions(connection: Connection, ns: int) -> set[str]:
    """Give the promotions that are lost, that no event tells of, or whose documents are not what the last one says."""
    told: dict[str, dict[str, list[object]]] = {}
    for kind, subject_id, body in _bodies(connection, ns):
        if kind == EventKind.ERASED.value:
            told.clear()
            continue
        told.setdefault(subject_id, {}).update(_named(body))
    there = _there(connection, ns)
    return {id_ for id_ in told.keys() | there.keys() if told.get(id_) != there.get(id_)}


def _bodies(connection: Connection, ns: int) -> Generator[tuple[str, str, dict[str, Any]]]:
    """Give kinds, subjects and bodies of events about promotions, and of those by which everything was forgotten."""
    kinds = [kind.value for kind in (*_TOLD, EventKind.ERASED)]
    read = (as_bytes(events.c.subject_id), as_bytes(events.c.body))
    query = select(events.c.kind, *read).where(events.c.ns == ns, events.c.kind.in_(kinds))
    for kind, subject_id, written in connection.execute(query.order_by(events.c.seq)):
        body = read_body(_as_text(written))
        if kind != EventKind.ERASED.value or body.get("by") == EVERYTHING:
            yield kind, _as_text(subject_id), body


def _there(connection: Connection, ns: int) -> dict[str, dict[str, list[object]]]:
    of_promotion = joined(promotions, promotion_documents, promotion_documents.c.promotion_id == promotions.c.id)
    did = promotion_documents.c
    query = select(as_bytes(promotions.c.id), as_bytes(did.document_id), did.before, did.after, did.restored)
    found: dict[str, dict[str, list[object]]] = {}
    both = query.join_from(promotions, promotion_documents, of_promotion, isouter=True)
    rows = cast("Iterable[Sequence[Any]]", connection.execute(both.where(promotions.c.ns == ns)))
    for id_, document_id, *versions in rows:
        changed = found.setdefault(_as_text(id_), {})
        if document_id is not None:
            changed[_as_text(document_id)] = versions
    return found


def _named(body: Mapping[str, Any]) -> dict[str, list[object]]:
    """Give before, after and restored of each document; what was not restored is left out of most events."""
    listed: list[Any] = body.get("documents", [])
    rows = [cast("list[Any]", one) for one in listed if isinstance(one, list) and one]
    return {str(row[0]): (row[1:] + [None] * 3)[:3] for row in rows}


def _as_text(value: bytes) -> str:
    return value.decode("utf-8", "backslashreplace")
