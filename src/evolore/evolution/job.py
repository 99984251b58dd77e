"""A job as a value: what its steps came to, and what is to be done next."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from evolore.domain.chats import ChatUsage
from evolore.domain.lineage import Operator
from evolore.evolution.outcome import outcome_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.evolving import Base, ProposedText
    from evolore.domain.proposing import Complaint, EvidenceText
    from evolore.evolution.crossover import Conflict
    from evolore.evolution.edits import SectionEdit
    from evolore.evolution.judging import JudgeRequest
    from evolore.evolution.outcome import TrialOutcome
    from evolore.evolution.questions import QuestionSets
    from evolore.evolution.selection import Selection
    from evolore.evolution.settings import EvolutionSettings

ORIGINAL = ""
"""Whose answer it is where it is no candidate's."""

UNUSABLE = "unusable reply: "
"""How the reason begins for which an operator made no candidate where the reply was at fault."""

CORRECTION = "correction: "
"""How the doubt begins that tells of a value which a candidate puts right, as evidence says."""

_MOST_TRIES = 3
_WITHOUT_A_MODEL = {Operator.CROSSOVER_SECTIONS: 2}
"""What no model makes comes out alike: it is tried by how sections served, then by what they say."""


class StepKind(StrEnum):
    """What was done in a job."""

    BEGUN = "begun"
    PLANNED = "planned"
    ASKING = "asking"
    REPLIED = "replied"
    STOPPED = "stopped"
    PROPOSED = "proposed"
    NOT_PROPOSED = "not_proposed"
    GATED = "gated"
    CLAIMS_JUDGED = "claims_judged"
    ANSWERED = "answered"
    JUDGED = "judged"
    DECIDED = "decided"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    ROLLED_BACK = "rolled_back"
    CANARY_MOVED = "canary_moved"


class Work(StrEnum):
    """What is to be done next."""

    PLAN = "plan"
    PROPOSE = "propose"
    GATE = "gate"
    JUDGE_CLAIMS = "judge_claims"
    ANSWER = "answer"
    JUDGE = "judge"
    DECIDE = "decide"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a job goes by; made once, at its beginning.

    Args:
        bases: The documents, as they were.
        operators: How candidates are made, in this order.
        complaints: What gave rise to it.
        evidence: What candidates may cite, and what the judge is shown.
        questions: By which candidates are tried.
        suspicions: What in feedback or documents looks like an order to a model.
    """

    bases: tuple[Base, ...]
    operators: tuple[Operator, ...]
    complaints: tuple[Complaint, ...]
    evidence: tuple[EvidenceText, ...]
    questions: QuestionSets
    suspicions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCandidate:
    """A candidate of a job, and what gates and claims said of it.

    Args:
        id: Its number in the job, from 1, as text.
        operator: How it was made.
        texts: The next text of each document, and new ones.
        edits: The edits that made each of them.
        conflicts: What a person has to settle.
        prompt: With which words it was asked for; empty where no model was.
        length_ratio: Its length, with that of the originals as 1.
        is_gated: Whether the free gates were run.
        refusals: Why it goes no further; none while nothing was found.
        doubts: What is left open, which a person is to look at.
        are_claims_judged: Whether a model was asked about its claims, or none is needed.
    """

    id: str
    operator: Operator
    texts: tuple[ProposedText, ...]
    edits: tuple[tuple[SectionEdit, ...], ...]
    conflicts: tuple[Conflict, ...] = ()
    prompt: str = ""
    length_ratio: float = 1.0
    is_gated: bool = False
    refusals: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    are_claims_judged: bool = False

    @property
    def corrects(self) -> bool:
        """Whether it puts a value right, as evidence says."""
        return any(one.startswith(CORRECTION) for one in self.doubts)

    @property
    def is_refused(self) -> bool:
        """Whether a gate refused it."""
        return bool(self.refusals)


@dataclass(frozen=True, slots=True)
class AnswerKey:
    """Whose answer to which question: ``candidate_id`` is empty for the original's."""

    candidate_id: str
    question: str
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the steps of a job come to.

    Args:
        seed: What everything drawn in it is drawn from.
        taken: The feedback that gave rise to it, by id.
        operators: How candidates are to be made, in this order.
        settings: The rules; None of a job whose steps are gone.
        plan: What it goes by; None before that is made.
        candidates: In the order they were made.
        skipped: Operators that made no candidate, each with the reason.
        answers: What was answered so far.
        selection: The trial; None before there is anything to try.
        decision: What was decided; empty before.
        spent: What calls cost so far; of those that were begun and not told of, the most that they could.
        pending: The most that calls which were begun and are not told of could cost.
        replies: Replies that were heard, by what was asked, so that nothing is asked twice; not those from before a stop for
            replies that could not be used.
        stops: How often it stopped for these.
        number: How many steps it has.
    """

    seed: str
    taken: tuple[str, ...] = ()
    operators: tuple[Operator, ...] = ()
    settings: EvolutionSettings | None = None
    plan: Plan | None = None
    candidates: tuple[JobCandidate, ...] = ()
    skipped: tuple[tuple[Operator, str], ...] = ()
    answers: Mapping[AnswerKey, str | None] = field(default_factory=dict[AnswerKey, "str | None"])
    selection: Selection | None = None
    decision: Mapping[str, Any] = field(default_factory=dict[str, Any])
    spent: ChatUsage = field(default_factory=ChatUsage)
    pending: ChatUsage = field(default_factory=ChatUsage)
    replies: Mapping[str, str] = field(default_factory=dict[str, str])
    stops: int = 0
    number: int = 0

    @property
    def standing(self) -> tuple[JobCandidate, ...]:
        """The candidates that no gate refused."""
        return tuple(one for one in self.candidates if not one.is_refused)

    @property
    def outcome(self) -> TrialOutcome | None:
        """What the trial came to, or stands at; None where nothing is tried."""
        return None if self.selection is None else outcome_of(self.selection)

    def tries(self, operator: Operator) -> int:
        """Say how often an operator was tried."""
        made = sum(one.operator is operator for one in self.candidates)
        return made + sum(tried is operator for tried, _ in self.skipped)

    @property
    def untried(self) -> tuple[Operator, ...]:
        """The operators that were not tried yet."""
        assert self.plan is not None
        return tuple(one for one in self.plan.operators if not self.tries(one))

    @property
    def worth_another_try(self) -> tuple[Operator, ...]:
        """The operators whose candidate was refused, or whose reply could not be used, and which may be tried again."""
        assert self.plan is not None
        failed = {one.operator for one in self.candidates if one.is_refused}
        failed |= {operator for operator, reason in self.skipped if reason.startswith(UNUSABLE)}
        failed -= {one.operator for one in self.standing}
        return tuple(
            one
            for one in self.plan.operators
            if one in failed and 0 < self.tries(one) < _WITHOUT_A_MODEL.get(one, _MOST_TRIES)
        )

    @property
    def awaited(self) -> tuple[JudgeRequest, ...]:
        """What the judge is to be asked now."""
        return () if self.selection is None else self.selection.requests

    @property
    def answers_left(self) -> tuple[AnswerKey, ...]:
        """The answers that are needed for that, each once."""
        keys = (
            AnswerKey(who, request.match.question, request.match.attempt)
            for request in self.awaited
            for who in (ORIGINAL, request.match.candidate_id)
        )
        return tuple(key for key in dict.fromkeys(keys) if key not in self.answers)

    @property
    def work(self) -> Work:
        """What is to be done next."""
        if self.plan is None:
            return Work.PLAN
        assert self.settings is not None
        has_room = len(self.standing) < self.settings.candidate_count
        open_work = (
            (Work.NOTHING, bool(self.decision)),
            (Work.GATE, any(not one.is_gated for one in self.candidates)),
            (Work.JUDGE_CLAIMS, any(not one.are_claims_judged for one in self.standing)),
            (Work.PROPOSE, has_room and bool(self.untried)),
            (Work.PROPOSE, self.selection is None and has_room and bool(self.worth_another_try)),
            (Work.ANSWER, bool(self.answers_left)),
            (Work.JUDGE, bool(self.awaited)),
        )
        return next((work for work, is_open in open_work if is_open), Work.DECIDE)

    def candidate(self, candidate_id: str) -> JobCandidate | None:
        """Give one of its candidates."""
        return next((one for one in self.candidates if one.id == candidate_id), None)
