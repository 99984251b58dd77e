"""Read tables and records: an item a row, each value under the name of its column or key."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from itertools import chain, islice, takewhile
from typing import Final, cast

from evolore.errors import UnreadableSource
from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.markdown import escaped, heading, joined, one_line
from evolore.sources.readers.table_rows import Tables

_DELIMITERS: Final = ";,\t|"
_SAMPLED_LINES: Final = 20
_STATED_DELIMITER: Final = re.compile(r'"?(?i:sep)=(.)"?\r?\n')  # what Excel writes above, and reads
_TITLES: Final = ("title", "name", "subject", "heading", "id")
_LONGEST_TITLE: Final = 120
_DEEPEST_HEADING: Final = 3
_DEEPEST: Final = 100


def read_table(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read values parted by commas, semicolons, tabs or bars."""
    decoded = decode(data, name=name)
    stated = _STATED_DELIMITER.match(decoded.text)
    lines = StringIO(decoded.text[stated.end() :] if stated else decoded.text, newline="")
    csv.field_size_limit(len(decoded.text) + 1)
    sample = list(islice(lines, _SAMPLED_LINES))
    delimiter = stated[1] if stated else "\t" if suffix.lower() == ".tsv" else _delimiter(sample)
    tables = Tables()
    try:
        text = tables.read([one_line(cell) for cell in row] for row in _rows(sample, lines, delimiter))
    except csv.Error as error:
        raise UnreadableSource(f"{name} is no table ({error}): correct it, or name it .txt.") from error
    return Converted(text=joined([text]), notes=tables.notes, encoding=decoded.encoding)


def _delimiter(lines: Sequence[str]) -> str:
    """Return the sign that parts values: the one equally often in the most lines, then the most frequent."""

    def score(delimiter: str) -> tuple[float, int]:
        counts = [len(row) for row in csv.reader(lines, delimiter=delimiter) if row]
        usual = max(set(counts), key=counts.count, default=1)
        return (counts.count(usual) / len(counts) if usual > 1 else 0.0, usual)

    return max(_DELIMITERS, key=score)


def _rows(sample: Sequence[str], lines: Iterator[str], delimiter: str) -> Iterator[Sequence[str]]:
    """Yield the cells of each row; a comment above the table is one cell, regardless of its signs."""
    counts = [line.count(delimiter) for line in sample if line.strip()]
    usual = max(set(counts), key=counts.count, default=0)
    above = list(takewhile(lambda line: line.count(delimiter) != usual and '"' not in line, sample))
    for line in above:
        yield from [[line]] if line.startswith("#") else csv.reader([line], delimiter=delimiter)
    yield from csv.reader(chain(sample[len(above) :], lines), delimiter=delimiter)


def read_records(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read JSON: what an object holds under headings of its keys, records of a list as sections of their own."""
    decoded = decode(data, name=name)
    try:
        value: object = json.loads(decoded.text)
    except (ValueError, RecursionError) as error:
        raise UnreadableSource(f"{name} is no JSON ({_short(error)}): correct it, or name it .txt.") from error
    title = _title(cast("Mapping[str, object]", value)) if isinstance(value, dict) else ""
    return Converted(text=joined(_sections(cast("object", value), 1)), title=title, encoding=decoded.encoding)


def read_record_lines(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read JSON that has a value a line; other lines are reported."""
    decoded = decode(data, name=name)
    records: list[object] = []
    broken: list[int] = []
    for number, line in enumerate(decoded.text.split("\n"), start=1):
        try:
            records += [json.loads(line)] if line.strip() else []
        except (ValueError, RecursionError):
            broken.append(number)
    if broken and not records:
        raise UnreadableSource(f"{name} has no line that is JSON: correct it, or name it .txt.")
    notes = (
        (f"Lines that are no JSON were left out: {len(broken):,}, the first is line {broken[0]:,}.",) if broken else ()
    )
    return Converted(text=joined(_sections(records, 1)), notes=notes, encoding=decoded.encoding)


def _short(error: Exception) -> str:
    return "nested too deep" if isinstance(error, RecursionError) else str(error)


def _title(record: Mapping[str, object]) -> str:
    found = (record.get(key) for key in _TITLES)
    stated = next((one for one in found if isinstance(one, str) and one.strip()), "")
    return one_line(stated) if len(stated) <= _LONGEST_TITLE else ""


def _sections(value: object, level: int) -> Iterator[str]:
    """Yield a value as sections, down to the deepest heading, and below it as lines."""
    if isinstance(value, dict):
        yield from _of_object(cast("Mapping[str, object]", value), level)
    elif isinstance(value, list):
        some = cast("Sequence[object]", value)
        if any(isinstance(one, dict) for one in some):
            yield from _of_records(some, level)
        else:
            yield "\n".join(f"- {line}" for one in some for line in _lines(one, ""))
    else:
        yield "\n".join(_lines(value, ""))


def _of_object(value: Mapping[str, object], level: int) -> Iterator[str]:
    plain = {key: one for key, one in value.items() if level > _DEEPEST_HEADING or not isinstance(one, (dict, list))}
    yield "\n".join(line for key, one in plain.items() for line in _lines(one, key))
    for key, one in value.items():
        if key not in plain:
            yield heading(level, key)
            yield from _sections(one, level + 1)


def _of_records(some: Sequence[object], level: int) -> Iterator[str]:
    for number, one in enumerate(some, start=1):
        record = cast("Mapping[str, object]", one if isinstance(one, dict) else {})
        if level <= _DEEPEST_HEADING and any(isinstance(each, (dict, list)) for each in record.values()):
            yield heading(level, _title(record) or str(number))
        yield "\n".join(_lines(cast("object", one), ""))


def _lines(value: object, path: str, depth: int = 0) -> Iterator[str]:
    """Yield a value as lines ``key.key: value``; values of a list that are no records are on one line."""
    if depth > _DEEPEST:
        yield _labelled(path, json.dumps(value, ensure_ascii=False))
    elif isinstance(value, dict):
        for key, one in cast("Mapping[str, object]", value).items():
            yield from _lines(one, f"{path}.{key}" if path else key, depth + 1)
    elif isinstance(value, list):
        yield from _lines_of_list(cast("Sequence[object]", value), path, depth)
    elif value is not None:
        yield _labelled(path, _scalar(value))


def _lines_of_list(some: Sequence[object], path: str, depth: int) -> Iterator[str]:
    if any(isinstance(one, (dict, list)) for one in some):
        for one in some:
            yield from _lines(one, path, depth + 1)
    elif some:
        yield _labelled(path, ", ".join(map(_scalar, some)))


def _labelled(path: str, text: str) -> str:
    return f"{one_line(path)}: {text}" if path else escaped(text)


def _scalar(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else escaped(str(value).strip()) if value is not None else ""
