"""Two documents that answer the same rated questions are crossed without being named, and a person decides."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evolore.domain.evolution import JobState, Operator
from evolore.evolution.settings import EvolutionSettings
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder
from evolving.complaints import PEOPLE, TEXT, text_of
from evolving.corrections import add, opened
from evolving.scripted import OLD, ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

    from evolore.flows.evolve.show import EvolutionJob

PAGE, OTHER = "refunds.md", "money.md"
MONEY = "# Money back\n\nRefunds take 7 business days. Ask the desk first.\n"
QUESTIONS = ("how many business days do refunds take?", "refunds take how many business days, please?")
BY_DEFAULT = EvolutionSettings()


class Crossing(ScriptedEditor):
    """Sees nothing to improve in one document, and merges two: what only the money page says goes into the other."""

    def _evolution_write(self, data: Any) -> Any:  # noqa: ANN401 - JSON
        del data
        return {"edits": []}

    def _evolution_merge(self, data: Any) -> Any:  # noqa: ANN401 - JSON
        first, _ = data["documents"]
        section = first["sections"][-1]
        only = "Ask the desk first." if "Ask the desk" not in str(first) else "The desk decides. Call it at noon."
        edit = {"kind": "replace", "place": section["place"], "text": f"{section['text'].rstrip()} {only}\n"}
        made: dict[str, Any] = {**edit, "reason": "One page says all.", "evidence": list[str]()}
        return {"edits": [made], "conflicts": []}

    def _evolution_extract(self, data: Any) -> Any:  # noqa: ANN401 - JSON
        del data
        return {"title": "", "text": "", "taken": [], "conflicts": []}


class Correcting(Crossing):
    """Corrects a value by evidence, too."""

    _evolution_write = ScriptedEditor._evolution_write


def complain(memory: Memory, questions: tuple[str, ...] = QUESTIONS) -> None:
    """Have three people ask each question, and call the answers bad."""
    for who in PEOPLE:
        for question in questions:
            memory.rate(memory.answer(question, principal=who).id, "bad", principal=who)


@contextmanager
def complained(
    folder: Path, *, news: str = "", good: Sequence[str] = (), evolution: EvolutionSettings | None = None
) -> Generator[Memory]:
    """Open a memory of two pages on which the answers that people called bad rest, both of them."""
    with opened(folder) as memory:
        add(memory, TEXT, PAGE)
        add(memory, MONEY, OTHER)
        complain(memory)
        for question in good:
            memory.rate(memory.answer(question, principal="dee").id, "good", principal="dee")
        if news:
            add(memory, news, "news.md")
    model = Correcting() if news else Crossing()
    with opened(folder, model=model, evolution=evolution, hours=1) as memory:
        yield memory


def crossed(jobs: tuple[EvolutionJob, ...]) -> list[EvolutionJob]:
    return [one for one in jobs if len(one.documents) > 1]


def pages(memory: Memory) -> tuple[str, str]:
    return text_of(memory, PAGE), text_of(memory, OTHER)


def test_by_default_two_documents_that_answer_the_same_rated_questions_are_crossed(tmp_path: Path) -> None:
    with complained(tmp_path) as memory:
        jobs = memory.evolve()
        assert [len(one.documents) for one in jobs] == [1, 1, 2]
        (job,) = crossed(jobs)
        assert {one.source for one in job.documents} == {PAGE, OTHER}
        assert [one.operator for one in job.candidates] == [Operator.CROSSOVER_MERGE], job.skipped
        assert not job.candidates[0].refusals
        assert len(job.feedback_ids) == 2 * len(PEOPLE) * len(QUESTIONS)
        assert pages(memory) == (TEXT, MONEY)
        assert memory.evolve() == ()


def test_some_calls_at_a_time_come_to_the_same_and_a_pair_is_crossed_once(tmp_path: Path) -> None:
    with complained(tmp_path) as memory:
        jobs = memory.evolve(calls=4)
        while any(one.stopped for one in jobs):
            jobs = memory.evolve(calls=4)
        (job,) = crossed(memory.evolution.jobs())
        assert job.state is not JobState.RUNNING
        for one in memory.evolution.jobs(states=["waiting"]):
            memory.evolution.reject(one.id, reason="Two pages are right.")
        complain(memory)
        assert memory.evolve() != ()
        assert [one.id for one in crossed(memory.evolution.jobs())] == [job.id]


def test_a_policy_leaves_it_to_a_person_who_can_take_it_over_and_back(tmp_path: Path) -> None:
    with complained(tmp_path, evolution=replace(BY_DEFAULT, auto_update=True)) as memory:
        (job,) = crossed(memory.evolve())
        assert pages(memory) == (TEXT, MONEY)
        memory.evolution.approve(job.id, candidate="1")
        after = "".join(pages(memory))
        assert after.count(OLD) == 1
        assert "Ask the desk first." in after
        memory.evolution.rollback(job.id, reason="Two pages were better.")
        assert pages(memory) == (TEXT, MONEY)


def test_where_one_has_a_proved_result_nothing_is_crossed(tmp_path: Path) -> None:
    with complained(tmp_path, news="# News\n\nSince May refunds take 10 business days.\n") as memory:
        jobs = memory.evolve()
        assert "winner" in {one.decision for one in jobs}
        assert crossed(jobs) == []


def test_documents_of_which_most_rated_questions_are_others_are_not_crossed(tmp_path: Path) -> None:
    others = [f"do they go to the card that paid {number}?" for number in range(3)]
    with complained(tmp_path, good=others) as memory:
        assert [len(one.documents) for one in memory.evolve()] == [1, 1]


def test_documents_of_two_namespaces_are_never_crossed(tmp_path: Path) -> None:
    for name, text, source in (("a", TEXT, PAGE), ("b", MONEY, OTHER)):
        with Memory.open(tmp_path / "store", namespace=name, embedder=HashingEmbedder()) as memory:
            add(memory, text, source)
            complain(memory)
    for name in ("a", "b"):
        with Memory.open(
            tmp_path / "store", namespace=name, embedder=HashingEmbedder(), chat_model=Crossing()
        ) as memory:
            assert [len(one.documents) for one in memory.evolve()] == [1]


def test_without_crossovers_among_the_operators_nothing_is_crossed(tmp_path: Path) -> None:
    with complained(tmp_path, evolution=EvolutionSettings(operators=(Operator.MUTATION_CLARITY,))) as memory:
        jobs = memory.evolve()
        assert [len(one.documents) for one in jobs] == [1, 1]
        assert {one.state for one in jobs} == {JobState.ORIGINAL_STAYS}
