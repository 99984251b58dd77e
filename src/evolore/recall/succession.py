"""Whether a newer account takes an older one's place: a logistic rule over marks of their wording and their vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.recall.rival_marks import MARKS
from evolore.recall.succession_weights import CONSTANT, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Mapping

Values = npt.NDArray[np.float32]


def _words_alone() -> Values:
    return np.array([WEIGHTS[name] for name in MARKS], dtype=np.float32)


@dataclass(frozen=True, slots=True, kw_only=True)
class Succession:
    """What was learned of accounts that take others' place, and of those that only look newer.

    Args:
        marks: What each mark counts for, shape (marks,).
        newer: What the newer account's centred vector counts for, shape (dimension,); empty where it does not.
        change: What the newer's less the older's counts for, in the same shape.
        constant: What is added.
    """

    marks: Values = field(default_factory=_words_alone)
    newer: Values = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    change: Values = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    constant: float = CONSTANT

    def says(self, marks: Values, newer: Values, older: Values) -> Values:
        """Give how surely each newer account takes its older one's place, -1 to 1; above 0 it does.

        Args:
            marks: Of pairs, as ``PairMarker.marks`` gives them, shape (n, marks).
            newer: The newer accounts' centred vectors, shape (n, dimension).
            older: The older ones', in the same shape.
        """
        logits = marks @ self.marks + np.float32(self.constant)
        if self.newer.size:
            logits = logits + newer @ self.newer + (newer - older) @ self.change
        return np.asarray(np.tanh(np.round(logits, 3) / 2.0), dtype=np.float32)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Values]) -> Succession:
        """Read what was fitted: ``marks``, ``newer``, ``change`` and ``constant``; without them, words count alone.

        >>> Succession.from_arrays({}).newer.size
        0
        """
        if "marks" not in arrays or len(arrays["marks"]) != len(MARKS):
            return cls()
        return cls(
            marks=arrays["marks"],
            newer=arrays["newer"],
            change=arrays["change"],
            constant=float(arrays["constant"].item()),
        )
