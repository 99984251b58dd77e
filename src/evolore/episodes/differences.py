"""Differences: why two texts that are worded almost alike do not say the same."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations, product

from evolore.domain.language import Language
from evolore.text.contrasts.reading import Reading, is_reordered, left_over, opposites_of, read
from evolore.text.values import Value


class DifferenceKind(StrEnum):
    """What two texts differ in."""

    QUESTION = "one asks what the other tells"
    SUPPOSED = "one is planned or supposed, the other told"
    TIME = "one tells of what was, the other of what is"
    NUMBER = "another number"
    NEGATION = "one denies it"
    OPPOSITE = "the opposite, or another of a kind"
    NAME = "another name"
    ORDER = "the same words in other roles"


ANOTHER_DAY = "another day"
"""What a difference of the days of the week is called."""
_MOST_COMPARED = 64
"""Of a text that lists more values, the first that another lacks are compared."""
_DAY = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|[月火水木金土日]曜日?|(?:周|星期|礼拜)[一二三四五六日天]"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What keeps two texts from saying the same."""

    kind: DifferenceKind  #: What they differ in.
    ours: str  #: The words that differ in the first text; empty where it lacks what the other has.
    theirs: str  #: Those in the second text; empty where it lacks what the first has.
    is_strict: bool = True  #: Whether both cannot hold of one thing at one time.
    is_apart: bool = False  #: Whether it distinguishes two things of a kind: the left and the right one.

    @property
    def is_measured(self) -> bool:
        """Whether it is a number of one and the same unit."""
        return self.kind is DifferenceKind.NUMBER and self.is_strict

    @property
    def reason(self) -> str:
        """Describe it in words, both sides quoted; where one side lacks something, what the other has."""
        if not self.ours or not self.theirs:
            return f'{self.kind} ("{self.ours or self.theirs}")'
        return f'{self._words}: "{self.ours}" / "{self.theirs}"'

    @property
    def _words(self) -> str:
        return ANOTHER_DAY if all(map(_DAY.fullmatch, (self.ours.casefold(), self.theirs.casefold()))) else self.kind

    def as_written(self, a: str, b: str) -> Difference:
        """Return it with its quotes as the two texts write them, where they are found there: "Berlin", not "berlin"."""
        return replace(self, ours=as_written(self.ours, a), theirs=as_written(self.theirs, b))


def as_written(quote: str, text: str) -> str:
    """Return a quote in lower case, or the stem of a word, as the text writes it; as it is where it is not found.

    >>> as_written("berlin", "My sister lives in Berlin.")
    'Berlin'
    """
    for rest in ("(?![a-z])", "[a-z]*"):
        if quote and (found := re.search(rf"(?<![a-z]){re.escape(quote)}{rest}", text, re.IGNORECASE)):
            return found.group()
    return quote


def difference(a: str, b: str, language: Language) -> Difference | None:
    """Return the first thing that two texts differ in so that they cannot be one statement; None where there is none.

    Looked for in this order: question, negation, what is only planned, what is past, number, opposites, name, roles.
    What only one of them says is no difference: it may be added to the other.

    >>> difference("The gym opens at 7.", "The gym opens at 8.", Language.EN).reason
    'another number: "7" / "8"'
    >>> difference("A child rides a horse.", "A young child rides a horse.", Language.EN) is None
    True
    """
    found = next(differences(read(a, language), read(b, language), language), None)
    return found and found.as_written(a, b)


def differences(a: Reading, b: Reading, language: Language) -> Iterator[Difference]:
    """Yield everything that two readings differ in, in the order of ``difference``."""
    yield from differences_of_mode(a, b)
    yield from filter(None, (number_difference(a, b),))
    yield from differences_of_words(a, b, language)


def differences_of_mode(a: Reading, b: Reading) -> Iterator[Difference]:
    """Return what two readings differ in before their values: whether they ask, deny, plan or report the past."""
    looks: tuple[Callable[[Reading, Reading], Difference | None], ...] = (_asking, _negation, _supposing, _past)
    return filter(None, (look(a, b) for look in looks))


def differences_of_words(a: Reading, b: Reading, language: Language) -> Iterator[Difference]:
    """Yield what two readings differ in behind their values: opposites, names, roles."""
    for place in sorted(a.sides.keys() & b.sides.keys()):
        ours, theirs, group = a.sides[place], b.sides[place], opposites_of(language)[place]
        mine, other = ours.keys() - theirs.keys(), theirs.keys() - ours.keys()
        if mine and other:
            yield Difference(
                kind=DifferenceKind.OPPOSITE,
                ours=ours[min(mine)],
                theirs=theirs[min(other)],
                is_strict=group.is_strict,
                is_apart=group.is_apart,
            )
    yield from filter(None, (_name(a, b), _roles(a, b, language)))


def _asking(a: Reading, b: Reading) -> Difference | None:
    if a.asks == b.asks:
        return None
    return Difference(
        kind=DifferenceKind.QUESTION, ours=a.text.strip()[-12:], theirs=b.text.strip()[-12:], is_strict=False
    )


def _negation(a: Reading, b: Reading) -> Difference | None:
    if len(a.negations) == len(b.negations):
        return None
    return Difference(kind=DifferenceKind.NEGATION, ours=", ".join(a.negations), theirs=", ".join(b.negations))


def _supposing(a: Reading, b: Reading) -> Difference | None:
    if bool(a.supposed) == bool(b.supposed):
        return None
    return Difference(kind=DifferenceKind.SUPPOSED, ours=a.supposed, theirs=b.supposed, is_strict=False)


def _past(a: Reading, b: Reading) -> Difference | None:
    for stem, tense in a.tenses.items():
        if b.tenses.get(stem, tense) != tense and stem in a.counts:
            return Difference(
                kind=DifferenceKind.TIME, ours=stem + tense, theirs=stem + b.tenses[stem], is_strict=False
            )
    if bool(a.past) == bool(b.past) or not (b if a.past else a).is_present:
        return None
    return Difference(kind=DifferenceKind.TIME, ours=a.past, theirs=b.past, is_strict=False)


def number_difference(a: Reading, b: Reading) -> Difference | None:
    """Compare the values that only one of the texts holds, one of a kind on either side."""
    for one, other in product(*_unshared(a.values, b.values)):
        if one.is_of_kind(other) and not (one.is_soft and other.is_soft):
            return Difference(
                kind=DifferenceKind.NUMBER, ours=one.quote, theirs=other.quote, is_strict=one.unit == other.unit
            )
    return None


def _unshared(ours: tuple[Value, ...], theirs: tuple[Value, ...]) -> tuple[list[Value], list[Value]]:
    """Leave out the values that both texts hold: in the same spelling first, then with one that may be meant."""
    spellings = [Counter(value.canonical for value in values) for values in (ours, theirs)]
    left, others = (
        [value for value in values if not _take(value.canonical, counts)][:_MOST_COMPARED]
        for values, counts in ((ours, spellings[1]), (theirs, spellings[0]))
    )
    for value in tuple(left):
        same = [other for other in others if other.is_same(value)]
        if same:
            left.remove(value)
            others.remove(next((other for other in same if other.unit == value.unit), same[0]))
    return left, others


def _take(spelling: str, counts: Counter[str]) -> bool:
    counts[spelling] -= 1
    return counts[spelling] >= 0


def _name(a: Reading, b: Reading) -> Difference | None:
    ours = sorted(name for name in a.names if name not in b.words and name not in b.text)
    theirs = sorted(name for name in b.names if name not in a.words and name not in a.text)
    return None if not ours or not theirs else Difference(kind=DifferenceKind.NAME, ours=ours[0], theirs=theirs[0])


def _roles(a: Reading, b: Reading, language: Language) -> Difference | None:
    for run in sorted(a.cases.keys() & b.cases.keys()):
        ours, theirs = a.cases[run], b.cases[run]
        if not ours & theirs and _MARKED.issuperset(ours | theirs):
            return Difference(
                kind=DifferenceKind.ORDER,
                ours=run + "・".join(sorted(ours)),
                theirs=run + "・".join(sorted(theirs)),
                is_strict=False,
            )
    if swapped := _swapped(a, b):
        return swapped
    if language not in {Language.JA, Language.ZH} and not any(left_over(a, b)) and is_reordered(a, b):
        return Difference(kind=DifferenceKind.ORDER, ours=" ".join(a.words), theirs=" ".join(b.words), is_strict=False)
    return None


def _swapped(a: Reading, b: Reading) -> Difference | None:
    """Return whether two things have changed their particles: who draws whose face."""
    for one, other in combinations(sorted(a.cases.keys() & b.cases.keys()), 2):
        if a.cases[one] == b.cases[other] != a.cases[other] == b.cases[one]:
            mine, theirs = "・".join(sorted(a.cases[one])), "・".join(sorted(b.cases[one]))
            return Difference(kind=DifferenceKind.ORDER, ours=one + mine, theirs=one + theirs, is_strict=False)
    return None


_MARKED = frozenset(("が", "を", "に", "で", "から", "まで", "より"))
"""Particles that say what part something has in what happens."""
