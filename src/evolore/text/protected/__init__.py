"""Protected spans: what a rewrite must keep, whatever language and width it is written in."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.text.protected.amounts import han_amounts, latin_amounts, put_in_order, without_list_marks
from evolore.text.protected.bounds import find_limits, find_rates
from evolore.text.protected.marks import (
    find_addresses,
    find_code,
    find_identifiers,
    find_paths,
    find_versions,
)
from evolore.text.protected.moments import find_dates, find_times
from evolore.text.protected.proper_names import find_proper_names
from evolore.text.protected.spans import Folded, ProtectedSpan, SpanKind, fold

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from evolore.text.protected.spans import Found

__all__ = ["ProtectedSpan", "SpanKind", "protected_spans"]

_MACHINE_READERS: tuple[Callable[[str], Iterable[Found]], ...] = (
    find_code,
    find_addresses,
    find_paths,
    find_versions,
    find_dates,
    find_times,
    find_identifiers,
)


@lru_cache(maxsize=2048)
def protected_spans(text: str, language: Language) -> tuple[ProtectedSpan, ...]:
    """Give what a rewrite of a text must keep: code, addresses, names, numbers with units, dates, limits and rates.

    Args:
        text: Markdown or plain text.
        language: What it is written in; Japanese and Chinese have numerals, units and names of their own.

    Returns:
        In the order of the text. A limit or rate may lie over the number it belongs to; of the rest, none overlap.

    >>> [(span.kind.value, span.value) for span in protected_spans("上限は５，０００円です。", Language.JA)]
    [('limit', 'le 5000 JPY'), ('number', '5000 JPY')]
    >>> [span.value for span in protected_spans("It takes 30 minutes; run `sync`.", Language.EN)]
    ['1800 s', 'sync']
    """
    folded = fold(text)
    found = sorted(_found(folded, language), key=lambda one: (one.start, one.end))
    return tuple(_span(one, folded, text) for one in found)


def _found(folded: Folded, language: Language) -> Iterator[Found]:
    whole = folded.text
    for reader in _MACHINE_READERS:
        found = _apart(reader(folded.text))
        yield from found
        for one in found:
            folded = folded.blanked(one.start, one.end)
    plain = without_list_marks(folded.text)
    rates = _apart(find_rates(plain, language))
    yield from rates
    plain = _blanked(plain, rates)
    is_han = language in {Language.JA, Language.ZH}
    amounts = han_amounts(plain, is_chinese=language is Language.ZH) if is_han else latin_amounts(plain)
    numbers = [amount.found for amount in put_in_order(plain, sorted(amounts, key=lambda one: one.start))]
    yield from numbers
    yield from find_limits(plain, language, numbers)
    yield from _apart(find_proper_names(_with_line_starts(_blanked(plain, numbers), whole), language))


def _blanked(text: str, found: Iterable[Found]) -> str:
    for one in found:
        text = f"{text[: one.start]}{' ' * (one.end - one.start)}{text[one.end :]}"
    return text


def _with_line_starts(plain: str, whole: str) -> str:
    """Keep a blanked stretch from looking like the beginning of a sentence: "`x` Tanaka" opens none."""
    return "".join(
        "\x1f" if one == " " and other != " " and not other.isspace() else one
        for one, other in zip(plain, whole, strict=True)
    )


def _apart(found: Iterable[Found]) -> list[Found]:
    kept: list[Found] = []
    for one in sorted(found, key=lambda one: (one.start, one.start - one.end, one.is_soft)):
        if (
            not kept
            or one.start >= kept[-1].end
            or ((one.start, one.end) == (kept[-1].start, kept[-1].end) and one.value != kept[-1].value)
        ):
            kept.append(one)
    return kept


def _span(one: Found, folded: Folded, text: str) -> ProtectedSpan:
    begins = one.start + next((place for place, sign in enumerate(folded.text[one.start : one.end]) if sign != " "), 0)
    start, end = folded.offsets[begins], folded.offsets[max(one.start, one.end - 1)]
    stop = next((place for place in folded.offsets[one.end :] if place > end), len(text))
    span = Span(start, max(stop, end))
    return ProtectedSpan(
        kind=one.kind, value=one.value, quote=span.of(text), span=span, is_soft=one.is_soft, is_light=one.is_light
    )
