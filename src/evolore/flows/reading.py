"""The items of a ranking as episodes: each is read from the store once, whoever asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from evolore.domain.episodes import Episode
    from evolore.ports import IndexView, StoreReader


class ReadItems:
    """The items a question may see, read as far as they are asked for.

    Args:
        view: The indexes.
        reader: Where episodes are read.
        numbers: Each item's number in the index, shape (items,).
    """

    def __init__(self, view: IndexView, reader: StoreReader, numbers: npt.NDArray[np.int32]) -> None:
        self._view = view
        self._reader = reader
        self._numbers = numbers
        self._known: dict[str, Episode] = {}

    def ids(self, items: Sequence[int]) -> list[str]:
        """Give the episodes that are these items."""
        return [self._view.episode_ids[int(self._numbers[item])] for item in items]

    def episodes(self, items: Sequence[int]) -> tuple[Episode, ...]:
        """Read these items, in their order."""
        ids = self.ids(items)
        missing = [id_ for id_ in ids if id_ not in self._known]
        if missing:
            self._known |= {one.id: one for one in self._reader.episodes(missing)}
        return tuple(self._known[id_] for id_ in ids)
