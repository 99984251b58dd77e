"""Signs: what tells, of two clauses that belong together, whether they say the same; numbers for a fitted model."""

from __future__ import annotations

import math
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from evolore.evolution.gates.claims import dice
from evolore.evolution.gates.opposites import find_opposed, is_freed
from evolore.evolution.gates.readings import KINDS, Reading
from evolore.text.protected.denials import denials, weak_denials

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
def signs_of(one: Reading, other: Reading) -> Mapping[str, float]:
    """Give the signs of a clause of the original and one of the rewrite; a table that nobody changes."""
    matcher = SequenceMatcher(None, one.pieces, other.pieces, autojunk=False)
    signs = _likeness(one, other, matcher.ratio()) | _polarity(one, other) | _kinds(one, other)
    signs |= _cuts(one, other, matcher)
    near = signs["unchanged"]
    return signs | {f"{name}*unchanged": signs[name] * near for name in _BY_LIKENESS}


def with_nearness(signs: Mapping[str, float], nearness: float) -> Signs:
    """Add how near two clauses are in meaning, by itself and with what depends on it."""
    return {**signs, "nearness": nearness} | {f"{name}*nearness": signs[name] * nearness for name in _BY_LIKENESS}


def _likeness(one: Reading, other: Reading, alike: float) -> Signs:
    longer = math.log((len(other.pieces) + 1) / (len(one.pieces) + 1))
    return {
        "words": dice(one.words, other.words),
        "grams": dice(one.grams, other.grams),
        "alike": alike,
        "unchanged": max(0.0, (alike - _UNCHANGED) / (1 - _UNCHANGED)),
        "longer": max(-2.0, min(2.0, longer)),
        "other_length": min(2.0, abs(longer)),
        "new_words": _share_missing(other.words, one.words),
        "gone_words": _share_missing(one.words, other.words),
    }


def _share_missing(words: Counter[str], known: Counter[str]) -> float:
    return sum(count for word, count in words.items() if word not in known) / max(1, words.total())


def _polarity(one: Reading, other: Reading) -> Signs:
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


def _kinds(one: Reading, other: Reading) -> Signs:
    ours, theirs = one.kinds, other.kinds
    signs = {f"{kind}_lost": float(kind in ours - theirs) for kind in KINDS}
    signs |= {f"{kind}_added": float(kind in theirs - ours) for kind in KINDS}
    opposed = find_opposed(one, other)
    exchanged = [
        bool(first and second and not first & second) for first, second in zip(one.sides, other.sides, strict=True)
    ]
    missing = [bool(first) != bool(second) for first, second in zip(one.sides, other.sides, strict=True)]
    return signs | {
        "eased": float(_is_eased(one, other) or _is_eased(other, one)),
        "allowed_instead": float(_is_allowed(one, other) or _is_allowed(other, one)),
        "opposed": float(opposed is not None),
        "surely_opposed": float(opposed is not None and opposed[2]),
        "freed": float(is_freed(one, other) or is_freed(other, one)),
        "exchanged": min(2.0, sum(exchanged)),
        "one_sided": min(4.0, sum(missing)),
    }


def _is_eased(one: Reading, other: Reading) -> bool:
    return "requires" in one.kinds and "eases" in other.kinds - one.kinds


def _is_allowed(one: Reading, other: Reading) -> bool:
    return bool(one.denials) and not other.denials and "permits" in other.kinds


def _cuts(one: Reading, other: Reading, matcher: SequenceMatcher[str]) -> Signs:
    """Look at what differs, piece by piece."""
    first, second = one.pieces, other.pieces
    cuts = Counter[str]()
    for what, start, end, begin, stop in matcher.get_opcodes():
        if what != "equal":
            cuts.update(_cut(one, first[start:end], second[begin:stop]))
    most = {"denials_cut": 2.0, "softened_cut": 2.0, "left_out": _MOST, "put_in": _MOST, "replaced": _MOST}
    signs = {name: min(limit, float(cuts[name])) for name, limit in most.items()}
    return signs | {"moved": float(first != second and Counter(first) == Counter(second))}


def _cut(one: Reading, gone: Sequence[str], new: Sequence[str]) -> list[str]:
    ours, theirs = ("".join(f"{piece} " for piece in pieces) for pieces in (gone, new))
    language = one.language
    found = ["denials_cut"] if len(denials(ours, language)) != len(denials(theirs, language)) else []
    found += ["softened_cut"] if bool(weak_denials(ours, language)) != bool(weak_denials(theirs, language)) else []
    says = (any(piece[0].isalnum() for piece in gone), any(piece[0].isalnum() for piece in new))
    named = {(True, False): "left_out", (False, True): "put_in", (True, True): "replaced"}.get(says)
    return [*found, named] if named else found
