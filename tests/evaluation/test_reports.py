"""Reports whose figures have no table of their own."""

from __future__ import annotations

import json
from io import StringIO

from rich.console import Console

from evolore_evaluation.reports import Report, SetResult, snake_case
from evolore_evaluation.terminal import render_table

REPORT = Report(
    system="retrieval",
    version="1.2.3",
    settings={"embedder": "e", "nested": {"alpha": 0.5}},
    sets=(
        SetResult(
            name="one",
            metrics={"questions": 1200, "recall_at_10": 0.5, "p50_ms": 3.21},
            categories={
                "multi_hop": {"questions": 2, "recall_at_10": 0.25},
                "temporal": {"questions": 3, "recall_at_10": 1},
            },
        ),
        SetResult(name="two", metrics={"questions": 1}, categories={"only": {"questions": 1}}),
    ),
)


def test_json_has_the_agreed_keys_and_nothing_else() -> None:
    assert json.loads(json.dumps(REPORT.to_json())) == {
        "system": "retrieval",
        "version": "1.2.3",
        "settings": {"embedder": "e", "nested": {"alpha": 0.5}},
        "sets": [
            {
                "set": "one",
                "metrics": {
                    "questions": 1200,
                    "recall_at_10": 0.5,
                    "p50_ms": 3.21,
                    "questions_multi_hop": 2,
                    "recall_at_10_multi_hop": 0.25,
                    "questions_temporal": 3,
                    "recall_at_10_temporal": 1,
                },
            },
            {"set": "two", "metrics": {"questions": 1, "questions_only": 1}},
        ],
    }


def test_rows_show_categories_where_there_are_several() -> None:
    assert [label for label, _ in REPORT.rows()] == ["one", "  multi_hop", "  temporal", "two"]


def test_rows_leave_out_categories_too_many_to_read() -> None:
    many = {f"p{number}": {"recall_at_10": 1.0} for number in range(25)}
    report = Report(system="retrieval", settings={}, sets=(SetResult(name="one", metrics={}, categories=many),))
    assert [label for label, _ in report.rows()] == ["one"]
    assert "recall_at_10_p12" in report.sets[0].flat_metrics()


def test_the_version_is_the_installed_one() -> None:
    assert Report(system="retrieval", settings={}, sets=()).version


def test_the_table_shows_percentages_and_only_what_was_measured() -> None:
    console = Console(width=120)
    with console.capture() as capture:
        console.print(render_table(REPORT))
    shown = capture.get()
    assert "1,200" in shown
    assert "50.0" in shown
    assert "3.2" in shown
    assert "R@10" in shown
    assert "R@20" not in shown


def test_the_table_shows_ratios_as_they_are() -> None:
    report = Report(system="segmentation", settings={}, sets=(SetResult(name="s", metrics={"boundary_ratio": 0.954}),))
    console = Console(width=120)
    with console.capture() as capture:
        console.print(render_table(report))
    assert "0.95" in capture.get()


def test_labels_become_parts_of_names() -> None:
    assert snake_case("Multi-hop / 2") == "multi_hop_2"
    assert snake_case("情感") == "情感"


def test_a_table_fits_eighty_columns_with_nothing_cut() -> None:
    names = ("documents", "pk", "boundary_ratio", "target_characters", "pk_at_target", "megabytes_per_second")
    full = SetResult(name="kyoto_ja.dev", metrics=dict.fromkeys(names, 1.0) | {"target_characters": 3037.5})
    console = Console(width=80)
    with console.capture() as capture:
        console.print(render_table(Report(system="segmentation", settings={}, sets=(full,))))
    assert "…" not in capture.get()
    assert "3,038" in capture.get()


def test_figures_of_sessions_stand_in_a_table_of_their_own() -> None:
    names = ("recall_at_1", "recall_at_5", "recall_at_10", "recall_at_20", "any_at_5", "ndcg_at_10", "mrr", "p50_ms")
    items = dict.fromkeys((*names, "ms_per_item"), 1.0) | {"questions": 470.0}
    sessions = {"session_any_at_1": 0.8, "session_any_at_5": 0.9, "session_all_at_5": 0.75}
    spoken = SetResult(
        name="s", metrics=items | sessions, categories={"single_session_preference": sessions | items, "b": items}
    )
    out = StringIO()
    Console(file=out, width=80).print(render_table(Report(system="retrieval", settings={}, sets=(spoken,))))
    said = [line.split() for line in out.getvalue().splitlines()]
    assert "…" not in out.getvalue()
    assert ["single_session_preference", "470", *["100.0"] * 7] in said
    assert ["single_session_preference", "80.0", "90.0", "75.0", "1.0", "1.0"] in said
    assert ["b", "1.0", "1.0"] in said


def test_every_figure_of_a_system_without_columns_stands_in_a_line() -> None:
    metrics = {"gain": 0.125, "gain_low": 0.1, "questions": 1200.0, "mean_ms": 64.5, "rated_bad": 1.0}
    report = Report(
        system="learning",
        settings={},
        sets=(SetResult(name="madial", metrics=metrics, categories={"seed_rule": {"gain": 1.0}, "free": {}}),),
    )
    out = StringIO()
    Console(file=out, width=60).print(render_table(report))
    said = out.getvalue()
    assert "madial" in said
    assert [line.split() for line in said.splitlines() if line.startswith(("gain", "questions", "mean", "rated"))] == [
        ["gain", "12.5", "100.0"],
        ["questions", "1,200"],
        ["mean_ms", "64.5"],
        ["rated_bad", "1"],
    ]
