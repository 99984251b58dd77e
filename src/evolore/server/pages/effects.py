"""Effects: how changes did with readers, by document and operator, what an accepted one cost, and how many were taken back."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fastapi import APIRouter, Response

from evolore.domain.evolution import JobState
from evolore.domain.outcome import Rating
from evolore.evolution.matches import Interval, wilson
from evolore.server.pages.page import PageRoute, Read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from evolore.domain.evolution import Operator, PromotedDocument, Promotion
    from evolore.domain.feedback import Feedback
    from evolore.flows.evolve.show import EvolutionJob
    from evolore.memory import Memory

router = APIRouter(route_class=PageRoute)
_MOST_JOBS = 1_000
_NEVER = 1_000_000_000
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How often readers said BAD.

    Args:
        bad: So often.
        total: Of how many ratings.
    """

    bad: int
    total: int

    @property
    def rate(self) -> float:
        """The share, 0-1; 0 of none."""
        return self.bad / self.total if self.total else 0.0

    @property
    def interval(self) -> Interval:
        """Its 95 % interval (Wilson 1927)."""
        return wilson(self.bad, self.total)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a change of one document did.

    Args:
        promotion: The change.
        document_id: The document.
        source: Where it came from; empty where it was forgotten.
        before: Ratings of the versions before it.
        after: Ratings of its version and those that followed, up to the next change or the rollback.
        cost_micros: What its job cost, in millionths.
    """

    promotion: Promotion
    document_id: str
    source: str
    before: Share
    after: Share
    cost_micros: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ByOperator:
    """The same of all changes that were made in one way.

    Args:
        operator: How.
        accepted: How many changes were taken over.
        rolled_back: How many of them were taken back.
        before: Ratings before, all together.
        after: Ratings after.
        cost_micros: What their jobs cost.
    """

    operator: Operator
    accepted: int
    rolled_back: int
    before: Share
    after: Share
    cost_micros: int

    @property
    def rollback(self) -> Share:
        """The share that was taken back."""
        return Share(bad=self.rolled_back, total=self.accepted)


@router.get("/effects")
def effects(page: Read) -> Response:
    """Show what changes did."""
    jobs = page.memory.evolution.jobs(limit=_MOST_JOBS)
    found = effects_of(page.memory, jobs)
    accepted = len({one.promotion.id for one in found})
    return page.html(
        "effects.html",
        effects=found,
        operators=by_operator(found),
        decided=sum(one.state in {JobState.PROMOTED, JobState.REJECTED, JobState.ROLLED_BACK} for one in jobs),
        accepted=accepted,
        rolled_back=Share(bad=sum(one.state is JobState.ROLLED_BACK for one in jobs), total=accepted),
        spent=sum(one.usage.cost_micros for one in jobs),
        calls=sum(one.usage.calls for one in jobs),
    )


@router.get("/effects.csv")
def effects_as_csv(page: Read) -> Response:
    """Give the same as CSV."""
    written = io.StringIO()
    writer = csv.writer(written)
    ends = ("bad", "total", "rate", "low", "high")
    writer.writerow(
        ["promotion", "document", "source", "operator", "promoted_at", "rolled_back_at"]
        + [f"{when}_{name}" for when in ("before", "after") for name in ends]
        + ["cost_micros"]
    )
    for one in effects_of(page.memory, page.memory.evolution.jobs(limit=_MOST_JOBS)):
        promotion = one.promotion
        times = (_written(promotion.promoted_at), _written(promotion.rolled_back_at))
        head = [promotion.id, one.document_id, _plain(one.source), promotion.operator.value, *times]
        writer.writerow([*head, *_figures(one.before), *_figures(one.after), one.cost_micros])
    return Response(
        written.getvalue(),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": 'attachment; filename="effects.csv"'},
    )


def _written(at: datetime | None) -> str:
    return "" if at is None else at.isoformat()


def _plain(text: str) -> str:
    """Keep a table's programme from reading a text as a formula."""
    return f"'{text}" if text.startswith(_FORMULAS) else text


def _figures(share: Share) -> tuple[int, int, float, float, float]:
    return share.bad, share.total, share.rate, share.interval.low, share.interval.high


def effects_of(memory: Memory, jobs: Iterable[EvolutionJob]) -> tuple[Effect, ...]:
    """Give what each change did, the newest first."""
    said = memory.evolution.feedback()
    made = [
        (job, promotion, one)
        for job in jobs
        for promotion in job.promotions
        for one in promotion.documents
        if one.after is not None
    ]
    made.sort(key=lambda one: one[1].promoted_at, reverse=True)
    return tuple(
        Effect(
            promotion=promotion,
            document_id=one.document_id,
            source=next((about.source for about in job.documents if about.id == one.document_id), ""),
            before=_share(said, one, lambda version, one=one: version <= one.before),
            after=_share(said, one, _lasted(one, [other for _, _, other in made])),
            cost_micros=job.usage.cost_micros,
        )
        for job, promotion, one in made
    )


def _lasted(one: PromotedDocument, every: Sequence[PromotedDocument]) -> Callable[[int], bool]:
    """Tell of a version whether it is of this change: from its own on, to what took its place."""
    begins = one.after or 0
    later: list[int] = [
        other.after or 0 for other in every if other.document_id == one.document_id and (other.after or 0) > begins
    ]
    if one.restored:
        later.append(one.restored)
    ends = min(later, default=_NEVER)
    return lambda version: begins <= version < ends


def _share(said: Iterable[Feedback], one: PromotedDocument, is_of: Callable[[int], bool]) -> Share:
    found = [about.rating for about in said if about.document_id == one.document_id and is_of(about.version)]
    return Share(bad=found.count(Rating.BAD), total=len(found))


def by_operator(effects: Sequence[Effect]) -> tuple[ByOperator, ...]:
    """Sum effects up by how the changes were made."""
    return tuple(_summed(operator, effects) for operator in sorted({one.promotion.operator for one in effects}))


def _summed(operator: Operator, effects: Sequence[Effect]) -> ByOperator:
    own = [one for one in effects if one.promotion.operator is operator]
    promotions = {one.promotion.id: one for one in own}.values()
    return ByOperator(
        operator=operator,
        accepted=len(promotions),
        rolled_back=sum(one.promotion.rolled_back_at is not None for one in promotions),
        before=Share(bad=sum(one.before.bad for one in own), total=sum(one.before.total for one in own)),
        after=Share(bad=sum(one.after.bad for one in own), total=sum(one.after.total for one in own)),
        cost_micros=sum(one.cost_micros for one in promotions),
    )
