"""The demo of evolution plays the whole loop, offline, and touches nothing of the user's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.errors import InvalidValue
from evolore.memory import Memory
from evolore_evaluation.evolution.demo import LANGUAGES, DemoStep, play_evolution

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.domain.language import Language

STEPS = [
    *("add", "ask", "rate", "what is open", "evolve", "the proof", "the difference", "approve", "ask again"),
    *("roll back", "and once more"),
]


def told(steps: dict[str, DemoStep], name: str) -> str:
    return "\n".join(steps[name].told)


def check_loop(played: Sequence[DemoStep]) -> None:
    """Check what the steps print, which is the same in every language."""
    steps = {one.name: one for one in played}
    assert [one.name for one in played] == STEPS
    assert "14" in told(steps, "ask")
    assert "30" in told(steps, "ask again")
    assert steps["and once more"].told == steps["ask"].told
    assert "winner: proved as newer evidence says" in told(steps, "evolve")
    assert "in 12 of 12" in told(steps, "the proof")
    old, new = steps["the difference"].told
    assert old[1:].replace("14", "30") == new[1:]
    assert "returns.md is at version 2 now" in told(steps, "approve")
    assert "3 complaints are open again" in told(steps, "roll back")


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_the_loop_is_played_in_every_language(language: Language) -> None:
    check_loop(list(play_evolution(language=language)))


def test_a_demo_is_kept_where_it_is_asked_to_and_changes_nothing_that_is_there(tmp_path: Path) -> None:
    store = tmp_path / "demo"
    steps = list(play_evolution(language=LANGUAGES[0], store=store))
    check_loop(steps)
    with Memory.open(store, namespace="default", embedder="use") as memory:
        (entry,) = memory.evolution.history()
        assert entry.rolled_back_at is not None
        assert f"evolore evolution rollback {entry.promotion_id} --reason …" in [one.command for one in steps]
    with pytest.raises(InvalidValue, match="is there already"):
        next(play_evolution(store=store))
    with pytest.raises(InvalidValue, match="no demo documents"):
        next(play_evolution(language="fr"))


def test_the_command_tells_every_step_and_leaves_the_users_store_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "mine"))
    printed = CliRunner().invoke(app, ["demo", "evolution"]).output
    assert [f"{number}. {name}" in printed for number, name in enumerate(STEPS, start=1)] == [True] * len(STEPS)
    assert "Nothing was kept." in printed
    as_json = CliRunner().invoke(app, ["demo", "evolution", "--json", "--lang", "ja"])
    assert [one["name"] for one in json.loads(as_json.output)["steps"]] == STEPS
    assert list(tmp_path.iterdir()) == []
    refused = CliRunner().invoke(app, ["demo", "evolution", "--lang", "fr"])
    assert refused.exit_code == 1
