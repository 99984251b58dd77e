"""An index of names held in arrays, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.text.names import TITLE_MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Rows = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]


class NameArrays:
    """Which names stand in which items, from what ``find_names`` gives for each."""

    def __init__(self, found: Sequence[Sequence[str]]) -> None:
        self.names: dict[str, int] = {}
        self.titles = np.full(len(found), -1, dtype=np.int32)
        self._in_items = [[self._number(item, name) for name in names] for item, names in enumerate(found)]
        self._with_names: list[list[int]] = [[] for _ in self.names]
        for item, numbers in enumerate(self._in_items):
            for number in numbers:
                self._with_names[number].append(item)

    @property
    def count(self) -> int:
        return len(self.names)

    def numbers_of(self, names: Sequence[str]) -> npt.NDArray[np.int32]:
        return np.array([self.names.get(name, -1) for name in names], dtype=np.int32)

    def items_of(self, numbers: npt.NDArray[np.int32]) -> Rows:
        return _rows([self._with_names[number] for number in numbers.tolist()])

    def names_of(self, items: npt.NDArray[np.int32]) -> Rows:
        return _rows([self._in_items[item] for item in items.tolist()])

    def item_counts(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return np.array([len(row) for row in self._with_names], dtype=np.int32)[numbers]

    def _number(self, item: int, name: str) -> int:
        number = self.names.setdefault(name.removeprefix(TITLE_MARK), len(self.names))
        if name.startswith(TITLE_MARK):
            self.titles[item] = number
        return number


def _rows(rows: list[list[int]]) -> Rows:
    sizes = [0] + [len(row) for row in rows]
    starts = np.cumsum(sizes, dtype=np.int64)
    return starts, np.array([number for row in rows for number in row], dtype=np.int32)
