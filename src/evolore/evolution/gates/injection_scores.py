"""How much a sentence speaks to a model: cues of several kinds weighed together, less where it is only spoken of."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolore.evolution.gates.injection_cues import FOR_PERSONS, FORBIDDEN, MENTIONED, ORDERED, cues, worded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    _Spot = tuple[int, str, float]

_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?!\s|$)[^.!?。！？\n]*)*[.!?。！？]*")
_QUOTES = re.compile(r"[\"“”‘「『]|(?<![A-Za-z])'[A-Za-z]")
_ORDER, _MENTION, _PERSON = 0.3, 0.9, 0.4
_INDICATIVE, _WORDED, _QUOTED = 0.7, 0.6, 0.7
_HIDDEN = 0.6
_AROUND = 200
_KINDS_NEEDED = 2
_ENOUGH = frozenset(("foreign", "turned", "conceals", "decodes", "worded"))
_DIRECT = frozenset(("yours", "turned", "foreign", "decodes", "claims", "reader", "marked"))
_TO_MODELS = frozenset(
    ("addressed", "reader", "yours", "turned", "told", "instructs", "conceals", "decodes", "claims", "foreign", "marked",
     "persona", "judges", "secret", "worded")
)  # fmt: skip
_QUOTED_OUTPUT = 0.6
SURE, DOUBTFUL = 1.1, 0.85
"""From which score on a text is refused, and doubted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A sentence with what it was weighed by."""

    start: int
    end: int
    score: float
    names: tuple[str, ...]


def spoken_to_models(text: str, *, is_hidden: bool = False) -> Iterator[Spoken]:
    """Give the sentences that may speak to a model, each with the one before it, by their scores.

    Args:
        text: A text in any language.
        is_hidden: Whether no reader sees it, as in a comment: then less is enough.
    """
    spots = sorted(_spots(text))
    if not spots:
        return
    starts = [spot[0] for spot in spots]
    places = [match.span() for match in _SENTENCE.finditer(text) if match.group().strip()]
    for index, (start, end) in enumerate(places):
        first = places[index - 1][0] if index else start
        within = spots[bisect_left(starts, first) : bisect_left(starts, end)]
        if not within:
            continue
        joined = _weigh(text, first, end, within)
        alone = _weigh(text, start, end, [spot for spot in within if spot[0] >= start]) if index else joined
        best = max(alone, joined, key=lambda one: one.score)
        if is_hidden and best.score >= _HIDDEN:
            best = replace(best, score=best.score + SURE - _HIDDEN)
        if best.score >= DOUBTFUL:
            yield best


def _weigh(text: str, start: int, end: int, spots: Sequence[_Spot]) -> Spoken:
    part = text[start:end]
    found = {name: weight for weight, name in sorted((weight, name) for _, name, weight in spots)}
    is_advice = FORBIDDEN.search(part) is not None and not found.keys() & {"addressed", "yours", "conceals"}
    if is_advice:
        found = {name: weight for name, weight in found.items() if name not in {"secret", "reveals", "worded"}}
    kinds = set(found) - ({"always"} if not found.keys() & {"outputs", "judges", "conceals", "steers"} else set())
    score = sum(found.values()) if len(kinds) >= _KINDS_NEEDED or kinds & _ENOUGH else 0.0
    is_order = ORDERED.search(part) is not None
    score += _ORDER if score and is_order else 0.0
    score -= 0.0 if is_order or found.keys() & _DIRECT else _INDICATIVE
    is_quoted = _QUOTES.search(part) is not None or part.lstrip().startswith(">")
    around = text[max(0, start - _AROUND) : end + _AROUND] if is_quoted else part
    score -= (_MENTION + _QUOTED * is_quoted) * (MENTIONED.search(around) is not None)
    score -= _PERSON * (FOR_PERSONS.search(part) is not None)
    if not (found.keys() & _TO_MODELS or found.get("outputs", 0.0) >= _QUOTED_OUTPUT):
        score = min(score, SURE - 0.1) if score >= SURE else 0.0
    return Spoken(start=start, end=end, score=score, names=tuple(sorted(found)))


def _spots(text: str) -> Iterator[_Spot]:
    """Give where cues and known wordings stand, with their names and weights."""
    for name, weight, pattern in cues():
        yield from ((match.start(), name, weight) for match in pattern.finditer(text))
    for _, pattern in worded():
        yield from ((match.start(), "worded", _WORDED) for match in pattern.finditer(text))
