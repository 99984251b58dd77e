from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from benchmarks.scripts import load_script
from evolore.errors import InvalidValue, UnreadableSource
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.measure import Run

if TYPE_CHECKING:
    from collections.abc import Sequence

SCRIPT = load_script("arousal")
AROUSAL_SETS, evaluate_arousal = SCRIPT.AROUSAL_SETS, SCRIPT.evaluate_arousal
DATA = Path(__file__).parents[1] / "data" / "arousal"
EMBEDDER = HashingEmbedder(16)
VISIBLE = [name for name in map(str, range(40)) if zlib.crc32(name.encode()) % 2 == 0]
BLIND = [name for name in map(str, range(40)) if zlib.crc32(name.encode()) % 2 == 1]
CALM, MILD, LOUD = "The meeting is in room 4.", "I am a bit nervous.", "My daughter died, I can't stop crying."


def write_set(folder: Path, lines: Sequence[object], name: str = "tiny.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def line(id_: str, text: str, arousal: object, **more: object) -> dict[str, object]:
    return {"id": id_, "lang": "en", "text": text, "arousal": arousal, **more}


def test_the_right_order_correlates_wholly_and_the_wrong_one_the_other_way(tmp_path: Path) -> None:
    right = [line(VISIBLE[0], CALM, 0.0), line(VISIBLE[1], MILD, 0.3), line(VISIBLE[2], LOUD, 0.9)]
    wrong = [one | {"arousal": 1.0 - cast("float", one["arousal"])} for one in right]
    paths = [write_set(tmp_path, right), write_set(tmp_path, wrong, "wrong.jsonl")]
    first, second = (one.metrics for one in evaluate_arousal(paths, embedder=EMBEDDER).sets)
    assert first["rank_correlation"] == pytest.approx(1.0)
    assert second["rank_correlation"] == pytest.approx(-1.0)
    assert first["mean_error"] < second["mean_error"]
    assert first["within_0_2"] > second["within_0_2"]
    assert 0.0 < first["mean_estimate"] < 1.0
    assert first["p50_ms"] >= 0.0


def test_ties_and_constants_do_not_break_the_correlation(tmp_path: Path) -> None:
    alike = [line(VISIBLE[0], CALM, 0.5), line(VISIBLE[1], LOUD, 0.5)]
    metrics = evaluate_arousal([write_set(tmp_path, alike)], embedder=EMBEDDER).sets[0].metrics
    assert "rank_correlation" not in metrics
    tied = [line(VISIBLE[0], CALM, 0.0), line(VISIBLE[1], CALM, 0.0), line(VISIBLE[2], LOUD, 1.0)]
    metrics = evaluate_arousal([write_set(tmp_path, tied)], embedder=EMBEDDER).sets[0].metrics
    assert metrics["rank_correlation"] == pytest.approx(1.0)


def test_the_blind_half_is_measured_only_when_asked_for_and_kinds_are_given_apart(tmp_path: Path) -> None:
    lines = [
        line(VISIBLE[0], CALM, 0.0),
        line(VISIBLE[1], LOUD, 0.9, tricky=True),
        line(BLIND[0], MILD, 0.3) | {"lang": "ja"},
    ]
    path = write_set(tmp_path, lines)
    seen = evaluate_arousal([path], embedder=EMBEDDER).sets[0]
    assert seen.metrics["texts"] == 2
    assert set(seen.categories) == {"plain", "tricky"}
    both = evaluate_arousal([path], embedder=EMBEDDER, run=Run(blind=True)).sets[0]
    assert both.metrics["texts"] == 3
    assert set(both.categories) == {"en", "ja", "visible", "blind", "visible_plain", "visible_tricky", "blind_plain"}


def test_predictions_hold_what_was_estimated_and_a_limit_holds(tmp_path: Path) -> None:
    file, told = tmp_path / "predictions.jsonl", list[tuple[str, int, int]]()

    def progress(set_name: str, done: int, total: int, /) -> None:
        told.append((set_name, done, total))

    path = write_set(tmp_path, [line(VISIBLE[0], LOUD, 0.9), line(VISIBLE[1], CALM, 0.0)])
    evaluate_arousal([path], embedder=EMBEDDER, run=Run(predictions=file, limit=1, progress=progress))
    (written,) = [cast("dict[str, object]", json.loads(one)) for one in file.read_text("utf-8").splitlines()]
    assert (written["set"], written["id"]) == ("tiny", VISIBLE[0])
    assert isinstance(written["arousal"], float)
    assert told == [("tiny", 0, 1), ("tiny", 1, 1)]


@pytest.mark.parametrize("arousal", ["high", None, True, 1.5, -0.1])
def test_an_arousal_that_is_none_is_refused_with_its_line(tmp_path: Path, arousal: object) -> None:
    path = write_set(tmp_path, [line(VISIBLE[0], CALM, 0.1), line(VISIBLE[1], CALM, arousal)])
    with pytest.raises(InvalidValue, match=r'line 2: "arousal" is .*: give a number from 0 to 1'):
        evaluate_arousal([path], embedder=EMBEDDER)


def test_other_sets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="not blank"):
        AROUSAL_SETS.read(write_set(tmp_path, [line("a", " ", 0.1)]))
    with pytest.raises(InvalidValue, match="an id that no other line has"):
        AROUSAL_SETS.read(write_set(tmp_path, [line("a", CALM, 0.1), line("a", CALM, 0.1)]))
    with pytest.raises(InvalidValue):
        AROUSAL_SETS.find([write_set(tmp_path, [{"text": "Where?", "intent": "factual"}], "other.jsonl")])
    with pytest.raises(UnreadableSource):
        AROUSAL_SETS.find([tmp_path / "missing.jsonl"])


def test_an_empty_set_and_a_line_without_an_id_are_no_fault(tmp_path: Path) -> None:
    (only,) = AROUSAL_SETS.read(write_set(tmp_path, [{"text": CALM, "arousal": 0}]))
    assert (only.id, only.language, only.arousal, only.is_tricky) == ("1", "en", 0.0, False)


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_projects_own_texts_are_of_the_form_and_balanced(language: str) -> None:
    rated = AROUSAL_SETS.read(DATA / f"{language}.jsonl")
    fifths = [min(4, int(one.arousal * 5 + 1e-9)) for one in rated]
    assert len(rated) >= 100
    assert min(fifths.count(fifth) for fifth in range(5)) >= 15
    assert 0.4 < sum(one.is_blind for one in rated) / len(rated) < 0.6


def test_the_script_prints_a_row_for_the_set_and_for_each_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_set(tmp_path, [line(VISIBLE[0], CALM, 0.0), line(VISIBLE[1], LOUD, 0.9), line(BLIND[0], MILD, 0.3)])
    monkeypatch.setattr(sys, "argv", ["arousal.py", str(path), "--blind"])
    SCRIPT.main()
    head, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head == ["set", "texts", "rank", "corr.", "mean", "error", "within", "0.2", "mean", "estimate", "p50", "ms"]
    assert rows[0][:3] == ["tiny", "3", "100.0%"]
    assert [row[0] for row in rows[1:]] == ["blind", "visible"]
