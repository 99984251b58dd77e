"""A canary as it stands: read from the steps of its job and from what was answered under it, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evolore.domain.evolving import JobState
from evolore.errors import InvalidValue
from evolore.evolution.canary import CanaryResult, figures_of, read_figures, result_of
from evolore.evolution.canary_folding import folded_canary
from evolore.evolution.job import StepKind
from evolore.evolution.job_forms import to_canary_settings
from evolore.flows.evolving.naming import promotion_named

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from evolore.domain.evolving import Promotion, Step
    from evolore.domain.shadows import Shadow
    from evolore.evolution.canary import Canary
    from evolore.evolution.settings import CanarySettings
    from evolore.flows.context import Context
    from evolore.ports import StoreReader

GONE = "its text is not there any more"


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryView:
    """A canary as people see it.

    Args:
        id: The promotion that it is.
        job_id: The job it came from.
        sources: Where the documents come from that it is about; empty for one that was forgotten.
        stages: Percent of principals that were to see the new text, one stage after the other.
        stage: Which of them it is at, or was at when it ended, from 1.
        is_running: Whether it goes on.
        begun_at: When it began.
        reason: What was said of its last move.
        result: Its figures; of one that ended, as they were then. None where nobody knows them any more.
    """

    id: str
    job_id: str
    sources: tuple[str, ...]
    stages: tuple[int, ...]
    stage: int
    is_running: bool
    begun_at: datetime
    reason: str
    result: CanaryResult | None

    @property
    def percent(self) -> int:
        """How many percent of principals see the new text while it runs."""
        return self.stages[self.stage - 1] if self.is_running else 0

    @property
    def next_percent(self) -> int | None:
        """How many see it at the next stage, where it may grow; None where it may not."""
        may_grow = self.is_running and self.result is not None and self.result.may_grow
        return self.stages[self.stage] if may_grow and self.stage < len(self.stages) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryState:
    """A canary at one moment, with what the next move needs.

    Args:
        promotion: Its promotion.
        moves: Its steps, oldest first.
        settings: Its stages and bounds, as it was begun with them.
        canary: What its answers come to.
        shadows: The texts that are before some people.
        number: How many steps its job has.
        is_running: Whether it goes on.
        has_moved: Whether a document has another version than the one its new text was made for.
    """

    promotion: Promotion
    moves: tuple[Step, ...]
    settings: CanarySettings
    canary: Canary
    shadows: tuple[Shadow, ...]
    number: int
    is_running: bool
    has_moved: bool

    @property
    def figures(self) -> dict[str, object]:
        """What it came to, as the step of a move holds it."""
        return figures_of(result_of(self.canary))


def read_canary(reader: StoreReader, promotion: Promotion) -> CanaryState:
    """Read a canary.

    Raises:
        InvalidValue: The promotion was before everybody at once, or what is known of it was forgotten with its documents.
    """
    steps = reader.steps(promotion.job_id)
    moves = _moves(steps, promotion)
    job = reader.job(promotion.job_id)
    settings = to_canary_settings(_body(moves[0])["settings"])
    is_running = promotion.rolled_back_at is None and job is not None and job.state is JobState.CANARY
    grown = [one.at for one in moves[1:] if 0 < _body(one)["percent"] < settings.stages[-1]]
    answers = reader.trial_answers(promotion.id) if is_running else ()
    return CanaryState(
        promotion=promotion,
        moves=moves,
        settings=settings,
        canary=folded_canary(promotion.id, settings, moves=grown, answers=answers),
        shadows=tuple(one for one in reader.shadows() if one.promotion_id == promotion.id),
        number=steps[-1].number,
        is_running=is_running,
        has_moved=any(_has_moved(reader, one.document_id, one.before) for one in promotion.documents if one.before),
    )


def running_canaries(reader: StoreReader) -> tuple[CanaryState, ...]:
    """Read the canaries that go on, oldest first."""
    jobs = reader.jobs(states=[JobState.CANARY])
    every = (one for job in reversed(jobs) for one in reader.promotions(job_id=job.id))
    return tuple(read_canary(reader, one) for one in every if one.rolled_back_at is None)


def canaries(context: Context) -> tuple[CanaryView, ...]:
    """Show the canaries that go on, oldest first."""
    with context.store.read(context.namespace) as reader:
        return tuple(_viewed(reader, one) for one in running_canaries(reader))


def canary(context: Context, promotion_id: str) -> CanaryView:
    """Show a canary, whether it goes on or not, by the id of its promotion or job, or the beginning of either.

    Raises:
        NotFound: There is no such promotion.
        AmbiguousId: It begins several ids.
        InvalidValue: The promotion was before everybody at once, or what is known of it was forgotten.
    """
    with context.store.read(context.namespace) as reader:
        return _viewed(reader, read_canary(reader, promotion_named(reader, promotion_id)))


def _viewed(reader: StoreReader, state: CanaryState) -> CanaryView:
    promotion = state.promotion
    found = [reader.document(one.document_id) for one in promotion.documents]
    last = _body(state.moves[-1])
    result = result_of(state.canary) if state.is_running else read_figures(last["figures"])
    return CanaryView(
        id=promotion.id,
        job_id=promotion.job_id,
        sources=tuple("" if one is None else one.source for one in found),
        stages=state.settings.stages,
        stage=state.canary.stage + 1,
        is_running=state.is_running,
        begun_at=promotion.promoted_at,
        reason=str(last["reason"]),
        result=result,
    )


def _moves(steps: Sequence[Step], promotion: Promotion) -> tuple[Step, ...]:
    """Give the steps of one canary of a job: the one that begins it, which names it, and those up to the next."""
    begun: dict[str, list[Step]] = {}
    named = ""
    for one in steps:
        if one.kind == StepKind.CANARY_MOVED.value:
            named = str(one.body.get("promotion", named))
            begun.setdefault(named, []).append(one)
    if promotion.id not in begun:
        why = "what is known of it was forgotten" if not steps else "it was before everybody at once"
        raise InvalidValue(f"The promotion {promotion.id} shows no canary: {why}.")
    return tuple(begun[promotion.id])


def _body(step: Step) -> dict[str, Any]:
    return dict(step.body)


def _has_moved(reader: StoreReader, document_id: str, version: int) -> bool:
    found = reader.document(document_id)
    return found is None or found.version != version
