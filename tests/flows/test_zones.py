"""Whose calendar day a question means."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest

from evolore.jobs.clock import SteppingClock, SystemClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evolore.ports import Clock

EARLY = datetime(2026, 3, 10, 22, 30, tzinfo=UTC)
"""Half past seven in the morning of the 11th in Tokyo."""


@pytest.fixture
def _in_tokyo(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    if not hasattr(time, "tzset"):
        pytest.skip("this system gives a process no zone of its own")

    def now(_: SystemClock) -> datetime:
        return EARLY

    monkeypatch.setattr(SystemClock, "now", now)
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "JST-9")
        time.tzset()
        yield
    time.tzset()


def yesterday(folder: Path, *, clock: Clock | None = None, as_of: datetime | None = None) -> date:
    with Memory.open(folder, embedder=HashingEmbedder(16), clock=clock) as memory:
        memory.remember("The wheel turns.", occurred_at=EARLY - timedelta(days=1))
        asked = memory.recall("What happened yesterday?", as_of=as_of).asked_time
        assert asked is not None
        return asked.periods[0].first


@pytest.mark.usefixtures("_in_tokyo")
def test_yesterday_is_counted_from_the_day_of_the_machine(tmp_path: Path) -> None:
    assert yesterday(tmp_path / "s") == date(2026, 3, 10)


@pytest.mark.usefixtures("_in_tokyo")
def test_a_moment_or_a_clock_that_is_given_has_a_zone_of_its_own(tmp_path: Path) -> None:
    assert yesterday(tmp_path / "clock", clock=SteppingClock(EARLY)) == date(2026, 3, 9)
    assert yesterday(tmp_path / "utc", as_of=EARLY) == date(2026, 3, 9)
    honolulu = timezone(timedelta(hours=-10))
    assert yesterday(tmp_path / "zone", as_of=EARLY.astimezone(honolulu)) == date(2026, 3, 9)
    assert yesterday(tmp_path / "west", as_of=datetime(2026, 3, 10, 3, tzinfo=UTC).astimezone(honolulu)) == date(
        2026, 3, 8
    )
