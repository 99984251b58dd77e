"""One namespace's indexes in memory, derived from its rows and kept up with their log; as many as fit."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from threading import Lock

import numpy as np

from evolore.errors import InvalidSetting
from evolore.index.arrays import ItemsFile
from evolore.index.facts import Changing, FactTable
from evolore.index.feed import Feed, NewItems
from evolore.index.items import ItemTable
from evolore.index.lexical import LexicalIndex
from evolore.index.names import NamePostings
from evolore.index.questions import TeachingQuestions
from evolore.index.settings import IndexSettings
from evolore.index.snapshots import ID_BYTES, Kept
from evolore.index.vector_search import SearchedVectors, SnapshotKeeper
from evolore.ports import IndexView

_PAYLOADS = "payloads"
_LENT = "lent"
_EVENTS = "events"
_ITEM_BYTES = 900
"""What an item takes beside its vector: with texts of 40 words 890 by `benchmarks/sizing.py`."""


class NamespaceIndex:
    """The lexical and vector indexes of one namespace, equal to its rows up to a watermark in their log.

    Law: after any additions, changes and erasures, it equals one rebuilt from the rows, but for the order of items.
    Hold ``lock`` while refreshing it and while using a view; a thread that waits holds ``next``, so that no
    other gets it before the one that waits.
    """

    def __init__(self, ns: int, dimension: int, *, settings: IndexSettings, keeper: SnapshotKeeper) -> None:
        self.lock, self.next = Lock(), Lock()
        self._ns = ns
        self._dimension = dimension
        self._settings = settings
        self._keeper = keeper
        self._clear()

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        parts = (self._items, self._facts, self._names, self._text, self._vectors, self._queries)
        return sum(part.bytes_held for part in parts)

    def refresh(self, feed: Feed) -> None:
        """Add what was committed since the last refresh.

        Costs one look-up when nothing was; otherwise the new items and those of their sessions and documents, and a
        pass over all of them when some left.

        Raises:
            InvalidSetting: It is to be read in, and would take more memory than it may.
        """
        ends = feed.ends()
        if not self._watermark:
            self._refuse_too_large(feed, ends)
            self._restore(feed)
        elif ends[0] > self._watermark < feed.begins():
            self._clear()
        if ends > (self._watermark, self._event_mark):
            self._view = None
            try:
                self._take_in(feed, ends)
            except BaseException:
                self._clear()  # half of it is there: the next refresh begins again
                raise
        self._vectors.follow(feed)
        self._queries.follow(feed)
        if (
            self._vectors.has_snapshot
            and self._keeper.would_build(self._ns, Kept.ITEMS, self._watermark)
            and self._is_unsaved()
        ):
            content, origin = self.state(), self._keeper.origin(feed)
            self._keeper.begin_writing(Kept.ITEMS, self._ns, origin, content, stands=holds_nothing_gone)

    def _refuse_too_large(self, feed: Feed, ends: tuple[int, int]) -> None:
        each, most = 2 * self._dimension + _ITEM_BYTES, self._settings.namespace_bytes
        if most is None or ends[0] * each <= most:  # no more items than steps of the log
            return
        count = sum(1 for _ in feed.payload_ids())
        if count * each > most:
            raise InvalidSetting(
                f"The namespace holds {count:,} texts, whose indexes would take about {count * each / 1e9:,.1f} GB of "
                f"memory, and one namespace may take {most / 1e9:,.1f} GB here. Run it where there is more memory, set "
                "namespace_memory_bytes to what it may take, or keep parts of it in namespaces of their own and ask with also=."
            )

    def save(self, feed: Feed) -> bool:
        """Write the file of items; False where there are too few to need one, or another process writes.

        Raises:
            OSError: There is no room, or no right to write.
        """
        if len(self._items) <= self._settings.exact_up_to:
            return False
        return self._keeper.write(
            Kept.ITEMS, self._ns, self._keeper.origin(feed), self.state(), stands=holds_nothing_gone
        )

    def state(self) -> ItemsFile:
        """Return all it knows but the vectors, as arrays that nothing changes later."""
        ids = np.frombuffer("".join(self._vectors.payload_ids).encode("ascii"), dtype=np.uint8)
        own = {f"text {name}": array for name, array in self._text.state().items()}
        own |= {f"items {name}": array for name, array in self._items.state().items()}
        own |= {f"facts {name}": array for name, array in self._facts.state().items()}
        own |= {f"names {name}": array for name, array in self._names.state().items()}
        own |= {_PAYLOADS: ids, _LENT: self._vectors.is_lent, _EVENTS: np.array([self._event_mark], dtype=np.int64)}
        return ItemsFile(watermark=self._watermark, arrays=own)

    def view(self) -> IndexView:
        """Return the indexes as recall reads them; valid until the next refresh."""
        if self._view is None:
            self._view = IndexView(
                episode_ids=self._items.ids,
                neighbours=self._items.neighbours,
                neighbour_gaps=self._items.neighbour_gaps,
                groups=self._items.groups.rows,
                times=self._items.times.rows,
                speakers=self._items.speakers.numbers,
                speaker_names=self._items.speakers.names,
                text=self._text,
                vectors=self._vectors,
                names=self._names,
                periods=self._facts.periods,
                arousal=self._facts.arousal,
                is_arousal_given=self._facts.is_arousal_given,
                days=self._facts.days.rows,
                states=self._facts.states.rows,
                languages=self._facts.languages.rows,
                subjects=self._facts.about.numbers,
                is_question=self._facts.is_question.rows,
                is_passage=self._facts.is_passage.rows,
                is_made=self._facts.is_made.rows,
                stands_until=self._facts.stands_until.rows,
                valid_to=self._facts.valid_to.rows,
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
        self._vectors = SearchedVectors(self._ns, self._dimension, settings=self._settings, keeper=self._keeper)
        self._queries = TeachingQuestions(
            self._dimension,
            keeper=self._keeper,
            filed_from=self._settings.exact_up_to,
            tail_share=self._settings.tail_share,
        )
        self._view: IndexView | None = None

    def _restore(self, feed: Feed) -> None:
        """Begin with what the file of items says, if there is one that can be trusted; the log supplies the rest."""
        found = self._keeper.open_items(feed)
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
            self._vectors.restore(payload_ids, found.arrays[_LENT], feed)
        except BaseException:  # half of the file is there: start over; it is raised again
            self._clear()
            raise
        self._watermark, self._event_mark = found.watermark, event_mark

    def _is_unsaved(self) -> bool:
        """Return whether the file of items is missing, or so far behind that reading the rest takes longer than it."""
        saved = self._keeper.saved_at(Kept.ITEMS, self._ns)
        return saved is None or self._watermark - saved > self._settings.tail_share * len(self._items)

    def _take_in(self, feed: Feed, ends: tuple[int, int]) -> None:
        if ends[0] > self._watermark:
            with closing(feed.items(after=self._watermark)) as parts:
                for new in parts:
                    if len(self._items):
                        self._drop(new.named)
                    if new.items:
                        self._append(new)
        if self._watermark:  # what was rebuilt just now is up to date
            self._take_in_changes(feed)
        self._watermark, self._event_mark = ends

    def _take_in_changes(self, feed: Feed) -> None:
        """Apply what events changed in place: an item that leaves and comes again would cost a pass over all."""
        known: dict[int, Changing] = {}
        for some in feed.changes(after=self._event_mark):
            for id_, one in some:
                known.update((number, one) for number in self._items.numbers_of([id_]))
        if known:
            self._facts.change(list(known), list(known.values()))
            self._items.set_hidden(list(known), [one.is_hidden for one in known.values()])

    def _append(self, new: NewItems) -> None:
        self._items.append(new.items)
        self._facts.append(new.facts)
        self._names.append(new.names)
        self._text.append(new.tokens)
        self._vectors.append(new.payload_ids, new.vectors)

    def _drop(self, ids: Sequence[str]) -> None:
        """Remove items that left, or that come again at another place."""
        gone = self._items.numbers_of(ids)
        if gone:
            self._text.remove(gone)
            self._text.compact()
            kept = self._items.drop(gone)
            self._facts.keep(kept)
            self._names.keep(kept)
            self._vectors.keep(kept)


def holds_nothing_gone(content: ItemsFile, feed: Feed) -> bool:
    """Return whether nothing left the indexes since the content of a file of items was taken."""
    return not feed.has_left(after=content.watermark)


@dataclass(slots=True)
class _Open:
    index: NamespaceIndex
    bytes_held: int = 0


class OpenIndexes:
    """The open namespaces' indexes, from the one not used for longest to the last.

    Threads may share it.
    """

    def __init__(self, make: Callable[[int], NamespaceIndex], *, memory_bytes: int) -> None:
        self._make = make
        self._memory_bytes = memory_bytes
        self._lock = Lock()
        self._open: dict[int, _Open] = {}
        self._bytes_held = 0

    def __len__(self) -> int:
        return len(self._open)

    @contextmanager
    def using(self, ns: int) -> Generator[NamespaceIndex]:
        """Return a namespace's index for this thread alone, then let go of what no longer fits."""
        with self._lock:
            entry = self._open.pop(ns, None) or _Open(self._make(ns))
            self._open[ns] = entry
        with entry.index.next:
            entry.index.lock.acquire()
        try:
            yield entry.index
        finally:
            try:
                self._settle(ns, entry)
            finally:
                entry.index.lock.release()

    def clear(self) -> None:
        """Release all indexes."""
        with self._lock:
            self._open.clear()
            self._bytes_held = 0

    def _settle(self, ns: int, entry: _Open) -> None:
        """Record how large an index has become, and release what no longer fits beside it."""
        with self._lock:
            if self._open.get(ns) is not entry:
                return
            grown = entry.index.bytes_held
            self._bytes_held += grown - entry.bytes_held
            entry.bytes_held = grown
            while self._bytes_held > self._memory_bytes and len(self._open) > 1:
                # Another thread may be using it: it works on until it is done, and a new one is made after it.
                self._bytes_held -= self._open.pop(next(number for number in self._open if number != ns)).bytes_held
