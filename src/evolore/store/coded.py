"""Names that many items share: a number for each item, and each name once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evolore.store.columns import Column
from evolore.store.items_file import packed, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt


class CodedColumn:
    """The number of a name for each item, -1 for none; names that no item has are forgotten."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._codes: dict[str, int] = {}
        self._numbers = Column(np.int32)

    @property
    def numbers(self) -> npt.NDArray[np.int32]:
        """The number of each item's name in ``names``, -1 for none, shape (items,)."""
        return self._numbers.rows

    @property
    def bytes_held(self) -> int:
        """How much memory the numbers take."""
        return self._numbers.bytes_held

    def append(self, names: Iterable[str | None]) -> None:
        """Add items behind the others."""
        self._numbers.append(np.array([self._code(name) for name in names], dtype=np.int32))

    def keep(self, kept: npt.NDArray[np.intp]) -> None:
        """Keep these items, in this order, and let go of the names of none."""
        self._numbers.keep(kept)
        has_name = self.numbers >= 0
        named = self.numbers[has_name]
        new_codes, count = renumbered(named, len(self.names))
        if count < len(self.names):
            self.numbers[has_name] = new_codes[named]
            codes = zip(self.names, new_codes.tolist(), strict=True)
            self.names = [name for name, code in codes if code >= 0]
            self._codes = {name: code for code, name in enumerate(self.names)}

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """Give all it knows, as arrays that nothing changes later."""
        return {"numbers": self.numbers.copy(), "names": packed(self.names)}

    @classmethod
    def restored(cls, state: Mapping[str, npt.NDArray[Any]]) -> CodedColumn:
        """Make one of what another's ``state`` gave."""
        column = cls()
        column._numbers.append(state["numbers"])
        column.names = unpacked(state["names"])
        column._codes = {name: code for code, name in enumerate(column.names)}
        return column

    def _code(self, name: str | None) -> int:
        if name is None:
            return -1
        code = self._codes.setdefault(name, len(self.names))
        if code == len(self.names):
            self.names.append(name)
        return code


def renumbered(codes: npt.NDArray[np.int32], count: int) -> tuple[npt.NDArray[np.int32], int]:
    """Give the new number of each code that occurs, from 0 in the same order, -1 for the rest; and how many occur."""
    occurs = np.zeros(count, dtype=np.bool_)
    occurs[codes] = True
    return np.where(occurs, np.cumsum(occurs) - 1, -1).astype(np.int32), int(occurs.sum())
