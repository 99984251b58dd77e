"""Local edits: where the rest of a sentence stands word for word, a changed word is a changed claim."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from itertools import product
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.text.protected.denials import denials, weak_denials
from evolore.text.protected.folding import fold_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evolore.evolution.gates.claims import Group

_PIECE = re.compile(r"[A-Za-z]+(?:'[a-z]+)?|\d+(?:[.,:]\d+)*|[^\sA-Za-z\d]")
_LEAST_ALIKE = 0.82
_DENIAL_ALIKE = 0.7
_LONGEST = 24
"""More pieces than this in a row are another wording, not a change."""

_BESIDE = 2
_APART = 4
_SIDE = 13
"""The longest of two joined things that may change places, in pieces."""

_LINKS = frozenset(("and", "or", "和", "与", "及", "或", "と", "や", "か", "・", ",", "、", ";"))
_LIMITS = re.compile(
    r"under|below|less|fewer|over|above|more|下回|満たな|未満|超え|上回|低于|不到|不足|少于|超过|多于|高于"
)
_EMPTY_WORDS = """
a an the is are be been of to in on at for with by and it its that this will please also do does each every percent
"""
_EMPTY = frozenset(_EMPTY_WORDS.split()) | frozenset(
    "、。,・「」『』（）,.;:()|*#-%'\"はがをにのでともへやよねるすくれますでしたいりし的了是在也就把将请您"
)


def local_changes(group: Group, language: Language) -> Iterator[tuple[str, str]]:
    """Say which words of an otherwise unchanged sentence were left out, put in, exchanged or moved.

    Nothing is said of a sentence that is worded anew, nor of numbers, which the span gate compares, or of denials,
    which are compared by sentence.

    Returns:
        What was done, and the words.
    """
    first, second = (_pieces(" ".join(claim.text for claim in claims)) for claims in (group.before, group.after))
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    changes = [opcode for opcode in matcher.get_opcodes() if opcode[0] != "equal"]
    alike = matcher.ratio()
    if alike >= _DENIAL_ALIKE and _is_denial_moved(first, second, changes, language):
        yield "A denial went from one part of a claim to another", _joined(second)
    if not changes or alike < _LEAST_ALIKE:
        return
    is_moved = Counter(first) == Counter(second)
    yield from _moved(first, second, changes) if is_moved else _said(first, second, changes, language)


_Change = tuple[str, int, int, int, int]


def _pieces(text: str) -> list[str]:
    return [piece.casefold() for piece in _PIECE.findall(fold_text(text))]


def _moved(first: Sequence[str], second: Sequence[str], changes: Sequence[_Change]) -> Iterator[tuple[str, str]]:
    """Say that the same words stand in another order, unless two that are joined changed places: "heating and water"."""
    start, end = changes[0][1], changes[-1][2]
    begin, stop = changes[0][3], changes[-1][4]
    ours, theirs = list(first[start:end]), list(second[begin:stop])
    for link in _LINKS & set(ours):
        place = ours.index(link)
        if [*ours[place + 1 :], link, *ours[:place]] == theirs:
            return
    longest = _common_link(first, second, start, end, begin, stop)
    if not longest:
        yield "Words of a claim changed places", _joined(theirs)


def _common_link(first: Sequence[str], second: Sequence[str], start: int, end: int, begin: int, stop: int) -> bool:
    """Tell whether one of two joined words was taken from one side of the link to the other."""
    ours, theirs = (
        list(first[max(0, start - _LONGEST) : end + _LONGEST]),
        list(second[max(0, begin - _LONGEST) : stop + _LONGEST]),
    )
    for link in _LINKS & set(ours) & set(theirs):
        for size, other in product(range(1, _SIDE), repeat=2):
            for place in (index for index, piece in enumerate(ours) if piece == link):
                swapped = [
                    *ours[: max(0, place - size)],
                    *ours[place + 1 : place + 1 + other],
                    link,
                    *ours[max(0, place - size) : place],
                    *ours[place + 1 + other :],
                ]
                if swapped == theirs:
                    return True
    return False


def _said(
    first: Sequence[str], second: Sequence[str], changes: Sequence[_Change], language: Language
) -> Iterator[tuple[str, str]]:
    if any(_is_reworded(first, second, change, language) for change in changes):
        return
    for _, start, end, begin, stop in changes:
        lost, added = first[start:end], second[begin:stop]
        reason = "" if _is_counted((*lost, *added)) or _is_limit(lost, added) else _reason(lost, added)
        if reason and len(lost) + len(added) <= 2 * _LONGEST:
            yield reason, " / ".join(filter(None, (_joined(lost), _joined(added))))


def _reason(lost: Sequence[str], added: Sequence[str]) -> str:
    gone, new = [piece for piece in lost if _says(piece)], [piece for piece in added if _says(piece)]
    if gone and len(gone) == len(new):
        return "Words of a claim are exchanged"
    match _is_word(gone), _is_word(new):
        case True, True:
            return "Words of a claim are exchanged"
        case True, False:
            return "Words of a claim are left out"
        case False, True:
            return "Words are put into a claim"
        case _:
            return ""


def _is_word(pieces: Sequence[str]) -> bool:
    """Tell whether pieces hold a word: of characters without spaces, two."""
    return len(pieces) > 1 or any(piece.isascii() for piece in pieces)


def _is_limit(lost: Sequence[str], added: Sequence[str]) -> bool:
    """Tell whether one word for a limit gave way to another: limits are compared with their numbers."""
    return bool(_LIMITS.search(_joined(lost)) and _LIMITS.search(_joined(added)))


def _is_denial_moved(
    first: Sequence[str], second: Sequence[str], changes: Sequence[_Change], language: Language
) -> bool:
    """Tell whether one part of an otherwise unchanged sentence is denied no more, and another one is."""
    lost = [(start, end) for _, start, end, _, _ in changes if denials(_joined(first[start:end]), language)]
    added = [(start, end) for _, start, end, begin, stop in changes if denials(_joined(second[begin:stop]), language)]
    pairs = [(one, other) for one in lost for other in added if one not in added and other not in lost]
    return any(max(one[0] - other[1], other[0] - one[1]) >= _APART for one, other in pairs)


def _says(piece: str) -> bool:
    return piece not in _EMPTY and not piece[0].isdigit()


def _is_counted(pieces: Sequence[str]) -> bool:
    return any(piece[0].isdigit() for piece in pieces)


def _is_reworded(first: Sequence[str], second: Sequence[str], change: _Change, language: Language) -> bool:
    """Tell whether a change touches a denial: then all of the sentence may be turned to say the same."""
    _, start, end, begin, stop = change
    texts = _joined(first[start:end]), _joined(second[begin:stop])
    if any(denials(text, language) for text in texts):
        return True
    if (start == end or begin == stop) and language not in {Language.JA, Language.ZH}:
        return False
    beside = (
        _joined(first[max(0, start - _BESIDE) : end + _BESIDE]),
        _joined(second[max(0, begin - _BESIDE) : stop + _BESIDE]),
    )
    if any(denials(text, language) for text in beside):
        return True
    return start != end and begin != stop and any(weak_denials(text, language) for text in texts)


def _joined(pieces: Sequence[str]) -> str:
    return "".join(f"{piece} " if piece.isascii() else piece for piece in pieces).strip()
