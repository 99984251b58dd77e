"""All gates, one after another, and the short ones of them: parse, size, spans and novelty."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evolore.domain.checks import check_text
from evolore.domain.document import Span
from evolore.domain.evolution import Operator
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.evolution.gates.claim_gate import claim_gate
from evolore.evolution.gates.claims import Similar
from evolore.evolution.gates.injection import injection_gate
from evolore.evolution.gates.markup import markup_gate
from evolore.evolution.gates.verdicts import Concern, Gate, Grade, Ruling
from evolore.text.protected.weighing import SpanChange, weigh_spans
from evolore.text.scripts import detect_language
from evolore.text.tokens import likeness, text_signature
from evolore.text.values import SpanKind, Value

_SPAN_NAMES = {
    SpanKind.LIMIT: "limit",
    SpanKind.RATE: "unit it is counted per",
    SpanKind.URL: "address",
    SpanKind.EMAIL: "e-mail address",
    SpanKind.BODY: "department",
}

_CHATTER = re.compile(
    r"\A\s*(?:(?:Sure|Certainly|Of course|Absolutely)[,!.:]|Here(?:'s| is| are) (?:the|an?|your) (?:re|revised|updated|improved|edited|new|clar)"
    r"|(?:以下|こちら)(?:が|は).{0,12}(?:書き直し|修正|改善|更新)(?:した|版|後)|(?:承知|かしこまり)(?:し)?ました|(?:好的|当然)[,，!！]|以下是(?:修改|改写|更新|优化)"
    r"|As an AI|I(?:'m| am) sorry, (?:but )?I (?:can|am)|I cannot (?:help|assist|comply))",
    re.IGNORECASE,
)
_WRAPPED = re.compile(r"\A\s*```(?:markdown|md|text)?[ \t]*\n.*\n```\s*\Z", re.DOTALL)
_JSON = re.compile(r"\A\s*[{\[]\s*[\"{].*[}\]]\s*\Z", re.DOTALL)
_REPLACEMENT = "\ufffd"

_LEAST_SIZE, _MOST_SIZE = 0.5, 2.5
_SIZE_SLACK = 200
"""A candidate has so many times its original's characters, and so many characters more or less are always let pass."""

_NEARLY_SAME = 0.98
"""Candidates whose words are alike by this much or more are one (Jaccard's measure)."""

_MAY_ADD = frozenset({Operator.MUTATION_DETAIL, Operator.CROSSOVER_MERGE, Operator.CROSSOVER_EXTRACT})
"""Only these draw on evidence; the others say what the document says."""


def novelty_gate(before: str, after: str, *, earlier: Sequence[str] = ()) -> Ruling:
    """Return whether a candidate changes anything, and whether it nearly is a candidate that was made before."""
    if _bare(before) == _bare(after):
        return _refused("The candidate changes nothing but white space")
    signature = text_signature(after)
    for number, text in enumerate(earlier, start=1):
        if _bare(text) == _bare(after):
            return _refused(f"The candidate is the earlier candidate {number} again")
        alike = likeness(signature, text_signature(text))
        if alike >= _NEARLY_SAME and len(signature ^ text_signature(text)) <= _FEW_WORDS:
            return _refused(
                f"The candidate is nearly the earlier candidate {number}: {alike:.0%} of the words are the same"
            )
    return Ruling(gate=Gate.NOVELTY)


_FEW_WORDS = 4


def _bare(text: str) -> str:
    return "".join(text.split())


def _refused(reason: str) -> Ruling:
    return Ruling(gate=Gate.NOVELTY, findings=(Concern(reason=reason),))


def span_gate(before: str, after: str, language: Language, *, evidence: Sequence[str] = ()) -> Ruling:
    """Return which protected spans a candidate lost, added or changed, in any notation.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        language: What both are written in.
        evidence: What the candidate cites: it may say what is there. Feedback is none.
    """
    changes = weigh_spans(before, after, language, evidence=evidence)
    return Ruling(gate=Gate.SPANS, findings=tuple(finding_of(change) for change in changes))


def finding_of(change: SpanChange) -> Concern:
    """Describe in a finding what a change lost, added or replaced."""
    level = Grade.REFUSE if change.is_certain else Grade.DOUBT
    lost, added = change.lost, change.added
    if lost and added:
        reason = f"The {_named(lost)} {lost.quote.strip()} became {added.quote.strip()}"
        return Concern(reason=reason, before=lost.span, after=added.span, level=level)
    if lost:
        reason = f"The {_named(lost)} is lost"
        return Concern(reason=reason, quote=lost.quote.strip(), before=lost.span, level=level)
    if added:
        reason = f"The {_named(added)} is neither in the original nor in what is cited"
        return Concern(reason=reason, quote=added.quote.strip(), after=added.span, level=level)
    raise AssertionError(change)


def _named(span: Value) -> str:
    return _SPAN_NAMES.get(span.kind, span.kind.value)


def size_gate(before: str, after: str, *, evidence: int = 0) -> Ruling:
    """Return whether a candidate is about as long as its original."""
    least = len(before) * _LEAST_SIZE - _SIZE_SLACK
    most = (len(before) + evidence) * _MOST_SIZE + _SIZE_SLACK
    if least <= len(after) <= most:
        return Ruling(gate=Gate.SIZE)
    how = "shorter than the least" if len(after) < least else "longer than the most"
    reason = (
        f"The candidate has {len(after):,} characters and the original {len(before):,}, which is {how} that is let pass "
        f"({max(0, round(least)):,} to {round(most):,})"
    )
    return Ruling(gate=Gate.SIZE, findings=(Concern(reason=reason),))


def parse_gate(before: str, after: str) -> Ruling:
    """Return whether a candidate is a text of its own: not blank, storable, without a model's talk or wrapping around it."""
    return Ruling(gate=Gate.PARSE, findings=tuple(_parse_findings(before, after)))


def _parse_findings(before: str, after: str) -> Iterator[Concern]:
    try:
        check_text(after, "The candidate")
    except InvalidValue as error:
        yield Concern(reason=str(error))
        return
    if after.count(_REPLACEMENT) > before.count(_REPLACEMENT):
        yield Concern(reason="Characters were lost in decoding", quote=_REPLACEMENT, after=_at(after, _REPLACEMENT))
    for pattern, reason in (
        (_CHATTER, "The candidate begins with a model's talk, not with the document"),
        (_WRAPPED, "The candidate is wrapped in a code block"),
        (_JSON, "The candidate is JSON, not a document"),
    ):
        match = pattern.search(after)
        if match and not pattern.search(before):
            yield Concern(reason=reason, quote=match.group().strip(), after=Span(*match.span()))


def _at(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start, start + len(part))


def run_gates(
    before: str,
    after: str,
    *,
    language: Language | None = None,
    operator: Operator | None = None,
    evidence: Sequence[str] = (),
    earlier: Sequence[str] = (),
    similar: Similar | None = None,
) -> Iterator[Ruling]:
    """Yield the verdict of each gate, cheapest first; stop where you like, what is not asked for is not computed.

    Args:
        before: The original; of a crossover, all of them joined.
        after: The candidate.
        language: What they are written in; judged from the original if None.
        operator: How the candidate was made; evidence counts for detail and crossovers only, and where None.
        evidence: The texts the candidate cites. Feedback is no evidence.
        earlier: Other candidates of the document.
        similar: How near sentences are in meaning: given the sentences of either text, a matrix of cosines. Without it,
            words alone decide which sentence became which, and none is certainly lost or invented for its meaning.

    >>> [verdict.gate.value for verdict in run_gates("Wait 30 s.", "Wait 60 s.") if not verdict.passes]
    ['spans', 'claims']
    """
    spoken = language or detect_language(before)
    cited = tuple(evidence) if operator is None or operator in _MAY_ADD else ()
    yield parse_gate(before, after)
    yield size_gate(before, after, evidence=sum(map(len, cited)))
    yield span_gate(before, after, spoken, evidence=cited)
    yield markup_gate(before, after)
    yield novelty_gate(before, after, earlier=earlier)
    yield injection_gate(before, after)
    yield claim_gate(before, after, spoken, evidence=cited, similar=similar)
