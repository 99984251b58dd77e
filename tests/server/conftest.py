from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.memories import Memories
from server.serving import ADDRESS, Served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    memories = Memories(tmp_path / "store", embedder=HashingEmbedder())
    app = create_app(memories)
    with TestClient(app, base_url=ADDRESS) as http:
        yield Served(app=app, http=http)
