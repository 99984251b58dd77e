"""Processes that are killed while they rewrite a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crash.evolving_kills import FAULTS, run
from evolore.store.connection import FaultPoint

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "kill",
    [
        (FaultPoint.PROMOTION_WRITTEN, 1),
        pytest.param((FaultPoint.STEPS_WRITTEN, 4), marks=pytest.mark.long),
        pytest.param((FaultPoint.COMMITTED, 3), marks=pytest.mark.long),
    ],
)
def test_killed_at_any_step_a_job_goes_on_and_promotes_once(tmp_path: Path, kill: tuple[FaultPoint, int]) -> None:
    counts = run(tmp_path, points=iter([kill]))
    assert (counts["killed"], counts["promoted"]) == (1, 1)
    assert not any(counts[one] for one in FAULTS)
