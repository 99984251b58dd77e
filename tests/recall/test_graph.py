"""The graph's say in a score: asked titles, links from the best items, and silence where names say nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.recall.evidence import TermScores
from evolore.recall.graph import ASKED_TITLE, NameGraph, best_seeds, graph_term
from evolore.text.names import find_names
from recall.name_arrays import NameArrays

if TYPE_CHECKING:
    import numpy.typing as npt

PASSAGES = {
    "Anna Benson": "Anna Benson is a model and the ex-wife of former pitcher Kris Benson.",
    "Kris Benson": "Drafted first by the Pittsburgh Pirates, he played for the New York Mets.",
    "Jenny Benson": "Jenny Benson is a retired soccer midfielder.",
    "Louvre": "The Louvre is a museum in Paris.",
    "Prado (museum)": "The museum in Madrid holds paintings of Velázquez.",
}
NO_WORDS = TermScores(
    starts=np.zeros(1, dtype=np.int64), items=np.zeros(0, dtype=np.int32), scores=np.zeros(0, dtype=np.float32)
)
ITEM_NAMES = st.lists(st.lists(st.sampled_from("abcdef"), max_size=4, unique=True).map(tuple), min_size=1, max_size=8)


def index_of(passages: dict[str, str] = PASSAGES) -> NameArrays:
    return NameArrays([find_names(text, language=Language.EN, title=title) for title, text in passages.items()])


def weighed(
    question: str,
    scores: list[float],
    index: NameArrays,
    *,
    terms: TermScores = NO_WORDS,
    hidden: int | None = None,
) -> npt.NDArray[np.float32]:
    seen = np.array([item for item in range(len(scores)) if item != hidden], dtype=np.int32)
    graph = NameGraph(index, seen, count=len(scores), common_share=0.01)
    return graph_term(
        question,
        np.array(scores, dtype=np.float32)[seen],
        graph,
        terms=terms,
        groups=np.arange(seen.size, dtype=np.int32),
    )


def test_the_second_hop_is_found_through_a_name_in_the_first() -> None:
    found = weighed("What team was Anna's husband on?", [9.0, 1.0, 3.0, 0.0, 0.0], index_of())
    assert found.argmax() == 1
    assert not found[[2, 3, 4]].any()


def test_a_title_in_the_question_speaks_for_its_document() -> None:
    found = weighed("Is the Prado older than the Louvre?", [0.0] * 5, index_of())
    assert found.tolist() == pytest.approx([0.0, 0.0, 0.0, ASKED_TITLE, ASKED_TITLE])


def test_a_title_that_is_written_like_any_word_speaks_half_as_loud() -> None:
    with patch("evolore.recall.graph.ASKED_TITLE", 2.0):
        assert weighed("the Prado?", [0.0] * 5, index_of()).max() == 2.0
        assert weighed("the prado?", [0.0] * 5, index_of()).max() == 1.0


def test_a_link_counts_for_the_words_it_adds() -> None:
    index = NameArrays([("=a", "kris"), ("kris", "=b"), ("kris", "=c"), ("=d",), ("=e",), ("=f",)])
    scores = [9.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    terms = TermScores(
        starts=np.array([0, 2, 3], dtype=np.int64),
        items=np.array([0, 1, 2], dtype=np.int32),
        scores=np.array([2.0, 1.0, 2.0], dtype=np.float32),
    )
    with patch("evolore.recall.graph._NEW_WORDS", 0.0):
        silent = weighed("who?", scores, index, terms=terms)
    found = weighed("who?", scores, index, terms=terms) - silent
    assert found[1] == 0.0, "the seed holds that word already"
    assert found[2] > 0.0


@given(scores=st.lists(st.floats(0.0, 9.0, width=32), min_size=8, max_size=8), found=ITEM_NAMES)
def test_conversations_without_titles_are_left_alone(scores: list[float], found: list[tuple[str, ...]]) -> None:
    assert not weighed("a b c?", scores[: len(found)], NameArrays(found)).any()


@given(scores=st.lists(st.floats(0.0, 9.0, width=32), min_size=4, max_size=4))
def test_without_names_nothing_is_said(scores: list[float]) -> None:
    assert not weighed("What about Anna Benson?", scores, NameArrays([(), (), (), ()])).any()


def test_what_is_hidden_neither_gains_nor_gives() -> None:
    scores = [9.0, 1.0, 3.0, 0.0, 0.0]
    assert weighed("Whose wife was she?", scores, index_of()).any()
    assert not weighed("Whose wife was she?", scores, index_of(), hidden=0).any()
    assert weighed("Whose wife was she?", scores, index_of(), hidden=1).size == 4


def test_no_items_are_weighed_without_complaint() -> None:
    assert weighed("Who?", [], NameArrays([])).size == 0


def test_items_that_are_all_alike_are_no_seeds() -> None:
    assert best_seeds(np.ones(7, dtype=np.float32), count=5).items.size == 0
    seeds = best_seeds(np.array([1.0, 5.0, 3.0], dtype=np.float32), count=5)
    assert seeds.items.tolist() == [1, 2]
    assert seeds.trust.tolist() == [1.0, 0.5]
