"""Contradictions: two statements of which, by their wording, both cannot hold. They are flagged, never settled here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.episodes.differences import Difference, DifferenceKind, differences
from evolore.episodes.sentences import pairings
from evolore.text.contrasts import words_of
from evolore.text.contrasts.alignment import left_over
from evolore.text.contrasts.reading import MOST_READ, content_stems, is_definite, read

if TYPE_CHECKING:
    from evolore.text.contrasts.reading import Reading

_UNCERTAIN = frozenset((DifferenceKind.QUESTION, DifferenceKind.SUPPOSED, DifferenceKind.TIME, DifferenceKind.ORDER))
_MOST_ON_ONE_SIDE = {Language.ZH: 0.25}
_MOST_ON_ENGLISH_SIDE = 0.5
_MOST_ON_BOTH = 0.2
_MOST_OF_DEFINITE = 0.67
_MOST_OF_ANY = 0.34
_PERSONS = frozenset("我你他她您咱私僕俺彼")
"""Of somebody, two things of a kind may be true: a cat and a dog, tea and coffee."""

_LEAST_DONE = 2
_LEAST_SHARED = 2
"""With fewer words in common, such as a name that is called, one does not deny what the other says."""

_LEAST_SHARE_DONE = 0.4


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """Why two statements cannot both hold.

    Args:
        difference: What they differ in.
    """

    difference: Difference

    @property
    def reason(self) -> str:
        """Say it in words, both sides quoted."""
        return self.difference.reason


def contradiction(a: str, b: str, language: Language) -> Contradiction | None:
    """Tell whether two statements contradict each other by their wording; None where nothing says so.

    Meant to be right when it speaks, at the price of silence: most contradictions are told in other words. Sentences
    with the same words are compared, of which one denies what the other says, or both hold opposites that rule each
    other out. Another number, name, day or colour counts only of something definite ("my rent", "the office",
    「会議は」): of "a man" and "a woman", both may be true.

    Args:
        a: One statement.
        b: Another.
        language: What they are written in.

    >>> contradiction("The shop is open on Sunday.", "The shop isn't open on Sunday.", Language.EN).reason
    'one denies it ("not")'
    >>> contradiction("A man plays the flute.", "A woman plays the flute.", Language.EN) is None
    True
    """
    if max(len(a), len(b)) > MOST_READ:
        return None
    if found := never_done(a, b, language) or never_done(b, a, language):
        return found
    for pairing in pairings(a, b, language):
        if found := _contradiction(pairing.ours, pairing.theirs, language):
            return Contradiction(difference=found.difference.as_written(a, b))
    return None


def never_done(a: str, b: str, language: Language) -> Contradiction | None:
    """Tell whether the first text says that something was never done which the second tells of as done."""
    denial = re.search(words_of(language).never, read(a, language).text)
    other = read(b, language)
    if not denial or re.search(words_of(language).never, other.text) or not is_definite(other, language):
        return None
    done = read(next(group for group in denial.groups() if group), language).words
    held = [word for word in done if word in other.words]
    if len(held) < _LEAST_DONE or len(held) < _LEAST_SHARE_DONE * len(done):
        return None
    words = " ".join(held)
    return Contradiction(difference=Difference(kind=DifferenceKind.NEGATION, ours=denial.group().strip(), theirs=words))


def _contradiction(a: Reading, b: Reading, language: Language) -> Contradiction | None:
    if min(len(a.words), len(b.words)) < 1:
        return None
    found: list[Difference] = []
    for one in differences(a, b, language):
        if one.kind in _UNCERTAIN:
            return None
        found.append(one)
    for one in found:
        if _is_told(one, tuple(found), a, b, language):
            return Contradiction(difference=one)
    return None


def _is_told(one: Difference, found: tuple[Difference, ...], a: Reading, b: Reading, language: Language) -> bool:
    """Tell whether a difference means that both cannot hold."""
    if one.kind is DifferenceKind.NEGATION:
        if len(set(a.words) & set(b.words)) < _LEAST_SHARED:
            return False
        return len(found) == 1 and bool(a.negations) != bool(b.negations) and _is_denied(a, b, language)
    if any(other.kind is DifferenceKind.NEGATION for other in found):
        return False
    if any(other.is_apart or (other.kind is DifferenceKind.NAME and other is not one) for other in found):
        return False
    is_plain = one.kind is DifferenceKind.OPPOSITE and one.is_strict
    return (is_plain or _is_of_one_thing(one, a, b, language)) and _is_rest_shared(a, b, found, language)


def _is_rest_shared(a: Reading, b: Reading, found: tuple[Difference, ...], language: Language) -> bool:
    """Tell whether both say the same apart from what differs, one of them perhaps more."""
    ours, theirs = _rest(a, b, found)
    if ours and theirs:
        return False
    most = _MOST_OF_DEFINITE if is_definite(a, language) or is_definite(b, language) else _MOST_OF_ANY
    return max(len(ours) / max(len(a.words), 1), len(theirs) / max(len(b.words), 1)) <= most


def _is_denied(a: Reading, b: Reading, language: Language) -> bool:
    """Tell whether what one denies is what the other says: the denial may leave out, but not add."""
    ours, theirs = left_over(a, b)
    denied, said = (ours, theirs) if a.negations else (theirs, ours)
    denial, telling = (a, b) if a.negations else (b, a)
    if not denied:
        return len(said) <= _MOST_ON_ONE_SIDE.get(language, _MOST_ON_ENGLISH_SIDE) * len(telling.words)
    if not said:
        return len(denied) <= _MOST_ON_BOTH * len(denial.words)
    return 2 * (len(denied) + len(said)) <= _MOST_ON_BOTH * (len(denial.words) + len(telling.words))


def _rest(a: Reading, b: Reading, found: tuple[Difference, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give what is left over on either side besides the differing words themselves."""
    ours, theirs = left_over(a, b)
    mine = content_stems(" ".join(one.ours for one in found))
    other = content_stems(" ".join(one.theirs for one in found))
    return tuple(word for word in ours if word not in mine), tuple(word for word in theirs if word not in other)


def _is_of_one_thing(one: Difference, a: Reading, b: Reading, language: Language) -> bool:
    """Tell whether both speak of the same definite thing, which is not itself what differs."""
    if not (is_definite(a, language) and is_definite(b, language)):
        return False
    first, second = a.words[0], b.words[0]
    if first in _PERSONS and one.kind is not DifferenceKind.NUMBER:
        return False
    return first == second and first not in content_stems(one.ours)
