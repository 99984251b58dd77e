"""Docstrings begin with the verbs of the field, and modules with what they are."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import evolore

if TYPE_CHECKING:
    from collections.abc import Iterator

SRC = Path(evolore.__file__).parents[1]
NOT_A_VERB_OF_THE_FIELD = frozenset(("Give", "Have", "Let", "Note", "Say", "Take", "Tell"))
RELATIVE = frozenset(("How", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"))


class Described(NamedTuple):
    """What a docstring describes, and how it begins."""

    place: str
    first_word: str
    is_module: bool
    lists_fields: bool


@cache
def described() -> tuple[Described, ...]:
    """Read each docstring of what ships once."""
    return tuple(one for path in sorted(SRC.rglob("*.py")) for one in _of(path))


def _of(path: Path) -> Iterator[Described]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            text = ast.get_docstring(node) or ""
            is_value = isinstance(node, ast.ClassDef) and any(
                "dataclass" in ast.unparse(at) for at in node.decorator_list
            )
            place = f"{path.relative_to(SRC)}:{getattr(node, 'lineno', 1)}"
            first = "" if isinstance(node, ast.ClassDef) else next(iter(text.split(maxsplit=1)), "").rstrip(",.:")
            yield Described(place, first, isinstance(node, ast.Module), is_value and "Args:" in text)


def test_a_function_is_described_by_a_verb_of_the_field() -> None:
    found = [one for one in described() if not one.is_module and one.first_word in NOT_A_VERB_OF_THE_FIELD]
    assert not found, "begin with return, read, write, find, record, report …"


def test_a_module_introduces_itself_with_no_relative_clause() -> None:
    found = [one for one in described() if one.is_module and one.first_word in RELATIVE]
    assert not found, "begin with a noun or an imperative: Find and repair orphaned rows"


def test_the_fields_of_values_are_described_beside_them() -> None:
    found = [one.place for one in described() if one.lists_fields]
    assert not found, "write `name: str  #: What it is.`, or `#: ` lines above the field"
