from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from evolore.errors import InvalidValue, UnreadableSource
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.measure import Run
from evolore_evaluation.pairs import PAIR_SETS, PairRelation, evaluate_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

DATA = Path(__file__).parents[1] / "data" / "pairs"
EMBEDDER = HashingEmbedder(16)
VISIBLE = [name for name in map(str, range(40)) if zlib.crc32(name.encode()) % 2 == 0]
BLIND = [name for name in map(str, range(40)) if zlib.crc32(name.encode()) % 2 == 1]


def write_set(folder: Path, lines: Sequence[object], name: str = "tiny.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def rated(a: str, b: str, score: float) -> dict[str, object]:
    return {"lang": "en", "a": a, "b": b, "score": score}


def update(id_: str, old: str, new: str, label: str, **more: object) -> dict[str, object]:
    return {"id": id_, "lang": "en", "old": old, "new": new, "label": label, **more}


def test_merges_are_counted_against_duplicates_and_related_pairs(tmp_path: Path) -> None:
    lines = [
        rated("A man plays the guitar.", "The man is playing a guitar.", 5.0),
        rated("A man plays the guitar.", "A man strums an instrument.", 4.6),
        rated("A man plays the guitar.", "A woman plays the guitar.", 2.5),
        rated("A man plays the flute well.", "A man plays the flute well.", 3.0),
        rated("A man plays the guitar.", "A man plays the guitar.", 4.0),
    ]
    metrics = evaluate_pairs([write_set(tmp_path, lines)], embedder=EMBEDDER).sets[0].metrics
    assert metrics["pairs"] == 5
    assert (metrics["merge_wanted"], metrics["merge_found"]) == (2, 2)
    assert (metrics["merge_precision"], metrics["merge_recall"]) == (0.5, 0.5)
    assert metrics["merge_precision_low"] < 0.5 < metrics["merge_precision_high"]
    assert "flagged_precision" not in metrics


def test_contradictions_are_flagged_and_not_merged(tmp_path: Path) -> None:
    lines = [
        {"lang": "en", "a": "The dog is asleep.", "b": "The dog is not asleep.", "label": "contradiction"},
        {"lang": "en", "a": "A cat drinks milk.", "b": "Rain fell on Leeds.", "label": "contradiction"},
        {"lang": "en", "a": "A cat drinks milk.", "b": "An animal drinks.", "label": "entailment"},
    ]
    metrics = evaluate_pairs([write_set(tmp_path, lines)], embedder=EMBEDDER).sets[0].metrics
    assert metrics["contradictions_merged"] == 0.0
    assert (metrics["flagged_precision"], metrics["flagged_recall"]) == (1.0, 0.5)
    assert "superseded_precision" not in metrics


def test_only_one_and_the_same_key_supersedes(tmp_path: Path) -> None:
    city, size = ["office", "city"], ["office", "size"]
    lines = [
        update("0", "It is in Osaka.", "It is in Kyoto.", "supersedes", about=city),
        update("1", "It is in Osaka.", "It has 40 desks.", "adds", about_old=city, about_new=size),
        update("2", "It is in Osaka.", "It snows.", "different"),
    ]
    metrics = evaluate_pairs([write_set(tmp_path, lines)], embedder=EMBEDDER, run=Run(blind=True)).sets[0].metrics
    assert (metrics["superseded_wanted"], metrics["superseded_found"]) == (1, 1)
    assert (metrics["superseded_precision"], metrics["superseded_recall"]) == (1.0, 1.0)


def test_the_blind_half_is_measured_only_when_asked_for(tmp_path: Path) -> None:
    lines = [
        update(VISIBLE[0], "I live in Leeds.", "I have moved to York.", "supersedes"),
        update(BLIND[0], "I live in Leeds.", "It rains.", "different"),
    ]
    path = write_set(tmp_path, lines)
    assert evaluate_pairs([path], embedder=EMBEDDER).sets[0].metrics["pairs"] == 1
    both = evaluate_pairs([path], embedder=EMBEDDER, run=Run(blind=True)).sets[0]
    assert both.metrics["pairs"] == 2
    assert set(both.categories) == {"en", "visible", "blind", "visible_en", "blind_en"}


def test_pairs_without_an_id_are_in_no_half(tmp_path: Path) -> None:
    path = write_set(tmp_path, [rated("One thing.", "Another thing.", 1.0)] * 6)
    assert len(PAIR_SETS.read(path)) == 6
    assert evaluate_pairs([path], embedder=EMBEDDER).sets[0].metrics["pairs"] == 6


def test_predictions_hold_what_was_decided_and_why(tmp_path: Path) -> None:
    file, told = tmp_path / "predictions.jsonl", list[tuple[str, int, int]]()

    def progress(set_name: str, done: int, total: int, /) -> None:
        told.append((set_name, done, total))

    path = write_set(tmp_path, [rated("A dog ran home.", "A dog ran home.", 5.0), rated("A dog.", "A cat.", 2.0)])
    evaluate_pairs([path], embedder=EMBEDDER, run=Run(predictions=file, limit=1, progress=progress))
    (written,) = [cast("dict[str, object]", json.loads(one)) for one in file.read_text("utf-8").splitlines()]
    assert (written["id"], written["merged"], written["reason"]) == ("1", True, "it says the same")
    assert told == [("tiny", 0, 1), ("tiny", 1, 1)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"lang": "en", "a": "x", "b": "y", "score": 6}, "a number from 0 to 5"),
        ({"lang": "en", "a": "x", "b": " ", "score": 4}, "not blank"),
        ({"lang": "en", "a": "x", "b": "y", "label": "adds"}, "contradiction, entailment, neutral"),
        ({"lang": "en", "old": "x", "new": "y", "label": "neutral"}, "adds, contradicts, different, supersedes"),
        ({"lang": "en", "old": "x", "new": "y", "label": "adds", "about": ["one"]}, "a subject and an attribute"),
    ],
)
def test_other_forms_are_refused_with_what_to_give(tmp_path: Path, line: object, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        PAIR_SETS.read(write_set(tmp_path, [line]))


def test_a_set_is_found_by_its_form_and_named_once(tmp_path: Path) -> None:
    write_set(tmp_path, [{"question": "what?"}], "other.jsonl")
    path = write_set(tmp_path, [rated("x", "y", 5)])
    assert PAIR_SETS.find([tmp_path]) == (path,)
    twice = write_set(tmp_path, [update("a", "x", "y", "adds")] * 2, "twice.jsonl")
    with pytest.raises(InvalidValue, match="an id that no other line has"):
        PAIR_SETS.read(twice)
    with pytest.raises(UnreadableSource, match="does not exist"):
        evaluate_pairs([tmp_path / "none.jsonl"], embedder=EMBEDDER)


def test_the_repository_holds_at_least_sixty_pairs_a_language() -> None:
    (path,) = PAIR_SETS.find([DATA])
    pairs = PAIR_SETS.read(path)
    assert all(sum(one.language.value == language for one in pairs) >= 60 for language in ("en", "ja", "zh"))
    assert {one.relation for one in pairs} == {
        PairRelation.SUPERSEDES,
        PairRelation.CONTRADICTS,
        PairRelation.ADDS,
        PairRelation.DIFFERENT,
    }
