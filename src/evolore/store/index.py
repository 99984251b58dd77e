"""One namespace's indexes in memory, derived from the tables and kept up with their log."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import Row, func, select

from evolore.ports import IndexView
from evolore.store.items import Item, ItemTable
from evolore.store.lexical import LexicalIndex
from evolore.store.rows import moment
from evolore.store.searched import SearchedVectors
from evolore.store.selects import select_log
from evolore.store.tables import index_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel
    from evolore.store.settings import IndexSettings
    from evolore.store.snapshot_keeping import SnapshotKeeper

_BATCH = 8192
"""How many rows are read at a time: few enough not to be felt in memory, enough to append in few pieces."""

_FLOAT16 = np.dtype("<f2")


class NamespaceIndex:
    """The lexical and vector indexes of one namespace, equal to its tables up to a watermark in their log.

    Law: whatever was added, changed and erased, it equals one built anew from the tables, but for the order of items.
    Hold ``lock`` while refreshing it and while using a view of it.

    Args:
        ns: The namespace's number.
        model: The store's embedding model.
        settings: How much is kept where.
        keeper: Keeps the store's snapshots.
    """

    def __init__(self, ns: int, model: EmbeddingModel, *, settings: IndexSettings, keeper: SnapshotKeeper) -> None:
        self.lock = Lock()
        self._ns = ns
        self._model = model
        self._settings = settings
        self._keeper = keeper
        self._clear()

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        return self._items.bytes_held + self._text.bytes_held + self._vectors.bytes_held

    def refresh(self, connection: Connection) -> None:
        """Take in what was committed since the last refresh.

        Costs one look-up when nothing was; otherwise the new items and those of their sessions and documents, and a
        pass over all of them when some left.
        """
        here = index_log.c.ns == self._ns
        last: int = connection.scalar(select(func.max(index_log.c.seq)).where(here)) or 0
        if last > self._watermark:
            self._view = None
            try:
                self._take_in(connection)
            except BaseException:
                self._clear()  # half of it is there: the next refresh begins anew
                raise
            self._watermark = last
        self._vectors.follow(connection)

    def view(self) -> IndexView:
        """Give the indexes as recall reads them; valid until the next refresh."""
        if self._view is None:
            self._view = IndexView(
                episode_ids=self._items.ids,
                neighbours=self._items.neighbours,
                neighbour_gaps=self._items.neighbour_gaps,
                groups=self._items.groups,
                times=self._items.times,
                speakers=self._items.speakers,
                speaker_names=self._items.speaker_names,
                text=self._text,
                vectors=self._vectors,
            )
        return self._view

    def _clear(self) -> None:
        self._watermark = 0
        self._items = ItemTable()
        self._text = LexicalIndex()
        self._vectors = SearchedVectors(self._ns, self._model.dimension, settings=self._settings, keeper=self._keeper)
        self._view: IndexView | None = None

    def _take_in(self, connection: Connection) -> None:
        if len(self._items):
            here = (index_log.c.ns == self._ns, index_log.c.seq > self._watermark)
            self._drop(connection.scalars(select(index_log.c.episode_id).where(*here)).all())
        query = select_log(self._ns, after=self._watermark, model_id=self._model.id)
        with connection.execution_options(yield_per=_BATCH).execute(query) as result:
            for rows in result.partitions():
                self._append([row for row in rows if row.payload_id is not None])

    def _append(self, rows: Sequence[Row[*tuple[Any, ...]]]) -> None:
        if not rows:
            return
        self._items.append([_item(row) for row in rows])
        self._text.append([row.tokens.split() for row in rows])
        packed = np.frombuffer(b"".join(row.data for row in rows), dtype=_FLOAT16)
        halves = packed.reshape(len(rows), self._model.dimension).astype(np.float16, copy=False)
        self._vectors.append([row.payload_id for row in rows], halves)

    def _drop(self, ids: Sequence[str]) -> None:
        """Take out items that left, or that come again at another place."""
        gone = self._items.numbers_of(ids)
        if gone:
            self._text.remove(gone)
            self._text.compact()
            self._vectors.keep(self._items.drop(gone))


def _item(row: Row[*tuple[Any, ...]]) -> Item:
    time = moment(row.occurred_at or row.recorded_at).timestamp()
    return Item(
        id=row.episode_id,
        group=_group(row),
        position=row.position,
        time=time,
        said_at=time if row.document_id is None else 0.0,
        speaker=row.speaker,
    )


def _group(row: Row[*tuple[Any, ...]]) -> str | None:
    if row.document_id is not None:
        return f"d{row.document_id}"
    return None if row.session is None else f"s{row.session}"
