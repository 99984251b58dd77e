"""What can be written to one namespace inside one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.store.batch import Batch
from evolore.store.checking import refuse_unless_whole
from evolore.store.document_writing import put_document
from evolore.store.erasing import erase
from evolore.store.events import EventKind
from evolore.store.importing import put_records
from evolore.store.keys import put_keys
from evolore.store.reading import SqliteReader
from evolore.store.repairing import relog, repair
from evolore.store.statement_writing import put_statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import Connection

    from evolore.domain.episodes import Episode
    from evolore.domain.knowledge import Document
    from evolore.ports import EmbeddingModel, ItemKeys, NewDocument, NewStatement, Receipt, Record
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

    def put_keys(self, keys: Mapping[str, ItemKeys], *, at: datetime) -> None:
        """Replace the tokens and vectors of texts that are still there, by payload."""
        put_keys(self._connection, self._ns, keys, model=self._model)
        relog(self._batch(at), keys)

    def repair(self, *, at: datetime) -> None:
        """Delete leftovers and orphans, and write anew what is derived."""
        repair(self._batch(at), model=self._model)

    def put_records(self, records: Iterable[Record]) -> None:
        """Write records whose payloads have ``tokens`` and ``vector``, into a namespace that holds nothing.

        Raises:
            InvalidValue: The namespace is not empty, a record has another form, or they do not fit together.
        """
        put_records(self._connection, self._ns, records, model=self._model)
        refuse_unless_whole(self._connection, self._ns, name=self._name, model=self._model)

    def erase(self, item_id: str, *, at: datetime) -> Receipt:
        """Erase a document with all its versions, or an episode, everywhere.

        Raises:
            NotFound: The id names neither.
        """
        batch = self._batch(at)
        erased = erase(self._connection, self._ns, item_id)
        batch.log(erased.episode_ids, present=False)
        counts = {"documents": erased.documents, "episodes": len(erased.episode_ids)}
        (event_id,) = batch.append_events(EventKind.ERASED, [(item_id, counts)])
        return erased.receipt(event_id, at)

    def _batch(self, at: datetime) -> Batch:
        return Batch(self._connection, self._ns, at=at, ids=self._ids, model_id=self._model.id)
