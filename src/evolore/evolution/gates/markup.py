"""The markup gate: a rewrite breaks no heading, listing, table or link that was whole."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from evolore.domain.document import Span
from evolore.evolution.gates.verdicts import Concern, Gate, Grade, Ruling
from evolore.text.sections import read_sections
from evolore.text.values.marks import FENCE

_FENCE_MARK = re.compile(r"^[ ]{0,3}(?P<mark>`{3,}|~{3,})(?P<info>[^\n`]*)$", re.MULTILINE)
_TABLE = re.compile(r"^[ ]{0,3}\|?[ ]*:?-+:?[ ]*(?:\|[ ]*:?-+:?[ ]*)+\|?[ \t]*$", re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\|")
_BROKEN_LINK = re.compile(r"\[[^\[\]\n]+\]\([^)\[\n]*$|\[[^\[\]\n]+\]\(\s*\)", re.MULTILINE)
_REFERENCE = re.compile(r"\[[^\[\]\n]+\]\[(?P<label>[^\[\]\n]+)\]")
_DEFINITION = re.compile(r"^[ ]{0,3}\[(?P<label>[^\]\n]+)\]:", re.MULTILINE)
_HEADING_TRIED = re.compile(r"^#{1,6}[^#\s!].*$", re.MULTILINE)
_TAG = re.compile(r"<(?P<end>/?)(?P<name>details|summary|table|tr|td|div|sup|sub|kbd)\b[^>]*>", re.IGNORECASE)


def markup_gate(before: str, after: str) -> Ruling:
    """Return which markup a candidate breaks; what was broken before is not held against it."""
    known = {finding.reason for finding in _broken(before)}
    found = [finding for finding in _broken(after) if finding.reason not in known]
    return Ruling(gate=Gate.MARKUP, findings=(*found, *_levels(before, after)))


def _broken(text: str) -> Iterator[Concern]:
    yield from _open_listing(text)
    outside = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    yield from _tables(outside)
    for match in _BROKEN_LINK.finditer(outside):
        yield Concern.at("A link has no whole target", match)
    defined = {match["label"].casefold() for match in _DEFINITION.finditer(outside)}
    for match in _REFERENCE.finditer(outside):
        if match["label"].casefold() not in defined:
            yield Concern.at("A link names a target that is not defined", match)
    for match in _HEADING_TRIED.finditer(outside):
        if match.group().startswith("##"):
            yield Concern.at("A heading has no space behind its marks", match)
    yield from _tags(outside)


def _open_listing(text: str) -> Iterator[Concern]:
    mark: re.Match[str] | None = None
    for match in _FENCE_MARK.finditer(text):
        if mark is None:
            mark = match
        elif match["mark"].startswith(mark["mark"]) and not match["info"].strip():
            mark = None
    if mark is not None:
        yield Concern.at("A code block is not closed", mark)


def _tables(text: str) -> Iterator[Concern]:
    lines = text.split("\n")
    offset = 0
    for index, line in enumerate(lines):
        if index and _TABLE.fullmatch(line) and _PIPE.search(lines[index - 1]):
            yield from _rows(lines, index, offset)
        offset += len(line) + 1


def _rows(lines: list[str], index: int, offset: int) -> Iterator[Concern]:
    columns = _columns(lines[index])
    place = offset + len(lines[index]) + 1
    if _columns(lines[index - 1]) != columns:
        reason = "The head of a table has another number of columns than the line below"
        yield Concern(reason=reason, after=Span(offset, offset + len(lines[index])), quote=lines[index - 1])
    for line in lines[index + 1 :]:
        if not _PIPE.search(line):
            return
        if _columns(line) != columns:
            reason = f"A row of a table has {_columns(line)} columns instead of {columns}"
            yield Concern(reason=reason, after=Span(place, place + len(line)), quote=line)
        place += len(line) + 1


def _columns(line: str) -> int:
    return len(_PIPE.split(line.strip().removeprefix("|").removesuffix("|")))


def _tags(text: str) -> Iterator[Concern]:
    stack: list[re.Match[str]] = []
    for match in _TAG.finditer(text):
        if not match["end"]:
            stack.append(match)
        elif stack and stack[-1]["name"].casefold() == match["name"].casefold():
            stack.pop()
        else:
            yield Concern.at("An HTML element is closed that is not open", match)
    for match in stack:
        yield Concern.at("An HTML element is not closed", match)


def _levels(before: str, after: str) -> Iterator[Concern]:
    """Yield where headings vanished as a whole, or where one skips a rank."""
    ours = [one for one in read_sections(before) if one.level]
    theirs = [one for one in read_sections(after) if one.level]
    if ours and not theirs:
        level = Grade.REFUSE if len(ours) > 1 else Grade.DOUBT
        yield Concern(reason="All headings of the original are gone", level=level)
        return
    had_jumps = any(one.level > above.level + 1 for above, one in itertools.pairwise(ours))
    for above, one in itertools.pairwise(theirs):
        if one.level > above.level + 1 and not had_jumps:
            reason = f"A heading of rank {one.level} is below one of rank {above.level}"
            yield Concern(reason=reason, after=one.span, quote=one.path[-1])
