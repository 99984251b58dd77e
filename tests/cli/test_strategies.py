"""``evolore evolve`` takes a strategy by name, and says what is wrong with another word or a missing library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli.app import app
from evolore.models import gepa_search
from evolore.models.offline import HashingEmbedder
from evolore.models.offline_server import OfflineChatServer
from evolving.searches import answered_badly
from evolving.served import served_editor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typer.testing import Result

pytest.importorskip("openai", reason="openai is not installed")


@pytest.fixture(autouse=True)
def _store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with answered_badly(tmp_path), OfflineChatServer([served_editor()]) as server:
        monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
        monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "store"))
        monkeypatch.setenv("EVOLORE_CHAT__MODEL", "scripted")
        monkeypatch.setenv("EVOLORE_CHAT__BASE_URL", server.url)
        yield


def evolve(*words: str) -> Result:
    return CliRunner().invoke(app, ["evolve", "refunds.md", *words])


def said(result: Result) -> str:
    return " ".join(result.output.replace("│", " ").split())


def test_a_search_is_asked_for_by_its_name() -> None:
    pytest.importorskip("gepa", reason="gepa is not installed")
    result = evolve("--strategy", "gepa")
    assert result.exit_code == 0, result.output
    assert "winner (candidate 1): proved on fresh questions" in result.output
    job = result.output.split()[0]
    assert "Candidate 1: MUTATION_REFLECTION  <- put before you" in CliRunner().invoke(app, ["jobs", job]).output


def test_another_word_is_told_with_those_there_are() -> None:
    result = evolve("--strategy", "luck")
    assert result.exit_code == 1
    assert "'luck'" in said(result)
    assert "gepa" in said(result)


def test_a_missing_library_is_told_with_the_command_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        assert name == "gepa"

    monkeypatch.setattr(gepa_search, "find_spec", missing)
    result = evolve("--strategy", "gepa")
    assert result.exit_code == 3
    assert 'pip install "evolore[gepa]"' in said(result)
