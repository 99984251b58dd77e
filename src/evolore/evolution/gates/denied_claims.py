"""Statements that point the other way in the rewrite: a denial lost or added, an antonym, an obligation eased."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.evolution.gates.claims import dice
from evolore.evolution.gates.statements import Pairing, Statement, join, measure_nearness, read_statements
from evolore.evolution.gates.verdicts import Finding, Level
from evolore.text.protected.polarity_words import polarity_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.evolution.gates.claims import Claim, Similar

_UNLESS = re.compile(r"(?<![a-z])(?:unless|without)(?![a-z])|除非", re.IGNORECASE)
_EXCEPTS = re.compile(
    r"(?<![a-z])(?:except(?:ing)?|excluding|but not|unless|other than|apart from)(?![a-z])|除[きくい]て?|以外|除[^,。]{1,8}外|除外|除非|例外",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"at most|maximum|max\.|no more than|or less|or fewer|up to|within|limit|below|under|以下|以内|まで|最大|上限|最多|不超过|限",
    re.IGNORECASE,
)
_ONLY = re.compile(r"(?<![a-z])(?:only|until)(?![a-z])|だけ|のみ|しか|はじめて|仅|只|才", re.IGNORECASE)
_DENIED = re.compile(r"^(?:并没有|没有|并不|并未|不|没|无|未)")
_CLAUSE = re.compile(r"[,、，.。;；:：]| but | and ")
_SCOPE = 16
_MUCH_ALIKE = 0.7
_ALIKE = 0.5
_SOMEWHAT_ALIKE = 0.3
_NEAR_ENOUGH = 0.45


def denied(
    before: Sequence[Claim], after: Sequence[Claim], language: Language, *, similar: Similar | None = None
) -> Iterator[Finding]:
    """Say which statement of the one text points the other way in the other.

    Args:
        before: The changed sentences of the original.
        after: Those of the rewrite.
        language: What both are written in.
        similar: How near sentences are in meaning; without it, their words tell.
    """
    ours, theirs = read_statements(before, language), read_statements(after, language)
    if not ours or not theirs:
        return
    pairing = Pairing(ours, theirs, measure_nearness(ours, theirs, similar))
    for index, place in pairing.links:
        one, other = ours[index], theirs[place]
        nearness = float(pairing.near[index, place])
        finding = _turned(one, other, join(pairing.of_ours(index, place)), nearness)
        if finding:
            is_sure = not finding[0].startswith("A denial") or _is_contrary(one, other)
            level = Level.DOUBT if not is_sure and pairing.is_said_elsewhere(index, place) else finding[1]
        else:
            finding = _added(other, join(pairing.of_theirs(index, place)), nearness)
            level = Level.DOUBT if finding and pairing.was_said_elsewhere(index, place) else finding and finding[1]
        if finding and level:
            yield Finding(
                reason=finding[0], before=one.claim.span, after=other.claim.span, quote=other.text, level=level
            )


def _turned(one: Statement, nearest: Statement, joined: Statement, nearness: float) -> tuple[str, Level] | None:
    """Say what the statements of the rewrite that stand for one of the original make of its denial."""
    if opposed := _opposed(one, joined):
        return opposed
    is_widened = joined.has("includes") and not one.has("includes") and not joined.denials
    if not one.denials:
        is_lost = is_widened and bool(one.softeners) and not joined.softeners - one.softeners
        return ("A restriction is lost", Level.REFUSE) if is_lost else None
    level = _loss(one, nearest, joined, nearness)
    return (f"A denial is lost ({', '.join(one.denials)})", level) if level else None


def _loss(one: Statement, nearest: Statement, joined: Statement, nearness: float) -> Level | None:
    """Give how sure it is that a denial of the original is gone; None where another stands for it."""
    shared = dice(one.words, nearest.words)
    if joined.denials and nearest.denials:
        is_odd = len(one.denials) == len(nearest.denials) + 1 and not nearest.softeners - one.softeners
        return Level.REFUSE if is_odd and shared >= _MUCH_ALIKE else None
    if _is_freed(one, nearest) and (shared >= _ALIKE or not nearest.softeners - one.softeners):
        return Level.REFUSE
    if joined.denials:
        return None
    is_widened = joined.has("includes") and not one.has("includes")
    if is_widened or ((inner := _inner(one)) and inner in joined.plain):
        return Level.REFUSE
    if joined.softeners - one.softeners:
        return None
    return Level.REFUSE if _is_plainly_lost(one, nearest, joined, nearness, shared) else Level.DOUBT


def _is_plainly_lost(one: Statement, nearest: Statement, joined: Statement, nearness: float, shared: float) -> bool:
    """Tell whether nothing else can stand for a denial that is gone: no obligation, no condition, no second denial."""
    if (
        (one.has("eases") or one.has("absents"))
        and joined.has("requires")
        and not one.has("supposes")
        and len(one.denials) == 1
    ):
        return True
    if len(one.denials) > 1 or one.has("doubles") or one.has("supposes"):
        return False
    if shared >= _MUCH_ALIKE:
        return not nearest.has("requires")
    if joined.has("permits"):
        return nearness >= _NEAR_ENOUGH
    is_plain = shared >= _SOMEWHAT_ALIKE and not joined.has("requires")
    return nearness >= _NEAR_ENOUGH and is_plain


def _is_contrary(one: Statement, other: Statement) -> bool:
    """Tell whether a statement says what its counterpart takes back in so many words: "also", "must" for "need not"."""
    if other.denials:
        return False
    return (other.has("includes") and not one.has("includes")) or (one.has("eases") and other.has("requires"))


def _inner(statement: Statement) -> str:
    """Give the denial that is denied, such as "deny" in "did not deny"; nothing where there is none."""
    match = polarity_of(statement.language).doubles.search(statement.plain)
    if not match:
        return ""
    if match.group().isascii():
        return match.group().split()[-1][:3].casefold()
    return _DENIED.sub("", match.group()) if statement.language is Language.ZH else match.group()[:2]


def _added(one: Statement, joined: Statement, nearness: float) -> tuple[str, Level] | None:
    """Say what denial a statement of the rewrite has that those of the original it stands for have not."""
    if not one.denials:
        return None
    reason = f"A denial is added ({', '.join(one.denials)})"
    is_eased = (one.has("eases") and not joined.has("eases")) or (one.has("includes") and not joined.has("includes"))
    is_needed = joined.has("requires") or (len(joined.denials) > 1 and joined.has("supposes"))
    if is_eased and is_needed:
        return reason, Level.REFUSE
    if joined.denials or joined.softeners - one.softeners:
        return None
    is_double = len(one.denials) > 1 or one.has("doubles") or one.has("conditions") or bool(one.softeners)
    is_plain = joined.has("permits") or dice(one.words, joined.words) >= _ALIKE
    is_limit = _LIMITS.search(joined.plain) is not None
    is_doubtful = is_double or is_limit or joined.has("requires") or nearness < _NEAR_ENOUGH or not is_plain
    return reason, Level.DOUBT if is_doubtful else Level.REFUSE


def _opposed(one: Statement, other: Statement) -> tuple[str, Level] | None:
    """Say which word gave way to its opposite, with as many denials about it."""
    for first, second in polarity_of(one.language).opposites:
        for side, against in ((first, second), (second, first)):
            ours = side.search(one.plain)
            theirs = against.search(other.plain) if ours else None
            if not ours or not theirs:
                continue
            is_kept = against.search(side.sub(" ", one.plain)) or side.search(against.sub(" ", other.plain))
            if is_kept:
                continue
            is_exception = _EXCEPTS.search(ours.group()) is not None
            parity = _is_denied(one, ours) + _is_denied(other, theirs) + _unless(one) + _unless(other)
            if is_exception or parity % 2 == 0:
                is_whole = is_exception or _reservations(one) == _reservations(other)
                return f"{ours.group()} became {theirs.group()}", Level.REFUSE if is_whole else Level.DOUBT
    return None


def _is_freed(one: Statement, other: Statement) -> bool:
    """Tell whether a word is denied in the one and stands free in the other, which denies nothing near it."""
    if len(one.denials) != 1 or other.denials or one.has("doubles") or one.has("supposes"):
        return False
    words = polarity_of(one.language)
    for side in (side for pair in words.opposites for side in pair):
        ours = side.search(one.plain)
        theirs = side.search(other.plain) if ours else None
        if not (ours and theirs) or words.softens.search(ours.group()):
            continue
        if _is_denied(one, ours) and not _is_denied(other, theirs):
            return True
    return False


def _reservations(statement: Statement) -> tuple[bool, bool]:
    """Tell whether a statement makes an exception, and whether it holds for some alone."""
    return bool(_EXCEPTS.search(statement.plain) or _UNLESS.search(statement.plain)), bool(
        _ONLY.search(statement.plain)
    )


def _is_denied(statement: Statement, word: re.Match[str]) -> bool:
    """Tell whether a word stands under a denial: before it, in Japanese behind it, in its own clause."""
    text = statement.plain
    reach = 2 * _SCOPE if statement.language is Language.EN else _SCOPE
    before = _CLAUSE.split(text[max(0, word.start() - reach) : word.start()])[-1]
    behind = _CLAUSE.split(text[word.end() : word.end() + _SCOPE])[0]
    denies = polarity_of(statement.language).denies
    return any(denies.search(part) for part in (before, behind))


def _unless(statement: Statement) -> int:
    """Count what denies by a condition: "unless", "without"."""
    return len(_UNLESS.findall(statement.plain))
