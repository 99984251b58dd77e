"""What recall searches: one namespace's derived indexes at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

Slots = npt.NDArray[np.int32]


class TextIndex(Protocol):
    """Scores every item of a namespace for the words of a question."""

    def term_postings(
        self, tokens: Sequence[str], *, among: npt.NDArray[np.bool_] | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Give each token's score on the items that hold it, as rows one after the other.

        Args:
            tokens: As the analyser gave them.
            among: The items to score and to take statistics of, as if there were no others, shape (items,); None
                for all.

        Returns:
            Where each row begins and the end of the last, shape (tokens + 1,); item numbers, rising within a row;
            scores, above 0.
        """
        ...


class VectorIndex(Protocol):
    """Compares every item of a namespace with a vector."""

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Give the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        ...

    def nearest(self, vector: npt.NDArray[np.float32], *, count: int) -> Slots | None:
        """Give about the ``count`` items nearest to a unit vector, or more, each once, in no order.

        Returns:
            None where comparing all items is as fast.
        """
        ...

    def similarities_of(self, vector: npt.NDArray[np.float32], items: Slots) -> npt.NDArray[np.float32]:
        """Give the cosine of some items with a unit vector, in their order."""
        ...

    def rows_of(self, items: Slots) -> npt.NDArray[np.float32]:
        """Give the vectors of some items, in their order, shape (items, dimension), unit length."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexView:
    """One namespace's derived indexes at one moment; every array has the same items in the same order.

    Args:
        episode_ids: Ids, shape (items,).
        neighbours: Item numbers two before, one before, one after, two after in the same session or document; -1
            where there is none. Shape (items, 4), each column in one piece.
        neighbour_gaps: Seconds between each item and its neighbours, 0 where there is none, shape (items, 4).
        groups: A number per session or document, shape (items,); items that stand alone have one of their own.
        times: When each happened or was recorded, seconds since 1970 UTC, shape (items,).
        speakers: The number of the name of who said each, -1 for nobody, shape (items,).
        speaker_names: The names, each once.
        text: The lexical index.
        vectors: The vector index.
    """

    episode_ids: Sequence[str]
    neighbours: Slots
    neighbour_gaps: npt.NDArray[np.float64]
    groups: Slots
    times: npt.NDArray[np.float64]
    speakers: Slots
    speaker_names: Sequence[str]
    text: TextIndex
    vectors: VectorIndex
