"""Clauses that say something else than those they came from: paired, weighed by signs as labelled rewrites weigh them, and how sure it is.

Without it 232 of 1,563 harmful rewrites are no longer refused (``docs/decisions/0015``).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

import numpy as np

from evolore.domain.language import Language
from evolore.evolution.gates import claims as reading
from evolore.evolution.gates.verdicts import Grade
from evolore.text.protected.polarity import denials, polarity_of, weak_denials
from evolore.text.values.quantities import unit_at
from evolore.text.values.spans import fold_text
from evolore.text.vectors import Float32s
from evolore.text.word_files import read_fitted, read_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from evolore.evolution.gates.claims import Claim, Similar
    from evolore.evolution.gates.verdicts import Concern

    Measure = Callable[[reading.ClaimReading, reading.ClaimReading], float]

_CITED_SHARE = 0.8
_SHOWN = 4


def turned_clauses(
    before: Sequence[Claim],
    after: Sequence[Claim],
    language: Language,
    *,
    cited: Counter[str],
    similar: Similar | None = None,
    weights: ClaimWeights | None = None,
) -> Iterator[Concern]:
    """Yield which clauses of a rewrite point another way than those of the original they came from, one a sentence."""
    found: dict[int, tuple[bool, float, Concern]] = {}
    fitted = weights or claim_weights(knows_meaning=similar is not None)
    for pair in pair_clauses(before, after, language, similar):
        if _is_cited(pair, cited):
            continue
        score = fitted.score(pair.signs)
        told = (
            turned_by_small_edit(*_sentences(pair))
            or _weighed(pair, fitted.level(score))
            or (None if cited else _put_in(pair))
        )
        if told:
            key = (told[1] is Grade.REFUSE, score, pair.before.concern(pair.after, *told))
            place = pair.after.claim.span.start
            found[place] = max(found.get(place, key), key, key=lambda one: one[:2])
    yield from (finding for _, (_, _, finding) in sorted(found.items()))


def _sentences(pair: ClausePair) -> tuple[reading.ClaimReading, reading.ClaimReading]:
    language = pair.before.reading.language
    return reading.reading_of(pair.before.claim.text, language), reading.reading_of(pair.after.claim.text, language)


def _weighed(pair: ClausePair, level: Grade | None) -> tuple[str, Grade] | None:
    if level is Grade.REFUSE and (_may_be_turned_round(pair) or pair.signs["sentence alike"] < _SURE_ALIKE):
        level = Grade.DOUBT
    return (_reason(pair), level) if level else None


_SURE_ALIKE = 0.5
"""A sentence that shares less of its pieces is reworded: its signs make a doubt, and refuse nothing."""


def _may_be_turned_round(pair: ClausePair) -> bool:
    """Return whether a denial may be gone with what it was denied by: "invalid unless", "not uncommon"."""
    one, other = pair.before.reading, pair.after.reading
    more, fewer = (one, other) if len(one.denials) >= len(other.denials) else (other, one)
    return reading.count_unless(one) != reading.count_unless(other) or is_resolved(more, fewer)


def _is_cited(pair: ClausePair, cited: Counter[str]) -> bool:
    """Return whether what is new in a clause is in the evidence."""
    new = pair.after.reading.words - pair.before.reading.words
    return bool(cited) and (new & cited).total() >= _CITED_SHARE * new.total()


def _reason(pair: ClausePair) -> str:
    """Explain in words what probably changed."""
    one, other = pair.before.reading, pair.after.reading
    opposed = reading.find_opposed(one, other)
    if opposed:
        return f"{opposed[0]} became {opposed[1]}"
    if (len(one.denials) - len(other.denials)) % 2:
        return denial_reason(one, other)
    if one.is_restricted and not other.is_restricted:
        return "A restriction is lost"
    gone, new = (_words(first, second) for first, second in ((one.text, other.text), (other.text, one.text)))
    if pair.signs["alike"] >= 1 / 2 and (gone or new):
        return f"Words of a claim are exchanged ({' / '.join(filter(None, (gone, new)))})"
    return "A clause may say something else"


def _words(text: str, other: str) -> str:
    """Return the first words that the other text does not have."""
    known = set(reading.pieces_of(other))
    missing = [piece for piece in reading.pieces_of(text) if piece not in known and piece[0].isalnum()][:_SHOWN]
    return "".join(f"{piece} " if piece.isascii() else piece for piece in missing).strip()


_GRAMS = 0.4
"""What common pairs of characters count beside meaning or words in deciding which clause became which."""

_COMBINED = ("denial_lost", "denial_added", "odd", "lost_for_nothing", "added_for_nothing", "anchors_turned")


@dataclass(frozen=True, slots=True, kw_only=True)
class ClausePair:
    """A clause of the rewrite and the one of the original that is nearest to it."""

    before: reading.Clause  #: That of the original.
    after: reading.Clause  #: That of the rewrite.
    signs: Mapping[str, float]  #: What shows whether both say the same, by name.


def pair_clauses(
    before: Sequence[Claim], after: Sequence[Claim], language: Language, similar: Similar | None = None
) -> list[ClausePair]:
    """Return each clause of a rewrite that the original does not have word for word, with the one nearest to it."""
    ours, theirs = reading.read_clauses(before, language), reading.read_clauses(after, language)
    if not ours or not theirs:
        return []
    pairing = _Pairing(ours, theirs, similar)
    known = {clause.bare for clause in ours}
    return [pairing.pair(place) for place, clause in enumerate(theirs) if clause.bare not in known]


class _Pairing:
    """All clauses of two texts, and how near they are."""

    def __init__(
        self, ours: Sequence[reading.Clause], theirs: Sequence[reading.Clause], similar: Similar | None
    ) -> None:
        self._ours, self._theirs = ours, theirs
        words = _matrix(ours, theirs, lambda one, other: reading.dice(one.words, other.words))
        grams = _matrix(ours, theirs, lambda one, other: reading.dice(one.grams, other.grams))
        texts = [[clause.reading.text for clause in clauses] for clauses in (ours, theirs)]
        self._near: Float32s = np.maximum(words, grams) if similar is None else similar(*texts)
        self._scores: Float32s = np.maximum(words, self._near) + _GRAMS * grams
        self._kept = {clause.bare for clause in theirs}
        self._denials = [sum(len(clause.reading.denials) for clause in clauses) for clauses in (ours, theirs)]

    def pair(self, place: int) -> ClausePair:
        """Return the pair of a clause of the rewrite."""
        index = int(self._scores[:, place].argmax())
        one, other = self._ours[index], self._theirs[place]
        nearness = float(self._near[index, place])
        signs = with_nearness(signs_of(one.reading, other.reading), nearness) | self._surroundings(index, place)
        whole = signs_of(*(reading.reading_of(clause.claim.text, clause.reading.language) for clause in (one, other)))
        signs |= {f"{name}*{more}": signs[name] * signs[more] for name in _COMBINED for more in _MORE}
        signs |= {f"{name}*sentence_odd": signs[name] * whole["odd"] for name in _COMBINED}
        signs |= {f"sentence {name}": value for name, value in with_nearness(whole, nearness).items()}
        return ClausePair(before=one, after=other, signs=signs)

    def _surroundings(self, index: int, place: int) -> dict[str, float]:
        """Return how sure it is that the two belong together, and what the rest of both texts says."""
        scores = self._scores[:, place]
        second = float(np.partition(scores, -2)[-2]) if len(scores) > 1 else 0.0
        turned, known = self._anchors(place)
        fewer = self._denials[0] - self._denials[1]
        one, other = self._ours[index].reading, self._theirs[place].reading
        is_less = fewer > 0 and bool(one.denials) and not other.denials
        return {
            "score": float(scores[index]),
            "second": second,
            "ahead": float(scores[index]) - second,
            "mutual": float(int(self._scores[index].argmax()) == place),
            "kept": float(self._ours[index].bare in self._kept),
            "heading": float(self._theirs[place].claim.is_heading),
            "asks": float(self._theirs[place].claim.asks),
            "anchors_turned": turned,
            "anchors": known,
            "denials_in_all": min(3.0, abs(fewer)),
            "fewer_in_all": float(is_less or (fewer < 0 and bool(other.denials) and not one.denials)),
        }

    def _anchors(self, place: int) -> tuple[float, float]:
        """Return the share of its known words found only in clauses with one denial more or less, and their weight."""
        other = self._theirs[place].reading
        turned = total = 0.0
        for word in other.words:
            holding = [one.reading for one in self._ours if word in one.reading.words]
            if holding:
                weight = 1 / (1 + len(holding))
                total += weight
                turned += weight * all((len(one.denials) - len(other.denials)) % 2 for one in holding)
        return (turned / total if total else 0.0), min(3.0, total)


_MORE = ("grams", "words", "mutual", "score", "second", "fewer_in_all")


def _matrix(ours: Sequence[reading.Clause], theirs: Sequence[reading.Clause], measure: Measure) -> Float32s:
    return np.array([[measure(one.reading, other.reading) for other in theirs] for one in ours], dtype=np.float32)


Signs = dict[str, float]

_UNCHANGED = 0.6
"""Of two clauses that share less of their pieces than this, none is a small edit of the other."""

_MOST = 3.0
_BY_LIKENESS = (
    "denial_lost", "denial_added", "odd", "lost_for_nothing", "added_for_nothing", "opposed", "surely_opposed", "freed",
    "exchanged", "denials_cut", "softened_cut", "replaced", "left_out", "put_in", "softeners_lost", "softeners_added",
    "restriction_lost", "restriction_added", "eased", "allowed_instead",
    *(f"{kind}_{way}" for kind in ("conditions", "requires", "permits", "includes") for way in ("lost", "added")),
)  # fmt: skip


@lru_cache(maxsize=8192)
def signs_of(one: reading.ClaimReading, other: reading.ClaimReading) -> Mapping[str, float]:
    """Return the signs of a clause of the original and one of the rewrite; a read-only table."""
    matcher = SequenceMatcher(None, one.pieces, other.pieces, autojunk=False)
    signs = _likeness(one, other, matcher.ratio()) | _polarity(one, other) | _kinds(one, other)
    signs |= _cuts(one, other, matcher)
    near = signs["unchanged"]
    return signs | {f"{name}*unchanged": signs[name] * near for name in _BY_LIKENESS}


def with_nearness(signs: Mapping[str, float], nearness: float) -> Signs:
    """Add how near two clauses are in meaning, by itself and with what depends on it."""
    return {**signs, "nearness": nearness} | {f"{name}*nearness": signs[name] * nearness for name in _BY_LIKENESS}


def _likeness(one: reading.ClaimReading, other: reading.ClaimReading, alike: float) -> Signs:
    longer = math.log((len(other.pieces) + 1) / (len(one.pieces) + 1))
    return {
        "words": reading.dice(one.words, other.words),
        "grams": reading.dice(one.grams, other.grams),
        "alike": alike,
        "unchanged": max(0.0, (alike - _UNCHANGED) / (1 - _UNCHANGED)),
        "longer": max(-2.0, min(2.0, longer)),
        "other_length": min(2.0, abs(longer)),
        "new_words": _share_missing(other.words, one.words),
        "gone_words": _share_missing(one.words, other.words),
    }


def _share_missing(words: Counter[str], known: Counter[str]) -> float:
    return sum(count for word, count in words.items() if word not in known) / max(1, words.total())


def _polarity(one: reading.ClaimReading, other: reading.ClaimReading) -> Signs:
    ours, theirs = len(one.denials), len(other.denials)
    gone, new = (one.softeners - other.softeners).total(), (other.softeners - one.softeners).total()
    is_lost, is_added = ours > 0 and theirs == 0, theirs > 0 and ours == 0
    return {
        "denial_lost": float(is_lost),
        "denial_added": float(is_added),
        "odd": float((ours - theirs) % 2),
        "denials_apart": min(_MOST, abs(ours - theirs)),
        "lost_for_nothing": float(is_lost and not new),
        "added_for_nothing": float(is_added and not gone),
        "both_deny": float(ours > 0 and theirs > 0),
        "none_denies": float(ours == 0 and theirs == 0),
        "softeners_lost": min(_MOST, gone),
        "softeners_added": min(_MOST, new),
        "odd_with_softeners": float((ours + len(one.softeners) - theirs - len(other.softeners)) % 2),
        "restriction_lost": float(one.is_restricted and not other.is_restricted),
        "restriction_added": float(other.is_restricted and not one.is_restricted),
    }


def _kinds(one: reading.ClaimReading, other: reading.ClaimReading) -> Signs:
    ours, theirs = one.kinds, other.kinds
    signs = {f"{kind}_lost": float(kind in ours - theirs) for kind in reading.KINDS}
    signs |= {f"{kind}_added": float(kind in theirs - ours) for kind in reading.KINDS}
    opposed = reading.find_opposed(one, other)
    exchanged = [
        bool(first and second and not first & second) for first, second in zip(one.sides, other.sides, strict=True)
    ]
    missing = [bool(first) != bool(second) for first, second in zip(one.sides, other.sides, strict=True)]
    return signs | {
        "eased": float(_is_eased(one, other) or _is_eased(other, one)),
        "allowed_instead": float(_is_allowed(one, other) or _is_allowed(other, one)),
        "opposed": float(opposed is not None),
        "surely_opposed": float(opposed is not None and opposed[2]),
        "freed": float(reading.is_freed(one, other) or reading.is_freed(other, one)),
        "exchanged": min(2.0, sum(exchanged)),
        "one_sided": min(4.0, sum(missing)),
    }


def _is_eased(one: reading.ClaimReading, other: reading.ClaimReading) -> bool:
    return "requires" in one.kinds and "eases" in other.kinds - one.kinds


def _is_allowed(one: reading.ClaimReading, other: reading.ClaimReading) -> bool:
    return bool(one.denials) and not other.denials and "permits" in other.kinds


def _cuts(one: reading.ClaimReading, other: reading.ClaimReading, matcher: SequenceMatcher[str]) -> Signs:
    """Look at what differs, piece by piece."""
    first, second = one.pieces, other.pieces
    cuts = Counter[str]()
    for what, start, end, begin, stop in matcher.get_opcodes():
        if what != "equal":
            cuts.update(_cut(one, first[start:end], second[begin:stop]))
    most = {"denials_cut": 2.0, "softened_cut": 2.0, "left_out": _MOST, "put_in": _MOST, "replaced": _MOST}
    signs = {name: min(limit, float(cuts[name])) for name, limit in most.items()}
    return signs | {"moved": float(first != second and Counter(first) == Counter(second))}


def _cut(one: reading.ClaimReading, gone: Sequence[str], new: Sequence[str]) -> list[str]:
    ours, theirs = ("".join(f"{piece} " for piece in pieces) for pieces in (gone, new))
    language = one.language
    found = ["denials_cut"] if len(denials(ours, language)) != len(denials(theirs, language)) else []
    found += ["softened_cut"] if bool(weak_denials(ours, language)) != bool(weak_denials(theirs, language)) else []
    says = (any(piece[0].isalnum() for piece in gone), any(piece[0].isalnum() for piece in new))
    named = {(True, False): "left_out", (False, True): "put_in", (True, True): "replaced"}.get(says)
    return [*found, named] if named else found


_STEM = 3
_VERY_SMALL = 0.8
_SMALL = 0.72
"""How much of their pieces two sentences share of which one is a small edit of the other."""


def turned_by_small_edit(one: reading.ClaimReading, other: reading.ClaimReading) -> tuple[str, Grade] | None:
    """Return what a small edit of a sentence makes of its denials, and how sure that is; None if it is reworded.

    >>> from evolore.domain.language import Language
    >>> from evolore.evolution.gates.claims import reading_of
    >>> first, second = ("Do not open the door at night.", "Open the door at night.")
    >>> turned_by_small_edit(reading_of(first, Language.EN), reading_of(second, Language.EN))
    ('A denial is lost (not)', <Grade.REFUSE: 'refuse'>)
    """
    edits = _edits(one, other)
    if signs_of(one, other)["alike"] < _SMALL:
        return _exchanged(edits, one, other)
    if (len(one.denials) - len(other.denials)) % 2:
        more, fewer = (one, other) if len(one.denials) > len(other.denials) else (other, one)
        is_doubled = polarity_of(more.language).doubles.search(more.plain) is not None
        is_made_up_for = is_resolved(more, fewer) if is_doubled else bool(fewer.other_softeners - more.other_softeners)
        return denial_reason(one, other), Grade.DOUBT if is_made_up_for else Grade.REFUSE
    opposed = reading.find_opposed(one, other)
    if opposed and opposed[2]:
        return f"{opposed[0]} became {opposed[1]}", Grade.REFUSE
    return _exchanged(edits, one, other)


_Edit = tuple[str, str, str, tuple[str, str]]
_FEWEST = (1, 2)
"""So many words, of texts without spaces characters, say something by themselves."""


def _edits(one: reading.ClaimReading, other: reading.ClaimReading) -> list[_Edit]:
    """Return what was done to a sentence at each place: what is gone, what is new, and both as whole words: 今年, 来年."""
    first, second, beside = one.pieces, other.pieces, one.language in {Language.JA, Language.ZH}
    return [
        (
            what,
            reading.joined(first[start:end]),
            reading.joined(second[begin:stop]),
            (
                reading.joined(first[max(0, start - beside) : end + beside]),
                reading.joined(second[max(0, begin - beside) : stop + beside]),
            ),
        )
        for what, start, end, begin, stop in SequenceMatcher(None, first, second, autojunk=False).get_opcodes()
        if what != "equal"
    ]


def _is_in_one_place(edits: Sequence[_Edit], one: reading.ClaimReading) -> bool:
    """Return whether a few words were replaced by others and all else stays, however short that is."""
    return len(edits) == 1 and edits[0][0] == "replace" and 2 * len(reading.pieces_of(edits[0][1])) < len(one.pieces)


def _put_in(pair: ClausePair) -> tuple[str, Grade] | None:
    """Doubt a sentence that stays but for words put in or left out in one place."""
    one, other = _sentences(pair)
    edits = _edits(one, other)
    what, gone, new, _ = edits[0] if len(edits) == 1 else ("", "", "", ("", ""))
    fewest = _FEWEST[one.language in {Language.JA, Language.ZH}]
    if what not in {"insert", "delete"} or len(reading.content_words(gone + new, one.language)) < fewest:
        return None
    return (f"Words are put in ({new})" if new else f"Words are left out ({gone})"), Grade.DOUBT


_DIGIT = re.compile(r"\d")
"""Values are compared separately: 夜19時 is 午後7時."""


def _exchanged(
    edits: Sequence[_Edit], one: reading.ClaimReading, other: reading.ClaimReading
) -> tuple[str, Grade] | None:
    """Return which word was replaced by one that excludes it: "before" to "after", "all" to "some"."""
    is_small = signs_of(one, other)["alike"] >= _VERY_SMALL or _is_in_one_place(edits, one)
    if not is_small or one.denials != other.denials:
        return None
    for what, gone, new, words in edits:
        if what == "replace" and not _DIGIT.search(gone + new):
            is_certain = excludes(gone, new, one.language) or _differ(*words, one.language, "apart")
            if is_certain or _differ(*words, one.language, "loose"):
                return f"{gone} became {new}", Grade.REFUSE if is_certain else Grade.DOUBT
    return None


def excludes(gone: str, new: str, language: Language) -> bool:
    """Return whether two stretches name different sides of one of the groups of words that exclude one another."""
    return len({_unit(gone), _unit(new)} - {""}) > 1 or _differ(gone, new, language, "opposed")


def _differ(gone: str, new: str, language: Language, groups: str) -> bool:
    first, second = (fold_text(words) for words in (gone, new))
    for sides in reading.word_groups(language, groups):
        ours, theirs = ({place for place, side in enumerate(sides) if side.search(text)} for text in (first, second))
        if ours and theirs and not ours & theirs:
            return True
    return False


def _unit(words: str) -> str:
    """Return the unit that words name and nothing else: "seconds" in "300 | seconds an entry is kept"."""
    name, end = unit_at(words, 0)
    return name if end == len(words) else ""


def is_resolved(one: reading.ClaimReading, other: reading.ClaimReading) -> bool:
    """Return whether a denial of a denial is gone with both: "not uncommon" and "common", not "did not deny" and "denied"."""
    match = polarity_of(one.language).doubles.search(one.plain)
    if not match:
        return False
    inner = match.group().split()[-1][:_STEM] if match.group().isascii() else match.group()[:2]
    return inner.casefold() not in other.plain.casefold()


def denial_reason(one: reading.ClaimReading, other: reading.ClaimReading) -> str:
    """Return whether a denial came or went."""
    if len(one.denials) > len(other.denials):
        return f"A denial is lost ({', '.join(one.denials)})"
    return f"A denial is added ({', '.join(other.denials)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimWeights:
    """What ``benchmarks/fit_gates.py`` found."""

    offset: float  #: What a clause without signs has.
    weights: Mapping[str, float]  #: What each sign adds, by name.
    refuse: float  #: From this score on a clause is certainly turned.
    doubt: float  #: From this one on it may be; at most ``refuse``.

    def score(self, signs: Mapping[str, float]) -> float:
        """Return the log odds that a clause with these signs says something else."""
        return self.offset + sum(weight * signs.get(name, 0.0) for name, weight in self.weights.items())

    def level(self, score: float) -> Grade | None:
        """Return how sure a score is; None where there is nothing to object to."""
        if score >= self.refuse:
            return Grade.REFUSE
        return Grade.DOUBT if score >= self.doubt else None


@cache
def claim_weights(*, knows_meaning: bool) -> ClaimWeights:
    """Return what signs weigh where nearness in meaning is measured, or where words alone decide."""
    table = "by_meaning" if knows_meaning else "by_words"
    numbers = read_fitted("evolore.evolution", "claims", table)
    weights = cast(
        "Iterable[tuple[str, float]]", read_tables("evolore.evolution", "fitted/claims.toml")[table]["weights"]
    )
    return ClaimWeights(
        offset=numbers["offset"], weights=dict(weights), refuse=numbers["refuse"], doubt=numbers["doubt"]
    )
