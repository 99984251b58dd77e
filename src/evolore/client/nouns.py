"""The nouns of a memory as requests: what of ``review``, ``evolution``, ``questions`` and ``outline`` a server does."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from evolore.client.plain_verbs import ID, LOOKING, Asking, Json, Request, Served, Verb, every, listed, part, plain
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

_ITEM = {
    "id": ID,
    "category": "contradiction",
    "status": "open",
    "priority": "normal",
    "reason": "Two statements give two cities for the office.",
}
_Note = Annotated[str | None, Field(max_length=10_000, description="What was done about it.")]


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

    show = plain(
        ReviewQueue.show,
        "GET /review/{item_id}",
        ReviewItem,
        served=Served(tags=("review",), summary="Show a review item", scopes=LOOKING, reply=_ITEM),
    )
    resolve = plain(
        ReviewQueue.resolve,
        "POST /review/{item_id}/resolve",
        ReviewItem,
        served=Served(
            tags=("review",),
            summary="Resolve a review item",
            scopes=("review",),
            reply={**_ITEM, "status": "resolved"},
            takes={"note": _Note},
            body={"note": "Cut by hand."},
        ),
    )
    reopen = plain(
        ReviewQueue.reopen,
        "POST /review/{item_id}/reopen",
        ReviewItem,
        served=Served(
            tags=("review",),
            summary="Open a review item again",
            scopes=("review",),
            reply=_ITEM,
            takes={"note": _Note},
            body={"note": "Cut by hand."},
        ),
    )
    note = plain(
        ReviewQueue.note,
        "POST /review",
        ReviewItem,
        served=Served(
            tags=("review",),
            summary="File a note",
            scopes=("review",),
            reply={**_ITEM, "category": "note"},
            takes={
                "text": Annotated[str, Field(min_length=1, max_length=10_000)],
                "priority": Annotated[str, Field(max_length=40)],
                "about": Annotated[str | None, Field(max_length=4096)],
            },
            body={"text": "Is this price still right?", "about": "prices.md"},
            status=201,
            links={
                "/id": (
                    "show_api_review__item_id__get item_id",
                    "resolve_api_review__item_id__resolve_post item_id",
                    "reopen_api_review__item_id__reopen_post item_id",
                )
            },
        ),
    )
    settle = plain(ReviewQueue.settle, "POST /review/{item_id}/settle", Settled)
    conflict = plain(
        ReviewQueue.conflict,
        "GET /review/{item_id}/conflict",
        PromotionConflict,
        served=Served(
            tags=("review",),
            summary="Show a section that was promoted and changed by its source",
            scopes=LOOKING,
            reply={"base": "7 days", "promoted": "10 days", "source": "9 days"},
        ),
    )
    settle_promotion = plain(ReviewQueue.settle_promotion, "POST /review/{item_id}/settle", SettledPromotion)


class EvolutionVerbs:
    """Verbs of ``Memory.evolution``; ``approve`` accepts a job as it is now, whatever was seen of it."""

    jobs = listed(Evolution.jobs, "/evolution/jobs", "jobs", EvolutionJob, called={"states": "state"})
    show = plain(Evolution.show, "GET /evolution/jobs/{job_id}", EvolutionJob)
    diff = plain(
        Evolution.diff,
        "GET /evolution/jobs/{job_id}/diff",
        tuple[TextDiff, ...],
        inside="diffs",
        served=Served(
            tags=("evolution",),
            summary="Show what a candidate changes",
            scopes=LOOKING,
            reply={"diffs": [{"document_id": ID, "base_version": 1, "version": 1, "lines": ["-7 days", "+10 days"]}]},
            takes={"candidate": Annotated[str, Field(max_length=40)]},
        ),
    )
    approve = plain(Evolution.approve, "POST /evolution/jobs/{job_id}/approve", Approved, headers={"If-Match": "*"})
    reject = plain(Evolution.reject, "POST /evolution/jobs/{job_id}/reject", EvolutionJob)
    rollback = plain(
        Evolution.rollback,
        "POST /evolution/promotions/{promotion_id}/rollback",
        RolledBack,
        served=Served(
            tags=("evolution",),
            summary="Roll a change back",
            scopes=("review",),
            reply={"promotion": {"id": ID, "rolled_back_at": "2026-03-09T09:30:00+00:00"}},
            takes={"reason": Annotated[str, Field(min_length=1, max_length=10_000)]},
            body={"reason": "Nine days, not ten."},
        ),
    )
    generations = plain(
        Evolution.generations,
        "GET /documents/{document:path}/generations",
        tuple[DocumentGeneration, ...],
        inside="generations",
        served=Served(
            tags=("documents",),
            summary="Show what evolution made of a document",
            scopes=LOOKING,
            reply={"generations": [{"number": 1, "before": "7 days", "after": "10 days"}]},
        ),
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
    show = plain(
        Questions.show,
        "GET /questions/{query_id}",
        QueryRecord,
        served=Served(
            tags=("recall",),
            summary="Show a question that was asked",
            name="question",
            scopes=("read",),
            reply={"id": ID, "text": "How long do refunds take?", "ratings": []},
        ),
    )


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
