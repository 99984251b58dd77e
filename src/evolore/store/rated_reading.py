"""Who rated questions, and who said what their answers rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, bindparam, func, literal, select

from evolore.store.change_bodies import read_body
from evolore.store.event_kinds import EventKind
from evolore.store.history import find, withdrawals
from evolore.store.prepared import HERE, Prepared, among, as_json, written_out
from evolore.store.query_writing import NOBODY
from evolore.store.tables import events, queries, ratings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from sqlalchemy import Connection

    from evolore.store.history import Past

_WHO_ASKED = func.coalesce(queries.c.principal, literal(NOBODY))
_RATED = Prepared(
    select(ratings.c.query_id)
    .join_from(ratings, queries, and_(queries.c.ns == ratings.c.ns, queries.c.id == ratings.c.query_id))
    .where(
        ratings.c.ns == HERE,
        ratings.c.principal == bindparam("whose"),
        ratings.c.withdrawn_by.is_(None),
        bindparam("whose") != _WHO_ASKED,
    )
    .order_by(ratings.c.query_id)
)
_CITED = Prepared(
    select(events.c.principal, events.c.body)
    .where(
        events.c.ns == HERE,
        events.c.subject_id == bindparam("of"),
        events.c.kind == written_out(EventKind.OUTCOME_CHANGED.value),
    )
    .order_by(events.c.seq)
)
_RATED_SINCE = Prepared(
    select(events.c.subject_id)
    .where(
        events.c.ns == HERE,
        events.c.subject_id.in_(among("ids")),
        events.c.seq > bindparam("after"),
        events.c.kind == written_out(EventKind.QUERY_RATED.value),
    )
    .distinct()
)


def rated_by(connection: Connection, ns: int, principal: str | None) -> tuple[str, ...]:
    """Give the questions that a principal rated without having asked them, sorted; what was withdrawn is left out."""
    return tuple(id_ for (id_,) in _RATED.all(connection, {"here": ns, "whose": principal or NOBODY}))


def cited_by(connection: Connection, ns: int, query_id: str) -> frozenset[str | None] | None:
    """Give who said of an answer that it rests on what it does; None where that was said when it was taken down."""
    said: set[str | None] | None = None
    for principal, written in _CITED.all(connection, {"here": ns, "of": query_id}):
        body = read_body(written)
        if "cited" in body and not body.get("confirms"):
            said = {principal}
        elif "cited" in body and said is not None:
            said.add(principal)
    return None if said is None else frozenset(said)


def stirred_since(connection: Connection, ns: int, event_ids: Collection[str], *, before: str) -> tuple[str, ...]:
    """Give the questions of withdrawals that were rated, or of which other ratings were withdrawn, since; sorted.

    Args:
        connection: Where.
        ns: The namespace's number.
        event_ids: Events by which teaching was withdrawn or given back; others are passed over.
        before: The event from which on nothing counts.
    """
    undone = (find(connection, ns, id_) for id_ in event_ids)
    if all(one is None or one.done.withdrawal is None for one in undone):
        return ()
    last = find(connection, ns, before)
    chain = withdrawals(connection, ns).events
    found: set[str] = set()
    for event in (chain[id_] for id_ in event_ids if id_ in chain):
        root = _root(chain, event)
        asked = event.done.questions
        rows = _RATED_SINCE.all(connection, {"here": ns, "ids": as_json(sorted(asked)), "after": root.seq})
        found.update(id_ for (id_,) in rows)
        for other in chain.values():
            if last is not None and root.seq < other.seq < last.seq and _root(chain, other) is not root:
                found.update(asked & other.done.questions)
    return tuple(sorted(found))


def _root(chain: Mapping[str, Past], event: Past) -> Past:
    """Give the withdrawal that an event undid or did again."""
    while event.undoes is not None and event.undoes in chain:
        event = chain[event.undoes]
    return event
