"""Read a program: a section a class, function or method, headed by its name, with its code unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import Final

from evolore.sources.decoding import decode
from evolore.sources.formats import PROGRAM_ENDINGS, Converted, ReaderLimits
from evolore.sources.readers.markdown import fenced, heading, joined

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


def read_program(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read a program; every line of it is kept."""
    decoded = decode(data, name=name)
    language = PROGRAM_ENDINGS.get(suffix.lower(), "")
    lines = decoded.text.replace("\r\n", "\n").split("\n")
    title = PurePath(name.strip("'")).name
    found = dict(_definitions(lines, _RULES.get(language, (_DEFINITION,))))
    blocks = [heading(1, title), fenced("\n".join(lines[: next(iter(found), None)]), language)]
    for start, end in pairwise([*found, len(lines)]):
        blocks += [found[start], fenced("\n".join(lines[start:end]), language)]
    return Converted(text=joined(blocks), title=title, encoding=decoded.encoding)


def _definitions(lines: Sequence[str], rules: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, str]]:
    """Yield where definitions at the margin or one step in begin, with the remarks above them, and their headings."""
    last = -1
    for number, line in enumerate(lines):
        match = next(filter(None, (rule.match(line) for rule in rules)), None) if len(line) <= _LONGEST_LINE else None
        start = _with_remarks(lines, number) if match else last
        if match and start > last:
            yield start, heading(3 if match[1] else 2, match[2].rstrip(":;"))
            last = start


def _with_remarks(lines: Sequence[str], line: int) -> int:
    """Return where the remarks directly above a line begin."""
    while line and _COMMENT.match(lines[line - 1]):
        line -= 1
    return line
