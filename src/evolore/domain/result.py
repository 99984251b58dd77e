"""Values in the form JSON has, and back: what ``--json`` prints, what leaves a process, what a job's steps hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter

from evolore.errors import InvalidValue

T = TypeVar("T")


class Result:
    """The result of a verb: a frozen dataclass with a JSON form."""

    __slots__ = ()

    def to_dict(self) -> dict[str, object]:
        """Return its fields as JSON holds them: objects, lists, texts, numbers; times in ISO 8601."""
        return cast("dict[str, object]", to_json(self))


def to_json(value: object) -> object:
    """Turn values into what JSON holds.

    Dataclasses become objects, but those that are written as a text, such as outline codes; times become ISO 8601.

    >>> from evolore.domain.outline import OutlineCode
    >>> to_json({"code": OutlineCode.parse("1.2"), "tags": ("a", "b")})
    {'code': '1.2', 'tags': ['a', 'b']}
    """
    return value if type(value) in _AS_IT_IS else _way_of(type(value))(value)


def fields_but(value: object, *left_out: str) -> dict[str, object]:
    """Return a dataclass as JSON holds it, without some of its fields."""
    return {name: part for name, part in cast("dict[str, object]", to_json(value)).items() if name not in left_out}


_AS_IT_IS = frozenset({str, int, float, bool, type(None)})


@cache
def _way_of(kind: type) -> Callable[[Any], object]:
    """Return how values of a type are written: found once a type, since a reply over HTTP holds hundreds of values."""
    if hasattr(kind, "__fspath__"):
        return str
    if is_dataclass(kind):
        return _object_of(kind) if kind.__str__ is object.__str__ else str
    if issubclass(kind, Mapping):
        return lambda value: {str(key): to_json(item) for key, item in value.items()}
    if issubclass(kind, (tuple, list)):
        return lambda value: [to_json(item) for item in value]
    return lambda value: value.isoformat() if issubclass(kind, date) else value


def _object_of(kind: type) -> Callable[[Any], object]:
    names = tuple(field.name for field in fields(kind))
    return lambda value: {name: to_json(getattr(value, name)) for name in names}


def from_json(kind: type[T], value: object) -> T:
    """Return the value of a type that JSON holds; fields that this version does not know are left out.

    >>> from evolore.domain.outline import OutlineCode
    >>> from_json(tuple[OutlineCode, ...], ["1", "1.2"])[1].number
    2

    Args:
        kind: A dataclass, or a container of them.
        value: What ``to_json`` returned for it.

    Raises:
        InvalidValue: It holds something else.
    """
    from pydantic import ValidationError  # noqa: PLC0415 - loaded where values are read

    try:
        return reader_of(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        name = getattr(kind, "__name__", str(kind))
        raise InvalidValue(
            f"This is no {name}: {place}: {first['msg']}, not {first['input']!r:.60}. "
            "Was it written by another version of Evolore?"
        ) from error


@cache
def reader_of(kind: type[T]) -> TypeAdapter[T]:
    """Return what reads a type, made once."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - likewise

    return TypeAdapter(kind)
