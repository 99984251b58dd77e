from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from evolore.store.tables import metadata

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def page(pages: dict[str, str]) -> str:
    return pages["docs/architecture.md"]


@pytest.fixture
def code(root: Path) -> Path:
    return root / "src" / "evolore"


def test_every_table_is_described(pages: dict[str, str]) -> None:
    rows = pages["docs/storage.md"].partition("\n## Tables\n")[2]
    described = {
        name for cell in re.findall(r"^\| (`[^|]+) \|", rows, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)
    }
    assert described - {"alembic_version"} == set(metadata.tables)


def test_the_house_names_what_stands_in_the_code(page: str, code: Path) -> None:
    house = page.partition("src/evolore/\n")[2].partition("```")[0]
    lists = re.findall(r"^ {2}((?:[\w./]+, )*[\w./]+)", house, re.MULTILINE)
    named = {name.rstrip("/") for names in lists for name in names.split(", ")}
    present = {
        path.name.removesuffix(".py") for path in code.iterdir() if path.name[0] != "." and path.suffix in {"", ".py"}
    }
    present -= {"__pycache__"}
    assert {name.removesuffix(".py") for name in named} == present


def test_the_layers_are_the_ones_that_are_checked(page: str, root: Path) -> None:
    shown = re.sub(r"\s+", " ", page.partition("```text\n__main__")[2].partition("```")[0])
    layers = [sorted(layer.split(" | ")) for layer in f"__main__{shown}".strip().split(" > ")]
    project = (root / "pyproject.toml").read_text(encoding="utf-8")
    checked = re.findall(r'^    "([^"]+)",$', project.partition("layers = [")[2].partition("]")[0], re.MULTILINE)
    # In parentheses stand layers that may be missing; only those that are there are shown.
    present = [
        sorted(
            name.strip("()")
            for name in layer.split(" | ")
            if (root / "src" / "evolore" / name.strip("()")).exists()
            or (root / "src" / "evolore" / f"{name.strip('()')}.py").exists()
        )
        for layer in checked
    ]
    assert layers == present


def test_places_to_change_name_what_is_there(page: str, code: Path) -> None:
    table = page.partition("## Places to change\n")[2]
    named = set(re.findall(r"`([\w/]+(?:\.py|/))`", table))
    assert named
    assert [name for name in sorted(named) if not (code / name).exists()] == []
