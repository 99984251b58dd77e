"""What is erased while documents are being rewritten: questions that people asked, evidence, texts on trial."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from evolore.domain.chat import ChatFailure, ChatFailureKind
from evolore.domain.document import MediaType
from evolore.domain.evolution import JobState
from evolore.errors import InvalidValue, NotFound
from evolore.evolution.job_steps import StepKind
from evolving.canaries import ask, begun, people, reopened, waiting
from evolving.complaints import BETTER, PEOPLE, TEXT, complain, complained, filled, open_memory, text_of
from evolving.scripted import ScriptedEditor
from flows.test_evolving import DETAIL, steps_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

    from evolore.domain.chat import ChatOutcome, ChatRequest
    from evolore.memory import Memory


def says(folder: Path, words: str) -> bool:
    """Tell whether any step says something."""
    return any(words in str(row[3]) for row in steps_of(folder))


def test_questions_that_somebody_asked_leave_the_steps_with_who_asked_them(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        assert says(tmp_path, "in case 5?")
        memory.questions.unlearn("p5", erase=True)
        assert not says(tmp_path, "in case 5?")
        assert memory.evolution.show(job_id).state is JobState.ORIGINAL_STAYS
    assert not any(b"in case 5?" in one.read_bytes() for one in tmp_path.rglob("*") if one.is_file())


def test_control_the_questions_of_somebody_who_asked_of_nothing_else_leave_them(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        memory.recall("what is the weather?", record=True, principal="zoe")
        memory.questions.unlearn("zoe", erase=True)
        assert says(tmp_path, "in case 5?")
        assert memory.evolution.show(job_id).state is JobState.WAITING


def test_complaints_are_open_again_where_the_job_about_them_was_erased(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, _):
        assert memory.evolution.feedback("refunds.md", unprocessed=True) == ()
        memory.questions.unlearn("p5", erase=True)
        assert len(memory.evolution.feedback("refunds.md", unprocessed=True)) == len(PEOPLE)


def erasing(memory: Memory, who: str, *, at: str) -> Callable[[ChatRequest], ChatOutcome | None]:
    """Have everything that somebody asked erased when a model is first asked for something, and let it reply."""
    left = [who]

    def erase(request: ChatRequest) -> ChatOutcome | None:
        if request.purpose == at and left:
            memory.questions.unlearn(left.pop(), erase=True)
        return None

    return erase


@pytest.mark.parametrize("at", ["evolution.write", "evolution.questions", "evolution.answers", "evolution.judge"])
def test_a_question_that_is_erased_while_a_model_is_asked_is_not_kept_and_another_job_begins(
    tmp_path: Path, at: str
) -> None:
    editor = ScriptedEditor()
    with complained(tmp_path, model=editor, evolution=DETAIL) as memory:
        for number in range(6, 60):
            memory.questions.unlearn(f"p{number}", erase=True)
        editor.fail = erasing(memory, "p5", at=at)
        (ended,) = memory.evolve()
        assert ended.state is JobState.ORIGINAL_STAYS
        assert ended.stopped
        assert not says(tmp_path, "in case 4?")
        (job,) = memory.evolve()
        assert job.id != ended.id
        assert job.state is JobState.WAITING
        assert says(tmp_path, "in case 4?")
        assert not says(tmp_path, "in case 5?")


def paused_before_questions(memory: Memory, editor: ScriptedEditor) -> None:
    """Have a job pause when questions are to be written, and zoe ask some of her own meanwhile."""
    editor.fail = lambda request: (
        ChatFailure(kind=ChatFailureKind.FAILED) if request.purpose == "evolution.questions" else None
    )
    (paused,) = memory.evolve()
    assert paused.stopped
    editor.fail = None
    for number in range(12):
        memory.recall(f"how long do refunds take at night {number}?", record=True, principal="zoe")


def test_a_question_asked_after_the_plan_leaves_the_steps_like_any_other(tmp_path: Path) -> None:
    editor = ScriptedEditor()
    with few(tmp_path, editor) as memory:
        paused_before_questions(memory, editor)
        (job,) = memory.evolve()
        assert job.state is JobState.WAITING
        assert says(tmp_path, "at night ")
        memory.questions.unlearn("zoe", erase=True)
        assert not says(tmp_path, "at night ")


def test_a_question_that_is_erased_while_others_are_written_is_not_kept_and_the_job_goes_on(tmp_path: Path) -> None:
    editor = ScriptedEditor()
    with few(tmp_path, editor) as memory:
        paused_before_questions(memory, editor)
        editor.fail = erasing(memory, "zoe", at="evolution.questions")
        (paused,) = memory.evolve()
        assert "erased meanwhile" in paused.stopped
        assert not says(tmp_path, "at night ")
        (job,) = memory.evolve()
        assert (job.id, job.state) == (paused.id, JobState.WAITING)
        assert not says(tmp_path, "at night ")


@contextmanager
def few(folder: Path, editor: ScriptedEditor) -> Generator[Memory]:
    """Open a memory in which three people complained of a document of which few questions were asked."""
    with open_memory(folder, model=editor, evolution=DETAIL, chat={"tries": 1}) as memory:
        complain(memory, filled(memory, questions=6))
        yield memory


@pytest.mark.parametrize("what", ["evidence", "complainer", "asker"])
def test_a_text_on_trial_is_taken_from_everybody_with_what_its_job_rested_on(tmp_path: Path, what: str) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        (new,) = people(promotion, is_new=True, count=1)
        assert "10" in ask(memory, new)
        assert BETTER in passages(memory, new)
        erase(memory, what)
        assert BETTER not in passages(memory, new)
        (promotion,) = memory.evolution.show(job_id).promotions
        assert (promotion.percent, promotion.rollback_reason) == (0, "what it rested on was forgotten")
        assert memory.evolution.canaries() == ()
        assert memory.store.verify().is_whole
        assert memory.store.doctor().is_whole
        assert len(memory.evolution.feedback("refunds.md", unprocessed=True)) == len(PEOPLE) - (what == "complainer")


def passages(memory: Memory, who: str) -> set[str]:
    return {hit.text for hit in memory.recall("how long do refunds take?", principal=who).hits}


def erase(memory: Memory, what: str) -> None:
    if what == "evidence":
        memory.forget(document="news.md")
    else:
        memory.questions.unlearn({"complainer": "ann", "asker": "p5"}[what], erase=True)


def test_a_text_on_trial_is_no_document_that_can_be_rewritten(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        promotion = begun(memory, job_id)
        with memory._context.store.read(memory.namespace) as reader:
            (shadow,) = reader.shadows()
        memory._bound.context = replace(memory._context, chat_model=ScriptedEditor())
        for name in (shadow.document_id, f"canary:{promotion.id}/refunds.md"):
            with pytest.raises(NotFound, match="text on trial"):
                memory.evolve(name)
        assert len(memory.evolution.jobs()) == 1


def test_receipts_count_answers_and_ratings_that_go_too(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, _):
        for who in ("ann", "zoe"):
            assert memory.answer("how long do refunds take?", principal=who).citations
        foreseen = memory.forget(document="refunds.md", dry_run=True)
        assert (foreseen.answers, foreseen.feedback) == (2, len(PEOPLE))
        told = memory.questions.unlearn("zoe", erase=True, dry_run=True)
        assert (told.answers, told.feedback) == (1, 0)
        assert memory.questions.unlearn("zoe", erase=True).answers == 1
        done = memory.forget(document="refunds.md")
        assert (done.answers, done.feedback) == (1, len(PEOPLE))
        assert memory.stats().answers == 0


def test_everything_counts_every_answer(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, _):
        memory.answer("how long do refunds take?")
        assert memory.forget(everything=True).answers == 1


def test_the_step_of_a_plan_names_the_questions_that_stand_in_it(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        with memory._context.store.read(memory.namespace) as reader:
            (planned,) = (one for one in reader.steps(job_id) if one.kind == StepKind.PLANNED.value)
            asked = planned.body["asked"]
            assert isinstance(asked, list)
            texts = {reader.query(str(id_)).text for id_ in asked}  # pyright: ignore[reportOptionalMemberAccess]
        stand = {
            text for text in (f"how long do refunds take in case {n}?" for n in range(60)) if text in str(planned.body)
        }
        assert stand
        assert stand <= texts
        assert text_of(memory)


def test_what_was_erased_and_taken_back_moves_with_the_namespace(tmp_path: Path) -> None:
    stream = BytesIO()
    with waiting(tmp_path / "here") as (memory, job_id):
        memory.evolution.approve(job_id)
        memory.forget(document="news.md")
        memory.evolution.rollback(job_id, reason="no")
        assert [one.kind for one in memory.history(memory.list().documents[0].id)][-2:] == [
            "rolled_back",
            "job_decided",
        ]
        memory.store.export(stream)
    (tmp_path / "there").mkdir()
    with reopened(tmp_path / "there") as there:
        stream.seek(0)
        there.store.import_(stream)
        assert there.evolution.show(job_id).state is JobState.ROLLED_BACK
        assert there.store.verify().is_whole
        assert there.store.doctor().is_whole


def test_a_canary_that_was_moved_elsewhere_ends_there_with_what_it_rested_on(tmp_path: Path) -> None:
    stream = BytesIO()
    with waiting(tmp_path / "here") as (memory, job_id):
        begun(memory, job_id)
        memory.store.backup(tmp_path / "copied" / "store")
        memory.store.export(stream)
    (tmp_path / "there").mkdir()
    for name in ("copied", "there"):
        with reopened(tmp_path / name, hours=2) as other:
            if name == "there":
                stream.seek(0)
                other.store.import_(stream)
            assert len(other.evolution.canaries()) == 1
            other.questions.unlearn("p5", erase=True)
            assert other.evolution.canaries() == ()
            assert other.store.verify().is_whole
            assert other.store.doctor().is_whole


def test_what_is_not_there_to_be_approved_any_more_is_said(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        memory.forget(document="refunds.md")
        memory.add_text(TEXT, source="refunds.md", media_type=MediaType.MARKDOWN)
        for verb in (memory.evolution.approve, memory.evolution.diff):
            with pytest.raises(InvalidValue, match="forgotten"):
                verb(job_id)
        assert text_of(memory) == TEXT
