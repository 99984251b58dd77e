"""The graph's say in a score: asked titles, links from the best items, and silence where names say nothing.

Propagation: local push is personalised PageRank, conserves what it is given, and stays within bounds.

The graph of names, as far as a question may see it.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.language import Language
from evolore.recall.evidence import TermScores
from evolore.recall.graph import (
    ASKED_TITLE,
    STOP_SHARE,
    TITLE_PULL,
    NameGraph,
    Reached,
    best_seeds,
    graph_term,
    push,
)
from evolore.text.names import find_names
from recall.name_arrays import NameArrays

if TYPE_CHECKING:
    from collections.abc import Sequence

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


NONE = np.zeros(0, dtype=np.int32)
PROPAGATION = "evolore.recall.graph"
MANY_ROUNDS = 200
FAR: dict[str, Any] = {"ROUNDS": MANY_ROUNDS, "_LEAST_MASS": 1e-15, "MOST_EDGES": 10**9}
NAMES = st.sets(st.sampled_from("abcdefg"), max_size=5)
ITEMS = st.tuples(NAMES, st.booleans()).map(lambda item: _as_found(sorted(item[0]), has_title=item[1]))
WORLDS = st.lists(ITEMS, min_size=1, max_size=9)


def _as_found(names: list[str], *, has_title: bool) -> tuple[str, ...]:
    return (f"={names[0]}", *names[1:]) if names and has_title else tuple(names)


def graph_of(found: list[tuple[str, ...]], hidden: int | None = None) -> NameGraph:
    seen = np.array([item for item in range(len(found)) if item != hidden], dtype=np.int32)
    return NameGraph(NameArrays(found), seen, count=len(found), common_share=1.0)


def pushed(
    graph: NameGraph,
    **bounds: Any,  # noqa: ANN401 - constants by name
) -> Reached:
    start = np.zeros(graph.count)
    start[0] = 1.0
    with patch.multiple(PROPAGATION, **bounds) if bounds else nullcontext():
        return push(graph, start, barred=NONE)


def power_iteration(found: list[tuple[str, ...]]) -> npt.NDArray[np.float64]:
    """Walk over dense matrices for as long as anything is under way."""
    index = NameArrays(found)
    graph = graph_of(found)
    holds = np.zeros((len(found), index.count))
    for item, names in enumerate(found):
        holds[item, [index.names[name.removeprefix("=")] for name in names]] = 1.0
    rarity = graph.rarity(np.arange(index.count, dtype=np.int32))
    is_title = index.titles[:, None] == np.arange(index.count)
    to_names = holds * rarity * ~is_title
    to_items = (holds * np.where(is_title, TITLE_PULL, 1.0) * (index.titles >= 0)[:, None]).T
    under_way, ended = np.eye(len(found))[0], np.zeros(len(found))
    for _ in range(MANY_ROUNDS):
        under_way, stopped = _step(under_way, to_names, STOP_SHARE)
        ended += stopped
        under_way, _ = _step(under_way, to_items, STOP_SHARE)
    return ended


def _step(
    mass: npt.NDArray[np.float64], weights: npt.NDArray[np.float64], stop_share: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    out = weights.sum(axis=1)
    stopped = mass * np.where(out > 0.0, stop_share, 1.0)
    return ((mass - stopped) / np.where(out > 0.0, out, 1.0)) @ weights, stopped


@given(found=WORLDS)
def test_push_equals_power_iteration(found: list[tuple[str, ...]]) -> None:
    reached = pushed(graph_of(found), **FAR)
    np.testing.assert_allclose(reached.mass, power_iteration(found), atol=1e-9)


@given(found=WORLDS, rounds=st.integers(1, 4), least=st.sampled_from([1e-6, 0.01, 0.2]), most=st.integers(1, 40))
def test_nothing_is_lost_and_little_is_left_out(
    found: list[tuple[str, ...]], rounds: int, least: float, most: int
) -> None:
    reached = pushed(graph_of(found), ROUNDS=rounds, _LEAST_MASS=least, MOST_EDGES=most)
    np.testing.assert_allclose(reached.mass.sum() + reached.at_names + reached.left, 1.0)
    truth = power_iteration(found)
    assert np.all(reached.mass <= truth + 1e-9)
    assert np.all(truth <= reached.mass + reached.left + 1e-9)


@given(found=WORLDS, most=st.integers(1, 40))
def test_work_is_bounded(found: list[tuple[str, ...]], most: int) -> None:
    names_of_a_round = sum(map(len, found))
    assert pushed(graph_of(found), **(FAR | {"MOST_EDGES": most})).edges <= most + names_of_a_round


@given(found=WORLDS)
def test_the_same_question_is_answered_the_same(found: list[tuple[str, ...]]) -> None:
    first, second = (pushed(graph_of(found)) for _ in range(2))
    np.testing.assert_array_equal(first.mass, second.mass)


@given(found=WORLDS.filter(lambda found: len(found) > 1), data=st.data())
def test_what_is_hidden_takes_no_part(found: list[tuple[str, ...]], data: st.DataObject) -> None:
    hidden = data.draw(st.integers(1, len(found) - 1))
    mass = pushed(graph_of([*found[:hidden], *found[hidden + 1 :]]), **FAR).mass
    np.testing.assert_allclose(pushed(graph_of(found, hidden), **FAR).mass, mass, atol=1e-12)


def test_walks_go_to_passages_that_share_a_rare_name() -> None:
    found = [("=anna", "kris"), ("=kris", "pirates"), ("=benson",), ("=orleans", "saints")]
    mass = pushed(graph_of(found)).mass
    assert mass[1] > 0.0
    assert mass[2] == mass[3] == 0.0


def test_no_walk_goes_over_a_barred_name() -> None:
    graph = graph_of([("=anna", "kris"), ("=kris",), ("=x",)])
    barred = graph.numbers_of(["kris"])
    start = np.array([1.0, 0.0, 0.0])
    assert push(graph, start, barred=barred).mass.tolist() == [1.0, 0.0, 0.0]


def test_turns_without_a_title_receive_nothing() -> None:
    mass = pushed(graph_of([("=anna", "kris"), ("kris",), ("=x",)]), **FAR).mass
    assert mass[1] == 0.0


NAMES_NAME_GRAPH = ("Mika", "Jonas", "Osaka", "Katowice")
HELD = st.lists(st.lists(st.sampled_from(NAMES_NAME_GRAPH), max_size=3, unique=True), min_size=1, max_size=12)


def graph_of_name_graph(held: Sequence[Sequence[str]], *, there: int | None = None) -> NameGraph:
    seen = np.arange(len(held) if there is None else there, dtype=np.int32)
    return NameGraph(NameArrays(held), seen, count=len(held), common_share=0.5)


@given(HELD, st.integers(1, 12))
def test_what_is_not_counted_makes_no_name_more_or_less_rare(held: Sequence[Sequence[str]], there: int) -> None:
    among, alone = graph_of_name_graph(held, there=min(there, len(held))), graph_of_name_graph(held[:there])
    numbers, numbers_alone = among.numbers_of(NAMES_NAME_GRAPH), alone.numbers_of(NAMES_NAME_GRAPH)
    assert ((numbers >= 0) == (numbers_alone >= 0)).all()
    known, known_alone = numbers[numbers >= 0], numbers_alone[numbers_alone >= 0]
    for _ in range(2):  # counts are kept: the second time they are not made anew
        assert among.item_counts(known).tolist() == alone.item_counts(known_alone).tolist()
        assert among.rarity(known).tolist() == alone.rarity(known_alone).tolist()


def test_by_default_every_item_counts() -> None:
    held = [["Mika"], ["Mika", "Osaka"], ["Mika"], ["Jonas"]]
    assert graph_of_name_graph(held).item_counts(graph_of_name_graph(held).numbers_of(["Mika"])).tolist() == [3]
    assert graph_of_name_graph(held, there=2).item_counts(graph_of_name_graph(held).numbers_of(["Mika"])).tolist() == [
        2
    ]
