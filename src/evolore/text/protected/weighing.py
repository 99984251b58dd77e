"""Weighing of what a rewrite lost of and did to the protected spans of its original: what is certainly harm, and what only may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from itertools import product

from evolore.domain.language import Language
from evolore.text.protected import protected_spans
from evolore.text.protected.polarity import denials
from evolore.text.protected.sides import ALTERNATE, PERIODS, VERBATIM, Variant
from evolore.text.values import Value
from evolore.text.values.moments import minutes_of, read_dates
from evolore.text.values.quantities import SAME_PERIOD, Quantity, follows, quantity_of, unit_at
from evolore.text.values.spans import SpanKind
from evolore.text.word_files import read_shared_words

_HALF_A_DAY = 12 * 60
_HALF_OF_DAY = frozenset("午晚早夜朝夕晨")
_FEW = 12
"""Up to so many things are counted in passing: a list makes the count true, and says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanChange:
    """A span that was lost, added, or became another."""

    lost: Value | None = None  #: The span of the original; None for one that was added.
    added: Value | None = None  #: That of the rewrite; None for one that was lost.
    is_certain: bool = True  #: Whether it is harm by itself, regardless of the rest.


def weigh_spans(before: str, after: str, language: Language, *, evidence: Sequence[str] = ()) -> tuple[SpanChange, ...]:
    """Compare what two texts say by their spans, in any notation.

    >>> from evolore.domain.language import Language
    >>> weigh_spans("Wait 24 hours, until 6:30 p.m.", "Wait a day, until half past six in the evening.", Language.EN)
    ()
    """
    ours, theirs, known = _sides(before, after, language, evidence)
    lost = [span for span in ours.spans if not theirs.says(span)]
    return (
        *_changes(lost, [span for span in theirs.spans if not known.says(span)], theirs, known),
        *_rerated(ours, theirs, known),
        *(SpanChange(lost=one, added=other) for one, other in redirected(before, after, language)),
    )


def _sides(before: str, after: str, language: Language, evidence: Sequence[str]) -> tuple[Variant, Variant, Variant]:
    """Return both texts, and the original with the evidence; what both texts say explains no other value of either."""
    texts = (before, *evidence)
    said = [Variant(one, language).values for one in ((before,), (after,), texts)]
    ours, theirs = Variant((before,), language, said[0] & said[1]), Variant((after,), language, said[0] & said[1])
    return ours, theirs, Variant(texts, language, said[2] & said[1]) if evidence else ours


def _rerated(ours: Variant, theirs: Variant, known: Variant) -> Iterator[SpanChange]:
    """Yield which number is now counted per something else: "19 USD an hour" and "19 USD a day"."""
    if not ours.rated:
        return
    for quantity, rates in theirs.rated.items():
        before = ours.rated.get(quantity)
        if before and quantity not in (*(known.rated if known is not ours else ()),):
            groups = [{_counted_per(span.canonical) for span in spans} - {""} for spans in (before, rates)]
            if groups[0] and groups[1] and not groups[0] & groups[1]:
                yield SpanChange(lost=before[0], added=rates[0])


def _changes(lost: list[Value], added: list[Value], theirs: Variant, known: Variant) -> Iterator[SpanChange]:
    def of(kinds: frozenset[SpanKind]) -> tuple[list[Value], list[Value]]:
        return [span for span in lost if span.kind in kinds], [span for span in added if span.kind in kinds]

    yield from _numbers(*of(frozenset({SpanKind.NUMBER})), theirs, known)
    yield from _dates(*of(frozenset({SpanKind.DATE})), theirs, known)
    yield from _times(*of(frozenset({SpanKind.TIME})), theirs, known)
    yield from _verbatim(*of(VERBATIM), known)
    yield from _rates(*of(frozenset({SpanKind.RATE})))
    yield from _names(*of(frozenset({SpanKind.NAME})))
    yield from _names(*of(frozenset({SpanKind.BODY})))


def _paired(
    lost: list[Value], added: list[Value], is_pair: Callable[[Value, Value], bool]
) -> Iterator[tuple[Value, Value]]:
    """Remove what probably became what, and yield it in pairs, in order."""
    for span in tuple(lost):
        twin = next((other for other in added if is_pair(span, other)), None)
        if twin:
            lost.remove(span)
            added.remove(twin)
            yield span, twin


def _numbers(lost: list[Value], added: list[Value], theirs: Variant, known: Variant) -> Iterator[SpanChange]:
    for one, other in _paired(lost, added, _is_written_alike):
        yield SpanChange(lost=one, added=other)
    for one, other in _paired(lost, added, _is_brought_to_one):
        yield SpanChange(lost=one, added=other)
    lost = [span for span in lost if not (span.is_soft or _is_one(span))]
    added = [span for span in added if not (span.is_soft or _is_one(span) or known.may_mean(span))]
    shares = [quantity.number for quantity in map(quantity_of, lost) if quantity.unit == "%"]
    worked_out = [
        span
        for span in added
        if follows(quantity_of(span), known.quantities, known.all_numbers)
        or any((quantity_of(span).number * share / 100).normalize() in theirs.all_numbers for share in shares)
    ]
    for one, other in _paired(
        lost, added, lambda one, other: _is_one_family(one, other) and not _is_sum(one, other, worked_out)
    ):
        yield SpanChange(lost=one, added=other, is_certain=not _is_next(one, other, known, theirs))
    for span in lost:
        quantity = quantity_of(span)
        if not (theirs.may_count(quantity) or span.is_light):
            yield SpanChange(lost=span, is_certain=False)
    for span in added:
        quantity = quantity_of(span)
        if not (known.may_count(quantity) or span.is_light):
            is_certain = span not in worked_out and (quantity.is_measured or quantity.number > _FEW)
            yield SpanChange(added=span, is_certain=is_certain)


def _is_sum(one: Value, other: Value, worked_out: Sequence[Value]) -> bool:
    """Return whether a small number was lost and a large one is worked out: "two thirds of 90" and 60."""
    first, second = quantity_of(one), quantity_of(other)
    return one.is_light and other in worked_out and second.number > _FEW and first.unit != second.unit


def _is_brought_to_one(one: Value, other: Value) -> bool:
    """Return whether several of a unit became one in so many words: 2時間 and 1時間, not "an hour"."""
    first, second = quantity_of(one), quantity_of(other)
    is_told = other.quote[:1].isdigit() or other.quote.casefold().startswith("one")
    return other.is_soft and not one.is_soft and is_told and first.is_measured and first.unit == second.unit


def _is_next(one: Value, other: Value, known: Variant, theirs: Variant) -> bool:
    """Return whether a number was replaced by its neighbour where either is a limit: "before the 25th", "by the 24th"."""
    first, second = quantity_of(one), quantity_of(other)
    (number, _, unit), (beside, _, same) = (span.canonical.partition(" ") for span in (one, other))
    is_beside = first.unit == second.unit and abs(first.number - second.number) == 1
    is_beside |= unit == same == "age" and abs(Decimal(number) - Decimal(beside)) == 1
    return is_beside and (first.number > _FEW or first.number % 1 > 0) and (known.limits(one) or theirs.limits(other))


def _is_one(span: Value) -> bool:
    """Return whether it counts a single thing, as articles do."""
    quantity = quantity_of(span)
    return quantity.number == 1 and not quantity.is_measured


def _is_written_alike(one: Value, other: Value) -> bool:
    """Return whether one number got another unit: "5 minutes" and "5 hours"."""
    first, second = quantity_of(one), quantity_of(other)
    is_spoken = any(span.is_soft and not span.quote[:1].isdigit() for span in (one, other))
    if is_spoken and (first.unit == second.unit or one.quote.casefold().startswith("a")):
        return False
    return first.is_measured and second.is_measured and bool(first.spellings & second.spellings)


def _is_one_family(one: Value, other: Value) -> bool:
    first, second = quantity_of(one), quantity_of(other)
    return first.family == second.family and len({first.counted, second.counted} - {""}) < 2  # noqa: PLR2004 - both of one kind


def _dates(lost: list[Value], added: list[Value], theirs: Variant, known: Variant) -> Iterator[SpanChange]:
    for one, other in _paired(lost, added, lambda one, other: one.is_soft and other.is_soft):
        yield SpanChange(lost=one, added=other)
    lost, added = ([span for span in spans if not span.is_soft] for spans in (lost, added))
    added = [span for span in added if not known.may_date(span)]
    for one, other in _paired(lost, added, lambda one, other: bool(read_dates(one)) == bool(read_dates(other))):
        yield SpanChange(lost=one, added=other)
    for span in lost:
        if span.canonical.startswith("weekday"):
            is_told = any(date[2] for date in known.dates) or theirs.tells_of_days
            yield from () if is_told else (SpanChange(lost=span, is_certain=False),)
        elif not theirs.may_date(span):
            yield SpanChange(lost=span, is_certain=False)
    for span in added:
        if not (span.canonical.startswith("weekday") and known.tells_of_days):
            yield SpanChange(added=span)


def _times(lost: list[Value], added: list[Value], theirs: Variant, known: Variant) -> Iterator[SpanChange]:
    for one, other in _paired(lost, added, lambda _one, _other: True):
        yield SpanChange(lost=one, added=other, is_certain=not _may_be_one_time(one, other))
    yield from (SpanChange(lost=span, is_certain=False) for span in lost if not theirs.may_time(span))
    for span in added:
        if not known.may_time(span):
            yield SpanChange(added=span, is_certain=not known.works_out(span))


def _may_be_one_time(one: Value, other: Value) -> bool:
    """Return whether an hour without its half of the day may be one in the afternoon: 十八点 and 六点."""
    is_half_told = any(sign.isascii() and sign.isalpha() for sign in other.quote) or set(other.quote) & _HALF_OF_DAY
    return minutes_of(one) - minutes_of(other) == _HALF_A_DAY and not is_half_told


def _verbatim(lost: list[Value], added: list[Value], known: Variant) -> Iterator[SpanChange]:
    for one, other in _paired(
        lost, added, lambda one, other: one.kind is other.kind and _is_word(one) == _is_word(other)
    ):
        yield SpanChange(
            lost=one, added=other, is_certain=not _is_word(one) or {one.canonical, other.canonical} <= _zones()
        )
    yield from (SpanChange(lost=span) for span in lost if not _is_word(span))
    yield from (SpanChange(added=span) for span in added if not (_is_word(span) or known.composes(span)))


def _is_word(span: Value) -> bool:
    """Return whether it is an acronym or a brand, which may also be said in words."""
    return span.kind is SpanKind.IDENTIFIER and span.canonical.replace(".", "").isalpha()


def _rates(lost: list[Value], added: list[Value]) -> Iterator[SpanChange]:
    for one, other in _paired(lost, added, lambda _one, _other: True):
        first, second = _counted_per(one.canonical), _counted_per(other.canonical)
        if first != second:
            is_certain = _is_measure(first) and _is_measure(second)
            yield SpanChange(
                lost=one, added=other, is_certain=is_certain or ALTERNATE in one.canonical + other.canonical
            )
    yield from (SpanChange(lost=span) for span in lost if ALTERNATE in span.canonical)
    yield from (SpanChange(added=span) for span in added if ALTERNATE in span.canonical)


def _names(lost: list[Value], added: list[Value]) -> Iterator[SpanChange]:
    lost = [span for span in lost if not span.is_soft]
    added = [span for span in added if not span.is_soft]
    for one, other in _paired(lost, added, lambda one, other: one.canonical.isascii() == other.canonical.isascii()):
        yield SpanChange(lost=one, added=other)
    yield from (SpanChange(lost=span, is_certain=False) for span in lost if span.kind is SpanKind.NAME)
    yield from (SpanChange(added=span, is_certain=False) for span in added if span.kind is SpanKind.NAME)


def _counted_per(noun: str) -> str:
    """Return the name of the group a noun belongs to: a period of time or a unit by itself; nothing for others."""
    noun = SAME_PERIOD.get(noun, noun)
    if noun in PERIODS:
        return f"per {noun}"
    group = next((str(number) for number, group in enumerate(_groups()) if noun in group), "")
    unit = unit_at(noun, 0)[0]
    return group or (
        f"per {unit}" if Quantity(Decimal(1), unit.partition("*")[0]).family != unit or "*" in unit else ""
    )


def _is_measure(group: str) -> bool:
    """Return whether a group is a period of time or a unit."""
    return group.startswith("per ")


@cache
def _groups() -> tuple[frozenset[str], ...]:
    words = read_shared_words("evolore.text", "units", "counted_per")
    return tuple(frozenset(words.words(name)) for name in words.texts)


@cache
def _zones() -> frozenset[str]:
    return frozenset(read_shared_words("evolore.text", "units", "zones").words("names"))


_VERBATIM = VERBATIM | {SpanKind.NAME}
_RELATIONS = frozenset({SpanKind.LIMIT, SpanKind.RATE, SpanKind.BODY})


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanDifference:
    """What differs."""

    lost: tuple[Value, ...]  #: Spans of the original that the rewrite has nowhere.
    added: tuple[Value, ...]  #: Spans of the rewrite that neither the original nor the evidence has.

    def __bool__(self) -> bool:
        return bool(self.lost or self.added)

    @property
    def changed(self) -> Iterator[tuple[Value, Value]]:
        """Pair lost spans with added ones of their kind, in order: what was probably changed into what."""
        left = list(self.added)
        for span in self.lost:
            twin = next((other for other in left if other.kind is span.kind), None)
            if twin:
                left.remove(twin)
                yield span, twin


def compare_spans(before: Sequence[Value], after: Sequence[Value]) -> SpanDifference:
    """Compare by value: how often and where a span occurs does not matter.

    A limit, a rate or a department may be worded in so many ways that only one that another replaces counts:
    "at least 5" to "at most 5", "per order" to "per person", 人事課 to 総務課.
    """
    lost = [span for span in _missing(before, after) if not span.is_soft]
    added = [span for span in _missing(after, before) if not (span.is_soft or span.is_light)]
    return SpanDifference(
        lost=tuple(span for span in lost if _counts(span, after, added)),
        added=tuple(span for span in added if _counts(span, before, lost)),
    )


def _counts(span: Value, others: Sequence[Value], opposite: Sequence[Value]) -> bool:
    if span.kind not in _RELATIONS:
        return True
    rivals = [other for other in opposite if other.kind is span.kind]
    if span.kind is SpanKind.LIMIT:
        return any(other.kind is SpanKind.LIMIT and _limited(other) == _limited(span) for other in others)
    return bool(rivals)


def _limited(span: Value) -> str:
    """Return the number that a limit is about."""
    return span.canonical.partition(" ")[2]


def _missing(wanted: Iterable[Value], there: Sequence[Value]) -> Iterator[Value]:
    known = {(span.kind, span.canonical) for span in there}
    verbatim = {_spelled(span) for span in there if span.kind in _VERBATIM}
    dates = [span for span in there if span.kind is SpanKind.DATE]
    first: dict[tuple[SpanKind, str], Value] = {}
    for span in wanted:
        first.setdefault((span.kind, span.canonical), span)
    for (kind, canonical), span in first.items():
        is_known = (kind, canonical) in known or (kind in _VERBATIM and _spelled(span) in verbatim)
        is_known |= kind is SpanKind.NUMBER and (kind, canonical.removesuffix(" time")) in known
        if not (is_known or (kind is SpanKind.DATE and any(_may_be_one(span, date) for date in dates))):
            yield span


def _spelled(span: Value) -> str:
    """Return what is compared as written; the case of code counts, that of names does not."""
    return span.canonical.casefold() if span.kind is SpanKind.NAME else span.canonical


def _may_be_one(one: Value, other: Value) -> bool:
    """Return whether two days may be one in either reading, the year perhaps stated once: 同年10月1日."""
    pairs = product(read_dates(one), read_dates(other))
    return any(date[1:] == day[1:] and date[0] in {0, day[0] or date[0]} for date, day in pairs)


_REACH = 16
_BEFORE_EN = re.compile(
    r"(?<![A-Za-z])(?P<early>before|prior to|earlier than|older than)|(?<![A-Za-z])(?P<late>after|later than|newer than|past)",
    re.IGNORECASE,
)
_LINK_EN = re.compile(r"\s*(?:the |about |around |on )?\Z")
_BEHIND = re.compile(r"[)）]?(?:の|之)?(?:(?P<early>以?前)|(?P<late>以?[后後]|以降))(?![日天年月台])")
_CLAUSE = re.compile(r"[,;，、；。.!?！？\n]")
_BOUNDING = frozenset({SpanKind.DATE, SpanKind.TIME, SpanKind.NUMBER})


def redirected(before: str, after: str, language: Language) -> Iterator[tuple[Value, Value]]:
    """Yield the dates, times and years that bound what lies before them in one text, and what lies after them in the other.

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


def _bounds(text: str, language: Language) -> dict[tuple[SpanKind, str], tuple[str, bool, Value]]:
    """Return the values that bound something, each with its side and whether its clause is denied; no value twice."""
    found: dict[tuple[SpanKind, str], tuple[str, bool, Value]] = {}
    spans = [span for span in protected_spans(text, language) if span.kind in _BOUNDING and _is_moment(span)]
    for span in spans:
        side = _side(text, span, language)
        if side and sum(other.canonical == span.canonical for other in spans) == 1:
            found[span.kind, span.canonical] = (side, len(denials(_clause(text, span), language)) % 2 == 1, span)
    return found


def _is_moment(span: Value) -> bool:
    """Return whether a value is a moment: a date, a time, or a number that may be a year."""
    return span.kind is not SpanKind.NUMBER or (span.canonical.isdecimal() and len(span.canonical) == 4)  # noqa: PLR2004 - a year


def _side(text: str, span: Value, language: Language) -> str:
    if language in {Language.JA, Language.ZH}:
        match = _BEHIND.match(text, span.span.end)
        return match.lastgroup or "" if match else ""
    window = text[max(0, span.span.start - _REACH) : span.span.start]
    found = [match for match in _BEFORE_EN.finditer(window) if _LINK_EN.fullmatch(window[match.end() :])]
    return found[-1].lastgroup or "" if found else ""


def _clause(text: str, span: Value) -> str:
    start = max((match.end() for match in _CLAUSE.finditer(text, 0, span.span.start)), default=0)
    end = _CLAUSE.search(text, span.span.end)
    return text[start : end.start() if end else len(text)]
