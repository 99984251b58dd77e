"""Processes that are killed while they move a canary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crash.canary_kills import FAULTS, Kill, run
from evolore.store.database import FaultPoint

if TYPE_CHECKING:
    from pathlib import Path


def test_killed_at_any_point_a_move_of_a_canary_is_whole_or_not_made(tmp_path: Path) -> None:
    kills = (
        Kill("begin", FaultPoint.PROMOTION_WRITTEN, 1),
        Kill("complete", FaultPoint.ROWS_ERASED, 1),
        Kill("trip", FaultPoint.COMMITTED, 1),
    )
    counts = run(tmp_path, kills=iter(kills))
    assert (counts["killed"], counts["moved before the kill"]) == (3, 1)
    assert not any(counts[one] for one in FAULTS)
