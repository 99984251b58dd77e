"""Read AsciiDoc: line by line, as far as Markdown has the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.markdown import heading, not_read, pipe_table

_TAKEN_IN: Final = re.compile(r"^(?:include|image)::([^\[\n]+)\[", re.MULTILINE)
_REVISED: Final = re.compile(r"^(?::revdate: *|v?[\d.]+, *)(\d{4}-\d\d-\d\d)", re.MULTILINE)
_ATTRIBUTE: Final = re.compile(r":([\w-]+):(?: +(.*))?")
_LONGEST_ATTRIBUTE: Final = 300
_USED: Final = re.compile(r"\{([\w-]+)\}")
_NO_WORDS: Final = re.compile(
    r":!?[\w-]+!?:(?: .*)?|//(?!/).*|\[\[.*\]\]|\[(?:#|\.|%|cols|source|options|horizontal|abstract|discrete).*\]|\+|'{3,}|<{3,}"
    r"|(?:include|ifn?def|ifeval|endif|toc)::.*"
)
_COLUMNS: Final = re.compile(r"\[.*?cols=\"?([^\"\]]+)")
_HEADING: Final = re.compile(r"(={1,6}) +(\S.*)")
_CODE: Final = re.compile(r"-{4,}|\.{4,}")
_EDGE: Final = re.compile(r"={4,}|\*{4,}|_{4,}|\+{4,}|--")
_REMARK: Final = re.compile(r"/{4,}")
_TABLE: Final = re.compile(r"[|,:!]={3,}")
_BAR: Final = re.compile(r"(?:(?<=\s)|^)(?:[\d.]{1,9}[+*])?[<^>.]{0,3}[adehlms]?\|", re.MULTILINE)
_ITEM: Final = re.compile(r"(\*{1,5}|-|\.{1,5}) +(\S.*)")
_TERM: Final = re.compile(r"(\S[^:]*):{2,4}(?: +(.*))?")
_TITLE: Final = re.compile(r"\.([^\s.].*)")
_NAMED: Final = re.compile(r"\[(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]")
_INLINE: Final = (
    (re.compile(r"\({3}[^()\n]*\){3}"), ""),
    (re.compile(r"<<[^<>,\n]*,([^<>\n]*)>>"), r"\1"),
    (re.compile(r"<<([^<>\n]*)>>"), r"\1"),
    (re.compile(r"\bfootnote:\w{0,99}\[([^\]\n]{0,999})\]"), r" (\1)"),
    (re.compile(r"\b(?:image|icon)::?[^\s\[\]]{0,999}\[([^\[\],\n]*)[^\[\]\n]*\]"), r"\1"),
    (re.compile(r"\b(?:link|xref|mailto):([^\s\[\]]{1,999})\[\]"), r"\1"),
    (re.compile(r"\b(?:link|xref|mailto):[^\s\[\]]{1,999}\[([^\[\]\n]+)\]"), r"\1"),
    (re.compile(r"\b(https?://[^\s\[\]]{1,999})\[([^\[\]\n]+)\]"), r"[\2](\1)"),
    (re.compile(r"\b(?:kbd|btn|pass|anchor):\[([^\[\]\n]*)\]"), r"\1"),
    (re.compile(r"\[[.#][^\[\]\n]*\]#([^#\n]+)#"), r"\1"),
    (re.compile(r"\[\[[^\[\]\n]*\]\]"), ""),
    (re.compile(r" \+$"), ""),
)


def read_asciidoc(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read headings, lists, tables, code and words; remarks and attributes go, files it would include are not read.

    Raises:
        UnreadableSource: It is no text.
    """
    decoded = decode(data, name=name)
    written = [*map(str.rstrip, decoded.text.splitlines())]
    found = filter(None, map(_ATTRIBUTE.fullmatch, written))
    stated = {one[1]: one[2] or "" for one in found if len(one[0]) <= _LONGEST_ATTRIBUTE}
    lines = _read(_USED.sub(lambda one: stated.get(one[1], one[0]), line) for line in written)
    revised = _REVISED.search(decoded.text)
    return Converted(
        text="\n".join(lines).strip("\n") + "\n",
        notes=not_read(_TAKEN_IN.findall(decoded.text)),
        encoding=decoded.encoding,
        date=revised[1] if revised else "",
    )


def _read(written: Iterator[str]) -> Iterator[str]:
    """Yield the lines of Markdown; a block takes its lines from those that are written."""
    columns, above = 0, ""
    for line in written:
        if found := _COLUMNS.match(line):
            columns = sum(int(one.partition("*")[0]) if "*" in one else 1 for one in found[1].split(","))
        elif _REMARK.fullmatch(line):
            _inside(written, line)
        elif _CODE.fullmatch(line) and not _is_underline(line, above):
            yield from ("```", *_inside(written, line), "```")
        elif _TABLE.fullmatch(line):
            yield from ("", _table(_inside(written, line), columns), "")
            columns = 0
        elif not _NO_WORDS.fullmatch(line):
            yield from _words(line, above)
        above = line


def _inside(written: Iterator[str], end: str) -> list[str]:
    return list(iter(lambda: next(written, end), end))


def _words(line: str, above: str) -> Iterator[str]:
    if _EDGE.fullmatch(line) and not _is_underline(line, above):
        yield ""
        return
    for pattern, words in _INLINE:
        line = pattern.sub(words, line)
    if found := _HEADING.fullmatch(line):
        yield from ("", heading(len(found[1]), found[2]))
    elif found := _ITEM.fullmatch(line):
        yield f"{'   ' * (len(found[1]) - 1)}{'1.' if found[1][0] == '.' else '-'} {found[2]}"
    elif found := _NAMED.fullmatch(line):
        yield f"{found[1]}:"
    elif found := _TITLE.fullmatch(line):
        yield from ("", found[1], "")
    elif found := _TERM.fullmatch(line):
        yield f"- {found[1]}: {found[2] or ''}".rstrip()
    else:
        yield line


def _table(lines: list[str], columns: int) -> str:
    """Write the cells between the bars as rows of so many columns, by default as many as the first line has."""
    first = next(filter(None, lines), "")
    cells = [cell.strip() for cell in _BAR.split("\n".join(lines))[1:]]
    width = columns or max(len(_BAR.findall(first)), 1)
    return pipe_table([cells[start : start + width] for start in range(0, len(cells), width)])


def _is_underline(line: str, above: str) -> bool:
    """Return whether a line of signs marks the line above as a title: it is as long, give or take two."""
    title = above if line[0] in "=-" else ""
    return title[:1].isalnum() and not title.endswith((".", "。")) and abs(len(title) - len(line)) <= len("==")
