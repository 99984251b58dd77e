"""What stands around an episode."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeState
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.flows.graph import contexts_of, edges_between, neighbourhood
from flows.graphs import START, GraphReader, around, context_of, edge, episode, example, name

if TYPE_CHECKING:
    from random import Random

STORED = [kind for kind in EdgeKind if kind is not EdgeKind.MEMBER]


@st.composite
def graphs(draw: st.DrawFn) -> list[Edge]:
    """Draw up to 40 edges between twelve episodes, each kind once between two."""
    ends = st.tuples(st.integers(0, 11), st.integers(0, 11), st.sampled_from(STORED)).filter(
        lambda one: one[0] != one[1]
    )
    drawn = draw(st.lists(st.tuples(ends, st.integers(0, 100)), max_size=40, unique_by=lambda one: one[0]))
    return [edge(source, target, kind, weight / 100) for (source, target, kind), weight in drawn]


EDGES = graphs()
ALL = tuple(episode(number, day=number) for number in range(12))


def reached(edges: list[Edge], depth: int) -> dict[str, int]:
    """Count by brute force how far away each episode is."""
    distances = {name(0): 0}
    for distance in range(1, depth + 1):
        for one in edges:
            for here, there in ((one.source_id, one.target_id), (one.target_id, one.source_id)):
                if distances.get(here) == distance - 1:
                    distances.setdefault(there, distance)
    return distances


@given(EDGES, st.integers(1, 3))
def test_everything_within_the_depth_is_there_at_its_distance(edges: list[Edge], depth: int) -> None:
    reader = GraphReader(ALL, edges)
    found = around(reader, depth=depth)
    assert {node.episode.id: node.distance for node in found.nodes} == reached(edges, depth)
    assert not found.truncated
    assert found.nodes[0].episode.id == found.centre == name(0)
    assert reader.round_trips <= depth + 1
    assert around(reader, depth=depth, as_of=START + timedelta(days=20)).nodes == found.nodes
    assert reader.round_trips <= 3 * (depth + 1)


@given(EDGES, st.integers(1, 3), st.integers(1, 12))
def test_no_more_nodes_come_back_than_asked_for_and_each_edge_ends_at_two(
    edges: list[Edge], depth: int, limit: int
) -> None:
    found = around(GraphReader(ALL, edges), depth=depth, limit=limit)
    ids = [node.episode.id for node in found.nodes]
    assert len(ids) == len(set(ids)) <= limit
    assert all(one.source_id in ids and one.target_id in ids for one in found.edges)
    inside = {one for one in edges if one.source_id in ids and one.target_id in ids}
    assert set(found.edges) <= inside
    assert {one.kind for one in inside - set(found.edges)} <= {EdgeKind.SEQUENCE}
    assert found.truncated == (len(reached(edges, depth)) > len(ids))
    distances = {node.episode.id: node.distance for node in found.nodes}
    assert list(distances.values()) == sorted(distances.values())


@given(EDGES, st.randoms())
def test_the_order_in_which_edges_are_read_changes_nothing(edges: list[Edge], random: Random) -> None:
    shuffled = random.sample(edges, len(edges))
    assert around(GraphReader(ALL, edges), depth=2) == around(GraphReader(ALL, shuffled), depth=2)


@given(EDGES)
def test_contexts_part_the_neighbours_and_leave_the_centre_out(edges: list[Edge]) -> None:
    found = around(GraphReader(ALL, edges), depth=3)
    in_contexts = Counter(id_ for one in found.contexts for id_ in one.ids)
    assert set(in_contexts.values()) <= {1}
    assert found.centre not in in_contexts
    assert all(len(one.ids) > 1 for one in found.contexts)
    assert sum(one.share for one in found.contexts) <= 1.001
    for node in found.nodes:
        named = [one.number for one in found.contexts if node.episode.id in one.ids]
        assert named == ([] if node.context is None else [node.context])


def test_the_example_falls_into_what_it_speaks_of() -> None:
    found = around(example(), depth=2)
    groups = [{int(id_[6:]) for id_ in one.ids} for one in found.contexts]
    assert groups == [{3, 7, 8}, {4, 5, 6}, {9, 10, 11}]
    assert [node.episode.id for node in found.nodes if node.context is None] == [name(0), name(12)]
    assert found.conflicts == ((name(7), name(8)),)
    assert [int(one.id[6:]) for one in found.nodes[0].members] == [1, 2]
    assert all(not node.members for node in found.nodes[1:])


def test_a_conversation_hangs_together_and_a_split_alone_joins_nothing() -> None:
    turns = [edge(number, number + 1, EdgeKind.SEQUENCE) for number in range(5)]
    ids = [name(number) for number in range(6)]
    assert contexts_of(ids, turns) == (tuple(ids),)
    assert contexts_of(ids, [edge(0, 1, EdgeKind.BRANCH)]) == ()
    assert contexts_of(ids, [edge(0, 1, EdgeKind.SUPERSEDES), edge(2, 3, EdgeKind.QUERY_INSIGHT)]) == ()
    assert contexts_of(ids, [edge(0, 1, weight=0.6), edge(1, 2, weight=0.6)]) == (tuple(ids[:3]),)
    assert contexts_of(ids, [edge(0, 1, weight=0.5)]) == ()
    assert contexts_of([], []) == ()


def test_the_strongest_come_first_and_conflicts_before_them() -> None:
    edges = [edge(0, 1, weight=0.9), edge(0, 2, weight=0.4), edge(3, 0, EdgeKind.CONTRADICTS, 0.2), edge(0, 4)]
    found = around(GraphReader(ALL, edges), limit=3)
    assert [node.episode.id for node in found.nodes] == [name(0), name(3), name(4)]
    assert found.truncated
    assert [node.further for node in found.nodes] == [2, 0, 0]
    assert [node.further for node in around(GraphReader(ALL, edges)).nodes] == [0] * 5


def test_only_the_kinds_asked_for_are_followed() -> None:
    found = around(example(), depth=3, kinds=["contradicts", EdgeKind.SEQUENCE])
    assert len(found.nodes) == 1
    found = around(example(), 3, depth=3, kinds=["contradicts", EdgeKind.SEQUENCE])
    assert [int(node.episode.id[6:]) for node in found.nodes] == [3, 7, 8]
    assert {one.kind for one in found.edges} == {EdgeKind.CONTRADICTS, EdgeKind.SEQUENCE}
    with pytest.raises(InvalidValue, match="kinds is 'similar'"):
        around(example(), kinds=["similar"])


def test_what_was_said_later_is_not_there_earlier_and_states_are_those_of_then() -> None:
    def states(day: float) -> dict[int, EpisodeState]:
        found = around(example(), 5, depth=3, as_of=START + timedelta(days=day))
        return {int(node.episode.id[6:]): node.episode.state for node in found.nodes}

    assert states(57.5) == {5: EpisodeState.ACTIVE}
    assert states(58.5) == {5: EpisodeState.ACTIVE, 4: EpisodeState.ACTIVE, 6: EpisodeState.SUPERSEDED}
    assert states(65)[7] is EpisodeState.ACTIVE  # nobody had contradicted it by then
    assert states(70)[7] is EpisodeState.CONFLICT_PENDING
    found = around(example(), 6, as_of=START - timedelta(days=100))
    assert [node.episode.state for node in found.nodes] == [EpisodeState.ACTIVE]
    with pytest.raises(NotFound, match="was not there at"):
        around(example(), 7, as_of=START)


def test_a_statement_that_was_merged_shows_what_stands_for_it() -> None:
    found = around(example(), 1)
    assert [int(node.episode.id[6:]) for node in found.nodes] == [1, 0]
    assert [one.kind for one in found.edges] == [EdgeKind.MEMBER]
    before = around(example(), 1, as_of=START + timedelta(days=59))
    assert [node.episode.id for node in before.nodes] == [name(1)]
    assert name(1) not in {node.episode.id for node in around(example(), depth=3).nodes}


def test_what_was_revoked_or_is_no_episode_is_no_node() -> None:
    def grown(*episodes: Episode) -> int:
        edges = [edge(0, 1), edge(2, 0, EdgeKind.QUERY_INSIGHT)]
        return len(around(GraphReader(episodes, edges)).nodes)

    assert grown(ALL[0], ALL[1]) == 2
    assert grown(ALL[0], replace(ALL[1], state=EpisodeState.REVOKED)) == 1


def test_what_is_asked_wrongly_is_told() -> None:
    reader = context_of(example())
    for depth, limit in ((0, 1), (4, 1), (1, 0), (1, 201), (True, 1)):
        with pytest.raises(InvalidValue, match="use a whole number from 1 to"):
            neighbourhood(reader, name(0), depth=depth, limit=limit)
    with pytest.raises(InvalidValue, match="time with a zone"):
        neighbourhood(reader, name(0), as_of=START.replace(tzinfo=None))
    with pytest.raises(NotFound, match="evolore list"):
        neighbourhood(reader, "zzz")
    with pytest.raises(AmbiguousId, match="write more of it"):
        neighbourhood(reader, "01kk")
    with pytest.raises(NotFound, match="is a document: name one of its passages"):
        neighbourhood(reader, "document")


def test_more_edges_than_are_read_are_told() -> None:
    many = [episode(number) for number in range(300)]
    edges = [edge(0, number, weight=0.5) for number in range(1, 300)]
    assert len(around(GraphReader(many, edges), limit=60).nodes) == 60
    assert around(GraphReader(many, edges), limit=2).truncated
    assert not around(GraphReader(many[:200], edges[:199]), limit=200).truncated  # the control


def test_of_turns_only_the_next_follows() -> None:
    turns = [replace(episode(number), position=number) for number in range(4)]
    edges = [edge(*ends, EdgeKind.SEQUENCE) for ends in ((0, 1), (1, 2), (0, 2), (2, 3))]
    found = edges_between({one.id: one for one in turns}, edges)
    assert {(one.source_id, one.target_id) for one in found} == {(name(a), name(a + 1)) for a in range(3)}
    apart = edges_between({one.id: one for one in turns if one.id != name(1)}, edges)
    assert {(one.source_id, one.target_id) for one in apart} == {(name(0), name(2)), (name(2), name(3))}
    merged = edges_between({one.id: one for one in turns}, [edge(0, 1, EdgeKind.MEMBER), edges[0]])
    assert [one.kind for one in merged] == [EdgeKind.MEMBER]
