from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.domain.filters import Target
from evolore.domain.outcome import Given, Outcome, Rating
from evolore.errors import InvalidValue, NotFound
from evolore.ports import Entering
from store.questions import BYPASS, INSIGHT, RETRIEVAL, Asked, edge, vector_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def asked(tmp_path: Path) -> Asked:
    return Asked(tmp_path / "s")


def test_a_question_is_taken_down_with_what_was_handed_over(asked: Asked) -> None:
    one, two = asked.remember("the red house", "the blue house")
    id_ = asked.ask("where is the house?", one, two, cited=[two], principal="ann")
    found = asked.query(id_)
    assert (found.text, found.principal, found.outcome) == ("where is the house?", "ann", Outcome.RETRIEVAL)
    assert found.given == (Given(episode_id=one, rank=1), Given(episode_id=two, rank=2, is_cited=True))
    assert found.cited_ids == (two,)
    assert asked.touching(one) == []


def test_what_was_handed_over_and_is_gone_is_left_out(asked: Asked) -> None:
    one, two = asked.remember("the red house", "the blue house")
    asked.store.erase("n", Target(item_id=one))
    assert [given.episode_id for given in asked.query(asked.ask("where?", one, two)).given] == [two]


def test_questions_are_listed_the_last_first_and_found_by_the_beginning_of_an_id(asked: Asked) -> None:
    asked.remember("the red house")
    first, second = asked.ask("one?", principal="ann"), asked.ask("two?", principal="bob")
    with asked.store.read("n") as reader:
        assert [one.id for one in reader.queries(limit=5)] == [second, first]
        assert [one.id for one in reader.queries(principal="ann", limit=5)] == [first]
        assert [one.id for one in reader.queries(limit=1)] == [second]
        assert reader.resolve_query(first) == (first,)
        assert set(reader.resolve_query(first[:3])) == {first, second}
        assert reader.query("0" * 26) is None


def test_a_later_rating_of_one_person_stands_in_the_place_of_the_earlier(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    id_ = asked.ask("where?", one)
    asked.rate(id_, Rating.GOOD, principal="ann", comment="right")
    asked.rate(id_, Rating.GOOD)
    asked.rate(id_, Rating.BAD, principal="ann")
    said = {rated.principal: (rated.rating, rated.comment) for rated in asked.query(id_).ratings}
    assert said == {"ann": (Rating.BAD, None), None: (Rating.GOOD, None)}


def test_an_outcome_and_what_was_cited_can_be_said_later(asked: Asked) -> None:
    one, two = asked.remember("the red house", "the blue house")
    id_ = asked.ask("where?", one, two, cited=[one])
    with asked.store.write("n") as writer:
        writer.set_outcome(id_, Outcome.INSIGHT, is_stated=True, cited=[two], at=asked.clock.now())
    found = asked.query(id_)
    assert (found.outcome, found.is_stated, found.cited_ids) == (Outcome.INSIGHT, True, (two,))
    with asked.store.write("n") as writer:
        writer.set_outcome(id_, Outcome.BYPASS, is_stated=False, cited=None, at=asked.clock.now())
    assert asked.query(id_).cited_ids == (two,)


def test_what_is_said_of_an_unknown_question_is_refused(asked: Asked) -> None:
    asked.remember("the red house")
    with pytest.raises(NotFound, match="No question has the id 'x'"):
        asked.rate("x", Rating.GOOD)
    with asked.store.write("n") as writer, pytest.raises(NotFound, match="evolore questions list"):
        writer.set_outcome("x", Outcome.INSIGHT, is_stated=True, cited=None, at=asked.clock.now())


def test_edges_wait_until_they_are_evaluated_once(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    ids = [asked.ask(f"question {number}?", one) for number in range(5)]
    for id_ in ids:
        asked.wait(id_, one)
    asked.wait(ids[0], one, kind=BYPASS)
    with asked.store.read("n") as reader:
        kinds = [found.kind for found in reader.touching([one])[one]]
    assert kinds == [BYPASS, RETRIEVAL, RETRIEVAL, RETRIEVAL, RETRIEVAL]
    assert asked.gathered(5) == (one,)
    assert asked.gathered(6) == ()
    event_id = asked.enter(one, *ids, evaluated=True, weight=0.4, kind=RETRIEVAL, led=False)
    assert event_id is not None
    assert asked.edges_to(one) == [(id_, RETRIEVAL, 0.4) for id_ in sorted(ids)]
    assert asked.touching(one) == []
    assert asked.gathered() == ()
    asked.wait(ids[0], one, kind=INSIGHT)
    assert asked.touching(one) == []


def test_what_is_of_low_value_is_kept_in_the_store_alone(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    for number in range(5):
        asked.wait(asked.ask(f"question {number}?", one), one)
    assert asked.dismiss(one) is not None
    assert asked.edges_to(one) == []
    assert asked.touching(one) == []
    assert asked.dismiss(one) is None
    with asked.store.read("n") as reader:
        assert [told.kind for told in reader.history(one)][-1] == "query_edges_dismissed"


def test_an_edge_that_entered_at_once_touches_but_waits_no_longer(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    led, other = asked.ask("one?", one), asked.ask("two?", one)
    asked.wait(other, one)
    asked.enter(one, led)
    assert asked.touching(one) == sorted([led, other])
    assert asked.gathered(2) == ()
    assert asked.gathered(1) == (one,)
    asked.dismiss(one)
    assert asked.touching(one) == []
    assert asked.edges_to(one) == [(led, INSIGHT, 1.0)]


def test_an_edge_that_is_in_the_graph_takes_a_new_kind_and_weight(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    id_ = asked.ask("one?", one)
    asked.enter(one, id_, kind=RETRIEVAL, weight=0.3)
    asked.enter(one, id_, kind=INSIGHT, weight=0.9)
    assert asked.edges_to(one) == [(id_, INSIGHT, 0.9)]
    assert asked.enter(one, id_, kind=INSIGHT, weight=0.9) is None


def test_only_what_was_handed_over_enters(asked: Asked) -> None:
    one, two = asked.remember("the red house", "the blue house")
    id_ = asked.ask("one?", one)
    assert asked.enter(two, id_) is None
    assert asked.enter("0" * 26, id_) is None
    other, at = Entering(edge=edge(id_, one), weight=1), asked.clock.now()
    with asked.store.write("n") as writer, pytest.raises(InvalidValue, match="cannot enter at"):
        writer.enter_query_edges(two, [other], evaluated=False, reason="x", at=at)


def test_an_entering_can_be_undone_and_done_again_exactly(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    ids = [asked.ask(f"question {number}?", one) for number in range(3)]
    for id_ in ids:
        asked.wait(id_, one)
    before = asked.dump()
    event_id = asked.enter(one, *ids, evaluated=True, weight=0.5)
    assert event_id is not None
    after, taught = asked.dump(), asked.taught()
    assert len(taught) == 3
    undone = asked.undo(event_id)
    assert asked.edges_to(one) == []
    assert asked.taught() == {}
    assert asked.touching(one) == []
    assert {**asked.dump(), "query_edges": 0, "queries": 0} == {**before, "query_edges": 0, "queries": 0}
    asked.undo(undone.event_ids[0])
    assert {**asked.dump(), "queries": 0} == {**after, "queries": 0}
    assert asked.taught() == taught


def test_questions_without_a_vector_teach_once_they_have_one(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    id_ = asked.ask("where is it?", one)
    asked.enter(one, id_)
    with asked.store.write("n") as writer:
        writer._connection.exec_driver_sql("delete from query_vectors")
        writer._connection.exec_driver_sql("update namespaces set query_erasures = query_erasures + 1")
    assert asked.taught() == {}
    with asked.store.write("n") as writer:
        assert writer.unembedded_queries(limit=5) == ((id_, "where is it?"),)
        writer.put_query_vectors({id_: vector_of("where is it?"), "0" * 26: vector_of("nothing")})
        assert writer.unembedded_queries(limit=5) == ()
    assert list(asked.taught()) == [id_]


def test_what_was_cited_at_no_known_moment_counts_from_when_the_question_was_recorded(asked: Asked) -> None:
    (one,) = asked.remember("the red house")
    id_ = asked.ask("where is it?", one, cited=[one])
    asked.rate(id_, Rating.GOOD)
    with asked.store.write("n") as writer:
        writer._connection.exec_driver_sql("update query_edges set cited_at = null")
    assert list(asked.taught()) == [id_]


def test_the_nearest_questions_and_their_lessons_are_found(asked: Asked) -> None:
    one, two = asked.remember("the red house", "the blue house")
    near = asked.ask("where is the red house?", one, principal="ann")
    far = asked.ask("why do cats sleep all day?", one, two, cited=[two], principal="ann")
    asked.ask("never rated nor entered", one)
    asked.enter(one, near, weight=0.5)
    asked.rate(far, Rating.GOOD, principal="bob")
    asked.rate(far, Rating.GOOD, principal="eve")
    with asked.store.index("n") as (view, _):
        index = view.queries
        assert index.count == 2
        numbers, cosines = index.nearest(vector_of("where is the red house?"), count=2)
        assert cosines[0] > 0.99 > cosines[1]
        lessons = index.lessons_of(numbers)
        assert lessons.rows.tolist() == [0, 1, 1]
        assert lessons.target_ids == [one, two, two]
        assert lessons.weights.tolist() == [0.5, 1, 1]
        assert lessons.is_rated.tolist() == [False, True, True]
        assert len(set(lessons.principals.tolist())) == 3
        assert index.tokens_of(numbers)[0] == {"red", "hous"}
        assert np.all(np.diff(index.times[np.sort(numbers)]) > 0)
    asked.rate(far, Rating.BAD, principal="eve")
    assert list(asked.taught()) == [near]
