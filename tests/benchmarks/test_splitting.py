"""Measuring how episodes are split."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, cast

import pytest

from benchmarks.scripts import load_script
from evolore.episodes.settings import EpisodeSettings
from evolore.errors import InvalidValue
from evolore.models.offline import HashingEmbedder
from evolore.models.use import UseEmbedder
from evolore_evaluation.measure import Run
from evolore_evaluation.segmentation import SegmentedText

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = load_script("splitting")
Mix, b_cubed_f1, evaluate_splitting = SCRIPT.Mix, SCRIPT.b_cubed_f1, SCRIPT.evaluate_splitting
mix_episodes, neighbours_of = SCRIPT.mix_episodes, SCRIPT.neighbours_of
THINGS = (
    "harbour",
    "kettle",
    "violin",
    "glacier",
    "orchard",
    "parliament",
    "turbine",
    "lighthouse",
    "monastery",
    "beetle",
)
PHRASES = (
    "The {0} was described in an old letter.",
    "Nobody had expected the {0} to last so long.",
    "Every spring the {0} draws many visitors.",
    "An expert on the {0} wrote a short book.",
    "It took years until the {0} was restored.",
    "In winter the {0} is hardly seen at all.",
    "Some say that the {0} is the oldest of all.",
    "The care of the {0} costs a great deal.",
    "A second {0} stands not far from the first.",
    "Children draw the {0} on their first day.",
    "The {0} appears on the coat of arms.",
    "Most people know the {0} from a song.",
)


def texts(count: int = 8, sentences: int = 12) -> list[SegmentedText]:
    """Make documents of two sections, each about a thing of its own."""
    made: list[SegmentedText] = []
    for number in range(count):
        things = THINGS[number % len(THINGS)], THINGS[(number + 5) % len(THINGS)]
        lines = tuple(phrase.format(f"{thing} {number}") for thing in things for phrase in PHRASES[:sentences])
        made.append(SegmentedText(id=str(number), sentences=lines, boundaries=(sentences,)))
    return made


def write_set(folder: Path, made: list[SegmentedText], name: str = "tiny.jsonl") -> Path:
    lines = [{"id": one.id, "lang": "en", "sentences": one.sentences, "boundaries": one.boundaries} for one in made]
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_episodes_are_mixed_by_the_protocol() -> None:
    episodes = mix_episodes(texts())
    of = {mix: [one for one in episodes if one.mix is mix] for mix in Mix}
    assert [len(of[mix]) for mix in Mix] == [16, 0, 8, 8, 5]
    for mix, topics in {Mix.CLEAN: 1, Mix.NEAR2: 2, Mix.FAR2: 2, Mix.FAR3: 3}.items():
        for one in of[mix]:
            assert [one.topics.count(topic) for topic in range(topics)] == [4] * topics
            assert len(one.sentences) == 4 * topics
            assert len({(neighbour.document, neighbour.section) for neighbour in one.neighbours}) == topics
            assert len({neighbour.document for neighbour in one.neighbours}) == (1 if mix is Mix.NEAR2 else topics)
            assert not {*one.sentences} & {*one.questions}
            assert len(one.questions) == topics
    assert {len(one.neighbours) for one in of[Mix.CLEAN]} == {3}


def test_a_section_is_in_one_episode_of_a_kind_and_the_mix_is_the_same_every_time() -> None:
    episodes = mix_episodes(texts())
    assert episodes == mix_episodes(texts())
    for mix in Mix:
        used = [sentence for one in episodes if one.mix is mix for sentence in one.sentences]
        assert len(used) == len(set(used))
    assert len(mix_episodes(texts(), limit=2)) == 8


def test_short_sections_documents_of_one_section_and_held_out_sentences_are_left_aside() -> None:
    assert mix_episodes(texts(sentences=7)) == ()
    whole = [SegmentedText(id="a", sentences=texts()[0].sentences, boundaries=())]
    assert mix_episodes(whole) == ()
    shortest = mix_episodes(texts(sentences=8))
    assert {one.mix for one in shortest} == {Mix.NEAR2, Mix.FAR2, Mix.FAR3}
    assert all(one.questions == () for one in shortest)


def test_episodes_of_two_documents_are_split_and_those_of_one_section_are_not(tmp_path: Path) -> None:
    path, embedder = write_set(tmp_path, texts()), UseEmbedder()
    (shipped,) = evaluate_splitting([path], embedder=embedder, settings=EpisodeSettings()).sets
    assert shipped.flat_metrics()["split_rate_clean"] == 0.0
    (result,) = evaluate_splitting([path], embedder=embedder, settings=EpisodeSettings(), calibrated=True).sets
    figures = result.flat_metrics()
    assert figures["split_rate_clean"] == 0.0
    assert figures["split_rate_far2"] > 0.5
    assert figures["sentence_b_cubed_f1"] > 0.9
    assert figures["sentence_b_cubed_f1"] >= figures["sentence_b_cubed_f1_all"]
    assert figures["r1_split"] >= figures["r1_unsplit"]
    assert figures["questions"] == 31
    assert figures["episodes_far3"] == 5


def test_what_nobody_calibrated_and_what_may_not_split_stays_whole(tmp_path: Path) -> None:
    path = write_set(tmp_path, texts())
    off = EpisodeSettings(auto_split_enabled=False)
    figures = evaluate_splitting([path], embedder=UseEmbedder(), settings=off).sets[0].flat_metrics()
    assert figures["split_rate_far2"] == 0.0
    assert "sentence_b_cubed_f1" not in figures
    assert figures["r1_split"] == figures["r1_unsplit"]


def test_predictions_tell_the_part_of_each_sentence_and_progress_is_told(tmp_path: Path) -> None:
    file, told = tmp_path / "predictions.jsonl", list[tuple[str, int, int]]()

    def progress(set_name: str, done: int, total: int, /) -> None:
        told.append((set_name, done, total))

    path = write_set(tmp_path, texts())
    evaluate_splitting([path], embedder=HashingEmbedder(16), run=Run(limit=1, predictions=file, progress=progress))
    written = [cast("dict[str, object]", json.loads(line)) for line in file.read_text("utf-8").splitlines()]
    assert [one["id"] for one in written] == ["clean-1", "near2-1", "far2-1", "far3-1"]
    assert [len(cast("list[int]", one["parts"])) for one in written] == [4, 8, 8, 12]
    assert told[-1] == ("tiny", 4, 4)


def test_a_set_without_sections_has_no_figures_and_a_wrong_limit_is_refused(tmp_path: Path) -> None:
    path = write_set(tmp_path, texts(sentences=5))
    (result,) = evaluate_splitting([path], embedder=HashingEmbedder(16)).sets
    assert result.flat_metrics() == {"episodes": 0, "questions": 0}
    with pytest.raises(InvalidValue, match="limit is 0"):
        evaluate_splitting([path], embedder=HashingEmbedder(16), run=Run(limit=0))


def test_a_long_section_alone_is_an_episode_of_eight_sentences() -> None:
    long = [
        SegmentedText(id=str(number), sentences=one.sentences * 2, boundaries=(24,))
        for number, one in enumerate(texts(2))
    ]
    found = [one for one in mix_episodes(long) if one.mix is Mix.CLEAN8]
    assert len(found) == 4
    assert not {*neighbours_of(found)}
    assert {(len(one.sentences), len(one.neighbours), set(one.topics) == {0}) for one in found} == {(8, 6, True)}


def test_b_cubed_f1_falls_when_groups_are_torn_or_mixed() -> None:
    assert b_cubed_f1([0, 0, 1, 1], [0, 0, 1, 1]) == 1.0
    assert b_cubed_f1([0, 1, 2, 3], [0, 0, 1, 1]) == pytest.approx(2 / 3)
    assert b_cubed_f1([0, 1, 0, 1], [0, 0, 1, 1]) == pytest.approx(0.5)


def test_the_script_prints_a_row_a_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["splitting.py", str(write_set(tmp_path, texts())), "--calibrated", "--limit", "2"]
    )
    SCRIPT.main()
    head, *rows = capsys.readouterr().out.splitlines()
    assert " ".join(head.split()) == "set episodes split B³ F1 split B³ F1 all asked R@1 whole R@1 split p50 ms"
    assert [row.split()[:2] for row in rows] == [
        ["tiny", "8"],
        ["clean", "2"],
        ["near2", "2"],
        ["far2", "2"],
        ["far3", "2"],
    ]
    assert rows[1].split()[2] == "0.0%"
