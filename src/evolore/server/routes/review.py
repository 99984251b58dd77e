"""Routes of review: what a person should look at, and what they say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import Field

from evolore.client.verbs import ITEM, Note
from evolore.domain.review import ReviewItem
from evolore.flows.rebase import SettledPromotion
from evolore.flows.review import Settled, choose, list_items
from evolore.server.access import Looker, Reviewer
from evolore.server.cursors import Cursor, Limit, part, place_in_queue, queue_key
from evolore.server.described import Body, shows
from evolore.server.idempotency import DoneOnce
from evolore.server.listings import context_of

router = APIRouter(prefix="/review", tags=["review"], route_class=DoneOnce)
Word = Annotated[str | None, Query(max_length=40)]


class Settling(Body, json_schema_extra={"examples": [{"keep": "newer"}]}):
    """Which of two holds."""

    keep: Annotated[
        str,
        Field(
            max_length=40,
            description="Of statements `newer`, `older` or `both`; of a promoted section `promoted` or `source`.",
        ),
    ]
    note: Note = None


@router.get(
    "", summary="List the review queue", responses=shows({"items": [ITEM], "next": None}, of={"items": ReviewItem})
)
def listed(
    caller: Looker,
    status: Annotated[str, Query(max_length=40, description="`open`, `resolved` or `any`.")] = "open",
    category: Word = None,
    priority: Word = None,
    document: Annotated[str | None, Query(max_length=4096)] = None,
    unresolved_for_days: Annotated[int | None, Query(ge=0, le=100_000)] = None,
    limit: Limit = 100,
    cursor: Cursor = None,
) -> JSONResponse:
    """List what a person should look at, the most urgent first, and of those the oldest first."""
    context = context_of(caller.memory)

    def behind(key: Sequence[str], most: int) -> Sequence[ReviewItem]:
        wanted = choose(
            context,
            status=None if status == "any" else status,
            category=category,
            priority=priority,
            document=document,
            unresolved_for_days=unresolved_for_days,
            after=place_in_queue(key),
            limit=most,
        )
        return list_items(context, wanted)

    shown, following = part(behind, queue_key, limit=limit, cursor=cursor)
    return JSONResponse({"items": [one.to_dict() for one in shown], "next": following})


@router.post(
    "/{item_id}/settle",
    summary="Decide which of two statements holds",
    responses=shows({"item": {**ITEM, "status": "resolved"}, "event_ids": []}, of=(Settled, SettledPromotion)),
)
def settle(item_id: str, said: Settling, caller: Reviewer) -> JSONResponse:
    """Decide which of two statements holds that do not fit together, or which text of a section that was promoted."""
    review = caller.memory.review
    is_promotion = review.show(item_id).category == "promotion"
    settled = review.settle_promotion if is_promotion else review.settle
    return JSONResponse(settled(item_id, keep=said.keep, note=said.note, principal=caller.principal).to_dict())
