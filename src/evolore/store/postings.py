"""Postings: which consecutive items hold which tokens and how often, token after token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

ITEM_BITS = 32
"""How many lower bits of a key are the item's number; the others are the token's."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Postings:
    """Postings of some consecutive items, row after row.

    Args:
        tokens: Numbers of the tokens that occur, rising, int32, shape (tokens,).
        starts: Where each token's row begins, and the end of the last, int64, shape (tokens + 1,).
        items: Item numbers, rising within a row, int32, shape (postings,).
        counts: Occurrences of the token in the item, at least 1, float32, shape (postings,).
    """

    tokens: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    items: npt.NDArray[np.int32]
    counts: npt.NDArray[np.float32]

    @classmethod
    def of(cls, keys: npt.NDArray[np.int64], counts: npt.NDArray[np.float32]) -> Postings:
        """Lay out postings by rising keys, ``token number << 32 | item number``."""
        numbers = (keys >> ITEM_BITS).astype(np.int32)
        begins = np.flatnonzero(np.diff(numbers, prepend=-1))
        starts = np.append(begins, keys.size).astype(np.int64)
        # The cast keeps the lower half of the key: the item.
        return cls(tokens=numbers[begins], starts=starts, items=keys.astype(np.int32), counts=counts)

    @property
    def keys(self) -> npt.NDArray[np.int64]:
        """``token number << 32 | item number``, rising, shape (postings,)."""
        return np.repeat(self.tokens.astype(np.int64) << ITEM_BITS, np.diff(self.starts)) | self.items

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self.tokens.nbytes + self.starts.nbytes + self.items.nbytes + self.counts.nbytes

    def row(self, token_number: int) -> slice:
        """Find a token's postings."""
        place = int(np.searchsorted(self.tokens, token_number))
        if place == self.tokens.size or self.tokens[place] != token_number:
            return slice(0, 0)
        return slice(int(self.starts[place]), int(self.starts[place + 1]))


def merge(segments: Sequence[Postings]) -> Postings:
    """Lay out several segments as one; no two of them may hold the same key."""
    if len(segments) == 1:
        return segments[0]
    keys = np.concatenate([np.zeros(0, dtype=np.int64), *(segment.keys for segment in segments)])
    counts = np.concatenate([np.zeros(0, dtype=np.float32), *(segment.counts for segment in segments)])
    # Stable sorting finds the runs that are sorted already and only merges them.
    order = np.argsort(keys, kind="stable")
    return Postings.of(keys[order], counts[order])
