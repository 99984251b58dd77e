"""Verdicts of gates on a candidate."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from re import Match
from typing import Self

from evolore.domain.document import Span

_SHOWN = 60


class Gate(StrEnum):
    """What is checked, cheapest first: the order in which candidates are tried."""

    PARSE = "parse"
    SIZE = "size"
    SPANS = "spans"
    MARKUP = "markup"
    NOVELTY = "novelty"
    INJECTION = "injection"
    CLAIMS = "claims"


class Grade(StrEnum):
    """How sure a gate is."""

    REFUSE = "refuse"
    DOUBT = "doubt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Concern:
    """One thing a gate objects to, or doubts."""

    reason: str  #: What is wrong, for the person who decides.
    before: Span | None = None  #: The passage of the original it is about; None where there is none.
    after: Span | None = None  #: The passage of the candidate; None where there is none.
    quote: str = ""  #: The text of that passage.
    level: Grade = Grade.REFUSE  #: Whether it is certain harm, or only what a person or a judge should check.

    @classmethod
    def at(cls, reason: str, match: Match[str], *, level: Grade = Grade.REFUSE) -> Self:
        """Return what is wrong where an expression matches the candidate."""
        return cls(reason=reason, after=Span(*match.span()), quote=match.group(), level=level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What one gate says of one candidate."""

    gate: Gate  #: Which.
    #: What it objects to or doubts; nothing to object to where the candidate passes.
    findings: tuple[Concern, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether the gate lets the candidate pass, maybe with doubts."""
        return not self.refusals

    @property
    def refusals(self) -> tuple[Concern, ...]:
        """What is certain harm: the candidate is refused."""
        return tuple(finding for finding in self.findings if finding.level is Grade.REFUSE)

    @property
    def doubts(self) -> tuple[Concern, ...]:
        """What may be harm: the candidate passes, a person is shown it, and no policy may approve it."""
        return tuple(finding for finding in self.findings if finding.level is Grade.DOUBT)

    def __str__(self) -> str:
        if not self.findings:
            return f"{self.gate.value}: passes"
        return "\n".join(f"{self.gate.value}: {_told(finding)}" for finding in self.findings)


def _told(finding: Concern) -> str:
    place = ""
    if finding.after is not None:
        place = f" (candidate, character {finding.after.start:,})"
    elif finding.before is not None:
        place = f" (original, character {finding.before.start:,})"
    quote = " ".join(finding.quote.split())
    shown = f": {quote[:_SHOWN]}…" if len(quote) > _SHOWN else f": {quote}" if quote else ""
    doubt = "doubt: " if finding.level is Grade.DOUBT else ""
    return f"{doubt}{finding.reason}{shown}{place}"
