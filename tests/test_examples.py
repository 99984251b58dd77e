"""Every example runs as it stands, in at most 30 lines."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))


SOON = {"langgraph_store", "openai_tools", "two_people", "wrapped_client"}
"""Those that are run at every change; the others take seconds each."""


@pytest.mark.parametrize(
    "example",
    [one if one.stem in SOON else pytest.param(one, marks=pytest.mark.long) for one in EXAMPLES],
    ids=lambda path: path.stem,
)
def test_an_example_runs_and_prints_something(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    assert len(example.read_text("utf-8").splitlines()) <= 30
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")
    assert capfd.readouterr().out.strip()
