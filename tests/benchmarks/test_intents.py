import json
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from benchmarks.scripts import load_script
from evolore.domain.query import Intent
from evolore.errors import InvalidValue, UnreadableSource
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.measure import Run

SCRIPT = load_script("intents")
INTENT_SETS, evaluate_intents = SCRIPT.INTENT_SETS, SCRIPT.evaluate_intents
DATA = Path(__file__).parents[1] / "data" / "intents"
EMBEDDER = HashingEmbedder(16)
VISIBLE = [name for name in map(str, range(40)) if zlib.crc32(name.encode()) % 2 == 0]
BLIND = [name for name in map(str, range(40)) if zlib.crc32(name.encode()) % 2 == 1]
WHEN, WHERE, HOW = "When did it begin?", "Where is the name of the hotel?", "How do I install the driver?"


def write_set(folder: Path, lines: Sequence[object], name: str = "tiny.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def line(id_: str, text: str, intent: str, **more: str) -> dict[str, str]:
    return {"id": id_, "lang": "en", "text": text, "intent": intent, **more}


def test_accuracy_and_macro_f1_count_intents_that_are_there_or_were_guessed(tmp_path: Path) -> None:
    lines = [
        line(VISIBLE[0], WHEN, "temporal"),
        line(VISIBLE[1], WHEN, "temporal"),
        line(VISIBLE[2], WHEN, "relational"),
        line(VISIBLE[3], HOW, "technical"),
    ]
    metrics = evaluate_intents([write_set(tmp_path, lines)], embedder=EMBEDDER).sets[0].metrics
    assert metrics["queries"] == 4
    assert metrics["accuracy"] == 0.75
    assert metrics["macro_f1"] == pytest.approx((0.8 + 0.0 + 1.0) / 3)
    assert 0.2 < metrics["mean_confidence"] <= 1.0
    assert metrics["p50_ms"] >= 0.0


def test_the_blind_half_is_measured_only_when_asked_for(tmp_path: Path) -> None:
    path = write_set(tmp_path, [line(VISIBLE[0], WHEN, "temporal"), line(BLIND[0], WHEN, "factual")])
    seen = evaluate_intents([path], embedder=EMBEDDER).sets[0]
    assert seen.metrics["queries"] == 1
    assert seen.metrics["accuracy"] == 1.0
    assert not seen.categories
    both = evaluate_intents([path], embedder=EMBEDDER, run=Run(blind=True)).sets[0]
    assert both.metrics["accuracy"] == 0.5
    assert both.categories["visible"]["accuracy"] == 1.0
    assert both.categories["blind"]["accuracy"] == 0.0


def test_languages_and_tricky_questions_are_given_apart(tmp_path: Path) -> None:
    lines = [
        line(VISIBLE[0], WHEN, "temporal"),
        line(VISIBLE[1], WHEN, "factual", note="tricky: says when"),
        line(BLIND[0], WHERE, "factual", note="typo"),
        line(VISIBLE[2], "いつ始まった？", "temporal") | {"lang": "ja"},
    ]
    path = write_set(tmp_path, lines)
    apart = evaluate_intents([path], embedder=EMBEDDER).sets[0].categories
    assert {label: figures["accuracy"] for label, figures in apart.items()} == {
        "en": 0.5,
        "ja": 1.0,
        "plain": 1.0,
        "tricky": 0.0,
    }
    both = evaluate_intents([path], embedder=EMBEDDER, run=Run(blind=True)).sets[0].categories
    assert set(both) == {"en", "ja", "visible", "blind", "visible_plain", "visible_tricky", "blind_plain"}


def test_predictions_hold_what_was_guessed_and_a_limit_holds(tmp_path: Path) -> None:
    file, told = tmp_path / "predictions.jsonl", list[tuple[str, int, int]]()

    def progress(set_name: str, done: int, total: int, /) -> None:
        told.append((set_name, done, total))

    path = write_set(tmp_path, [line(VISIBLE[0], WHEN, "temporal"), line(VISIBLE[1], HOW, "technical")])
    evaluate_intents([path], embedder=EMBEDDER, run=Run(predictions=file, limit=1, progress=progress))
    (written,) = [cast("dict[str, object]", json.loads(one)) for one in file.read_text("utf-8").splitlines()]
    assert (written["set"], written["id"], written["intent"]) == ("tiny", VISIBLE[0], "temporal")
    assert isinstance(written["confidence"], float)
    assert told == [("tiny", 0, 1), ("tiny", 1, 1)]


def test_only_the_text_reaches_what_is_measured(tmp_path: Path) -> None:
    guesses: list[str] = []
    for lang, intent in (("ja", "emotional"), ("zh", "relational")):
        file = tmp_path / f"{lang}.out"
        wrong = [line(VISIBLE[0], HOW, intent, note="technical") | {"lang": lang}]
        evaluate_intents([write_set(tmp_path, wrong, f"{lang}.jsonl")], embedder=EMBEDDER, run=Run(predictions=file))
        guesses.append(file.read_text("utf-8").replace(f'"{lang}"', "").strip())
    assert guesses[0] == guesses[1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"id": "a", "text": "Why?", "intent": "curious"}, "one of emotional, factual"),
        ({"id": "a", "text": " ", "intent": "factual"}, "a question that is not blank"),
        ({"id": "a", "text": 3, "intent": "factual"}, '"text" is 3'),
    ],
)
def test_a_line_of_another_form_is_named(tmp_path: Path, wrong: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        evaluate_intents([write_set(tmp_path, [wrong])], embedder=EMBEDDER)


def test_an_id_stands_once_or_is_the_place_and_a_set_must_exist(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="an id that no other line has"):
        INTENT_SETS.read(write_set(tmp_path, [line("a", WHEN, "temporal")] * 2))
    unnamed = INTENT_SETS.read(write_set(tmp_path, [{"text": "いつ？", "intent": "temporal"}] * 2))
    assert [(one.id, one.language) for one in unnamed] == [("1", "ja"), ("2", "ja")]
    with pytest.raises(UnreadableSource, match="does not exist"):
        evaluate_intents([tmp_path / "none.jsonl"], embedder=EMBEDDER)
    with pytest.raises(InvalidValue, match="limit is 0"):
        evaluate_intents([DATA], embedder=EMBEDDER, run=Run(limit=0))


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_projects_own_questions_are_many_and_balanced(language: str) -> None:
    known = INTENT_SETS.read(DATA / f"{language}.jsonl")
    assert len(known) >= 200
    for intent in Intent:
        assert sum(one.intent is intent for one in known) >= 40
        assert sum(one.is_blind for one in known if one.intent is intent) >= 15
    assert sum(one.is_tricky for one in known) >= 40


def test_the_script_prints_a_row_for_the_set_and_for_each_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_set(tmp_path, [line(VISIBLE[0], WHEN, "temporal"), line(BLIND[0], WHEN, "factual")])
    monkeypatch.setattr(sys, "argv", ["intents.py", str(path), "--blind"])
    SCRIPT.main()
    head, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head == ["set", "queries", "accuracy", "macro", "F1", "mean", "conf.", "p50", "ms"]
    assert rows[0][:3] == ["tiny", "2", "50.0%"]
    assert [row[0] for row in rows[1:]] == ["blind", "visible"]
