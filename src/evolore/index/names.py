"""Index of the names that each item of a namespace holds, and of the items that hold each name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np

from evolore.index.arrays import Arrays, Column, Ragged, bytes_of, packed, places_in, starts_of, unpacked
from evolore.index.lexical import ITEM_BITS
from evolore.text.names import TITLE_MARK
from evolore.text.vectors import Int32s, Int64s, Intps

_NAME_BYTES = 150
"""About what a name takes as a key, beside its number."""
_ITEM = (1 << ITEM_BITS) - 1


class NamePostings:
    """The names of a namespace's items, in the order of the items, in both directions.

    From names to items lead keys, ``name number << 32 | item number``, in sorted segments that merge as they double: a
    name in an item is copied O(log items) times in its life, and a look-up asks O(log items) segments. Memory: 12 bytes
    a name in an item, 12 an item, and about 150 a name. Law: after any appends and drops it finds for the items
    that are left what one made of them alone finds.

    Args:
        name_lists: The names of each item; one behind ``TITLE_MARK`` is what its document is called by.

    >>> index = NamePostings([["Osaka", "Mika"], ["Mika"]])
    >>> starts, items = index.items_of(index.numbers_of(["Mika", "Ren"]))
    >>> starts.tolist(), items.tolist()
    ([0, 2, 2], [0, 1])
    """

    def __init__(self, name_lists: Iterable[Sequence[str]] = ()) -> None:
        self._numbers: dict[str, int] = {}
        self._held = Ragged(np.int32)
        self._holders = Column(np.int32)
        self._titles = Column(np.int32)
        self._segments: list[Int64s] = []
        self.append(name_lists)

    @property
    def count(self) -> int:
        """How many names there are."""
        return len(self._numbers)

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        keys = sum(segment.nbytes for segment in self._segments)
        return keys + bytes_of(self._held, self._holders, self._titles) + _NAME_BYTES * self.count

    @property
    def titles(self) -> Int32s:
        """The number of the name each item's document is called by, -1 where it has none, shape (items,)."""
        return self._titles.rows

    def numbers_of(self, names: Sequence[str]) -> Int32s:
        """Return the number of each name, -1 for one that no item holds, shape (names,)."""
        return np.fromiter((self._numbers.get(name, -1) for name in names), dtype=np.int32, count=len(names))

    def item_counts(self, numbers: Int32s) -> Int32s:
        """Return in how many items each name is, 0 for -1, shape (numbers,)."""
        counts = np.zeros(len(numbers), dtype=np.int32)
        is_known = numbers >= 0
        counts[is_known] = self._holders.rows[numbers[is_known]]
        return counts

    def items_of(self, numbers: Int32s) -> tuple[Int64s, Int32s]:
        """Return the items that hold each name, as rows one after the other; that of -1 is empty.

        Returns:
            Where each row begins and the end of the last, shape (numbers + 1,); item numbers, rising within a row.
        """
        found = [_rows_of(segment, numbers.astype(np.int64)) for segment in self._segments]
        if len(found) == 1:
            lengths, items = found[0]
            return starts_of(lengths), items
        each = np.arange(len(numbers))
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *(np.repeat(each, lengths) for lengths, _ in found)])
        items = np.concatenate([np.zeros(0, dtype=np.int32), *(some for _, some in found)])
        # A later segment holds later items, so a stable order by rows keeps them rising.
        starts = starts_of(np.bincount(rows, minlength=len(numbers)).astype(np.int64))
        return starts, items[np.argsort(rows, kind="stable")]

    def names_of(self, items: Int32s) -> tuple[Int64s, Int32s]:
        """Return the names each item holds, as rows one after the other, in the order they were given.

        Returns:
            Where each row begins and the end of the last, shape (items + 1,); numbers of names.
        """
        return self._held.take(items)

    def append(self, name_lists: Iterable[Sequence[str]]) -> None:
        """Add items after the others; a name that an item has twice counts once."""
        given = [list(names) for names in name_lists]
        lists = [dict.fromkeys(name.removeprefix(TITLE_MARK) for name in names) for names in given]
        lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
        known = self._numbers
        numbers = np.fromiter(
            (known.setdefault(name, len(known)) for name in chain.from_iterable(lists)),
            dtype=np.int32,
            count=int(lengths.sum()),
        )
        items = np.repeat(np.arange(len(self._held), len(self._held) + len(lists), dtype=np.int64), lengths)
        self._held.append(lengths, numbers)
        titles = [
            next((name[len(TITLE_MARK) :] for name in names if name.startswith(TITLE_MARK)), None) for names in given
        ]
        self._titles.append(np.array([-1 if name is None else known[name] for name in titles], dtype=np.int32))
        self._holders.append(np.zeros(self.count - len(self._holders), dtype=np.int32))
        np.add.at(self._holders.rows, numbers, 1)
        if numbers.size:
            self._segments.append(np.sort(numbers.astype(np.int64) << ITEM_BITS | items))
            while len(self._segments) > 1 and self._segments[-2].size < 2 * self._segments[-1].size:
                self._segments[-2:] = [_merged(self._segments[-2:])]

    def keep(self, kept: Intps) -> None:
        """Keep these items, whose numbers rise, renumber them, and forget the names that no item holds any more.

        Costs a few passes over everything.
        """
        new_items = np.full(len(self._held), -1, dtype=np.int64)
        new_items[kept] = np.arange(kept.size)
        self._held.keep(kept)
        holders = np.bincount(self._held.values, minlength=self.count).astype(np.int32)
        is_held = holders > 0
        new_names = np.cumsum(is_held, dtype=np.int64) - 1
        self._held.values[:] = new_names[self._held.values]
        self._titles.keep(kept)
        has_title = self._titles.rows >= 0
        self._titles.rows[has_title] = new_names[self._titles.rows[has_title]]
        self._holders = Column(np.int32)
        self._holders.append(holders[is_held])
        renamed = zip(self._numbers, is_held.tolist(), new_names.tolist(), strict=True)
        self._numbers = {name: new for name, held, new in renamed if held}
        # Both numberings keep the order, so what was sorted stays sorted.
        keys = _merged(self._segments)
        items = new_items[keys & _ITEM]
        stays = items >= 0
        keys = new_names[keys[stays] >> ITEM_BITS] << ITEM_BITS | items[stays]
        self._segments = [keys] if keys.size else []

    def state(self) -> Arrays:
        """Return all it knows, as arrays that nothing changes later."""
        return {
            "vocabulary": packed(list(self._numbers)),
            "lengths": np.diff(self._held.starts),
            "held": self._held.values.copy(),
            "holders": self._holders.rows.copy(),
            "titles": self._titles.rows.copy(),
            "keys": _merged(self._segments),
        }

    @classmethod
    def restored(cls, state: Arrays) -> NamePostings:
        """Make one from another's ``state``."""
        index = cls()
        index._numbers = {name: number for number, name in enumerate(unpacked(state["vocabulary"]))}
        index._held.append(state["lengths"], state["held"])
        index._holders.append(state["holders"])
        index._titles.append(state["titles"])
        index._segments = [state["keys"]] if state["keys"].size else []
        return index


def _merged(segments: Sequence[Int64s]) -> Int64s:
    # Stable sorting finds the runs that are sorted already and only merges them.
    return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *segments]), kind="stable")


def _rows_of(segment: Int64s, numbers: Int64s) -> tuple[Int64s, Int32s]:
    """Return how many items of a segment hold each name, and which."""
    begins = np.searchsorted(segment, numbers << ITEM_BITS)
    lengths = (np.searchsorted(segment, (numbers + 1) << ITEM_BITS) - begins).astype(np.int64)
    # The cast keeps the lower half of the key: the item.
    return lengths, segment[places_in(begins, lengths)].astype(np.int32)
