"""Processes that are killed while they move a canary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crash.canary_kills import FAULTS, Kill, run
from evolore.store.connection import FaultPoint

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("move", "point", "is_moved"),
    [
        pytest.param("begin", FaultPoint.PROMOTION_WRITTEN, False, marks=pytest.mark.long),
        ("complete", FaultPoint.ROWS_ERASED, False),
        pytest.param("trip", FaultPoint.COMMITTED, True, marks=pytest.mark.long),
    ],
)
def test_killed_at_any_point_a_move_of_a_canary_is_whole_or_not_made(
    tmp_path: Path, move: str, point: FaultPoint, *, is_moved: bool
) -> None:
    counts = run(tmp_path, kills=iter([Kill(move, point, 1)]))
    assert (counts["killed"], counts["moved before the kill"]) == (1, is_moved)
    assert not any(counts[one] for one in FAULTS)
