from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient

from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from server import replies
from server.serving import ADDRESS, Served
from serving.memories import Hands, memories_of
from serving.receiver import receiver

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from httpx2 import Response

    from serving.receiver import Received


@pytest.fixture(autouse=True)
def _as_described(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Hold every reply against the OpenAPI document."""
    replies.read(tmp_path_factory.getbasetemp())
    request = TestClient.request

    def checked(self: TestClient, *args: Any, **named: Any) -> Response:  # noqa: ANN401
        response = request(self, *args, **named)
        replies.check(response)
        return response

    monkeypatch.setattr(TestClient, "request", checked)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    memories = Memories(tmp_path / "store", embedder=HashingEmbedder())
    app = create_app(memories)
    with TestClient(app, base_url=ADDRESS) as http:
        yield Served(app=app, http=http)


@pytest.fixture
def hands() -> Hands:
    """A clock that is set by hand."""
    return Hands()


@pytest.fixture
def memories(store_path: Path, hands: Hands) -> Iterator[Memories]:
    with memories_of(store_path, clock=hands) as opened:
        yield opened


@pytest.fixture
def hook() -> Iterator[Received]:
    with receiver() as received:
        yield received
