"""An audit lists what should perhaps not be there, each with a command that mends it, and shows no text."""

from __future__ import annotations

import shlex
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.config import Settings
from evolore.domain.health import AuditKind
from evolore.errors import InvalidValue, NamespaceNotFound
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "zu6WC!gyOK9"
BEGAN = datetime(2026, 1, 5, tzinfo=UTC)


def opened(store: Path, *, days: int = 0) -> Memory:
    clock = SteppingClock(BEGAN + timedelta(days=days))
    return Memory.open(store, embedder=HashingEmbedder(), clock=clock, settings=Settings())


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with each of what an audit finds, and what is fine."""
    file = tmp_path / "my notes.md"
    file.write_text(f"# Notes\n\npassword: {SECRET}\n")
    with opened(tmp_path / "store") as memory:
        memory.remember(f"The wifi password is {SECRET}.")
        memory.remember("The kettle whistles.")
        memory.remember("The bicycle is blue.")
        memory.remember("The office is in Leeds.", about=("office", "city"))
        memory.remember("The office is in York.", about=("office", "city"))
        memory.add(file)
        file.write_text("# Notes\n\nNothing here.\n")
        memory.add(file)
        memory.add_text("# Old\n\nThe same words.", source="old.md", metadata={"verify_by": "2026-01-10"})
        memory.add_text("# Old\n\nThe same words.", source="copy.md")
        memory.recall("What colour is the bicycle?", record=True, limit=1)
        memory.recall(f"Is {SECRET} the wifi password? password: {SECRET}", record=True, limit=1)
    return tmp_path / "store"


def test_each_kind_is_found_and_nothing_else(store: Path) -> None:
    with opened(store, days=100) as memory:
        found = memory.store.audit()
        kinds = [one.kind for one in found.findings]
        assert kinds == sorted(kinds, key=list(AuditKind).index)
        assert kinds.count(AuditKind.SECRET) == 3
        assert kinds.count(AuditKind.DUPLICATE) == 1
        assert kinds.count(AuditKind.EXPIRED) == 2
        assert AuditKind.UNUSED in kinds
        assert SECRET not in repr(found)
        assert found.texts >= 8


def test_what_a_question_led_to_and_what_is_young_is_used(store: Path) -> None:
    with opened(store, days=100) as memory:
        (asked,) = [hit.episode.id for hit in memory.recall("What colour is the bicycle?", limit=1).hits]
        assert asked not in [one.id for one in memory.store.audit().findings if one.kind is AuditKind.UNUSED]
        assert AuditKind.UNUSED not in [one.kind for one in memory.store.audit(unused_days=200).findings]
        with pytest.raises(InvalidValue, match="unused_days"):
            memory.store.audit(unused_days=0)


def test_every_command_is_one_and_what_it_mends_is_found_no_more(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(store))
    with opened(store, days=100) as memory:
        commands = [one.command for one in memory.store.audit().findings]
    for command in commands:
        for part in command.split(" && "):
            words = shlex.split(part)
            environment = {"EVOLORE_SECRETS": "redact"} if words[0].startswith("EVOLORE_") else {}
            words = words[words.index("evolore") + 1 :]
            yes = ["--yes"] if words[0] == "forget" and "--yes" not in words else []
            done = CliRunner().invoke(app, [*words, *yes], env=environment)
            assert done.exit_code == 0, (command, done.output)
    with opened(store, days=100) as memory:
        left = [one for one in memory.store.audit().findings if one.kind is not AuditKind.UNUSED]
        assert left == []


def test_a_contradiction_is_settled_by_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    with opened(tmp_path / "store") as memory:
        memory.remember("The Lyon office is open on Sunday.", occurred_at=BEGAN, speaker="Mika")
        memory.remember("The Lyon office is not open on Sunday.", occurred_at=BEGAN + timedelta(days=1), speaker="Mika")
        (found,) = memory.store.audit().findings
        assert found.kind is AuditKind.CONTRADICTION
    done = CliRunner().invoke(app, [*shlex.split(found.command)[1:], "--store", str(tmp_path / "store")])
    assert done.exit_code == 0, done.output
    with opened(tmp_path / "store") as memory:
        assert AuditKind.CONTRADICTION not in [one.kind for one in memory.store.audit().findings]


def test_a_namespace_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory, pytest.raises(NamespaceNotFound):
        memory.store.audit()
