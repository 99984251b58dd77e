"""Cases in which an item outdates another, or seems to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.answers import Query
from evolore.domain.episodes import Statement
from evolore.evaluation.blind import Case
from evolore.evaluation.records import read_named
from evolore.evaluation.sets import find_sets
from evolore.evaluation.times import parse_asked_time, parse_time
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"id", "lang", "kind", "as_of", "items", "query", "better", "worse"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class StalenessCase(Case):
    """What is remembered, what is asked, and which item must stand above which.

    Args:
        id: Its name in its set.
        language: What it is written in, as its set says or as the question looks; it groups figures and decides nothing.
        kind: What it tests; it groups figures and decides nothing.
        items: The ids and statements, in the order they are given.
        query: The question, with the moment it is asked from and a limit that lets every item through.
        better: The item that is right.
        worse: The items it must stand above, at least one.
    """

    language: str
    kind: str
    items: tuple[tuple[str, Statement], ...]
    query: Query
    better: str
    worse: frozenset[str]


def find_staleness_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of staleness cases that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=lambda first: {"items", "query", "better", "worse"} <= set(first.fields), form=_FORM)


def read_staleness_cases(path: Path) -> tuple[StalenessCase, ...]:
    """Read a whole set; cases without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, names an item it does not hold, or two have one id.
    """
    return read_named(path, _case)


def _case(record: Record, number: int) -> StalenessCase:
    items = tuple(_item(one) for one in record.records("items"))
    ids = [item_id for item_id, _ in items]
    better, worse = record.name("better"), frozenset(record.names("worse"))
    if len(set(ids)) < len(ids):
        raise record.refuse("items", "items that each have an id of their own")
    if better not in ids:
        raise record.refuse("better", "the id of one of the items")
    if not worse or not worse <= set(ids) - {better}:
        raise record.refuse("worse", "the ids of one or more other items")
    query = record.text("query")
    if not query.strip():
        raise record.refuse("query", "a question that is not blank")
    return StalenessCase(
        id=record.optional_name("id") or str(number),
        language=record.optional_name("lang") or detect_language(query).value,
        kind=record.optional_name("kind") or "",
        items=items,
        query=Query(text=query, limit=len(items), as_of=_as_of(record)),
        better=better,
        worse=worse,
    )


def _item(record: Record) -> tuple[str, Statement]:
    text = record.text("text")
    if not text.strip():
        raise record.refuse("text", "a text that is not blank")
    occurred_at = parse_time(record.text("occurred_at"))
    if occurred_at is None:
        raise record.refuse("occurred_at", "a time such as 2026-03-02T09:00:00Z")
    return record.name("id"), Statement(
        text=text,
        occurred_at=occurred_at,
        speaker=record.optional_name("speaker"),
        session=record.optional_name("session"),
        arousal=_arousal(record),
    )


def _arousal(record: Record) -> float | None:
    value = record.fields.get("arousal")
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        raise record.refuse("arousal", "a number from 0 to 1, or leave it out")
    return float(value)


def _as_of(record: Record) -> datetime:
    found = parse_asked_time(record.text("as_of"))
    if found is None:
        raise record.refuse("as_of", "a time such as 2026-03-02T09:00:00Z")
    return found
