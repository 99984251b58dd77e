from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

RUNNER = CliRunner()


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "team.evolore"))


def server(*arguments: str, code: int = 0) -> str:
    done = RUNNER.invoke(app, ["server", *arguments])
    assert done.exit_code == code, done.output
    return done.output


def test_the_last_key_that_administers_is_taken_back_only_by_force() -> None:
    first, second, reader = (
        json.loads(server("key", "somebody", "--scope", scope, "--json"))["id"] for scope in ("admin", "admin", "read")
    )
    server("revoke", reader)
    server("revoke", second)
    assert "is the last key that administers" in " ".join(server("revoke", first, code=1).split())
    server("revoke", second)
    assert "is revoked" in server("revoke", first, "--force")
