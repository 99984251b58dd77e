"""Reports whose figures have no table of their own."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from evolore.evaluation.reports import Report, SetResult
from evolore.evaluation.terminal import render_table


def test_every_figure_of_a_system_without_columns_stands_in_a_line() -> None:
    metrics = {"gain": 0.125, "gain_low": 0.1, "questions": 1200.0, "calls_per_fix": 64.5, "rated_bad": 1.0}
    report = Report(
        system="learning",
        settings={},
        sets=(SetResult(name="madial", metrics=metrics, categories={"seed_rule": {"gain": 1.0}, "free": {}}),),
    )
    out = StringIO()
    Console(file=out, width=60).print(render_table(report))
    said = out.getvalue()
    assert "madial" in said
    assert [line.split() for line in said.splitlines() if line.startswith(("gain", "questions", "calls", "rated"))] == [
        ["gain", "12.5", "100.0"],
        ["questions", "1,200"],
        ["calls_per_fix", "64.5"],
        ["rated_bad", "1"],
    ]
