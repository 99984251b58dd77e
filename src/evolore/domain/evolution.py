"""Evolution of documents: jobs and their steps, what they propose, and new texts shown to some people only."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TypeAlias

from evolore.domain.checks import check_count, check_share, check_text, check_time
from evolore.domain.contest import JudgeReply, SameAnswer
from evolore.domain.document import Span
from evolore.errors import InvalidValue

StepValue: TypeAlias = "bool | int | float | str | list[StepValue] | dict[str, StepValue] | None"


class JobState(StrEnum):
    """The state of a job.

    ``RUNNING``: steps are left to do, also after a crash or an empty budget; ``evolve`` goes on. ``WAITING``: a person is to
    look at what it proposes. ``CANARY``: its change is before some people. ``PROMOTED``: before all.
    ``ORIGINAL_STAYS``: nothing was better. ``REJECTED``: a person said no. ``SUPERSEDED``: a document changed before the
    change was taken over. ``ROLLED_BACK``: the change was taken back.
    """

    RUNNING = "running"
    WAITING = "waiting"
    CANARY = "canary"
    PROMOTED = "promoted"
    ORIGINAL_STAYS = "original_stays"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    ROLLED_BACK = "rolled_back"

    @property
    def is_open(self) -> bool:
        """Whether something is still to happen: no other job takes up its documents meanwhile."""
        return self in {JobState.RUNNING, JobState.WAITING, JobState.CANARY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """A document as a job found it."""

    document_id: str  #: Which.
    version: int  #: The version that a change is computed against.

    def __post_init__(self) -> None:
        check_count(self.version, "version")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that was done in a job; the steps in their order are all there is of it."""

    number: int  #: Its place, from 1.
    kind: str  #: What was done, one word of small letters and underscores.
    body: Mapping[str, StepValue]  #: Its outcome.
    at: datetime  #: When.

    def __post_init__(self) -> None:
        check_count(self.number, "number")
        check_time(at=self.at)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """A job as it is stored."""

    id: str  #: Time-ordered.
    state: JobState  #: Its state.
    bases: tuple[Base, ...]  #: The documents it is about, the first of which started it; at least one.
    seed: str  #: What everything drawn in it is drawn from.
    steps: int  #: How many steps it has.
    created_at: datetime  #: When it was begun.
    updated_at: datetime  #: When it was last changed.
    principal: str | None = None  #: On whose behalf it was begun.

    def __post_init__(self) -> None:
        if not self.bases:
            raise InvalidValue(f"Job {self.id!r} names no document: name at least one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedText:
    """The next text of one document, or the text of a new one."""

    text: str  #: All of it.
    document_id: str | None = None  #: Which document; None for a new one.
    base_version: int = 0  #: The version it was computed against; 0 for a new one.
    source: str = ""  #: The source that a new document names; empty for one that exists.
    title: str = ""  #: The title of a new one; empty for one that exists, which keeps its title.

    def __post_init__(self) -> None:
        check_text(self.text, "The text")
        is_new = self.document_id is None
        if is_new != (self.base_version == 0) or is_new != bool(self.source):
            raise InvalidValue(
                "A proposed text names a document and its version, or a source for a new one: name one of the two."
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStretch:
    """A stretch of a document that says something else than its source, because it was promoted."""

    span: Span  #: Where it is in the document's text; empty where a section was taken out.
    source: str  #: What the source says there; empty where a section was put in.


class Standing(StrEnum):
    """What there is of a section that was promoted.

    ``HELD``: it is what the document says. ``WAITING``: its source changed it too, says its own text, and a person is asked.
    ``IN_SOURCE``: the source says so itself. ``GONE``: another text took its place.
    """

    HELD = "held"
    WAITING = "waiting"
    IN_SOURCE = "in_source"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionStanding:
    """A section that was promoted, and what there is of it."""

    promotion_id: str  #: The promotion.
    job_id: str  #: The job it came from.
    section: tuple[str, ...]  #: The titles above it, its own last; empty where it has none.
    standing: Standing  #: Whether it holds.
    review_id: str | None = None  #: The review item that asks about it; None where it does not wait.


class GenerationStanding(StrEnum):
    """What there is of a whole promotion in a document.

    ``HELD``: it holds as it was promoted. ``PARTLY``: some of its sections do. ``WAITING``: none does, and a person is asked.
    ``IN_SOURCE``: the source says it all itself. ``NO_LONGER``: other texts took its place. ``ROLLED_BACK``: it was taken back.
    """

    HELD = "held"
    PARTLY = "partly"
    WAITING = "waiting"
    IN_SOURCE = "in_source"
    NO_LONGER = "no_longer"
    ROLLED_BACK = "rolled_back"


def as_whole(sections: Collection[Standing]) -> GenerationStanding:
    """Return what there is of a whole promotion that was not taken back, by its sections.

    >>> as_whole([Standing.HELD, Standing.IN_SOURCE]).value, as_whole([Standing.HELD, Standing.GONE]).value
    ('held', 'partly')
    """
    kinds = set(sections)
    if kinds <= {Standing.IN_SOURCE} and kinds:
        return GenerationStanding.IN_SOURCE
    if kinds <= {Standing.HELD, Standing.IN_SOURCE}:
        return GenerationStanding.HELD
    if kinds & {Standing.HELD, Standing.IN_SOURCE}:
        return GenerationStanding.PARTLY
    return GenerationStanding.WAITING if Standing.WAITING in kinds else GenerationStanding.NO_LONGER


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotedDocument:
    """What a promotion did to one document."""

    document_id: str  #: Which.
    before: int  #: Its version before; 0 where the promotion made it.
    after: int | None  #: The version that was written; None while it is before some people only.
    #: The version that took it back; None where it was not. Of a document that the promotion made and the rollback
    #: erased, 0.
    restored: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """A candidate that was taken over: one generation in the line of each document it touched."""

    id: str  #: Time-ordered.
    job_id: str  #: The job it came from.
    candidate_id: str  #: The candidate whose text it is, as approved.
    operator: Operator  #: How the candidate was made.
    documents: tuple[PromotedDocument, ...]  #: What it did to each.
    win_rate: float  #: Share of the deciding matches won, a tie counting half, 0-1.
    promoted_at: datetime  #: When it was written.
    approved_by: str | None = None  #: Who approved it; None if not named.
    is_by_policy: bool = False  #: Whether a policy did, and no person.
    is_edited: bool = False  #: Whether a person edited the candidate before approving it.
    reason: str = ""  #: What was said on approving.
    rolled_back_at: datetime | None = None  #: When it was taken back; None while it holds.
    rolled_back_by: str | None = None  #: Who took it back.
    rollback_reason: str = ""  #: Why.
    percent: int = 100  #: The share of people who see it: 100 once it is before all.

    def __post_init__(self) -> None:
        check_share(win_rate=self.win_rate)
        check_time(promoted_at=self.promoted_at)
        if not self.documents:
            raise InvalidValue(f"Promotion {self.id!r} touches no document: name at least one.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job that is to be begun."""

    bases: tuple[Base, ...]  #: The documents it is about, as they are now.
    seed: str  #: What everything drawn in it is drawn from.
    feedback_ids: tuple[str, ...] = ()  #: What it takes up; marked as processed once the job is decided, not before.
    #: Whether it may be begun while another job about a document is open; of both, the first to be taken over wins.
    is_alongside: bool = False


SHADOW_SCHEME = "canary:"
"""What the sources of texts on trial begin with; nothing else may."""

SHADOWS_END = "canary;"
"""The first text in order behind all that begin so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shadow:
    """The new text of a document while it is before some people only."""

    document_id: str  #: The document that holds it.
    promotion_id: str  #: The promotion that it is part of.
    original_id: str | None  #: The document in whose place those people see it; None where it is a new one.
    percent: int  #: How many percent of principals see it.
    begun_at: datetime  #: Since when.

    def __post_init__(self) -> None:
        check_time(begun_at=self.begun_at)


def shadow_source(promotion_id: str, source: str) -> str:
    """Return the source of a text on trial.

    >>> shadow_source("0001", "/docs/refunds.md")
    'canary:0001//docs/refunds.md'
    """
    return f"{SHADOW_SCHEME}{promotion_id}/{source}"


def is_shadow_source(source: str) -> bool:
    """Return whether a source is that of a text on trial."""
    return source.startswith(SHADOW_SCHEME)


def shown_source(source: str) -> str:
    """Return the source to show to people: for a text on trial, that of the document it replaces.

    >>> shown_source("canary:0001//docs/refunds.md"), shown_source("/docs/refunds.md")
    ('/docs/refunds.md', '/docs/refunds.md')
    """
    return source.partition("/")[2] if is_shadow_source(source) else source


def refuse_shadow_source(source: str) -> None:
    """Refuse a source that only a text on trial may have.

    Raises:
        InvalidValue: It begins as theirs do.
    """
    if is_shadow_source(source):
        raise InvalidValue(
            f"The source {source!r} begins with {SHADOW_SCHEME!r}, which is kept for texts on trial: use another."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialAnswer:
    """An answer that was given to a known principal under a canary, from a passage of the old or the new text."""

    at: datetime  #: When it was given.
    principal: str  #: Who asked.
    is_new: bool  #: Whether the new text was before them.
    is_bad: bool  #: Whether who asked rated it BAD.


class Operator(StrEnum):
    """How a candidate was made; the values are the seed's."""

    MUTATION_CLARITY = "MUTATION_CLARITY"
    MUTATION_DETAIL = "MUTATION_DETAIL"
    MUTATION_SIMPLIFY = "MUTATION_SIMPLIFY"
    MUTATION_QA_FORMAT = "MUTATION_QA_FORMAT"
    CROSSOVER_MERGE = "CROSSOVER_MERGE"
    CROSSOVER_EXTRACT = "CROSSOVER_EXTRACT"

    @classmethod
    def stored(cls, name: str) -> Operator:
        """Return an operator as a store holds it: a crossover by sections, which older versions made, is a merge.

        >>> Operator.stored("CROSSOVER_SECTIONS"), Operator.stored("MUTATION_DETAIL")
        (<Operator.CROSSOVER_MERGE: 'CROSSOVER_MERGE'>, <Operator.MUTATION_DETAIL: 'MUTATION_DETAIL'>)
        """
        return cls.CROSSOVER_MERGE if name == FORMER_OPERATOR else cls(name)


FORMER_OPERATOR = "CROSSOVER_SECTIONS"
"""The name of the crossover by sections in stores of older versions."""


class MatchOutcome(StrEnum):
    """Who won a pairwise comparison; A is the original, B the candidate."""

    A = "A"
    B = "B"
    TIE = "TIE"


class TrialStage(StrEnum):
    """What a match was played for: to sort out, to prove, to look at what people complained of, or at what was good."""

    SCREEN = "screen"
    CONFIRM = "confirm"
    COMPLAINTS = "complaints"
    REGRESSION = "regression"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """One pairwise comparison of a candidate with the original, on one question."""

    candidate_id: str  #: Which candidate.
    question: str  #: What both were asked.
    outcome: MatchOutcome  #: Who won when both orders were judged; disagreement is a tie.
    stage: TrialStage = TrialStage.SCREEN  #: What it was played for.
    attempt: int = 0  #: 0 for the first time; above, it was played again because the candidate had lost.
    #: What the judge said with the original shown first, then with the candidate first; empty where that is not known.
    replies: tuple[JudgeReply, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether both answered with the same words, so that it says nothing for either."""
        return any(isinstance(reply, SameAnswer) for reply in self.replies)
