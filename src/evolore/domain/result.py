"""Results in the form JSON has: what ``--json`` prints, and what leaves a process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from typing import cast


class Result:
    """What a verb gives: a frozen dataclass with a JSON form."""

    __slots__ = ()

    def to_dict(self) -> dict[str, object]:
        """Give its fields as JSON holds them: objects, lists, texts, numbers; times in ISO 8601."""
        return cast("dict[str, object]", to_json(self))


def to_json(value: object) -> object:
    """Turn values into what JSON holds.

    Dataclasses become objects, but those that are written as a text, such as outline codes; times become ISO 8601.

    >>> from evolore.domain.outline import OutlineCode
    >>> to_json({"code": OutlineCode.parse("1.2"), "tags": ("a", "b")})
    {'code': '1.2', 'tags': ['a', 'b']}
    """
    if is_dataclass(value) and not isinstance(value, type):
        if type(value).__str__ is not object.__str__:
            return str(value)
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in cast("list[object]", value)]
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if hasattr(value, "__fspath__") else value
