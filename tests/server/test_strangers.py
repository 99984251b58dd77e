"""What somebody without a key finds out and uses up."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from server.serving import ADDRESS

if TYPE_CHECKING:
    from server.serving import Served

HANDLES = Path("/proc/self/fd")


@pytest.mark.parametrize("path", ["/readyz", "/api/stats", "/admin", "/admin/login", "/metrics", "/mcp"])
def test_an_error_tells_no_stranger_where_the_store_lies(tmp_path: Path, path: str) -> None:
    place = tmp_path / "store"
    place.write_text("no folder")
    memories = Memories(place, embedder=HashingEmbedder())
    with TestClient(create_app(memories), base_url=ADDRESS) as http:
        reply = http.get(path)
    assert reply.status_code == 503
    assert "is a file" in reply.text
    assert str(tmp_path) not in reply.text


@pytest.mark.skipif(not HANDLES.exists(), reason="this system does not list open files there")
def test_made_up_namespaces_leave_no_open_files(served: Served) -> None:
    served.http.post("/api/statements", json={"statements": [{"text": "We open at nine."}]})
    opened: list[int] = []
    for part in range(3):
        for number in range(40):
            elsewhere = {"Evolore-Namespace": f"made-up-{part}-{number}"}
            assert served.http.get("/api/stats", headers=elsewhere).status_code == 200
        gc.collect()
        opened.append(sum(1 for _ in HANDLES.iterdir()))
    assert opened[2] < 100
    assert opened[2] <= opened[0] + 10
