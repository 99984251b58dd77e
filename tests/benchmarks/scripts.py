"""Scripts of benchmarks, as modules that tests call."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def load_script(name: str) -> Any:  # noqa: ANN401 - a script and no package
    """Import a script of benchmarks, and what it shares with others."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    with patch.object(sys, "path", [str(FOLDER), *sys.path]):
        spec.loader.exec_module(module)
    return module
