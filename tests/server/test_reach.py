"""What clients have the server read: nothing, but what whoever runs it allows."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from evolore.errors import InvalidValue, UnreadableSource
from evolore.ports import SourceText
from evolore.server import reach as reach_of
from evolore.server.app import create_app
from evolore.server.background import Background
from evolore.server.house import House
from evolore.server.reach import Reach
from evolore.store.service import DONE, FAILED, BackgroundJob, Schedule
from serving.memories import Hands
from serving.receiver import Received, receiver

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

    from evolore.server.memories import Memories

WEB = Reach(fetch_addresses=True)
PAGE = b"<!DOCTYPE html><h1>Hours</h1><p>We open at nine.</p>"


@pytest.fixture
def site() -> Iterator[Received]:
    with receiver() as received:
        received.pages["/hours"] = (200, {}, PAGE)
        yield received


@pytest.fixture
def named(site: Received, monkeypatch: pytest.MonkeyPatch) -> str:
    """Give the address of the site by a name that stands for one of the open internet."""

    def public(host: str, _port: int) -> str | None:
        return "127.0.0.1" if host == "pages.example" else None

    monkeypatch.setattr(reach_of, "public_address", public)
    return site.address.replace("127.0.0.1", "pages.example")


@contextmanager
def still(memories: Memories, reach: Reach | None = None) -> Generator[TestClient]:
    """Serve where nothing runs by itself."""
    app = create_app(memories)
    app.state.house = House(memories, now=Hands(), reach=reach)
    yield TestClient(app, base_url="http://127.0.0.1")


@pytest.mark.parametrize(
    ("path", "flag"),
    [
        *(("/etc/passwd", "--add-from"), ("notes", "--add-from"), ("../../etc", "--add-from")),
        *(("{site}/hours", "--fetch-addresses"), ("HTTPS://example.com/", "--fetch-addresses")),
        *(("s3://bucket/guides", "--fetch-addresses"), ("file:///etc/passwd", "--fetch-addresses")),
    ],
)
def test_by_default_no_client_has_a_file_or_an_address_read(
    memories: Memories, site: Received, path: str, flag: str
) -> None:
    body = {"kind": "add", "path": path.format(site=site.address)}
    with still(memories) as client:
        begun = client.post("/api/jobs", json=body)
        planned = client.post("/api/schedules", json={**body, "cron": "0 3 * * *"})
        for answer in (begun, planned):
            assert answer.status_code == 422
            assert flag in answer.json()["detail"]
        assert memories.service.count(BackgroundJob) == memories.service.count(Schedule) == 0
    assert site.gets == []


def test_a_job_that_was_written_before_reads_nothing_either(memories: Memories, site: Received) -> None:
    allowing = Background(memories, now=Hands(), reach=WEB)
    allowing.begin("add", "default", body={"path": f"{site.address}/hours"})
    ended = Background(memories, now=Hands()).run_next()
    assert ended is not None
    assert ended.state == FAILED
    assert "--fetch-addresses" in str(ended.error)
    assert site.gets == []


def test_files_of_a_folder_that_is_named_are_added_and_no_others(memories: Memories, tmp_path: Path) -> None:
    (notes := tmp_path / "notes").mkdir()
    (tmp_path / "secret.md").write_text("The vault code is 4711.", "utf-8")
    (notes / "a.md").write_text("We open at nine.", "utf-8")
    (notes / "link.md").symlink_to(tmp_path / "secret.md")
    reach = Reach(add_from=(notes,))
    for path in (tmp_path, tmp_path / "secret.md", f"{notes}/../secret.md", notes / "link.md", f"{notes}2"):
        with pytest.raises(InvalidValue, match="--add-from"):
            reach.check(str(path))
    background = Background(memories, now=Hands(), reach=reach)
    background.begin("add", "default", body={"path": str(notes)})
    ended = background.run_next()
    assert ended is not None
    assert ended.state == DONE
    (document,) = memories.of("default").list().documents
    assert document.source.endswith("a.md")


def test_a_page_of_the_open_internet_is_added_where_that_is_allowed(
    memories: Memories, site: Received, named: str
) -> None:
    site.pages["/old"] = (302, {"Location": "/hours"}, b"")
    with still(memories, WEB) as client:
        assert client.post("/api/jobs", json={"kind": "add", "path": f"{named}/old?token=abc"}).status_code == 202
        assert "abc" not in client.get("/api/jobs").text
    ended = Background(memories, now=Hands(), reach=WEB).run_next()
    assert ended is not None
    assert (ended.state, ended.error) == (DONE, None)
    (document,) = memories.of("default").list().documents
    assert document.source == f"{named}/old"
    host = named.removeprefix("http://")
    assert site.gets == [(host, "/old?token=abc"), (host, "/hours")]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.5", "2130706433"])
def test_no_page_within_the_network_is_fetched(site: Received, host: str) -> None:
    address = f"http://{host}:{site.address.rpartition(':')[2]}/hours"
    with pytest.raises(UnreadableSource, match=r"public addresses alone|cannot be read"):
        WEB.given(address)
    assert site.gets == []


@pytest.mark.parametrize("to", ["{site}/secret", "http://169.254.169.254/secret", "file:///etc/passwd", "s3://b/c"])
def test_no_redirect_leads_into_the_network(site: Received, named: str, to: str) -> None:
    site.pages["/out"] = (302, {"Location": to.format(site=site.address)}, b"")
    site.pages["/secret"] = (200, {}, PAGE)
    with pytest.raises(UnreadableSource, match="public addresses alone"):
        WEB.given(f"{named}/out")
    assert [path for _, path in site.gets] == ["/out"]


def test_what_a_page_answers_is_bounded(site: Received, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(WEB.given(f"{named}/hours"), SourceText)
    site.pages["/round"] = (302, {"Location": "/round"}, b"")
    for path, told in (("round", "leads on"), ("nowhere", "status 404")):
        with pytest.raises(UnreadableSource, match=told):
            WEB.given(f"{named}/{path}")
    monkeypatch.setattr(reach_of, "MOST_PAGE_BYTES", 10)
    with pytest.raises(UnreadableSource, match="larger than 10"):
        WEB.given(f"{named}/hours")


@pytest.mark.parametrize("address", ["s3://bucket/x", "gs://b/x", "ftp://example.com/x", "memory://x", "sftp://h/x"])
def test_nothing_is_read_with_the_credentials_of_the_server(address: str) -> None:
    with pytest.raises(InvalidValue, match="http:// and https:// alone"):
        WEB.check(address)
