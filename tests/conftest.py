from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from chance import drawing_from
from evolore.config import Settings
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from once import doing_once

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

# Two busy cores make single examples slow now and then; what a law says does not depend on it. The first two draw
# other examples each time, in `make test-long`; the third, which everything else loads, draws the same ones.
settings.register_profile("long", deadline=None, derandomize=False, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("quick", settings.get_profile("long"), max_examples=10)
settings.register_profile("ci", settings.get_profile("quick"), derandomize=True, database=None)
settings.load_profile("ci")

ROOT = Path(__file__).resolve().parents[1]

# What is unpacked into a user's cache is kept beside the tests' own, and not in the home of who runs them.
os.environ["XDG_CACHE_HOME"] = str(ROOT / ".pytest_cache")

# Thousands of tests are brought in before the first runs; looking for garbage among them again and again finds none.
gc.disable()

WORKER = os.environ.get("PYTEST_XDIST_WORKER")
TRACED = [ROOT / one for one in os.environ.get("TRACED", "").split()]
CHANCE = Random(0)
START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


class FromTheEnd:
    """Bring in the tests backwards: of two workers, each prepares the asserts of one half, and reads those of the other."""

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        report = yield
        if isinstance(collector, pytest.Dir):
            report.result.reverse()
        return report

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Generator[None]:
        """Sort the files as every other worker has them, before their order is drawn."""
        tests = ROOT / "tests"
        items.sort(key=lambda item: (not item.path.is_relative_to(tests), item.path.parts))
        return (yield)


def pytest_configure(config: pytest.Config) -> None:
    if WORKER == "gw1" and [Path(one).name for one in config.args] == config.getini("testpaths"):
        config.pluginmanager.register(FromTheEnd())


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Look for no examples in docstrings of tests, which have none."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Trace the tests alone that ``make test`` names, what they are set up with included; all, where none is named."""
    if not TRACED or any(item.path.is_relative_to(one) for one in TRACED):
        return (yield)
    here, in_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)  # pausing pytest-cov leaves a second tracer, which every worker of xdist has
    threading.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(here)
        threading.settrace(in_threads)


def pytest_collection_finish() -> None:
    """Look for garbage among what tests make, and no more among the modules of thousands of tests."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(10_000, 20, 20)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    CHANCE.seed(item.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Generator[None, object, object]:
    """Draw for what several tests share what does not depend on which of them comes first."""
    if fixturedef.scope == "function":
        return (yield)
    before = CHANCE.getstate()
    CHANCE.seed(f"{fixturedef.baseid}::{fixturedef.argname}")
    try:
        return (yield)
    finally:
        CHANCE.setstate(before)


@pytest.fixture(autouse=True, scope="session")
def _the_same_commit_gives_the_same_twice() -> Iterator[None]:
    explores = settings.get_current_profile_name() != "ci"
    with nullcontext() if explores else drawing_from(CHANCE):
        yield


@pytest.fixture(autouse=True, scope="session")
def _stores_share_what_is_the_same_in_all() -> Iterator[None]:
    with doing_once():
        yield


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the tester's own settings and store out of every test."""
    for name in ("EVOLORE_STORE", "EVOLORE_NAMESPACE", "EVOLORE_CONFIG", "EVOLORE_EMBEDDER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for readers of a store no longer than it takes to see that they are there."""
    monkeypatch.setattr("evolore.store.database.COMPACT_TIMEOUT_SECONDS", 0.05)


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock(START, step=timedelta(seconds=1))


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "team.evolore"


@pytest.fixture
def memory(store_path: Path, clock: SteppingClock) -> Iterator[Memory]:
    with Memory.open(
        store_path, namespace="support", embedder=HashingEmbedder(), clock=clock, settings=Settings()
    ) as opened:
        yield opened
