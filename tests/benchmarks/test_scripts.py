"""Every script that prints a figure can be run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from runpy import run_path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
SMALL = {
    "agent_hooks.py": ("--statements", "20", "--rounds", "2", "--any-time"),
    "mirror_edits.py": ("--seeds", "1", "--edits", "8", "--kill"),
    "secret_texts.py": (),
    "selection.py": ("--jobs", "10"),
    "add_overhead.py": ("--documents", "1", "--sections", "2"),
    "bulk_add.py": ("--mb", "0.02", "--rounds", "1", "--embedder", "hashing", "--workers", "1,2"),
    "dates.py": ("--items", "200"),
    "durable_remember.py": ("--statements", "5", "--held", "5"),
    "forget_steps.py": ("--steps", "20"),
    "graph_building.py": ("--vectors", "300"),
    "foreign_calibration.py": ("--embedder", "hashing"),
    "filter_cost.py": ("--episodes", "60", "--questions", "5"),
    "index_speed.py": ("--episodes", "100", "--namespaces", "3"),
    "learned_recall.py": ("--episodes", "60", "--queries", "30", "--timed", "20"),
    "many_files.py": ("--runs", "1"),
    "between.py": ("--language", "zh", "--calls", "2"),
    "mcp_calls.py": (),
    "memory_warnings.py": (),
    "million.py": ("--episodes", "60"),
    "name_postings.py": ("--items", "300"),
    "namespaces.py": ("--namespaces", "3"),
    "page_speed.py": ("--documents", "20", "--ratings", "50", "--rounds", "2"),
    "question_index.py": ("--questions", "300", "--episodes", "50"),
    "postgres.py": ("--episodes", "60", "--rows", "60"),
    "postgres_clients.py": ("--seconds", "6", "--processes", "1", "--namespaces", "3"),
    "procedures_found.py": ("--small",),
    "propagation.py": ("--items", "300", "--questions", "3"),
    "recall_overhead.py": ("--episodes", "60", "--questions", "5"),
    "remember_overhead.py": ("--episodes", "60"),
    "held_lock.py": ("--seconds", "1", "--clients", "2", "--statements", "20"),
    "server_load.py": ("--seconds", "1", "--clients", "3", "--servers", "1"),
    "server_namespaces.py": ("--namespaces", "3"),
    "server_start.py": ("--episodes", "50", "--rounds", "1", "--embedders", "hashing", "--bar", "60"),
    "sizing.py": ("--sizes", "200,400", "--namespaces", "5"),
    "standing_pages.py": ("--people", "1", "--statements", "20", "--rounds", "2"),
    "server_overhead.py": ("--documents", "10", "--questions", "40"),
    "answer_kinds.py": (),
    "scripted_keys.py": (),
    "readers.py": ("--show", "ipynb"),
    "rating_rings.py": ("--small",),
    "rebase.py": ("--edits", "5", "--sections", "8", "--seeds", "1"),
    "waiting.py": ("--held", "20", "--sizes", "300,3000", "--turns", "10", "--add", "3000"),
    "readers_writers.py": ("--seconds", "1", "--episodes", "20", "--readers", "1", "--writers", "1"),
}
"""Those that need no data set, and how they are tried out."""
OF_FILES = {
    "also.py",
    "arousal.py",
    "arousal_spread.py",
    "chunk_peers.py",
    "chunking_memory.py",
    "chunking_speed.py",
    "context_entropy.py",
    "planted_defects.py",
    "expansion.py",
    "injections.py",
    "intents.py",
    "levels.py",
    "life.py",
    "peers.py",
    "replies.py",
    "reranking.py",
    "rewrites.py",
    "sentences.py",
    "splitting.py",
    "spreading.py",
    "tier_three.py",
    "token_estimate.py",
}
ALONE = {
    "agent_sessions.py",
    "add_speed.py",
    "answer_citations.py",
    "arms.py",
    "canary.py",
    "documents.py",
    "embedder_speed.py",
    "everyday.py",
    "fit_answering.py",
    "fit_arousal.py",
    "fit_calibration.py",
    "fit_gates.py",
    "fit_intents.py",
    "fit_matter.py",
    "fit_staleness.py",
    "first_hits.py",
    "gaps.py",
    "answer_documents.py",
    "install_size.py",
    "matters.py",
    "nesting.py",
    "noise.py",
    "notes.py",
    "litellm_calls.py",
    "mem0_calls.py",
    "mutants.py",
    "page_pictures.py",
    "pins.py",
    "small_model.py",
    "soak.py",
    "tables.py",
    "unrelated_items.py",
    "startup.py",
}
SOON = {"dates.py", "memory_warnings.py", "name_postings.py", "propagation.py", "selection.py"}
"""Those of the first that are tried out at every change; the others take seconds each."""
SHARED = {
    "answer_trials.py",
    "fact_files.py",
    "harness.py",
    "hostile_files.py",
    "labelled.py",
    "measuring.py",
    "peer_packages.py",
    "peer_stores.py",
    "reader_files.py",
    "server_process.py",
    "synthetic.py",
    "talk.py",
}


def test_a_write_that_nobody_sees_is_an_error() -> None:
    program = """
from readers_writers import Log, Read, look
seen = [Read(count=1, began=float(at), ended=at + 0.5, waited=0.0) for at in range(100)]
logs = [Log(role="writer", written=[("a", 3.5)]), Log(role="reader", searched=seen)]
sights = look(logs, {"a": 2}, 50.0)
assert (sights.misses, sights.unseen, sights.by_all) == (96, 1, []), sights
sights = look(logs, {"a": 1}, 50.0)
assert (sights.misses, sights.unseen, len(sights.by_all)) == (0, 0, 1), sights
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, cwd=BENCHMARKS)
    assert done.returncode == 0, done.stderr[-2000:]


def test_every_script_is_listed_here() -> None:
    assert {path.name for path in BENCHMARKS.glob("*.py")} == {*SMALL, *OF_FILES, *ALONE, *SHARED}


@pytest.mark.parametrize("name", sorted(SOON))
def test_scripts_that_take_little_run_on_little(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_here(name, SMALL[name], monkeypatch)
    assert any(character.isdigit() for character in capsys.readouterr().out)


def run_here(name: str, arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a script in this process, which has imported what it needs."""
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    monkeypatch.setattr(sys, "argv", [str(BENCHMARKS / name), *arguments])
    with patch.dict(os.environ):  # scripts set how many threads there are
        run_path(str(BENCHMARKS / name), run_name="__main__")


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(SMALL.keys() - SOON))
def test_scripts_run_on_little(name: str) -> None:
    env = {**os.environ, "PYTHONPATH": str(BENCHMARKS.parent / "tests")}
    command = [sys.executable, BENCHMARKS / name, *SMALL[name]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr[-2000:]
    assert any(character.isdigit() for character in done.stdout)


@pytest.mark.long
def test_planted_facts_of_nearly_every_format_are_found_at_their_place() -> None:
    pytest.importorskip("reportlab")
    pytest.importorskip("openpyxl")
    program = [sys.executable, BENCHMARKS / "readers.py", "--facts", "--files", "1"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    *rows, last = done.stdout.splitlines()
    assert len(rows) == 1 + 24
    assert int(last.split()[0]) >= 22, done.stdout


@pytest.mark.long
def test_peers_are_compared_as_far_as_they_are_installed(tmp_path: Path) -> None:
    items = [{"id": str(at), "text": f"Boat {at} is in the harbour.", "session": f"s{at // 3}"} for at in range(9)]
    asked = [{"text": "Where is boat 4?", "evidence": ["4"]}]
    memory = {"id": "m", "lang": "en", "items": items, "questions": asked}
    (tmp_path / "chat.jsonl").write_text(json.dumps(memory), encoding="utf-8")
    pages = [{"type": "doc", "id": "d", "title": "Ovens", "text": "It is lit at four."}]
    pages += [{"type": "q", "text": "When is the oven lit?", "gold": ["d"]}]
    (tmp_path / "pages.jsonl").write_text("\n".join(map(json.dumps, pages)), encoding="utf-8")
    program = [sys.executable, BENCHMARKS / "peers.py", tmp_path]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = {line[2:19].strip(): line for line in done.stdout.splitlines() if line.startswith("  ")}
    assert "100.0" in rows["evolore"]
    assert "100.0" in rows["dense"]
    assert "langgraph" in rows or "langgraph is left out" in done.stdout


@pytest.mark.long
def test_keys_that_hold_their_neighbours_find_what_bare_ones_miss(tmp_path: Path) -> None:
    count = 60  # in a memory of few, "boat" would count for nearly as much as "5"
    items = [{"id": str(at), "text": f"Boat {at} sails.", "session": f"s{at // 3}"} for at in range(count)]
    items[4]["text"] = "It is red."
    asked = [{"text": "What colour is boat 5?", "evidence": ["4"]}]
    memory = {"id": "m", "lang": "en", "items": items, "questions": asked}
    (tmp_path / "chat.jsonl").write_text(json.dumps(memory), encoding="utf-8")
    program = [sys.executable, BENCHMARKS / "spreading.py", tmp_path / "chat.jsonl"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    rows = {line[2:26].strip(): line.split()[-3:] for line in done.stdout.splitlines() if line.startswith("  words")}
    assert rows["words           stored"] == rows["words           asked"] == ["100.0", "100.0", "100.0"]
    assert rows["words           bare"][0] == "0.0"


@pytest.mark.parametrize("name", sorted(OF_FILES))
def test_scripts_of_files_say_what_they_want(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run_here(name, (), monkeypatch)
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert name in said.out + said.err
