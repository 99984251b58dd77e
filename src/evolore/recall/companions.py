"""What a quoted unit needs beside it: the lead of a list, the header of a table, what a colon announces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.recall.answer_units import UnitKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.recall.answer_units import AnswerUnit


def lead_of(units: Sequence[AnswerUnit], place: int) -> int | None:
    """Give what leads to a unit: what announces its list, its table's header, the question above; None for nothing."""
    unit = units[place]
    first = place
    while first and units[first - 1].block == unit.block and units[first - 1].kind is unit.kind and not _is_prose(unit):
        first -= 1
    if not first:
        return None
    before = units[first - 1]
    if unit.kind is UnitKind.TABLE_ROW:
        return first - 1 if before.kind is UnitKind.TABLE_HEAD else None
    return first - 1 if before.announces else None


def companions(
    units: Sequence[AnswerUnit], place: int, *, is_manner: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Give the places of what a unit is quoted with, itself among them, and of what may follow while there is room.

    Args:
        units: Of a passage.
        place: Of the unit.
        is_manner: Whether it was asked how something is done: then one step of a list is not enough.

    Returns:
        Both in text order: what must not be left out, and what goes on with it.
    """
    lead = lead_of(units, place)
    itself = () if units[place].asks else (place,)
    needed = itself if lead is None or not units[lead].is_quoted_as_lead else (lead, *itself)
    if not units[place].announces or place + 1 == len(units):
        return needed, _other_steps(units, place) if is_manner else ()
    following = units[place + 1]
    if following.kind is UnitKind.HEADING:
        return needed, ()
    last = place + 1
    while last + 1 < len(units) and not _is_prose(following) and units[last + 1].block == following.block:
        last += 1
    return (*needed, place + 1), tuple(range(place + 2, last + 1))


def _other_steps(units: Sequence[AnswerUnit], place: int) -> tuple[int, ...]:
    """Give the places of the other items of a list."""
    own = units[place]
    if own.kind is not UnitKind.ITEM:
        return ()
    return tuple(
        other for other, one in enumerate(units) if other != place and (one.kind, one.block) == (own.kind, own.block)
    )


def _is_prose(unit: AnswerUnit) -> bool:
    return unit.kind is UnitKind.SENTENCE
