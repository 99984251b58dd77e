"""Propagation: local push is personalised PageRank, conserves what it is given, and stays within bounds."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from evolore.recall.graph import STOP_SHARE, TITLE_PULL, ItemEdges, NameGraph, Reached, push
from recall.name_arrays import NameArrays

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
    edges: ItemEdges | None = None,
    **bounds: Any,  # noqa: ANN401 - constants by name
) -> Reached:
    start = np.zeros(graph.count)
    start[0] = 1.0
    with patch.multiple(PROPAGATION, **bounds) if bounds else nullcontext():
        return push(graph, start, barred=NONE, edges=edges)


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
    assert pushed(graph_of(found), None, **(FAR | {"MOST_EDGES": most})).edges <= most + names_of_a_round


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


def test_what_earlier_questions_confirmed_carries_walks_too() -> None:
    graph = graph_of([("a",), ("b",), ("c",)])
    edges = ItemEdges(
        starts=np.array([0, 1, 1, 1], dtype=np.int64),
        ends=np.array([2], dtype=np.int32),
        weights=np.array([0.5], dtype=np.float32),
    )
    assert pushed(graph, **FAR).mass.tolist() == [1.0, 0.0, 0.0]
    np.testing.assert_allclose(pushed(graph, edges, **FAR).mass, [0.4, 0.0, 0.6])
