"""How promoted sections are told on a terminal: where they stand, the three texts to decide between, and what is written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evolore.cli.add import render_added
from evolore.cli.evolution import render_approved, render_generations, render_written
from evolore.cli.review import render_conflict
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.add import Added
from evolving.complaints import BETTER, TEXT
from evolving.scripted import NEW, OLD
from flows.test_promotions_last import EIGHT, ELSEWHERE, added, of_file, promoted, waits

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


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
        render_conflict(found)
        told = capsys.readouterr().out
        assert "promoted:\n" in told
        assert f"-{OLD} They go to the card that paid.\n+{NEW} They go" in told
        assert f"-{OLD} They go to the card that paid.\n+{EIGHT} They go" in told
        assert f"evolore review settle {id_} --keep promoted" in told
        assert json.loads(json.dumps(found.to_dict()))["section"] == ["Refunds", "Time"]
        memory.review.settle_promotion(id_, keep="source")
        render_conflict(memory.review.conflict(id_))
        assert "Decide with" not in capsys.readouterr().out


def test_generations_tell_what_no_longer_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with promoted(tmp_path) as (memory, _):
        render_generations(memory.evolution.generations("refunds.md"))
        assert len(capsys.readouterr().out.splitlines()) == 1
        id_ = waits(memory)
        render_generations(memory.evolution.generations("refunds.md"))
        assert capsys.readouterr().out.splitlines()[1:] == [
            "     does not hold: its source changed it too, and you are asked",
            f"     see it with: evolore review show {id_}",
        ]
        memory.review.settle_promotion(id_, keep="source")
        render_generations(memory.evolution.generations("refunds.md"))
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
        render_approved(memory, memory.evolution.approve(job.id))
        assert "refunds.md is written.\n" in capsys.readouterr().out
