"""What is said where a framework is not installed."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("module", "absent", "extra"),
    [
        ("langchain", "langchain_text_splitters", "langchain"),
        ("llamaindex", "llama_index.core.node_parser", "llamaindex"),
        ("mcp", "mcp", "mcp"),
        ("mcp", "anyio", "mcp"),
    ],
)
def test_a_missing_framework_is_named_with_the_command_that_installs_it(module: str, absent: str, extra: str) -> None:
    program = f"import sys; sys.modules[{absent!r}] = None; import evolore.integrations.{module}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "MissingExtra: " in done.stderr
    assert f'pip install "evolore[{extra}]"' in done.stderr
