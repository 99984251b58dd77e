"""What a person rolled back or rejected is not proposed again, unless newer evidence states it or new people complain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evolore.domain.evolution import JobState, Operator
from evolore.evolution.settings import EvolutionSettings
from evolving.complaints import NEWS, TEXT, text_of
from evolving.corrections import add, ask_and_complain, outdated
from evolving.scripted import NEW, ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from evolore.flows.evolve.show import EvolutionJob
    from evolore.memory import Memory

DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))
WAYS = ("rolled back", "rejected")
OTHER_WORDS = "Refunds now need 10 business days."


class OtherWords(ScriptedEditor):
    """Makes the same change in other words once it was asked before."""

    def _evolution_write(self, data: Any) -> Any:  # noqa: ANN401 - JSON
        first = sum(one.purpose == "evolution.write" for one in self.asked) == 1
        self.new = NEW if first else OTHER_WORDS
        return super()._evolution_write(data)


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def memory(tmp_path: Path) -> Generator[Memory]:
    with outdated(tmp_path, model=OtherWords(), evolution=DETAIL) as memory:
        yield memory


def turn_down(memory: Memory, way: str) -> str:
    """Have a job propose a change, and turn that down; return the job's id."""
    (job,) = memory.evolve()
    assert (job.state, job.candidate_id) == (JobState.WAITING, "1")
    if way == "rejected":
        memory.evolution.reject(job.id, reason="the desk says seven", principal="mika")
    else:
        memory.evolution.approve(job.id)
        memory.evolution.rollback(job.id, reason="the desk says seven", principal="mika")
    assert text_of(memory) == TEXT
    return job.id


def again(memory: Memory) -> EvolutionJob:
    (job,) = memory.evolve("refunds.md")
    return job


def test_the_same_change_in_other_words_is_dropped_and_the_job_says_why(memory: Memory, way: str) -> None:
    turn_down(memory, way)
    job = again(memory)
    assert (job.state, job.reason) == (JobState.ORIGINAL_STAYS, "no candidate passed the gates")
    told = f"{way} on 2026-03-02 by mika: the desk says seven"
    assert [one.refusals for one in job.candidates] == [(told,)], "it is tried once"
    assert OTHER_WORDS in job.candidates[0].texts[0].text


def test_ratings_of_the_same_people_bring_nothing_back(memory: Memory, way: str) -> None:
    turn_down(memory, way)
    ask_and_complain(memory, "how long do refunds take for case {}?")
    (job,) = memory.evolve()
    assert job.state is JobState.ORIGINAL_STAYS


def test_somebody_new_who_complains_brings_it_back(memory: Memory, way: str) -> None:
    turn_down(memory, way)
    answer = memory.answer("how long do refunds take?", principal="dee")
    memory.rate(answer.id, "bad", principal="dee")
    assert again(memory).state is JobState.WAITING


def test_control_somebody_new_who_is_content_or_unnamed_does_not(memory: Memory, way: str) -> None:
    turn_down(memory, way)
    for rating, who in (("good", "dee"), ("bad", None)):
        answer = memory.answer("how long do refunds take?", principal=who)
        memory.rate(answer.id, rating, principal=who)
    assert again(memory).state is JobState.ORIGINAL_STAYS


def test_newer_evidence_that_states_it_brings_it_back(memory: Memory, way: str) -> None:
    turn_down(memory, way)
    add(memory, "# Notice\n\nRefunds take 10 business days, as before.\n", "notice.md")
    assert again(memory).state is JobState.WAITING


@pytest.mark.parametrize(
    ("text", "source"),
    [(f"{NEWS}\n## Hours\n\nThe desk opens at nine.\n", "news.md"), ("# Refunds\n\nRefunds take a form.\n", "form.md")],
    ids=["same passage", "another fact"],
)
def test_control_newer_evidence_of_something_else_does_not(memory: Memory, way: str, text: str, source: str) -> None:
    turn_down(memory, way)
    add(memory, text, source)
    assert again(memory).state is JobState.ORIGINAL_STAYS


def test_another_change_of_the_section_is_proposed(tmp_path: Path, way: str) -> None:
    editor = ScriptedEditor()
    with outdated(tmp_path, model=editor, evolution=DETAIL) as memory:
        turn_down(memory, way)
        add(memory, "# June\n\n## Refunds\n\nSince June refunds take 12 business days.\n", "june.md")
        editor.new, editor.wanted = "Refunds take 12 business days.", "12 business days"
        job = again(memory)
        assert (job.state, job.candidates[0].refusals) == (JobState.WAITING, ())


def test_what_was_turned_down_is_shown_with_by_whom_and_why(memory: Memory, way: str) -> None:
    job_id = turn_down(memory, way)
    (told,) = memory.evolution.show(job_id).turned_down
    assert told.line == f"{way} on 2026-03-02 by mika: the desk says seven"
    assert [one.line for one in told.changes] == [
        "Refunds > Time: Refunds take 7 business days. -> Refunds take 10 business days."
    ]
    line = memory.evolution.generations("refunds.md")
    assert [one.turned_down for one in line] == ([told] if way == "rolled back" else [])


def test_a_canary_that_a_person_took_back_is_not_proposed_again(memory: Memory) -> None:
    (job,) = memory.evolve()
    memory.evolution.approve(job.id, canary=True)
    memory.evolution.rollback(job.id, reason="no", principal="mika")
    assert again(memory).candidates[0].refusals == ("rolled back on 2026-03-02 by mika: no",)


def test_what_people_rolled_back_outlives_the_job_that_proposed_it(memory: Memory) -> None:
    turn_down(memory, "rolled back")
    memory.forget("news.md")
    add(memory, NEWS.replace("Since", "From"), "news.md")
    assert again(memory).state is JobState.WAITING, "the evidence is new"
    assert [one.turned_down for one in memory.evolution.generations("refunds.md")] != [None]


def test_a_person_who_approves_what_was_dropped_writes_it(memory: Memory, way: str) -> None:
    turn_down(memory, way)
    job = again(memory)
    memory.evolution.approve(job.id, candidate="1", text=job.candidates[0].texts[0].text)
    assert OTHER_WORDS in text_of(memory)
