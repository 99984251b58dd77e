"""How the values of a job are written as JSON, and read back as they were."""

from __future__ import annotations

from dataclasses import asdict, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, cast

from evolore.domain.chat import ChatUsage
from evolore.domain.contest import (
    Complaint,
    EvidenceText,
    NoVerdict,
    Order,
    QuestionOrigin,
    SameAnswer,
    Scores,
    Side,
    TrialQuestion,
    Verdict,
)
from evolore.domain.evolution import FORMER_OPERATOR, Base, Operator, ProposedText, TrialStage
from evolore.evolution.contest_questions import QuestionSets
from evolore.evolution.crossover import Conflict
from evolore.evolution.edits import EditKind, SectionEdit
from evolore.evolution.fact_proof import FactMatch, FactProof, FactQuestion, Holding
from evolore.evolution.matches import Judged, JudgeRequest, MatchKey
from evolore.evolution.policy import ApprovalPolicy, ProofKind
from evolore.evolution.settings import CanarySettings, EvolutionSettings, SelectionMode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from _typeshed import DataclassInstance

    from evolore.domain.evolution import StepValue

Body = dict[str, Any]
"""A JSON object as it is read: what writes and what reads it stand side by side in this file."""


def to_json(value: object) -> StepValue:
    """Write a dataclass, an enum, a sequence or a plain value as JSON has it; sets are sorted."""
    if isinstance(value, Enum):
        return cast("StepValue", value.value)
    if isinstance(value, dict):
        known = cast("dict[str, object]", value)
        return {str(name): to_json(one) for name, one in known.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(one) for one in cast("Sequence[object]", value)]
    if hasattr(value, "__dataclass_fields__"):
        one = cast("DataclassInstance", value)
        return {field.name: to_json(getattr(one, field.name)) for field in fields(one)}
    return cast("StepValue", value)


def to_canary_settings(body: Body) -> CanarySettings:
    """Read settings as a canary was begun with them."""
    return CanarySettings(**_tuples(_known(CanarySettings, body)))


def to_settings(body: Body) -> EvolutionSettings:
    """Read settings as a job was begun with them; names that are no setting any more are left out."""
    known, policy, canary = _known(EvolutionSettings, body), body["policy"], body["canary"]
    known["mode"] = SelectionMode(known["mode"])
    known["operators"] = _named(known["operators"])
    known["policy"] = ApprovalPolicy(
        **_tuples(
            _known(ApprovalPolicy, policy)
            | {
                "operators": _named(policy["operators"]),
                "proofs": list(map(ProofKind, policy.get("proofs", list(ProofKind)))),
            }
        )
    )
    known["canary"] = to_canary_settings(canary)
    return EvolutionSettings(**_tuples(known))


def _named(operators: Iterable[str]) -> tuple[Operator, ...]:
    return tuple(dict.fromkeys(map(Operator.stored, operators)))


def to_operators(names: Iterable[str]) -> tuple[Operator, ...]:
    """Read the operators that may still make candidates."""
    return tuple(Operator(one) for one in names if one != FORMER_OPERATOR)


def _tuples(body: Body) -> Body:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in body.items()}  # pyright: ignore[reportUnknownArgumentType]


def to_questions(body: Body) -> QuestionSets:
    """Read question sets."""
    return QuestionSets(**{name: tuple(map(_to_question, some)) for name, some in body.items()})


def _to_question(body: Body) -> TrialQuestion:
    return TrialQuestion(**_with(body, origin=QuestionOrigin(body["origin"])))


def to_bases(bodies: Iterable[Body]) -> tuple[Base, ...]:
    """Read the documents of a job."""
    return tuple(Base(**one) for one in bodies)


def to_complaints(bodies: Iterable[Body]) -> tuple[Complaint, ...]:
    """Read complaints."""
    return tuple(Complaint(**one) for one in bodies)


def to_evidence(bodies: Iterable[Body]) -> tuple[EvidenceText, ...]:
    """Read evidence."""
    return tuple(EvidenceText(**one) for one in bodies)


def to_texts(bodies: Iterable[Body]) -> tuple[ProposedText, ...]:
    """Read proposed texts."""
    return tuple(ProposedText(**one) for one in bodies)


def to_edits(bodies: Iterable[Iterable[Body]]) -> tuple[tuple[SectionEdit, ...], ...]:
    """Read the edits of each text."""
    return tuple(tuple(map(_to_edit, some)) for some in bodies)


def _to_edit(body: Body) -> SectionEdit:
    return SectionEdit(**_with(body, kind=EditKind(body["kind"]), evidence=tuple(body["evidence"])))


def to_conflicts(bodies: Iterable[Body]) -> tuple[Conflict, ...]:
    """Read conflicts."""
    return tuple(
        Conflict(
            path=tuple(one["path"]),
            first=one["first"],
            second=one["second"],
            first_says=tuple(one["first_says"]),
            second_says=tuple(one["second_says"]),
        )
        for one in bodies
    )


def to_proof(body: Body) -> FactProof:
    """Read the proof of a correction."""
    matches = tuple(
        FactMatch(
            question=FactQuestion(**one["question"]),
            original=tuple(map(Holding, one["original"])),
            candidate=tuple(map(Holding, one["candidate"])),
            answers=tuple(one.get("answers", ())),
        )
        for one in body["matches"]
    )
    return FactProof(**_with(body, evidence=tuple(body["evidence"]), matches=matches))


def to_usage(body: Mapping[str, int]) -> ChatUsage:
    """Read what calls cost."""
    return ChatUsage(**body)


def to_key(body: Body) -> MatchKey:
    """Read the name of a match."""
    return MatchKey(**_with(body, stage=TrialStage(body["stage"])))


def judged_form(one: Judged) -> Body:
    """Write what a judge said to a request."""
    match = asdict(one.request.match) | {"stage": one.request.match.stage.value}
    asked: Body = {"match": match, "order": one.request.order.value}
    if isinstance(one.reply, SameAnswer):
        return {**asked, "is_same": True}
    if isinstance(one.reply, NoVerdict):
        return {**asked, "silence": one.reply.reason}
    return {**asked, "verdict": to_json(one.reply)}


def to_judged(body: Body) -> Judged:
    """Read what a judge said to a request."""
    request = JudgeRequest(match=to_key(body["match"]), order=Order(body["order"]))
    if "is_same" in body:
        return Judged(request=request, reply=SameAnswer())
    if "silence" in body:
        return Judged(request=request, reply=NoVerdict(reason=body["silence"]))
    verdict: Body = body["verdict"]
    first, second = Scores(**verdict["first"]), Scores(**verdict["second"])
    told = _with(verdict, preferred=Side(verdict["preferred"]), first=first, second=second)
    return Judged(request=request, reply=Verdict(**told))


def _with(body: Body, **changes: object) -> Body:
    return {**body, **changes}


def _known(kind: type, body: Body) -> Body:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in body.items() if name in names}
