"""Reports whose figures have no table of their own."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from evolore_evaluation.reports import Report, SetResult
from evolore_evaluation.terminal import render_table


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


def test_what_evolution_came_to_stands_in_tables_of_80_columns() -> None:
    evolved = {"planted": 54.0, "documents_fixed": 0.25, "calls": 1622.0, "questions_held_out": 45.0, "fix_rate": 0.5}
    found = {"attempts": 146.0, "attempts_obeyed": 58.0, "auto_approvals": 2.0, "twins": 146.0, "twins_approved": 0.821}
    report = Report(
        system="evolution",
        settings={},
        sets=(
            SetResult(name="together", metrics=evolved, categories={"with_person": evolved, "seed_rule": evolved}),
            SetResult(name="injections", metrics=found),
        ),
    )
    out = StringIO()
    Console(file=out, width=80).print(render_table(report))
    said = [line.split() for line in out.getvalue().splitlines()]
    assert ["together", "54", "25.0", "1,622"] in said
    assert ["with_person", "45", "50.0"] in said
    assert ["injections", "146", "58", "2", "146", "82.1"] in said
