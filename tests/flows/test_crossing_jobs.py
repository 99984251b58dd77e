"""Jobs that cross documents by heading: no call makes the candidate; gates, trials and a person decide as for any other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.domain.evolution import JobState, Operator
from evolore.errors import InvalidValue
from evolore.evolution.settings import EvolutionSettings
from evolving.complaints import PEOPLE, open_memory, text_of
from evolving.scripted import NEW, OLD, ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory

SECTIONS = EvolutionSettings(operators=(Operator.CROSSOVER_SECTIONS,))
FRAME = (
    "# Refunds\n\n{}\n\n## Time\n\n{} They go to the card that paid.\n\n## Who\n\nThe desk decides. Call it at noon.\n"
)
GUIDE = FRAME.format("How money comes back.", OLD)
HELP = FRAME.format("Money back, step by step.", NEW)


def fill(memory: Memory, help_text: str = HELP, *, media_type: MediaType = MediaType.MARKDOWN) -> None:
    """Add two documents, the first of which three people complained of."""
    guide = memory.add_text(GUIDE, source="refunds.md", media_type=MediaType.MARKDOWN)
    memory.add_text(help_text, source="help.md", media_type=media_type)
    for number in range(60):
        memory.recall(f"how long do refunds take in case {number}?", record=True, principal=f"p{number}")
    for who in PEOPLE:
        memory.rate(guide.id, "bad", comment="The time that refunds take is wrong.", principal=who)


@pytest.mark.parametrize("named", [(), ("refunds.md", "help.md")])
def test_the_section_that_served_better_is_taken_proved_and_rolled_back_as_a_whole(
    tmp_path: Path, named: tuple[str, ...]
) -> None:
    editor = ScriptedEditor()
    with open_memory(tmp_path, model=editor, evolution=SECTIONS) as memory:
        fill(memory)
        (job,) = memory.evolve(*named)
        assert [one.source for one in job.documents] == ["refunds.md", "help.md"]
        assert (job.state, job.decision) == (JobState.WAITING, "winner")
        (candidate,) = job.candidates
        assert candidate.operator is Operator.CROSSOVER_SECTIONS
        assert [one.place for some in candidate.edits for one in some] == ["1.1"]
        assert any("conflict" in one for one in candidate.doubts)
        assert "evolution.write" not in {request.purpose for request in editor.asked}
        promotion = memory.evolution.approve(job.id).promotion
        assert promotion is not None
        assert (text_of(memory), text_of(memory, "help.md")) == (GUIDE.replace(OLD, NEW), HELP)
        memory.evolution.rollback(promotion.id, reason="The desk wants it back.")
        assert (text_of(memory), text_of(memory, "help.md")) == (GUIDE, HELP)
        assert len(memory.evolution.feedback("refunds.md", unprocessed=True)) == len(PEOPLE)


def test_what_is_refused_is_tried_once_more_by_what_the_sections_say_alone(tmp_path: Path) -> None:
    class Strict(ScriptedEditor):
        def _evolution_judge_claims(self, data: object) -> object:
            del data
            return {"lost": [{"quote": OLD, "reason": "It is gone."}], "invented": []}

    with open_memory(tmp_path, model=Strict(), evolution=SECTIONS) as memory:
        fill(memory)
        (job,) = memory.evolve()
        assert (job.state, text_of(memory)) == (JobState.ORIGINAL_STAYS, GUIDE)
        assert [one.refusals != () for one in job.candidates] == [True]
        assert job.skipped == ((Operator.CROSSOVER_SECTIONS, "nothing_to_improve"),)
        assert job.reason == "no candidate passed the gates"


@pytest.mark.parametrize(
    ("other", "media_type", "reason"),
    [(GUIDE, MediaType.MARKDOWN, "nothing was found to improve"), ("Refunds.", MediaType.PLAIN, "no headings")],
)
def test_a_job_that_can_make_nothing_says_why(tmp_path: Path, other: str, media_type: MediaType, reason: str) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=SECTIONS) as memory:
        fill(memory, other, media_type=media_type)
        (job,) = memory.evolve("refunds.md", "help.md")
        assert job.state is JobState.ORIGINAL_STAYS
        assert "no candidate could be made" in job.reason
        assert reason in job.reason


def test_a_document_that_no_other_covers_is_told_and_its_feedback_stays_open(tmp_path: Path) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=SECTIONS) as memory:
        fill(memory, "# Boats\n\nThey leave at noon.\n")
        with pytest.raises(InvalidValue, match=r"No other document has two headings of 'refunds\.md'"):
            memory.evolve()
        assert len(memory.evolution.feedback("refunds.md", unprocessed=True)) == len(PEOPLE)


def test_a_job_without_evidence_says_that_detail_has_nothing_to_cite(tmp_path: Path) -> None:
    detail = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=detail) as memory:
        memory.add_text(GUIDE, source="refunds.md", media_type=MediaType.MARKDOWN)
        (job,) = memory.evolve("refunds.md")
        assert job.reason == "no candidate could be made: nothing was found that could be cited"


def test_a_document_too_long_to_be_shown_is_not_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    short = EvolutionSettings(operators=(Operator.MUTATION_CLARITY,))
    monkeypatch.setattr("evolore.evolution.requests.LONGEST_DOCUMENT", 10)
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=short) as memory:
        memory.add_text(GUIDE, source="refunds.md", media_type=MediaType.MARKDOWN)
        (job,) = memory.evolve("refunds.md")
        assert "too long to be shown" in job.reason
