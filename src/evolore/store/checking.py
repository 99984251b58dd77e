"""Whether the rows of a namespace fit together: what refers to nothing, what was lost, what is derived and wrong."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, Table, exists, func, or_, select, true

from evolore.domain.episodes import EdgeKind, EpisodeState
from evolore.domain.health import Finding, FindingKind
from evolore.errors import InvalidValue
from evolore.store.events import as_bytes
from evolore.store.selects import joined
from evolore.store.tables import (
    chunks,
    documents,
    edges,
    episodes,
    index_log,
    namespaces,
    payloads,
    review_items,
    stagings,
    vectors,
    versions,
)
from evolore.store.verifying import verify

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel

_EXAMPLES = 5
_QUERIES = (EdgeKind.QUERY_BYPASS.value, EdgeKind.QUERY_INSIGHT.value, EdgeKind.QUERY_RETRIEVAL.value)
_GONE = (EpisodeState.SUPERSEDED.value, EpisodeState.REVOKED.value)
REPAIR = "`evolore doctor --repair` mends it."
RESTORE = "Restore it from a backup, or forget it and add it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Rows that should not be there, or refer to what is lost.

    Args:
        kind: What kind of thing is wrong.
        table: Where the rows lie.
        label: What they are named by.
        condition: Which rows they are.
        reason: What is wrong with them.
        can_be_deleted: Whether repairing deletes them.
    """

    kind: FindingKind
    table: Table
    label: ColumnElement[str]
    condition: ColumnElement[bool]
    reason: str
    can_be_deleted: bool = True


def _none(table: Table, other: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    return ~exists().where(joined(table, other, on)).correlate(table)


def _some(table: Table, other: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    return exists().where(joined(table, other, on)).correlate(table)


_STAGED_CHUNK = (documents.c.id == chunks.c.document_id) & (documents.c.version < chunks.c.version)
_VISIBLE_CHUNK = (documents.c.id == chunks.c.document_id) & (documents.c.version >= chunks.c.version)
_ITS_CHUNK = (chunks.c.document_id == episodes.c.document_id) & (chunks.c.episode_id == episodes.c.id)
_PRESENT = (versions.c.document_id == documents.c.id) & (versions.c.number == documents.c.version)
_CHUNKS_VERSION = (versions.c.document_id == chunks.c.document_id) & (versions.c.number == chunks.c.version)
_REVIEWED = (versions.c.document_id == review_items.c.document_id) & (versions.c.number == review_items.c.version)
_WAS_LOGGED = _some(episodes, index_log, index_log.c.episode_id == episodes.c.id)
_PAYLOAD_WAS_LOGGED = _some(payloads, index_log, index_log.c.episode_id == payloads.c.episode_id)
_NO_CHUNK = episodes.c.document_id.is_not(None) & _none(episodes, chunks, _ITS_CHUNK)
_NO_EPISODE = _none(payloads, episodes, episodes.c.id == payloads.c.episode_id)

WRONG_ROWS = (
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=stagings,
        label=stagings.c.document_id,
        condition=true(),
        reason="Versions of documents are being written in parts, or were left half-written.",
    ),
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=versions,
        label=versions.c.document_id,
        condition=_some(
            versions, documents, (documents.c.id == versions.c.document_id) & (documents.c.version < versions.c.number)
        ),
        reason="Versions of documents were begun and never became visible.",
    ),
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=chunks,
        label=chunks.c.id,
        condition=_some(chunks, documents, _STAGED_CHUNK),
        reason="Chunks of versions were begun and never became visible.",
    ),
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=documents,
        label=documents.c.id,
        condition=documents.c.version < 1,
        reason="Documents were begun and never became visible.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=chunks,
        label=chunks.c.id,
        condition=_none(chunks, versions, _CHUNKS_VERSION) & _none(chunks, documents, _VISIBLE_CHUNK),
        reason="Chunks belong to no version of a document.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=review_items,
        label=review_items.c.id,
        condition=review_items.c.document_id.is_not(None) & _none(review_items, versions, _REVIEWED),
        reason="Review items are about no version of a document.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=review_items,
        label=review_items.c.id,
        condition=review_items.c.episode_id.is_not(None)
        & _none(review_items, episodes, episodes.c.id == review_items.c.episode_id),
        reason="Review items are about no passage or statement.",
    ),
    Wrong(
        kind=FindingKind.LEFTOVER,
        table=episodes,
        label=episodes.c.id,
        condition=_NO_CHUNK & ~_WAS_LOGGED,
        reason="Passages were begun and never became visible.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=payloads,
        label=payloads.c.id,
        condition=_NO_EPISODE & ~_PAYLOAD_WAS_LOGGED,
        reason="Texts belong to no episode, and never did visibly.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=vectors,
        label=vectors.c.payload_id,
        condition=_none(vectors, payloads, payloads.c.id == vectors.c.payload_id),
        reason="Vectors belong to no text.",
    ),
    Wrong(
        kind=FindingKind.ORPHAN,
        table=edges,
        label=edges.c.source_id,
        condition=or_(
            _none(edges, episodes, episodes.c.id == edges.c.target_id),
            edges.c.kind.not_in(_QUERIES) & _none(edges, episodes, episodes.c.id == edges.c.source_id),
        ),
        reason="Edges join an episode that is not there.",
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=versions,
        label=versions.c.document_id,
        condition=_none(versions, documents, documents.c.id == versions.c.document_id),
        reason="Versions belong to a document whose source and present version are lost.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=documents,
        label=documents.c.id,
        condition=(documents.c.version > 0) & _none(documents, versions, _PRESENT),
        reason="The present version of documents is lost.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=chunks,
        label=chunks.c.id,
        condition=chunks.c.episode_id.is_not(None)
        & _some(chunks, documents, _VISIBLE_CHUNK)
        & _none(chunks, episodes, episodes.c.id == chunks.c.episode_id),
        reason="Chunks have lost their passage.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=episodes,
        label=episodes.c.id,
        condition=_none(episodes, payloads, payloads.c.id == episodes.c.payload_id),
        reason="Episodes have lost their text.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=episodes,
        label=episodes.c.id,
        condition=_NO_CHUNK & _WAS_LOGGED,
        reason="Passages have lost their place in a document; their texts are still there.",
        can_be_deleted=False,
    ),
    Wrong(
        kind=FindingKind.TEXT_LOST,
        table=payloads,
        label=payloads.c.id,
        condition=_NO_EPISODE & _PAYLOAD_WAS_LOGGED,
        reason="Texts have lost their episode; they are still there.",
        can_be_deleted=False,
    ),
)
"""In the order they are deleted in: what hangs on another row comes behind it. No text that was ever visible goes."""


def examine(connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> Generator[Finding]:
    """Find what is wrong in a namespace, tokens and vectors of texts that are there aside."""
    for wrong in WRONG_ROWS:
        query = select(wrong.label).where(wrong.table.c.ns == ns, wrong.condition)
        remedy = REPAIR if wrong.can_be_deleted else RESTORE
        yield from _found(
            wrong.kind, name, connection.scalars(query), reason=wrong.reason, remedy=remedy, mends=wrong.can_be_deleted
        )
    others = select(vectors.c.payload_id).where(vectors.c.ns == ns, vectors.c.model_id != model.id)
    derived: tuple[tuple[FindingKind, Iterable[str], str], ...] = (
        (FindingKind.VECTORS, connection.scalars(others), "Vectors come from another model than the store's."),
        (FindingKind.COUNTS, wrong_counts(connection, ns), "The counts of versions are not those of their chunks."),
        (FindingKind.POSITIONS, wrong_places(connection, ns), "Passages say another place than their outline does."),
        (FindingKind.POSITIONS, crowded_sessions(connection, ns), "Statements of a session have one place."),
        (FindingKind.INDEX_LOG, (id_ for id_, _ in unlogged(connection, ns)), "The indexes are told another state."),
    )
    for kind, ids, reason in derived:
        yield from _found(kind, name, ids, reason=reason, remedy=REPAIR, mends=True)
    yield from _found(
        FindingKind.TEXT_ALTERED,
        name,
        altered_versions(connection, ns),
        reason="The passages of documents, joined, are not the text that was added.",
        remedy=RESTORE,
        mends=False,
    )
    yield from _event_findings(connection, ns, name)


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


def altered_versions(connection: Connection, ns: int) -> Generator[str]:
    """Give the documents of whose visible versions the leaves, joined, are not what was added."""
    visible = (documents.c.id == versions.c.document_id) & (versions.c.number <= documents.c.version)
    query = select(versions).join_from(versions, documents, joined(versions, documents, visible))
    for version in connection.execute(query.where(versions.c.ns == ns)).all():
        if not _is_whole(
            connection, ns, version.document_id, version.number, version.characters, version.content_sha256
        ):
            yield version.document_id


def _is_whole(connection: Connection, ns: int, document_id: str, number: int, characters: int, content: str) -> bool:
    query = (
        select(chunks.c.start, chunks.c.end, as_bytes(payloads.c.text).label("text"))
        .join_from(chunks, episodes, joined(chunks, episodes, episodes.c.id == chunks.c.episode_id))
        .join(payloads, joined(episodes, payloads, payloads.c.id == episodes.c.payload_id))
        .where(chunks.c.ns == ns, chunks.c.document_id == document_id, chunks.c.version == number)
        .order_by(chunks.c.ordinal)
    )
    end, whole = 0, sha256()
    for row in connection.execute(query):
        whole.update(row.text)
        if row.start != end or row.end != end + len(row.text.decode("utf-8", "replace")):
            return False
        end = row.end
    return (end, whole.hexdigest()) == (characters, content)


def wrong_counts(connection: Connection, ns: int) -> list[str]:
    """Give the documents with a version that counts other chunks or leaves than it has.

    Not those that have lost text: there, the count is what tells so.
    """
    counted = (
        select(func.count()).where(joined(versions, chunks, _CHUNKS_VERSION)).correlate(versions).scalar_subquery()
    )
    leaves = (
        select(func.count(chunks.c.episode_id))
        .where(joined(versions, chunks, _CHUNKS_VERSION))
        .correlate(versions)
        .scalar_subquery()
    )
    query = select(versions.c.document_id).where(
        versions.c.ns == ns, or_(versions.c.chunk_count != counted, versions.c.episode_count != leaves)
    )
    wrong = list(connection.scalars(query.distinct()))
    lost = set(altered_versions(connection, ns)) if wrong else set[str]()
    return [id_ for id_ in wrong if id_ not in lost]


def places(connection: Connection, ns: int) -> Generator[tuple[str, int, int]]:
    """Give each leaf of a present version with the place it says and the place it has."""
    present = (documents.c.id == chunks.c.document_id) & (documents.c.version == chunks.c.version)
    place = func.row_number().over(partition_by=chunks.c.document_id, order_by=chunks.c.ordinal) - 1
    query = (
        select(episodes.c.id, episodes.c.position, place.label("place"))
        .join_from(chunks, documents, joined(chunks, documents, present))
        .join(episodes, joined(chunks, episodes, episodes.c.id == chunks.c.episode_id))
        .where(chunks.c.ns == ns)
    )
    yield from ((row.id, row.position, row.place) for row in connection.execute(query))


def wrong_places(connection: Connection, ns: int) -> list[str]:
    """Give the leaves that say another place than they have."""
    return [id_ for id_, said, place in places(connection, ns) if said != place]


def crowded_sessions(connection: Connection, ns: int) -> list[str]:
    """Give the sessions in which two statements have one place."""
    query = (
        select(episodes.c.session)
        .where(episodes.c.ns == ns, episodes.c.session.is_not(None))
        .group_by(episodes.c.session, episodes.c.position)
        .having(func.count() > 1)
    )
    return list(connection.scalars(query.distinct()))


def unlogged(connection: Connection, ns: int) -> list[tuple[str, bool]]:
    """Give the episodes whose last entry in the index log is not what their rows say, and what they say.

    An entry beyond the namespace's own count is told as one of the episode it names.
    """
    present = (documents.c.id == chunks.c.document_id) & (documents.c.version == chunks.c.version)
    leaves = select(chunks.c.episode_id).join_from(chunks, documents, joined(chunks, documents, present))
    wanted = select(episodes.c.id).where(
        episodes.c.ns == ns,
        episodes.c.state.not_in(_GONE),
        or_(episodes.c.document_id.is_(None), episodes.c.id.in_(leaves.where(chunks.c.ns == ns))),
    )
    should = set(connection.scalars(wanted))
    last = select(func.max(index_log.c.seq)).where(index_log.c.ns == ns).group_by(index_log.c.episode_id)
    entries = select(index_log).where(index_log.c.ns == ns, index_log.c.seq.in_(last))
    told = {row.episode_id: (row.seq, row.present) for row in connection.execute(entries)}
    end: int = connection.execute(select(namespaces.c.log_seq).where(namespaces.c.ns == ns)).scalar_one()
    listed = {id_ for id_, (_, is_present) in told.items() if is_present}
    beyond = {id_ for id_, (seq, _) in told.items() if seq > end}
    return sorted((id_, id_ in should) for id_ in (should ^ listed) | beyond)


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
