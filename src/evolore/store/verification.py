"""Verify that events, texts and promotions are as they were written: the chain, and the digests its events hold."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, cast

from sqlalchemy import Connection, Select, func, or_, select

from evolore.domain.episode import EpisodeKind
from evolore.domain.filters import EVERYTHING
from evolore.domain.health import ChainCheck
from evolore.ports import ChangeKind
from evolore.store.event_bodies import EventKind, read_body
from evolore.store.events import as_bytes, as_text, broken_at, digest_of
from evolore.store.selects import DOCUMENT_OF_PROMOTION, joined
from evolore.store.tables import chunks, episodes, event_episodes, events, payloads, promotion_documents, promotions

_TOLD = (EventKind.PROMOTED, EventKind.PERCENT_CHANGED, EventKind.ROLLED_BACK)


def altered_promotions(connection: Connection, ns: int) -> set[str]:
    """Return the promotions that are lost, that no event records, or whose documents are not what the last one says."""
    told: dict[str, dict[str, list[object]]] = {}
    for kind, subject_id, body in _promotion_bodies(connection, ns):
        if kind == EventKind.ERASED.value:
            told.clear()
            continue
        told.setdefault(subject_id, {}).update(_named(body))
    there = _there(connection, ns)
    return {id_ for id_ in told.keys() | there.keys() if told.get(id_) != there.get(id_)}


def _promotion_bodies(connection: Connection, ns: int) -> Generator[tuple[str, str, dict[str, Any]]]:
    """Yield kinds, subjects and bodies of events about promotions, and of those by which everything was forgotten."""
    kinds = [kind.value for kind in (*_TOLD, EventKind.ERASED)]
    read = (as_bytes(events.c.subject_id), as_bytes(events.c.body))
    query = select(events.c.kind, *read).where(events.c.ns == ns, events.c.kind.in_(kinds))
    for kind, subject_id, written in connection.execute(query.order_by(events.c.seq)):
        body = read_body(as_text(written))
        if kind != EventKind.ERASED.value or body.get("by") == EVERYTHING:
            yield kind, as_text(subject_id), body


def _there(connection: Connection, ns: int) -> dict[str, dict[str, list[object]]]:
    did = promotion_documents.c
    query = select(as_bytes(promotions.c.id), as_bytes(did.document_id), did.before, did.after, did.restored)
    found: dict[str, dict[str, list[object]]] = {}
    both = query.join_from(promotions, promotion_documents, DOCUMENT_OF_PROMOTION, isouter=True)
    rows = cast("Iterable[Sequence[Any]]", connection.execute(both.where(promotions.c.ns == ns)))
    for id_, document_id, *versions in rows:
        changed = found.setdefault(as_text(id_), {})
        if document_id is not None:
            changed[as_text(document_id)] = versions
    return found


def _named(body: Mapping[str, Any]) -> dict[str, list[object]]:
    """Return before, after and restored of each document; what was not restored is left out of most events."""
    listed: list[Any] = body.get("documents", [])
    rows = [cast("list[Any]", one) for one in listed if isinstance(one, list) and one]
    return {str(row[0]): (row[1:] + [None] * 3)[:3] for row in rows}


_BATCH = 1000


@dataclass(slots=True)
class _EventTally:
    texts: int = 0
    erased: int = 0
    altered: set[str] = field(default_factory=set[str])

    def count(self, subject_id: str, *, fits: bool, is_erased: bool) -> None:
        if fits:
            self.texts += 1
        elif is_erased:
            self.erased += 1
        else:
            self.texts += 1
            self.altered.add(subject_id)


def verify(connection: Connection, ns: int, *, name: str) -> ChainCheck:
    """Check every event of a namespace, the chain's end, and every text that is left against its digest.

    Reads bytes as they lie, so that those that are no text any more are found like all others.
    """
    erased = _erased_ids(connection, ns)
    tally = _EventTally()
    _check_statements(connection, ns, erased, tally)
    _check_documents(connection, ns, erased, tally)
    made = _check_made(connection, ns, erased, tally)
    tally.altered.update(altered_promotions(connection, ns))
    tally.altered.update(_unrecorded_statements(connection, ns) - made)
    return ChainCheck(
        namespace=name,
        events=connection.scalar(select(func.count()).where(events.c.ns == ns)) or 0,
        broken_event=broken_at(connection, ns),
        texts=tally.texts,
        erased=tally.erased,
        altered=tuple(sorted(tally.altered)),
    )


def _bodies(
    connection: Connection, ns: int, kind: EventKind | ChangeKind
) -> Generator[tuple[int, str, dict[str, Any]]]:
    """Yield the numbers, subjects and bodies of all events of a kind; the chain check reports what cannot be read."""
    query = select(events.c.seq, as_bytes(events.c.subject_id), as_bytes(events.c.body)).where(
        events.c.ns == ns, events.c.kind == kind.value
    )
    with connection.execute(query.order_by(events.c.seq).execution_options(yield_per=_BATCH)) as result:
        for seq, subject_id, body in result:
            if parsed := read_body(as_text(body)):
                yield seq, as_text(subject_id), parsed


def _erased_ids(connection: Connection, ns: int) -> frozenset[str]:
    """Return what events say was forgotten: their subjects, the items their bodies name, or all that was before."""
    found: set[str] = set()
    for seq, subject_id, body in _bodies(connection, ns, EventKind.ERASED):
        found.add(subject_id)
        if body.get("by") == EVERYTHING:
            before = select(as_bytes(events.c.subject_id)).where(events.c.ns == ns, events.c.seq < seq)
            named = select(as_bytes(event_episodes.c.episode_id))
            for query in (before, named.where(event_episodes.c.ns == ns, event_episodes.c.seq < seq)):
                found.update(as_text(id_) for id_ in connection.scalars(query))
        items: object = body.get("items")
        if isinstance(items, list):
            found.update(map(str, cast("list[object]", items)))
    return frozenset(found)


def _first_payloads(ns: int) -> Select[str, str]:
    query = select(payloads.c.episode_id, func.min(payloads.c.id).label("id")).where(payloads.c.ns == ns)
    return query.group_by(payloads.c.episode_id)


def _check_statements(connection: Connection, ns: int, erased: frozenset[str], tally: _EventTally) -> None:
    """Compare each statement as it was first written; later events record what it says since."""
    first = _first_payloads(ns).subquery()
    payload = joined(events, payloads, payloads.c.id == first.c.id)
    read = (as_bytes(column).label(column.name) for column in (events.c.subject_id, events.c.body, payloads.c.text))
    query = select(*read, payloads.c.salt)
    query = query.join_from(events, first, first.c.episode_id == events.c.subject_id, isouter=True)
    query = query.outerjoin(payloads, payload)
    query = query.where(events.c.ns == ns, events.c.kind == EventKind.STATEMENT_REMEMBERED.value)
    with connection.execute(query.execution_options(yield_per=_BATCH)) as result:
        for row in result:
            id_ = as_text(row.subject_id)
            has_text = row.text is not None
            fits = has_text and read_body(as_text(row.body)).get("digest") == digest_of(row.text, row.salt)
            tally.count(id_, fits=fits, is_erased=not has_text and id_ in erased)


def _check_made(connection: Connection, ns: int, erased: frozenset[str], tally: _EventTally) -> frozenset[str]:
    """Compare what merges and splits made with what their events say, and return all that they speak of."""
    spoken_of: set[str] = set()
    for kind in (ChangeKind.MERGED, ChangeKind.SPLIT):
        for _, _, body in _bodies(connection, ns, kind):
            for id_, digest, *_ in body.get("made", ()):
                first = _first_payloads(ns).where(payloads.c.episode_id == id_).subquery()
                query = select(payloads.c.salt, as_bytes(payloads.c.text).label("text")).where(
                    payloads.c.ns == ns, payloads.c.id == select(first.c.id).scalar_subquery()
                )
                row = connection.execute(query).one_or_none()
                fits = row is not None and digest_of(row.text, row.salt) == digest
                tally.count(id_, fits=fits, is_erased=row is None and id_ in erased)
                spoken_of.add(id_)
    return frozenset(spoken_of)


def _check_documents(connection: Connection, ns: int, erased: frozenset[str], tally: _EventTally) -> None:
    for _, document_id, body in _bodies(connection, ns, EventKind.DOCUMENT_ADDED):
        of_document = select(chunks.c.id).where(chunks.c.ns == ns, chunks.c.document_id == document_id).limit(1)
        is_gone = document_id in erased and connection.execute(of_document).first() is None
        digest = None if is_gone else _new_leaves_digest(connection, ns, document_id, body.get("version"))
        fits = not is_gone and digest == body.get("digest")
        tally.count(document_id, fits=fits, is_erased=is_gone)


def _new_leaves_digest(connection: Connection, ns: int, document_id: str, version: object) -> str:
    """Digest the leaves that a version of a document did not take over from the one before, leaf by leaf."""
    before = chunks.alias("before")
    is_before = (before.c.ns == ns, before.c.document_id == document_id, before.c.version < version)
    was_there = select(before.c.id).where(*is_before, before.c.episode_id == chunks.c.episode_id).exists()
    firsts = _first_payloads(ns).where(payloads.c.episode_id == chunks.c.episode_id).correlate(chunks)
    first = firsts.with_only_columns(func.min(payloads.c.id)).scalar_subquery()
    of_first = joined(chunks, payloads, payloads.c.id == first)
    here = (chunks.c.ns == ns, chunks.c.document_id == document_id, chunks.c.version == version)
    query = select(payloads.c.salt, as_bytes(payloads.c.text).label("text"))
    query = query.join_from(chunks, payloads, of_first, isouter=True)
    query = query.where(*here, chunks.c.episode_id.is_not(None), ~was_there).order_by(chunks.c.ordinal)
    whole = sha256()
    for row in connection.execute(query):
        whole.update(b"missing" if row.text is None else digest_of(row.text, row.salt).encode("ascii"))
    return whole.hexdigest()


def _unrecorded_statements(connection: Connection, ns: int) -> set[str]:
    """Return the statements that no event speaks of."""
    spoken_of = (events.c.subject_id == episodes.c.id) & (events.c.kind == EventKind.STATEMENT_REMEMBERED.value)
    is_statement = or_(episodes.c.kind == EpisodeKind.STATEMENT.value, episodes.c.document_id.is_(None))
    its = joined(episodes, events, spoken_of)
    query = select(as_bytes(episodes.c.id)).join_from(episodes, events, its, isouter=True)
    query = query.where(episodes.c.ns == ns, is_statement, events.c.seq.is_(None))
    return {as_text(id_) for id_ in connection.scalars(query)}
