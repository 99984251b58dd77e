"""How promoted sections are told on a terminal: where they stand, the three texts to decide between, and what is written."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from evolore.cli import app
from evolore.cli.add import render_added
from evolore.cli.evolution import (
    render_approved,
    render_evolution_history,
    render_generations,
    render_job,
    render_written,
)
from evolore.cli.printing import print_lines
from evolore.cli.review import render_conflict
from evolore.errors import InvalidValue
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.add import Added
from evolore.flows.evolve.write import WrittenFile
from evolore.memory.evolution import Evolution
from evolore.models.offline import HashingEmbedder
from evolving.complaints import BETTER, TEXT
from evolving.scripted import NEW, OLD
from flows.test_branches import approved
from flows.test_promotions_last import EIGHT, ELSEWHERE, added, of_file, promoted, waits

if TYPE_CHECKING:
    from pathlib import Path


def test_add_tells_what_holds_what_waits_and_what_the_source_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with promoted(tmp_path) as (memory, _):
        told: list[str] = []
        for source in (ELSEWHERE, TEXT.replace(OLD, EIGHT), BETTER):
            render_added(Added(documents=(added(memory, source),)), 0.0)
            told.append(capsys.readouterr().err)
        (item,) = memory.review.list(status=None, category="promotion")
        assert told == [
            "promoted text holds: refunds.md: Refunds > Time\n",
            f"your file and a promotion both changed refunds.md: Refunds > Time; the promoted text waits: evolore review show {item.id}\n",
            "said by the source: refunds.md: Refunds > Time\n",
        ]


def test_what_add_did_goes_into_json() -> None:
    assert json.loads(json.dumps(Added().to_dict()))["documents"] == []


def test_the_three_texts_are_shown_with_how_to_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with promoted(tmp_path) as (memory, _):
        id_ = waits(memory)
        found = memory.review.conflict(id_)
        print_lines(render_conflict(found))
        told = capsys.readouterr().out
        assert "promoted:\n" in told
        assert f"-{OLD} They go to the card that paid.\n+{NEW} They go" in told
        assert f"-{OLD} They go to the card that paid.\n+{EIGHT} They go" in told
        assert f"evolore review settle {id_} --keep promoted" in told
        assert json.loads(json.dumps(found.to_dict()))["section"] == ["Refunds", "Time"]
        memory.review.settle_promotion(id_, keep="source")
        print_lines(render_conflict(memory.review.conflict(id_)))
        assert "Decide with" not in capsys.readouterr().out


def test_generations_tell_what_no_longer_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with promoted(tmp_path) as (memory, _):
        print_lines(render_generations(memory.evolution.generations("refunds.md")))
        assert len(capsys.readouterr().out.splitlines()) == 1
        id_ = waits(memory)
        print_lines(render_generations(memory.evolution.generations("refunds.md")))
        assert capsys.readouterr().out.splitlines()[1:] == [
            "     does not hold: its source changed it too, and you are asked",
            f"     see it with: evolore review show {id_}",
        ]
        memory.review.settle_promotion(id_, keep="source")
        print_lines(render_generations(memory.evolution.generations("refunds.md")))
        assert capsys.readouterr().out.endswith("no longer holds: another text took its place\n")


def test_what_is_written_is_told_and_a_patch_is_printed(
    tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with of_file(tmp_path, TEXT.replace("\n", "\r\n").encode()) as (memory, path):
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
        render_written(memory.evolution.write(str(path), patch=True))
        assert f"+{NEW} They go to the card that paid.\r\n".encode() in capfdbinary.readouterr().out
        render_written(memory.evolution.write(str(path)))
        render_written(memory.evolution.write(str(path)))
        assert capfdbinary.readouterr().out.split(b"\n")[:2] == [
            b"refunds.md is written.",
            b"refunds.md says so already.",
        ]


def test_approving_tells_what_was_written_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with of_file(tmp_path, TEXT.encode(), settings=EvolutionSettings(write_back=True)) as (memory, _):
        (job,) = memory.evolve()
        print_lines(render_approved(memory, memory.evolution.approve(job.id)))
        assert "refunds.md is written.\n" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_what_is_committed_merged_and_reverted_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with approved(tmp_path) as (memory, path, job_id):
        monkeypatch.chdir(path.parent)
        done = memory.evolution.write("refunds.md", branch=True)
        for one in (done, memory.evolution.write("refunds.md", branch=True)):
            render_written(one)
        assert capsys.readouterr().out.splitlines() == [
            f"refunds.md is committed on the branch {done.branch}: {done.commit}",
            f"refunds.md was committed before on the branch {done.branch}: {done.commit}",
        ]
        path.write_text(BETTER, encoding="utf-8")
        memory.add(path)
        day = f"{memory.evolution.show(job_id).merged_at:%Y-%m-%d}"
        print_lines(render_job(memory.evolution.show(job_id)))
        print_lines(render_generations(memory.evolution.generations("refunds.md")))
        print_lines(render_evolution_history(memory.evolution.history("refunds.md")))
        out = capsys.readouterr().out
        assert out.count(f"written to its file, seen on {day}\n") == 3
        assert f"  committed on the branch {done.branch}: {done.commit}\n" in out
        path.write_text(TEXT, encoding="utf-8")
        render_added(memory.add(path), 0.0)
        assert "is rolled back: its file says again what it said before.\n" in capsys.readouterr().err
        print_lines(render_job(memory.evolution.show(job_id)))
        print_lines(render_generations(memory.evolution.generations("refunds.md")))
        print_lines(render_evolution_history(memory.evolution.history("refunds.md")))
        out = capsys.readouterr().out
        assert out.count("by an unnamed person: its file says again what it said before.\n") == 2
        assert out.endswith(": rolled back\n")


@pytest.mark.parametrize(
    ("words", "given"),
    [(["--branch"], True), (["--branch", "fix"], "fix"), ([], False)],
)
def test_a_branch_may_be_named_behind_the_option(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], given: object
) -> None:
    asked: list[object] = []

    def write(self: Evolution, document: str, **options: object) -> WrittenFile:
        del self
        asked.append((document, options["branch"]))
        raise InvalidValue("enough")

    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "store"))
    CliRunner().invoke(app, ["remember", "Refunds take long."])
    monkeypatch.setattr(Evolution, "write", write)
    result = CliRunner().invoke(app, ["evolution", "write", "refunds.md", *words])
    assert (asked, result.exit_code) == ([("refunds.md", given)], 1)


def test_a_second_name_without_the_option_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("evolore.models.use.UseEmbedder", HashingEmbedder)
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "store"))
    CliRunner().invoke(app, ["remember", "Refunds take long."])
    result = CliRunner().invoke(app, ["evolution", "write", "refunds.md", "gifts.md"])
    assert result.exit_code != 0
    assert "write one document at a time" in result.output
