"""Calls of ``evolve`` one after the other, and beside each other: what is begun, what goes on, what is paid."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.domain.chat import ChatFailure, ChatFailureKind
from evolore.domain.contest import Verdict
from evolore.domain.document import MediaType
from evolore.domain.evolution import JobState, Operator
from evolore.evolution.job_steps import StepKind
from evolore.evolution.policy import ApprovalPolicy
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.evolve import jobs as evolve_jobs
from evolving.complaints import BETTER, PEOPLE, TEXT, complain, complained, filled, open_memory, text_of
from evolving.scripted import ScriptedEditor
from flows.test_evolving import DETAIL, steps_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from evolore.domain.chat import ChatOutcome, ChatRequest
    from evolore.domain.evolution import Step
    from evolore.flows.context import Context
    from evolore.memory import Memory

CLARITY = (Operator.MUTATION_CLARITY,)


def also_complained(memory: Memory, source: str = "returns.md") -> str:
    other = memory.add_text(TEXT.replace("Refunds", "Returns"), source=source, media_type=MediaType.MARKDOWN)
    complain(memory, other)
    return other.id


def silent() -> ScriptedEditor:
    """Give an editor whose every call fails."""
    editor = ScriptedEditor()
    editor.fail = lambda _: ChatFailure(kind=ChatFailureKind.FAILED, was_read=False)
    return editor


def test_a_job_that_spent_its_own_budget_keeps_nobody_else_from_theirs(tmp_path: Path) -> None:
    editor = ScriptedEditor()
    with complained(tmp_path, model=editor, evolution=DETAIL, chat={"job_calls": 9}) as memory:
        also_complained(memory, "repairs.md")
        also_complained(memory)
        for _ in range(3):
            memory.evolve()
        jobs = {job.documents[0].source: job for job in memory.evolution.jobs()}
        assert {"refunds.md", "returns.md", "repairs.md"} == set(jobs)
        assert "out_of_budget" in jobs["refunds.md"].stopped
        assert all(0 < job.usage.calls <= 9 for job in jobs.values())


def test_control_where_the_call_itself_may_spend_no_more_no_other_is_begun(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        also_complained(memory)
        assert len(memory.evolve(calls=0)) == 1
        assert len(memory.evolution.jobs()) == 1


def test_waiting_for_a_budget_writes_its_pause_once(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL, chat={"job_calls": 9}) as memory:
        memory.evolve()
        before = len(steps_of(tmp_path))
        for _ in range(5):
            (job,) = memory.evolve()
            assert job.stopped
        assert len(steps_of(tmp_path)) == before


def test_naming_a_document_again_goes_on_with_its_job_that_pauses(tmp_path: Path) -> None:
    with complained(tmp_path, model=silent(), evolution=DETAIL, chat={"tries": 1}) as memory:
        for _ in range(3):
            (job,) = memory.evolve("refunds.md")
            assert job.state is JobState.RUNNING
        assert len(memory.evolution.jobs()) == 1


def test_a_job_that_another_process_is_at_keeps_nobody_from_the_others(tmp_path: Path) -> None:
    editor = ScriptedEditor()
    with complained(tmp_path, model=editor, evolution=DETAIL) as memory:
        also_complained(memory)

        def reject(request: ChatRequest) -> ChatOutcome | None:
            del request
            editor.fail = None
            (job,) = memory.evolution.jobs()
            memory.evolution.reject(job.id, reason="meanwhile")
            return None

        editor.fail = reject
        first, second = memory.evolve()
        assert first.state is JobState.REJECTED
        assert first.stopped.startswith("busy: ")
        assert second.state in {JobState.WAITING, JobState.ORIGINAL_STAYS}
        assert second.decision


def test_what_another_process_is_asked_for_now_is_not_asked_for_again(tmp_path: Path) -> None:
    first, second = ScriptedEditor(), ScriptedEditor()
    with (
        complained(tmp_path, model=first, evolution=DETAIL) as memory,
        open_memory(tmp_path, model=second, evolution=DETAIL) as other,
    ):

        def meanwhile(request: ChatRequest) -> ChatOutcome | None:
            del request
            (told,) = other.evolve()
            assert told.stopped.startswith("busy: ")
            return None

        first.fail = meanwhile
        (job,) = memory.evolve()
        assert (job.state, second.asked) == (JobState.WAITING, [])
        assert job.usage.calls == len(first.asked)
        assert not list(tmp_path.rglob("job-*.lock"))


def test_the_lock_of_a_process_that_died_keeps_nobody_out(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (paused,) = memory.evolve(calls=0)
        (tmp_path / "store" / f"job-{paused.id}.lock").touch()
        assert memory.store.doctor().is_whole
        (job,) = memory.evolve()
        assert (job.id, job.state) == (paused.id, JobState.WAITING)


def do_nothing(context: Context, job_id: str) -> None:
    """Stand for a process that died before it approved."""
    del context, job_id


def test_what_a_policy_approved_is_taken_over_also_where_who_decided_it_died(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = ScriptedEditor(old="How money comes back.", new="How money is returned.", wanted="is returned")
    on = EvolutionSettings(operators=CLARITY, auto_update=True, policy=ApprovalPolicy(operators=CLARITY))
    with open_memory(tmp_path, model=plain, evolution=on) as memory:
        document = memory.add_text(TEXT, source="refunds.md", media_type=MediaType.MARKDOWN)
        for number in range(80):
            memory.recall(f"how does money come back in case {number}?", record=True, principal=f"p{number}")
        complain(memory, document)
        with monkeypatch.context() as dying:
            dying.setattr(evolve_jobs, "approve_by_policy", do_nothing)
            (job,) = memory.evolve()
        assert (job.state, text_of(memory)) == (JobState.WAITING, TEXT)
        (job,) = memory.evolve()
        assert (job.state, [one.is_by_policy for one in job.promotions]) == (JobState.PROMOTED, [True])
        assert memory.evolve() == ()


def test_what_a_policy_would_only_have_done_waits_for_a_person(tmp_path: Path) -> None:
    shadow = replace(DETAIL, auto_update=True, policy=ApprovalPolicy(operators=DETAIL.operators, shadow=True))
    with complained(tmp_path, model=ScriptedEditor(), evolution=shadow) as memory:
        (job,) = memory.evolve()
        assert memory.evolve() == ()
        assert memory.evolution.show(job.id).state is JobState.WAITING


def cost(step: Step, name: str) -> int:
    usage = step.body[name]
    assert isinstance(usage, dict)
    micros = usage["cost_micros"]
    assert isinstance(micros, int)
    return micros


def test_a_call_that_nobody_heard_of_costs_money_too(tmp_path: Path) -> None:
    prices = {"prompt_price": 1000.0, "reply_price": 1000.0}
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL, chat=prices) as memory:
        (job,) = memory.evolve()
        with memory._context.store.read(memory.namespace) as reader:
            steps = reader.steps(job.id)
        asked = [cost(one, "most") for one in steps if one.kind == StepKind.ASKING.value]
        told = [cost(one, "usage") for one in steps if one.kind == StepKind.REPLIED.value]
        assert all(most >= used > 0 for most, used in zip(asked, told, strict=True))
        assert job.usage.cost_micros == sum(told)


def test_two_jobs_that_took_up_one_complaint_leave_it_to_the_one_that_is_taken_over(tmp_path: Path) -> None:
    editor = silent()
    with complained(tmp_path, model=editor, evolution=DETAIL, chat={"tries": 1}) as memory:
        memory.evolve()
        memory.evolve("refunds.md", operators=[Operator.MUTATION_DETAIL], seed="another")
        editor.fail = None
        first, second = (job.id for job in memory.evolve())
        assert {memory.evolution.show(one).state for one in (first, second)} == {JobState.WAITING}
        memory.evolution.approve(second)
        assert memory.evolution.approve(first).job.state is JobState.SUPERSEDED
        assert text_of(memory) == BETTER
        assert memory.evolution.feedback("refunds.md", unprocessed=True) == (), "what it complains of is done with"
        assert len(memory.evolution.rollback(second, reason="no").reopened) == len(PEOPLE)


def test_a_job_tells_why_its_judge_preferred_a_text(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        (candidate,) = job.candidates
        verdicts = [one for match in candidate.matches for one in match.replies if isinstance(one, Verdict)]
        assert verdicts
        assert {one.reason for one in verdicts} == {"It says so."}


def test_one_person_triggers_nothing_by_rating_answers_questions_and_documents(tmp_path: Path) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        document = filled(memory, questions=8)
        for number in range(17):
            memory.rate(document.id, "bad", comment=str(number), principal="eve")
            answer = memory.answer(f"how long do refunds take, {number}?", principal="eve")
            asked = memory.recall(f"how long do refunds take in {number}?", record=True, principal="bob").query_id
            assert asked is not None
            memory.rate(answer.id, "bad", principal="eve")
            memory.rate(asked, "bad", principal="eve")
        assert memory.evolve() == ()
        memory.rate(document.id, "bad", principal="zoe")
        memory.rate(document.id, "bad")
        assert len(memory.evolve()) == 1


def test_without_names_each_rating_counts(tmp_path: Path) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        filled(memory, questions=8)
        for number in range(3):
            assert memory.evolve() == ()
            memory.rate(memory.answer(f"how long do refunds take, {number}?").id, "bad")
        assert len(memory.evolve()) == 1
