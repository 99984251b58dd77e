"""``evolore mirror``: what it prints, and its exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result

RUNNER = CliRunner()


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "store"))
    evolore("remember", "The mill closes at noon.", "--speaker", "Petra", "--at", "2026-03-01")
    return tmp_path / "notes"


def evolore(*arguments: str | Path, code: int = 0) -> Result:
    result = RUNNER.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def test_a_line_is_printed_for_each_step_and_then_a_sum(notes: Path) -> None:
    printed = evolore("mirror", notes).stdout
    assert printed.splitlines() == [
        "written     Petra.md  The mill closes at noon.",
        "1 statement; 1 written; 1 file written.",
    ]
    assert evolore("mirror", notes).stdout == "1 statement; nothing changed; 0 files written.\n"


def test_an_edit_is_printed_with_the_command_that_takes_it_back(notes: Path) -> None:
    evolore("mirror", notes, "--per", "day")
    page = notes / "2026-03-01.md"
    page.write_text(page.read_text(encoding="utf-8").replace("noon", "one"), encoding="utf-8")
    assert evolore("mirror", notes, "--dry-run").stdout.splitlines()[-1] == (
        "1 statement; would be: 1 corrected; 1 file would be written. Nothing was changed."
    )
    printed = evolore("mirror", notes, "--by", "ann").stdout.splitlines()[0]
    assert printed.startswith("corrected   2026-03-01.md:8  The mill closes at one.  (evolore undo ")
    evolore("undo", printed.rpartition(" ")[2].rstrip(")"))
    assert "noon" in evolore("mirror", notes).stdout


def test_what_is_left_alone_ends_with_1_and_json_names_it(notes: Path) -> None:
    evolore("mirror", notes)
    page = notes / "Petra.md"
    page.write_text(page.read_text(encoding="utf-8") + "- Broken <!-- evolore\n", encoding="utf-8")
    assert "left        Petra.md:9  Broken" in evolore("mirror", notes, code=1).stdout
    found = json.loads(evolore("mirror", notes, "--json", code=1).stdout)
    assert [step["deed"] for step in found["steps"]] == ["left"]


def test_many_deleted_lines_need_yes(notes: Path) -> None:
    evolore("mirror", notes)
    (notes / "Petra.md").unlink()
    assert "--yes" in evolore("mirror", notes, code=1).output
    assert "retired" in evolore("mirror", notes, "--yes").stdout


def test_a_wrong_word_is_refused(notes: Path) -> None:
    assert "'speaker' or 'day'" in evolore("mirror", notes, "--per", "week", code=1).output
