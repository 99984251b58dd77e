"""What can be written to one namespace inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.store import staging
from evolore.store.batch import Batch
from evolore.store.document_writing import insert_leaves, put_document
from evolore.store.erasing import erase, gathered
from evolore.store.events import EventKind
from evolore.store.faults import FaultPoint, reached
from evolore.store.reading import SqliteReader
from evolore.store.statement_writing import put_statements

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from evolore.domain.episodes import Episode
    from evolore.domain.knowledge import Document
    from evolore.ports import EmbeddingModel, NewDocument, NewStatement, Receipt
    from evolore.store.events import EventBody
    from evolore.store.ids import IdSource


class SqliteWriter(SqliteReader):
    """One namespace inside one write transaction: everything is written, or nothing.

    Args:
        connection: The open write transaction.
        ns: The namespace's number.
        name: The namespace's name.
        model: The store's embedding model.
        ids: Where new ids come from.
    """

    def __init__(self, connection: Connection, ns: int, *, name: str, model: EmbeddingModel, ids: IdSource) -> None:
        super().__init__(connection, ns, name=name, model=model)
        self._ids = ids

    def put_document(self, new: NewDocument, *, at: datetime) -> Document | None:
        """Write a document or its next version; None when the present one is not what it was computed against."""
        batch, source = self._batch(at), new.source_text.source
        if not self._is_present(source, new.previous_id, new.previous_version):
            return None
        staged = staging.find(batch, new.staging_id) if new.staging_id else None
        if new.staging_id and staged is None:
            return None
        if staged:
            staging.finish(batch, staged)
        else:
            staging.clear(batch, source=source)
        return self.document(put_document(batch, new, staged))

    def begin_staging(self, source: str, *, previous_id: str | None, previous_version: int, at: datetime) -> str | None:
        """Begin a version that is written in parts; None when the present one is not what it was computed against."""
        if not self._is_present(source, previous_id, previous_version):
            return None
        return staging.begin(self._batch(at), source, document_id=previous_id, version=previous_version + 1)

    def stage_leaves(self, new: NewDocument, *, at: datetime) -> bool:
        """Write the leaves that ``new`` has keys for, invisibly; False when another writer took over."""
        batch = self._batch(at)
        staged = staging.find(batch, new.staging_id) if new.staging_id else None
        if staged is None:
            return False
        insert_leaves(batch, staged.document_id, new)
        reached(FaultPoint.STAGED)
        return True

    def clear_staging(self, source: str, *, at: datetime) -> None:
        """Delete what is written of a version of the source that is not visible yet."""
        staging.clear(self._batch(at), source=source)

    def _is_present(self, source: str, document_id: str | None, version: int) -> bool:
        present = self.document_by_source(source)
        return ((present.id, present.version) if present else (None, 0)) == (document_id, version)

    def put_statements(self, new: Sequence[NewStatement], *, at: datetime) -> tuple[Episode, ...]:
        """Write statements in their order, each behind what its session holds."""
        return self.episodes(put_statements(self._batch(at), new))

    def erase(self, item_id: str, *more_ids: str, at: datetime) -> Receipt:
        """Erase documents with all their versions, and episodes, everywhere; one event records it.

        Raises:
            NotFound: An id names neither.
        """
        batch = self._batch(at)
        for one_id in (item_id, *more_ids):
            staging.clear(batch, document_id=one_id)
        erased = gathered([erase(self._connection, self._ns, one_id) for one_id in (item_id, *more_ids)])
        reached(FaultPoint.ROWS_ERASED)
        batch.log(erased.episode_ids, present=False)
        body: EventBody = {"documents": erased.documents, "episodes": len(erased.episode_ids)}
        if more_ids:
            body = {**body, "items": [item_id, *more_ids]}
        (event_id,) = batch.append_events(EventKind.ERASED, [(item_id, body)])
        return erased.receipt(event_id, at)

    def _batch(self, at: datetime) -> Batch:
        return Batch(self._connection, self._ns, at=at, ids=self._ids, model_id=self._model.id)
