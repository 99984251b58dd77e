from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def rows(pages: dict[str, str]) -> list[list[str]]:
    lines = [line for line in pages["docs/seeds.md"].splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return [row for row in cells if row[0] != "section"]


def test_every_row_names_a_module_and_a_test(rows: list[list[str]], root: Path) -> None:
    for row in rows:
        assert len(row) == 4, row
        _, _, module, test = row
        paths = re.findall(r"`([^`]+)`", f"{module} {test}")
        assert any(path.startswith("src/") for path in paths), row
        assert any(path.startswith("tests/") for path in paths), row
        assert all((root / path).exists() for path in paths), row


def test_every_row_is_of_a_seed_and_all_five_are_there(pages: dict[str, str]) -> None:
    seeds = re.findall(r"^## (\d{3}) – ", pages["docs/seeds.md"], re.MULTILINE)
    assert seeds == ["000", "001", "002", "003", "004"]
