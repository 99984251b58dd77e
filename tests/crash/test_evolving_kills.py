"""Processes that are killed while they rewrite a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crash.evolving_kills import FAULTS, run
from evolore.store.database import FaultPoint

if TYPE_CHECKING:
    from pathlib import Path


def test_killed_at_any_step_a_job_goes_on_and_promotes_once(tmp_path: Path) -> None:
    points = iter(((FaultPoint.STEPS_WRITTEN, 4), (FaultPoint.PROMOTION_WRITTEN, 1), (FaultPoint.COMMITTED, 3)))
    counts = run(tmp_path, points=points)
    assert (counts["killed"], counts["promoted"]) == (3, 3)
    assert not any(counts[one] for one in FAULTS)
