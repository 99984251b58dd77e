"""Write a document's version: at once, or a large one in parts that become visible with the last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, bindparam, delete, insert, select, update

from evolore.domain.document import Chunk, Document
from evolore.domain.episode import EpisodeKind, EpisodeState
from evolore.domain.evolution import is_shadow_source
from evolore.domain.metadata import Labels
from evolore.ports import NewDocument
from evolore.store.database import FaultPoint, reached
from evolore.store.erasure import delete_episodes
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch, OpenedToWrite, salted_digest
from evolore.store.events import Row as EventsRow
from evolore.store.forms import offset_minutes, optional_timestamp, row_of, timestamp, write_attempts, write_kept
from evolore.store.reading import StoreReader
from evolore.store.review_items import file_for_version
from evolore.store.rows import replace_labels
from evolore.store.selects import EPISODE_OF_CHUNK, TEXT_OF_EPISODE
from evolore.store.tables import chunks, documents, episodes, payloads, stagings, versions

_ABANDONED_AFTER = timedelta(days=7)
"""So long after somebody went on with it, half-written texts go with the next addition."""
ERASED_AFTER = timedelta(hours=1)
"""So long after that it goes with the next erasure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging:
    """A version that is being written."""

    id: str  #: What its writer knows it by.
    document_id: str  #: The document; one of its own where the document is new.
    version: int  #: Its number.


def _staging(batch: Batch, staging_id: str) -> Staging | None:
    """Return what is being written under an id, and note that it goes on; None when it was cleared away."""
    this = and_(stagings.c.ns == batch.ns, stagings.c.id == staging_id)
    touched = update(stagings).where(this).values(touched_at=batch.recorded_at)
    row = batch.connection.execute(touched.returning(stagings.c.document_id, stagings.c.version)).one_or_none()
    return None if row is None else Staging(id=staging_id, document_id=row.document_id, version=row.version)


def waiting(batch: Batch, staging: Staging) -> dict[int, tuple[str, bytes]]:
    """Return the episodes that wait, and their texts' salts, by their place among the document's leaves."""
    query = select(episodes.c.position, episodes.c.id, payloads.c.salt).join_from(episodes, payloads, TEXT_OF_EPISODE)
    query = query.where(*_waiting(batch, staging))
    return {row.position: (row.id, row.salt) for row in batch.connection.execute(query)}


def clear(
    batch: Batch, *, source: str | None = None, document_ids: Iterable[str] = (), after: timedelta = _ABANDONED_AFTER
) -> None:
    """Delete what waits of a source or of documents, and all that was not continued for some time."""
    named, abandoned_before = frozenset(document_ids), timestamp(batch.at - after)
    for row in _begun(batch):
        if row.source == source or row.document_id in named or row.touched_at < abandoned_before:
            _delete(batch, row)


def clear_all(batch: Batch) -> None:
    """Delete everything that waits; a process that still writes it begins again."""
    for row in _begun(batch):
        _delete(batch, row)


def _begun(batch: Batch) -> Sequence[Row[Any]]:
    return batch.connection.execute(select(stagings).where(stagings.c.ns == batch.ns)).all()


def _delete(batch: Batch, row: Row[Any]) -> None:
    left = Staging(id=row.id, document_id=row.document_id, version=row.version)
    ids = batch.connection.scalars(select(episodes.c.id).where(*_waiting(batch, left))).all()
    delete_episodes(batch, ids)
    batch.connection.execute(delete(stagings).where(stagings.c.ns == batch.ns, stagings.c.id == row.id))


def _waiting(batch: Batch, staging: Staging) -> tuple[ColumnElement[bool], ...]:
    return (
        episodes.c.ns == batch.ns,
        episodes.c.document_id == staging.document_id,
        episodes.c.version == staging.version,
    )


class DocumentWriter(StoreReader, OpenedToWrite):
    """One namespace's documents, inside a write transaction."""

    def put_document(self, new: NewDocument, *, at: datetime) -> Document | None:
        """Write a document or its next version; None when the present one is not what it was computed against.

        Leaves that ``new.kept`` names stay the episodes they are, at their new places; leaves of the version before that
        are not among them leave the indexes and become superseded, their texts staying in the document's history. Leaves
        that were staged are there already, and only become visible. What another writer had staged of the source is
        deleted.
        """
        batch, source_text = self._batch(at), new.source_text
        if not self._is_present(source_text.source, new.previous_id, new.previous_version):
            return None
        staged = _staging(batch, new.staging_id) if new.staging_id else None
        if new.staging_id and staged is None:
            return None
        if staged:
            batch.connection.execute(delete(stagings).where(stagings.c.ns == batch.ns, stagings.c.id == staged.id))
            reached(FaultPoint.PUBLISHING)
        else:
            clear(batch, source=source_text.source)
        document_id = _publish(batch, new, staged)
        replace_labels(self._connection, self._ns, document_id, source_text.labels)
        return self.document(document_id)

    def begin_staging(self, new: NewDocument, *, at: datetime) -> tuple[str, frozenset[int]] | None:
        """Begin a version that is written in parts, or go on with the same one; None when the present one is another.

        Other leaves that were staged of the source are deleted. A writer who is still at it is taken over.

        Returns:
            What it goes on under, and which of its leaves are written already, by their places.
        """
        source, digest = new.source_text.source, _digest(new)
        if not self._is_present(source, new.previous_id, new.previous_version):
            return None
        batch = self._batch(at)
        staging_id = batch.new_id()
        same = and_(stagings.c.ns == batch.ns, stagings.c.source == source, stagings.c.leaves_sha256 == digest)
        batch.connection.execute(update(stagings).where(same).values(id=staging_id))
        staged = _staging(batch, staging_id)
        if staged is not None:
            return staging_id, frozenset(waiting(batch, staged))
        clear(batch, source=source)
        row = {"id": staging_id, "source": source, "touched_at": batch.recorded_at, "leaves_sha256": digest}
        about = {"document_id": new.previous_id or batch.new_id(), "version": new.previous_version + 1}
        batch.connection.execute(insert(stagings).values(ns=batch.ns, **row, **about))
        return staging_id, frozenset()

    def stage_leaves(self, new: NewDocument, *, at: datetime) -> bool:
        """Write the leaves that ``new`` has keys for, invisibly; False when another writer took over."""
        batch = self._batch(at)
        staged = _staging(batch, new.staging_id) if new.staging_id else None
        if staged is None:
            return False
        insert_leaves(batch, staged.document_id, new)
        reached(FaultPoint.STAGED)
        return True

    def clear_staging(self, source: str, *, at: datetime) -> None:
        """Delete what is written of a version of the source that is not visible yet."""
        clear(self._batch(at), source=source)

    def _is_present(self, source: str, document_id: str | None, version: int) -> bool:
        present = self.document_by_source(source)
        return ((present.id, present.version) if present else (None, 0)) == (document_id, version)

    def label_document(self, present: Document, labels: Labels, *, at: datetime) -> Document | None:
        """Replace what a document is filed under; None when it is no longer as ``present`` says."""
        if self.document(present.id) != present:
            return None
        replace_labels(self._connection, self._ns, present.id, labels)
        changed = self.document(present.id)
        assert changed is not None
        counts = {"metadata": len(changed.metadata), "tags": len(changed.tags)}
        self._batch(at).append_events(EventKind.LABELS_CHANGED, [(present.id, counts)])
        return changed

    def note_source(self, present: Document, *, at: datetime) -> bool:
        """Record that a document's source says now what the document says; False when it is no longer as ``present``."""
        if self.document(present.id) != present:
            return False
        batch = self._batch(at)
        of_version = (versions.c.document_id == present.id, versions.c.number == present.version)
        noted = update(versions).where(versions.c.ns == batch.ns, *of_version).values(kept=write_kept(()))
        batch.connection.execute(noted)
        this = and_(documents.c.ns == batch.ns, documents.c.id == present.id)
        batch.connection.execute(update(documents).where(this).values(source_sha256=present.content_sha256))
        batch.append_events(EventKind.SOURCE_FOLLOWED, [(present.id, {"version": present.version})])
        return True


def _digest(new: NewDocument) -> str:
    """Return the hash of all that decides which leaves a version gets, and what is indexed of them by one model."""
    leaves = [(leaf.span.start, leaf.span.end, leaf.heading_path) for leaf in new.tree.leaves]
    of_text = (new.content_sha256, new.title, new.language.value, str(new.source_text.occurred_at), leaves)
    decides = (new.previous_id, new.previous_version, sorted(new.kept.items()), of_text)
    return sha256(repr(decides).encode()).hexdigest()


def _publish(batch: Batch, new: NewDocument, staged: Staging | None) -> str:
    """Write what becomes visible, and return the document's id."""
    document_id = new.previous_id or (staged.document_id if staged else batch.new_id())
    if new.previous_id is None:
        _insert_document(batch, document_id, new)
    before = _present_places(batch, document_id, new.previous_version) if new.previous_id else {}
    fresh = waiting(batch, staged) if staged else insert_leaves(batch, document_id, new)
    leaf_ids, digest = _leaves(new, fresh)
    _insert_version(batch, document_id, new, leaf_ids)
    gone = sorted(set(before) - set(leaf_ids))
    moved = {id_: place for place, id_ in enumerate(leaf_ids) if id_ in before and before[id_] != place}
    ended = {"state": EpisodeState.SUPERSEDED.value, "valid_to": batch.recorded_at}
    _change(batch, [{"of": id_} for id_ in gone], **ended)
    move(batch, moved)
    batch.log(gone, present=False)
    batch.log([id_ for id_ in leaf_ids if id_ not in before or id_ in moved], present=True)
    places = () if is_shadow_source(new.source_text.source) else new.tree.review_items
    file_for_version(batch, places, document_id=document_id, version=new.previous_version + 1, gone=gone)
    body = {"version": new.previous_version + 1, "leaves": len(leaf_ids), "kept": len(new.kept), "digest": digest}
    batch.append_events(EventKind.DOCUMENT_ADDED, [(document_id, body)])
    return document_id


def _insert_document(batch: Batch, document_id: str, new: NewDocument) -> None:
    row = {"id": document_id, "source": new.source_text.source, "version": 0, "is_file": False}
    batch.connection.execute(insert(documents).values(ns=batch.ns, created_at=batch.recorded_at, **row))


def _insert_version(batch: Batch, document_id: str, new: NewDocument, leaf_ids: Sequence[str]) -> None:
    number = new.previous_version + 1
    own: EventsRow = {"ns": batch.ns, "document_id": document_id, "number": number, "recorded_at": batch.recorded_at}
    own |= {"title": new.title, "language": new.language.value, "kept": write_kept(new.stretches)}
    own |= {"media_type": new.source_text.media_type.value, "encoding": new.source_text.encoding}
    own |= {"characters": len(new.source_text.text), "content_sha256": new.content_sha256}
    own |= {"chunk_count": len(new.tree.chunks), "episode_count": len(leaf_ids)}
    batch.connection.execute(insert(versions).values(**own))
    belongs: EventsRow = {"document_id": document_id, "version": number}
    leaves = iter(leaf_ids)
    chunk_rows = [
        _chunk_row(batch, chunk, ordinal, next(leaves) if chunk.is_leaf else None) | belongs
        for ordinal, chunk in enumerate(new.tree.chunks)
    ]
    if chunk_rows:
        batch.connection.execute(insert(chunks), chunk_rows)
    this = and_(documents.c.ns == batch.ns, documents.c.id == document_id)
    said: EventsRow = {}
    if new.is_from_source:
        said = {"source_sha256": new.source_sha256 or new.content_sha256, "is_file": new.source_text.is_file}
    batch.connection.execute(update(documents).where(this).values(version=number, **said))
    reached(FaultPoint.VERSION_VISIBLE)


def _present_places(batch: Batch, document_id: str, version: int) -> dict[str, int]:
    query = select(episodes.c.id, episodes.c.position).join_from(chunks, episodes, EPISODE_OF_CHUNK)
    query = query.where(chunks.c.ns == batch.ns, chunks.c.document_id == document_id, chunks.c.version == version)
    return {row.id: row.position for row in batch.connection.execute(query)}


def insert_leaves(batch: Batch, document_id: str, new: NewDocument) -> dict[int, tuple[str, bytes]]:
    """Write the new leaves that have keys; return each one's episode and its text's salt, by its place."""
    leaves, text = new.tree.leaves, new.source_text.text
    ids = {place: batch.new_id() for place in sorted(new.keys)}
    made = batch.insert_payloads((id_, leaves[place].span.of(text), new.keys[place]) for place, id_ in ids.items())
    belongs: EventsRow = {
        "document_id": document_id,
        "version": new.previous_version + 1,
        "language": new.language.value,
        "occurred_at": optional_timestamp(new.source_text.occurred_at),
        "occurred_offset_minutes": offset_minutes(new.source_text.occurred_at),
    }
    rows = [
        batch.episode_row(id_, EpisodeKind.CHUNK, made[id_].id) | belongs | {"position": place}
        for place, id_ in ids.items()
    ]
    if rows:
        batch.connection.execute(insert(episodes), rows)
        reached(FaultPoint.EPISODES_WRITTEN)
    return {place: (id_, made[id_].salt) for place, id_ in ids.items()}


def _leaves(new: NewDocument, fresh: dict[int, tuple[str, bytes]]) -> tuple[list[str], str]:
    """Return every leaf's id and a digest of the new ones, salted leaf by leaf."""
    leaves, text = new.tree.leaves, new.source_text.text
    ids = [new.kept.get(place) or fresh[place][0] for place in range(len(leaves))]
    salted = (salted_digest(leaves[place].span.of(text), fresh[place][1]) for place in sorted(fresh))
    return ids, sha256("".join(salted).encode("ascii")).hexdigest()


def _chunk_row(batch: Batch, chunk: Chunk, ordinal: int, episode_id: str | None) -> EventsRow:
    own = {"ns": batch.ns, "id": batch.new_id(), "ordinal": ordinal, "episode_id": episode_id}
    place = {"start": chunk.span.start, "end": chunk.span.end}
    return row_of(chunks, chunk, **own, **place, attempts=write_attempts(chunk.attempts))


def move(batch: Batch, places: Mapping[str, int]) -> None:
    """Write new places of episodes."""
    rows = [{"of": id_, "place": place} for id_, place in places.items()]
    values: EventsRow = {"position": bindparam("place")}
    _change(batch, rows, **values)


def _change(batch: Batch, rows: Sequence[EventsRow], **values: object) -> None:
    """Write values of episodes; a row names one, as ``of``."""
    if rows:
        this = and_(episodes.c.ns == batch.ns, episodes.c.id == bindparam("of"))
        batch.connection.execute(update(episodes).where(this).values(values), rows)
