"""Values of an export, each checked against the column it is for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from sqlalchemy import Boolean, Float, Integer, LargeBinary, String

from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Column

_SHOWN = 40
_TYPES: tuple[tuple[type[Any], tuple[type, ...], str], ...] = (
    (Boolean, (bool,), "true or false"),
    (Integer, (int,), "a whole number"),
    (Float, (int, float), "a number"),
    (LargeBinary, (str,), "bytes in hex"),
    (String, (str,), "a text"),
)


def check_value(column: Column[Any], value: object, *, is_there: bool, form: Callable[[Any], object] | None) -> None:
    """Refuse a value that its column cannot hold.

    Args:
        column: Where it goes.
        value: What the export says.
        is_there: Whether the export names the column at all.
        form: Takes the value, and raises ValueError, TypeError or OverflowError where it is of another form; None where
            any value of the column's type will do.

    Raises:
        InvalidValue: It is missing, of another type or of another form.
    """
    name = f"{column.table.name}.{column.name}"
    if not is_there:
        raise InvalidValue(f"{name} is missing: an export has it; write it, or null where it is unknown.")
    if value is None and column.nullable:
        return
    accepted, wanted = next((python, said) for type_, python, said in _TYPES if isinstance(column.type, type_))
    if not isinstance(value, accepted) or (isinstance(value, bool) and bool not in accepted):
        raise InvalidValue(f"{name} is {shown(value)}: {wanted} belongs there.")
    if not _is_fit(value, form):
        raise InvalidValue(f"{name} is {shown(value)}: that is no value it can have; correct it.")


def shown(value: object) -> str:
    """Write a value as an error names it: in ASCII, and cut short.

    >>> shown("a" * 41)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…"
    """
    written = ascii(value)
    return written if len(written) <= _SHOWN else written[:_SHOWN] + "…"


def _is_fit(value: object, form: Callable[[Any], object] | None) -> bool:
    try:
        is_fit = _can_be_stored(value)
        if form is not None:
            form(value)
    except (ValueError, TypeError, OverflowError, RecursionError):
        return False
    return is_fit


def _can_be_stored(value: object) -> bool:
    if isinstance(value, str):
        value.encode("utf-8")  # half of a surrogate pair raises
        return "\0" not in value
    if isinstance(value, float):
        return math.isfinite(value)
    return not isinstance(value, int) or -(2**63) <= value < 2**63
