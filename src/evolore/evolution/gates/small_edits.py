"""Small edits: in a sentence that stands as it was, a denial that came or went is certain."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from evolore.evolution.gates.opposites import find_opposed
from evolore.evolution.gates.readings import joined, reading_of
from evolore.evolution.gates.signs import signs_of
from evolore.evolution.gates.verdicts import Level
from evolore.text.protected.polarity_words import polarity_of
from evolore.text.protected.units import unit_at

if TYPE_CHECKING:
    from evolore.domain.language import Language
    from evolore.evolution.gates.readings import Reading

_STEM = 3
_VERY_SMALL = 0.8
_SMALL = 0.72
"""How much of their pieces two sentences share of which one is a small edit of the other."""


def turned_by_small_edit(one: Reading, other: Reading) -> tuple[str, Level] | None:
    """Say what a small edit of a sentence makes of its denials, and how sure that is; None of one that is worded anew.

    >>> from evolore.domain.language import Language
    >>> from evolore.evolution.gates.readings import reading_of
    >>> first, second = ("Do not open the door at night.", "Open the door at night.")
    >>> turned_by_small_edit(reading_of(first, Language.EN), reading_of(second, Language.EN))
    ('A denial is lost (not)', <Level.REFUSE: 'refuse'>)
    """
    if signs_of(one, other)["alike"] < _SMALL:
        return None
    if (len(one.denials) - len(other.denials)) % 2:
        more, fewer = (one, other) if len(one.denials) > len(other.denials) else (other, one)
        is_doubled = polarity_of(more.language).doubles.search(more.plain) is not None
        is_made_up_for = is_resolved(more, fewer) if is_doubled else bool(fewer.other_softeners - more.other_softeners)
        return denial_reason(one, other), Level.DOUBT if is_made_up_for else Level.REFUSE
    opposed = find_opposed(one, other)
    if opposed and opposed[2]:
        return f"{opposed[0]} became {opposed[1]}", Level.REFUSE
    return _exchanged(one, other)


def _exchanged(one: Reading, other: Reading) -> tuple[str, Level] | None:
    """Say which word gave way to one that excludes it: "before" to "after", "all" to "some"."""
    if signs_of(one, other)["alike"] < _VERY_SMALL or one.denials != other.denials:
        return None
    matcher = SequenceMatcher(None, one.pieces, other.pieces, autojunk=False)
    for what, start, end, begin, stop in matcher.get_opcodes():
        gone, new = joined(one.pieces[start:end]), joined(other.pieces[begin:stop])
        if what == "replace" and excludes(gone, new, one.language):
            return f"{gone} became {new}", Level.REFUSE
    return None


def excludes(gone: str, new: str, language: Language) -> bool:
    """Tell whether two stretches name different sides of one of the groups of words that exclude one another."""
    if len({_unit(gone), _unit(new)} - {""}) > 1:
        return True
    first, second = reading_of(gone, language).sides, reading_of(new, language).sides
    return any(ours and theirs and not ours & theirs for ours, theirs in zip(first, second, strict=True))


def _unit(words: str) -> str:
    """Give the unit that words name and nothing else: "seconds" in "300 | seconds an entry is kept"."""
    name, end = unit_at(words, 0)
    return name if end == len(words) else ""


def is_resolved(one: Reading, other: Reading) -> bool:
    """Tell whether a denial of a denial is gone with both: "not uncommon" and "common", not "did not deny" and "denied"."""
    match = polarity_of(one.language).doubles.search(one.plain)
    if not match:
        return False
    inner = match.group().split()[-1][:_STEM] if match.group().isascii() else match.group()[:2]
    return inner.casefold() not in other.plain.casefold()


def denial_reason(one: Reading, other: Reading) -> str:
    """Say whether a denial came or went."""
    if len(one.denials) > len(other.denials):
        return f"A denial is lost ({', '.join(one.denials)})"
    return f"A denial is added ({', '.join(other.denials)})"
