from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from crash.checks import check_store
from crash.rounds import OTHERS, Kill, Ledger, kill_one, plan, run
from evolore.store.database import FaultPoint, listeners

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = 8
SEED = 7


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    counts = run(tmp_path, rounds=SAMPLE, seed=SEED)
    assert sum(counts.values()) == SAMPLE
    assert counts["between"] <= 0.2 * SAMPLE


def test_the_check_notices_what_is_missing(tmp_path: Path) -> None:
    ledger = Ledger()
    kill_one(tmp_path / "s", Kill(seed=3, point=FaultPoint.COMMITTED, visit=6), ledger)
    assert ledger.statements or ledger.documents
    check_store(tmp_path / "s", statements=ledger.statements, documents=ledger.documents)
    with pytest.raises(AssertionError):
        check_store(tmp_path / "s", statements=ledger.statements | {"0" * 26: "never said"}, documents={})
    with pytest.raises(AssertionError):
        check_store(tmp_path / "s", statements={}, documents={"never.md": ("0" * 26, "0" * 64)})


def test_a_hundred_rounds_reach_every_fault_point() -> None:
    assert {kill.point for kill in plan(100, SEED)} == {None, *FaultPoint} - OTHERS


def test_nothing_listens_at_the_fault_points_of_the_library() -> None:
    assert listeners == []
