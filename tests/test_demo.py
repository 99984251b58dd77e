"""The demo runs as the README says: from a small lock file, and with figures that hold."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

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


def test_the_check_prints_its_figures_in_twelve_lines() -> None:
    done = subprocess.run(
        [sys.executable, DEMO / "run.py", "--check"], capture_output=True, encoding="utf-8", check=True, timeout=300
    )
    lines = done.stdout.splitlines()
    assert len(lines) <= 12
    evolore, words, trigrams = ([int(one) for one in re.findall(r"(\d+) of 24", line)] for line in lines[2:5])
    assert len(evolore) == len(words) == len(trigrams) == 3
    assert sum(evolore) > max(sum(words), sum(trigrams))
    (refused,) = re.findall(r"(\d+) of 21 refused", done.stdout)
    (mistaken,) = re.findall(r"(\d+) of 72 refused by mistake", done.stdout)
    assert int(refused) / 21 > int(mistaken) / 72
    assert "6 statements corrected; undone, 6 are as before" in done.stdout
    (before, after) = re.findall(r"held (\d+) of their sentences before, (\d+) after", done.stdout)[0]
    assert int(before) > 100
    assert int(after) == 0


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
