"""The demo runs as the README says: from a small lock file, and with figures that hold."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "demo"
PIN = re.compile(r"^([\w.-]+)(?:\[[\w,]+\])?==(\S+)([^\\\n]*)\\\n((?: +--hash=\S+(?: \\)?\n)+)", re.MULTILINE)

if not DEMO.is_dir():
    pytest.skip("the demo is not part of this archive", allow_module_level=True)


def pins(lock: Path) -> dict[tuple[str, str], set[str]]:
    return {
        (name, version): set(re.findall(r"--hash=(\S+)", hashes))
        for name, version, _, hashes in PIN.findall(lock.read_text(encoding="utf-8"))
    }


def check_figures(printed: str, asked: int, unanswerable: int) -> None:
    """Check what ``--check`` prints after so many questions a language with an answer, and so many without in all."""
    lines = printed.splitlines()
    assert len(lines) <= 12
    evolore, words, trigrams = ([int(one) for one in re.findall(rf"(\d+) of {asked}\b", line)] for line in lines[2:5])
    assert len(evolore) == len(words) == len(trigrams) == 3
    assert sum(evolore) > max(sum(words), sum(trigrams))
    (refused,) = re.findall(rf"(\d+) of {unanswerable} refused", printed)
    (mistaken,) = re.findall(rf"(\d+) of {3 * asked} refused by mistake", printed)
    assert int(refused) / unanswerable > int(mistaken) / (3 * asked)
    assert "6 statements corrected; undone, 6 are as before" in printed
    (before, after) = re.findall(r"held (\d+) of their sentences before, (\d+) after", printed)[0]
    assert int(before) > 100
    assert int(after) == 0


def test_the_check_prints_its_figures_of_a_third_of_the_questions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = importlib.util.spec_from_file_location("demo_run", DEMO / "run.py")
    assert spec is not None
    assert spec.loader is not None
    demo = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(demo)
    read: Callable[[str], list[dict[str, str]]] = demo.read

    def some(name: str) -> list[dict[str, str]]:
        return sorted(read(name), key=lambda one: not one["expect"])[::3] if name == "questions.jsonl" else read(name)

    monkeypatch.setattr(demo, "read", some)
    monkeypatch.setattr(sys, "argv", ["run.py", "--check"])
    demo.main()
    check_figures(capsys.readouterr().out, 8, 7)


@pytest.mark.long
def test_the_check_prints_its_figures_in_twelve_lines() -> None:
    done = subprocess.run(
        [sys.executable, DEMO / "run.py", "--check"], capture_output=True, encoding="utf-8", check=True, timeout=300
    )
    check_figures(done.stdout, 24, 21)


def test_each_expected_answer_is_in_one_place_of_the_texts() -> None:
    questions = [json.loads(line) for line in (DEMO / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len({one["question"] for one in questions}) == len(questions) == 93
    statements = (DEMO / "statements.jsonl").read_text(encoding="utf-8")
    for language in ("en", "ja", "zh"):
        texts = [path.read_text(encoding="utf-8") for path in sorted((DEMO / "documents" / language).iterdir())]
        everything = " ".join(" ".join([*texts, statements]).split())
        expected = [one["expect"] for one in questions if one["lang"] == language]
        assert expected.count(None) == 7
        assert [everything.count(words) for words in expected if words] == [1] * 24


def test_the_runtime_lock_is_a_part_of_the_other_one_and_names_every_dependency() -> None:
    small, whole = pins(ROOT / "requirements-runtime.lock"), pins(ROOT / "requirements.lock")
    assert {one: hashes for one, hashes in whole.items() if one in small} == small
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = {re.split(r"[\[<>=]", one)[0] for one in project["dependencies"]}
    assert needed <= {name for name, _ in small}
    assert len(small) < len(whole) / 3
