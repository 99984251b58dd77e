"""A server in this process, for tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolore.server.keys import make_key

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

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
