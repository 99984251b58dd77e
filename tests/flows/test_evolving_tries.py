"""What becomes of replies that cannot be used, of edits that add nothing, and of complaints beyond those that begin a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evolore.domain.chat import ChatReply, ChatUsage
from evolore.domain.evolution import JobState, Operator
from evolore.evolution.requests import read_data
from evolore.evolution.settings import EvolutionSettings
from evolving.complaints import PEOPLE, complained, filled, open_memory
from evolving.scripted import NEW, OLD, ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.domain.chat import ChatOutcome, ChatRequest
    from evolore.domain.document import Document
    from evolore.memory import Memory

DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))
GARBLED = ChatReply(text='{"in_sources": tr', usage=ChatUsage(calls=1, prompt_tokens=1, reply_tokens=1))


def garbled_once(purpose: str) -> ScriptedEditor:
    """Give a model whose first reply to each request of a kind is cut short; the next, with another seed, is not."""
    known: set[str] = set()

    def fail(request: ChatRequest) -> ChatOutcome | None:
        told = request.messages[-1].text
        if request.purpose != purpose or told in known:
            return None
        known.add(told)
        return GARBLED

    return ScriptedEditor(fail=fail)


@pytest.mark.parametrize("purpose", ["evolution.answers", "evolution.judge"])
def test_a_reply_that_cannot_be_used_is_asked_for_once_more_and_loses_nothing(tmp_path: Path, purpose: str) -> None:
    with complained(tmp_path, model=garbled_once(purpose), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert (job.decision, job.stopped) == ("winner", "")
        result = job.candidates[0].result
        assert result is not None
        assert (result.confirm.losses, result.screen.losses) == (0, 0)


def test_a_question_that_nobody_can_answer_ends_no_job(tmp_path: Path) -> None:
    class Silent(ScriptedEditor):
        odd = ""

        def _evolution_answers(self, data: Any) -> Any:  # noqa: ANN401 - JSON
            self.odd = self.odd or data["questions"][1]["question"]
            told = super()._evolution_answers(data)
            left_out = {one["number"] for one in data["questions"] if one["question"] == self.odd}
            return {"answers": [one for one in told["answers"] if one["number"] not in left_out]}

    model = Silent()
    with complained(tmp_path, model=model, evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert model.odd
        assert (job.decision, job.stopped) == ("winner", "")
        result = job.candidates[0].result
        assert result is not None
        assert result.confirm.losses == 0


def test_where_no_answer_can_be_used_a_job_pauses(tmp_path: Path) -> None:
    model = ScriptedEditor(fail=lambda request: GARBLED if request.purpose == "evolution.answers" else None)
    with complained(tmp_path, model=model, evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert job.state is JobState.RUNNING
        assert "No question could be answered" in job.stopped


def test_a_detail_that_only_mixes_sentences_is_refused_and_not_asked_for_a_third_time(tmp_path: Path) -> None:
    editor = ScriptedEditor(old=f"{OLD} They go to the card that paid.", new=f"They go to the card that paid. {OLD}")
    with complained(tmp_path, model=editor, evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert [one.refusals for one in job.candidates] == [
            ("novelty: The candidate adds nothing and puts nothing right",)
        ] * 2
        assert job.state is JobState.ORIGINAL_STAYS


def test_an_editor_that_errs_twice_in_different_ways_has_a_third_try(tmp_path: Path) -> None:
    class Third(ScriptedEditor):
        tries = 0

        def _evolution_write(self, data: object) -> object:
            self.tries += 1
            self.new = NEW if self.tries == 3 else f"Refunds take {89 + self.tries} business days."
            return super()._evolution_write(data)

    with complained(tmp_path, model=Third(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert [bool(one.refusals) for one in job.candidates] == [True, True, False]
        assert job.decision == "winner"


def complain_with_questions(memory: Memory, document: Document, count: int) -> list[str]:
    """Have so many people ask something of their own and rate the answer BAD."""
    asked: list[str] = []
    for number in range(count):
        asked.append(f"when do refunds come in month {number}?")
        answer = memory.answer(asked[-1], principal=f"reader {number}", source=document.source)
        memory.rate(answer.id, "bad", principal=f"reader {number}")
    return asked


def test_of_more_complaints_than_begin_a_job_some_are_kept_and_their_words_are_shown_to_nobody(tmp_path: Path) -> None:
    editor = ScriptedEditor()
    with open_memory(tmp_path, model=editor, evolution=DETAIL) as memory:
        document = filled(memory)
        asked = complain_with_questions(memory, document, 20)
        job = next(one for one in memory.evolve() if one.documents[0].id == document.id)
        kept = [one for one in memory.evolution.feedback(document.id, unprocessed=True) if one.question]
        assert len(PEOPLE) <= len(job.feedback_ids) < len(asked)
        assert len(job.feedback_ids) + len(kept) == len(asked)
        written = "".join(
            message.text for one in editor.asked if one.purpose == "evolution.write" for message in one.messages
        )
        assert not [one.question for one in kept if f'"{one.question}"' in written]


def test_questions_are_written_for_the_claims_nearest_to_complaints_first(tmp_path: Path) -> None:
    editor = ScriptedEditor()
    with open_memory(tmp_path, model=editor, evolution=DETAIL) as memory:
        document = filled(memory, questions=0)
        complain_with_questions(memory, document, 3)
        memory.evolve(document.id)
        first = next(one for one in editor.asked if one.purpose == "evolution.questions")
        claims = read_data(first)["claims"]
        assert isinstance(claims, list)
        assert "efund" in str(claims[0])
