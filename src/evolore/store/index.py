"""One namespace's indexes in memory, derived from the tables and kept up with their log."""

from __future__ import annotations

from contextlib import closing
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Integer, Text, bindparam, func, select

from evolore.ports import IndexView
from evolore.store.history import named_behind
from evolore.store.index_rows import changing_of, facts_of, item_of
from evolore.store.item_facts import Changing, FactTable
from evolore.store.items import ItemTable
from evolore.store.items_file import ItemsFile
from evolore.store.key_columns import read_names
from evolore.store.lexical import LexicalIndex
from evolore.store.name_postings import NamePostings
from evolore.store.prepared import HERE, Prepared, among, as_json
from evolore.store.query_index import TeachingQuestions
from evolore.store.searched import SearchedVectors
from evolore.store.selects import select_log
from evolore.store.snapshot_file import ID_BYTES
from evolore.store.snapshot_keeping import Kept
from evolore.store.tables import episodes, index_log, namespaces, vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel
    from evolore.store.prepared import ReadRow
    from evolore.store.settings import IndexSettings
    from evolore.store.snapshot_keeping import SnapshotKeeper

_BATCH = 8192
"""How many rows are read at a time: few enough not to be felt in memory, enough to append in few pieces."""

_QUESTIONED = 500
"""How many vectors are asked for at a time by name."""

_PAYLOADS = "payloads"
_LENT = "lent"
_EVENTS = "events"
_ENDS = Prepared(
    select(
        select(func.max(index_log.c.seq)).where(index_log.c.ns == HERE).scalar_subquery(),
        select(namespaces.c.event_seq).where(namespaces.c.ns == HERE).scalar_subquery(),
    )
)
_AFTER = bindparam("after", type_=Integer)
_LOGGED = Prepared(select(index_log.c.episode_id).where(index_log.c.ns == HERE, index_log.c.seq > _AFTER))
_LOG = Prepared(select_log(HERE, after=_AFTER, model_id=bindparam("model", type_=Text)))
_CHANGING = Prepared(
    select(episodes.c.id, episodes.c.arousal, episodes.c.state, episodes.c.stands_until, episodes.c.valid_to).where(
        episodes.c.ns == HERE, episodes.c.id.in_(among("ids"))
    )
)
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
        parts = (self._items, self._facts, self._names, self._text, self._vectors, self._queries)
        return sum(part.bytes_held for part in parts)

    def refresh(self, connection: Connection) -> None:
        """Take in what was committed since the last refresh.

        Costs one look-up when nothing was; otherwise the new items and those of their sessions and documents, and a
        pass over all of them when some left.
        """
        if not self._watermark:
            self._restore(connection)
        last, last_event = _ENDS.first(connection, {"here": self._ns}) or (None, None)
        if (last or 0, last_event or 0) > (self._watermark, self._event_mark):
            self._view = None
            try:
                self._take_in(connection, (last or 0, last_event or 0))
            except BaseException:
                self._clear()  # half of it is there: the next refresh begins anew
                raise
        self._vectors.follow(connection)
        self._queries.follow(connection)
        if (
            self._vectors.has_snapshot
            and self._keeper.would_build(self._ns, Kept.ITEMS, self._watermark)
            and self._is_unsaved()
        ):
            self._keeper.begin_items(self._ns, self._keeper.origin(connection, self._ns), self.state())

    def save(self, connection: Connection) -> bool:
        """Write the file of items; False where there are too few to need one, or another process writes.

        Raises:
            OSError: There is no room, or no right to write.
        """
        if len(self._items) <= self._settings.exact_up_to:
            return False
        return self._keeper.save_items(self._ns, self._keeper.origin(connection, self._ns), self.state())

    def state(self) -> ItemsFile:
        """Give all it knows but the vectors, as arrays that nothing changes later."""
        ids = np.frombuffer("".join(self._vectors.payload_ids).encode("ascii"), dtype=np.uint8)
        own = {f"text {name}": array for name, array in self._text.state().items()}
        own |= {f"items {name}": array for name, array in self._items.state().items()}
        own |= {f"facts {name}": array for name, array in self._facts.state().items()}
        own |= {f"names {name}": array for name, array in self._names.state().items()}
        own |= {_PAYLOADS: ids, _LENT: self._vectors.is_lent, _EVENTS: np.array([self._event_mark], dtype=np.int64)}
        return ItemsFile(watermark=self._watermark, arrays=own)

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
                names=self._names,
                periods=self._facts.periods,
                arousal=self._facts.arousal,
                is_arousal_given=self._facts.is_arousal_given,
                days=self._facts.days,
                states=self._facts.states,
                subjects=self._facts.subjects,
                is_question=self._facts.is_question,
                is_passage=self._facts.is_passage,
                is_made=self._facts.is_made,
                stands_until=self._facts.stands_until,
                valid_to=self._facts.valid_to,
                has_hidden=self._items.hidden_count > 0,
                numbers=self._items.numbers,
                queries=self._queries,
                relinked=self._items.relinked,
                group_of=self._items.group_of_document,
            )
        return self._view

    def _clear(self) -> None:
        self._watermark = 0
        self._event_mark = 0
        self._items = ItemTable()
        self._facts = FactTable()
        self._names = NamePostings()
        self._text = LexicalIndex()
        self._vectors = SearchedVectors(self._ns, self._model.dimension, settings=self._settings, keeper=self._keeper)
        self._queries = TeachingQuestions(self._ns, self._model)
        self._view: IndexView | None = None

    def _restore(self, connection: Connection) -> None:
        """Begin with what the file of items says, if there is one that can be trusted; the log tells the rest."""
        found = self._keeper.open_items(connection, self._ns)
        if found is None:
            return
        try:
            self._text = LexicalIndex.restored(found.part("text "))
            self._items = ItemTable.restored(found.part("items "))
            self._facts = FactTable.restored(found.part("facts "))
            self._names = NamePostings.restored(found.part("names "))
            event_mark = int(found.arrays[_EVENTS][0])
            ids = found.arrays[_PAYLOADS].tobytes().decode("ascii")
            payload_ids = [ids[start : start + ID_BYTES] for start in range(0, len(ids), ID_BYTES)]
            self._vectors.restore(
                payload_ids, found.arrays[_LENT], lambda some: self._read_vectors(connection, some), connection
            )
        except BaseException:  # half of the file is there: begin anew; it is raised again
            self._clear()
            raise
        self._watermark, self._event_mark = found.watermark, event_mark

    def _read_vectors(self, connection: Connection, payload_ids: Sequence[str]) -> npt.NDArray[np.float16]:
        rows = np.zeros((len(payload_ids), self._model.dimension), dtype=np.float16)
        for start in range(0, len(payload_ids), _QUESTIONED):
            some = {id_: start + place for place, id_ in enumerate(payload_ids[start : start + _QUESTIONED])}
            here = (vectors.c.ns == self._ns, vectors.c.model_id == self._model.id, vectors.c.payload_id.in_(some))
            for row in connection.execute(select(vectors.c.payload_id, vectors.c.data).where(*here)):
                rows[some[row.payload_id]] = np.frombuffer(row.data, dtype=_FLOAT16)
        return rows

    def _is_unsaved(self) -> bool:
        """Tell whether the file of items is missing, or so far behind that reading the rest takes longer than it."""
        saved = self._keeper.saved_items(self._ns)
        return saved is None or self._watermark - saved > self._settings.tail_share * len(self._items)

    def _take_in(self, connection: Connection, ends: tuple[int, int]) -> None:
        if ends[0] > self._watermark:
            self._take_in_items(connection)
        if self._watermark:  # what was built anew just now knows how things stand
            self._take_in_changes(connection)
        self._watermark, self._event_mark = ends

    def _take_in_changes(self, connection: Connection) -> None:
        """Take in what events changed in place: an item that leaves and comes again would cost a pass over all."""
        named = named_behind(connection, self._ns, self._event_mark)
        known: dict[int, Changing] = {}
        for start in range(0, len(named), _BATCH):
            some = as_json(named[start : start + _BATCH])
            for row in _CHANGING.rows(connection, {"here": self._ns, "ids": some}):
                known.update((number, changing_of(row)) for number in self._items.numbers_of([row.id]))
        if known:
            self._facts.change(list(known), list(known.values()))
            self._items.set_hidden(list(known), [one.is_hidden for one in known.values()])

    def _take_in_items(self, connection: Connection) -> None:
        behind = {"here": self._ns, "after": self._watermark, "model": self._model.id}
        if len(self._items):
            self._drop(_LOGGED.scalars(connection, behind))
        with closing(_LOG.batches(connection, behind, size=_BATCH)) as batches:
            for rows in batches:
                self._append([row for row in rows if row.payload_id is not None])

    def _append(self, rows: Sequence[ReadRow]) -> None:
        if not rows:
            return
        self._items.append([item_of(row) for row in rows])
        self._facts.append([facts_of(row) for row in rows])
        self._names.append([read_names(row.names) for row in rows])
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
            kept = self._items.drop(gone)
            self._facts.keep(kept)
            self._names.keep(kept)
            self._vectors.keep(kept)
