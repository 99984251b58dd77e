"""When keys were used and what was refused is written beside requests: none waits for the store's write lock."""

from __future__ import annotations

import resource
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from evolore.errors import InvalidValue
from evolore.models.offline import HashingEmbedder
from evolore.server import house
from evolore.server.app import create_app
from evolore.server.keys import Scope
from evolore.server.memories import Memories
from evolore.store import service
from evolore.store.service import ApiKey, AuditEntry
from server.serving import ADDRESS, Served
from serving.memories import until

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from sqlalchemy import Connection

BOUND_SECONDS = 15
"""Half of what a request waits that asks for the write lock of a store that another holds."""
WRONG = {"Authorization": "Bearer evo_wrong"}


@pytest.fixture
def asker(served: Served) -> dict[str, str]:
    """Give the header of a key that was never used, where there is something to find."""
    said = {"statements": [{"text": "The gate code is 4711."}]}
    assert served.http.post("/api/statements", json=said).status_code == 201
    header, _ = served.key(Scope.READ)
    return header


@contextmanager
def held(folder: Path) -> Generator[None]:
    """Hold the write lock of a store, as another process does that writes."""
    with closing(sqlite3.connect(folder / "evolore.db", isolation_level=None)) as other:
        other.execute("begin immediate")
        yield
        other.execute("rollback")


@contextmanager
def only_read(served: Served, folder: Path) -> Generator[None]:
    """Have SQLite refuse every write, as where a disk was mounted anew to be read alone."""
    del folder
    opened = served.house.memories._own._context.store._open
    engine = opened.database().engine

    def bound(connection: Connection) -> None:
        connection.exec_driver_sql("pragma query_only = on")

    event.listen(engine, "begin", bound)
    try:
        yield
    finally:
        event.remove(engine, "begin", bound)
        opened.close()  # the pragma is the connection's


@contextmanager
def full(served: Served, folder: Path) -> Generator[None]:
    """Let the write-ahead log grow no further."""
    del served
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, ((folder / "evolore.db-wal").stat().st_size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def recalled(served: Served, header: dict[str, str]) -> Any:  # noqa: ANN401 - a response
    return served.http.post("/api/recall", json={"question": "What is the gate code?", "record": False}, headers=header)


def test_no_request_waits_for_the_lock_of_who_writes(served: Served, asker: dict[str, str], tmp_path: Path) -> None:
    once = {**asker, "Idempotency-Key": "once"}
    with ThreadPoolExecutor(60) as asking:
        with held(tmp_path / "store"):
            good = asking.submit(recalled, served, asker)
            refused = asking.submit(served.http.delete, "/api/items/nothing", headers=once)
            wrong = [asking.submit(recalled, served, WRONG) for _ in range(45)]
            alive = asking.submit(served.http.get, "/healthz")
            assert alive.result(BOUND_SECONDS).status_code == 200
            assert good.result(BOUND_SECONDS).json()["hits"]
            assert refused.result(BOUND_SECONDS).status_code == 403
            assert {one.result(BOUND_SECONDS).status_code for one in wrong} == {401}
        served.house.notes.write()
    (key,) = served.house.service.find(ApiKey)
    assert key.used_at is not None
    noted = served.house.service.find(AuditEntry)
    times = [int(one.detail.split()[1]) for one in noted if one.status == 401]
    assert sum(times) == 45
    assert len(times) <= 2, "a line an address and minute"
    assert [(one.act, one.key_id) for one in noted if one.status == 403] == [("DELETE /api/items/{item_id}", key.id)]


@pytest.mark.parametrize("disk", [only_read, full])
def test_reads_are_served_where_nothing_can_be_written(
    served: Served,
    asker: dict[str, str],
    disk: Callable[[Served, Path], AbstractContextManager[None]],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with disk(served, tmp_path / "store"):
        assert recalled(served, asker).json()["hits"]
        assert recalled(served, WRONG).status_code == 401
        for _ in range(3):
            served.house.notes.write()
        assert served.house.notes.failures >= 3
    assert len([one for one in caplog.records if one.name == house.__name__]) == 1, "it is logged once"
    served.house.notes.write()
    assert served.house.service.find(AuditEntry, status=401), "it waited until it could be written"
    assert served.house.service.find(ApiKey)[0].used_at is not None


def test_what_waits_is_bounded_and_what_is_dropped_is_counted(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, _ = served.key(Scope.ADMIN)
    monkeypatch.setattr(house, "MOST_NOTES", 3)
    with only_read(served, tmp_path / "store"):
        for number in range(5):
            asker = TestClient(served.app, base_url=ADDRESS, client=(f"10.0.0.{number}", 1))
            assert asker.get("/api/stats", headers=WRONG).status_code == 401
        assert served.house.notes.dropped == 2
    figures = served.http.get("/metrics", headers=admin).text
    assert "evolore_notes_dropped_total 2.0" in figures
    assert "evolore_notes_failures_total" in figures


def test_refusals_of_an_address_are_one_line_a_minute_however_they_are_asked(served: Served) -> None:
    good, _ = served.key(Scope.READ)
    fresh, _ = served.key(Scope.READ)
    assert served.http.get("/api/stats", headers=good).status_code == 200
    asked = [served.http.get(f"/api/items/{'x' * 4000}{number}", headers=WRONG) for number in range(241)]
    assert {one.status_code for one in asked[:60]} == {401}
    assert {one.status_code for one in asked[-100:]} == {429}
    assert 1 <= int(asked[-1].headers["retry-after"]) <= 60
    assert served.http.get("/api/stats", headers=good).status_code == 200, "a key that was good is not kept waiting"
    assert served.http.get("/api/stats", headers=fresh).status_code == 429, "before it is looked up"
    elsewhere = TestClient(served.app, base_url=ADDRESS, client=("2001:db8::1", 1))
    assert elsewhere.get("/api/stats", headers=fresh).status_code == 200
    served.house.notes.write()
    lines = served.house.service.find(AuditEntry)
    assert len(lines) <= 4
    assert sum(int(one.detail.split()[1]) for one in lines) == 242
    assert sum(len(one.act) + len(one.detail) for one in lines) < 2_000


def test_log_ins_are_slowed(served: Served) -> None:
    served.key(Scope.ADMIN)
    page = served.http.get("/admin/login")
    mark = page.text.split('name="form_mark" value="')[1].split('"')[0]
    said = {"key": "evo_wrong", "form_mark": mark}
    statuses = [served.http.post("/admin/login", data=said).status_code for _ in range(70)]
    assert (statuses[0], statuses[-1]) == (401, 429)


def test_a_network_of_ipv6_is_one_address(served: Served) -> None:
    served.key(Scope.READ)
    askers = (TestClient(served.app, base_url=ADDRESS, client=(f"2001:db8::{one + 1:x}", 1)) for one in range(61))
    assert [one.get("/api/stats", headers=WRONG).status_code for one in askers][-1] == 429


def test_refusals_are_pruned_and_acts_are_kept(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MOST_REFUSALS", 3)
    kept = served.house.service
    at = served.house.now()
    kept.put(AuditEntry(id=served.house.new_id(), at=at, act="made a key", status=200))
    kept.note({}, [AuditEntry(id=served.house.new_id(), at=at, act=f"{n}", status=401) for n in range(5)])
    assert [one.act for one in kept.find(AuditEntry)] == ["made a key", "2", "3", "4"]


def test_a_clock_that_is_set_back_keeps_no_key_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    rate = house.Rate("1/minute")
    assert rate.wait("a") == 0
    assert 1 <= rate.wait("a") <= 60
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert 1 <= rate.wait("a") <= 60
    monkeypatch.setattr(house, "monotonic", lambda: time.monotonic() + 61)
    assert rate.wait("a") == 0


@pytest.mark.parametrize("often", ["", "600", "0/minute", "600/week", "many/minute", "1/0 minutes"])
def test_what_is_no_rate_is_refused_with_an_example(often: str) -> None:
    with pytest.raises(InvalidValue, match="600/minute"):
        house.Rate(often)


def test_a_rate_is_read_in_its_other_forms() -> None:
    rate = house.Rate(" 1 per 2 Hours ")
    assert rate.wait("a") == 0
    assert 7190 <= rate.wait("a") <= 7200


def test_they_are_written_by_themselves_and_at_the_end(tmp_path: Path) -> None:
    app = create_app(Memories(tmp_path, embedder=HashingEmbedder()))
    with TestClient(app, base_url=ADDRESS) as http:
        served = Served(app=app, http=http)
        header, _ = served.key(Scope.READ)
        recalled(served, WRONG)
        until(lambda: served.house.service.find(AuditEntry, status=401))
        recalled(served, header)
    with closing(Memories(tmp_path, embedder=HashingEmbedder())) as memories:
        assert memories.service.find(ApiKey)[0].used_at is not None
