"""Candidates from a search: what it may ask for on behalf of a job, and what is taken of what it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.lineage import Operator
from evolore.evolution.reflecting import REFLECT_PROMPT
from evolore.evolution.shown_texts import sections_to_show
from evolore.flows.evolving.desk import pause_after_failures
from evolore.flows.evolving.job_log import Stopped
from evolore.flows.evolving.search_task import SectionTask
from evolore.flows.proposing import NoProposal, Proposal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.flows.evolving.desk import Desk
    from evolore.flows.evolving.search_drafts import Draft


def searched(desk: Desk) -> tuple[Proposal, ...] | NoProposal:
    """Search for better texts of a job's document, section by section, by the questions that gave rise to the job.

    What is asked meanwhile are calls of the job like any other: after a stop the search goes the same way again, and
    asks nothing twice. What it finds is only proposed; a library that fails leaves everything as it is.

    Returns:
        At most as many as the job has room for, the best first.

    Raises:
        Stopped: It cannot be done now.
        MissingExtra: What searches is not installed.
    """
    job, (document,) = desk.job, desk.documents()
    assert job.plan is not None
    assert job.settings is not None
    questions = [one.text for one in job.plan.questions.train][: job.settings.search.most_questions]
    shown = sections_to_show(document, job.plan.complaints, job.plan.evidence, job.settings.writing)
    if not questions or not shown:
        return NoProposal(reason="too_long" if questions else "no_questions")
    task = SectionTask(desk, document, shown)
    found = _found(desk, task, questions)
    pause_after_failures(desk)
    room = job.settings.candidate_count - len(job.standing)
    drafts = task.drafts.best(found, most=room)
    if not drafts:
        return NoProposal(reason=task.reason)
    return tuple(_proposal(one) for one in drafts)


def _found(desk: Desk, task: SectionTask, questions: Sequence[str]) -> Sequence[Mapping[str, str]]:
    """Let the library search; what failed of ours is raised as it was, and what failed of it pauses the job."""
    settings = desk.job.settings
    assert settings is not None
    search = desk.context.open_search()
    tries = desk.job.tries(Operator.MUTATION_REFLECTION)
    try:
        found = search.search(
            task.texts,
            questions,
            task,
            rounds=settings.search.rounds,
            at_once=settings.search.at_once,
            seed=desk.seed + tries,
        )
    except Exception as error:
        task.raise_failure()
        pause_after_failures(desk)
        raise Stopped(f"The search failed: {type(error).__name__}: {error}") from error
    task.raise_failure()
    return found


def _proposal(draft: Draft) -> Proposal:
    return Proposal(
        operator=Operator.MUTATION_REFLECTION,
        texts=(draft.proposed,),
        edits=(draft.edits,),
        prompt=str(REFLECT_PROMPT),
    )
