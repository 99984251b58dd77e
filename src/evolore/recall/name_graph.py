"""The graph of names: which items hold which names, as propagation asks for it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.ports.indexes import NameIndex

_NAMES_AT_LEAST = 30
"""However few items there are, a name this rare may link them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Links:
    """Edges from the nodes of a list to numbered others.

    Args:
        rows: The place in the list each edge leaves from, rising, intp, shape (edges,).
        ends: The number of what it leads to, int32, shape (edges,).
    """

    rows: npt.NDArray[np.intp]
    ends: npt.NDArray[np.int32]


class NameGraph:
    """Items and names as far as a question may see them: what is hidden has no edge and no number.

    Args:
        index: All items and names.
        seen: The numbers in the index of the items the question may see, rising, int32, shape (items,).
        count: How many items the index has.
        common_share: A name in a larger share of all items links nothing.
        counted: Which items say how rare a name is, and that there is one, bool, shape (items of the index,); all of
            those that are seen, and perhaps more. None for all.
    """

    def __init__(
        self,
        index: NameIndex,
        seen: npt.NDArray[np.int32],
        *,
        count: int,
        common_share: float,
        counted: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        self._index = index
        self._seen = seen
        self._counted = counted
        self._counts = np.full(0 if counted is None else index.count, -1, dtype=np.int32)
        self._total = count if counted is None else int(np.count_nonzero(counted))
        self._most = max(_NAMES_AT_LEAST, common_share * self._total)
        self._new_numbers: npt.NDArray[np.int32] | None = None
        if seen.size < count:
            self._new_numbers = np.full(count, -1, dtype=np.int32)
            self._new_numbers[seen] = np.arange(seen.size, dtype=np.int32)

    @property
    def count(self) -> int:
        """How many items are seen."""
        return self._seen.size

    def titles(self, items: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Give the number of the name each item's document is called by, -1 for none."""
        return self._index.titles[self._seen[items]]

    def numbers_of(self, names: Sequence[str]) -> npt.NDArray[np.int32]:
        """Give the numbers of names, -1 for each that is not known."""
        numbers = self._index.numbers_of(names)
        if self._counted is not None:
            numbers[self.item_counts(numbers) == 0] = -1
        return numbers

    def rarity(self, names: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Weigh names by how rare they are: ``log(items / items with it) / log(items)``, 0–1.

        0 for a name in a single item, which links nothing, and for one that is in too many.
        """
        held = self.item_counts(names)
        weight = np.log(self._total / np.maximum(held, 1)) / math.log(max(self._total, 2))
        weight[(held < 2) | (held > self._most)] = 0.0  # noqa: PLR2004 - a link needs two
        return weight.astype(np.float32)

    def item_counts(self, names: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Give in how many of the items that are counted each name is, 0 for -1."""
        if self._counted is None:
            return self._index.item_counts(names)
        new = np.unique(names[names >= 0])
        new = new[self._counts[new] < 0]
        starts, items = self._index.items_of(new)
        held = np.bincount(_rows(starts), weights=self._counted[items], minlength=new.size)
        self._counts[new] = held.astype(np.int32)
        counts = np.zeros(len(names), dtype=np.int32)
        counts[names >= 0] = self._counts[names[names >= 0]]
        return counts

    def names_in(self, items: npt.NDArray[np.int32]) -> Links:
        """Give the names in items."""
        starts, names = self._index.names_of(self._seen[items])
        return Links(rows=_rows(starts), ends=names)

    def titled_items(self, names: npt.NDArray[np.int32]) -> Links:
        """Give the items that hold names and belong to a titled document.

        The turns of a conversation have no title and are left out: its people and matters are named all over it, so
        what they link says little; on LoCoMo, following them cost 2 to 10 points of recall at 10.
        """
        starts, items = self._index.items_of(names)
        rows = _rows(starts)
        stays = self._index.titles[items] >= 0
        if self._new_numbers is not None:
            items = self._new_numbers[items]
            stays &= items >= 0
        return Links(rows=rows[stays], ends=items[stays])


def _rows(starts: npt.NDArray[np.int64]) -> npt.NDArray[np.intp]:
    return np.repeat(np.arange(starts.size - 1), np.diff(starts))
