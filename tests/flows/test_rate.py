"""Ratings move confidence, arousal, outcome and edges; one person's count once, and each can be taken back.

An answer that was rated good is rated bad: its edges leave the graph, and wait again as any other question's.

What an answer is said to rest on may be said anew: what people said of it follows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolore.domain.episode import EdgeKind
from evolore.domain.feedback import Effect
from evolore.domain.outcome import Outcome, Rating
from evolore.errors import AmbiguousId, InvalidValue, NotFound
from evolore.memory import Memory
from evolore.queries.outcomes import trusted
from evolving.complaints import complained
from flows.asking import arousal, confidence, filled, graph_edges, opened, rate, recalled, touched_by, waiting
from laws import tried

if TYPE_CHECKING:
    from pathlib import Path

STEPS = st.lists(
    st.tuples(st.sampled_from(["ann", "bob", None]), st.sampled_from(["good", "bad", "helpful"])),
    min_size=1,
    max_size=6,
)


def asked(memory: Memory, ids: list[str], *, cited: list[str] | None = None) -> str:
    return memory.questions.record(recalled(memory, "when do we deploy?", ids), cited=cited or ()).id


def test_what_a_good_answer_cites_is_trusted_more_and_the_others_as_before(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        rated = rate(memory, asked(memory, ids[:3]), "good", cited=ids[:1], principal="ann", comment="yes")
        assert [confidence(memory, id_) for id_ in ids[:3]] == [0.6, 0.5, 0.5]
        assert [one.id for one in rated.episodes] == ids[:1]
        assert [(one.rating, one.principal, one.comment) for one in rated.query.ratings] == [
            (Rating.GOOD, "ann", "yes")
        ]
        [event] = [one for one in memory.history(ids[0]) if one.kind == "confidence_changed"]
        assert (event.reason, event.principal, event.id) == ("selected", "ann", rated.event_ids[0])


def test_an_answer_that_helped_counts_half_as_much_again(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        memory.rate(asked(memory, ids[:1], cited=ids[:1]), "good", helpful=True)
        assert confidence(memory, ids[0]) == 0.65
        assert "helpful" in {event.reason for event in memory.history(ids[0])}


def test_a_bad_answer_takes_trust_from_what_it_cites_else_from_all_it_was_handed(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        memory.rate(asked(memory, ids[:3], cited=ids[:1]), "bad")
        memory.rate(asked(memory, ids[3:5]), "bad")
        assert [confidence(memory, id_) for id_ in ids[:5]] == [0.4, 0.5, 0.5, 0.4, 0.4]


def test_a_good_answer_that_cites_nothing_moves_no_confidence(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        rated = rate(memory, asked(memory, ids[:1]), "good")
        assert (rated.episodes, rated.event_ids) == ((), ())
        assert rated.query.rating is Rating.GOOD


def test_what_others_rated_meanwhile_stays_when_one_rates_anew(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:1], cited=ids[:1])
        memory.rate(query, "good", principal="ann")
        memory.rate(query, "good", principal="bob")
        assert confidence(memory, ids[0]) == 0.7
        memory.rate(query, "bad", principal="ann")
        assert confidence(memory, ids[0]) == pytest.approx(0.5)
        assert memory.questions.show(query).rating is None


def test_one_persons_same_rating_again_and_again_counts_once(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:1], cited=ids[:1])
        for _ in range(5):
            memory.rate(query, "good", principal="ann")
        assert confidence(memory, ids[0]) == 0.6
        assert len(memory.questions.show(query).ratings) == 1


def test_however_many_answers_one_person_rates_an_episode_moves_three_times(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        capped = [
            rate(memory, asked(memory, ids[:1], cited=ids[:1]), "bad", principal="mallory").capped for _ in range(6)
        ]
        assert capped == [0, 0, 0, 1, 1, 1]
        assert confidence(memory, ids[0]) == pytest.approx(0.2)
        memory.rate(asked(memory, ids[:1], cited=ids[:1]), "bad", principal="bob")
        assert confidence(memory, ids[0]) == pytest.approx(0.1)


def test_confidence_stays_between_a_tenth_and_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evolore.flows.rate.MOST_PER_PRINCIPAL", 20)
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        for _ in range(8):
            memory.rate(asked(memory, ids[:1], cited=ids[:1]), "good", helpful=True, principal="ann")
            memory.rate(asked(memory, ids[1:2], cited=ids[1:2]), "bad", principal="ann")
        assert (confidence(memory, ids[0]), confidence(memory, ids[1])) == (1.0, 0.1)


def test_each_event_of_a_rating_can_be_undone(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2])
        before = [(confidence(memory, id_), arousal(memory, id_)) for id_ in ids[:2]]
        rated = rate(memory, query, "good", cited=ids[:2], principal="ann")
        assert rated.query.outcome is Outcome.INSIGHT
        assert [(confidence(memory, id_), arousal(memory, id_)) for id_ in ids[:2]] != before
        assert len(graph_edges(memory, *ids)) == 2
        for event_id in reversed(rated.event_ids):
            memory.undo(event_id)
        assert [(confidence(memory, id_), arousal(memory, id_)) for id_ in ids[:2]] == before
        assert graph_edges(memory, *ids) == set()


def test_what_is_cited_is_felt_a_fifth_more_as_the_question_is_and_rating_anew_takes_it_back(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store") as memory:
        calm = memory.remember("The meeting is moved to room four.", arousal=0.1).id
        found = recalled(memory, "I am terrified and crying, who died in the awful accident?!", [calm])
        query = memory.questions.record(found, cited=[calm]).id
        memory.rate(query, "good", principal="ann")
        felt = arousal(memory, calm)
        assert felt is not None
        assert 0.1 < felt <= 0.28
        memory.rate(query, "bad", principal="ann")
        assert arousal(memory, calm) == 0.1


def test_what_was_merged_since_moves_what_stands_for_it(tmp_path: Path) -> None:
    with opened(tmp_path / "store", integrates=True) as memory:
        one, *_ = filled(memory)
        query = asked(memory, [one], cited=[one])
        filled(memory, "Deploys run every Tuesday from the main branch. The pipeline sends a mail when it fails.")
        [head] = memory.outline.standing_for(one)
        assert head != one
        before = confidence(memory, head)
        memory.rate(query, "good")
        assert confidence(memory, head) == pytest.approx(before + 0.1)


def test_edges_that_wait_follow_the_outcome(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:3], cited=ids[:2])
        assert [waiting(memory, id_) for id_ in ids[:3]] == [1, 1, 1]
        memory.rate(query, "good")
        assert [waiting(memory, id_) for id_ in ids[:3]] == [0, 0, 1]
        for number in range(4):
            memory.questions.record(recalled(memory, f"{number}?", ids[2:3]), outcome="retrieval")
        assert graph_edges(memory, ids[2]) == set()  # one of five led to insight: not more than a fifth


def test_a_rating_that_makes_an_insight_lets_what_gathered_enter(tmp_path: Path) -> None:
    with opened(tmp_path / "store", gather=3) as memory:
        ids = filled(memory)
        query = asked(memory, [ids[0], ids[1], ids[2]], cited=[ids[0], ids[1]])
        memory.questions.record(recalled(memory, "again?", ids[2:3]), outcome="retrieval")
        memory.rate(query, "good")
        memory.questions.record(recalled(memory, "and again?", ids[2:3]), outcome="retrieval")
        assert {weight for _, _, _, weight in graph_edges(memory, ids[2])} == {0.3333}


def test_a_stated_outcome_stays_whatever_is_rated(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = memory.questions.record(recalled(memory, "both?", ids[:2]), outcome="retrieval").id
        assert rate(memory, query, "good").query.outcome is Outcome.RETRIEVAL


def test_what_cannot_be_rated_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:1])
        for wrong, options, message in (
            (query, {"rating": "fine"}, "rating is 'fine': use 'good' or 'bad'"),
            (query, {"rating": "bad", "helpful": True}, "helpful goes with a good rating"),
            (query, {"rating": "good", "comment": " "}, "comment is blank"),
            (query, {"rating": "good", "principal": ""}, "principal is blank"),
        ):
            with pytest.raises(InvalidValue, match=message):
                memory.rate(wrong, **options)  # pyright: ignore[reportArgumentType] - each names its own
        with pytest.raises(
            NotFound, match="No question, answer or document has the id 'zzz' here: `evolore questions list`"
        ):
            memory.rate("zzz", "good")
        with pytest.raises(NotFound, match="was not handed over"):
            memory.rate(query, "good", cited=ids[3:4])
        asked(memory, ids[:1])
        with pytest.raises(AmbiguousId):
            memory.rate(query[:2], "good")
        assert memory.questions.show(query).ratings == ()
        assert confidence(memory, ids[0]) == 0.5


def test_all_that_one_person_taught_is_taken_back_and_brought_back(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = memory.questions.record(recalled(memory, "both?", ids[:2]), cited=ids[:2], principal="mallory").id
        memory.rate(query, "good", principal="mallory")
        memory.rate(asked(memory, ids[:1], cited=ids[:1]), "good", principal="ann")
        assert (confidence(memory, ids[0]), confidence(memory, ids[1])) == (0.7, 0.6)
        told = memory.questions.unlearn("mallory", dry_run=True)
        assert confidence(memory, ids[0]) == 0.7
        done = memory.questions.unlearn("mallory", by="admin")
        assert (done.edges, done.ratings, done.episodes) == (told.edges, told.ratings, told.episodes) == (2, 1, 2)
        assert (confidence(memory, ids[0]), confidence(memory, ids[1])) == (0.6, 0.5)
        assert graph_edges(memory, *ids) == set()
        assert done.event_id is not None
        memory.undo(done.event_id)
        assert (confidence(memory, ids[0]), confidence(memory, ids[1])) == (0.7, 0.6)
        assert len(graph_edges(memory, *ids)) == 2
        memory.questions.unlearn("mallory", erase=True)
        assert [one.principal for one in memory.questions.list()] == [None]
        assert memory.questions.unlearn("carl").event_id is None


@given(STEPS)
@settings(max_examples=tried(4, long=12))
def test_confidence_is_as_if_only_everybodys_last_rating_had_been_given(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str | None, str]]
) -> None:
    effects = {"good": Effect.SELECTED, "bad": Effect.UNHELPFUL, "helpful": Effect.HELPFUL}
    with opened(tmp_path_factory.mktemp("rated") / "store") as memory:
        ids = filled(memory, "Deploys run every Tuesday.")
        query = asked(memory, ids, cited=ids)
        for principal, word in steps:
            memory.rate(query, "bad" if word == "bad" else "good", helpful=word == "helpful", principal=principal)
        expected = 0.5
        for word in dict(steps).values():
            expected = trusted(expected, effects[word])
        assert confidence(memory, ids[0]) == pytest.approx(expected, abs=1e-6)
        assert len(memory.questions.show(query).ratings) == len(dict(steps))


def test_good_then_bad_by_one_person_takes_the_good_back_first(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2])
        first = rate(memory, query, "good", cited=ids[:2], principal="ann")
        assert first.query.outcome is Outcome.INSIGHT
        assert len(graph_edges(memory, *ids)) == 2
        second = rate(memory, query, "bad", principal="ann")
        assert [confidence(memory, id_) for id_ in ids[:2]] == [0.4, 0.4]
        assert (second.query.outcome, len(second.query.ratings)) == (Outcome.RETRIEVAL, 1)
        assert graph_edges(memory, *ids) == set()
        assert [touched_by(memory, id_) for id_ in ids[:2]] == [[(query, EdgeKind.QUERY_RETRIEVAL, False)]] * 2
        assert [waiting(memory, id_) for id_ in ids[:2]] == [1, 1]
        third = rate(memory, query, "good", principal="ann")
        assert [touched_by(memory, id_) for id_ in ids[:2]] == [[(query, EdgeKind.QUERY_INSIGHT, True)]] * 2
        assert [waiting(memory, id_) for id_ in ids[:2]] == [0, 0]
        assert [confidence(memory, id_) for id_ in ids[:2]] == [0.6, 0.6]
        assert third.query.outcome is Outcome.INSIGHT
        assert len(graph_edges(memory, *ids)) == 2


def test_good_then_bad_counts_as_a_question_that_led_to_none_when_the_episode_is_evaluated(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2], cited=ids[:2])
        memory.rate(query, "good", principal="ann")
        memory.rate(query, "bad", principal="ann")
        for number in range(2):
            memory.questions.record(recalled(memory, f"{number}?", ids[:1]), outcome="retrieval")
        apart = memory.questions.record(recalled(memory, "apart?", [ids[0], ids[3]]), outcome="insight").id
        assert waiting(memory, ids[0]) == 3
        memory.questions.record(recalled(memory, "and again?", ids[:1]), outcome="retrieval")
        memory.questions.record(recalled(memory, "at last?", ids[:1]), outcome="retrieval")
        assert waiting(memory, ids[0]) == 0
        entered = graph_edges(memory, ids[0])
        assert entered == {(apart, ids[0], EdgeKind.QUERY_INSIGHT, 1.0)}  # one of six, and not one of five


def test_good_then_bad_leaves_what_it_left_before_and_no_word_of_insight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolore.queries.edges._MOST_RETRIEVAL", 3)
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:6], cited=ids[:2])
        before = [touched_by(memory, id_) for id_ in ids]
        assert [len(one) for one in before[:6]] == [1, 1, 1, 0, 0, 0]
        memory.rate(query, "good", principal="ann")
        assert [len(touched_by(memory, id_)) for id_ in ids[:6]] == [1, 1, 1, 1, 1, 0]
        memory.rate(query, "bad", principal="ann")
        assert [touched_by(memory, id_) for id_ in ids] == before


def test_good_then_bad_then_doing_the_insight_again_by_hand_waits_no_more_until_that_is_undone(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2], cited=ids[:2])
        memory.rate(query, "good", principal="ann")
        memory.rate(query, "bad", principal="ann")
        entered = [event for event in memory.history(ids[0]) if event.kind == "query_edges_entered"]
        assert entered[0].undone_by is not None
        [redone] = memory.undo(entered[0].undone_by).event_ids
        assert graph_edges(memory, ids[0]) == {(query, ids[0], EdgeKind.QUERY_INSIGHT, 1.0)}
        assert (waiting(memory, ids[0]), memory.stats().waiting_query_edges) == (0, 1)
        assert touched_by(memory, ids[0]) == [(query, EdgeKind.QUERY_INSIGHT, True)]
        memory.undo(redone)
        assert graph_edges(memory, ids[0]) == set()
        assert touched_by(memory, ids[0]) == [(query, EdgeKind.QUERY_RETRIEVAL, False)]
        assert memory.stats().waiting_query_edges == 2


def test_an_insight_that_is_undone_by_hand_neither_waits_nor_counts(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = asked(memory, ids[:2], cited=ids[:2])
        memory.rate(query, "good", principal="ann")
        [entered] = [event for event in memory.history(ids[0]) if event.kind == "query_edges_entered"]
        memory.undo(entered.id)
        assert touched_by(memory, ids[0]) == []
        assert memory.stats().waiting_query_edges == 0


@pytest.mark.parametrize("count", [2, 8])
def test_an_insight_that_entered_by_evaluation_leaves_the_graph_alone(tmp_path: Path, count: int) -> None:
    with opened(tmp_path / "store", phase="store_only") as memory:
        ids = filled(memory)
        made = [asked(memory, [ids[0], ids[number]], cited=[ids[0], ids[number]]) for number in (1, 2)]
        for query in made:
            assert rate(memory, query, "good", principal="ann").query.outcome is Outcome.INSIGHT
        for number in range(count):
            memory.questions.record(recalled(memory, f"{number}?", ids[:1]), outcome="retrieval")
    with opened(tmp_path / "store", gather=4) as memory:
        [evaluated] = memory.maintain().evaluated
        assert evaluated.is_high is (count == 2)
        insights = {query for query, _, kind, _ in graph_edges(memory, ids[0]) if kind is EdgeKind.QUERY_INSIGHT}
        assert insights == set(made)
        memory.rate(made[0], "bad", principal="ann")
        insights = {query for query, _, kind, _ in graph_edges(memory, ids[0]) if kind is EdgeKind.QUERY_INSIGHT}
        assert insights == set(made[1:])


def asked_rated_citations(memory: Memory) -> tuple[str, dict[str, str]]:
    """Ask; give the question and an episode that was handed over of each document."""
    found = memory.recall("refunds news May business days card", record=True, principal="zoe")
    assert found.query_id is not None
    sources = {one.id: one.source for one in memory.list().documents}
    ids = {sources[hit.episode.document_id or ""]: hit.episode.id for hit in reversed(found.hits)}
    return found.query_id, ids


def said(memory: Memory, query_id: str) -> set[tuple[str | None, str, str]]:
    documents = {one.id: one.source for one in memory.list().documents}
    return {
        (one.principal, documents[one.document_id], one.rating.value)
        for one in memory.evolution.feedback()
        if one.query_id == query_id
    }


def test_feedback_leaves_documents_that_an_answer_does_not_rest_on_any_more(tmp_path: Path) -> None:
    with complained(tmp_path) as memory:
        query_id, ids = asked_rated_citations(memory)
        memory.rate(query_id, "bad", cited=[ids["refunds.md"]], principal="zoe")
        assert said(memory, query_id) == {("zoe", "refunds.md", "bad")}
        memory.rate(query_id, "bad", cited=[ids["news.md"]], principal="zoe")
        assert said(memory, query_id) == {("zoe", "news.md", "bad")}


def test_what_others_said_of_the_answer_follows_what_it_rests_on(tmp_path: Path) -> None:
    with complained(tmp_path) as memory:
        query_id, ids = asked_rated_citations(memory)
        memory.rate(query_id, "good", cited=[ids["refunds.md"]], principal="zoe")
        memory.rate(query_id, "bad", comment="no", principal="ann")
        memory.rate(query_id, "bad", cited=[ids["news.md"]], principal="zoe")
        assert said(memory, query_id) == {("zoe", "news.md", "bad"), ("ann", "news.md", "bad")}
        (kept,) = (one for one in memory.evolution.feedback("news.md") if one.principal == "ann")
        assert kept.comment == "no"


def test_control_what_is_rated_again_with_the_same_citations_stays_processed_or_not(tmp_path: Path) -> None:
    with complained(tmp_path) as memory:
        query_id, ids = asked_rated_citations(memory)
        memory.rate(query_id, "bad", cited=[ids["refunds.md"], ids["news.md"]], principal="zoe")
        before = {one.id for one in memory.evolution.feedback()}
        memory.rate(query_id, "bad", principal="zoe")
        assert {one.id for one in memory.evolution.feedback()} == before
        assert {source for _, source, _ in said(memory, query_id)} == {"refunds.md", "news.md"}
