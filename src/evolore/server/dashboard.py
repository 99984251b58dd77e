"""The effect dashboard: how changes did with readers, what judges and persons said of them, and what they cost.

Page, CSV and API all show the figures from here, so that they are equal to the digit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta

from evolore.domain.evolution import JobRecord, JobState, PromotedDocument, Promotion
from evolore.domain.outcome import Rating
from evolore.domain.result import Result
from evolore.evolution.job import JobFigures
from evolore.evolution.matches import Interval, wilson
from evolore.memory import Memory
from evolore.server.listings import figures_in, reading

WEEKS = 12
_NEVER = 1_000_000_000
_DECIDED = frozenset({JobState.CANARY, JobState.PROMOTED, JobState.REJECTED, JobState.ROLLED_BACK})
_JUDGES = ("winner", "needs_person", "original_stays")


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many of how many."""

    count: int  #: So many, such as BAD ratings.
    total: int  #: Of so many.
    rate: float  #: The share, 0-1; 0 of none.
    low: float  #: The lower end of its 95 % interval (Wilson 1927).
    high: float  #: The upper end.

    @property
    def interval(self) -> Interval:
        """Its 95 % interval."""
        return Interval(low=self.low, high=self.high)


def share(count: int, total: int) -> Share:
    """Return how many of how many, with its interval."""
    ends = wilson(count, total)
    return Share(count=count, total=total, rate=count / total if total else 0.0, low=ends.low, high=ends.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEffect:
    """What a change of one document did."""

    promotion_id: str  #: The change.
    job_id: str  #: The job it came from.
    document_id: str  #: The document.
    source: str  #: Where it came from; empty where it was forgotten.
    operator: str  #: How the text was made.
    model: str  #: Which model wrote it; empty where none did, or it was not recorded.
    promoted_at: str  #: When it was taken over, in ISO 8601.
    rolled_back_at: str  #: When it was taken back; empty while it holds.
    before: Share  #: BAD ratings of the versions before it.
    after: Share  #: Of its version and those that followed, up to the next change or the rollback.
    cost_micros: int  #: What its job cost, in millionths.


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeGroup:
    """Changes that have something in common: how they were made, by which model, or of which document."""

    name: str  #: What: an operator, a model, a document's id.
    accepted: int  #: How many changes were taken over.
    rolled_back: Share  #: The share of them that was taken back.
    before: Share  #: BAD ratings before, all together.
    after: Share  #: BAD ratings after.
    cost_micros: int  #: What their jobs cost, in millionths.
    cost_micros_each: float  #: The same by accepted change.


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """What persons did with what a judge came to."""

    judge: str  #: ``winner``, ``needs_person`` or ``original_stays``.
    approved: int  #: So many a person took over, edited or not.
    rejected: int  #: So many a person rejected.
    rolled_back: int  #: So many of those taken over a person took back.


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    """How people judged documents in a week."""

    begins: date  #: Its Monday.
    good: int  #: How often somebody said that a document served.
    bad: int  #: How often that it did not.

    @property
    def total(self) -> int:
        """How often it was either."""
        return self.good + self.bad


@dataclass(frozen=True, slots=True, kw_only=True)
class Dashboard(Result):
    """The results of evolution."""

    jobs: int  #: How many jobs there are.
    accepted: int  #: How many changes were taken over.
    rolled_back: Share  #: The share of them that was taken back.
    agreed: Share  #: How often a person decided as the judge did: took a winner over, or rejected what was not to win.
    calls: int  #: Calls of the chat model, of all jobs.
    cost_micros: int  #: What they cost, in millionths.
    cost_micros_each: float  #: The same by accepted change; 0 where none was.
    agreements: tuple[JudgeAgreement, ...]  #: What persons did, by what the judge came to.
    operators: tuple[ChangeGroup, ...]  #: Changes by how they were made.
    models: tuple[ChangeGroup, ...]  #: By the model that wrote them.
    documents: tuple[ChangeGroup, ...]  #: By document, the one with most ratings after a change first.
    effects: tuple[ChangeEffect, ...]  #: Each change of each document, the newest first.
    weeks: tuple[Week, ...]  #: Ratings by week, oldest first.


def dashboard_of(memory: Memory, *, day: date) -> Dashboard:
    """Return the results of evolution as of a day."""
    jobs = _jobs(memory)
    effects = _effects(memory, jobs)
    promotions = {one.promotion_id: one for one in effects}
    back = sum(bool(one.rolled_back_at) for one in promotions.values())
    spent = sum(one.figures.usage.cost_micros for one in jobs)
    agreements = _agreements(jobs)
    return Dashboard(
        jobs=len(jobs),
        accepted=len(promotions),
        rolled_back=share(back, len(promotions)),
        agreed=_agreed(agreements),
        calls=sum(one.figures.usage.calls for one in jobs),
        cost_micros=spent,
        cost_micros_each=spent / len(promotions) if promotions else 0.0,
        agreements=agreements,
        operators=_groups(effects, lambda one: one.operator),
        models=_groups(effects, lambda one: one.model),
        documents=tuple(
            sorted(_groups(effects, lambda one: one.document_id), key=lambda one: (-one.after.total, one.name))
        ),
        effects=effects,
        weeks=weeks_of(memory, day),
    )


def weeks_of(memory: Memory, day: date) -> tuple[Week, ...]:
    """Count what people said of documents in the last weeks, oldest first."""
    this = day - timedelta(days=day.weekday())
    begins = [this - timedelta(weeks=back) for back in reversed(range(WEEKS))]
    with reading(memory) as reader:
        counted = zip(begins, reader.ratings_since(begins), strict=True)
    return tuple(Week(begins=begin, good=good, bad=bad) for begin, (good, bad) in counted)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """A job as far as figures go."""

    record: JobRecord  #: As it is stored.
    figures: JobFigures  #: What it cost, what was decided, and who wrote its candidates.
    promotions: tuple[Promotion, ...]  #: What was taken over of it.


def _jobs(memory: Memory) -> tuple[_Job, ...]:
    with reading(memory) as reader:
        records = reader.jobs(limit=None)
        figures = figures_in(reader, records)
        promoted: dict[str, list[Promotion]] = {}
        for one in reader.promotions():
            promoted.setdefault(one.job_id, []).append(one)
    return tuple(
        _Job(record=one, figures=figures[one.id], promotions=tuple(promoted.get(one.id, ()))) for one in records
    )


def _effects(memory: Memory, jobs: Iterable[_Job]) -> tuple[ChangeEffect, ...]:
    made = [
        (job, promotion, one)
        for job in jobs
        for promotion in job.promotions
        for one in promotion.documents
        if one.after is not None
    ]
    made.sort(key=lambda one: one[1].promoted_at, reverse=True)
    about = {id_: _DocumentLine() for id_ in sorted({one.document_id for _, _, one in made})}
    for _, _, one in made:
        about[one.document_id].changes.append(one)
    with reading(memory) as reader:
        for id_, version, rating, count in reader.ratings_by_version(about):
            about[id_].said.append((version, rating, count))
        for document in reader.documents_with(list(about)):
            about[document.id].source = document.source
    return tuple(_effect(job, promotion, one, about[one.document_id]) for job, promotion, one in made)


@dataclass(slots=True)
class _DocumentLine:
    """What is known of one document."""

    source: str = ""  #: Where it came from; empty where it was forgotten.
    changes: list[PromotedDocument] = field(default_factory=list["PromotedDocument"])  #: Its changes.
    #: How often each of its versions was rated so.
    said: list[tuple[int, Rating, int]] = field(default_factory=list[tuple[int, Rating, int]])


def _effect(job: _Job, promotion: Promotion, one: PromotedDocument, line: _DocumentLine) -> ChangeEffect:
    back = promotion.rolled_back_at
    return ChangeEffect(
        promotion_id=promotion.id,
        job_id=job.record.id,
        document_id=one.document_id,
        source=line.source,
        operator=promotion.operator.value,
        model=job.figures.models.get(promotion.candidate_id, ""),
        promoted_at=promotion.promoted_at.isoformat(),
        rolled_back_at="" if back is None else back.isoformat(),
        before=_bad(line.said, lambda version: version <= one.before),
        after=_bad(line.said, _lasted(one, line.changes)),
        cost_micros=job.figures.usage.cost_micros,
    )


def _lasted(one: PromotedDocument, of_document: Iterable[PromotedDocument]) -> Callable[[int], bool]:
    """Return of a version whether it is of this change: from its own on, to what took its place."""
    begins = one.after or 0
    later: list[int] = [other.after or 0 for other in of_document if (other.after or 0) > begins]
    if one.restored:
        later.append(one.restored)
    ends = min(later, default=_NEVER)
    return lambda version: begins <= version < ends


def _bad(said: Iterable[tuple[int, Rating, int]], is_of: Callable[[int], bool]) -> Share:
    found = [(rating, count) for version, rating, count in said if is_of(version)]
    return share(sum(count for rating, count in found if rating is Rating.BAD), sum(count for _, count in found))


def _groups(effects: Sequence[ChangeEffect], name_of: Callable[[ChangeEffect], str]) -> tuple[ChangeGroup, ...]:
    by_name: dict[str, list[ChangeEffect]] = {}
    for one in effects:
        by_name.setdefault(name_of(one), []).append(one)
    return tuple(_group(name, by_name[name]) for name in sorted(by_name))


def _group(name: str, effects: Sequence[ChangeEffect]) -> ChangeGroup:
    promotions = {one.promotion_id: one for one in effects}.values()
    costs: Mapping[str, int] = {one.job_id: one.cost_micros for one in effects}
    spent = sum(costs.values())
    return ChangeGroup(
        name=name,
        accepted=len(promotions),
        rolled_back=share(sum(bool(one.rolled_back_at) for one in promotions), len(promotions)),
        before=share(sum(one.before.count for one in effects), sum(one.before.total for one in effects)),
        after=share(sum(one.after.count for one in effects), sum(one.after.total for one in effects)),
        cost_micros=spent,
        cost_micros_each=spent / len(promotions),
    )


def _agreements(jobs: Sequence[_Job]) -> tuple[JudgeAgreement, ...]:
    """Count what persons did; what the policy took over is no person's word."""
    by_person = [
        (one.figures.decision, one.record.state)
        for one in jobs
        if one.record.state in _DECIDED
        and one.figures.decision in _JUDGES
        and not any(each.is_by_policy for each in one.promotions)
    ]
    return tuple(
        JudgeAgreement(
            judge=judge,
            approved=sum(said == judge and state is not JobState.REJECTED for said, state in by_person),
            rejected=by_person.count((judge, JobState.REJECTED)),
            rolled_back=by_person.count((judge, JobState.ROLLED_BACK)),
        )
        for judge in _JUDGES
    )


def _agreed(agreements: Iterable[JudgeAgreement]) -> Share:
    """Count how often both said the same; what the judge left to a person is no verdict."""
    by = {one.judge: one for one in agreements}
    winner, stays = by["winner"], by["original_stays"]
    same = winner.approved - winner.rolled_back + stays.rejected
    return share(same, winner.approved + winner.rejected + stays.approved + stays.rejected)
