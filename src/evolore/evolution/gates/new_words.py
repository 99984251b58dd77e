"""Words out of nowhere: what a candidate says in words of which neither the original nor the evidence has any."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.evolution.gates.verdicts import Finding, Level
from evolore.text.protected.folding import fold_text
from evolore.text.protected.units import unit_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.evolution.gates.claims import Claim

_REASON = "Words stand neither in the original nor in what is cited"
_LATIN = re.compile(r"[a-z]{4,}")


def new_words(claims: Sequence[Claim], known: Sequence[Claim], language: Language) -> Iterator[Finding]:
    """Doubt sentences, however short, that share no word with what is known, and Latin words in Japanese and Chinese.

    A sentence of one or two words is too short to be weighed as a claim; a name, a code or half a secret fits in it.

    Args:
        claims: The candidate's sentences.
        known: Those of the original, and of what is cited.
        language: What they are written in.

    >>> from evolore.evolution.gates.claims import read_claims
    >>> before, after = "Open the valve.", "Open the valve. Korvat, zelin."
    >>> found = new_words(read_claims(after, Language.EN), read_claims(before, Language.EN), Language.EN)
    >>> [(one.quote, one.level.value) for one in found]
    [('Korvat, zelin.', 'doubt')]
    """
    words = {word for claim in known for word in claim.words}
    plain = " ".join(fold_text(claim.text).casefold() for claim in known)
    is_spaced = language not in {Language.JA, Language.ZH}
    for claim in claims:
        is_apart = bool(claim.words) and not claim.asks and not claim.is_heading and words.isdisjoint(claim.words)
        if is_apart or (not is_spaced and _has_new_latin(claim.text, plain)):
            yield Finding(reason=_REASON, after=claim.span, quote=claim.text, level=Level.DOUBT)


def _has_new_latin(text: str, known: str) -> bool:
    """Tell whether a text has a word in Latin letters that is no unit and is not known."""
    found = _LATIN.findall(fold_text(text).casefold())
    return any(word not in known and unit_at(word, 0)[1] != len(word) for word in found)
