"""``evolore questions resonate`` and ``evolore undo``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result


@pytest.fixture(autouse=True)
def _light_store(monkeypatch: pytest.MonkeyPatch, store_path: Path) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(store_path))


def run(*words: str) -> Result:
    return CliRunner().invoke(app, words)


def answer(*words: str) -> dict[str, Any]:
    result = run(*words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_use_is_printed_with_how_to_take_it_back() -> None:
    id_ = answer("remember", "The lighthouse was lit.", "--arousal", "0.4")["id"]
    first, second = run("questions", "resonate", id_, "--arousal", "0.9").stdout.splitlines()
    assert first == f"0.50  {id_}"
    assert second.startswith("Take it back with: evolore undo ")
    event = second.rpartition(" ")[2]
    assert run("undo", event).stdout.startswith(f"Undid {event}. Redo with: evolore undo ")
    assert answer("show", id_)["arousal"] == 0.4


def test_scaling_down_is_said_and_a_use_that_moves_nothing_too() -> None:
    id_ = answer("remember", "The lighthouse was lit.", "--arousal", "0.9")["id"]
    assert (
        "above 0.6: 1 scaled by 0.9.\nTake that back first with: evolore undo "
        in run("questions", "resonate", id_, "--arousal", "1").stdout
    )
    still = answer("remember", "The list is in the drawer.", "--arousal", "0")["id"]
    assert run("questions", "resonate", still, "--arousal", "0").stdout == f"0.00  {still}\nNothing moved.\n"


def test_json_holds_the_events_and_errors_exit_with_1() -> None:
    id_ = answer("remember", "The lighthouse was lit.", "--arousal", "0.4")["id"]
    moved = answer("questions", "resonate", id_, "--arousal", "0.9")
    assert answer("undo", moved["event_id"])["undone_ids"] == [moved["event_id"]]
    assert run("undo", "nonsense").exit_code == 1
    assert run("questions", "resonate", "zzz", "--arousal", "0.9").exit_code == 1
    assert run("questions", "resonate", id_, "--arousal", "2").exit_code == 1
    unsaid = run("questions", "resonate", id_)
    assert (unsaid.exit_code, "add --arousal" in unsaid.stderr) == (1, True)
