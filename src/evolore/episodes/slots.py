"""Slots: whether a newer statement says otherwise what an older one says of the same thing. It flags, and never settles."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from evolore.episodes.differences import as_written
from evolore.episodes.integration_settings import IntegrationSettings
from evolore.episodes.slot_marks import POINTS, Comparison, Mark, marks_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.language import Language

_CONSTANT = -2.0
_PER_LIKENESS = 3.0
_UNKNOWN_LIKENESS = 0.55
_CLOSE = 0.65
"""Statements this near say the same thing of the same, or say it otherwise."""

_DIGITS = 3
_SETTLES = frozenset((Mark.CHANGE, Mark.END, Mark.PLAN))
_CORRECTS = frozenset((Mark.EVIDENCE, Mark.CORRECTION))
_ELSEWHERE = frozenset((Mark.OTHERS, Mark.ANOTHER, Mark.APART))
_TELLING = frozenset(mark for mark in Mark if POINTS[mark] > 0) - {Mark.SUBJECT, Mark.START}
_SHOWN = 80


class UpdateKind(StrEnum):
    """What a newer statement is to an older one."""

    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    ADDS = "adds"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotUpdate:
    """What a newer statement is to an older one, and why.

    Args:
        kind: Whether it takes its place, rules it out, comes besides, or is about something else.
        reason: In words, both sides quoted.
        score: How surely both cannot hold; the higher, the surer.
        old: What the older statement says otherwise, where rules tell; else its beginning.
        new: What the newer one says there.
    """

    kind: UpdateKind
    reason: str
    score: float
    old: str
    new: str

    @property
    def is_conflict(self) -> bool:
        """Whether both cannot hold now: a review item, never a supersession by itself."""
        return self.kind in {UpdateKind.SUPERSEDES, UpdateKind.CONTRADICTS}


def slot_update(
    old: str,
    new: str,
    language: Language,
    *,
    likeness: float | None = None,
    settings: IntegrationSettings | None = None,
) -> SlotUpdate:
    """Tell what a newer statement is to an older one.

    It takes the older one's place when it speaks of the same and says that something changed ("is now", "moved to",
    「〜に変わった」, "改成"), ended, or is otherwise; it contradicts when it sets the older one right, or leans on a record
    against it; it adds when both may hold; else it is about something different. What was only planned, stayed as it was,
    or is somebody else's speaks against a conflict. Each such mark counts some points, and with their sum above
    ``flag_score`` the two are in conflict.

    Args:
        old: The older statement.
        new: The newer one.
        language: What they are written in.
        likeness: Their centred cosine, where vectors are at hand; 0.55 is assumed where they are not.
        settings: The threshold.

    >>> from evolore.domain.language import Language
    >>> slot_update("I live in Leeds.", "I have moved to York last month.", Language.EN).kind.value
    'supersedes'
    >>> slot_update("My rent is 500 euros.", "My sister's rent is 600 euros.", Language.EN).is_conflict
    False
    """
    settings = settings or IntegrationSettings()
    pair = Comparison(old, new, language)
    marks = marks_of(pair)
    near = _UNKNOWN_LIKENESS if likeness is None else round(likeness, 4)
    score = _score(marks, near)
    is_told = bool(_TELLING & marks.keys()) or near >= _CLOSE
    is_conflict = score > settings.flag_score and is_told and not pair.after.asks
    ours, theirs = _sides(pair)
    return SlotUpdate(
        kind=_conflict_kind(marks, pair) if is_conflict else _harmless_kind(marks, pair),
        reason=f'{_reason(marks, is_conflict=is_conflict)}: "{ours}" / "{theirs}"',
        score=score,
        old=ours,
        new=theirs,
    )


def _score(marks: Mapping[Mark, float], likeness: float) -> float:
    total = sum(POINTS[mark] * strength for mark, strength in marks.items())
    return round(total + _PER_LIKENESS * likeness + _CONSTANT, _DIGITS)


def _conflict_kind(marks: Mapping[Mark, float], pair: Comparison) -> UpdateKind:
    if _SETTLES & marks.keys():
        return UpdateKind.SUPERSEDES
    is_correction = bool(_CORRECTS & marks.keys()) or bool(pair.before.past and pair.after.past)
    return UpdateKind.CONTRADICTS if is_correction or Mark.CONTRADICTION in marks else UpdateKind.SUPERSEDES


def _harmless_kind(marks: Mapping[Mark, float], pair: Comparison) -> UpdateKind:
    is_shared = Mark.SUBJECT in marks or bool(set(pair.before.words) & set(pair.after.words))
    if _ELSEWHERE & marks.keys() or not is_shared:
        return UpdateKind.DIFFERENT
    return UpdateKind.ADDS


def _reason(marks: Mapping[Mark, float], *, is_conflict: bool) -> str:
    """Name the two marks that count most for what was decided."""
    weighed = sorted(marks, key=lambda mark: (-POINTS[mark] * marks[mark] if is_conflict else POINTS[mark], mark))
    telling = [mark.value for mark in weighed if (POINTS[mark] > 0) is is_conflict][:2]
    return ", ".join(telling) or "nothing in their wording says that both cannot hold"


def _sides(pair: Comparison) -> tuple[str, str]:
    value = next(iter(pair.values()), None)
    if value is not None and value.ours and value.theirs:
        return as_written(value.ours, pair.old), as_written(value.theirs, pair.new)
    return pair.old.strip()[:_SHOWN], pair.new.strip()[:_SHOWN]
