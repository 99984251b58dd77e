"""Slots: what a statement says of something, and whether a newer statement says it otherwise. It flags, and never settles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from evolore.domain.language import Language
from evolore.episodes.contradictions import contradiction
from evolore.episodes.differences import DifferenceKind, differences
from evolore.text import changes
from evolore.text.contrasts.alignment import left_over
from evolore.text.contrasts.reading import Reading, read
from evolore.text.contrasts.slot_words import slot_words_of
from evolore.text.contrasts.stems import content_stems

if TYPE_CHECKING:
    from evolore.episodes.differences import Difference

_REMEMBERED = 1 << 12
_SELF = re.compile(r"^(?:i|my|we|our|me|us)\b|^(?:私|僕|俺|うち|わたし|ぼく|我|咱)")
_HEAD = {Language.JA: 10, Language.ZH: 8}
_ENGLISH_HEAD = 28
_VALUES = frozenset((DifferenceKind.NUMBER, DifferenceKind.NAME, DifferenceKind.OPPOSITE))


class UpdateKind(StrEnum):
    """What a newer statement is to an older one."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    ADDS = "adds"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """What a statement says of something, as far as rules tell.

    Args:
        subject: The words it is about; empty where it is the speaker.
        attributes: The attributes it may speak of, by their place in the language's list.
        is_self: Whether it is about the speaker and what is theirs.
    """

    subject: frozenset[str]
    attributes: frozenset[int]
    is_self: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotUpdate:
    """What a newer statement is to an older one, and why.

    Args:
        kind: Whether it takes its place, rules it out, comes besides, or is about something else.
        reason: In words, both sides quoted.
        old: What the older statement says there; empty where rules do not tell.
        new: What the newer one says there.
    """

    kind: UpdateKind
    reason: str
    old: str = ""
    new: str = ""

    @property
    def is_conflict(self) -> bool:
        """Whether both cannot hold now: a review item, never a supersession by itself."""
        return self.kind in {UpdateKind.SUPERSEDES, UpdateKind.CONTRADICTS}


@lru_cache(maxsize=_REMEMBERED)
def read_slot(text: str, language: Language) -> Slot:
    """Read what a statement is about.

    >>> read_slot("My rent is 500 euros.", Language.EN).is_self
    True
    """
    reading = read(text, language)
    found = re.search(slot_words_of(language).subject, reading.text)
    subject = found.group(1) if found else ""
    return Slot(
        subject=frozenset(word for word in reading.words if word in content_stems(subject)),
        attributes=frozenset(number for number, one in enumerate(_attributes(language)) if one.search(reading.text)),
        is_self=_SELF.search(reading.text.lstrip()) is not None or not found,
    )


@cache
def _attributes(language: Language) -> tuple[re.Pattern[str], ...]:
    lines = slot_words_of(language).attributes.strip().splitlines()
    is_spaced = language not in {Language.JA, Language.ZH}
    return tuple(re.compile(rf"\b(?:{line})" if is_spaced else line) for line in lines)


def slot_update(old: str, new: str, language: Language) -> SlotUpdate:
    """Tell what a newer statement is to an older one by their wording.

    It takes the older one's place when it is about the same, of the same attribute, and says that something changed
    ("is now", "moved to", 「〜に変わった」, "改成"); it contradicts when it says another value without saying that it
    changed; it adds when it speaks of the same and leaves room for both; else it is about something different. What
    was only planned, stayed as it was or is somebody else's changes nothing.

    Args:
        old: The older statement.
        new: The newer one.
        language: What they are written in.

    >>> slot_update("I live in Leeds.", "I moved to York last month.", Language.EN).kind.value
    'supersedes'
    >>> slot_update("My rent is 500 euros.", "My sister's rent is 600 euros.", Language.EN).kind.value
    'different'
    """
    before, after = read(old, language), read(new, language)
    if not _is_about_same(before, after, language):
        return SlotUpdate(kind=UpdateKind.DIFFERENT, reason="they are about different things")
    words = slot_words_of(language)
    if after.asks or re.search(words.keeps, after.text):
        return SlotUpdate(kind=UpdateKind.ADDS, reason="the newer one tells of no change")
    found = contradiction(old, new, language)
    change = re.search(words.change, after.text)
    value = _value(before, after, language)
    if found is not None or value is not None:
        one = found.difference if found is not None else value
        assert one is not None
        return _otherwise(one, change.group() if change else "")
    if change and _takes_place(before, after, language):
        reason = f'"{change.group()}" says that it is otherwise now'
        return SlotUpdate(kind=UpdateKind.SUPERSEDES, reason=reason, old=before.text.strip(), new=after.text.strip())
    return SlotUpdate(kind=UpdateKind.ADDS, reason="both may hold")


def _otherwise(one: Difference, change: str) -> SlotUpdate:
    if change:
        reason = f'{one.reason}; "{change}" says that it is otherwise now'
        return SlotUpdate(kind=UpdateKind.SUPERSEDES, reason=reason, old=one.ours, new=one.theirs)
    return SlotUpdate(kind=UpdateKind.CONTRADICTS, reason=one.reason, old=one.ours, new=one.theirs)


def _is_about_same(old: Reading, new: Reading, language: Language) -> bool:
    """Tell whether both are about the same thing, and of the same attribute where either names one."""
    mine, theirs = read_slot(old.text, language), read_slot(new.text, language)
    if any(one not in old.text for one in _others(new.text, language)):
        return False
    if any(one not in new.text for one in _others(old.text, language)) and theirs.is_self:
        return False
    shared = set(old.words) & set(new.words)
    if shared:
        return True
    return bool(mine.attributes & theirs.attributes) and (mine.is_self or theirs.is_self)


def _others(text: str, language: Language) -> set[str]:
    head = text[: _HEAD.get(language, _ENGLISH_HEAD)]
    found = re.finditer(changes.of(language).others, head, re.IGNORECASE)
    return {match.group().strip().lower() for match in found}


def _value(old: Reading, new: Reading, language: Language) -> Difference | None:
    """Give another value of the same slot: a number of the same unit, a name, a day, where the rest is the same."""
    ours, theirs = left_over(old, new)
    for one in differences(old, new, language):
        if one.kind not in _VALUES:
            continue
        share = len(ours) + len(theirs)
        if share <= 0.5 * (len(old.words) + len(new.words)) and not re.search(slot_words_of(language).adds, new.text):
            return one
    return None


def _takes_place(old: Reading, new: Reading, language: Language) -> bool:
    """Tell whether a change that the newer one tells of is one of what the older says."""
    words = slot_words_of(language)
    mine, theirs = read_slot(old.text, language), read_slot(new.text, language)
    if re.search(words.adds, new.text) and not re.search(words.ends, new.text):
        return False
    same = mine.attributes & theirs.attributes
    return bool(same) or bool(mine.subject & set(new.words))
