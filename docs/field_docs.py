"""Read what ``#:`` comments beside the fields of a dataclass say about them."""

# ruff: noqa: INP001 - a script beside the pages it writes, not a package

from __future__ import annotations

import ast
import inspect
from itertools import takewhile
from textwrap import dedent

MARK = "#: "


def field_docs(value: type) -> dict[str, str]:
    """Return the comment of each field of a class as one line, in order; inherited fields first."""
    found: dict[str, str] = {}
    for one in reversed(value.__mro__[:-1]):
        if one.__module__.startswith("evolore"):
            found |= _own_docs(dedent(inspect.getsource(one)))
    return found


def _own_docs(source: str) -> dict[str, str]:
    lines = source.splitlines()
    body = ast.parse(source).body[0]
    if not isinstance(body, ast.ClassDef):
        return {}
    fields = [one for one in body.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
    docs = {ast.unparse(field.target): _comment(lines, field.lineno, field.end_lineno) for field in fields}
    return {name: text for name, text in docs.items() if text}


def _comment(lines: list[str], first: int, last: int | None) -> str:
    """Return the comment behind a field, or else the lines of comments above it; lines count from 1."""
    behind = lines[(last or first) - 1].partition(f"  {MARK}")[2]
    above = takewhile(lambda line: line.startswith(MARK), map(str.strip, reversed(lines[: first - 1])))
    return behind or " ".join(reversed([line.removeprefix(MARK) for line in above]))
