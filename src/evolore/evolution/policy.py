"""Who approves a change: by default a person; a policy, which is data, may approve what is plainly safe."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from evolore.domain.checks import check_share
from evolore.domain.lineage import Operator
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Sequence

_MUTATIONS = (Operator.MUTATION_CLARITY, Operator.MUTATION_SIMPLIFY, Operator.MUTATION_QA_FORMAT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalPolicy:
    """What may be approved without a person. It holds only where ``auto_update`` is set.

    Args:
        shadow: Only say what it would have done, and leave it to a person.
        operators: Candidates of these operators.
        least_win_rate: The lower end of the interval of the win rate on fresh questions must be at least this, 0-1.
        most_changed_share: At most this share of a document's characters may stand in edited sections, 0-1.
        sources: Patterns on documents' sources; where there are any, one must fit.
        never_sources: Patterns on sources of documents that a person always decides about.

    Raises:
        InvalidValue: A share outside 0-1, or no operator.
    """

    shadow: bool = False
    operators: tuple[Operator, ...] = _MUTATIONS
    least_win_rate: float = 0.5
    most_changed_share: float = 0.5
    sources: tuple[str, ...] = ()
    never_sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_share(self.least_win_rate, "least_win_rate")
        check_share(self.most_changed_share, "most_changed_share")
        if not self.operators:
            raise InvalidValue("operators is empty: name at least one, or leave auto_update off.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proven:
    """What a policy looks at.

    Args:
        operator: How the candidate was made.
        sources: Where its documents came from.
        may_auto_update: Whether selection left it to a policy: proved, and no doubt of the judge.
        win_rate_low: The lower end of the interval of its win rate on fresh questions.
        changed_share: The share of the documents' characters that stand in edited sections.
        doubts: What gates, claims and conflicts leave open.
        suspicions: What in feedback or documents looks like an order to a model.
    """

    operator: Operator
    sources: tuple[str, ...]
    may_auto_update: bool
    win_rate_low: float
    changed_share: float
    doubts: tuple[str, ...] = ()
    suspicions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyVerdict:
    """What a policy says.

    Args:
        approves: Whether it approves, or would where it is only shadowing.
        objections: Why not; none where it approves.
        is_shadow: Whether nothing follows from it.
    """

    approves: bool
    objections: tuple[str, ...]
    is_shadow: bool


def apply_policy(policy: ApprovalPolicy, proven: Proven) -> PolicyVerdict:
    """Say whether a policy approves a candidate, and else every reason why not."""
    objections = (
        *(["selection leaves it to a person"] if not proven.may_auto_update else []),
        *([f"{proven.operator.value} is not among its operators"] if proven.operator not in policy.operators else []),
        *_low(proven.win_rate_low, policy.least_win_rate),
        *_large(proven.changed_share, policy.most_changed_share),
        *_sources(policy, proven.sources),
        *(f"open: {doubt}" for doubt in proven.doubts),
        *(f"suspicious: {one}" for one in proven.suspicions),
    )
    return PolicyVerdict(approves=not objections, objections=objections, is_shadow=policy.shadow)


def _low(rate: float, least: float) -> Sequence[str]:
    return [f"the win rate may be {rate:.2f}, below {least:.2f}"] if rate < least else []


def _large(share: float, most: float) -> Sequence[str]:
    return [f"{share:.0%} of the text stands in edited sections, above {most:.0%}"] if share > most else []


def _sources(policy: ApprovalPolicy, sources: Sequence[str]) -> list[str]:
    never = [one for one in sources if any(fnmatchcase(one, pattern) for pattern in policy.never_sources)]
    other = [
        one for one in sources if policy.sources and not any(fnmatchcase(one, pattern) for pattern in policy.sources)
    ]
    return [f"{one!r} is left to a person" for one in dict.fromkeys((*never, *other))]
