"""The span gate: numbers, dates, code, addresses, names and limits are kept, and none is invented."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.gates.verdicts import Finding, Gate, Verdict
from evolore.text.protected import SpanKind, protected_spans
from evolore.text.protected.comparing import SpanDifference, compare_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

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
    """Say which protected spans a candidate lost, added or changed.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        language: What both are written in.
        evidence: What the candidate cites: it may say what stands there. Feedback is none.
    """
    difference = span_difference(before, after, language, evidence=evidence)
    return Verdict(gate=Gate.SPANS, findings=tuple(_findings(difference)))


def span_difference(before: str, after: str, language: Language, *, evidence: Sequence[str] = ()) -> SpanDifference:
    """Give the protected spans that are lost, and those that are added and stand in no evidence."""
    ours, theirs = protected_spans(before, language), protected_spans(after, language)
    cited = [span for text in evidence for span in protected_spans(text, language)]
    found = compare_spans(ours, theirs)
    added = compare_spans([*ours, *cited], theirs).added
    lost = tuple(span for span in found.lost if not _stands_in(span, after))
    return SpanDifference(lost=lost, added=tuple(span for span in added if not _stands_in(span, before, *evidence)))


def _stands_in(span: ProtectedSpan, *texts: str) -> bool:
    """Tell whether what is compared as it stands, such as code, is there without its marks."""
    if span.kind not in {SpanKind.CODE, SpanKind.IDENTIFIER, SpanKind.PATH, SpanKind.URL, SpanKind.NAME}:
        return False
    value = span.value if span.kind is not SpanKind.NAME else span.quote
    return any(_stands_alone(value, text) for text in texts)


def _stands_alone(value: str, text: str) -> bool:
    start = text.find(value)
    while start >= 0:
        end = start + len(value)
        if not (_joins(text[start - 1 : start], value[:1]) or _joins(value[-1:], text[end : end + 1])):
            return True
        start = text.find(value, start + 1)
    return False


def _joins(one: str, other: str) -> bool:
    """Tell whether two characters belong to one word in Latin letters."""
    return all(sign and sign.isascii() and (sign.isalnum() or sign == "_") for sign in (one, other))


def _findings(difference: SpanDifference) -> Iterator[Finding]:
    changed = list(difference.changed)
    for lost, added in changed:
        reason = f"The {_named(lost)} {lost.quote.strip()} became {added.quote.strip()}"
        yield Finding(reason=reason, before=lost.span, after=added.span)
    for span in difference.lost:
        if all(span is not lost for lost, _ in changed):
            yield Finding(reason=f"The {_named(span)} is lost", quote=span.quote.strip(), before=span.span)
    for span in difference.added:
        if all(span is not added for _, added in changed):
            reason = f"The {_named(span)} stands neither in the original nor in what is cited"
            yield Finding(reason=reason, quote=span.quote.strip(), after=span.span)


def _named(span: ProtectedSpan) -> str:
    return _NAMES.get(span.kind, span.kind.value)
