"""Documents at addresses: found as in a folder, read within bounds, named without what lets one in."""

from __future__ import annotations

import http.server
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

import fsspec
import pytest

from evolore import Memory, SourceText
from evolore.domain.document import MediaType
from evolore.errors import InvalidValue, MissingExtra, UnreadableSource
from evolore.models.offline import HashingEmbedder
from evolore.ports import LeftOutReason, PathFilter
from evolore.sources.addresses import AddressReader, shown
from evolore.sources.files import ReaderSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from fsspec import AbstractFileSystem

EVERY = PathFilter()
FILES = {
    "guide.md": b"# Guide\n\nThe office is in Munich.\n",
    "deep/page.html": b"<html><title>Canteen</title><p>The canteen opens at noon.</p></html>",
    "deep/photo.raw": b"\x00\x01",
    ".secret.md": b"# Hidden\n\nNobody reads this.\n",
    "node_modules/x.md": b"# Package\n\nNobody reads this.\n",
    "node_modules/deep/y.md": b"# Package\n\nNobody reads this.\n",
}


@pytest.fixture
def bucket() -> Iterator[AbstractFileSystem]:
    system = fsspec.filesystem("memory")
    for name, data in FILES.items():
        system.pipe(f"/bucket/{name}", data)
    yield system
    system.rm("/bucket", recursive=True)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as opened:
        yield opened


def test_an_address_is_added_as_a_folder_is(memory: Memory, bucket: AbstractFileSystem) -> None:
    added = memory.add("memory://bucket", tags=["remote"])
    assert [(one.document.source, one.document.title) for one in added.documents] == [
        ("memory://bucket/deep/page.html", "Canteen"),
        ("memory://bucket/guide.md", "Guide"),
    ]
    assert {(one.reason, one.name, one.count) for one in added.left_out} == {
        (LeftOutReason.KIND, ".raw", 1),
        (LeftOutReason.HIDDEN, "", 1),
        (LeftOutReason.SKIPPED_FOLDER, "node_modules", 1),
    }
    assert "memory://bucket/guide.md" in memory.recall("Where is the office?", tags=["remote"]).context
    assert {one.outcome for one in memory.add("memory://bucket/").documents} == {"unchanged"}
    bucket.pipe("/bucket/guide.md", b"# Guide\n\nThe office is in Berlin.\n")
    assert [one.document.version for one in memory.add("memory://bucket/guide.md").documents] == [2]


def test_patterns_narrow_what_is_taken(bucket: AbstractFileSystem) -> None:
    found = AddressReader().find("memory://bucket", where=PathFilter(exclude=("deep",)))
    assert found.addresses == ("memory://bucket/guide.md",)
    assert (LeftOutReason.PATTERN, "", 1) in [(one.reason, one.name, one.count) for one in found.left_out]


def test_what_cannot_be_read_is_listed_and_the_others_are_added(memory: Memory, bucket: AbstractFileSystem) -> None:
    bucket.pipe("/bucket/empty.md", b"")
    added = memory.add("memory://bucket")
    assert [one.source for one in added.failures] == ["memory://bucket/empty.md"]
    assert len(added.documents) == 2


def test_a_file_that_is_too_large_is_refused(bucket: AbstractFileSystem) -> None:
    with pytest.raises(UnreadableSource, match="is larger than 10 bytes"):
        AddressReader(ReaderSettings(max_bytes=10)).read("memory://bucket/guide.md")


def test_what_gives_no_answer_is_given_up(bucket: AbstractFileSystem, monkeypatch: pytest.MonkeyPatch) -> None:
    def sleep(_of: AbstractFileSystem, _path: str) -> None:
        time.sleep(5)

    with monkeypatch.context() as patch:
        patch.setattr(type(bucket), "isfile", sleep)
        with pytest.raises(UnreadableSource, match=r"did not answer within 0.1 s"):
            AddressReader(wait_s=0.1).find("memory://bucket", where=EVERY)


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "local:///etc",
        "zip://a.md::memory://b.zip",
        "simplecache::memory://a",
        "nothing://a",
        "dir://a",
    ],
)
def test_what_is_no_address_of_documents_is_refused(address: str) -> None:
    with pytest.raises(UnreadableSource, match=r"not an address that documents are read from"):
        AddressReader().find(address, where=EVERY)


def test_what_is_not_there_is_told(bucket: AbstractFileSystem) -> None:
    with pytest.raises(UnreadableSource, match=r"'memory://bucket/none' does not exist or holds nothing"):
        AddressReader().find("memory://bucket/none", where=EVERY)
    with pytest.raises(UnreadableSource, match=r"does not exist"):
        AddressReader().read("memory://bucket/none.md")


def test_a_package_that_is_missing_is_named() -> None:
    with pytest.raises(MissingExtra, match=r"smbprotocol"):
        AddressReader().find("smb://host/share", where=EVERY)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://mika:pa55@host.example/a.md", "https://host.example/a.md"),
        ("https://host.example/a?id=3&sig=5ecret&X-Amz-Signature=5ecret#top", "https://host.example/a?id=3"),
        ("https://host.example/a?id=3&page=%20x", "https://host.example/a?id=3&page=%20x"),
        ("s3://key:5ecret@bucket/a.md", "s3://bucket/a.md"),
        ("github://owner:repository@main/docs", "github://owner:repository@main/docs"),
    ],
)
def test_an_address_is_shown_without_what_lets_one_in(address: str, name: str) -> None:
    assert shown(address) == name


def test_no_error_shows_what_lets_one_in() -> None:
    for address in ("https://mika:5ecret@127.0.0.1:1/a.md", "http://127.0.0.1:1/a?token=5ecret"):
        with pytest.raises((UnreadableSource, MissingExtra)) as told:
            AddressReader(wait_s=10).read(address)
        assert "5ecret" not in str(told.value)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "page").write_bytes(FILES["deep/page.html"])
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_page_of_the_web_is_one_document(memory: Memory, site: str) -> None:
    pytest.importorskip("aiohttp")
    added = memory.add(f"{site}/page?id=3&token=5ecret")
    assert [(one.document.source, one.document.title) for one in added.documents] == [(f"{site}/page?id=3", "Canteen")]
    failed = memory.add(f"{site}/none")
    assert [one.reason for one in failed.failures] == [f"'{site}/none' does not exist: check the address."]


def test_kinds_are_not_mixed(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match=r"is a file, and memory:// is an address, and 'x' is a text"):
        memory.add(tmp_path, "memory://bucket", SourceText(source="x", text="y", media_type=MediaType.PLAIN))
    with pytest.raises(InvalidValue, match=r"are for folders of files"):
        memory.add("memory://bucket", sync="forget")
