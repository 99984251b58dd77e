"""Clause pairs: each changed clause of a rewrite with the one of the original it probably came from, and their signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evolore.evolution.gates.claims import dice
from evolore.evolution.gates.readings import Reading, clauses_of, reading_of
from evolore.evolution.gates.signs import signs_of, with_nearness
from evolore.text.protected.folding import fold_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy.typing as npt

    from evolore.domain.language import Language
    from evolore.evolution.gates.claims import Claim, Similar

    Measure = Callable[[Reading, Reading], float]
    Matrix = npt.NDArray[np.float32]

_GRAMS = 0.4
"""What common pairs of characters count beside meaning or words when it is told which clause became which."""

_COMBINED = ("denial_lost", "denial_added", "odd", "lost_for_nothing", "added_for_nothing", "anchors_turned")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """A clause and the sentence it stands in."""

    reading: Reading
    claim: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class ClausePair:
    """A clause of the rewrite and the one of the original that is nearest to it.

    Args:
        before: That of the original.
        after: That of the rewrite.
        signs: What tells whether both say the same, by name.
    """

    before: Clause
    after: Clause
    signs: Mapping[str, float]


def pair_clauses(
    before: Sequence[Claim], after: Sequence[Claim], language: Language, similar: Similar | None = None
) -> list[ClausePair]:
    """Give each clause of a rewrite that the original does not have word for word, with the one nearest to it.

    Args:
        before: The sentences of the original.
        after: Those of the rewrite.
        language: What both are written in.
        similar: How near texts are in meaning; without it, their words tell.
    """
    ours, theirs = _clauses(before, language), _clauses(after, language)
    if not ours or not theirs:
        return []
    pairing = _Pairing(ours, theirs, similar)
    known = {_plain(clause) for clause in ours}
    return [pairing.pair(place) for place, clause in enumerate(theirs) if _plain(clause) not in known]


def _clauses(claims: Sequence[Claim], language: Language) -> list[Clause]:
    return [Clause(reading=reading_of(part, language), claim=claim) for claim in claims for part in clauses_of(claim)]


def _plain(clause: Clause) -> str:
    return "".join(fold_text(clause.reading.text).split()).casefold()


class _Pairing:
    """All clauses of two texts, and how near they are."""

    def __init__(self, ours: Sequence[Clause], theirs: Sequence[Clause], similar: Similar | None) -> None:
        self._ours, self._theirs = ours, theirs
        words = _matrix(ours, theirs, lambda one, other: dice(one.words, other.words))
        grams = _matrix(ours, theirs, lambda one, other: dice(one.grams, other.grams))
        texts = [[clause.reading.text for clause in clauses] for clauses in (ours, theirs)]
        self._near: Matrix = np.maximum(words, grams) if similar is None else similar(*texts)
        self._scores: Matrix = np.maximum(words, self._near) + _GRAMS * grams
        self._kept = {_plain(clause) for clause in theirs}
        self._denials = [sum(len(clause.reading.denials) for clause in clauses) for clauses in (ours, theirs)]

    def pair(self, place: int) -> ClausePair:
        """Give the pair of a clause of the rewrite."""
        index = int(self._scores[:, place].argmax())
        one, other = self._ours[index], self._theirs[place]
        nearness = float(self._near[index, place])
        signs = with_nearness(signs_of(one.reading, other.reading), nearness) | self._surroundings(index, place)
        whole = signs_of(*(reading_of(clause.claim.text, clause.reading.language) for clause in (one, other)))
        signs |= {f"{name}*{more}": signs[name] * signs[more] for name in _COMBINED for more in _MORE}
        signs |= {f"{name}*sentence_odd": signs[name] * whole["odd"] for name in _COMBINED}
        signs |= {f"sentence {name}": value for name, value in with_nearness(whole, nearness).items()}
        return ClausePair(before=one, after=other, signs=signs)

    def _surroundings(self, index: int, place: int) -> dict[str, float]:
        """Tell how sure it is that the two belong together, and what the rest of both texts says."""
        scores = self._scores[:, place]
        second = float(np.partition(scores, -2)[-2]) if len(scores) > 1 else 0.0
        turned, known = self._anchors(place)
        fewer = self._denials[0] - self._denials[1]
        one, other = self._ours[index].reading, self._theirs[place].reading
        is_less = fewer > 0 and bool(one.denials) and not other.denials
        is_more = fewer < 0 and bool(other.denials) and not one.denials
        return {
            "score": float(scores[index]),
            "second": second,
            "ahead": float(scores[index]) - second,
            "mutual": float(int(self._scores[index].argmax()) == place),
            "kept": float(_plain(self._ours[index]) in self._kept),
            "heading": float(self._theirs[place].claim.is_heading),
            "asks": float(self._theirs[place].claim.asks),
            "anchors_turned": turned,
            "anchors": known,
            "denials_in_all": min(3.0, abs(fewer)),
            "fewer_in_all": float(is_less or is_more),
        }

    def _anchors(self, place: int) -> tuple[float, float]:
        """Give the share of its known words that stand only in clauses with one denial more or less, and their weight."""
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


def _matrix(ours: Sequence[Clause], theirs: Sequence[Clause], measure: Measure) -> Matrix:
    rows = [[measure(one.reading, other.reading) for other in theirs] for one in ours]
    return np.array(rows, dtype=np.float32)
