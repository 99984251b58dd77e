"""Table of what an index knows of each item besides its words and vector: place, time, speaker, neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evolore.index.arrays import Arrays, CodedColumn, Column, Columns, bytes_of, packed, renumbered, unpacked
from evolore.text.vectors import Bools, Float64s, Int32s, Intps

_DISTANCES = (-2, -1, 1, 2)
_NAMES = ("groups", "positions", "times", "said_at", "is_hidden")
_NAME_BYTES = 250
"""About what a text of 26 characters takes as a key and as a value."""


def document_group(document_id: str) -> str:
    """Name the group of a document's passages."""
    return f"d{document_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item, about to be added."""

    id: str  #: Its episode.
    group: str | None  #: A name for its session or document; None for one that has neither.
    position: int  #: Its place there.
    time: float  #: When it happened or was recorded, seconds since 1970 UTC.
    #: When it was said, in the same unit; 0 for each passage of a document: they lie together whenever each of them was
    #: recorded.
    said_at: float
    speaker: str | None  #: Who said it.
    is_hidden: bool = False  #: Whether it is not current; then it is not a neighbour.


class ItemTable:
    """A namespace's items, numbered from 0 in the order they came.

    Adding items costs a few passes over two numbers an item, and relinks only the sessions and documents they
    belong to. Dropping costs a pass over everything. ``groups`` holds a number per session or document, without gaps;
    ``times`` holds when each item happened, ``numbers`` the number of each by its id.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.numbers: dict[str, int] = {}
        self._group_codes: dict[str, int] = {}
        self._group_count = 0
        self.groups = Column(np.int32)
        self._positions = Column(np.int64)
        self.times = Column(np.float64)
        self._said_at = Column(np.float64)
        self._is_hidden = Column(np.bool_)
        self.hidden_count = 0
        self.speakers = CodedColumn()
        self._links = Columns(np.int32, len(_DISTANCES))
        self._gaps = Columns(np.float64, len(_DISTANCES))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def neighbours(self) -> Int32s:
        """Item numbers two before, one before, one after, two after, -1 for none; each column in one piece."""
        return self._links.columns.T

    @property
    def neighbour_gaps(self) -> Float64s:
        """Seconds between each item and its neighbours, 0 where there is none, shape (items, 4)."""
        return self._gaps.columns.T

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        return bytes_of(*self._columns, self.speakers, self._links, self._gaps) + _NAME_BYTES * len(self.ids)

    @property
    def _columns(self) -> tuple[Column[Any], ...]:
        return (self.groups, self._positions, self.times, self._said_at, self._is_hidden)

    def state(self) -> Arrays:
        """Return all it knows, as arrays that nothing changes later."""
        return {
            **{name: column.rows.copy() for name, column in zip(_NAMES, self._columns, strict=True)},
            **{f"links{place}": column.copy() for place, column in enumerate(self._links.columns)},
            **{f"gaps{place}": column.copy() for place, column in enumerate(self._gaps.columns)},
            "ids": packed(self.ids),
            **{f"speakers {name}": array for name, array in self.speakers.state().items()},
            "group_names": packed(list(self._group_codes)),
            "group_codes": np.array(list(self._group_codes.values()), dtype=np.int32),
            "group_count": np.array([self._group_count], dtype=np.int64),
        }

    @classmethod
    def restored(cls, state: Arrays) -> ItemTable:
        """Make one from another's ``state``."""
        table = cls()
        for name, column in zip(_NAMES, table._columns, strict=True):
            column.append(state[name])
        places = range(len(_DISTANCES))
        table._links.append(np.stack([state[f"links{place}"] for place in places]))
        table._gaps.append(np.stack([state[f"gaps{place}"] for place in places]))
        table.ids = unpacked(state["ids"])
        table.speakers = CodedColumn.restored({name: state[f"speakers {name}"] for name in ("numbers", "names")})
        table.numbers = {id_: number for number, id_ in enumerate(table.ids)}
        table._group_codes = dict(zip(unpacked(state["group_names"]), state["group_codes"].tolist(), strict=True))
        table._group_count = int(state["group_count"][0])
        table.hidden_count = int(np.count_nonzero(table._is_hidden.rows))
        return table

    def group_of_document(self, document_id: str) -> int:
        """Return the number of a document's group; -1 for one without items."""
        return self._group_codes.get(document_group(document_id), -1)

    def numbers_of(self, ids: Iterable[str]) -> list[int]:
        """Return the numbers of those of these episodes that are items, rising."""
        return sorted({self.numbers[id_] for id_ in ids if id_ in self.numbers})

    def append(self, items: Sequence[Item]) -> None:
        """Add items behind the others."""
        first = len(self.ids)
        self.ids.extend(item.id for item in items)
        self.numbers.update((item.id, first + place) for place, item in enumerate(items))
        codes = np.array([self._group_code(item.group) for item in items], dtype=np.int32)
        self.groups.append(codes)
        self._positions.append(np.array([item.position for item in items], dtype=np.int64))
        self.times.append(np.array([item.time for item in items], dtype=np.float64))
        self._said_at.append(np.array([item.said_at for item in items], dtype=np.float64))
        self.speakers.append(item.speaker for item in items)
        shape = (len(_DISTANCES), len(items))
        self._links.append(np.full(shape, -1, dtype=np.int32))
        self._gaps.append(np.zeros(shape, dtype=np.float64))
        is_hidden = np.array([item.is_hidden for item in items], dtype=np.bool_)
        self._is_hidden.append(is_hidden)
        self.hidden_count += int(np.count_nonzero(is_hidden))
        self._link(codes)

    def drop(self, numbers: Sequence[int]) -> Intps:
        """Remove items and renumber the rest in the same order.

        Returns:
            The old number of each item by its new one.
        """
        touched = self.groups.rows[np.array(numbers, dtype=np.intp)]
        kept = np.delete(np.arange(len(self.ids)), numbers)
        new_numbers = np.full(len(self.ids) + 1, -1, dtype=np.int32)  # the last answers for -1
        new_numbers[kept] = np.arange(kept.size, dtype=np.int32)
        self.ids = [self.ids[number] for number in kept.tolist()]
        self.numbers = {id_: number for number, id_ in enumerate(self.ids)}
        for column in (*self._columns, self._links, self._gaps):
            column.keep(kept)
        self.speakers.keep(kept)
        self.hidden_count = int(np.count_nonzero(self._is_hidden.rows))
        self._links.columns[:] = new_numbers[self._links.columns]
        new_codes, self._group_count = renumbered(self.groups.rows, self._group_count)
        self.groups.rows[:] = new_codes[self.groups.rows]
        codes: list[int] = new_codes.tolist()
        self._group_codes = {name: codes[code] for name, code in self._group_codes.items() if codes[code] >= 0}
        left = new_codes[touched]
        self._link(left[left >= 0])
        return kept

    def set_hidden(self, numbers: Sequence[int], is_hidden: Sequence[bool]) -> None:
        """Record which of some items are hidden now, and relink their sessions and documents where that changed."""
        places, values = np.array(numbers, dtype=np.intp), np.array(is_hidden, dtype=np.bool_)
        changed = places[self._is_hidden.rows[places] != values]
        if changed.size:
            self._is_hidden.rows[places] = values
            self.hidden_count = int(np.count_nonzero(self._is_hidden.rows))
            self._link(self.groups.rows[changed])

    def relinked(self, is_there: Bools) -> tuple[Int32s, Float64s]:
        """Return neighbours and gaps as if, where anything is hidden now, there were only these items."""
        links, gaps = self._links.columns.copy(), self._gaps.columns.copy()
        self._link_among(self.groups.rows[self._is_hidden.rows], is_there, links, gaps)
        return links.T, gaps.T

    def _group_code(self, name: str | None) -> int:
        if name is None:
            self._group_count += 1
            return self._group_count - 1
        code = self._group_codes.setdefault(name, self._group_count)
        self._group_count = max(self._group_count, code + 1)
        return code

    def _link(self, codes: Int32s) -> None:
        """Link the current items of these groups with those up to two places before and after them."""
        is_there = ~self._is_hidden.rows if self.hidden_count else None
        self._link_among(codes, is_there, self._links.columns, self._gaps.columns)

    def _members(self, codes: Int32s) -> Intps:
        """Return the items of some groups, rising."""
        if codes.size == 1:  # as when one statement is taken in
            return np.flatnonzero(self.groups.rows == codes[0])
        is_touched = np.zeros(self._group_count, dtype=np.bool_)
        is_touched[codes] = True
        return np.flatnonzero(is_touched[self.groups.rows])

    def _link_among(self, codes: Int32s, is_there: Bools | None, links: Int32s, gaps: Float64s) -> None:
        """Write the links and gaps of the items of some groups, as if only what is there were; None for all."""
        members = self._members(codes)
        links[:, members], gaps[:, members] = -1, 0.0
        if is_there is not None:
            members = members[is_there[members]]
        order = members[np.lexsort((self._positions.rows[members], self.groups.rows[members]))]
        groups, times = self.groups.rows[order], self._said_at.rows[order]
        for distance, link, gap in zip(_DISTANCES, links, gaps, strict=True):
            places = np.arange(max(0, -distance), order.size - max(0, distance))
            linked = places[groups[places] == groups[places + distance]]
            link[order[linked]] = order[linked + distance]
            gap[order[linked]] = np.abs(times[linked + distance] - times[linked])
