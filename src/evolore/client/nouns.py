"""The nouns of a memory as requests: what of ``review``, ``evolution``, ``questions`` and ``outline`` a server does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evolore.client.verbs import Asking, Json, Request, every, part, said
from evolore.domain.answer import Answer
from evolore.domain.document import DocumentTree
from evolore.domain.evolution import JobState
from evolore.domain.feedback import Feedback
from evolore.domain.outcome import Outcome, QueryRecord
from evolore.domain.result import from_json
from evolore.domain.review import Keep, Priority, ReviewCategory, ReviewItem, ReviewStatus
from evolore.domain.times import Moment, read_moment
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


class ReviewVerbs:
    """What ``memory.review`` asks of a server; files and calls of a chat model are the server's own matter."""

    @staticmethod
    def list(
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
        found = yield from every("/review", "items", limit, _texts(wanted))
        return tuple(from_json(ReviewItem, one) for one in found)

    @staticmethod
    def show(item_id: str) -> Asking[ReviewItem]:
        """Return a review item, as ``Memory.review.show`` does."""
        reply = yield Request(method="GET", path=f"/review/{part(item_id)}")
        return from_json(ReviewItem, reply)

    @staticmethod
    def resolve(item_id: str, *, note: str | None = None, principal: str | None = None) -> Asking[ReviewItem]:
        """Resolve a review item, as ``Memory.review.resolve`` does."""
        reply = yield _act(f"/review/{part(item_id)}/resolve", {"note": note}, principal)
        return from_json(ReviewItem, reply)

    @staticmethod
    def reopen(item_id: str, *, note: str | None = None, principal: str | None = None) -> Asking[ReviewItem]:
        """Open a resolved review item again, as ``Memory.review.reopen`` does."""
        reply = yield _act(f"/review/{part(item_id)}/reopen", {"note": note}, principal)
        return from_json(ReviewItem, reply)

    @staticmethod
    def note(
        text: str,
        *,
        priority: Priority | str = Priority.NORMAL,
        about: str | None = None,
        principal: str | None = None,
    ) -> Asking[ReviewItem]:
        """File a note by hand, as ``Memory.review.note`` does."""
        reply = yield _act("/review", {"text": text, "priority": priority, "about": about}, principal)
        return from_json(ReviewItem, reply)

    @staticmethod
    def settle(
        item_id: str, *, keep: Keep | str, note: str | None = None, principal: str | None = None
    ) -> Asking[Settled]:
        """Decide which of two statements holds, as ``Memory.review.settle`` does."""
        reply = yield _act(f"/review/{part(item_id)}/settle", {"keep": keep, "note": note}, principal)
        return from_json(Settled, reply)

    @staticmethod
    def conflict(item_id: str) -> Asking[PromotionConflict]:
        """Show a section that was promoted and that its source changed too, as ``Memory.review.conflict`` does."""
        reply = yield Request(method="GET", path=f"/review/{part(item_id)}/conflict")
        return from_json(PromotionConflict, reply)

    @staticmethod
    def settle_promotion(
        item_id: str, *, keep: Keep | str, note: str | None = None, principal: str | None = None
    ) -> Asking[SettledPromotion]:
        """Decide which text of such a section stands, as ``Memory.review.settle_promotion`` does."""
        reply = yield _act(f"/review/{part(item_id)}/settle", {"keep": keep, "note": note}, principal)
        return from_json(SettledPromotion, reply)


class EvolutionVerbs:
    """What ``memory.evolution`` asks of a server."""

    @staticmethod
    def jobs(*, states: Iterable[JobState | str] = (), limit: int = 100) -> Asking[tuple[EvolutionJob, ...]]:
        """List jobs, the newest first, as ``Memory.evolution.jobs`` does."""
        found = yield from every("/evolution/jobs", "jobs", limit, {"state": [str(one) for one in states]})
        return tuple(from_json(EvolutionJob, one) for one in found)

    @staticmethod
    def show(job_id: str) -> Asking[EvolutionJob]:
        """Show a job, as ``Memory.evolution.show`` does."""
        reply = yield Request(method="GET", path=f"/evolution/jobs/{part(job_id)}")
        return from_json(EvolutionJob, reply)

    @staticmethod
    def diff(job_id: str, *, candidate: str = "") -> Asking[tuple[TextDiff, ...]]:
        """Show what a candidate changes, as ``Memory.evolution.diff`` does."""
        path = f"/evolution/jobs/{part(job_id)}/diff"
        reply = yield Request(method="GET", path=path, params={"candidate": candidate})
        return tuple(from_json(TextDiff, one) for one in reply["diffs"])

    @staticmethod
    def stats() -> Asking[EvolutionStats]:
        """Count what people said of documents and what came of it, as ``Memory.evolution.stats`` does."""
        reply = yield Request(method="GET", path="/evolution/stats")
        return _stats(reply["stats"])

    @staticmethod
    def approve(
        job_id: str,
        *,
        candidate: str = "",
        text: str | None = None,
        rebase: bool = False,
        canary: bool | None = None,
        reason: str = "",
        principal: str | None = None,
    ) -> Asking[Approved]:
        """Accept a candidate, as ``Memory.evolution.approve`` does: as the job is now, whatever you saw of it."""
        body = {"candidate": candidate, "text": text, "rebase": rebase, "canary": canary, "reason": reason}
        path = f"/evolution/jobs/{part(job_id)}/approve"
        reply = yield Request(method="POST", path=path, body=said(body), principal=principal, headers={"If-Match": "*"})
        return from_json(Approved, reply)

    @staticmethod
    def reject(job_id: str, *, reason: str, principal: str | None = None) -> Asking[EvolutionJob]:
        """Reject what a job proposes, as ``Memory.evolution.reject`` does."""
        reply = yield _act(f"/evolution/jobs/{part(job_id)}/reject", {"reason": reason}, principal)
        return from_json(EvolutionJob, reply)

    @staticmethod
    def rollback(promotion_id: str, *, reason: str, principal: str | None = None) -> Asking[RolledBack]:
        """Restore the texts before a promotion, as ``Memory.evolution.rollback`` does."""
        path = f"/evolution/promotions/{part(promotion_id)}/rollback"
        reply = yield _act(path, {"reason": reason}, principal)
        return from_json(RolledBack, reply)

    @staticmethod
    def generations(document: str) -> Asking[tuple[DocumentGeneration, ...]]:
        """Return a document's line, as ``Memory.evolution.generations`` does."""
        reply = yield Request(method="GET", path=f"/documents/{part(document)}/generations")
        return tuple(from_json(DocumentGeneration, one) for one in reply["generations"])

    @staticmethod
    def write(document: str, *, patch: bool = False) -> Asking[WrittenFile]:
        """Return the patch for the file that a document came from, as ``Memory.evolution.write`` does with ``patch=True``.

        Raises:
            InvalidValue: A file is to be written: it is the server's.
        """
        if not patch:
            raise InvalidValue("A server writes no file for a client: ask for what is to be changed with patch=True.")
        reply = yield Request(method="GET", path=f"/documents/{part(document)}/patch")
        return from_json(WrittenFile, reply)

    @staticmethod
    def feedback(document: str | None = None, *, unprocessed: bool = False) -> Asking[tuple[Feedback, ...]]:
        """List what people said of documents, oldest first, as ``Memory.evolution.feedback`` does."""
        wanted = _texts({"document": document, "unprocessed": str(unprocessed).lower()})
        found = yield from every("/feedback", "feedback", None, wanted)
        return tuple(from_json(Feedback, one) for one in found)

    @staticmethod
    def canaries() -> Asking[tuple[CanaryView, ...]]:
        """List the changes that are before some people only, as ``Memory.evolution.canaries`` does."""
        reply = yield Request(method="GET", path="/evolution/canaries")
        return tuple(from_json(CanaryView, one) for one in reply["canaries"])

    @staticmethod
    def canary(promotion_id: str, *, grow: bool = False, principal: str | None = None) -> Asking[CanaryView]:
        """Show how a change does before some people, or bring it before more, as ``Memory.evolution.canary`` does."""
        path = f"/evolution/canaries/{part(promotion_id)}"
        shown = Request(method="GET", path=path)
        reply = yield Request(method="POST", path=f"{path}/grow", principal=principal) if grow else shown
        return from_json(CanaryView, reply)


class QuestionVerbs:
    """What ``memory.questions`` asks of a server."""

    @staticmethod
    def record_answer(
        question: str,
        text: str,
        *,
        cited: Iterable[str] = (),
        outcome: Outcome | str | None = None,
        principal: str | None = None,
        answered_at: Moment | None = None,
    ) -> Asking[Answer]:
        """Record an answer that was produced elsewhere, as ``Memory.questions.record_answer`` does."""
        body = {
            "question": question,
            "text": text,
            "cited": [*cited],
            "outcome": outcome,
            "answered_at": read_moment(answered_at, "answered_at"),
        }
        reply = yield _act("/answers/recorded", body, principal)
        return from_json(Answer, reply)

    @staticmethod
    def list(*, principal: str | None = None, limit: int = 20) -> Asking[tuple[QueryRecord, ...]]:
        """List the questions that were taken down, the last first, as ``Memory.questions.list`` does."""
        found = yield from every("/questions", "questions", limit, _texts({"of": principal}))
        return tuple(from_json(QueryRecord, one) for one in found)

    @staticmethod
    def show(query_id: str) -> Asking[QueryRecord]:
        """Return a question that was taken down, as ``Memory.questions.show`` does."""
        reply = yield Request(method="GET", path=f"/questions/{part(query_id)}")
        return from_json(QueryRecord, reply)


class OutlineVerbs:
    """What ``memory.outline`` asks of a server."""

    @staticmethod
    def tree(document: str, *, with_text: bool = False, as_of: Moment | None = None) -> Asking[DocumentTree]:
        """Return the outline of a document, as ``Memory.outline.tree`` does."""
        moment = read_moment(as_of, "as_of")
        params = {"text": str(with_text).lower(), **({} if moment is None else {"as_of": moment.isoformat()})}
        reply = yield Request(method="GET", path=f"/documents/{part(document)}/outline", params=params)
        return from_json(DocumentTree, reply)

    @staticmethod
    def versions(document: str, *, limit: int = 20) -> Asking[tuple[DocumentVersion, ...]]:
        """List the versions of a document, the newest first, as ``Memory.outline.versions`` does."""
        found = yield from every(f"/documents/{part(document)}/versions", "versions", limit)
        return tuple(from_json(DocumentVersion, one) for one in found)


def _act(path: str, body: dict[str, Json], principal: str | None) -> Request:
    return Request(method="POST", path=path, body=said(body), principal=principal)


def _texts(wanted: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in wanted.items() if value is not None}


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
