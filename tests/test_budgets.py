"""What a verb may cost, counted and not timed; who makes one cheaper lowers its number here.

The numbers are what ``benchmarks/pins.py traces`` counted when they were written, and a little more.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias

import pytest

PINS = Path(__file__).resolve().parents[1] / "benchmarks" / "pins.py"
MOST_SQL = {
    "recall_cold": 18,
    "remember": 14,
    "recall": 9,
    "recall_recorded": 17,
    "answer": 25,
    "rate": 30,
    "add": 33,
    "forget": 36,
    "maintain": 47,
}
"""SELECT and changes of rows; many rows handed over at once count once. ``add`` opens its indexes anew to link, so that recalls get their turn;
two of its look for a document that says the same. A recall asks once after each write which procedures are withheld."""
MOST_PASSED_BY_RECALL = {"files": 69, "functions": 436, "depth": 16, "switches": 545}
"""By a warm recall, of which nothing is taken down yet. Other written forms and rows of tables took one file and seven functions more, identifiers of a hit and relations of hits one each; the
languages of items took three changes of file, whether a document is past its day two, procedures that nobody reviewed two files and twelve, those that fail or that metadata alone made five functions and sixteen: once after each write."""

Traces: TypeAlias = dict[str, dict[str, int]]


@pytest.fixture(scope="module")
def traces() -> Traces:
    done = subprocess.run([sys.executable, PINS, "traces", "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_verbs_and_a_warm_recall_keep_within_their_budgets(traces: Traces) -> None:
    sql = {verb: figures["sql"] for verb, figures in traces.items()}
    assert sql.keys() == MOST_SQL.keys()
    assert min(sql.values()) > 0, f"a verb without a statement means that they are no longer counted: {sql}"
    over = {verb: (count, MOST_SQL[verb]) for verb, count in sql.items() if count > MOST_SQL[verb]}
    passed = traces["recall"]
    over |= {name: (passed[name], most) for name, most in MOST_PASSED_BY_RECALL.items() if passed[name] > most}
    assert not over, f"counted, and allowed: {over}"
