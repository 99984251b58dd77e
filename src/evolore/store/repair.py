"""Find and repair orphaned or damaged rows; a text that was ever visible is never deleted."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from sqlalchemy import Column, ColumnElement, Connection, Table, and_, delete, exists, func, or_, select, true, update

from evolore.domain.episode import EdgeKind, EpisodeState
from evolore.domain.health import FindingKind
from evolore.store import documents as store_documents
from evolore.store.edges import insert_edges
from evolore.store.event_bodies import member_edges
from evolore.store.events import Batch, OpenedToWrite, as_bytes
from evolore.store.evolution_erasure import note_all_named, wrongly_named
from evolore.store.forms import EMPTY_FOR_NONE, form_of
from evolore.store.history import find, name_episodes, named_by_events
from evolore.store.question_rows import count_erasure
from evolore.store.schema import of_neither
from evolore.store.selects import EPISODE_OF_CHUNK, PRESENT_CHUNK, TEXT_OF_EPISODE, joined, standing
from evolore.store.sql import among, as_json
from evolore.store.structure_reading import hidden_source
from evolore.store.tables import (
    answer_citations,
    attributes,
    chunks,
    documents,
    edges,
    episodes,
    event_episodes,
    evolution_job_documents,
    evolution_jobs,
    evolution_steps,
    feedback,
    index_log,
    namespaces,
    owner_of,
    payloads,
    promotion_documents,
    queries,
    query_edges,
    query_texts,
    query_vectors,
    ratings,
    review_items,
    stagings,
    vectors,
    versions,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Rows that should not be there, or refer to what is lost."""

    kind: FindingKind  #: What kind of thing is wrong.
    label: Column[str]  #: What they are named by, a column of where they lie.
    condition: ColumnElement[bool]  #: Which rows they are.
    reason: str  #: What is wrong with them.

    @property
    def table(self) -> Table:
        """Where the rows lie."""
        return self.label.table

    @property
    def can_be_deleted(self) -> bool:
        """Whether repairing deletes them."""
        return self.kind is not FindingKind.TEXT_LOST


def without(table: Table, other: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    """Build the condition that a table's row has no row in another."""
    return ~exists().where(joined(table, other, on)).correlate(table)


def having(table: Table, other: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    """Build the condition that a table's row has some row in another."""
    return exists().where(joined(table, other, on)).correlate(table)


_STEPS_THERE = (
    select(func.count())
    .where(evolution_steps.c.ns == evolution_jobs.c.ns, evolution_steps.c.job_id == evolution_jobs.c.id)
    .correlate(evolution_jobs)
    .scalar_subquery()
)

_QUERIES = (EdgeKind.QUERY_BYPASS.value, EdgeKind.QUERY_INSIGHT.value, EdgeKind.QUERY_RETRIEVAL.value)


_STAGED_CHUNK = (documents.c.id == chunks.c.document_id) & (documents.c.version < chunks.c.version)
_VISIBLE_CHUNK = (documents.c.id == chunks.c.document_id) & (documents.c.version >= chunks.c.version)
_ITS_CHUNK = (chunks.c.document_id == episodes.c.document_id) & (chunks.c.episode_id == episodes.c.id)
_PRESENT = (versions.c.document_id == documents.c.id) & (versions.c.number == documents.c.version)
_CHUNKS_VERSION = (versions.c.document_id == chunks.c.document_id) & (versions.c.number == chunks.c.version)
_REVIEWED = (versions.c.document_id == review_items.c.document_id) & (versions.c.number == review_items.c.version)
_WAS_LOGGED = having(episodes, index_log, index_log.c.episode_id == episodes.c.id)
_PAYLOAD_WAS_LOGGED = having(payloads, index_log, index_log.c.episode_id == payloads.c.episode_id)
_NO_CHUNK = episodes.c.document_id.is_not(None) & without(episodes, chunks, _ITS_CHUNK)
_NO_EPISODE = without(payloads, episodes, episodes.c.id == payloads.c.episode_id)
_UNOWNED = and_(
    without(attributes, documents, documents.c.id == attributes.c.owner_id),
    without(attributes, versions, versions.c.document_id == attributes.c.owner_id),
    without(attributes, episodes, episodes.c.id == attributes.c.owner_id),
    without(attributes, payloads, payloads.c.episode_id == attributes.c.owner_id),
)
"""Not those of a document or statement that is lost in part: nothing else says what it was filed under."""

_ORPHAN, _LEFTOVER, _LOST = FindingKind.ORPHAN, FindingKind.LEFTOVER, FindingKind.TEXT_LOST
_Rule = tuple[FindingKind, Column[str], ColumnElement[bool], str]


def _orphan(column: Column[str], reason: str, *, label: Column[str] | None = None) -> _Rule:
    """Return the rule that finds rows of which one column names what is not there."""
    table, owner = column.table, owner_of(column)
    missing = without(table, owner, owner.c.id == column)
    if column.nullable:
        missing = column.is_not(None) & missing
    if form_of(column) is EMPTY_FOR_NONE:
        missing = (column != "") & missing
    return FindingKind.ORPHAN, label if label is not None else table.c.get("id", column), missing, reason


def _lost_part(column: Column[str], reason: str) -> _Rule:
    """Return the rule that finds rows of which no part is there, by the column that names them."""
    owner = owner_of(column)
    return FindingKind.TEXT_LOST, owner.c.id, without(owner, column.table, column == owner.c.id), reason


_ROWS: tuple[_Rule, ...] = (
    (
        _LEFTOVER,
        stagings.c.document_id,
        true(),
        "Versions of documents are being written in parts, or were left half-written.",
    ),
    (
        _LEFTOVER,
        versions.c.document_id,
        having(
            versions, documents, (documents.c.id == versions.c.document_id) & (documents.c.version < versions.c.number)
        ),
        "Versions of documents were begun and never became visible.",
    ),
    (
        _LEFTOVER,
        chunks.c.id,
        having(chunks, documents, _STAGED_CHUNK),
        "Chunks of versions were begun and never became visible.",
    ),
    (_LEFTOVER, documents.c.id, documents.c.version < 1, "Documents were begun and never became visible."),
    (
        _ORPHAN,
        chunks.c.id,
        without(chunks, versions, _CHUNKS_VERSION) & without(chunks, documents, _VISIBLE_CHUNK),
        "Chunks belong to no version of a document.",
    ),
    (
        _ORPHAN,
        review_items.c.id,
        review_items.c.document_id.is_not(None) & without(review_items, versions, _REVIEWED),
        "Review items are about no version of a document.",
    ),
    _orphan(review_items.c.episode_id, "Review items are about no passage or statement."),
    (_LEFTOVER, episodes.c.id, _NO_CHUNK & ~_WAS_LOGGED, "Passages were begun and never became visible."),
    (_ORPHAN, payloads.c.id, _NO_EPISODE & ~_PAYLOAD_WAS_LOGGED, "Texts belong to no episode, and never did visibly."),
    _orphan(vectors.c.payload_id, "Vectors belong to no text."),
    (
        _ORPHAN,
        edges.c.source_id,
        or_(
            without(edges, episodes, episodes.c.id == edges.c.target_id),
            edges.c.kind.not_in(_QUERIES) & without(edges, episodes, episodes.c.id == edges.c.source_id),
        ),
        "Edges join an episode that is not there.",
    ),
    (
        _ORPHAN,
        edges.c.source_id,
        edges.c.kind.in_(_QUERIES) & without(edges, queries, queries.c.id == edges.c.source_id),
        "Edges start at a question that is not there.",
    ),
    _orphan(answer_citations.c.answer_id, "Citations belong to no answer."),
    _orphan(
        answer_citations.c.episode_id,
        "Citations name an episode that is not there.",
        label=answer_citations.c.answer_id,
    ),
    _orphan(feedback.c.document_id, "Feedback is about a document that is not there."),
    _orphan(feedback.c.query_id, "Feedback is about the answer to a question that is not there."),
    _orphan(evolution_job_documents.c.job_id, "Documents are named of a job that is not there."),
    _orphan(evolution_steps.c.job_id, "Steps belong to no job."),
    _orphan(promotion_documents.c.promotion_id, "Documents are named of a promotion that is not there."),
    _orphan(query_texts.c.query_id, "Texts of questions belong to no question."),
    _orphan(query_vectors.c.query_id, "Vectors of questions belong to no question."),
    _orphan(query_edges.c.query_id, "Episodes that were handed over belong to no question."),
    _orphan(ratings.c.query_id, "Ratings belong to no question."),
    _orphan(query_edges.c.target_id, "Episodes that were handed over for questions are not there."),
    (
        _ORPHAN,
        edges.c.source_id,
        (edges.c.kind == EdgeKind.MEMBER.value)
        & having(edges, episodes, (episodes.c.id == edges.c.target_id) & episodes.c.made_by.is_not(None)),
        "Edges name as a member what was never remembered.",
    ),
    (_ORPHAN, attributes.c.owner_id, _UNOWNED, "Metadata and tags belong to no document and no statement."),
    (_LOST, evolution_jobs.c.id, evolution_jobs.c.steps != _STEPS_THERE, "Jobs have lost steps."),
    _lost_part(evolution_job_documents.c.job_id, "Jobs have lost the documents they are about."),
    _lost_part(promotion_documents.c.promotion_id, "Promotions have lost the documents they changed."),
    _lost_part(query_texts.c.query_id, "Questions have lost their text."),
    (
        _LOST,
        versions.c.document_id,
        without(versions, documents, documents.c.id == versions.c.document_id),
        "Versions belong to a document whose source and present version are lost.",
    ),
    (
        _LOST,
        documents.c.id,
        (documents.c.version > 0) & without(documents, versions, _PRESENT),
        "The present version of documents is lost.",
    ),
    (
        _LOST,
        chunks.c.id,
        chunks.c.episode_id.is_not(None)
        & having(chunks, documents, _VISIBLE_CHUNK)
        & without(chunks, episodes, episodes.c.id == chunks.c.episode_id),
        "Chunks have lost their passage.",
    ),
    (
        _LOST,
        episodes.c.id,
        without(episodes, payloads, payloads.c.id == episodes.c.payload_id),
        "Episodes have lost their text.",
    ),
    (
        _LOST,
        episodes.c.id,
        _NO_CHUNK & _WAS_LOGGED,
        "Passages have lost their place in a document; their texts are still there.",
    ),
    (_LOST, payloads.c.id, _NO_EPISODE & _PAYLOAD_WAS_LOGGED, "Texts have lost their episode; they are still there."),
)
WRONG_ROWS = tuple(
    Wrong(kind=kind, label=label, condition=condition, reason=reason) for kind, label, condition, reason in _ROWS
)
"""In the order they are deleted in: what hangs on another row comes behind it. No text that was ever visible goes."""


_MEMBER = EdgeKind.MEMBER.value


def unheld_statements(connection: Connection, ns: int) -> list[str]:
    """Return the hidden statements that no visible episode has as a member."""
    holder = episodes.alias()
    its = (edges.c.ns == ns, edges.c.target_id == episodes.c.id, edges.c.kind == _MEMBER)
    held = exists().where(*its, holder.c.ns == ns, holder.c.id == edges.c.source_id, standing(holder))
    held = held.correlate(episodes)
    return list(connection.scalars(select(episodes.c.id).where(episodes.c.ns == ns, hidden_source(), ~held)))


def lost_members(connection: Connection, ns: int) -> list[str]:
    """Return what merges and splits made, was not taken back, and has no member."""
    has_one = exists().where(joined(episodes, edges, and_(edges.c.source_id == episodes.c.id, edges.c.kind == _MEMBER)))
    made = (episodes.c.made_by.is_not(None), episodes.c.state != EpisodeState.REVOKED.value)
    query = select(episodes.c.id).where(episodes.c.ns == ns, *made, ~has_one.correlate(episodes))
    return list(connection.scalars(query))


def unnamed(connection: Connection, ns: int) -> list[str]:
    """Return the episodes that events name and no row says so, or the other way round."""
    rows = connection.execute(
        select(event_episodes.c.episode_id, event_episodes.c.seq).where(event_episodes.c.ns == ns)
    )
    return sorted({id_ for id_, _ in {(row.episode_id, row.seq) for row in rows} ^ named_by_events(connection, ns)})


def mend_structure(batch: Batch) -> list[str]:
    """Record again what events name, restore first members of what was made, and unhide what nothing holds.

    Returns:
        What is visible again, which the indexes have to hear of.
    """
    if unnamed(batch.connection, batch.ns):
        name_episodes(batch.connection, batch.ns)
    if wrongly_named(batch.connection, batch.ns):
        note_all_named(batch.connection, batch.ns)
    for id_ in lost_members(batch.connection, batch.ns):
        _join_again(batch, id_)
    freed = unheld_statements(batch.connection, batch.ns)
    these = update(episodes).where(episodes.c.ns == batch.ns, episodes.c.id.in_(among("ids")))
    batch.connection.execute(these.values(stands_until=None), {"ids": as_json(freed)})
    return freed


def _join_again(batch: Batch, id_: str) -> None:
    """Write the edges to the members that an episode was made with and that are still there."""
    here = (episodes.c.ns == batch.ns, episodes.c.id == id_)
    made_by = batch.connection.scalar(select(episodes.c.made_by).where(*here))
    event = None if made_by is None else find(batch.connection, batch.ns, made_by)
    made = [one for one in event.done.made if one.id == id_] if event else []
    wanted = member_edges(made, event.recorded_at if event else "")
    there = select(episodes.c.id).where(episodes.c.ns == batch.ns, episodes.c.id.in_([one.target_id for one in wanted]))
    present = set(batch.connection.scalars(there))
    insert_edges(batch, [one for one in wanted if one.target_id in present])


def altered_versions(connection: Connection, ns: int) -> Generator[str]:
    """Yield the documents of whose visible versions the leaves, joined, are not what was added."""
    visible = (documents.c.id == versions.c.document_id) & (versions.c.number <= documents.c.version)
    query = select(versions).join_from(versions, documents, joined(versions, documents, visible))
    for version in connection.execute(query.where(versions.c.ns == ns)).all():
        if _whole(connection, ns, version.document_id, version.number) != (version.characters, version.content_sha256):
            yield version.document_id


def _whole(connection: Connection, ns: int, document_id: str, number: int) -> tuple[int, str] | None:
    """Return length and hash of a version's leaves, joined; None where they do not follow each other."""
    query = (
        select(chunks.c.start, chunks.c.end, as_bytes(payloads.c.text).label("text"))
        .join_from(chunks, episodes, EPISODE_OF_CHUNK)
        .join(payloads, TEXT_OF_EPISODE)
        .where(chunks.c.ns == ns, chunks.c.document_id == document_id, chunks.c.version == number)
        .order_by(chunks.c.ordinal)
    )
    end, whole = 0, sha256()
    for row in connection.execute(query):
        whole.update(row.text)
        if row.start != end or row.end != end + len(row.text.decode("utf-8", "replace")):
            return None
        end = row.end
    return end, whole.hexdigest()


_COUNTS = {
    name: select(counted).where(joined(versions, chunks, _CHUNKS_VERSION)).correlate(versions).scalar_subquery()
    for name, counted in (("chunk_count", func.count()), ("episode_count", func.count(chunks.c.episode_id)))
}


def wrong_counts(connection: Connection, ns: int) -> list[str]:
    """Return the documents with a version that counts other chunks or leaves than it has.

    Not those that have lost text: there, the count reports it.
    """
    is_wrong = or_(*(versions.c[name] != counted for name, counted in _COUNTS.items()))
    wrong = list(connection.scalars(select(versions.c.document_id).where(versions.c.ns == ns, is_wrong).distinct()))
    lost = set(altered_versions(connection, ns)) if wrong else set[str]()
    return [id_ for id_ in wrong if id_ not in lost]


def places(connection: Connection, ns: int) -> Generator[tuple[str, int, int]]:
    """Yield each leaf of a present version with the place it says and the place it has."""
    place = func.row_number().over(partition_by=chunks.c.document_id, order_by=chunks.c.ordinal) - 1
    query = select(episodes.c.id, episodes.c.position, place.label("place")).join_from(chunks, documents, PRESENT_CHUNK)
    query = query.join(episodes, EPISODE_OF_CHUNK).where(chunks.c.ns == ns)
    yield from ((row.id, row.position, row.place) for row in connection.execute(query))


def wrong_places(connection: Connection, ns: int) -> list[str]:
    """Return the leaves that say another place than they have."""
    return [id_ for id_, said, place in places(connection, ns) if said != place]


def crowded_sessions(connection: Connection, ns: int) -> list[str]:
    """Return the sessions in which two statements that were remembered have one place; what was made shares one."""
    query = select(episodes.c.session)
    query = query.where(episodes.c.ns == ns, episodes.c.session.is_not(None), episodes.c.made_by.is_(None))
    query = query.group_by(episodes.c.session, episodes.c.position).having(func.count() > 1)
    return list(connection.scalars(query.distinct()))


def unlogged(connection: Connection, ns: int) -> list[tuple[str, bool]]:
    """Return the episodes whose last entry in the index log is not what their rows say, and what they say.

    An entry beyond the namespace's own count is reported as one of the episode it names.
    """
    leaves = select(chunks.c.episode_id).join_from(chunks, documents, PRESENT_CHUNK)
    wanted = select(episodes.c.id).where(
        episodes.c.ns == ns, or_(episodes.c.document_id.is_(None), episodes.c.id.in_(leaves.where(chunks.c.ns == ns)))
    )
    should = set(connection.scalars(wanted))
    last = select(func.max(index_log.c.seq)).where(index_log.c.ns == ns).group_by(index_log.c.episode_id)
    entries = select(index_log).where(index_log.c.ns == ns, index_log.c.seq.in_(last))
    told = {row.episode_id: (row.seq, row.present) for row in connection.execute(entries)}
    end: int = connection.execute(select(namespaces.c.log_seq).where(namespaces.c.ns == ns)).scalar_one()
    listed = {id_ for id_, (_, is_present) in told.items() if is_present}
    beyond = {id_ for id_, (seq, _) in told.items() if seq > end}
    return sorted((id_, id_ in should) for id_ in (should ^ listed) | beyond)


class RepairWriter(OpenedToWrite):
    """Repair of one namespace, inside a write transaction."""

    def repair(self, *, at: datetime) -> None:
        """Delete leftovers and orphans, and write again what is derived."""
        batch = self._batch(at)
        store_documents.clear_all(batch)
        for wrong in WRONG_ROWS:
            if wrong.can_be_deleted:
                batch.connection.execute(delete(wrong.table).where(wrong.table.c.ns == batch.ns, wrong.condition))
        for table in (vectors, query_vectors):
            other_model = and_(table.c.ns == batch.ns, of_neither(self._model, table))
            batch.connection.execute(delete(table).where(other_model))
        count_erasure(batch.connection, batch.ns)
        _count_log(batch)
        _count_again(batch)
        moved = {id_: place for id_, said, place in places(batch.connection, batch.ns) if said != place}
        _move(batch, moved | _spread_sessions(batch))
        freed = mend_structure(batch)
        _log_again(batch)
        batch.log(_listed(batch, set(freed)), present=True)


def relog(batch: Batch, payload_ids: Iterable[str]) -> None:
    """Log those of these texts that the indexes hold, so that every open index reads them again."""
    here = (payloads.c.ns == batch.ns, payloads.c.id.in_(list(payload_ids)))
    batch.log(_listed(batch, set(batch.connection.scalars(select(payloads.c.episode_id).where(*here)))), present=True)


def _listed(batch: Batch, episode_ids: Iterable[str]) -> list[str]:
    """Return those of these episodes that the log says are in the indexes."""
    here = (index_log.c.ns == batch.ns, index_log.c.episode_id.in_(among("ids")))
    last = select(func.max(index_log.c.seq)).where(*here).group_by(index_log.c.episode_id)
    entries = select(index_log.c.episode_id).where(index_log.c.ns == batch.ns, index_log.c.seq.in_(last))
    return sorted(batch.connection.scalars(entries.where(index_log.c.present), {"ids": as_json(episode_ids)}))


def _count_again(batch: Batch) -> None:
    for document_id in wrong_counts(batch.connection, batch.ns):
        this = and_(versions.c.ns == batch.ns, versions.c.document_id == document_id)
        batch.connection.execute(update(versions).where(this).values(_COUNTS))


def _spread_sessions(batch: Batch) -> dict[str, int]:
    """Number the statements of sessions in which two have one place, by place and then by id."""
    moved: dict[str, int] = {}
    for session in crowded_sessions(batch.connection, batch.ns):
        here = (episodes.c.ns == batch.ns, episodes.c.session == session, episodes.c.made_by.is_(None))
        said = batch.connection.execute(
            select(episodes.c.id, episodes.c.position).where(*here).order_by(episodes.c.position, episodes.c.id)
        )
        moved |= {row.id: place for place, row in enumerate(said) if row.position != place}
    return moved


def _move(batch: Batch, moved: dict[str, int]) -> None:
    if moved:
        store_documents.move(batch, moved)
        batch.log(_listed(batch, moved), present=True)


def _log_again(batch: Batch) -> None:
    batch.counters.settle()  # an entry beyond the row's count is taken for a wrong one
    wrong = unlogged(batch.connection, batch.ns)
    batch.log([id_ for id_, is_present in wrong if not is_present], present=False)
    batch.log([id_ for id_, is_present in wrong if is_present], present=True)


def _count_log(batch: Batch) -> None:
    """Raise the number in the namespace's own row to at least what its log says, before anything is written to it."""
    last = select(func.max(index_log.c.seq)).where(index_log.c.ns == batch.ns)
    end: int = batch.connection.scalar(last) or 0
    beyond = and_(namespaces.c.ns == batch.ns, namespaces.c.log_seq < end)
    batch.counters.settle()
    batch.connection.execute(update(namespaces).where(beyond).values(log_seq=end))
    batch.counters.read_anew()
