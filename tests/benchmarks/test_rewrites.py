from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

import pytest

from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.errors import InvalidValue, UnreadableSource
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.measure import Run
from rewrites import (
    EDIT_SETS,
    LabelledEdit,
    evaluate_edits,
    group_of,
    level_figures,
    level_lines,
    main,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VISIBLE = [name for name in map(str, range(60)) if zlib.crc32(name.encode()) % 2 == 0]
BLIND = [name for name in map(str, range(60)) if zlib.crc32(name.encode()) % 2 == 1]
BEFORE, HARMFUL, HARMLESS = "Wait 30 seconds.", "Wait 60 seconds.", "Wait half a minute."


def line(id_: str, after: str, what: str, **more: object) -> dict[str, object]:
    ok = what == "harmless"
    return {"id": id_, "lang": "en", "before": BEFORE, "after": after, "ok": ok, "what": what, **more}


def write_set(folder: Path, lines: Sequence[object], name: str = "tiny.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return path


def test_caught_and_false_alarms_are_shares_of_their_own_kind(tmp_path: Path) -> None:
    lines = [
        line(VISIBLE[0], HARMFUL, "number"),
        line(VISIBLE[1], BEFORE, "number"),
        line(VISIBLE[2], HARMLESS, "harmless"),
        line(VISIBLE[3], HARMFUL, "harmless"),
    ]
    metrics = evaluate_edits([write_set(tmp_path, lines)]).sets[0].metrics
    assert (metrics["edits"], metrics["caught"], metrics["false_alarms"]) == (4, 0.5, 0.5)
    assert metrics["caught_low"] < 0.5 < metrics["caught_high"]
    assert metrics["caught_by_spans"] == 0.5


def test_a_rewrite_that_changes_nothing_is_no_false_alarm(tmp_path: Path) -> None:
    path = write_set(tmp_path, [line(VISIBLE[0], BEFORE, "harmless")])
    assert evaluate_edits([path]).sets[0].metrics["false_alarms"] == 0.0


def test_languages_and_kinds_are_given_apart_and_the_blind_half_only_when_asked_for(tmp_path: Path) -> None:
    path = write_set(tmp_path, [line(VISIBLE[0], HARMFUL, "date_time"), line(BLIND[0], HARMLESS, "harmless")])
    seen = evaluate_edits([path]).sets[0]
    assert set(seen.categories) == {"en", "what_date_time"}
    both = evaluate_edits([path], run=Run(blind=True)).sets[0]
    assert set(both.categories) == {
        *("visible", "visible_en", "visible_what_date_time", "blind", "blind_en", "blind_what_harmless")
    }


def test_predictions_hold_the_reasons_and_a_limit_holds(tmp_path: Path) -> None:
    path = write_set(tmp_path, [line(VISIBLE[0], HARMFUL, "number"), line(VISIBLE[1], HARMLESS, "harmless")])
    file, told = tmp_path / "predictions.jsonl", list[tuple[str, int, int]]()
    report = evaluate_edits(
        [path], run=Run(limit=1, predictions=file, progress=lambda name, done, total: told.append((name, done, total)))
    )
    assert report.sets[0].metrics["edits"] == 1
    (prediction,) = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    assert prediction["caught"] is True
    assert "30 seconds became 60 seconds" in prediction["reasons"][0]
    assert told == [("tiny", 0, 1), ("tiny", 1, 1)]


def test_evidence_and_operators_are_read(tmp_path: Path) -> None:
    lines = [
        line("a", HARMFUL, "number", evidence="one", operator="detail"),
        line("b", HARMFUL, "number", evidence=["one", "two"], operator="CROSSOVER_MERGE", lang="xx"),
        line("c", HARMFUL, "number", lang="ja"),
    ]
    first, second, third = EDIT_SETS.read(write_set(tmp_path, lines))
    assert (first.evidence, first.operator) == (("one",), Operator.MUTATION_DETAIL)
    assert (second.evidence, second.operator, second.language) == (
        ("one", "two"),
        Operator.CROSSOVER_MERGE,
        Language.EN,
    )
    assert (third.evidence, third.operator, third.language) == ((), None, Language.JA)


@pytest.mark.parametrize(
    ("changed", "named"),
    [({"ok": "no"}, "ok"), ({"before": 1}, "before"), ({"what": ""}, "what"), ({"operator": "shout"}, "operator")],
)
def test_a_line_of_another_form_is_refused(tmp_path: Path, changed: dict[str, object], named: str) -> None:
    path = write_set(tmp_path, [line("a", HARMFUL, "number") | changed])
    with pytest.raises(InvalidValue, match=named):
        evaluate_edits([path])


def test_an_id_stands_once_and_a_file_must_be_there(tmp_path: Path) -> None:
    path = write_set(tmp_path, [line("a", HARMFUL, "number"), line("a", HARMLESS, "harmless")])
    with pytest.raises(InvalidValue, match="no other line"):
        evaluate_edits([path])
    with pytest.raises(UnreadableSource):
        evaluate_edits([tmp_path / "none.jsonl"])


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


def test_the_script_prints_a_table_and_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rewrites.UseEmbedder", HashingEmbedder)
    path = write_set(tmp_path, [line(VISIBLE[0], HARMFUL, "unit"), line(VISIBLE[1], HARMLESS, "harmless")])
    monkeypatch.setattr("sys.argv", ["rewrites.py", str(path)])
    main()
    table, lines = capsys.readouterr().out.split("\n\n")
    assert table.splitlines()[1].split() == ["tiny", "2", "100.0%", "0.0%", "100.0%", "0.0%"]
    assert "tiny: values refused 100.0 % (20.7 to 100.0)" in lines
