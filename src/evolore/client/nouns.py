"""The nouns of a memory as requests: what of ``review``, ``evolution``, ``questions`` and ``outline`` a server does."""

from __future__ import annotations

from evolore.client.plain_verbs import Asking, Json, Request, Verb, every, listed, part, plain
from evolore.domain.answer import Answer
from evolore.domain.document import DocumentTree
from evolore.domain.feedback import Feedback
from evolore.domain.outcome import QueryRecord
from evolore.domain.result import from_json
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, ReviewStatus
from evolore.errors import InvalidValue
from evolore.flows.browse import DocumentVersion
from evolore.flows.evolve.approve import Approved
from evolore.flows.evolve.canary import CanaryView
from evolore.flows.evolve.overview import EvolutionStats
from evolore.flows.evolve.rollback import RolledBack
from evolore.flows.evolve.show import DocumentGeneration, EvolutionJob, TextDiff
from evolore.flows.evolve.write import WrittenFile
from evolore.flows.rebase import PromotionConflict, SettledPromotion
from evolore.flows.review import Settled
from evolore.memory.evolution import Evolution
from evolore.memory.outline import Outline
from evolore.memory.questions import Questions
from evolore.memory.review import ReviewQueue


class ReviewVerbs:
    """Verbs of ``Memory.review``; files and calls of a chat model are the server's own matter."""

    @Verb
    def list(
        self,
        *,
        status: ReviewStatus | str | None = ReviewStatus.OPEN,
        category: ReviewCategory | str | None = None,
        priority: Priority | str | None = None,
        document: str | None = None,
        unresolved_for_days: int | None = None,
        limit: int | None = None,
    ) -> Asking[tuple[ReviewItem, ...]]:
        """List the review queue, the most urgent first, as ``Memory.review.list`` does."""
        wanted = {
            "status": "any" if status is None else status,
            "category": category,
            "priority": priority,
            "document": document,
            "unresolved_for_days": unresolved_for_days,
        }
        found = yield from every(
            "/review", "items", limit, {name: str(value) for name, value in wanted.items() if value is not None}
        )
        return tuple(from_json(ReviewItem, one) for one in found)

    show = plain(ReviewQueue.show, "GET /review/{item_id}", ReviewItem)
    resolve = plain(ReviewQueue.resolve, "POST /review/{item_id}/resolve", ReviewItem)
    reopen = plain(ReviewQueue.reopen, "POST /review/{item_id}/reopen", ReviewItem)
    note = plain(ReviewQueue.note, "POST /review", ReviewItem)
    settle = plain(ReviewQueue.settle, "POST /review/{item_id}/settle", Settled)
    conflict = plain(ReviewQueue.conflict, "GET /review/{item_id}/conflict", PromotionConflict)
    settle_promotion = plain(ReviewQueue.settle_promotion, "POST /review/{item_id}/settle", SettledPromotion)


class EvolutionVerbs:
    """Verbs of ``Memory.evolution``; ``approve`` accepts a job as it is now, whatever was seen of it."""

    jobs = listed(Evolution.jobs, "/evolution/jobs", "jobs", EvolutionJob, called={"states": "state"})
    show = plain(Evolution.show, "GET /evolution/jobs/{job_id}", EvolutionJob)
    diff = plain(Evolution.diff, "GET /evolution/jobs/{job_id}/diff", tuple[TextDiff, ...], inside="diffs")
    approve = plain(Evolution.approve, "POST /evolution/jobs/{job_id}/approve", Approved, headers={"If-Match": "*"})
    reject = plain(Evolution.reject, "POST /evolution/jobs/{job_id}/reject", EvolutionJob)
    rollback = plain(Evolution.rollback, "POST /evolution/promotions/{promotion_id}/rollback", RolledBack)
    generations = plain(
        Evolution.generations,
        "GET /documents/{document}/generations",
        tuple[DocumentGeneration, ...],
        inside="generations",
    )
    feedback = listed(Evolution.feedback, "/feedback", "feedback", Feedback)

    @Verb
    def stats(self) -> Asking[EvolutionStats]:
        """Count what people said of documents and what came of it, as ``Memory.evolution.stats`` does."""
        reply = yield Request(method="GET", path="/evolution/stats")
        return _stats(reply["stats"])

    @Verb
    def write(self, document: str, *, patch: bool = False) -> Asking[WrittenFile]:
        """Return the patch for the file that a document came from, as ``Memory.evolution.write`` does with ``patch=True``.

        Raises:
            InvalidValue: A file is to be written: it is the server's.
        """
        if not patch:
            raise InvalidValue("A server writes no file for a client: ask for what is to be changed with patch=True.")
        reply = yield Request(method="GET", path=f"/documents/{part(document)}/patch")
        return from_json(WrittenFile, reply)

    @Verb
    def canaries(self) -> Asking[tuple[CanaryView, ...]]:
        """List the changes that are before some people only, as ``Memory.evolution.canaries`` does."""
        reply = yield Request(method="GET", path="/evolution/canaries")
        return tuple(from_json(CanaryView, one) for one in reply["canaries"])

    @Verb
    def canary(self, promotion_id: str, *, grow: bool = False, principal: str | None = None) -> Asking[CanaryView]:
        """Show how a change does before some people, or bring it before more, as ``Memory.evolution.canary`` does."""
        path = f"/evolution/canaries/{part(promotion_id)}"
        shown = Request(method="GET", path=path)
        reply = yield Request(method="POST", path=f"{path}/grow", principal=principal) if grow else shown
        return from_json(CanaryView, reply)


class QuestionVerbs:
    """Verbs of ``Memory.questions``."""

    record_answer = plain(Questions.record_answer, "POST /answers/recorded", Answer)
    list = listed(Questions.list, "/questions", "questions", QueryRecord, called={"principal": "of"})
    show = plain(Questions.show, "GET /questions/{query_id}", QueryRecord)


class OutlineVerbs:
    """Verbs of ``Memory.outline``."""

    tree = plain(Outline.tree, "GET /documents/{document}/outline", DocumentTree, called={"with_text": "text"})
    versions = listed(Outline.versions, "/documents/{document}/versions", "versions", DocumentVersion)


def _stats(told: Json) -> EvolutionStats:
    """Read them from the form of seed 003."""
    heard, evolution = told["feedback"], told["evolution"]
    return EvolutionStats(
        good=heard["good"],
        bad=heard["bad"],
        pending_bad=heard["pendingBad"],
        eligible_document_ids=tuple(evolution["eligibleDocumentIds"]),
        total_evolutions=evolution["totalEvolutions"],
        successful_evolutions=evolution["successfulEvolutions"],
        threshold=evolution["threshold"],
        documents=told["documents"]["total"],
    )
