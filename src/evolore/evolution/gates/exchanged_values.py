"""Values that gave way to others of the document, or changed places, in sentences that belong together."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from evolore.evolution.gates.readings import pieces_of
from evolore.evolution.gates.verdicts import Finding, Level
from evolore.text.protected import SpanKind
from evolore.text.protected.quantities import Quantity, quantity_of
from evolore.text.protected.weighing import weigh_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.evolution.gates.claims import Claim, Group
    from evolore.text.protected import ProtectedSpan

_UNCHANGED = 0.9
"""How much of their pieces sentences share, values left out, of which nothing but values may have changed."""

_HALF_DAY = 12
_ALIKE = 0.5
_COUNTED = frozenset({SpanKind.NUMBER, SpanKind.DATE, SpanKind.TIME})
_Value = Quantity | tuple[SpanKind, str]


def exchanged_values(group: Group, language: Language) -> Iterator[Finding]:
    """Say where a number, date or name gave way to another of the document, or two changed places."""
    ours, theirs = (" ".join(claim.text for claim in claims) for claims in (group.before, group.after))
    for change in weigh_spans(ours, theirs, language):
        if change.lost and change.added:
            reason = f"{change.lost.quote.strip()} became {change.added.quote.strip()}"
            is_certain = change.is_certain or (change.lost.kind is SpanKind.RATE and group.share >= _ALIKE)
            yield _of_group(group, reason, Level.REFUSE if is_certain else Level.DOUBT)
    yield from _in_place(group)


def _in_place(group: Group) -> Iterator[Finding]:
    """Compare the values of sentences that are the same but for these, one by one."""
    ours, theirs = _counted(group.before), _counted(group.after)
    if not ours or not theirs or not _is_unchanged(group):
        return
    first, second = ([_value(span) for span in spans] for spans in (ours, theirs))
    gone, new = Counter(first) - Counter(second), Counter(second) - Counter(first)
    if gone and new:
        lost, added = (
            next(span for span in spans if _value(span) in some) for spans, some in ((ours, gone), (theirs, new))
        )
        if not _may_be_one(_value(lost), _value(added)) or _is_of_another(lost, added, group):
            yield _of_group(group, f"{lost.quote.strip()} became {added.quote.strip()}", Level.REFUSE)
    elif not gone and not new and first != second:
        yield _of_group(group, "Values changed places", Level.REFUSE)


def _is_of_another(lost: ProtectedSpan, added: ProtectedSpan, group: Group) -> bool:
    """Tell whether a number that counted something, in a word of its own, has a unit instead: "2 frames", "2 seconds"."""
    sides = ((lost, group.before, group.after), (added, group.after, group.before))
    return any(
        span.kind is SpanKind.NUMBER
        and not quantity_of(span).is_measured
        and (noun := _noun_behind(span, claims))
        and noun not in {piece for claim in others for piece in pieces_of(claim.text)}
        for span, claims, others in sides
    )


def _noun_behind(span: ProtectedSpan, claims: Sequence[Claim]) -> str:
    """Give the word right behind a number, in Latin letters."""
    claim = next(one for one in claims if span in one.spans)
    rest = claim.text[span.span.end :]
    pieces = pieces_of(rest) if rest.startswith(" ") else []
    return pieces[0] if pieces and pieces[0].isascii() and pieces[0].isalpha() else ""


def exchanged_rows(before: Sequence[Claim], after: Sequence[Claim]) -> Iterator[Finding]:
    """Say which rows of a table got the values of other rows: those with one name whose cells differ, where all cells stay."""
    ours, theirs = _rows(before), _rows(after)
    shared = [name for name in ours if name in theirs and len(ours[name][0]) == len(theirs[name][0])]
    cells = [Counter(cell for name in shared for cell in rows[name][0]) for rows in (ours, theirs)]
    if cells[0] != cells[1]:
        return
    for name in shared:
        (first, one), (second, other) = ours[name], theirs[name]
        if Counter(first) != Counter(second):
            reason = f"The row {name} has other values"
            yield Finding(reason=reason, before=one.span, after=other.span, quote=other.text, level=Level.REFUSE)


def _rows(claims: Sequence[Claim]) -> dict[str, tuple[tuple[str, ...], Claim]]:
    """Give the rows of tables by their first cell; a name that stands twice names none."""
    found: dict[str, tuple[tuple[str, ...], Claim]] = {}
    names = Counter[str]()
    for claim in claims:
        cells = [cell.strip() for cell in claim.text.strip().strip("|").split("|")]
        if claim.text.strip().startswith("|") and len(cells) > 1:
            found[cells[0]] = (tuple(cells[1:]), claim)
            names[cells[0]] += 1
    return {name: row for name, row in found.items() if names[name] == 1}


def _may_be_one(one: _Value, other: _Value) -> bool:
    """Tell whether two values may be one in two notations: a number with its unit and without, a date with its year."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.is_same(other) or (not (one.unit and other.unit) and bool(one.spellings & other.spellings))
    if isinstance(one, Quantity) or isinstance(other, Quantity) or one[0] is not other[0]:
        return True
    if one[0] is SpanKind.TIME:
        (hour, minute), (later, rest) = (value[1].split(":") for value in (one, other))
        return (int(hour) - int(later)) % _HALF_DAY == 0 and minute == rest
    parts = [value[1].split("-") for value in (one, other)]
    return len(parts[0]) == len(parts[1]) and all(
        "?" in pair or pair[0] == pair[1] for pair in zip(*parts, strict=True)
    )


def _counted(claims: Sequence[Claim]) -> list[ProtectedSpan]:
    return [span for claim in claims for span in claim.spans if span.kind in _COUNTED]


def _value(span: ProtectedSpan) -> _Value:
    return quantity_of(span) if span.kind is SpanKind.NUMBER else (span.kind, span.value)


def _is_unchanged(group: Group) -> bool:
    first, second = (
        [piece for claim in claims for piece in _without_values(claim)] for claims in (group.before, group.after)
    )
    return SequenceMatcher(None, first, second, autojunk=False).ratio() >= _UNCHANGED


def _without_values(claim: Claim) -> list[str]:
    signs = list(claim.text)
    for span in claim.spans:
        if span.kind in _COUNTED:
            signs[span.span.start : span.span.end] = "\0" * (span.span.end - span.span.start)
    return pieces_of("".join(signs).replace("\0", " "))


def _of_group(group: Group, reason: str, level: Level) -> Finding:
    quote = " ".join(claim.text for claim in group.after)
    return Finding(reason=reason, before=group.before[0].span, after=group.after[0].span, quote=quote, level=level)
