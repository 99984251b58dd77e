from __future__ import annotations

from io import StringIO

from rich.console import Console

from evolore.domain.language import Language
from evolore_evaluation.edits import LabelledEdit, group_of, level_figures, level_lines
from evolore_evaluation.reports import Report, SetResult
from evolore_evaluation.terminal import render_table


def edit(kind: str) -> LabelledEdit:
    return LabelledEdit(
        id="1", language=Language.EN, before="One.", after="Two.", is_harmless=kind == "harmless", kind=kind
    )


def test_values_are_one_group_and_other_kinds_groups_of_their_own() -> None:
    assert [group_of(edit(kind)) for kind in ("number", "url", "negation", "harmless", "name")] == [
        *("values", "values", "negation", "harmless", "name")
    ]


def test_refused_and_doubted_are_shares_with_intervals() -> None:
    figures = level_figures([(edit("unit"), True, True), (edit("code"), False, True), (edit("harmless"), False, False)])
    assert (figures["values_n"], figures["values_refused"], figures["values_doubted"]) == (2.0, 0.5, 1.0)
    assert figures["values_refused_low"] < 0.5 < figures["values_refused_high"]
    assert figures["harmless_refused"] == 0.0
    assert "negation_n" not in figures


def test_each_set_and_language_has_its_lines_and_kinds_have_none() -> None:
    metrics = {"edits": 1.0, **level_figures([(edit("unit"), True, True)])}
    rows = [("tiny", metrics), ("  en", metrics), ("  what_unit", metrics)]
    assert list(level_lines(rows)) == [
        f"{label}: values refused 100.0 % (20.7 to 100.0), refused or doubted 100.0 % (20.7 to 100.0), of 1"
        for label in ("tiny", "en")
    ]
    report = Report(system="edits", settings={}, sets=(SetResult(name="tiny", metrics=metrics, categories={}),))
    out = StringIO()
    Console(file=out, width=200).print(render_table(report))
    assert "tiny: values refused 100.0 %" in out.getvalue()
