from __future__ import annotations

from typing import TYPE_CHECKING

from crash.job_kills import FAULTS, run

if TYPE_CHECKING:
    from pathlib import Path


def test_jobs_and_messages_outlive_kills(tmp_path: Path) -> None:
    counts = run(tmp_path, 2)
    assert (counts["killed jobs"], counts["killed senders"], counts["rounds"]) == (2, 2, 2)
    assert {fault: counts[fault] for fault in FAULTS} == dict.fromkeys(FAULTS, 0)
