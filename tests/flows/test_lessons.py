"""What one person taught is taken back: the others' questions stand as if that person had never rated them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from evolore.domain.episode import EdgeKind
from evolore.domain.outcome import Outcome, Rating
from evolore.errors import NotFound, StoreBusy
from flows import asking
from flows.asking import arousal, confidence, filled, graph_edges, opened, recalled, touched_by, waiting
from laws import tried

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory

PEOPLE = ("ann", "bob", "eve")
WORDS = ("good", "bad", "helpful")
STEP = st.tuples(st.sampled_from(PEOPLE), st.integers(0, 4), st.sampled_from(WORDS))
Step = tuple[str, int, str]


def rate(memory: Memory, query: str, who: str, word: str) -> None:
    memory.rate(query, "bad" if word == "bad" else "good", helpful=word == "helpful", principal=who)


def trust_after(store: Path, steps: list[Step], *, unlearned: str | None = None) -> tuple[float, float | None]:
    """Give confidence and arousal of an episode that five answers rest on, after ratings and after one person is unlearned."""
    with opened(store) as memory:
        ids = filled(memory, "Deploys run every Tuesday.")
        queries = [
            memory.questions.record(recalled(memory, f"question {number}?", ids), cited=ids).id for number in range(5)
        ]
        for who, number, word in steps:
            rate(memory, queries[number], who, word)
        if unlearned is not None:
            memory.questions.unlearn(unlearned)
        return confidence(memory, ids[0]), arousal(memory, ids[0])


@given(st.lists(STEP, max_size=14), st.sampled_from(PEOPLE))
@settings(max_examples=tried(3, long=12), deadline=None)
@example(
    [("eve", 0, "helpful"), ("eve", 1, "helpful"), ("eve", 2, "helpful"), ("ann", 0, "good"), ("ann", 1, "good")], "eve"
)
@example([("ann", 0, "good"), ("bob", 0, "good"), ("ann", 0, "good")], "bob")
@example(
    [
        *(("ann", number, "helpful") for number in range(3)),
        ("bob", 0, "good"),
        ("eve", 0, "good"),
        ("bob", 0, "bad"),
    ],
    "eve",
)
def test_what_ratings_moved_is_after_unlearning_as_if_that_person_had_never_rated(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step], who: str
) -> None:
    folder = tmp_path_factory.mktemp("rated")
    others = [step for step in steps if step[0] != who]
    left = trust_after(folder / "with", steps, unlearned=who)
    assert left == pytest.approx(trust_after(folder / "without", others), abs=1e-6)


def test_a_rating_that_met_a_bound_is_an_event_and_counts_once_the_others_are_unlearned(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory, "Deploys run every Tuesday.")
        queries = [memory.questions.record(recalled(memory, f"{number}?", ids), cited=ids).id for number in range(7)]
        for number in range(3):
            rate(memory, queries[number], "eve", "helpful")
            rate(memory, queries[number + 3], "mal", "helpful")
        assert confidence(memory, ids[0]) == 1.0
        rated = asking.rate(memory, queries[6], "good", principal="ann")
        kinds = [event.kind for event in memory.history(ids[0]) if event.id in rated.event_ids]
        assert "confidence_changed" in kinds
        memory.questions.unlearn("eve")
        memory.questions.unlearn("mal")
        assert confidence(memory, ids[0]) == pytest.approx(0.6)
        memory.questions.unlearn("ann")
        assert confidence(memory, ids[0]) == 0.5


def test_a_rating_taken_back_among_others_at_a_bound_leaves_what_the_others_made_of_it(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory, "Deploys run every Tuesday.")
        queries = [memory.questions.record(recalled(memory, f"{number}?", ids), cited=ids).id for number in range(7)]
        for number in range(3):
            rate(memory, queries[number], "ann", "helpful")
            rate(memory, queries[number + 3], "bob", "helpful")
        rate(memory, queries[0], "ann", "bad")
        assert confidence(memory, ids[0]) == 0.9
        assert "taken_back" in {event.reason for event in memory.history(ids[0])}


class Board:
    """Questions that ann and others asked of the same episodes, which none of them joined before."""

    def __init__(self, memory: Memory, *, askers: tuple[str | None, ...] = ("zoe", "zoe", None)) -> None:
        self.memory = memory
        self.ids = filled(memory)
        given = self.ids[:4]
        self.queries = [
            memory.questions.record(
                recalled(memory, f"question {number}?", given), cited=given[:2] if number == 0 else (), principal=asker
            ).id
            for number, asker in enumerate(askers)
        ]

    def say(self, who: str, number: int, word: str, *, cites: bool = False) -> None:
        cited = self.ids[:2] if cites else None
        self.memory.rate(self.queries[number], word, cited=cited, principal=who)

    def stands(self) -> list[object]:
        """Give how the questions stand: outcome, what they rest on, their edges in the graph, and what waits."""
        places = {id_: place for place, id_ in enumerate(self.ids)}
        edges = sorted(graph_edges(self.memory, *self.ids))
        touched = [(place, *one) for id_, place in places.items() for one in touched_by(self.memory, id_)]
        found: list[object] = []
        for query in self.queries:
            record = self.memory.questions.show(query)
            found.append(
                (
                    record.outcome,
                    [places[id_] for id_ in record.cited_ids],
                    [(places[target], kind, weight) for source, target, kind, weight in edges if source == query],
                    [(place, kind, led) for place, source, kind, led in touched if source == query],
                )
            )
        return found

    def trusts(self) -> list[object]:
        return [(confidence(self.memory, id_), arousal(self.memory, id_)) for id_ in self.ids[:4]]

    def counts(self) -> object:
        return [
            self.memory.questions.show(query).ratings for query in self.queries
        ], self.memory.stats().waiting_query_edges


SAID = st.tuples(st.sampled_from(PEOPLE), st.integers(0, 2), st.sampled_from(["good", "bad"]), st.booleans())
Said = tuple[str, int, str, bool]


@given(st.lists(SAID, max_size=9), st.sampled_from(PEOPLE), st.booleans())
@settings(max_examples=tried(3, long=12), deadline=None)
@example(said=[("eve", 0, "good", False)], who="eve", erase=False)
@example(said=[("ann", 1, "good", False), ("eve", 1, "bad", False)], who="eve", erase=False)
@example(said=[("eve", 1, "good", True), ("ann", 1, "good", False)], who="eve", erase=True)
@example(said=[("eve", 1, "good", True), ("ann", 1, "good", True)], who="eve", erase=False)
def test_questions_of_others_stand_after_unlearning_as_if_that_person_had_never_rated(
    tmp_path_factory: pytest.TempPathFactory,
    said: list[Said],
    who: str,
    erase: bool,  # noqa: FBT001
) -> None:
    folder = tmp_path_factory.mktemp("rated")
    with opened(folder / "with", gather=100) as memory, opened(folder / "without", gather=100) as other:
        board, wanted = Board(memory), Board(other)
        for name, number, word, cites in said:
            board.say(name, number, word, cites=cites)
            if name != who:
                wanted.say(name, number, word, cites=cites)
        before = board.stands(), board.trusts(), board.counts()
        told = memory.questions.unlearn(who, dry_run=True)
        assert (board.stands(), board.trusts(), board.counts()) == before
        done = memory.questions.unlearn(who, erase=erase)
        assert (told.edges, told.ratings, told.has_taught) == (done.edges, done.ratings, done.has_taught)
        assert board.stands() == wanted.stands()
        assert memory.store.doctor().findings == ()
        if done.event_id is not None and not erase:
            after = board.stands(), board.trusts(), board.counts()
            [undone] = memory.undo(done.event_id).event_ids
            assert (board.stands(), board.trusts(), board.counts()) == before
            memory.undo(undone)
            assert (board.stands(), board.trusts(), board.counts()) == after


ACTION = st.one_of(SAID, st.tuples(st.just("unlearn"), st.sampled_from([*PEOPLE, "zoe"])), st.just("undo"))


@given(st.lists(ACTION, max_size=12))
@settings(max_examples=tried(3, long=12), deadline=None)
@example([("eve", 1, "good", False), ("unlearn", "zoe"), ("unlearn", "eve"), "undo", "undo"])
@example([("eve", 1, "good", False), ("unlearn", "eve"), ("bob", 1, "bad", False), "undo"])
@example([("eve", 1, "good", False), ("unlearn", "zoe"), ("bob", 1, "bad", False), "undo"])
def test_whatever_is_rated_unlearned_and_undone_in_between_outcome_and_edges_follow_from_the_ratings_that_count(
    tmp_path_factory: pytest.TempPathFactory, actions: list[Said | tuple[str, str] | str]
) -> None:
    with opened(tmp_path_factory.mktemp("rated") / "store", gather=100) as memory:
        board = Board(memory)
        withdrawn: list[tuple[str, str]] = []
        for action in actions:
            if isinstance(action, str):
                if withdrawn:
                    memory.undo(withdrawn.pop()[0], cascade=True)
            elif len(action) == 2:
                event_id = memory.questions.unlearn(action[1]).event_id
                withdrawn += [(event_id, action[1])] if event_id else []
            else:
                board.say(action[0], action[1], action[2], cites=action[3])
        is_gone = "zoe" in {who for _, who in withdrawn}
        for number, query in enumerate(board.queries):
            record = memory.questions.show(query)
            is_insight = record.rating is Rating.GOOD
            assert (record.outcome is Outcome.INSIGHT) == is_insight
            edges = {kind for source, _, kind, _ in graph_edges(memory, *board.ids) if source == query}
            hidden = is_gone and number < 2
            assert edges == ({EdgeKind.QUERY_INSIGHT} if is_insight and not hidden else set())
            touching = [one for id_ in board.ids for one in touched_by(memory, id_) if one[0] == query]
            assert len(touching) == (0 if hidden else 4)
            assert {one[2] for one in touching} <= {is_insight}
        assert memory.store.doctor().findings == ()


def test_an_insight_that_somebody_elses_rating_made_leaves_the_graph_with_that_rating_and_comes_back(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "store") as memory:
        board = Board(memory)
        board.say("eve", 0, "good")
        assert len(graph_edges(memory, *board.ids)) == 2
        done = memory.questions.unlearn("eve")
        assert (done.queries, done.edges, done.ratings) == (0, 2, 1)
        assert memory.questions.show(board.queries[0]).outcome is Outcome.RETRIEVAL
        assert graph_edges(memory, *board.ids) == set()
        assert [waiting(memory, id_) for id_ in board.ids[:4]] == [3, 3, 3, 3]
        assert done.event_id is not None
        memory.undo(done.event_id)
        assert memory.questions.show(board.queries[0]).outcome is Outcome.INSIGHT
        assert len(graph_edges(memory, *board.ids)) == 2


def test_what_was_cited_at_no_known_moment_stays_cited(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        board = Board(memory)
        with memory._context.store.write(memory.namespace) as writer:
            writer._connection.exec_driver_sql("update query_edges set cited_at = null")
        before = board.stands()
        board.say("eve", 0, "good")
        done = memory.questions.unlearn("eve")
        assert board.stands() == before
        assert done.event_id is not None
        memory.undo(done.event_id)
        assert memory.questions.show(board.queries[0]).cited_ids == tuple(board.ids[:2])


def test_what_waits_in_numbers_after_unlearning_is_evaluated_by_maintenance(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        board = Board(memory, askers=("zoe",) * 5)
        assert {waiting(memory, id_) for id_ in board.ids[:4]} == {0}
        more = Board(memory, askers=("zoe",) * 4)
        more.say("eve", 0, "good")
        memory.questions.record(recalled(memory, "again?", more.ids[:1]), outcome="retrieval")
        memory.questions.unlearn("eve")
        assert waiting(memory, more.ids[0]) == 5
        assert [one.episode_id for one in memory.maintain().evaluated] == [more.ids[0]]


def test_foreseeing_waits_for_nobody_who_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.store.opening.BUSY_TIMEOUT_SECONDS", 0.05)
    with opened(tmp_path / "store") as memory:
        board = Board(memory)
        board.say("eve", 0, "good")
        with memory._context.store.write(memory.namespace):
            told = memory.questions.unlearn("eve", dry_run=True)
            with pytest.raises(StoreBusy):
                memory.questions.unlearn("eve")
        assert (told.event_id, told.has_taught, told.edges, told.ratings) == (None, True, 2, 1)
        done = memory.questions.unlearn("eve")
        assert (done.edges, done.ratings, done.episodes) == (told.edges, told.ratings, told.episodes)
        assert memory.questions.unlearn("eve", dry_run=True).has_taught is False


def test_bytes_of_questions_that_a_reader_keeps_alive_are_named(tmp_path: Path, no_patience: None) -> None:
    with opened(tmp_path / "store") as memory:
        board = Board(memory, askers=("eve", "bob"))
        with memory._context.store.read(memory.namespace) as reader:
            assert reader.stats().queries == 2
            assert memory.questions.unlearn("eve", erase=True).lingering_in == ("evolore.db", "evolore.db-wal")
        assert memory.questions.unlearn("bob", erase=True).lingering_in == ()
        with pytest.raises(NotFound):
            memory.questions.show(board.queries[0])
