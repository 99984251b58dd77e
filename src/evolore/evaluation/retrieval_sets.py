"""Memories and corpora with questions whose evidence is known, as retrieval is measured on them.

Only what a user would hand in is kept of an item: text, speaker, time and session of a statement, title and text of a
document. Labels beside them (emotion, category, answer, context) are not read, but for the category of a question,
by which figures are grouped.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from evolore.domain.answers import Query
from evolore.domain.checks import check_text
from evolore.domain.episodes import Statement
from evolore.domain.knowledge import MediaType
from evolore.errors import InvalidValue
from evolore.evaluation.records import read_records
from evolore.evaluation.reports import snake_case
from evolore.evaluation.sets import find_sets
from evolore.evaluation.times import parse_asked_time, parse_time
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"id", "lang", "items", "questions"}, or of {"type": "doc", …} and {"type": "q", …}'

Content: TypeAlias = Statement | SourceText


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something a question may be about.

    Args:
        id: Its name; unique in its collection.
        content: What is handed to the memory; None where its text is blank and nobody could hand it in.
        session: The conversation it belongs to.
        has_unread_time: Whether a time stands beside it that no known form fits.
    """

    id: str
    content: Content | None
    session: str | None = None
    has_unread_time: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and what answers it.

    Args:
        id: Its id, or its place in its list.
        query: The question as it is asked.
        evidence: Ids of the items that answer it; a question with none is not measured.
        category: In snake case; empty where there is none.
    """

    id: str
    query: Query
    evidence: frozenset[str]
    category: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What is held by one memory, and what is asked of it.

    Args:
        id: The memory's id; None for a corpus.
        items: In the order they are handed in.
        questions: Those with evidence.
        began_at: The earliest time of an item; None where none has one.
    """

    id: str | None
    items: tuple[Item, ...]
    questions: tuple[Question, ...]
    began_at: datetime | None = None


def find_retrieval_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of memories or corpora that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=lambda first: _is_memory(first) or _is_corpus_line(first), form=_FORM)


def read_collections(path: Path) -> tuple[Collection, ...]:
    """Read a whole set: a memory a line, or one corpus over all lines.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, or two items or memories have one id.
    """
    records = tuple(read_records(path))
    if records and _is_corpus_line(records[0]):
        return (_corpus(records),)
    collections = tuple(_memory(record) for record in records)
    _refuse_twins(records, [str(collection.id) for collection in collections])
    return collections


def _is_memory(record: Record) -> bool:
    return {"items", "questions"} <= record.fields.keys()


def _is_corpus_line(record: Record) -> bool:
    return record.fields.get("type") in ("doc", "q")


def _corpus(records: Sequence[Record]) -> Collection:
    for record in records:
        if not _is_corpus_line(record):
            raise record.refuse("type", '"doc" or "q"')
    documents = [record for record in records if record.fields["type"] == "doc"]
    asked = [record for record in records if record.fields["type"] == "q"]
    items = tuple(_document(record) for record in documents)
    _refuse_twins(documents, [item.id for item in items])
    questions = (_question(record, index, evidence="gold") for index, record in enumerate(asked))
    return Collection(id=None, items=items, questions=tuple(question for question in questions if question.evidence))


def _document(record: Record) -> Item:
    name, text = record.name("id"), record.text("text")
    if not text.strip():
        return Item(id=name, content=None)
    _check(record, text)
    title = record.optional_name("title") or ""
    return Item(id=name, content=SourceText(source=name, text=text, media_type=MediaType.PLAIN, title=title))


def _memory(record: Record) -> Collection:
    given = record.records("items")
    items = tuple(_item(item) for item in given)
    _refuse_twins(given, [item.id for item in items])
    questions = (
        _question(asked, index, evidence="evidence") for index, asked in enumerate(record.records("questions"))
    )
    said = [item.content for item in items if isinstance(item.content, Statement)]
    times = [statement.occurred_at for statement in said if statement.occurred_at is not None]
    latest = max(times, default=None)
    return Collection(
        id=record.name("id"),
        items=items,
        questions=tuple(
            replace(question, query=replace(question.query, as_of=question.query.as_of or latest))
            for question in questions
            if question.evidence
        ),
        began_at=min(times, default=None),
    )


def _item(record: Record) -> Item:
    name, text, session = record.name("id"), record.text("text"), record.optional_name("session")
    written = record.fields.get("timestamp")
    occurred_at = parse_time(written) if isinstance(written, str) else None
    unread = occurred_at is None and written not in (None, "")
    speaker = record.optional_name("speaker")
    if not text.strip():
        return Item(id=name, content=None, session=session, has_unread_time=unread)
    try:
        statement = Statement(text=text, occurred_at=occurred_at, speaker=speaker, session=session)
    except InvalidValue as error:
        raise InvalidValue(f"{record.where}: {error}") from error
    return Item(id=name, content=statement, session=session, has_unread_time=unread)


def _question(record: Record, index: int, *, evidence: str) -> Question:
    asked_at = record.fields.get("asked_at")
    try:
        query = Query(text=record.text("text"), as_of=parse_asked_time(asked_at) if isinstance(asked_at, str) else None)
    except InvalidValue as error:
        raise InvalidValue(f"{record.where}: {error}") from error
    return Question(
        id=record.optional_name("id") or str(index),
        query=query,
        evidence=frozenset(record.names(evidence)),
        category=snake_case(record.optional_name("category") or ""),
    )


def _check(record: Record, text: str) -> None:
    try:
        check_text(text, '"text"')
    except InvalidValue as error:
        raise InvalidValue(f"{record.where}: {error}") from error


def _refuse_twins(records: Sequence[Record], names: Sequence[str]) -> None:
    seen: set[str] = set()
    for record, name in zip(records, names, strict=True):
        if name in seen:
            raise record.refuse("id", "an id that no other has")
        seen.add(name)
