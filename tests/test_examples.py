"""Every example runs as it stands, in at most 30 lines."""

from __future__ import annotations

import subprocess
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
def test_an_example_runs_and_prints_something(example: Path, tmp_path: Path) -> None:
    assert len(example.read_text("utf-8").splitlines()) <= 30
    done = subprocess.run(
        [sys.executable, str(example)], capture_output=True, text=True, check=False, cwd=tmp_path, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
