"""Results that came as JSON, as the values they were before ``to_dict``."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from functools import cache
from importlib import import_module
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from evolore.domain.metadata import Metadata, MetadataValue
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from types import ModuleType

T = TypeVar("T")


def read(kind: type[T], value: object) -> T:
    """Give the value of a type that JSON holds.

    Args:
        kind: A dataclass of ours.
        value: What its ``to_dict`` gave. Fields that this version does not know are left out.

    Raises:
        InvalidValue: It holds something else.
    """
    try:
        return cast("T", _read(kind, value))
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        if isinstance(error, InvalidValue):
            raise
        raise InvalidValue(f"The server's reply is no {kind.__name__}: is it of another version of Evolore?") from error


def _read(kind: Any, value: Any) -> object:  # noqa: ANN401 - any type of a field
    origin = get_origin(kind)
    if origin in {Union, UnionType}:
        return _read_one_of(get_args(kind), value)
    if origin is not None:
        return _read_many(origin, get_args(kind), value)
    if kind in {datetime, date}:
        return kind.fromisoformat(value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return cast("object", kind(value))
    if is_dataclass(cast("object", kind)):
        return _read_fields(cast("type", kind), value)
    return float(value) if kind is float else value


def _read_many(origin: Any, kinds: tuple[Any, ...], value: Any) -> object:  # noqa: ANN401 - likewise
    if isinstance(origin, type) and issubclass(origin, Mapping):
        if kinds[1] == MetadataValue:
            return Metadata(value)
        return {_read(kinds[0], name): _read(kinds[1], one) for name, one in value.items()}
    if origin is tuple and kinds[-1] is not Ellipsis:
        return tuple(_read(kind, one) for kind, one in zip(kinds, value, strict=True))
    if isinstance(value, str):
        raise TypeError(value)
    return cast("object", origin(_read(kinds[0], one) for one in value))


def _read_one_of(kinds: Sequence[Any], value: Any) -> object:  # noqa: ANN401 - likewise
    if value is None and NoneType in kinds:
        return None
    others = [kind for kind in kinds if kind is not NoneType]
    for kind in others:
        if _fits(kind, value):
            return _read(kind, value)
    return _read(others[-1], value)


def _fits(kind: Any, value: object) -> bool:  # noqa: ANN401 - likewise
    if get_origin(kind) is not None:
        return isinstance(value, (list, dict))
    if is_dataclass(kind):
        needed = {one.name for one in _of(cast("type", kind)) if _is_needed(one)}
        return isinstance(value, str) if _is_written(kind) else isinstance(value, dict) and needed <= value.keys()
    return isinstance(kind, type) and (type(value) is kind or (issubclass(kind, Enum) and isinstance(value, str)))


def _read_fields(kind: type, value: Any) -> object:  # noqa: ANN401 - likewise
    if _is_written(kind):
        return cast("Any", kind).parse(value)
    types = _types(kind)
    return kind(**{one.name: _read(types[one.name], value[one.name]) for one in _of(kind) if one.name in value})


def _is_written(kind: Any) -> bool:  # noqa: ANN401 - likewise
    """Tell whether a value of a type is written as a text, as ``to_json`` does."""
    return kind.__str__ is not object.__str__


def _is_needed(field: Field[object]) -> bool:
    return field.init and field.default is MISSING and field.default_factory is MISSING


@cache
def _of(kind: type) -> tuple[Field[object], ...]:
    return tuple(one for one in fields(cast("Any", kind)) if one.init)


@cache
def _types(kind: type) -> Mapping[str, Any]:
    homes = [sys.modules[one.__module__] for one in reversed(kind.__mro__) if is_dataclass(one)]  # fields are inherited
    known = {name: value for home in homes for name, value in {**_imported_for_types(home), **vars(home)}.items()}
    return get_type_hints(kind, globalns=known)


@cache
def _imported_for_types(module: ModuleType) -> Mapping[str, object]:
    """Give what a module imports for the type checker alone, which is where most types of its fields come from."""
    guarded = [one for one in ast.parse(inspect.getsource(module)).body if isinstance(one, ast.If)]
    imports = [one for block in guarded for one in block.body if isinstance(one, ast.ImportFrom) and one.module]
    names: dict[str, object] = {}
    for one in imports:
        home = import_module(str(one.module))
        found = {name.asname or name.name: getattr(home, name.name) for name in one.names}
        if any(isinstance(value, str) for value in found.values()):  # an alias that is written as a text
            names = {**vars(home), **names}
        names |= found
    return names
