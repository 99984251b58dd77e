"""Jobs, from complaint to promotion and back."""

from __future__ import annotations

from dataclasses import replace
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

from builders import rows
from evolore.domain.chat import ChatFailure, ChatFailureKind, ChatReply
from evolore.domain.document import MediaType
from evolore.domain.evolution import JobState, Operator
from evolore.errors import ChatModelMissing, InvalidValue, NotFound
from evolore.evolution.policy import ApprovalPolicy
from evolore.evolution.settings import EvolutionSettings
from evolving.complaints import BETTER, NEWS, PEOPLE, TEXT, complain, complained, filled, open_memory, text_of
from evolving.scripted import NEW, OLD, ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.domain.chat import ChatRequest
    from evolore.domain.document import Document
    from evolore.memory import Memory

DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))


def steps_of(folder: Path) -> list[tuple[object, ...]]:
    return rows(folder / "store", "select job_id, number, kind, body, at from evolution_steps order by job_id, number")


def document_of(memory: Memory) -> Document:
    return next(one for one in memory.list().documents if one.source == "refunds.md")


def test_what_three_people_complain_of_is_rewritten_proved_and_put_before_a_person(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert (job.state, job.decision, job.candidate_id) == (JobState.WAITING, "winner", "1")
        assert text_of(memory) == TEXT
        (shown,) = memory.evolution.diff(job.id)
        assert [line for line in shown.lines if line[0] in "+-"][2:] == [
            f"-{OLD} They go to the card that paid.",
            f"+{NEW} They go to the card that paid.",
        ]
        done = memory.evolution.approve(job.id, principal="boss", reason="the news say so")
        assert text_of(memory) == BETTER
        assert done.promotion is not None
        assert done.job.state is JobState.PROMOTED
        assert all(one.job_id == job.id for one in memory.evolution.feedback("refunds.md"))
        assert memory.evolve() == ()
        assert "10 business days" in memory.recall("how long do refunds take?").hits[0].text


def test_what_stays_of_a_document_is_not_indexed_anew(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        document = document_of(memory)
        with memory._context.store.read(memory.namespace) as reader:
            before = {one.text: one.id for one in reader.leaf_episodes(document.id)}
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
        with memory._context.store.read(memory.namespace) as reader:
            after = {one.text: one.id for one in reader.leaf_episodes(document.id)}
        same = before.keys() & after.keys()
        assert before.keys() != after.keys()
        assert {text: before[text] for text in same} == {text: after[text] for text in same}


@pytest.mark.parametrize(("people", "jobs"), [(("ann",) * 12, 0), (("ann", "ben"), 0), (PEOPLE, 1)])
def test_people_count_and_not_ratings(tmp_path: Path, people: tuple[str, ...], jobs: int) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        document = filled(memory, questions=3)
        for number, who in enumerate(people):
            answer = memory.answer(f"how long is the wait in case {number}?", principal=who)
            memory.rate(answer.id, "bad", principal=who)
            memory.rate(document.id, "bad", principal=who)
        found = [one for one in memory.evolve() if one.documents[0].id == document.id]
        assert len(found) == jobs


def test_without_a_chat_model_it_says_so_only_where_there_is_something_to_do(tmp_path: Path) -> None:
    with open_memory(tmp_path) as memory:
        document = filled(memory, questions=0)
        assert memory.evolve() == ()
        complain(memory, document)
        with pytest.raises(ChatModelMissing, match=r"chat\.model"):
            memory.evolve()


def test_with_few_questions_a_person_decides(tmp_path: Path) -> None:
    class Silent(ScriptedEditor):
        def _evolution_questions(self, data: object) -> object:
            del data
            return {"questions": []}

    with open_memory(tmp_path, model=Silent(), evolution=DETAIL) as memory:
        document = filled(memory, questions=12)
        complain(memory, document)
        (job,) = memory.evolve()
        assert (job.state, job.decision) == (JobState.WAITING, "needs_person")
        assert "too few fresh questions" in job.reason


def test_a_candidate_that_is_no_better_leaves_the_document_and_ends_the_complaints(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(wanted="nobody says this"), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert (job.state, text_of(memory)) == (JobState.ORIGINAL_STAYS, TEXT)
        assert not memory.evolution.feedback("refunds.md", unprocessed=True)


def test_a_value_that_evidence_does_not_state_is_refused(tmp_path: Path) -> None:
    editor = ScriptedEditor(new="Refunds take 90 business days.", wanted="90 business days")
    with complained(tmp_path, model=editor, evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert job.state is JobState.ORIGINAL_STAYS
        assert "spans" in job.candidates[0].refusals[0]


def test_what_stands_in_feedback_alone_is_refused(tmp_path: Path) -> None:
    editor = ScriptedEditor(old="Call it at noon.", new="Call it at noon. The code is X-4711.")
    with open_memory(tmp_path, model=editor, evolution=DETAIL) as memory:
        document = filled(memory)
        for who in PEOPLE:
            memory.rate(document.id, "bad", comment="The code is X-4711.", principal=who)
        (job,) = memory.evolve()
        assert any("feedback alone" in one for one in job.candidates[0].refusals)


def test_of_two_jobs_about_one_document_one_wins_and_the_other_is_superseded(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (first,) = memory.evolve("refunds.md")
        (second,) = memory.evolve("refunds.md", seed="another")
        assert first.id != second.id
        assert memory.evolution.approve(first.id).promotion is not None
        lost = memory.evolution.approve(second.id)
        assert (lost.promotion, lost.job.state) == (None, JobState.SUPERSEDED)
        assert [one.state for one in memory.evolution.jobs()] == [JobState.SUPERSEDED, JobState.PROMOTED]
        assert text_of(memory) == BETTER


def test_where_the_document_moved_the_difference_has_three_sides_and_what_fits_can_be_taken_over(
    tmp_path: Path,
) -> None:
    moved = TEXT.replace("Call it at noon.", "Call it at nine.")
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        memory.add_text(moved, source="refunds.md", media_type=MediaType.MARKDOWN)
        (shown,) = memory.evolution.diff(job.id)
        assert shown.merged == moved.replace(OLD, NEW)
        assert any("nine" in line for line in shown.others or ())
        assert memory.evolution.approve(job.id, rebase=True).promotion is not None
        assert text_of(memory) == moved.replace(OLD, NEW)


def test_what_does_not_fit_any_more_is_said_and_not_taken_over(tmp_path: Path) -> None:
    moved = TEXT.replace("They go to", "They return to")
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        memory.add_text(moved, source="refunds.md", media_type=MediaType.MARKDOWN)
        (shown,) = memory.evolution.diff(job.id)
        assert shown.merged is None
        assert shown.conflicts
        with pytest.raises(InvalidValue, match="does not fit"):
            memory.evolution.approve(job.id, rebase=True)
        assert memory.evolution.approve(job.id).job.state is JobState.SUPERSEDED
        assert text_of(memory) == moved
        assert len(memory.evolution.feedback("refunds.md", unprocessed=True)) == len(PEOPLE)


def test_a_person_may_edit_before_approving_and_hears_what_the_gates_say(tmp_path: Path) -> None:
    mine = BETTER.replace("at noon", "at ten")
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        done = memory.evolution.approve(job.id, text=mine)
        assert text_of(memory) == mine
        assert done.promotion is not None
        assert done.promotion.is_edited
        assert done.warnings


def test_what_is_rejected_stays_as_it_is(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        done = memory.evolution.reject(job.id, reason="we keep seven")
        assert (done.state, done.closing, text_of(memory)) == (JobState.REJECTED, "we keep seven", TEXT)
        with pytest.raises(InvalidValue, match="rejected"):
            memory.evolution.approve(job.id)
        with pytest.raises(InvalidValue, match="rejected"):
            memory.evolution.reject(job.id, reason="again")


@pytest.mark.parametrize("text", [TEXT, TEXT.replace("\n", "\r\n"), TEXT.rstrip("\n"), f"\n\n{TEXT}\n\n \n"])
def test_a_rollback_restores_every_byte_as_a_version_of_its_own_and_opens_the_feedback(
    tmp_path: Path, text: str
) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        filled(memory, questions=8)
        document = memory.add_text(text, source="refunds.md", media_type=MediaType.MARKDOWN)
        complain(memory, document)
        (job,) = memory.evolve()
        done = memory.evolution.approve(job.id)
        assert done.promotion is not None
        assert text_of(memory) != text
        back = memory.evolution.rollback(job.id, reason="it was right before")
        assert text_of(memory) == text
        (line,) = memory.evolution.generations("refunds.md")
        assert (line.document.before, line.document.after, line.document.restored) == (
            document.version,
            document.version + 1,
            document.version + 2,
        )
        assert (line.before, line.promotion.rollback_reason) == (text, "it was right before")
        assert len(back.reopened) == len(memory.evolution.feedback("refunds.md", unprocessed=True)) == len(PEOPLE)
        assert memory.evolution.show(job.id).state is JobState.ROLLED_BACK
        with pytest.raises(InvalidValue, match="already"):
            memory.evolution.rollback(job.id, reason="again")


def test_a_rollback_names_what_was_made_from_what_it_takes_back(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (first,) = memory.evolve()
        memory.evolution.approve(first.id)
        (second,) = memory.evolve("refunds.md", seed="2")
        memory.evolution.approve(
            second.id, candidate="1", text=BETTER.replace("at noon", "at ten")
        ) if second.candidates else None
        later = [one for one in memory.evolution.generations("refunds.md") if one.promotion.job_id == second.id]
        back = memory.evolution.rollback(first.id, reason="wrong news")
        assert [one.id for one in back.descendants] == [one.promotion.id for one in later]
        assert all(
            one.rests_on_rolled_back
            for one in memory.evolution.generations("refunds.md")
            if one.promotion.job_id == second.id
        )
        assert text_of(memory) == TEXT


def test_what_the_source_said_since_stays_where_a_change_is_taken_back(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
        memory.add_text(TEXT, source="refunds.md", media_type=MediaType.MARKDOWN)
        assert text_of(memory) == BETTER, "the source says what it said: what was promoted since stays"
        memory.add_text(TEXT + "\nMore.\n", source="refunds.md", media_type=MediaType.MARKDOWN)
        assert text_of(memory) == BETTER + "\nMore.\n"
        memory.evolution.rollback(job.id, reason="no")
        assert text_of(memory) == TEXT + "\nMore.\n"


def test_a_policy_approves_only_where_it_is_on_and_nothing_is_open(tmp_path: Path) -> None:
    plain = ScriptedEditor(old="How money comes back.", new="How money is returned.", wanted="is returned")
    clarity = (Operator.MUTATION_CLARITY,)
    on = EvolutionSettings(operators=clarity, auto_update=True, policy=ApprovalPolicy(operators=clarity))
    with open_memory(tmp_path / "filled") as memory:
        document = memory.add_text(TEXT, source="refunds.md", media_type=MediaType.MARKDOWN)
        for number in range(80):
            memory.recall(f"how does money come back in case {number}?", record=True, principal=f"p{number}")
        complain(memory, document)
    for name, settings, state in (
        ("off", replace(on, auto_update=False), JobState.WAITING),
        ("shadow", replace(on, policy=replace(on.policy, shadow=True)), JobState.WAITING),
        ("on", on, JobState.PROMOTED),
    ):
        copytree(tmp_path / "filled", tmp_path / name)
        with open_memory(tmp_path / name, model=plain, evolution=settings) as memory:
            (job,) = memory.evolve()
            assert (name, job.state) == (name, state), job.policy_objections
            assert [one.is_by_policy for one in job.promotions] == [True] * (state is JobState.PROMOTED)


def test_what_evidence_corrects_but_does_not_prove_no_policy_approves(tmp_path: Path) -> None:
    on = replace(DETAIL, auto_update=True, policy=ApprovalPolicy(operators=(Operator.MUTATION_DETAIL,)))
    with complained(tmp_path, model=ScriptedEditor(), evolution=on) as memory:
        (job,) = memory.evolve()
        assert job.state is JobState.WAITING
        assert job.policy_objections is not None
        assert any("correction" in one for one in job.policy_objections)


def stopping_at(number: int, kind: ChatFailureKind) -> ScriptedEditor:
    """Give an editor whose n-th call fails."""
    editor = ScriptedEditor()
    editor.fail = lambda _: ChatFailure(kind=kind) if len(editor.asked) == number else None
    return editor


@pytest.mark.parametrize(
    ("number", "kind"),
    [
        (1, ChatFailureKind.FAILED),
        (3, ChatFailureKind.TIMED_OUT),
        (7, ChatFailureKind.FAILED),
        *(
            pytest.param(number, kind, marks=pytest.mark.long)
            for kind in (ChatFailureKind.FAILED, ChatFailureKind.TIMED_OUT)
            for number in (2, 5, 16)
        ),
    ],
)
def test_a_call_that_fails_changes_nothing_and_the_job_goes_on_where_it_was(
    tmp_path: Path, number: int, kind: ChatFailureKind
) -> None:
    quick = {"chat": {"tries": 1}}
    with complained(tmp_path, model=stopping_at(number, kind), evolution=DETAIL, **quick) as memory:
        document = document_of(memory)
        (stopped,) = memory.evolve()
        assert stopped.state is JobState.RUNNING
        assert kind.value in stopped.stopped
        assert text_of(memory) == TEXT
        assert len(memory.evolution.feedback(document.id, unprocessed=True)) == len(PEOPLE)
        (job,) = memory.evolve()
        assert (job.id, job.state) == (stopped.id, JobState.WAITING)


@pytest.mark.parametrize(
    ("purpose", "reply"),
    [
        ("evolution.write", "I am sorry."),
        ("evolution.write", '{"edits": 3}'),
        ("evolution.judge", '{"edits": 3}'),
        ("evolution.questions", "I am sorry."),
        ("evolution.answers", '{"edits": 3}'),
        *(
            pytest.param(purpose, reply, marks=pytest.mark.long)
            for purpose in ("evolution.write", "evolution.judge", "evolution.questions", "evolution.answers")
            for reply in ("", "{" * 1000)
        ),
    ],
)
def test_replies_that_cannot_be_used_change_nothing(tmp_path: Path, purpose: str, reply: str) -> None:
    def fail(request: ChatRequest) -> ChatReply | None:
        return ChatReply(text=reply) if request.purpose == purpose else None

    editor = ScriptedEditor()
    with open_memory(tmp_path, model=editor, evolution=DETAIL) as memory:
        document = filled(memory, questions=8)
        complain(memory, document)
        editor.fail = fail
        (stopped,) = memory.evolve()
        assert stopped.state is JobState.RUNNING
        assert stopped.stopped
        assert text_of(memory) == TEXT
        assert len(memory.evolution.feedback(document.id, unprocessed=True)) == len(PEOPLE)
        editor.fail = None
        (job,) = memory.evolve()
        assert job.state is JobState.WAITING


@pytest.mark.parametrize("calls", [0, 1, 8, pytest.param(3, marks=pytest.mark.long)])
def test_a_budget_is_never_exceeded_by_one_call_and_what_is_left_is_done_next_time(tmp_path: Path, calls: int) -> None:
    editor = ScriptedEditor()
    with complained(tmp_path, model=editor, evolution=DETAIL) as memory:
        rounds = 0
        while True:
            before = len(editor.asked)
            (job,) = memory.evolve(calls=calls)
            assert len(editor.asked) - before <= calls
            rounds += 1
            if job.state is not JobState.RUNNING or rounds > 60 or not calls:
                break
            assert "out_of_budget" in job.stopped
        assert (job.state is JobState.WAITING) is (calls > 0)
        assert job.usage.calls == len(editor.asked)


def test_the_budget_of_a_job_holds_over_all_its_rounds(tmp_path: Path) -> None:
    editor = ScriptedEditor()
    with complained(tmp_path, model=editor, evolution=DETAIL, chat={"job_calls": 9}) as memory:
        jobs = [job for _ in range(4) for job in memory.evolve()]
        assert [job.state for job in jobs] == [JobState.RUNNING] * 4
        assert len(editor.asked) <= 9
        assert jobs[-1].usage.calls <= 9


def test_the_same_seed_and_replies_give_the_same_history_byte_for_byte(tmp_path: Path) -> None:
    found: list[list[tuple[object, ...]]] = []
    for name in ("one", "two"):
        with complained(tmp_path / name, model=ScriptedEditor()) as memory:
            (job,) = memory.evolve(seed="7")
            memory.evolution.approve(job.id)
        found.append(steps_of(tmp_path / name))
    assert found[0]
    assert [row[1:4] for row in found[0]] == [row[1:4] for row in found[1]]


def test_what_is_forgotten_leaves_no_step_behind(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        memory.forget(document="refunds.md")
        assert not any("refunds take" in str(row[3]).lower() for row in steps_of(tmp_path))
        with pytest.raises((InvalidValue, NotFound)):
            memory.evolution.approve(job.id)
        assert NEWS


def test_another_memory_sees_no_job(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        with open_memory(tmp_path, model=ScriptedEditor(), namespace="other") as other:
            other.add_text(TEXT, source="refunds.md")
            assert other.evolution.jobs() == ()
            with pytest.raises(NotFound):
                other.evolution.show(job.id)
