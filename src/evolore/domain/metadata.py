"""Metadata, that is named values, and tags, which a user files an item under."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from evolore.domain.checks import check_name, check_text
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from pydantic_core import CoreSchema

MetadataValue: TypeAlias = str | int | float | bool

MAX_NAMES = 50
MAX_TAGS = 50
MAX_LABEL_CHARACTERS = 100
MAX_VALUE_CHARACTERS = 1000
_MAX_WHOLE = 2**53
"""Beyond it a whole number and its neighbour are one number to many programs that read JSON."""


class Metadata(Mapping[str, MetadataValue]):
    """Named values, sorted by name, that never change.

    A value is a text, a number or a bool. A whole number is kept as one, so 2024.0 comes back as 2024; True is not 1.

    Args:
        values: At most 50 names. A name has 1 to 100 characters, no ``=``, and no blank at either end; a text has 1 to
            1,000 characters and is not blank; a number is finite, and a whole one lies within ±2^53.

    Raises:
        InvalidValue: One of these does not hold.

    >>> dict(Metadata({"year": 2024.0, "team": "ops"}))
    {'team': 'ops', 'year': 2024}
    """

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, MetadataValue] | None = None) -> None:
        if isinstance(values, Metadata):
            self._values: dict[str, MetadataValue] = values._values  # noqa: SLF001 - of its own kind
            return
        given: object = {} if values is None else values
        if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
            raise InvalidValue(f'metadata is {given!r}: use names with values, such as {{"team": "ops"}}.')
        pairs = cast("Mapping[str, MetadataValue]", given)
        if len(pairs) > MAX_NAMES:
            raise InvalidValue(f"metadata has {len(pairs)} names: use at most {MAX_NAMES}.")
        for name in pairs:
            check_label(name, "A name in metadata")
            if "=" in name:
                raise InvalidValue(f"The name {name!r} in metadata holds '=': leave it out.")
        self._values = {name: _kept(name, pairs[name]) for name in sorted(pairs)}

    def __getitem__(self, name: str) -> MetadataValue:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return _typed(self) == _typed(cast("Mapping[str, MetadataValue]", other))

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def __repr__(self) -> str:
        return f"Metadata({self._values!r})"

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> CoreSchema:
        """Read it from named values."""
        return {"type": "function-plain", "function": {"type": "no-info", "function": cls}}


def _typed(values: Mapping[str, MetadataValue]) -> dict[str, tuple[bool, MetadataValue]]:
    return {name: (isinstance(value, bool), value) for name, value in values.items()}


def _kept(name: str, value: MetadataValue) -> MetadataValue:
    """Return a value as it is kept: plain, whole numbers as such."""
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        check_name(value, f"The value of {name!r} in metadata", most=MAX_VALUE_CHARACTERS)
        return str.__str__(value)
    if not isinstance(value, (int, float)):  # pyright: ignore[reportUnnecessaryIsInstance] - callers may be untyped
        raise InvalidValue(f"The value of {name!r} in metadata is {value!r}: use a text, a number or a bool.")
    if not math.isfinite(value):
        raise InvalidValue(f"The value of {name!r} in metadata is {value}: use a finite number.")
    if isinstance(value, int) and abs(value) > _MAX_WHOLE:
        raise InvalidValue(
            f"The value of {name!r} in metadata is {value}: use a whole number within ±2^53, or write it as a text."
        )
    is_whole = abs(value) <= _MAX_WHOLE and value == int(value)
    return int(value) if is_whole else float(value)


def check_label(value: str, name: str) -> None:
    """Refuse a name or tag that is blank, too long, or has a blank at either end.

    Raises:
        InvalidValue: It is one of these.
    """
    check_text(value, name)
    check_name(value, name, most=MAX_LABEL_CHARACTERS)
    if value != value.strip():
        raise InvalidValue(f"{name} is {value!r}: leave out the blanks at its ends.")


def checked_tags(tags: Iterable[str] | None) -> tuple[str, ...]:
    """Return tags sorted, each once.

    Args:
        tags: At most 50, each 1 to 100 characters without a blank at either end; None for none.

    Raises:
        InvalidValue: There are too many, one is not of this form, or a text was given instead of several.
    """
    given: object = () if tags is None else tags
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):  # pyright: ignore[reportUnnecessaryIsInstance] - likewise
        raise InvalidValue(f'tags is {given!r}: use several, such as ("urgent", "travel").')
    listed = tuple(cast("Iterable[str]", given))
    for tag in listed:
        check_label(tag, "A tag")
    if len(set(listed)) > MAX_TAGS:
        raise InvalidValue(f"tags has {len(set(listed))} tags: use at most {MAX_TAGS}.")
    return tuple(sorted({str.__str__(tag) for tag in listed}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """What a document is to be filed under."""

    metadata: Mapping[str, MetadataValue] | None = None  #: Replaces what it has; None leaves it.
    tags: tuple[str, ...] | None = None  #: Replaces its tags; None leaves them.

    def __post_init__(self) -> None:
        if self.metadata is not None:
            object.__setattr__(self, "metadata", Metadata(self.metadata))
        if self.tags is not None:
            object.__setattr__(self, "tags", checked_tags(self.tags))


KEEP_LABELS = Labels()
