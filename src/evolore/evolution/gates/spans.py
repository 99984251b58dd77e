"""The span gate: numbers, dates, code, addresses, names and limits are kept, and none is invented."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.gates.verdicts import Finding, Gate, Level, Verdict
from evolore.text.protected import SpanKind
from evolore.text.protected.weighing import SpanChange, weigh_spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.language import Language
    from evolore.text.protected import ProtectedSpan

_NAMES = {
    SpanKind.LIMIT: "limit",
    SpanKind.RATE: "unit it is counted per",
    SpanKind.URL: "address",
    SpanKind.EMAIL: "e-mail address",
    SpanKind.BODY: "department",
}


def span_gate(before: str, after: str, language: Language, *, evidence: Sequence[str] = ()) -> Verdict:
    """Say which protected spans a candidate lost, added or changed, whatever notation they are in.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        language: What both are written in.
        evidence: What the candidate cites: it may say what stands there. Feedback is none.
    """
    changes = weigh_spans(before, after, language, evidence=evidence)
    return Verdict(gate=Gate.SPANS, findings=tuple(finding_of(change) for change in changes))


def finding_of(change: SpanChange) -> Finding:
    """Say of a change what became of what."""
    level = Level.REFUSE if change.is_certain else Level.DOUBT
    lost, added = change.lost, change.added
    if lost and added:
        reason = f"The {_named(lost)} {lost.quote.strip()} became {added.quote.strip()}"
        return Finding(reason=reason, before=lost.span, after=added.span, level=level)
    if lost:
        reason = f"The {_named(lost)} is lost"
        return Finding(reason=reason, quote=lost.quote.strip(), before=lost.span, level=level)
    if added:
        reason = f"The {_named(added)} stands neither in the original nor in what is cited"
        return Finding(reason=reason, quote=added.quote.strip(), after=added.span, level=level)
    raise AssertionError(change)


def _named(span: ProtectedSpan) -> str:
    return _NAMES.get(span.kind, span.kind.value)
