import json
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from benchmarks.scripts import load_script
from evolore.domain.language import Language
from evolore.errors import InvalidValue, UnreadableSource
from evolore_evaluation.measure import Run

SCRIPT = load_script("sentences")
SENTENCE_SETS, evaluate_sentences = SCRIPT.SENTENCE_SETS, SCRIPT.evaluate_sentences
DATA = Path(__file__).parents[1] / "data"
HARD = DATA / "hard_sentences"
VISIBLE, BLIND = (next(name for name in "abcdefgh" if zlib.crc32(name.encode()) % 2 == odd) for odd in (0, 1))


def write_set(folder: Path, lines: Sequence[object], name: str = "tiny.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def marked(name: str, text: str, *sentences: str) -> dict[str, object]:
    return {"id": name, "lang": "en", "text": text, "sentences": sentences}


def at_every_space(text: str, language: Language) -> list[int]:
    assert language is Language.EN
    return [0, *(place + 1 for place, character in enumerate(text) if character == " ")]


def test_a_text_divided_in_any_other_way_is_one_error(tmp_path: Path) -> None:
    lines = [
        marked(VISIBLE, "Go. Stay. ", "Go.", "Stay."),
        marked(VISIBLE * 2, "One two. Three.", "One two.", "Three."),
    ]
    path = write_set(tmp_path, lines)
    metrics = evaluate_sentences([path], run=Run(blind=True), splitter=at_every_space).sets[0].metrics
    assert metrics["documents"] == 2
    assert metrics["sentences"] == 4
    assert metrics["errors"] == 1.0
    assert metrics["recall"] == 1.0
    assert metrics["precision"] == pytest.approx(1 / 2)
    assert metrics["f1"] == pytest.approx(2 / 3)
    assert evaluate_sentences([path], run=Run(blind=True)).sets[0].metrics["errors"] == 0.0


def test_the_blind_half_is_measured_only_when_asked_for(tmp_path: Path) -> None:
    path = write_set(tmp_path, [marked(VISIBLE, "Go. Stay.", "Go.", "Stay."), marked(BLIND, "One. Two.", "One. Two.")])
    seen = evaluate_sentences([path]).sets[0]
    assert seen.metrics["documents"] == 1
    assert seen.metrics["errors"] == 0.0
    assert not seen.categories
    both = evaluate_sentences([path], run=Run(blind=True)).sets[0]
    assert both.metrics["errors"] == 0.5
    assert both.categories["visible"]["errors"] == 0.0
    assert both.categories["blind"]["errors"] == 1.0


def test_chunk_ends_inside_a_sentence_are_counted_and_forced_ones_named(tmp_path: Path) -> None:
    plain = [f"The {number}th sentence of this text is here." for number in range(60)]
    metrics = evaluate_sentences([write_set(tmp_path, [{"id": "a", "lang": "en", "sentences": plain}])]).sets[0].metrics
    assert metrics["chunk_ends"] > 1
    assert metrics["chunk_ends_inside"] == metrics["chunk_ends_forced"] == 0.0
    assert "errors" not in metrics
    endless = [{"id": "a", "lang": "en", "sentences": ["word " * 1000]}]
    metrics = evaluate_sentences([write_set(tmp_path, endless)]).sets[0].metrics
    assert metrics["chunk_ends_inside"] == metrics["chunk_ends_forced"] == 1.0
    together = [{"id": "a", "lang": "en", "sentences": ["word " * 150] * 8}]
    metrics = evaluate_sentences([write_set(tmp_path, together)]).sets[0].metrics
    assert metrics["chunk_ends_inside"] > metrics["chunk_ends_forced"] == 0.0


def test_sentences_are_joined_by_nothing_where_no_spaces_are_written(tmp_path: Path) -> None:
    lines = [{"id": lang, "lang": lang, "sentences": ["ab", "cd"]} for lang in ("en", "ja", "zh", "fr")]
    texts = SENTENCE_SETS.read(write_set(tmp_path, lines))
    assert [text.text for text in texts] == ["ab cd", "abcd", "abcd", "ab cd"]
    assert [text.language for text in texts] == [Language.EN, Language.JA, Language.ZH, Language.UND]
    untold = SENTENCE_SETS.read(write_set(tmp_path, [{"id": "a", "sentences": ["はい。", "いいえ。"]}]))
    assert untold[0].language is Language.JA


def test_predictions_are_offsets_into_the_text(tmp_path: Path) -> None:
    file = tmp_path / "predictions.jsonl"
    lines = [marked(VISIBLE, "Go. Stay.", "Go.", "Stay."), {"id": "x", "lang": "en", "sentences": ["Go.", "Stay."]}]
    told: list[tuple[str, int, int]] = []

    def progress(set_name: str, done: int, total: int, /) -> None:
        told.append((set_name, done, total))

    evaluate_sentences([write_set(tmp_path, lines)], run=Run(predictions=file, progress=progress))
    written = [cast("dict[str, object]", json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    assert written == [
        {"set": "tiny", "id": VISIBLE, "starts": [0, 4], "chunk_starts": []},
        {"set": "tiny", "id": "x", "starts": [0, 4], "chunk_starts": [0]},
    ]
    assert told == [("tiny", 0, 2), ("tiny", 1, 2), ("tiny", 2, 2)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"id": "a", "sentences": []}, "at least one sentence"),
        ({"id": "a", "sentences": ["A.", " "]}, "none that is blank"),
        ({"id": "a", "text": "A. B.", "sentences": ["A.", "C."]}, "\"text\" goes on with 'B.' where the next"),
        ({"id": "a", "text": "A. B.", "sentences": ["A."]}, "\"text\" ends with 'B.', which no sentence holds"),
    ],
)
def test_a_line_whose_sentences_are_not_its_text_is_named(
    tmp_path: Path, line: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidValue, match=message):
        evaluate_sentences([write_set(tmp_path, [line])])


def test_an_id_stands_once_and_a_set_must_exist(tmp_path: Path) -> None:
    line = {"id": "a", "sentences": ["A."]}
    with pytest.raises(InvalidValue, match="an id that no other line has"):
        evaluate_sentences([write_set(tmp_path, [line, line])])
    with pytest.raises(UnreadableSource, match="gone"):
        evaluate_sentences([tmp_path / "gone"])
    with pytest.raises(InvalidValue, match="limit is 0"):
        evaluate_sentences([write_set(tmp_path, [line])], run=Run(limit=0))


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_marked_cases_are_whole_many_and_half_blind(language: str) -> None:
    texts = SENTENCE_SETS.read(HARD / f"{language}.jsonl")
    blind = sum(text.is_blind for text in texts)
    assert len(texts) >= 110
    assert 0.4 < blind / len(texts) < 0.6
    assert all(text.is_marked and text.language == language for text in texts)


@pytest.mark.parametrize("language", ["en", "ja", "zh"])
def test_the_visible_cases_are_divided_as_marked(language: str) -> None:
    assert evaluate_sentences([HARD / f"{language}.jsonl"]).sets[0].metrics["errors"] <= 0.02


@pytest.mark.parametrize(("language", "most"), [("en", 0.03), ("ja", 0.03), ("zh", 0.03)])
def test_abbreviations_and_words_that_look_like_them_are_told_apart(language: str, most: float) -> None:
    assert evaluate_sentences([DATA / "sentence_ends" / f"{language}.jsonl"]).sets[0].metrics["errors"] <= most


def test_the_script_prints_a_table_json_and_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    joined = {"id": "x", "lang": "en", "sentences": ["Go.", "Stay."]}
    path = write_set(tmp_path, [joined, marked(BLIND, "One. Two.", "One. Two.")])

    def run(*arguments: str | Path) -> str:
        monkeypatch.setattr(sys, "argv", ["sentences.py", *map(str, arguments)])
        SCRIPT.main()
        return capsys.readouterr().out

    assert [line.split() for line in run(path, "--blind").splitlines()] == [
        ["set", "texts", "sentences", "P", "R", "F1", "errors", "chunk", "ends", "inside", "forced"],
        ["tiny", "2", "3", "50.0%", "100.0%", "66.7%", "100.0%", "0", "0.00%", "0.00%"],
    ]
    metrics = json.loads(run(path, "--json"))["sets"][0]["metrics"]
    assert metrics["documents"] == 1
    assert "errors" not in metrics
    with pytest.raises(SystemExit, match="gone"):
        run(tmp_path / "gone")
