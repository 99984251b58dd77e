"""What can be written to one namespace inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.store.batch import Batch
from evolore.store.document_writing import put_document
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
        present = self.document_by_source(new.source_text.source)
        found = (present.id, present.version) if present else (None, 0)
        if found != (new.previous_id, new.previous_version):
            return None
        return self.document(put_document(self._batch(at), new, present))

    def put_statements(self, new: Sequence[NewStatement], *, at: datetime) -> tuple[Episode, ...]:
        """Write statements in their order, each behind what its session holds."""
        return self.episodes(put_statements(self._batch(at), new))

    def erase(self, item_id: str, *more_ids: str, at: datetime) -> Receipt:
        """Erase documents with all their versions, and episodes, everywhere; one event records it.

        Raises:
            NotFound: An id names neither.
        """
        batch = self._batch(at)
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
