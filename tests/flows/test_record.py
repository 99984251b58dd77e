"""Questions are taken down with what was handed over, and leave edges that wait or enter the graph."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import EdgeKind
from evolore.domain.language import Language
from evolore.domain.outcome import Given, Outcome, Rating
from evolore.domain.query import Intent
from evolore.errors import InvalidValue, NamespaceNotFound, NotFound
from evolore.flows.lessons import evaluate_targets
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolore.ports import Entering, NewQuery, QueryEdge, TextRole
from evolore.queries.settings import Phase
from flows.asking import TEXTS, filled, graph_edges, opened, rate, recalled, waiting

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.flows.context import Context

RETRIEVAL = Outcome.RETRIEVAL


def test_recall_writes_nothing_where_it_is_not_asked_to(tmp_path: Path) -> None:
    with opened(tmp_path / "store", record=False) as memory:
        filled(memory)
        before = memory.stats()
        assert memory.recall("when do we deploy?").query_id is None
        assert memory.questions.list() == ()
        assert memory.stats() == before
        found = memory.recall("when do we deploy?", record=True, principal="ann")
        [one] = memory.questions.list()
        assert (one.id, one.text, one.principal) == (found.query_id, "when do we deploy?", "ann")
        assert [given.episode_id for given in one.given] == [hit.episode.id for hit in found.hits]
        assert [given.rank for given in one.given] == [hit.rank for hit in found.hits]


def test_every_recall_is_taken_down_where_the_settings_say_so_and_none_asks_not_to(tmp_path: Path) -> None:
    with opened(tmp_path / "store", record=True) as memory:
        filled(memory)
        assert memory.recall("cat?").query_id is not None
        assert memory.recall("cat?", record=False).query_id is None
        assert len(memory.questions.list()) == 1


def test_a_recall_made_before_is_taken_down_with_what_its_answer_rests_on(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        record = memory.questions.record(recalled(memory, "cat?", ids[:3]), cited=[ids[1][:-1]], answer_id="a1")
        assert record.cited_ids == (ids[1],)
        assert (record.outcome, record.is_stated, record.answer_id) == (RETRIEVAL, False, "a1")
        assert memory.questions.show(record.id[:-1]) == record
        again = memory.recall("cat?", record=True)
        assert memory.questions.record(again) == memory.questions.show(again.query_id or "")


def test_what_was_not_handed_over_cannot_be_cited_and_nothing_is_written(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        found = recalled(memory, "cat?", ids[:2])
        with pytest.raises(NotFound, match="was not handed over for this question"):
            memory.questions.record(found, cited=[ids[5]])
        with pytest.raises(InvalidValue, match="outcome is 'nice': use 'bypass' or 'retrieval' or 'insight'"):
            memory.questions.record(found, outcome="nice")
        assert memory.questions.list() == ()


def test_a_namespace_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        found = recalled(memory, "cat?", filled(memory)[:1])
        other = Memory.open(tmp_path / "store", namespace="other", embedder=HashingEmbedder())
        with other:
            for verb in (lambda: other.questions.record(found), lambda: other.questions.unlearn("ann")):
                with pytest.raises(NamespaceNotFound):
                    verb()
            with pytest.raises(NotFound):
                other.rate("x", "good")
            assert other.questions.list() == ()
        assert Memory.namespaces(tmp_path / "store") == (memory.namespace,)


def test_a_question_recalled_in_one_place_is_not_recorded_in_another(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory, opened(tmp_path / "another") as elsewhere:
        filled(memory)
        filled(elsewhere)
        with Memory.open(tmp_path / "store", namespace="other", embedder=HashingEmbedder()) as other:
            other.remember("A deployment of another tenant.")
            for found in (memory.recall("cat?"), memory.recall("cat?", source="nothing.md")):
                with pytest.raises(InvalidValue, match="record it with the memory that recalled it") as caught:
                    other.questions.record(found)
                assert memory.namespace not in str(caught.value)
            assert other.questions.list() == ()
        with pytest.raises(InvalidValue, match="record it with the memory that recalled it"):
            elsewhere.questions.record(memory.recall("cat?"))
        assert elsewhere.questions.list() == ()
        assert memory.questions.record(memory.recall("cat?")).text == "cat?"


def test_the_one_best_episode_that_was_surely_meant_is_a_bypass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolore.flows.record._BYPASS_PROBABILITY", 0.0)
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        assert memory.questions.record(recalled(memory, "cat?", ids[:1])).outcome is Outcome.BYPASS
        assert memory.questions.record(recalled(memory, "cat?", ids[:2])).outcome is RETRIEVAL
        assert memory.questions.record(recalled(memory, "cat?", ids[:2]), cited=ids[:1]).outcome is Outcome.BYPASS
        assert memory.questions.record(recalled(memory, "cat?", ids[:2]), cited=ids[1:2]).outcome is RETRIEVAL
        stated = memory.questions.record(recalled(memory, "cat?", ids[:1]), outcome="retrieval")
        assert (stated.outcome, stated.is_stated) == (RETRIEVAL, True)


def ask(memory: Memory, ids: list[str], count: int, *, outcome: str = "retrieval") -> list[str]:
    return [
        memory.questions.record(recalled(memory, f"question {one}?", ids), outcome=outcome).id for one in range(count)
    ]


def test_edges_wait_until_five_have_gathered_and_without_insight_stay_out_of_the_graph(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        target = filled(memory)[:1]
        ask(memory, target, 4)
        assert (waiting(memory, target[0]), graph_edges(memory, *target)) == (4, set())
        ask(memory, target, 1)
        assert (waiting(memory, target[0]), graph_edges(memory, *target)) == (0, set())
        assert memory.history(target[0])[-1].kind == "query_edges_dismissed"


def test_where_more_than_a_fifth_led_to_insight_what_waits_enters_with_that_weight(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        target, other = ids[:2]
        [insight] = [memory.questions.record(recalled(memory, "both?", [target, other]), outcome="insight").id]
        assert graph_edges(memory, target) == {(insight, target, EdgeKind.QUERY_INSIGHT, 1.0)}
        asked = ask(memory, [target], 3)
        [second] = [
            memory.questions.record(recalled(memory, "again?", [other, target]), cited=[other], outcome="insight").id
        ]
        assert waiting(memory, target) == 4
        asked += ask(memory, [target], 1)
        share = round(2 / 6, 4)
        assert graph_edges(memory, target) == {
            (insight, target, EdgeKind.QUERY_INSIGHT, 1.0),
            (second, target, EdgeKind.QUERY_RETRIEVAL, share),
            *((id_, target, EdgeKind.QUERY_RETRIEVAL, share) for id_ in asked),
        }
        entered = memory.history(target)[-1]
        assert (entered.kind, entered.reason) == ("query_edges_entered", "share")


def test_an_insight_that_is_a_fifth_of_all_questions_is_not_enough(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        target, *others = filled(memory)
        insight = memory.questions.record(recalled(memory, "both?", [target, others[0]]), outcome="insight").id
        ask(memory, [target], 5)
        assert graph_edges(memory, target) == {(insight, target, EdgeKind.QUERY_INSIGHT, 1.0)}
        assert waiting(memory, target) == 0


def test_an_episode_is_evaluated_again_only_by_questions_that_came_after(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        target, *others = filled(memory)
        ask(memory, [target], 5)
        memory.questions.record(recalled(memory, "both?", [target, others[0]]), outcome="insight")
        late = ask(memory, [target], 4)
        assert waiting(memory, target) == 4
        late += ask(memory, [target], 1)
        entered = {query for query, _, kind, _ in graph_edges(memory, target) if kind is EdgeKind.QUERY_RETRIEVAL}
        assert entered == set()  # one of six is less than a fifth
        assert waiting(memory, target) == 0


@pytest.mark.parametrize("phase", list(Phase))
def test_each_phase_lets_more_enter(tmp_path: Path, phase: Phase) -> None:
    with opened(tmp_path / "store", phase=phase) as memory:
        target, *others = filled(memory)
        for number in range(2):
            memory.questions.record(recalled(memory, f"both {number}?", [target, others[0]]), outcome="insight")
        ask(memory, [target], 5)
        kinds = sorted(kind.value for _, _, kind, _ in graph_edges(memory, target))
        insight, retrieval = ["query_insight"] * 2, ["query_retrieval"] * 5
        expected: dict[Phase, list[str]] = {Phase.STORE_ONLY: [], Phase.INSIGHT_ONLY: insight}
        assert kinds == expected.get(phase, insight + retrieval)
        assert waiting(memory, target) == 7 - len(kinds)


def test_what_waited_under_another_phase_is_evaluated_by_maintenance(tmp_path: Path) -> None:
    with opened(tmp_path / "store", phase="store_only") as memory:
        target, *others = filled(memory)
        memory.questions.record(recalled(memory, "both?", [target, others[0]]), outcome="insight")
        ask(memory, [target, others[1]], 4)
        ask(memory, [others[1]], 1)
        assert memory.maintain().evaluated == ()
    with opened(tmp_path / "store") as memory:
        told = memory.maintain(dry_run=True).evaluated
        assert (waiting(memory, target), waiting(memory, others[1])) == (5, 5)
        done = memory.maintain().evaluated
        assert {(one.episode_id, one.share, one.is_high, one.edges) for one in done} == {
            (target, 0.2, False, 5),
            (others[1], 0.0, False, 5),
        }
        assert [one.episode_id for one in told] == [one.episode_id for one in done]
        assert [kind for _, _, kind, _ in graph_edges(memory, target)] == [EdgeKind.QUERY_INSIGHT]
        assert memory.maintain().evaluated == ()


def test_what_gathered_at_what_was_merged_since_is_evaluated_together_by_maintenance(tmp_path: Path) -> None:
    with opened(tmp_path / "store", phase="store_only", integrates=True) as memory:
        one, *others = filled(memory)
        ask(memory, [one], 3)
        filled(memory, f"{TEXTS[0]} The pipeline sends a mail when it fails.")
        [head] = memory.outline.standing_for(one)
        assert head != one
        ask(memory, [head, others[0]], 1)
        ask(memory, [head], 1)
    with opened(tmp_path / "store", integrates=True) as memory:
        told = memory.maintain(dry_run=True).evaluated
        done = memory.maintain().evaluated
        for found in (told, done):
            assert [(found.episode_id, found.edges, found.share) for found in found] == [(head, 5, 0.0)]
        assert waiting(memory, one) == waiting(memory, head) == 0
        assert waiting(memory, others[0]) == 1
        assert memory.maintain().evaluated == ()


def test_of_however_many_edges_in_the_graph_none_is_taken_for_one_that_waits(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        target = filled(memory)[0]
        context = memory._context
        at, vector = context.clock.now(), context.embedder.embed(["cat?"], role=TextRole.QUERY)[0]
        new = NewQuery(
            text="cat?",
            language=Language.EN,
            intent=Intent.FACTUAL,
            vector=vector,
            asked_at=at,
            outcome=Outcome.INSIGHT,
            given=(Given(episode_id=target, rank=1),),
        )
        with context.store.write(memory.namespace, principal=None) as writer:
            asked = [writer.put_query(new, at=at).id for _ in range(10_010)]
            edges = [QueryEdge(query_id=id_, target_id=target, kind=EdgeKind.QUERY_INSIGHT) for id_ in asked]
            entering = [Entering(edge=edge, weight=1.0) for edge in edges]
            writer.enter_query_edges(target, entering, evaluated=False, reason="insight", at=at)
        with context.store.write(memory.namespace, principal=None) as writer:
            assert evaluate_targets(writer, [target], settings=context.settings.queries, at=at) == ()
        ask(memory, [target], 4)
        assert waiting(memory, target) == 4
        ask(memory, [target], 1)
        assert waiting(memory, target) == 0


def test_a_merged_episode_at_which_few_wait_is_evaluated_by_nobody(tmp_path: Path) -> None:
    with opened(tmp_path / "store", integrates=True) as memory:
        one, *_ = filled(memory)
        ask(memory, [one], 2)
        filled(memory, f"{TEXTS[0]} The pipeline sends a mail when it fails.")
        [head] = memory.outline.standing_for(one)
        ask(memory, [head], 2)
        assert memory.maintain(dry_run=True).evaluated == memory.maintain().evaluated == ()
        assert waiting(memory, one) == waiting(memory, head) == 2


def test_no_question_leaves_more_than_ten_edges(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        assert len(ids) == len(TEXTS) == 12
        memory.questions.record(recalled(memory, "all?", ids))
        assert sum(waiting(memory, id_) for id_ in ids) == 10
        memory.questions.record(recalled(memory, "all?", ids), outcome="bypass")
        assert sum(waiting(memory, id_) for id_ in ids) == 15
        memory.questions.record(recalled(memory, "all?", ids), outcome="spike")
        assert len(graph_edges(memory, *ids)) == 5


def test_waiting_edges_survive_and_what_two_processes_gather_is_evaluated_once(tmp_path: Path) -> None:
    store = tmp_path / "store"
    with opened(store) as memory:
        target = filled(memory)[:1]
        ask(memory, target, 3)
    code = (
        "import sys; sys.path.insert(0, sys.argv[3])\n"
        "from pathlib import Path\n"
        "from flows.asking import opened, recalled\n"
        "with opened(Path(sys.argv[1])) as memory:\n"
        "    memory.questions.record(recalled(memory, 'elsewhere?', [sys.argv[2]]), outcome='retrieval')\n"
    )
    with opened(store) as memory:
        assert waiting(memory, target[0]) == 3
        for expected in (4, 0):
            tests = str(__file__).rsplit("/flows/", 1)[0]
            subprocess.run([sys.executable, "-c", code, str(store), target[0], tests], check=True)
            assert waiting(memory, target[0]) == expected
        events = [event.kind for event in memory.history(target[0])]
        assert events.count("query_edges_dismissed") == 1


def test_edges_at_what_was_merged_since_count_with_what_stands_for_it(tmp_path: Path) -> None:
    with opened(tmp_path / "store", integrates=True) as memory:
        one, *others = filled(memory)
        ask(memory, [one], 3)
        [repeated] = filled(memory, f"{TEXTS[0]} The pipeline sends a mail when it fails.")
        heads = memory.outline.standing_for(one)
        assert heads == memory.outline.standing_for(repeated) != (one,)
        for number in range(2):
            memory.questions.record(recalled(memory, f"both {number}?", [*heads, others[1]]), outcome="insight")
        ask(memory, list(heads), 2)
        entered = {kind for _, target, kind, _ in graph_edges(memory, one) if target == one}
        assert entered == {EdgeKind.QUERY_RETRIEVAL}
        assert waiting(memory, one) == waiting(memory, heads[0]) == 0


def test_a_good_answer_that_joins_what_lies_apart_is_an_insight_and_one_that_does_not_is_none(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        apart = memory.questions.record(recalled(memory, "both?", ids[:2]))
        alone = memory.questions.record(recalled(memory, "one?", ids[3:5]), cited=ids[3:4])
        assert rate(memory, apart.id, Rating.GOOD).query.outcome is Outcome.INSIGHT
        assert rate(memory, alone.id, Rating.GOOD).query.outcome is not Outcome.INSIGHT
        assert {target for _, target, _, _ in graph_edges(memory, *ids)} == set(ids[:2])


def test_what_stands_side_by_side_in_a_conversation_is_joined_already(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        turns = [memory.remember(text, session="chat").id for text in TEXTS[:4]]
        near = memory.questions.record(recalled(memory, "near?", [turns[0], turns[2]]))
        far = memory.questions.record(recalled(memory, "far?", [turns[0], turns[3]]))
        assert rate(memory, near.id, "good").query.outcome is RETRIEVAL
        assert rate(memory, far.id, "good").query.outcome is Outcome.INSIGHT


def test_questions_are_embedded_with_the_model_the_store_changes_to(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        query = memory.questions.record(recalled(memory, "both?", ids[:2]), outcome="insight").id
        memory.store.reembed(HashingEmbedder(48))
        with memory._context.store.index(memory.namespace) as (view, reader):
            assert reader.unembedded_queries(limit=10) == ()
            assert view.queries.count == 1
        assert memory.questions.show(query).outcome is Outcome.INSIGHT


def test_maintenance_embeds_questions_that_a_change_of_model_left_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(context: Context) -> int:
        assert context
        return 0

    monkeypatch.setattr("evolore.flows.reembed.embed_all_queries", stopped)
    with opened(tmp_path / "store") as memory:
        ids = filled(memory)
        memory.questions.record(recalled(memory, "both?", ids[:2]), outcome="insight")
        memory.store.reembed(HashingEmbedder(48))
        assert memory.maintain(dry_run=True).embedded_queries == 0
        assert memory.maintain().embedded_queries == 1
        assert memory.maintain().embedded_queries == 0


def test_what_many_threads_gather_at_once_is_evaluated_five_by_five_and_none_is_lost(tmp_path: Path) -> None:
    with opened(tmp_path / "store") as memory:
        target = filled(memory)[0]
        found = recalled(memory, "at once?", [target])
        with ThreadPoolExecutor(4) as pool:
            running = [pool.submit(memory.questions.record, found, outcome="retrieval") for _ in range(20)]
            records = [one.result() for one in running]
        assert len({one.id for one in records}) == len(memory.questions.list(limit=100)) == 20
        assert waiting(memory, target) == 0
        assert [event.kind for event in memory.history(target)].count("query_edges_dismissed") == 4
