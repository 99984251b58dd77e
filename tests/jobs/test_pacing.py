from __future__ import annotations

from evolore.jobs.clock import RecordingPacer, SystemPacer


def test_chance_lies_between_nothing_and_one_and_differs() -> None:
    drawn = {SystemPacer().jitter() for _ in range(50)}
    assert all(0 <= one < 1 for one in drawn)
    assert len(drawn) > 1
    SystemPacer().wait(0)


def test_a_recording_waits_for_nothing_and_remembers() -> None:
    pacer = RecordingPacer(0.25)
    pacer.wait(3600)
    assert (pacer.waits, pacer.jitter(), pacer.jitter()) == ([3600], 0.25, 0.25)
