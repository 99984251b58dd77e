"""Figures of how episodes were split."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def b_cubed_f1(found: Sequence[int], true: Sequence[int]) -> float:
    """Give the B-cubed F1 of a division of items against the true one (Bagga & Baldwin 1998).

    Of each item: the precision, the share of its found group that is of its true one, and the recall, the share of its
    true group that was found with it; the F1 of their means.

    Args:
        found: The group of each item, at least one.
        true: Its true group, in the same order.

    >>> b_cubed_f1([0, 0, 1, 1], [5, 5, 6, 6])
    1.0
    >>> round(b_cubed_f1([0, 0, 0, 0], [5, 5, 6, 6]), 3)
    0.667
    """
    together = Counter(zip(found, true, strict=True))
    by_found, by_true = Counter(found), Counter(true)
    precision = sum(count * count / by_found[group] for (group, _), count in together.items()) / len(found)
    recall = sum(count * count / by_true[group] for (_, group), count in together.items()) / len(found)
    return 2.0 * precision * recall / (precision + recall)
