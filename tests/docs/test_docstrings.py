"""Docstrings begin with the verbs of the field, and modules with what they are."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import evolore

if TYPE_CHECKING:
    from collections.abc import Iterator

SRC = Path(evolore.__file__).parents[1]
NOT_A_VERB_OF_THE_FIELD = frozenset(("Give", "Have", "Let", "Note", "Say", "Take", "Tell"))
RELATIVE = frozenset(("How", "What", "When", "Where", "Whether", "Which", "Who", "Whose", "Why"))


def first_words() -> Iterator[tuple[str, ast.AST, str]]:
    """Yield each docstring of what ships: its file, what it describes, and its first word."""
    for path in sorted(SRC.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef)):
                words = (ast.get_docstring(node) or "").split(maxsplit=1)
                if words:
                    yield f"{path.relative_to(SRC)}:{getattr(node, 'lineno', 1)}", node, words[0].rstrip(",.:")


def test_a_function_is_described_by_a_verb_of_the_field() -> None:
    found = [
        (place, word)
        for place, node, word in first_words()
        if not isinstance(node, ast.Module) and word in NOT_A_VERB_OF_THE_FIELD
    ]
    assert not found, "begin with return, read, write, find, record, report …"


def test_a_module_introduces_itself_with_no_relative_clause() -> None:
    found = [(place, word) for place, node, word in first_words() if isinstance(node, ast.Module) and word in RELATIVE]
    assert not found, "begin with a noun or an imperative: Find and repair orphaned rows"


def test_the_fields_of_values_are_described_beside_them() -> None:
    found = [
        f"{path.relative_to(SRC)}:{node.lineno}"
        for path in sorted(SRC.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any("dataclass" in ast.unparse(one) for one in node.decorator_list)
        and "Args:" in (ast.get_docstring(node) or "")
    ]
    assert not found, "write `name: str  #: What it is.`, or `#: ` lines above the field"
