from __future__ import annotations

import itertools
from datetime import UTC, datetime
from threading import Thread
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue, NotFound
from evolore.server.background import Background
from evolore.server.schedules import Schedules, next_runs
from evolore.store.service import BackgroundJob, Schedule
from serving.memories import NOW, Hands, memories_of, until

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.server.memories import Memories


@pytest.fixture
def background(memories: Memories, hands: Hands) -> Background:
    return Background(memories, now=hands)


@pytest.fixture
def schedules(memories: Memories, background: Background, hands: Hands) -> Schedules:
    return Schedules(memories, background, now=hands)


def runs(cron: str, zone: str, after: str, count: int = 3) -> list[str]:
    place = ZoneInfo(zone)
    found = next_runs(cron, zone, after=datetime.fromisoformat(after).replace(tzinfo=UTC), count=count)
    return [one.astimezone(place).isoformat() for one in found]


@pytest.mark.parametrize(
    ("zone", "after", "expected"),
    [
        # The clock goes from 2 to 3: half past two is made up for at three.
        (
            "Europe/Berlin",
            "2026-03-28T00:00",
            ["2026-03-28T02:30:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"],
        ),
        # It goes from 3 back to 2: half past two is there twice, and counts once.
        (
            "Europe/Berlin",
            "2026-10-24T00:00",
            ["2026-10-24T02:30:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"],
        ),
        (
            "America/New_York",
            "2026-03-07T06:00",
            ["2026-03-07T02:30:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"],
        ),
        # Lord Howe's clock moves by half an hour: from 2:00 to 2:30, so half past two is there.
        (
            "Australia/Lord_Howe",
            "2026-10-02T14:00",
            ["2026-10-03T02:30:00+10:30", "2026-10-04T02:30:00+11:00", "2026-10-05T02:30:00+11:00"],
        ),
    ],
)
def test_a_daily_line_runs_once_a_day_across_daylight_saving(zone: str, after: str, expected: list[str]) -> None:
    assert runs("30 2 * * *", zone, after) == expected


@pytest.mark.parametrize(
    ("zone", "line", "after", "expected"),
    [
        ("America/New_York", "30 1 * * *", "2026-10-31T00:00", ["2026-10-31", "2026-11-01", "2026-11-02"]),
        ("Australia/Lord_Howe", "45 1 * * *", "2026-04-03T00:00", ["2026-04-04", "2026-04-05", "2026-04-06"]),
        ("Australia/Lord_Howe", "15 2 * * *", "2026-10-02T14:00", ["2026-10-03", "2026-10-04", "2026-10-05"]),
    ],
)
def test_no_day_is_left_out_and_none_twice(zone: str, line: str, after: str, expected: list[str]) -> None:
    assert [one[:10] for one in runs(line, zone, after)] == expected


def test_an_hourly_line_runs_through() -> None:
    found = next_runs("0 * * * *", "Europe/Berlin", after=datetime(2026, 3, 28, 22, 30, tzinfo=UTC), count=30)
    assert {(after - before).total_seconds() for before, after in itertools.pairwise(found)} == {3600.0}


@given(
    st.sampled_from(["30 2 * * *", "*/7 * * * *", "0 0 29 2 *", "15 5 * * 1-5", "0 3 1 1 *"]),
    st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Tokyo"]),
    st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - a zone is given
)
def test_runs_are_to_come_and_in_order(cron: str, zone: str, after: datetime) -> None:
    found = next_runs(cron, zone, after=after)
    assert len(found) == 5
    assert all(before < later for before, later in zip((after, *found), found, strict=False))
    assert found[1:] == next_runs(cron, zone, after=found[0])[:4]


@pytest.mark.parametrize(
    ("cron", "zone"),
    [
        ("* * * *", "UTC"),
        ("0 0 30 2 *", "UTC"),
        ("61 * * * *", "UTC"),
        ("* * * * * *", "UTC"),
        ("", "UTC"),
        ("* * * * *", "Mars/Base"),
        ("* * * * *", "../etc/passwd"),
        ("* * * * *", ""),
    ],
)
def test_what_is_no_time_is_refused(schedules: Schedules, cron: str, zone: str) -> None:
    with pytest.raises(InvalidValue):
        schedules.make("maintain", "default", cron=cron, zone=zone)


def test_a_job_begins_when_it_is_due(schedules: Schedules, memories: Memories, hands: Hands) -> None:
    made = schedules.make("evolve", "default", cron="0 3 * * *", zone="Europe/Berlin", body={"documents": ["a.md"]})
    assert made.next_at == datetime(2026, 3, 3, 2, tzinfo=UTC)
    assert schedules.tick() == ()
    hands.at = made.next_at
    (begun,) = schedules.tick()
    assert (begun.kind, begun.namespace, begun.subject, begun.body) == (
        "evolve",
        "default",
        "a.md",
        {"documents": ["a.md"]},
    )
    assert schedules.tick() == ()
    now = schedules.of(made.id, namespace="default")
    assert (now.last_at, now.next_at) == (made.next_at, datetime(2026, 3, 4, 2, tzinfo=UTC))


def test_missed_runs_are_made_up_for_once(schedules: Schedules, hands: Hands) -> None:
    made = schedules.make("maintain", "default", cron="*/10 * * * *")
    hands.move(days=3, minutes=1)
    assert len(schedules.tick()) == 1
    assert schedules.tick() == ()
    assert schedules.of(made.id, namespace="default").next_at == datetime(2026, 3, 5, 9, 40, tzinfo=UTC)


def test_a_job_that_is_open_is_not_begun_again(schedules: Schedules, hands: Hands, memories: Memories) -> None:
    schedules.make("maintain", "default", cron="*/10 * * * *")
    for _ in range(3):
        hands.move(minutes=10)
        schedules.tick()
    assert memories.service.count(BackgroundJob) == 1


def test_a_paused_schedule_begins_nothing_and_makes_up_for_nothing(schedules: Schedules, hands: Hands) -> None:
    made = schedules.make("maintain", "default", cron="*/10 * * * *")
    assert schedules.pause(made.id, namespace="default").is_paused
    hands.move(hours=5)
    assert schedules.tick() == ()
    resumed = schedules.resume(made.id, namespace="default")
    assert (resumed.is_paused, resumed.next_at) == (False, datetime(2026, 3, 2, 14, 40, tzinfo=UTC))
    assert schedules.tick() == ()
    assert schedules.resume(made.id, namespace="default") == resumed


def test_a_schedule_runs_now_and_stays_as_it_is(schedules: Schedules) -> None:
    made = schedules.make("maintain", "default", cron="0 3 * * *")
    job = schedules.run_now(made.id, namespace="default", created_by="key")
    assert (job.kind, job.created_by) == ("maintain", "key")
    assert schedules.of(made.id, namespace="default") == made


def test_a_schedule_is_changed(schedules: Schedules) -> None:
    made = schedules.make("maintain", "default", cron="0 3 * * *")
    changed = schedules.change(made.id, namespace="default", cron="0 4 * * *")
    assert changed.next_at == datetime(2026, 3, 3, 4, tzinfo=UTC)
    assert schedules.of(made.id, namespace="default") == changed
    with pytest.raises(InvalidValue):
        schedules.change(made.id, namespace="default", zone="Nowhere")
    with pytest.raises(NotFound):
        schedules.of(made.id, namespace="other")


def test_two_processes_begin_a_job_once(memories: Memories, store_path: Path, hands: Hands) -> None:
    with memories_of(store_path, clock=hands) as others:
        both = [Schedules(one, Background(one, now=hands), now=hands) for one in (memories, others)]
        for number in range(10):
            both[0].make("evolve", "default", cron="0 3 * * *", body={"documents": [f"{number}.md"]})
        hands.move(days=1)
        begun: list[BackgroundJob] = []

        def begin(one: Schedules) -> None:
            begun.extend(one.tick())

        threads = [Thread(target=begin, args=(one,)) for one in both]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(begun) == 10
    assert len({one.subject for one in begun}) == 10


def test_a_thread_begins_what_is_due(schedules: Schedules, memories: Memories, hands: Hands) -> None:
    made = schedules.make("maintain", "default", cron="0 3 * * *")
    hands.at = made.next_at
    schedules.start()
    until(lambda: memories.service.count(BackgroundJob))
    schedules.stop(seconds=10)
    assert memories.service.count(Schedule, namespace="default") == 1
    assert made.created_at == NOW


def test_namespaces_that_changed_are_maintained_at_night(
    memories: Memories, background: Background, hands: Hands
) -> None:
    schedules = Schedules(memories, background, now=hands)
    memories.of("notes").remember("The bees are at the north fence.")
    memories.of("own").remember("The ferry leaves at nine.")
    schedules.make("maintain", "own", cron="0 5 * * *")
    assert schedules.maintain("0 3 * * *") == ()  # not due before the night
    hands.move(hours=18)
    begun = schedules.maintain("0 3 * * *")
    assert [(one.kind, one.namespace) for one in begun] == [("maintain", "notes")]
    assert schedules.maintain("0 3 * * *") == ()
    memories.of("notes").maintain()
    hands.move(hours=24)
    assert schedules.maintain("0 3 * * *") == ()  # nothing changed since
    memories.of("notes").add_text("The north fence.", source="fence", metadata={"verify_by": "2020-01-31"})
    memories.of("notes").maintain()
    hands.move(hours=24)
    assert len(schedules.maintain("0 3 * * *")) == 1, "a document is to be verified"


def test_an_empty_line_maintains_nothing_and_a_wrong_one_is_refused(
    memories: Memories, background: Background, hands: Hands
) -> None:
    schedules = Schedules(memories, background, now=hands)
    memories.of("notes").remember("The bees are at the north fence.")
    schedules.maintain("")
    hands.move(days=2)
    assert schedules.maintain("") == ()
    with pytest.raises(InvalidValue, match="is no cron line"):
        schedules.maintain("nightly")
