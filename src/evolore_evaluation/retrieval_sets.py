"""Memories and corpora with questions whose evidence is known, and how well a ranking finds it."""

from __future__ import annotations

import math
from collections.abc import Collection as AbcCollection
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from evolore.domain.checks import check_text
from evolore.domain.document import MediaType
from evolore.domain.episode import Statement
from evolore.domain.query import Query
from evolore.errors import InvalidValue
from evolore.ports import SourceText
from evolore_evaluation.records import Record, find_sets, parse_asked_time, parse_time, read_records
from evolore_evaluation.reports import snake_case

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
    return find_sets(
        paths, fits=lambda first: {"items", "questions"} <= first.fields.keys() or _is_corpus_line(first), form=_FORM
    )


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


CUTOFFS = (1, 5, 10, 20)
SESSION_CUTOFFS = (1, 5, 10)
_DEEPEST = 10


def score_ranking(ranking: Sequence[str], gold: AbcCollection[str]) -> dict[str, float]:
    """Score one question's ranking; every figure lies in [0, 1] and 1 is best.

    Args:
        ranking: Ids, best first; an id that stands twice counts once, at its first place.
        gold: The ids that should be found, at least one; ids no ranking can hold count as missed.

    Returns:
        ``recall_at_k`` (share of gold among the first k), ``any_at_k``, ``all_at_k`` for k in 1, 5, 10, 20;
        ``ndcg_at_10`` (binary gain, Järvelin & Kekäläinen 2002); ``mrr``, 1 / place of the first gold id, 0 where
        the ranking holds none.

    Raises:
        InvalidValue: ``gold`` is empty.
    """
    wanted = _wanted(gold)
    ordered = tuple(dict.fromkeys(ranking))
    scores = {f"recall_at_{k}": _found(ordered, wanted, k) / len(wanted) for k in CUTOFFS}
    scores |= {f"any_at_{k}": float(_found(ordered, wanted, k) > 0) for k in CUTOFFS}
    scores |= {f"all_at_{k}": float(_found(ordered, wanted, k) == len(wanted)) for k in CUTOFFS}
    scores[f"ndcg_at_{_DEEPEST}"] = _ndcg(ordered, wanted)
    scores["mrr"] = next((1 / place for place, name in enumerate(ordered, start=1) if name in wanted), 0.0)
    return scores


def score_sessions(ranking: Sequence[str], gold: AbcCollection[str], sessions: Mapping[str, str]) -> dict[str, float]:
    """Score the sessions of a ranking, ordered by their best item.

    Args:
        ranking: Item ids, best first.
        gold: The item ids that should be found.
        sessions: The session of each item that has one.

    Returns:
        ``session_any_at_k`` for k in 1, 5, 10 and ``session_recall_at_10``; nothing where no gold item has a session.
    """
    wanted = frozenset(sessions[name] for name in gold if name in sessions)
    if not wanted:
        return {}
    ordered = tuple(dict.fromkeys(sessions[name] for name in ranking if name in sessions))
    scores = {f"session_any_at_{k}": float(_found(ordered, wanted, k) > 0) for k in SESSION_CUTOFFS}
    scores[f"session_recall_at_{_DEEPEST}"] = _found(ordered, wanted, _DEEPEST) / len(wanted)
    return scores


def average(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average each figure over the questions that have it, in the order the figures first appear."""
    gathered: dict[str, list[float]] = {}
    for score in scores:
        for name, value in score.items():
            gathered.setdefault(name, []).append(value)
    return {name: math.fsum(values) / len(values) for name, values in gathered.items()}


def _wanted(gold: AbcCollection[str]) -> frozenset[str]:
    if not gold:
        raise InvalidValue("A question without evidence cannot be scored: leave it out.")
    return frozenset(gold)


def _found(ordered: Sequence[str], wanted: frozenset[str], k: int) -> int:
    return len(wanted.intersection(ordered[:k]))


def _ndcg(ordered: Sequence[str], wanted: frozenset[str]) -> float:
    gain = math.fsum(_discount(place) for place, name in enumerate(ordered[:_DEEPEST]) if name in wanted)
    return gain / math.fsum(_discount(place) for place in range(min(_DEEPEST, len(wanted))))


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)
