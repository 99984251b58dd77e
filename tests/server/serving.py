"""A server in this process, for tests."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import uvicorn

from evolore.config import Settings
from evolore.models.offline import HashingEmbedder
from evolore.server.app import create_app
from evolore.server.keys import make_key
from evolore.server.memories import Memories

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from datetime import datetime
    from pathlib import Path

    from fastapi import FastAPI
    from fastapi.testclient import TestClient

    from evolore.server.house import House
    from evolore.server.keys import Scope

ADDRESS = "http://localhost"


@dataclass
class Served:
    """A server in this process."""

    app: FastAPI
    http: TestClient

    @property
    def house(self) -> House:
        house: House = self.app.state.house
        return house

    def key(
        self, *scopes: Scope, namespaces: Iterable[str] = (), expires_at: datetime | None = None, label: str = "a test"
    ) -> tuple[dict[str, str], str]:
        """Make a key; give the header that bears it, and its id."""
        secret, made = make_key(
            self.house.service,
            id_=self.house.new_id(),
            label=label,
            scopes=scopes,
            namespaces=namespaces,
            at=self.house.now(),
            expires_at=expires_at,
        )
        self.house.keys_changed()
        return {"Authorization": f"Bearer {secret}"}, made.id

    def operations(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Give every operation of the API: method, path, and what the document says of it."""
        paths: dict[str, dict[str, dict[str, Any]]] = self.http.get("/api/openapi.json").json()["paths"]
        return [(method.upper(), path, said) for path, by in paths.items() for method, said in by.items()]


@contextmanager
def running(tmp_path: Path, **settings: Any) -> Generator[tuple[Served, str]]:  # noqa: ANN401 - as the settings take them
    """Serve over a port of this machine; give its address."""
    app = create_app(Memories(tmp_path / "store", embedder=HashingEmbedder(), settings=Settings(**settings)))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Served(app=app, http=None), f"http://127.0.0.1:{port}"  # pyright: ignore[reportArgumentType] - asked over the port
    finally:
        server.should_exit = True
        thread.join(timeout=20)
