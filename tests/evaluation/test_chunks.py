from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore import ChunkSettings
from evolore.domain.document import Span
from evolore.errors import InvalidValue, UnreadableSource
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.chunks import Extent, evaluate_chunks, score_fit, score_retrieved
from evolore_evaluation.measure import Run

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CATS = "Cats sleep in the barn. They hunt mice at night. "
SHIPS = "Ships sail to Osaka. Their cargo is rice and tea. "
CORPORA = [{"corpus_id": "farm life", "text": CATS}, {"corpus_id": "sea", "text": SHIPS}]
QUESTIONS: list[dict[str, object]] = [
    {
        "id": "q1",
        "question": "Where do cats sleep?",
        "references": [{"content": "Cats sleep in the barn.", "start_index": 0, "end_index": 23}],
        "corpus_id": "farm life",
    },
    {
        "id": "q2",
        "question": "What is the cargo of ships to Osaka?",
        "references": [{"start_index": 21.0, "end_index": 49.0}],
        "corpus_id": "sea",
    },
]


def halves(text: str) -> Sequence[Span]:
    middle = text.index(". ") + 2
    return [Span(0, middle), Span(middle, len(text))]


def write(folder: Path, name: str, lines: Sequence[object]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def sets(tmp_path: Path) -> list[Path]:
    return [write(tmp_path, "corpora.jsonl", CORPORA), write(tmp_path, "asked.dev.jsonl", QUESTIONS)]


def test_figures_are_averages_over_the_questions(sets: list[Path]) -> None:
    (result,) = evaluate_chunks(sets, top=1, splitter=halves).sets
    assert result.name == "asked.dev"
    assert result.metrics["questions"] == 2
    assert result.metrics["chunks"] == 4
    assert result.metrics["mean_characters"] == pytest.approx((len(CATS) + len(SHIPS)) / 4)
    # The cats are found whole with the space behind them; of the ships the sentence without the cargo.
    assert result.metrics["recall"] == pytest.approx(1 / 2)
    assert result.metrics["precision"] == pytest.approx((23 / 24) / 2)
    assert result.metrics["precision_omega"] == pytest.approx((23 / 24 + 28 / 29) / 2)
    assert result.categories["farm_life"]["recall"] == 1.0
    assert result.categories["sea"]["recall"] == 0.0
    assert result.categories["sea"]["mean_characters"] == pytest.approx(len(SHIPS) / 2)


def test_all_corpora_lie_in_one_index_and_a_chunk_more_finds_the_rest(sets: list[Path]) -> None:
    (result,) = evaluate_chunks(sets, top=2, splitter=halves).sets
    assert result.metrics["recall"] == 1.0
    assert result.metrics["precision"] < 0.75


def test_an_embedder_takes_the_place_of_word_statistics(sets: list[Path]) -> None:
    embedder = HashingEmbedder(256)
    report = evaluate_chunks(sets, top=1, splitter=halves, embedder=embedder)
    assert report.settings["retriever"] == embedder.model.id
    assert report.sets[0].categories["farm_life"]["recall"] == 1.0
    assert evaluate_chunks(sets, top=1, splitter=halves).settings["retriever"] == "bm25"


def test_the_chunker_is_measured_with_the_target_given(sets: list[Path]) -> None:
    report = evaluate_chunks(sets, target_size=300)
    chunking = cast("dict[str, float]", report.settings["chunking"])
    assert chunking["target_size"] == 300
    assert report.sets[0].metrics["megabytes_per_second"] > 0
    assert report.sets[0].metrics["chunks"] == 2
    chunking = cast("dict[str, float]", evaluate_chunks(sets).settings["chunking"])
    assert chunking["target_size"] == ChunkSettings().target_size


def test_predictions_name_the_chunks_best_first(sets: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "found.jsonl"
    told: list[tuple[str, int, int]] = []

    def tell(name: str, done: int, total: int, /) -> None:
        told.append((name, done, total))

    evaluate_chunks(sets, top=1, splitter=halves, run=Run(predictions=file, limit=1, progress=tell))
    assert [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] == [
        {"set": "asked.dev", "question": "q1", "chunks": [["farm life", 0, 24]]}
    ]
    assert told == [("asked.dev", 0, 1), ("asked.dev", 1, 1)]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"corpus_id": "sky"}, "sky"),
        ({"references": []}, "at least one passage"),
        ({"references": [{"start_index": 5, "end_index": 5}]}, "inside the corpus"),
        ({"references": [{"start_index": 0, "end_index": 4000}]}, "inside the corpus"),
        ({"references": [{"start_index": "0", "end_index": 4}]}, "whole number"),
        ({"references": [{"start_index": 0.5, "end_index": 4}]}, "whole number"),
        ({"id": "q2"}, "no other line"),
    ],
)
def test_a_question_that_cannot_be_scored_is_refused(tmp_path: Path, change: dict[str, object], named: str) -> None:
    questions = [QUESTIONS[0] | change, QUESTIONS[1]]
    paths = [write(tmp_path, "c.jsonl", CORPORA), write(tmp_path, "q.jsonl", questions)]
    with pytest.raises(InvalidValue, match=named):
        evaluate_chunks(paths)


def test_both_kinds_of_file_are_needed(sets: list[Path], tmp_path: Path) -> None:
    for path in sets:
        with pytest.raises(InvalidValue, match="at least one of each"):
            evaluate_chunks([path])
    with pytest.raises(InvalidValue, match="not of this form"):
        evaluate_chunks([*sets, write(tmp_path, "other.jsonl", [{"id": "x"}])])
    with pytest.raises(UnreadableSource, match=r"nothing\.jsonl"):
        evaluate_chunks([tmp_path / "nothing.jsonl"])
    with pytest.raises(InvalidValue, match="top"):
        evaluate_chunks(sets, top=0)


def test_a_folder_gives_its_corpora_and_questions(sets: list[Path], tmp_path: Path) -> None:
    write(tmp_path, "unrelated.jsonl", [{"id": "x"}])
    (result,) = evaluate_chunks([tmp_path], top=2, splitter=halves).sets
    (named,) = evaluate_chunks(sets, top=2, splitter=halves).sets
    for name in ("recall", "precision", "iou", "precision_omega", "chunks", "mean_characters"):
        assert result.metrics[name] == named.metrics[name]


def test_two_corpora_of_one_id_are_refused(sets: list[Path], tmp_path: Path) -> None:
    twice = write(tmp_path, "twice.jsonl", [CORPORA[0]])
    with pytest.raises(InvalidValue, match="no other line"):
        evaluate_chunks([*sets, twice])


SPANS = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))
PLACES = st.builds(Extent, corpus=st.sampled_from("ab"), span=SPANS)


def characters(places: list[Extent]) -> set[tuple[str, int]]:
    return {(place.corpus, at) for place in places for at in range(place.span.start, place.span.end)}


@given(st.lists(PLACES, max_size=5, unique=True), PLACES)
def test_scores_are_what_counting_characters_gives(retrieved: list[Extent], reference: Extent) -> None:
    scores = score_retrieved(retrieved, [reference])
    hit = len(characters(retrieved) & characters([reference]))
    held = sum(len(place.span) for place in retrieved)
    wanted = len(reference.span)
    assert scores["recall"] == pytest.approx(hit / wanted)
    assert scores["precision"] == pytest.approx(hit / held if held else 0)
    assert scores["iou"] == pytest.approx(hit / (held + wanted - hit))


@given(st.lists(PLACES, max_size=6, unique=True), st.lists(PLACES, min_size=1, max_size=3))
def test_the_fit_looks_at_just_the_chunks_that_hold_an_answer(chunks: list[Extent], references: list[Extent]) -> None:
    wanted = characters(references)
    touching = [chunk for chunk in chunks if characters([chunk]) & wanted]
    held = characters(touching)
    expected = len(held & wanted) / len(held) if held else 0.0
    assert score_fit(chunks, references) == pytest.approx(expected)


def test_the_same_place_in_another_corpus_is_no_hit() -> None:
    here = Extent(corpus="a", span=Span(0, 10))
    there = Extent(corpus="b", span=Span(0, 10))
    assert score_retrieved([there], [here])["recall"] == 0.0
    assert score_retrieved([here], [here]) == {"recall": 1.0, "precision": 1.0, "iou": 1.0}
    assert score_fit([there], [here]) == 0.0
    assert score_fit([here], [here]) == 1.0
