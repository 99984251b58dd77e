from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from evolore.memory import Memory

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("arguments", [("list",), pytest.param(("store", "export", "-"), marks=pytest.mark.long)])
def test_a_reader_that_has_seen_enough_is_no_fault(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    with Memory.open(tmp_path / "store") as memory:
        memory.remember("The red train leaves at nine.")
    command = [sys.executable, "-m", "evolore", *arguments, "--store", str(tmp_path / "store")]
    whole = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "The red train" in whole.stdout  # the control
    reading, writing = os.pipe()
    os.close(reading)
    cut = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert cut.returncode != 0
    assert "fault of Evolore" not in cut.stderr
    assert "Traceback" not in cut.stderr
