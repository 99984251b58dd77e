from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path
from typing import Any, cast

import pytest
from typer.main import get_command

from evolore.cli import app

GENERATOR: dict[str, Any] = runpy.run_path(str(Path(__file__).resolve().parents[2] / "docs" / "generate_figures.py"))
ROWS: list[dict[str, Any]] = GENERATOR["rows"]()
NUMBER = r"(?<![\w.@-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w.]*\w)"
WITH_UNIT = NUMBER + r"(?= (?:%|ms|s|MB|GB|kB|MB/s|kB/s|times)(?!\w))"


def unknown(name: str, page: str, rows: list[dict[str, Any]]) -> list[str]:
    """Return the figures that no row of this page has, of a line with commands no row with one of these."""
    found, of_page = list[str](), [row for row in rows if name in row["pages"]]
    for line in re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL).splitlines():
        of_line = [row for row in of_page if f"`{row['command']}`" in line] or of_page
        known = re.findall(NUMBER, " ".join(row["value"] + " " + row["what"] for row in of_line))
        plain = re.sub(r"`[^`]*`|\]\([^)]*\)", "", line)
        said = re.findall(NUMBER, " ".join(plain.split("|")[2:])) + re.findall(WITH_UNIT, plain)
        found += [f"{number} in: {line}" for number in said if number not in known]
    return found


def test_the_table_of_figures_is_current(pages: dict[str, str]) -> None:
    assert pages["docs/figures.md"] == GENERATOR["page"](), "run: python docs/generate_figures.py"


@pytest.mark.parametrize("name", ["README.md", "docs/evaluation.md"])
def test_every_figure_of_a_page_has_a_command(name: str, pages: dict[str, str]) -> None:
    assert not unknown(name, pages[name], ROWS), "add a row to docs/figures.toml, or name this page in its row"


def test_a_figure_without_a_command_is_noticed() -> None:
    row = {"pages": ["README.md"], "value": "83.9", "what": "recall", "command": "evolore evaluate"}
    assert not unknown("README.md", "| found | **83.9 %** |", [row])
    for page in ("| found | **84.9 %** |", "It finds 84.9 % of all.", "| found | 8.7 |"):
        assert unknown("README.md", page, [row])


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_the_command_of_a_figure_exists(row: dict[str, Any], root: Path, pages: dict[str, str]) -> None:
    words = [word for word in shlex.split(row["command"]) if not re.match(r"[A-Z_]+=", word)]
    options = {word for word in words if word.startswith("--")}
    assert all(name in pages["docs/settings.md"] for name in re.findall(r"\bEVOLORE_\w+", row["command"]))
    assert all((root / word).exists() for word in words if word.startswith("tests/"))
    if words[0] == "evolore":
        command: Any = cast("Any", get_command(app)).commands[words[1]].commands[words[2]]
        assert options <= {option for parameter in command.params for option in parameter.opts}
    elif words[0] == "make":
        assert re.search(rf"(?m)^[\w -]*\b{words[1]}\b.*:", (root / "Makefile").read_text(encoding="utf-8"))
    elif words[1] != "-m":
        assert all(f'"{option}"' in (root / words[1]).read_text(encoding="utf-8") for option in options)
