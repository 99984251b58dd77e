"""What evolution did in a whole memory, and the same in the seed's form."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from evolore.domain.evolution import Operator
from evolore.errors import InvalidValue, NotFound
from evolore.evolution.settings import EvolutionSettings, SelectionMode
from evolore.flows.evolve.overview import EvaluationResult
from evolving.complaints import BETTER, PEOPLE, TEXT, complain, complained, filled, open_memory
from evolving.scripted import ScriptedEditor

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory

DETAIL = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,))
SEED = EvolutionSettings(operators=(Operator.MUTATION_DETAIL,), mode=SelectionMode.SEED)


def refunds(memory: Memory) -> str:
    return next(one.id for one in memory.list().documents if one.source == "refunds.md")


def complain_of_answers(memory: Memory) -> None:
    """Have three people rate an answer each."""
    filled(memory, questions=0)
    for who in PEOPLE:
        answer = memory.answer(f"how long do refunds take for {who}?", principal=who)
        memory.rate(answer.id, "bad", principal=who)


def test_statistics_have_exactly_the_fields_of_the_seed(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        memory.rate(refunds(memory), "good", principal="dora")
        found = memory.evolution.stats()
        assert found.to_seed() == {
            "feedback": {"total": 4, "good": 1, "bad": 3, "pendingBad": 3},
            "evolution": {
                "eligibleDocuments": 1,
                "eligibleDocumentIds": [refunds(memory)],
                "totalEvolutions": 0,
                "successfulEvolutions": 0,
                "threshold": 3,
            },
            "documents": {"total": 2},
        }
        (job,) = memory.evolve()
        assert memory.evolution.stats().eligible_document_ids == ()
        done = memory.evolution.approve(job.id)
        after = memory.evolution.stats()
        assert (after.pending_bad, after.total_evolutions, after.successful_evolutions) == (0, 1, 1)
        assert done.promotion is not None
        memory.evolution.rollback(done.promotion.id, reason="Seven it is.")
        again = memory.evolution.stats()
        assert (again.pending_bad, again.total_evolutions, again.successful_evolutions) == (3, 1, 0)
        assert again.eligible_document_ids == (refunds(memory),)


@pytest.mark.parametrize("people", [(), ("ann",), ("ann", "ben"), PEOPLE])
def test_what_is_eligible_is_what_evolve_takes_up(tmp_path: Path, people: tuple[str, ...]) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        complain(memory, filled(memory, questions=3), people)
        eligible = memory.evolution.stats().eligible_document_ids
        assert [one.id for one in memory.evolution.candidates().eligible] == list(eligible)
        assert [job.documents[0].id for job in memory.evolve()] == list(eligible)


def test_history_tells_every_change_with_the_fields_of_the_seed(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        assert memory.evolution.history() == ()
        promotion = memory.evolution.approve(job.id).promotion
        assert promotion is not None
        (entry,) = memory.evolution.history()
        told = entry.to_seed()
        assert datetime.fromisoformat(str(told.pop("createdAt"))) == promotion.promoted_at
        assert told == {
            "id": promotion.id,
            "documentId": refunds(memory),
            "generation": 1,
            "mutationType": "MUTATION_DETAIL",
            "winRate": promotion.win_rate,
            "triggerFeedbackIds": list(job.feedback_ids),
            "previousContentSnapshot": TEXT,
            "newContentSnapshot": BETTER,
            "rollbackAvailable": True,
        }
        assert memory.evolution.history("refunds.md") == (entry,)
        assert memory.evolution.history("news.md") == ()
        memory.evolution.rollback(entry.promotion_id, reason="Seven it is.")
        (after,) = memory.evolution.history()
        assert not after.can_roll_back
        assert after.rolled_back_at is not None
        with pytest.raises(InvalidValue, match="limit"):
            memory.evolution.history(limit=0)
        with pytest.raises(NotFound):
            memory.evolution.history("nowhere.md")


def test_a_document_that_its_source_changed_since_cannot_be_rolled_back(tmp_path: Path) -> None:
    with complained(tmp_path, model=ScriptedEditor(), evolution=DETAIL) as memory:
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
        memory.add_text("# Refunds\n\nThere are none.\n", source="refunds.md")
        assert [one.can_roll_back for one in memory.evolution.history()] == [False]
        memory.forget("refunds.md")
        assert [(one.source, one.after, one.can_roll_back) for one in memory.evolution.history()] == [("", None, False)]


def test_candidates_of_open_jobs_have_the_fields_of_the_seed(tmp_path: Path) -> None:
    with open_memory(tmp_path, model=ScriptedEditor(), evolution=SEED) as memory:
        complain_of_answers(memory)
        (eligible,) = memory.evolution.candidates("refunds.md").eligible
        assert (eligible.people, len(eligible.feedback_ids)) == (3, 3)
        (job,) = memory.evolve()
        told = memory.evolution.candidates().to_seed()
        assert told == {
            "eligibleDocumentIds": [],
            "candidates": [
                {
                    "id": f"{job.id}-1",
                    "content": BETTER,
                    "mutationType": "MUTATION_DETAIL",
                    "sourceDocumentId": refunds(memory),
                }
            ],
            "evaluationResults": [
                {
                    "candidateId": f"{job.id}-1",
                    "score": 5.0,
                    "winRate": 1.0,
                    "metrics": {"helpfulness": 5.0, "correctness": 5.0, "coherence": 5.0},
                }
            ],
        }
        assert memory.evolution.candidates("news.md").candidates == ()
        memory.evolution.approve(job.id)
        assert memory.evolution.candidates().to_dict() == {"eligible": [], "candidates": [], "results": []}


def test_a_candidate_without_scores_of_a_judge_has_no_metrics() -> None:
    result = EvaluationResult(candidate_id="job-1", win_rate=1.0, metrics=None)
    assert result.to_seed() == {
        "candidateId": "job-1",
        "score": None,
        "winRate": 1.0,
        "metrics": {"helpfulness": None, "correctness": None, "coherence": None},
    }
