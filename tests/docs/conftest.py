from __future__ import annotations

import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from evolore.models.use import UseEmbedder

if TYPE_CHECKING:
    from docs.scripts import Examples, Picture, Reference, Requirements, SettingsTables

ROOT = Path(__file__).resolve().parents[2]


class Script:
    """A script of the docs, as if it were a module."""

    def __init__(self, name: str) -> None:
        self._names: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / name))

    def __getattr__(self, name: str) -> object:
        return self._names[name]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def pages() -> dict[str, str]:
    first = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
    found = [*(ROOT / name for name in first), *sorted((ROOT / "docs").rglob("*.md"))]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in found}


@pytest.fixture(scope="session")
def embedder() -> UseEmbedder:
    return UseEmbedder()


@pytest.fixture(scope="session")
def examples() -> Examples:
    return cast("Examples", Script("generate_output.py"))


@pytest.fixture(scope="session")
def reference() -> Reference:
    return cast("Reference", Script("generate_cli.py"))


@pytest.fixture(scope="session")
def settings_tables() -> SettingsTables:
    return cast("SettingsTables", Script("generate_settings.py"))


@pytest.fixture(scope="session")
def requirements() -> Requirements:
    return cast("Requirements", Script("generate_seeds.py"))


@pytest.fixture(scope="session")
def python_reference() -> Reference:
    return cast("Reference", Script("generate_python.py"))


@pytest.fixture(scope="session")
def drawing() -> Picture:
    return cast("Picture", Script("generate_picture.py"))
