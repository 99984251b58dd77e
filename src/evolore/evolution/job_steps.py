"""Steps of a job: what each kind of them holds, as it is written and read back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from typing import Any, TypeAlias

from evolore.domain.chat import ChatFailureKind, ChatUsage
from evolore.domain.contest import Complaint, EvidenceText
from evolore.domain.evolution import FORMER_OPERATOR, Base, Operator, Step
from evolore.domain.result import from_json
from evolore.evolution.contest_plan import Decision
from evolore.evolution.contest_questions import QuestionSets
from evolore.evolution.fact_proof import CORRECTION, FactProof
from evolore.evolution.matches import HeardVerdict, LengthControl, judged_form, read_judged
from evolore.evolution.policy import PolicyVerdict
from evolore.evolution.proposals import Proposal
from evolore.evolution.settings import CanarySettings, EvolutionSettings

TURNED_DOWN = ("rolled back on ", "rejected on ")
"""The beginning of a refusal that names a person's decision about the same change."""

Body: TypeAlias = Mapping[str, Any]
"""A step's body as JSON holds it."""


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
    PROVED = "proved"
    QUESTIONED = "questioned"
    ANSWERED = "answered"
    JUDGED = "judged"
    CONTROLLED = "controlled"
    DECIDED = "decided"
    APPROVED = "approved"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    ROLLED_BACK = "rolled_back"
    CANARY_MOVED = "canary_moved"
    BRANCHED = "branched"
    MERGED = "merged"


CLOSING = frozenset(
    {StepKind.APPROVED, StepKind.REJECTED, StepKind.SUPERSEDED, StepKind.ROLLED_BACK, StepKind.CANARY_MOVED}
)
"""What a person, or what happened meanwhile, decided about a job; each with its reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A job was begun."""

    feedback: tuple[str, ...]  #: What started it, by id.
    operators: tuple[Operator, ...]  #: How candidates are to be made, in this order.
    settings: EvolutionSettings  #: The rules.


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a job goes by; made once, at its beginning, and empty before."""

    bases: tuple[Base, ...] = ()  #: The documents, as they were.
    operators: tuple[Operator, ...] = ()  #: How candidates are made, in this order.
    complaints: tuple[Complaint, ...] = ()  #: What started it.
    evidence: tuple[EvidenceText, ...] = ()  #: What candidates may cite, and what the judge is shown.
    questions: QuestionSets = field(default_factory=QuestionSets)  #: By which candidates are tried.
    asked: tuple[str, ...] = ()  #: The ids of the questions that people asked and whose words are in it.
    suspicions: tuple[str, ...] = ()  #: What in feedback or documents looks like an order to a model.
    lacks_questions: bool = False  #: Whether questions are still to be written, should candidates be tried by them.


@dataclass(frozen=True, slots=True, kw_only=True)
class Questioned:
    """All questions that candidates are tried by, those that were generated too; ``asked`` as a plan has it."""

    questions: QuestionSets
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A model is about to be asked for some purposes; ``most`` is what that may cost."""

    most: ChatUsage
    purposes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardReply:
    """A reply by the ``key`` of what was asked; without a text where the request failed."""

    key: str
    text: str | None
    failure: ChatFailureKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """A model was asked, and this is what it cost."""

    replies: tuple[HeardReply, ...]
    usage: ChatUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPaused:
    """The job cannot go on now; ``is_unusable`` where there were replies, and they cannot be used."""

    reason: str
    is_unusable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NotProposed:
    """An operator made no candidate."""

    operator: Operator
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCandidate(Proposal):
    """A candidate of a job, and what gates and claims said of it."""

    is_gated: bool = False  #: Whether the free gates were run.
    refusals: tuple[str, ...] = ()  #: Why it goes no further; none while nothing was found.
    doubts: tuple[str, ...] = ()  #: What is left open, which a person is to look at.
    are_claims_judged: bool = False  #: Whether a model was asked about its claims, or none is needed.
    proof: FactProof | None = None  #: Whether it is proved as a correction; None where that was not tried.

    @property
    def id(self) -> str:
        """Its number in the job, from 1, as text."""
        return self.candidate

    @property
    def is_proved_by_fact(self) -> bool:
        """Whether newer evidence proves it: then it is tried no further."""
        return self.proof is not None and self.proof.is_proved

    @property
    def corrects(self) -> bool:
        """Whether it puts a value right, as evidence says."""
        return any(one.startswith(CORRECTION) for one in self.doubts)

    @property
    def is_refused(self) -> bool:
        """Whether a gate refused it."""
        return bool(self.refusals)

    @property
    def is_turned_down(self) -> bool:
        """Whether a person rolled back or rejected its change before: another try would make it again."""
        return any(one.startswith(TURNED_DOWN) for one in self.refusals)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFindings:
    """What gates, or the judge of claims, say of a candidate, in place of what was said of it before."""

    candidate: str
    refusals: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """A candidate was tried as a correction."""

    candidate: str
    proof: FactProof


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAnswer:
    """What was answered to a question from a candidate, or the original; None where nothing could be had."""

    candidate: str
    question: str
    attempt: int
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """Questions were answered."""

    answers: tuple[GivenAnswer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Controlled:
    """The judge compared control pairs."""

    control: LengthControl


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """What was decided of a job."""

    decision: Decision  #: What may be done.
    reason: str  #: Why.
    candidate: str = ""  #: The candidate that won, or is put before a person; empty for none.
    policy: PolicyVerdict | None = None  #: What the policy says; None where it was not asked.

    @property
    def is_approved_by_policy(self) -> bool:
        """Whether a policy approved the candidate, and does not only shadow."""
        return self.policy is not None and self.policy.approves and not self.policy.is_shadow


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed:
    """A person rejected the job or took it back, or a document changed meanwhile."""

    reason: str
    by: str | None = None  #: Who rejected it; None if unnamed, and where a promotion says who.


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateApproved(Closed):
    """A candidate was approved."""

    candidate: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryBegun(CandidateApproved):
    """An approved candidate is before some people: ``percent`` of them, as ``promotion``, with such stages and bounds."""

    percent: int
    promotion: str
    settings: CanarySettings


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryMoved(Closed):
    """A canary is before another ``percent`` of people, at last all or none; ``figures`` is what it showed before."""

    percent: int
    figures: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Branched:
    """The change was committed on a branch."""

    root: str  #: The top folder of the repository's work tree.
    branch: str  #: The branch.
    commit: str  #: The commit.


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """The file of a document holds what a promotion made it say."""

    promotion: str
    document: str


def judged_body(replies: Iterable[HeardVerdict]) -> dict[str, object]:
    """Return what a judge said as its step holds it; ``read_step`` returns the replies."""
    return {"judged": [judged_form(*one) for one in replies]}


def read_step(step: Step) -> Any:  # noqa: ANN401 - what a kind holds, as the table says
    """Return what a step holds, as its kind has it; also of one that an older version wrote."""
    return _READERS[StepKind(step.kind)](_of_today(step.body))


def _of_today(body: Body) -> Body:
    """Return a body without the crossover by sections, which older versions had.

    A job that asked for it and has no candidate yet ends without one: a merge would change the other documents too.
    """
    told = dict(body)
    if "operator" in told:
        told["operator"] = Operator.stored(told["operator"])
    if "operators" in told:
        told["operators"] = [one for one in told["operators"] if one != FORMER_OPERATOR]
    settings = told.get("settings")
    if settings is not None and "policy" in settings:
        policy = {**settings["policy"], "operators": _named(settings["policy"]["operators"])}
        told["settings"] = {**settings, "operators": _named(settings["operators"]), "policy": policy}
    return told


def _named(operators: Iterable[str]) -> tuple[Operator, ...]:
    return tuple(dict.fromkeys(map(Operator.stored, operators)))


_READERS: Mapping[StepKind, Callable[[Body], object]] = {
    StepKind.JUDGED: lambda body: tuple(map(read_judged, body["judged"])),
    StepKind.CANARY_MOVED: lambda body: from_json(CanaryBegun if "promotion" in body else CanaryMoved, body),
    **{
        kind: partial(from_json, form)
        for kind, form in (
            (StepKind.BEGUN, Begun),
            (StepKind.PLANNED, Plan),
            (StepKind.ASKING, Asking),
            (StepKind.REPLIED, Replied),
            (StepKind.STOPPED, JobPaused),
            (StepKind.PROPOSED, JobCandidate),
            (StepKind.NOT_PROPOSED, NotProposed),
            (StepKind.GATED, GateFindings),
            (StepKind.CLAIMS_JUDGED, GateFindings),
            (StepKind.PROVED, Proved),
            (StepKind.QUESTIONED, Questioned),
            (StepKind.ANSWERED, Answered),
            (StepKind.CONTROLLED, Controlled),
            (StepKind.DECIDED, Decided),
            (StepKind.APPROVED, CandidateApproved),
            (StepKind.REJECTED, Closed),
            (StepKind.SUPERSEDED, Closed),
            (StepKind.ROLLED_BACK, Closed),
            (StepKind.BRANCHED, Branched),
            (StepKind.MERGED, Merged),
        )
    },
}
