from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.document import Span
from evolore_evaluation.chunks import Place, score_fit, score_retrieved

SPANS = st.tuples(st.integers(0, 30), st.integers(1, 12)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))
PLACES = st.builds(Place, corpus=st.sampled_from("ab"), span=SPANS)


def characters(places: list[Place]) -> set[tuple[str, int]]:
    return {(place.corpus, at) for place in places for at in range(place.span.start, place.span.end)}


@given(st.lists(PLACES, max_size=5, unique=True), PLACES)
def test_scores_are_what_counting_characters_gives(retrieved: list[Place], reference: Place) -> None:
    scores = score_retrieved(retrieved, [reference])
    hit = len(characters(retrieved) & characters([reference]))
    held = sum(len(place.span) for place in retrieved)
    wanted = len(reference.span)
    assert scores["recall"] == pytest.approx(hit / wanted)
    assert scores["precision"] == pytest.approx(hit / held if held else 0)
    assert scores["iou"] == pytest.approx(hit / (held + wanted - hit))


@given(st.lists(PLACES, max_size=6, unique=True), st.lists(PLACES, min_size=1, max_size=3))
def test_the_fit_looks_at_just_the_chunks_that_hold_an_answer(chunks: list[Place], references: list[Place]) -> None:
    wanted = characters(references)
    touching = [chunk for chunk in chunks if characters([chunk]) & wanted]
    held = characters(touching)
    expected = len(held & wanted) / len(held) if held else 0.0
    assert score_fit(chunks, references) == pytest.approx(expected)


def test_the_same_place_in_another_corpus_is_no_hit() -> None:
    here = Place(corpus="a", span=Span(0, 10))
    there = Place(corpus="b", span=Span(0, 10))
    assert score_retrieved([there], [here])["recall"] == 0.0
    assert score_retrieved([here], [here]) == {"recall": 1.0, "precision": 1.0, "iou": 1.0}
    assert score_fit([there], [here]) == 0.0
    assert score_fit([here], [here]) == 1.0
