"""What a cut costs for where it is made: at some gaps a text divides more readily than at others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evolore.chunking.units import Gap

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

_GAP_NATS = {
    Gap.START: 0.0,
    Gap.INSIDE_PARAGRAPH: 8.0,
    Gap.NEWLINE: -4.0,
    Gap.BLANK_LINE: -8.0,
    Gap.INSIDE_TABLE: 4.0,
    Gap.BEFORE_HEADING: -10.0,
    Gap.AFTER_HEADING: 30.0,
    Gap.AFTER_COLON: 5.0,
    Gap.AFTER_TITLE: 15.0,
    Gap.BEFORE_TURN: -4.0,
    Gap.BEFORE_INDENTED: 4.0,
}
"""What a cut costs beside its price: paragraphs are better edges than sentences, and a heading or the line that
announces a list stays with what follows it."""

_BACK_REFERENCE_NATS = 3.0
"""What a cut costs more before a sentence that points back to the one before; ``_GAP_NATS`` is its scale."""


def gap_costs(gaps: Sequence[Gap], points_back: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    """Give what a cut before each unit costs beside its price, in nats, shape (units,); below 0 it is a good edge.

    Args:
        gaps: What stands before each unit.
        points_back: Which units begin with a sentence that points back to the one before, shape (units,).
    """
    gap_nats = np.array([_GAP_NATS[gap] for gap in Gap])[np.array(gaps, np.int64)]
    return gap_nats + _BACK_REFERENCE_NATS * points_back.astype(np.float64)
