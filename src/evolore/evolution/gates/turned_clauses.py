"""Clauses that say something else than those they came from: what is said of each, and how sure it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.evolution.gates.claim_weights import BY_MEANING, BY_WORDS
from evolore.evolution.gates.clause_pairs import pair_clauses
from evolore.evolution.gates.opposites import count_unless, find_opposed
from evolore.evolution.gates.readings import pieces_of, reading_of
from evolore.evolution.gates.small_edits import denial_reason, is_resolved, turned_by_small_edit
from evolore.evolution.gates.verdicts import Finding, Level

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from evolore.domain.language import Language
    from evolore.evolution.gates.claim_scores import ClaimWeights
    from evolore.evolution.gates.claims import Claim, Similar
    from evolore.evolution.gates.clause_pairs import ClausePair

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
) -> Iterator[Finding]:
    """Say which clauses of a rewrite point another way than those of the original they came from, one a sentence.

    Args:
        before: The sentences of the original.
        after: Those of the rewrite.
        language: What both are written in.
        cited: The words of the evidence: what is put in from there is let pass.
        similar: How near texts are in meaning; without it, their words tell.
        weights: What signs weigh, in place of what ships.
    """
    found: dict[int, tuple[bool, float, Finding]] = {}
    fitted = weights or (BY_WORDS if similar is None else BY_MEANING)
    for pair in pair_clauses(before, after, language, similar):
        if _is_cited(pair, cited):
            continue
        score = fitted.score(pair.signs)
        told = _small(pair) or _weighed(pair, fitted.level(score))
        if told:
            key = (told[1] is Level.REFUSE, score, _finding(pair, *told))
            place = pair.after.claim.span.start
            found[place] = max(found.get(place, key), key, key=lambda one: one[:2])
    yield from (finding for _, (_, _, finding) in sorted(found.items()))


def _small(pair: ClausePair) -> tuple[str, Level] | None:
    language = pair.before.reading.language
    one, other = (reading_of(clause.claim.text, language) for clause in (pair.before, pair.after))
    return turned_by_small_edit(one, other)


def _weighed(pair: ClausePair, level: Level | None) -> tuple[str, Level] | None:
    if level is Level.REFUSE and _may_be_turned_round(pair):
        level = Level.DOUBT
    return (_reason(pair), level) if level else None


def _may_be_turned_round(pair: ClausePair) -> bool:
    """Tell whether a denial may be gone with what it was denied by: "invalid unless", "not uncommon"."""
    one, other = pair.before.reading, pair.after.reading
    more, fewer = (one, other) if len(one.denials) >= len(other.denials) else (other, one)
    return count_unless(one) != count_unless(other) or is_resolved(more, fewer)


def _is_cited(pair: ClausePair, cited: Counter[str]) -> bool:
    """Tell whether what is new in a clause stands in the evidence."""
    new = pair.after.reading.words - pair.before.reading.words
    return bool(cited) and (new & cited).total() >= _CITED_SHARE * new.total()


def _reason(pair: ClausePair) -> str:
    """Say in words what probably changed."""
    one, other = pair.before.reading, pair.after.reading
    opposed = find_opposed(one, other)
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
    """Give the first words that the other text does not have."""
    known = set(pieces_of(other))
    missing = [piece for piece in pieces_of(text) if piece not in known and piece[0].isalnum()][:_SHOWN]
    return "".join(f"{piece} " if piece.isascii() else piece for piece in missing).strip()


def _finding(pair: ClausePair, reason: str, level: Level) -> Finding:
    quote = f"{pair.before.reading.text} / {pair.after.reading.text}"
    return Finding(reason=reason, before=pair.before.claim.span, after=pair.after.claim.span, quote=quote, level=level)
