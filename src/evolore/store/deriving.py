"""What rows say of other rows, told anew: counts, places, sessions, the index log, and whether a text is whole."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from sqlalchemy import func, or_, select

from evolore.store.events import as_bytes
from evolore.store.selects import joined
from evolore.store.tables import chunks, documents, episodes, index_log, namespaces, payloads, versions

if TYPE_CHECKING:
    from collections.abc import Generator

    from sqlalchemy import Connection

_ITS_VERSION = (versions.c.document_id == chunks.c.document_id) & (versions.c.number == chunks.c.version)


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
    counted = select(func.count()).where(joined(versions, chunks, _ITS_VERSION)).correlate(versions).scalar_subquery()
    leaves = (
        select(func.count(chunks.c.episode_id))
        .where(joined(versions, chunks, _ITS_VERSION))
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
    """Give the sessions in which two statements that were remembered have one place; what was made shares one."""
    query = (
        select(episodes.c.session)
        .where(episodes.c.ns == ns, episodes.c.session.is_not(None), episodes.c.made_by.is_(None))
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
