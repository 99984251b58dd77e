from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from chat_parts import RecordingPacer
from evolore.errors import InvalidValue
from evolore.jobs.clock import SteppingClock, SystemClock, SystemPacer


def test_the_system_clock_is_aware() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)


def test_a_stepping_clock_moves_when_it_is_read() -> None:
    start = datetime(2026, 1, 1, 9, tzinfo=timezone(timedelta(hours=9)))
    clock = SteppingClock(start, step=timedelta(seconds=5))
    assert [clock.now(), clock.now()] == [start, start + timedelta(seconds=5)]
    assert clock.now().tzinfo is UTC


def test_a_clock_starts_at_a_time_with_a_zone() -> None:
    with pytest.raises(InvalidValue, match="with a zone"):
        SteppingClock(datetime(2026, 1, 1))  # noqa: DTZ001


def test_chance_lies_between_nothing_and_one_and_differs() -> None:
    drawn = {SystemPacer().jitter() for _ in range(50)}
    assert all(0 <= one < 1 for one in drawn)
    assert len(drawn) > 1
    SystemPacer().wait(0)


def test_a_recording_waits_for_nothing_and_remembers() -> None:
    pacer = RecordingPacer(0.25)
    pacer.wait(3600)
    assert (pacer.waits, pacer.jitter(), pacer.jitter()) == ([3600], 0.25, 0.25)
