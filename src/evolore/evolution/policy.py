"""Approval of changes by a policy, and the promotions a version rests on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from evolore.domain.checks import check_share
from evolore.domain.evolution import Operator, PromotedDocument, Promotion
from evolore.errors import InvalidValue

_LEAST_WIN_RATE = 0.5
"""The lower end of the interval of the win rate on fresh questions must be at least this: better, and not by chance."""

_MUTATIONS = (Operator.MUTATION_CLARITY, Operator.MUTATION_SIMPLIFY, Operator.MUTATION_QA_FORMAT)


class ProofKind(StrEnum):
    """How a candidate is proved: a fact by newer evidence, or a wording by fresh questions."""

    CORRECTION = "correction"
    WORDING = "wording"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPolicy:
    """What may be approved without a person. It holds only where ``auto_update`` is set.

    Raises:
        InvalidValue: A share outside 0-1, or no operator.
    """

    shadow: bool = False  #: Only say what it would have done, and leave it to a person.
    proofs: tuple[ProofKind, ...] = tuple(ProofKind)  #: Which kinds of proof it goes by: corrections, wording, or both.
    #: Wordings by these operators; a correction is of the operator that adds by evidence.
    operators: tuple[Operator, ...] = _MUTATIONS
    most_changed_share: float = 0.5  #: At most this share of a document's characters may be in edited sections, 0-1.
    sources: tuple[str, ...] = ()  #: Patterns on documents' sources; where there are any, one must fit.
    never_sources: tuple[str, ...] = ()  #: Patterns on sources of documents that a person always decides about.
    #: Principals whose documents correct those of others. A fact from a document that anybody else wrote, but for who
    #: wrote the corrected one first, is left to a person.
    trusted_writers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_share(most_changed_share=self.most_changed_share)
        if not self.proofs:
            raise InvalidValue("proofs is empty: name correction, wording or both, or leave auto_update off.")
        if not self.operators:
            raise InvalidValue("operators is empty: name at least one, or leave auto_update off.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """What a policy looks at."""

    operator: Operator  #: How the candidate was made.
    sources: tuple[str, ...]  #: Where its documents came from.
    may_auto_update: bool  #: Whether selection left it to a policy: proved, and no doubt of the judge.
    win_rate_low: float  #: The lower end of the interval of its win rate on fresh questions.
    changed_share: float  #: The share of the documents' characters that are in edited sections.
    doubts: tuple[str, ...] = ()  #: What gates, claims and conflicts leave open.
    suspicions: tuple[str, ...] = ()  #: What in feedback or documents looks like an order to a model.
    proof: ProofKind = ProofKind.WORDING  #: How it is proved.
    #: Who wrote the first version of the document that a correction is about; None if unnamed.
    writer: str | None = None
    #: Who wrote the documents that a correction rests on, by their sources.
    evidence_writers: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVerdict:
    """What a policy says."""

    approves: bool  #: Whether it approves, or would where it is only shadowing.
    objections: tuple[str, ...]  #: Why not; none where it approves.
    is_shadow: bool  #: Whether nothing follows from it.


def apply_policy(policy: ApprovalPolicy, proven: Proven) -> PolicyVerdict:
    """Return whether a policy approves a candidate, and else every reason why not."""
    objections = tuple(_objections(policy, proven))
    return PolicyVerdict(approves=not objections, objections=objections, is_shadow=policy.shadow)


def _objections(policy: ApprovalPolicy, proven: Proven) -> Iterator[str]:
    if not proven.may_auto_update:
        yield "selection leaves it to a person"
    if proven.proof not in policy.proofs:
        yield f"it is a {proven.proof.value}, and the policy approves {', '.join(policy.proofs)} only"
    elif proven.proof is ProofKind.WORDING and proven.operator not in policy.operators:
        yield f"{proven.operator.value} is not among its operators"
    if proven.win_rate_low < _LEAST_WIN_RATE:
        yield f"the win rate may be {proven.win_rate_low:.2f}, below {_LEAST_WIN_RATE:.2f}"
    if proven.changed_share > policy.most_changed_share:
        share, most = proven.changed_share, policy.most_changed_share
        yield f"{share:.0%} of the text is in edited sections, above {most:.0%}"
    yield from _sources(policy, proven.sources)
    yield from _strangers(policy, proven)
    yield from (f"open: {doubt}" for doubt in proven.doubts)
    yield from (f"suspicious: {one}" for one in proven.suspicions)


def _sources(policy: ApprovalPolicy, sources: Sequence[str]) -> list[str]:
    never = [one for one in sources if any(fnmatchcase(one, pattern) for pattern in policy.never_sources)]
    other = [
        one for one in sources if policy.sources and not any(fnmatchcase(one, pattern) for pattern in policy.sources)
    ]
    return [f"{one!r} is left to a person" for one in dict.fromkeys((*never, *other))]


def _strangers(policy: ApprovalPolicy, proven: Proven) -> list[str]:
    """Object to evidence by anybody who is neither the document's own writer nor trusted.

    A ring of raters needs but one who writes: three complain, and a fourth adds a page that says what they want.
    """
    known = {proven.writer, *policy.trusted_writers}
    return [
        f"{source!r} was written by {who or 'an unnamed person'}, who is not among its trusted writers"
        for source, who in proven.evidence_writers
        if who not in known
    ]


def rests_on(
    line: Iterable[Promotion], document_id: str, version: int, *, rebased: Collection[int] = ()
) -> frozenset[str]:
    """Return the promotions whose text a version of a document was made from, by id."""
    known = list(line)
    made = {mine.after: (one.id, mine) for one, mine in _of(known, document_id) if mine.after}
    restored = {mine.restored: mine for _, mine in _of(known, document_id) if mine.restored}
    found: set[str] = set()
    while version in made or version in restored or version in rebased:
        if version not in made:
            version = restored[version].before if version in restored else version - 1
            continue
        id_, mine = made[version]
        found.add(id_)
        version = mine.before
    return frozenset(found)


def is_from_source(line: Iterable[Promotion], document_id: str, version: int) -> bool:
    """Return whether a version was written by no promotion and no rollback: its source said so."""
    return not any(version in {mine.after, mine.restored} for _, mine in _of(line, document_id))


def _of(line: Iterable[Promotion], document_id: str) -> Iterator[tuple[Promotion, PromotedDocument]]:
    return ((one, mine) for one in line for mine in one.documents if mine.document_id == document_id)
