"""Updates: whether a newer statement replaces an older one, surely because it says so, or likely by its wording."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from evolore.domain.fact import FactOrigin, StatedFact
from evolore.domain.language import Language
from evolore.episodes.slots import Comparison, Mark, conflict_score, differing_values, main_marks
from evolore.episodes.stated_facts import MOST_READ, grammar_of, plain, replaces
from evolore.text.tokens import analyse, content_tokens
from evolore.text.values import read_values

LEAST_LIKENESS, NEAR = 0.3, 0.4
"""What lies further apart, as a centred cosine, is not compared; and what is not near needs a higher score."""

SOON = timedelta(hours=1)
"""How long after a statement words such as "typo" alone correct it; later they do only where nothing was said in between."""

LEAST_LIKELY, LEAST_LIKELY_FAR = 0.4, 1.0
"""The score from which on a newer statement likely replaces an older one. On the visible half of ``tests/data/everyday`` it finds
a third of real changes, and is wrong in 4 % of pairs that look like one and are none."""

_OF_CHANGE = frozenset((Mark.CHANGE, Mark.CHANGE_OF_ATTRIBUTE, Mark.END))

_LONGEST, _LONGEST_DENSE = 80, 40
"""The most characters of either statement, and in Japanese or Chinese. Of turns of a chat, which say several things, 15 in
100 were taken for updates without a bound, and all wrongly; with it 0.3 (LoCoMo), at 3 points of the real changes found."""

_LEAST_HELD, _LEAST_HELD_DENSE = 0.2, 0.1
"""How large a share of the older one's content the newer says again."""

_EXCLAIMS = re.compile("[!！]")
_TELLING = _OF_CHANGE | {Mark.CONTRADICTION, Mark.NUMBER, Mark.ROLE, Mark.NAME, Mark.OPPOSITE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """Why a newer statement replaces an older one."""

    #: Whether it says in words that the older was wrong, or a chat model read both values of one key; only then the
    #: older one's state changes.
    is_sure: bool
    reason: str  #: In words, both sides quoted.
    #: The word for it in the event. Earlier versions wrote ``stated_anew`` also where a rule replaced.
    cause: str = "stated_anew"


def find_update(
    old: str,
    new: str,
    language: Language,
    *,
    likeness: float,
    apart: timedelta = SOON,
    is_next: Callable[[], bool] = bool,
) -> Update | None:
    """Return whether a newer statement of the same speaker replaces an older one; None where it does not.

    Args:
        old: The older statement.
        new: The newer one.
        language: What both are written in.
        likeness: Their centred cosine.
        apart: How much time lies between them.
        is_next: Returns whether nothing was said in between, however long it was: asked where the newer may correct the older.

    >>> from evolore.domain.language import Language
    >>> find_update("The talk is at 3 pm.", "The talk is at 4 pm, not 3 pm.", Language.EN, likeness=0.8).is_sure
    True
    >>> find_update("I live in Leeds.", "I have moved to York.", Language.EN, likeness=0.5).is_sure
    False
    >>> find_update("I bought a bike.", "I sold my car.", Language.EN, likeness=0.5) is None
    True
    """
    if max(len(old), len(new)) > MOST_READ:
        return None
    correction = read_correction(old, new, language)
    is_soon = correction is not None and (apart <= SOON or is_next())
    if not is_soon:
        correction = read_correction(old, new, language, is_soon=False)
    is_far = likeness < LEAST_LIKENESS or not _is_plain(old, new, language, is_slip=True)
    if correction is not None and not (correction is Correction.SLIPS and is_far):
        is_sure = correction is Correction.DENIES or (correction is Correction.OWNS_UP and is_soon)
        says = "it says" if is_sure else "it may say"
        reason = f"{says} that this was wrong: {quoted(old, new)}"
        return Update(is_sure=is_sure, reason=reason, cause="corrected_in_words")
    if likeness < LEAST_LIKENESS or not _is_plain(old, new, language):
        return None
    grammar, pair = grammar_of(language), Comparison(old, new, language)
    score, marks = conflict_score(pair, likeness)
    is_told = bool(_TELLING & marks.keys()) and not (pair.before.asks or pair.after.asks)
    is_of_same = Mark.CHANGE_OF_ATTRIBUTE in marks or _is_of_same(old, new, language)
    least = LEAST_LIKELY if likeness >= NEAR else LEAST_LIKELY_FAR
    if score < least or not (is_told and is_of_same):
        return None
    if _is_conflict(marks, apart, says_so=grammar is not None and grammar.update.search(plain(new)) is not None) or (
        not _OF_CHANGE & marks.keys() and _has_same_values(old, new, language)
    ):
        return None
    return Update(is_sure=False, reason=f"{main_marks(marks)}: {quoted(*differing_values(pair))}")


def keyed_update(old: Iterable[StatedFact], new: Iterable[StatedFact]) -> Update | None:
    """Return whether a chat model read another value of one key in a newer statement than in an older one."""
    for fact in new:
        for other in old:
            is_read = fact.origin is other.origin is FactOrigin.CHAT
            if is_read and fact.key == other.key and replaces(fact, other):
                reason = f"it restates {' / '.join(fact.key)}: {quoted(other.value, fact.value)}"
                return Update(is_sure=True, reason=reason, cause="chat_key")
    return None


_MOSTLY, _AGAIN, _PARTLY = 0.67, 0.5, 0.2
_SHOWN = 80


class Correction(StrEnum):
    """How a statement says that an older one was wrong."""

    DENIES = "denies"
    OWNS_UP = "owns_up"
    SLIPS = "slips"


def read_correction(old: str, new: str, language: Language, *, is_soon: bool = True) -> Correction | None:
    """Return whether a statement says in words that an older one was wrong, and how.

    It denies what the older says, and says most of the rest of it again or that this was an error; or it owns up to an error
    and says most of the older again. What says less may correct a slip: it owns up to an error, or shortly after the older
    denies something of it or has words that corrections often have.

    >>> from evolore.domain.language import Language
    >>> read_correction("The code is 4417.", "Sorry, I misread the code, it is 4471.", Language.EN)
    <Correction.OWNS_UP: 'owns_up'>
    >>> read_correction("The talk is at 3 pm.", "The talk is at 4 pm, not 3 pm.", Language.EN)
    <Correction.DENIES: 'denies'>
    >>> read_correction("I drink tea in the evening.", "I drink coffee, not tea.", Language.EN)
    <Correction.SLIPS: 'slips'>
    """
    grammar = grammar_of(language)
    if grammar is None:
        return None
    before, after, light = plain(old), plain(new), grammar.drops | grammar.little
    owns_up = grammar.corrects.search(after) is not None
    turns_out = grammar.turns_out.search(after) is not None
    held = frozenset(analyse(before)) - light
    is_denied = False
    for denial in grammar.instead.finditer(after):
        denied = frozenset(analyse(denial.group("v"))) - light
        others = held - denied
        least = 0.0 if owns_up else _PARTLY if turns_out else _MOSTLY
        rest = frozenset(analyse(after.replace(denial.group(), " "))) - light
        is_of_same = bool(denied) and denied <= held and len(others & rest) >= least * len(others)
        if is_of_same and rest - held:  # what denies and says nothing else instead contradicts
            return Correction.DENIES
        is_denied = is_denied or (bool(denied) and denied <= held and bool(rest - held))
    content = frozenset(content_tokens(before))
    said_again = len(content & frozenset(content_tokens(after)))
    if owns_up and said_again > _AGAIN * len(content):
        return Correction.OWNS_UP
    is_slip = owns_up or (is_soon and (is_denied or grammar.slips.search(after) is not None))
    return Correction.SLIPS if is_slip and (is_denied or said_again) else None


def _is_conflict(marks: Mapping[Mark, float], apart: timedelta, *, says_so: bool) -> bool:
    """Return whether a person is to be asked: one denies the other, or both state another value within a day, without a change."""
    is_soon = apart <= timedelta(days=1) and not _OF_CHANGE & marks.keys()
    return Mark.CONTRADICTION in marks and not says_so and (Mark.NEGATION in marks or is_soon)


def _has_same_values(old: str, new: str, language: Language) -> bool:
    """Return whether every amount, date and time of the newer is in the older too, in any notation."""
    before, after = read_values(old, language), read_values(new, language)
    return bool(after) and all(any(one.is_same(other) for other in before) for one in after)


def happened(text: str, language: Language) -> bool:
    """Return whether a statement reports something that was done or happened once: no later one replaces it.

    >>> from evolore.domain.language import Language
    >>> happened("I bought a jacket.", Language.EN), happened("I live in Leeds.", Language.EN)
    (True, False)
    """
    grammar = grammar_of(language)
    return grammar is not None and grammar.happened.search(plain(text[:MOST_READ])) is not None


def _is_plain(old: str, new: str, language: Language, *, is_slip: bool = False) -> bool:
    """Return whether both are short and plain, and the older is no event; what corrects a slip may exclaim, and correct any."""
    is_dense = language in {Language.JA, Language.ZH}
    if max(len(old), len(new)) > (_LONGEST_DENSE if is_dense else _LONGEST):
        return False
    if is_slip or _EXCLAIMS.search(new):
        return is_slip and not _EXCLAIMS.search(old)
    return not happened(old, language) and not names_another(old, new, language)


def names_another(old: str, new: str, language: Language) -> bool:
    """Return whether the older is about something named by a number that the newer does not name: patient 12, 3号室."""
    grammar = grammar_of(language)
    named = None if grammar is None else grammar.named.search(plain(old))
    return named is not None and named.group("v").casefold() not in plain(new).casefold()


def _is_of_same(old: str, new: str, language: Language) -> bool:
    """Return whether the newer says again some of what the older does."""
    held = frozenset(content_tokens(plain(old)))
    said_again = held & frozenset(content_tokens(plain(new)))
    least = _LEAST_HELD_DENSE if language in {Language.JA, Language.ZH} else _LEAST_HELD
    return bool(said_again) and len(said_again) >= least * len(held)


def quoted(old: str, new: str) -> str:
    """Quote the beginnings of both sides of a change."""
    before, after = (" ".join(text.split())[:_SHOWN] for text in (old, new))
    return f"“{before}” → “{after}”"
