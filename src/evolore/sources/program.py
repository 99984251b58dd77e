"""Read a program: a section a class, function or method, headed by its name, with its code as it stands."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from evolore.sources.decoding import decode
from evolore.sources.formats import PROGRAM_ENDINGS, Converted, ReaderLimits
from evolore.sources.markdown import fenced, heading, joined

_LONGEST_LINE: Final = 300
_BEFORE: Final = (
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|open|override|sealed|data|inline|"
    r"virtual|partial|readonly|suspend|unsafe|const|extern|declare|local|pub(?:\([a-z]+\))?|extern \"C\")\s+){0,6}"
)
_DEFINITION: Final = re.compile(
    rf"^(\s{{0,8}}){_BEFORE}(?:class|interface|struct|enum|trait|impl|fn|func|fun|function\*?|def|module|namespace|object|"
    r"record|protocol|extension|type|union|macro_rules!|mod)\s+((?:\([^()]{0,80}\)\s*)?(?:<[^<>]{0,80}>\s*)?[\w:.$~?!]+)"
)
_TABLE: Final = re.compile(
    r"^()\s*CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP(?:ORARY)?\s+|UNIQUE\s+|VIRTUAL\s+)?"
    r"(?:TABLE|VIEW|INDEX|TRIGGER|FUNCTION|PROCEDURE|TYPE)\s+(?:IF\s+NOT\s+EXISTS\s+)?([\w.\"`\[\]]+)",
    re.IGNORECASE,
)
_FUNCTION: Final = re.compile(  # C, Java, C#: a type, a name and what it takes, on a line that does not end there
    r"^(\s{0,4})(?!(?:return|else|if|for|while|switch|case|new|throw|typedef|using|delete|goto|await|yield)\b)"
    r"[A-Za-z_][\w<>,:*&\[\]\t ]{0,120}[\s*&]([A-Za-z_~][\w:~]{0,80})\s?\([^;=]{0,200}\Z"
)
_NAMED_FUNCTION: Final = re.compile(
    r"^()(?:export\s+)?(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function\b|\([^()]{0,200}\)\s*=>|\w+\s*=>)"
)
_SHELL: Final = re.compile(r"^()(?:function\s+)?([\w-]{1,80})\s*\(\)\s*\{?\s*$")
_COMMENT: Final = re.compile(r"^\s*(?://|/\*|\*|#(?!include|define|if|endif|pragma)|--|@|\[)")
_RULES: Final = {
    "sql": (_TABLE,),
    "bash": (_SHELL,),
    **dict.fromkeys(("c", "cpp", "java", "csharp"), (_DEFINITION, _FUNCTION)),
    **dict.fromkeys(("javascript", "typescript"), (_DEFINITION, _NAMED_FUNCTION)),
}


@dataclass(frozen=True, slots=True)
class _Symbol:
    """Where a definition begins, with the remarks above it: a line from 0, its name, the level of its heading."""

    line: int
    name: str
    level: int


def read_program(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a program; every line of it is kept."""
    decoded = decode(data, name=name)
    language = PROGRAM_ENDINGS.get(suffix.lower(), "")
    lines = decoded.text.replace("\r\n", "\n").split("\n")
    symbols = _of_python(decoded.text, lines) if language == "python" else None
    title = PurePath(name.strip("'")).name
    text = joined(_blocks(lines, _by_rule(lines, language) if symbols is None else symbols, title, language))
    return Converted(text=text, title=title, encoding=decoded.encoding)


def _blocks(lines: Sequence[str], symbols: Sequence[_Symbol], title: str, language: str) -> Iterator[str]:
    bounds = [*(symbol.line for symbol in symbols), len(lines)]
    yield heading(1, title)
    yield fenced("\n".join(lines[: bounds[0]]), language)
    for symbol, end in zip(symbols, bounds[1:], strict=True):
        code = fenced("\n".join(lines[symbol.line : end]), language)
        if code:
            yield heading(symbol.level, symbol.name)
            yield code


def _of_python(text: str, lines: Sequence[str]) -> list[_Symbol] | None:
    """Return the classes, functions and methods of a module; None where it is no Python of this version."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in its strings
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return [symbol for node in module.body for symbol in _in_python(node, lines, "", 2)]


def _in_python(node: ast.stmt, lines: Sequence[str], outer: str, level: int) -> Iterator[_Symbol]:
    if not isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
    name = f"{outer}{node.name}"
    yield _Symbol(_with_remarks(lines, first), name if isinstance(node, ast.ClassDef) else f"{name}()", level)
    if isinstance(node, ast.ClassDef):
        for one in node.body:
            yield from _in_python(one, lines, f"{name}.", min(level + 1, 4))


def _by_rule(lines: Sequence[str], language: str) -> list[_Symbol]:
    """Return the definitions that lines show which stand at the margin or one step in."""
    rules = _RULES.get(language, (_DEFINITION,))
    found: list[_Symbol] = []
    for number, line in enumerate(lines):
        match = next(filter(None, (rule.match(line) for rule in rules)), None) if len(line) <= _LONGEST_LINE else None
        if match is None or (found and _with_remarks(lines, number) <= found[-1].line):
            continue
        found.append(_Symbol(_with_remarks(lines, number), match[2], 3 if match[1] else 2))
    return found


def _with_remarks(lines: Sequence[str], line: int) -> int:
    """Return where the remarks directly above a line begin."""
    while line and _COMMENT.match(lines[line - 1]):
        line -= 1
    return line
