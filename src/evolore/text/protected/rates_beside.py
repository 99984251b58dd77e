"""What a number is counted per, where that stands beside it: "19 USD an hour", 1分間に20個."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from evolore.text.protected.spans import SpanKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.text.protected.spans import ProtectedSpan

_ONE_PERIOD = {
    "1 s": "second", "60 s": "minute", "3600 s": "hour", "1 day": "day", "7 day": "week", "1 month": "month",
    "12 month": "year", "1 night": "day", "1 time": "time",
}  # fmt: skip
SAME_PERIOD = {"night": "day", "朝": "day", "晩": "day", "晚": "day", "毎晩": "day"}
_NEAR_RATE = 14
_PER = re.compile(r"に|あたり|当たり|之内|以?内|里|(?=[約约]?[\d¥$])")
_PARTED = re.compile(r"[.;:!?。；：！？，、()（）\n|]|, ")


def as_rate(span: ProtectedSpan, text: str) -> ProtectedSpan | None:
    """Read what something is counted per; a single period stands for "per period": 1分間に."""
    if span.kind is SpanKind.RATE:
        return replace(span, value=SAME_PERIOD.get(span.value, span.value))
    is_period = span.kind is SpanKind.NUMBER and span.value in _ONE_PERIOD
    if is_period and (_PER.match(text, span.span.end) or span.quote.casefold().startswith(("a ", "an "))):
        return replace(span, value=_ONE_PERIOD[span.value])
    return None


def beside(rate: ProtectedSpan, numbers: Sequence[ProtectedSpan], text: str) -> Iterator[ProtectedSpan]:
    """Give the number next to a rate on either side."""
    for side in (True, False):
        near = [
            (gap, index)
            for index, one in enumerate(numbers)
            if (one.span.start > rate.span.start) is side
            and one.span != rate.span
            and (gap := _gap(one, rate, text)) is not None
        ]
        if near:
            yield numbers[min(near)[1]]


def _gap(number: ProtectedSpan, rate: ProtectedSpan, text: str) -> int | None:
    """Give how far a number stands from a rate in one sentence; None where that is too far."""
    first, second = sorted((number.span, rate.span), key=lambda span: span.start)
    between = text[first.end : second.start]
    is_near = len(between) <= _NEAR_RATE and not _PARTED.search(between)
    return len(between) if is_near else None
