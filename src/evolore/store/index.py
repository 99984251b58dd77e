"""One namespace's indexes in memory, derived from the tables and kept up with their log."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from evolore.ports import IndexView
from evolore.store.lexical import LexicalIndex
from evolore.store.rows import moment, unpack
from evolore.store.selects import select_log
from evolore.store.tables import index_log
from evolore.store.vectors import ExactVectors

if TYPE_CHECKING:
    import numpy.typing as npt
    from sqlalchemy import Connection, RowMapping

    from evolore.ports import EmbeddingModel

_REACH = 2


@dataclass(slots=True)
class _Items:
    """What is known of each item besides its words and vector, in the items' order."""

    ids: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    speakers: list[str | None] = field(default_factory=list)

    def append(self, row: RowMapping) -> None:
        """Add an item from its row in the log."""
        self.ids.append(row["episode_id"])
        self.groups.append(_group(row))
        self.positions.append(row["position"])
        self.times.append(moment(row["occurred_at"] or row["recorded_at"]).timestamp())
        self.speakers.append(row["speaker"])

    def keep(self, rows: npt.NDArray[np.intp]) -> None:
        """Keep these items, in this order, and drop the others."""
        kept: list[int] = rows.tolist()
        self.ids = [self.ids[row] for row in kept]
        self.groups = [self.groups[row] for row in kept]
        self.positions = [self.positions[row] for row in kept]
        self.times = [self.times[row] for row in kept]
        self.speakers = [self.speakers[row] for row in kept]


class NamespaceIndex:
    """The lexical and vector indexes of one namespace, equal to its tables up to a watermark in their log.

    Law: whatever was added, changed and erased, it equals one built anew from the tables, but for the order of items.
    Hold ``lock`` while refreshing it and while using a view of it.

    Args:
        ns: The namespace's number.
        model: The store's embedding model.
    """

    def __init__(self, ns: int, model: EmbeddingModel) -> None:
        self.lock = Lock()
        self._ns = ns
        self._model = model
        self._watermark = 0
        self._items = _Items()
        self._text = LexicalIndex()
        self._vectors = ExactVectors(model.dimension)
        self._view: IndexView | None = None

    def refresh(self, connection: Connection) -> None:
        """Take in what was committed since the last refresh.

        Costs one look-up when nothing was; otherwise the new items, and a pass over all of them when some left.
        """
        here = index_log.c.ns == self._ns
        last: int = connection.scalar(select(func.max(index_log.c.seq)).where(here)) or 0
        if last == self._watermark:
            return
        query = select_log(self._ns, after=self._watermark, model_id=self._model.id)
        rows = connection.execute(query).mappings().all()
        self._drop({row["episode_id"] for row in rows})
        fresh = [row for row in rows if row["payload_id"] is not None]
        self._text.append([row["tokens"].split() for row in fresh])
        for row in fresh:
            self._items.append(row)
            self._vectors.append(unpack(row["data"]))
        self._watermark = last
        self._view = None

    def view(self) -> IndexView:
        """Give the indexes as recall reads them; valid until the next refresh."""
        if self._view is None:
            groups = np.unique(np.array(self._items.groups, dtype=object), return_inverse=True)[1].astype(np.int32)
            self._view = IndexView(
                episode_ids=self._items.ids,
                neighbours=_neighbours(groups, np.array(self._items.positions, dtype=np.int64)),
                groups=groups,
                times=np.array(self._items.times, dtype=np.float64),
                speakers=self._items.speakers,
                text=self._text,
                vectors=self._vectors,
            )
        return self._view

    def _drop(self, ids: set[str]) -> None:
        """Take out items that left, or that come again at another place."""
        gone = [row for row, id_ in enumerate(self._items.ids) if id_ in ids]
        if not gone:
            return
        kept = np.delete(np.arange(len(self._items.ids)), gone)
        self._text.remove(gone)
        self._text.compact()
        self._vectors.keep(kept)
        self._items.keep(kept)


def _group(row: RowMapping) -> str:
    """Name the session or document an item stands in; one that stands alone is its own group."""
    if row["document_id"] is not None:
        return f"d{row['document_id']}"
    return f"e{row['episode_id']}" if row["session"] is None else f"s{row['session']}"


def _neighbours(groups: npt.NDArray[np.int32], positions: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Link each item with those up to two places before and after it in its group, shape (items, 4), -1 for none."""
    count = len(groups)
    order = np.lexsort((positions, groups))
    linked = np.full((count, 2 * _REACH), -1, dtype=np.int32)
    for column, distance in enumerate((-2, -1, 1, 2)):
        places = np.arange(max(0, -distance), count - max(0, distance))
        same = groups[order[places]] == groups[order[places + distance]]
        linked[order[places[same]], column] = order[places[same] + distance]
    return linked
