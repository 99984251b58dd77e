"""Directions: whether what a date or time bounds lies before or after it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.protected import protected_spans
from evolore.text.protected.denials import denials
from evolore.text.protected.spans import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.text.protected.spans import ProtectedSpan

_REACH = 16
_BEFORE_EN = re.compile(
    r"(?<![A-Za-z])(?P<early>before|prior to|earlier than|older than)|(?<![A-Za-z])(?P<late>after|later than|newer than|past)",
    re.IGNORECASE,
)
_LINK_EN = re.compile(r"\s*(?:the |about |around |on )?\Z")
_BEHIND = re.compile(r"[)）]?(?:の|之)?(?:(?P<early>以?前)|(?P<late>以?[后後]|以降))(?![日天年月台])")
_CLAUSE = re.compile(r"[,;，、；。.!?！？\n]")
_BOUNDING = frozenset({SpanKind.DATE, SpanKind.TIME, SpanKind.NUMBER})


def redirected(before: str, after: str, language: Language) -> Iterator[tuple[ProtectedSpan, ProtectedSpan]]:
    """Give the dates, times and years that bound what lies before them in one text, and what lies after them in the other.

    Only words beside the value count, and only clauses with as many denials: "not before 9" is "after 9". Durations
    are left out, as "two days before" bounds nothing.

    >>> [(one.quote, other.quote) for one, other in redirected("Come before 9:30.", "Come after 9:30.", Language.EN)]
    [('9:30', '9:30')]
    """
    ours, theirs = (_bounds(text, language) for text in (before, after))
    for key, (side, is_odd, span) in ours.items():
        other = theirs.get(key)
        if other and other[0] != side and other[1] == is_odd:
            yield span, other[2]


def _bounds(text: str, language: Language) -> dict[tuple[SpanKind, str], tuple[str, bool, ProtectedSpan]]:
    """Give the values that bound something, each with its side and whether its clause is denied; no value twice."""
    found: dict[tuple[SpanKind, str], tuple[str, bool, ProtectedSpan]] = {}
    spans = [span for span in protected_spans(text, language) if span.kind in _BOUNDING and _is_moment(span)]
    for span in spans:
        side = _side(text, span, language)
        if side and sum(other.value == span.value for other in spans) == 1:
            found[span.kind, span.value] = (side, len(denials(_clause(text, span), language)) % 2 == 1, span)
    return found


def _is_moment(span: ProtectedSpan) -> bool:
    """Tell whether a value is a moment: a date, a time, or a number that may be a year."""
    return span.kind is not SpanKind.NUMBER or (span.value.isdecimal() and len(span.value) == 4)  # noqa: PLR2004 - a year


def _side(text: str, span: ProtectedSpan, language: Language) -> str:
    if language in {Language.JA, Language.ZH}:
        match = _BEHIND.match(text, span.span.end)
        return match.lastgroup or "" if match else ""
    window = text[max(0, span.span.start - _REACH) : span.span.start]
    found = [match for match in _BEFORE_EN.finditer(window) if _LINK_EN.fullmatch(window[match.end() :])]
    return found[-1].lastgroup or "" if found else ""


def _clause(text: str, span: ProtectedSpan) -> str:
    start = max((match.end() for match in _CLAUSE.finditer(text, 0, span.span.start)), default=0)
    end = _CLAUSE.search(text, span.span.end)
    return text[start : end.start() if end else len(text)]
