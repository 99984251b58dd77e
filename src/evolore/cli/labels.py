"""How metadata is written on the command line: ``name=value``."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

from evolore.domain.metadata import MAX_NAMES, MetadataValue
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def read_pairs(pairs: Sequence[str] | None, option: str) -> dict[str, MetadataValue]:
    """Read what was written as ``name=value``.

    ``true`` and ``false`` are bools, what is written as JSON writes a number is a number, and the rest is text: so
    ``1.5`` is a number, and ``1.50``, ``007`` and ``"1.5"`` in double quotes are texts.

    Raises:
        InvalidValue: There is no ``=``, or a name stands twice.

    >>> read_pairs(["year=2024", "team=ops", 'version="1.5"', "done=true"], "--meta")
    {'year': 2024, 'team': 'ops', 'version': '1.5', 'done': True}
    """
    read: dict[str, MetadataValue] = {}
    for pair in pairs or ():
        name, sign, value = pair.partition("=")
        if not sign:
            raise InvalidValue(f"{option} {pair!r} has no value: write it as {option} name=value.")
        if name in read:
            raise InvalidValue(f"{option} names {name!r} twice: give each of at most {MAX_NAMES} names once.")
        read[name] = _read_value(value)
    return read


def refuse_both(given: Sequence[str] | None, option: str, is_cleared: bool, clearing: str) -> None:  # noqa: FBT001 - a flag of the command line
    """Refuse to file something under labels and to take them away at once.

    Raises:
        InvalidValue: Both were asked for.
    """
    if given and is_cleared:
        raise InvalidValue(f"{option} {given[0]!r} and {clearing} exclude each other: leave one out.")


def _read_value(value: str) -> MetadataValue:
    try:
        parsed: object = json.loads(value)
    except (ValueError, RecursionError):
        return value
    if isinstance(parsed, str):
        return parsed
    if not isinstance(parsed, (bool, int, float)) or not math.isfinite(parsed):
        return value
    return parsed if json.dumps(parsed) == value else value


def write_pairs(metadata: Mapping[str, MetadataValue]) -> str:
    """Write metadata as it would be given, with commas between.

    >>> write_pairs({"team": "ops", "version": "1.5", "year": 2024})
    'team=ops, version="1.5", year=2024'
    """
    return ", ".join(f"{name}={_write_value(value)}" for name, value in metadata.items())


def _write_value(value: MetadataValue) -> str:
    if not isinstance(value, str):
        return json.dumps(value)
    return value if _read_value(value) == value else json.dumps(value, ensure_ascii=False)
