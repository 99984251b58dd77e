"""Jobs whose candidates come of a search: the library proposes, our gates and trials decide, and a person approves."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from evolore.domain.chats import ChatFailure, ChatFailureKind, ChatReply
from evolore.domain.evolving import JobState
from evolore.domain.lineage import Operator
from evolore.errors import InvalidValue, MissingExtra
from evolore.evolution.search_settings import SearchSettings, Strategy
from evolore.evolution.settings import EvolutionSettings
from evolore.models import gepa_search
from evolore.text.fences import unfenced
from evolving.complaints import BETTER, PEOPLE, TEXT, complained, text_of
from evolving.scripted import NEW, OLD, ScriptedEditor
from evolving.searches import GEPA, TRIGGERS, answered_badly

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evolore.domain.chats import ChatOutcome, ChatRequest
    from evolore.domain.searching import SearchTrace
    from evolore.flows.evolving.viewing import EvolutionJob
    from evolore.memory import Memory
    from evolore.ports import SearchTask

DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))
SEARCHED = {"evolution.reflect", "recall.answer", "evolution.judge"}


@pytest.fixture(autouse=True)
def _extra() -> None:
    pytest.importorskip("gepa", reason="gepa is not installed")


def data(request: ChatRequest) -> Any:  # noqa: ANN401 - JSON
    return unfenced(request.messages[-1].text)


def evolved(memory: Memory, **options: Any) -> EvolutionJob:  # noqa: ANN401 - those of evolve
    (job,) = memory.evolve("refunds.md", **options)
    return job


def steps_of(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    with closing(sqlite3.connect(folder / "store" / "evolore.db")) as connection:
        rows = connection.execute("select kind, body from evolution_steps order by job_id, number").fetchall()
    return [(kind, json.loads(body)) for kind, body in rows]


def raw_steps_of(folder: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "store" / "evolore.db")) as connection:
        return connection.execute(
            "select number, kind, body, at from evolution_steps order by job_id, number"
        ).fetchall()


def heard_in(folder: Path) -> list[dict[str, Any]]:
    return [one for kind, body in steps_of(folder) if kind == "replied" for one in body["replies"]]


def is_untouched(memory: Memory) -> bool:
    return text_of(memory) == TEXT and {
        one.principal for one in memory.feedback("refunds.md", unprocessed=True)
    } == set(PEOPLE)


def promoted(folder: Path, settings: EvolutionSettings, **options: Any) -> tuple[EvolutionJob, str]:  # noqa: ANN401
    with answered_badly(folder, model=ScriptedEditor(), evolution=settings) as memory:
        job = evolved(memory, **options)
        assert memory.approve(job.id).promotion is not None
        return job, text_of(memory)


def test_same_scenario_same_winner_by_the_same_selection_and_the_same_history_each_time(tmp_path: Path) -> None:
    by_operators, first = promoted(tmp_path / "operators", DETAIL)
    by_search, second = promoted(tmp_path / "gepa", GEPA)
    by_option, third = promoted(tmp_path / "option", DETAIL, strategy="gepa")
    assert first == second == third == BETTER
    ways = [by_operators, by_search, by_option]
    assert {(one.decision, one.candidate_id, one.reason) for one in ways} == {
        ("winner", "1", "proved on fresh questions")
    }
    results = [one.candidates[0].result for one in ways]
    assert results[0] is not None
    assert [one for one in results if one != results[0]] == []
    assert [one.candidates[0].operator.value for one in ways] == [
        "MUTATION_DETAIL",
        "MUTATION_REFLECTION",
        "MUTATION_REFLECTION",
    ]
    assert raw_steps_of(tmp_path / "gepa")[1:] == raw_steps_of(tmp_path / "option")[1:]  # but for the settings


def test_the_same_seed_and_replies_give_the_same_history_byte_for_byte(tmp_path: Path) -> None:
    for name in ("one", "two"):
        promoted(tmp_path / name, GEPA)
    assert raw_steps_of(tmp_path / "one") == raw_steps_of(tmp_path / "two")


def test_a_search_sees_the_questions_that_gave_rise_to_the_job_and_no_other(tmp_path: Path) -> None:
    def at_the_claims(request: ChatRequest) -> ChatOutcome | None:
        ends = request.purpose == "evolution.judge_claims"
        return ChatFailure(kind=ChatFailureKind.TIMED_OUT) if ends else None

    editor = ScriptedEditor(fail=at_the_claims)
    with answered_badly(tmp_path, model=editor, chat={"tries": 1}) as memory:
        assert "timed_out" in evolved(memory).stopped
        kinds = Counter(one.purpose for one in editor.asked)
        assert kinds["evolution.reflect"] == 1
        seen = {data(one)["question"] for one in editor.asked if one.purpose in {"recall.answer", "evolution.judge"}}
        assert seen == set(TRIGGERS)
        (reflected,) = [data(one) for one in editor.asked if one.purpose == "evolution.reflect"]
        assert {one["question"] for one in reflected["tried"]} <= set(TRIGGERS)
        editor.fail = None
        (job,) = memory.evolve()
        assert job.state is JobState.WAITING
        later = {data(one)["question"] for one in editor.asked if one.purpose == "recall.answer"}
        assert len(later - set(TRIGGERS)) > 10  # the trial asks others, which the search never saw


class Killed(BaseException):
    """Stands for the end of a process: nothing catches it."""


@pytest.mark.parametrize("number", [1, 4, 6, 8, 9])
def test_a_search_that_is_killed_goes_on_and_asks_nothing_twice_that_was_heard(tmp_path: Path, number: int) -> None:
    whole = ScriptedEditor()
    with answered_badly(tmp_path / "whole", model=whole) as memory:
        evolved(memory)

    editor = ScriptedEditor()

    def kill(request: ChatRequest) -> None:
        searched = [one for one in editor.asked if one.purpose in SEARCHED]
        if request.purpose in SEARCHED and len(searched) == number:
            raise Killed

    editor.fail = kill
    with answered_badly(tmp_path / "killed", model=editor) as memory, pytest.raises(Killed):
        evolved(memory)
    with answered_badly(tmp_path / "killed", model=ScriptedEditor()) as memory:
        assert is_untouched(memory)
    before, heard = list(editor.asked), heard_in(tmp_path / "killed")
    editor.fail = None
    with answered_badly(tmp_path / "killed", model=editor) as memory:
        (job,) = memory.evolve()
        assert (job.state, job.decision) == (JobState.WAITING, "winner")
    assert len(editor.asked) - len(before) == len(whole.asked) - len(heard)
    assert sorted(map(str, heard_in(tmp_path / "killed"))) == sorted(map(str, heard_in(tmp_path / "whole")))
    found = [[body for kind, body in steps_of(tmp_path / name) if kind == "searched"] for name in ("whole", "killed")]
    assert found[0] == found[1]


@pytest.mark.parametrize("calls", [0, 1, 3, 8])
def test_a_budget_is_never_exceeded_by_one_call_and_the_search_goes_on_with_the_next(
    tmp_path: Path, calls: int
) -> None:
    editor = ScriptedEditor()
    with answered_badly(tmp_path, model=editor) as memory:
        job = evolved(memory, calls=calls)
        assert job.stopped.startswith("out_of_budget")
        assert len(editor.asked) <= calls
        assert is_untouched(memory)
        (job,) = memory.evolve()
        assert (job.state, job.decision) == (JobState.WAITING, "winner")
        assert job.usage.calls == len(editor.asked)


@pytest.mark.parametrize("reply", ["", "I am sorry.", '{"edits": 3}', "{" * 1000, '{"edits": []}'])
def test_replies_that_cannot_be_used_change_nothing(tmp_path: Path, reply: str) -> None:
    def fail(request: ChatRequest) -> ChatReply | None:
        return ChatReply(text=reply) if request.purpose == "evolution.reflect" else None

    with answered_badly(tmp_path, model=ScriptedEditor(fail=fail)) as memory:
        job = evolved(memory)
        if reply == '{"edits": []}':  # no fault: there is nothing to improve
            assert (job.state, job.reason) == (
                JobState.ORIGINAL_STAYS,
                "no candidate could be made: nothing was found to improve",
            )
            return
        assert job.state is JobState.RUNNING
        assert "No candidate could be made" in job.stopped
        assert is_untouched(memory)


class Learning(ScriptedEditor):
    """Writes first what no evidence says, and what evidence says once it is told that a gate refused that."""

    def _evolution_reflect(self, data: Any) -> Any:  # noqa: ANN401 - JSON
        refused = any("refused" in one["found"] or "spans" in one["found"] for one in data["earlier"])
        self.new = NEW if refused else "Refunds take 90 business days."
        return super()._evolution_reflect(data)


def test_what_a_gate_refuses_is_reflected_on_before_anybody_is_asked_about_it(tmp_path: Path) -> None:
    editor = Learning()
    with answered_badly(tmp_path, model=editor) as memory:
        job = evolved(memory)
        assert (job.state, job.decision, len(job.candidates)) == (JobState.WAITING, "winner", 1)
        assert job.candidates[0].texts[0].text == BETTER
    asked = [one.purpose for one in editor.asked if one.purpose in {"evolution.reflect", "evolution.judge"}]
    assert asked[:2] == ["evolution.reflect", "evolution.reflect"]
    shown = json.dumps([data(one) for one in editor.asked if one.purpose == "evolution.judge"])
    assert "90 business days" not in shown


def test_where_gates_refuse_all_that_was_written_a_person_sees_it_and_the_original_stays(tmp_path: Path) -> None:
    editor = ScriptedEditor(new="Refunds take 90 business days.", wanted="90 business days")
    with answered_badly(tmp_path, model=editor) as memory:
        job = evolved(memory)
        assert (job.state, job.reason, text_of(memory)) == (
            JobState.ORIGINAL_STAYS,
            "no candidate passed the gates",
            TEXT,
        )
        assert "spans" in job.candidates[0].refusals[0]


def test_what_the_search_lets_pass_and_the_trial_does_not_is_not_proposed(tmp_path: Path) -> None:
    class Partial(ScriptedEditor):
        def _evolution_judge(self, data: Any) -> Any:  # noqa: ANN401 - JSON
            self.wanted = "10 business days" if data["question"] in TRIGGERS else "7 business days"
            return super()._evolution_judge(data)

    with answered_badly(tmp_path, model=Partial()) as memory:
        job = evolved(memory)
        assert (job.state, job.reason, text_of(memory)) == (JobState.ORIGINAL_STAYS, "no candidate was better", TEXT)
        assert [one.operator for one in job.candidates] == [Operator.MUTATION_REFLECTION]


def test_what_the_search_would_drop_is_tried_all_the_same(tmp_path: Path) -> None:
    class Partial(ScriptedEditor):
        def _evolution_judge(self, data: Any) -> Any:  # noqa: ANN401 - JSON
            self.wanted = "7 business days" if data["question"] in TRIGGERS else "10 business days"
            return super()._evolution_judge(data)

    with answered_badly(tmp_path, model=Partial()) as memory:
        job = evolved(memory)
        assert (job.state, job.decision) == (JobState.WAITING, "winner")


def test_without_a_question_that_gave_rise_to_it_a_job_says_so(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=GEPA) as memory:
        (job,) = memory.evolve()
        assert job.state is JobState.ORIGINAL_STAYS
        assert "nobody's question gave rise to it" in job.reason


class Broken:
    """Stands for a library with a fault; it asks once and fails then."""

    def search(
        self,
        texts: Mapping[str, str],
        questions: Sequence[str],
        task: SearchTask,
        *,
        rounds: int,
        at_once: int,
        seed: int,
    ) -> Sequence[Mapping[str, str]]:
        del rounds, at_once, seed
        traces: tuple[SearchTrace, ...] = task.score(texts, questions)
        raise RuntimeError(f"{len(traces)} traces are too many")


def test_a_library_that_fails_changes_nothing_and_what_was_asked_is_not_asked_again(tmp_path: Path) -> None:
    editor = ScriptedEditor()
    with answered_badly(tmp_path, model=editor) as memory:
        works = memory._context.open_search
        object.__setattr__(memory._context, "open_search", Broken)
        for _ in range(2):
            (job,) = memory.evolve("refunds.md") if not memory.jobs() else memory.evolve()
            assert job.stopped == "The search failed: RuntimeError: 3 traces are too many"
            assert is_untouched(memory)
            assert sum(one.purpose == "recall.answer" for one in editor.asked) == len(TRIGGERS)
        object.__setattr__(memory._context, "open_search", works)
        (job,) = memory.evolve()
        assert (job.state, job.decision) == (JobState.WAITING, "winner")


def test_without_the_library_no_job_is_begun_and_the_command_to_type_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        assert name == "gepa"

    monkeypatch.setattr(gepa_search, "find_spec", missing)
    with answered_badly(tmp_path, model=ScriptedEditor()) as memory:
        with pytest.raises(MissingExtra, match=r"evolore\[gepa\]"):
            memory.evolve("refunds.md")
        assert memory.jobs() == ()
        assert is_untouched(memory)
        (job,) = memory.evolve("refunds.md", operators=["MUTATION_DETAIL"])
        assert job.decision == "winner"


def test_operators_and_a_search_are_asked_for_one_at_a_time(tmp_path: Path) -> None:
    with answered_badly(tmp_path, model=ScriptedEditor()) as memory:
        with pytest.raises(InvalidValue, match="at once"):
            memory.evolve("refunds.md", operators=["MUTATION_DETAIL"], strategy="gepa")
        with pytest.raises(InvalidValue, match="strategy"):
            memory.evolve("refunds.md", strategy="luck")
        with pytest.raises(InvalidValue, match="MUTATION_REFLECTION"):
            memory.evolve("refunds.md", operators=["MUTATION_REFLECTION"])
        (job,) = memory.evolve("refunds.md", strategy=Strategy.OPERATORS)
        assert Operator.MUTATION_REFLECTION not in {one.operator for one in job.candidates}


def test_a_search_is_as_long_as_the_settings_say(tmp_path: Path) -> None:
    class Restless(ScriptedEditor):
        def _evolution_reflect(self, data: Any) -> Any:  # noqa: ANN401 - JSON
            said = super()._evolution_reflect(data)
            for one in said["edits"]:
                one["text"] = one["text"].replace(NEW, f"{OLD} That is so.{' It is.' * len(data['earlier'])}")
            return said

    short = EvolutionSettings(strategy=Strategy.GEPA, search=SearchSettings(rounds=2, most_questions=1))
    editor = Restless()
    with answered_badly(tmp_path, model=editor, evolution=short) as memory:
        memory.evolve("refunds.md")
    kinds = Counter(one.purpose for one in editor.asked)
    assert 1 <= kinds["evolution.reflect"] <= 2 * 2  # what was refused is searched for once more
    tried = [data(one)["tried"] for one in editor.asked if one.purpose == "evolution.reflect"]
    assert {one["question"] for some in tried for one in some} == {TRIGGERS[0]}
