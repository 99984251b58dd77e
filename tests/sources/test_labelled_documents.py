from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
LEAST = {
    "pdf-edge-lines": 1.0,
    "pdf-page-joins": 1.0,
    "pdf-other": 1.0,
    "epub": 1.0,
    "mail": 1.0,
    "docx": 0.96,
    "html": 1.0,
    "markdown": 0.9,
    "text": 1.0,
    "notebook": 0.95,
    "other": 1.0,
    "slides": 1.0,
    "tables-csv": 1.0,
    "tables-xlsx": 1.0,
    "xlsx-cells": 1.0,
}
"""What share of a file's labels holds, by kind, in the mean over its visible files."""


@pytest.fixture(scope="module")
def judge() -> ModuleType:
    spec = importlib.util.spec_from_file_location("documents", ROOT / "benchmarks" / "documents.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", LEAST)
def test_what_a_person_sees_in_a_file_is_read(judge: ModuleType, kind: str) -> None:
    files = [one for one in judge.labelled(ROOT / "tests" / "data" / "documents" / "visible") if one.kind == kind]
    assert files
    for one in files:
        judge.check(one, *judge.read(one.path))
    share = sum(one.share for one in files) / len(files)
    assert share >= LEAST[kind] - 1e-9, [(one.path.name, one.failed) for one in files if one.failed]


def test_a_label_that_does_not_hold_is_counted(judge: ModuleType, tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text("# Tea\n\nSencha costs 12.\n", encoding="utf-8")
    labels = {"present": ["Sencha"], "absent": ["costs"], "headings": ["Tea", "Sencha"], "beside": [["Sencha", "12"]]}
    one = judge.Labelled(path=file, kind="markdown", labels=labels)
    judge.check(one, *judge.read(file))
    assert one.failed == ["absent 'costs'", "headings 'Sencha'"]
    assert one.share == pytest.approx(3 / 5)
