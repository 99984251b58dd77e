"""Memories and corpora with questions whose evidence is known, and how well a ranking finds it."""

from __future__ import annotations

import math
from collections.abc import Collection as AbcCollection
from collections.abc import Iterator, Mapping, Sequence
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

_FORM = '{"id", "lang", "items", "questions"}, of {"type": "doc", …} and {"type": "q", …}, or LongMemEval\'s array'
_DATE = "a date such as 2023/05/30 (Tue) 23:40"
_ABSTENTION = "_abs"

Content: TypeAlias = Statement | SourceText


@dataclass(frozen=True, slots=True, kw_only=True)
class SetItem:
    """Something a question may be about."""

    id: str  #: Its name; unique in its collection.
    content: Content | None  #: What is handed to the memory; None where its text is blank and cannot be handed in.
    session: str | None = None  #: The conversation it belongs to.
    has_unread_time: bool = False  #: Whether its time is in an unknown form.


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question and what answers it."""

    id: str  #: Its id, or its place in its list.
    query: Query  #: The question as it is asked.
    evidence: frozenset[str]  #: Ids of the items that answer it; a question with none is not measured.
    category: str = ""  #: In snake case; empty where there is none.
    is_corrected: bool = False  #: Whether its evidence is that of an audit.


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """What is held by one memory, and what is asked of it."""

    id: str | None  #: The memory's id; None for a corpus.
    items: tuple[SetItem, ...]  #: In the order they are handed in.
    questions: tuple[Question, ...]  #: Those with evidence.
    began_at: datetime | None = None  #: The earliest time of an item; None where none has one.


def find_retrieval_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of memories or corpora that the paths name, as ``find_sets`` does and raises."""
    return find_sets(
        paths,
        fits=lambda first: (
            {"items", "questions"} <= first.fields.keys() or _is_corpus_line(first) or _is_haystack(first)
        ),
        form=_FORM,
    )


def read_collections(path: Path, truth: Mapping[str, frozenset[str]] | None = None) -> tuple[Collection, ...]:
    """Read a whole set: a memory a line, one corpus over all lines, or a memory for each question of LongMemEval.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, or two items or memories have one id.
    """
    records = tuple(read_records(path))
    if records and _is_corpus_line(records[0]):
        for record in records:
            if not _is_corpus_line(record):
                raise record.refuse("type", '"doc" or "q"')
        documents = [record for record in records if record.fields["type"] == "doc"]
        asked = [record for record in records if record.fields["type"] == "q"]
        items = tuple(_document(record) for record in documents)
        _refuse_twins(documents, [item.id for item in items])
        questions = tuple(_question(record, index, evidence="gold") for index, record in enumerate(asked))
        return (_measured(Collection(id=None, items=items, questions=questions), truth or {}),)
    read, key = (_haystack, "question_id") if records and _is_haystack(records[0]) else (_memory, "id")
    collections = tuple(_measured(read(record), truth or {}) for record in records)
    _refuse_twins(records, [str(collection.id) for collection in collections], key)
    return collections


def read_corrections(path: Path) -> dict[str, frozenset[str]]:
    """Read the items that answer a question in truth, by its text: lines or an array of ``question``, ``correct_evidence``.

    Raises:
        UnreadableSource: The file cannot be read or is not JSON.
        InvalidValue: An entry has another form, or two are about one question.
    """
    records = tuple(read_records(path))
    _refuse_twins(records, [record.text("question") for record in records], "question")
    return {record.text("question"): frozenset(record.names("correct_evidence")) for record in records}


def _measured(collection: Collection, truth: Mapping[str, frozenset[str]]) -> Collection:
    """Correct the evidence of questions, and keep those that have some."""
    right = (
        replace(one, evidence=truth[one.query.text], is_corrected=True) if one.query.text in truth else one
        for one in collection.questions
    )
    return replace(collection, questions=tuple(one for one in right if one.evidence))


def _is_corpus_line(record: Record) -> bool:
    return record.fields.get("type") in ("doc", "q")


def _document(record: Record) -> SetItem:
    name, text = record.name("id"), record.text("text")
    if not text.strip():
        return SetItem(id=name, content=None)
    with record.placing():
        check_text(text, '"text"')
    title = record.optional_name("title") or ""
    return SetItem(id=name, content=SourceText(source=name, text=text, media_type=MediaType.PLAIN, title=title))


def _memory(record: Record) -> Collection:
    given = record.records("items")
    items = tuple(_item(item) for item in given)
    _refuse_twins(given, [item.id for item in items])
    questions = (
        _question(asked, index, evidence="evidence") for index, asked in enumerate(record.records("questions"))
    )
    times = _times(items)
    latest = max(times, default=None)
    return Collection(
        id=record.name("id"),
        items=items,
        questions=tuple(
            replace(question, query=replace(question.query, as_of=question.query.as_of or latest))
            for question in questions
        ),
        began_at=min(times, default=None),
    )


def _times(items: Sequence[SetItem]) -> list[datetime]:
    said = [item.content for item in items if isinstance(item.content, Statement)]
    return [statement.occurred_at for statement in said if statement.occurred_at is not None]


def _is_haystack(record: Record) -> bool:
    return "question_id" in record.fields


def _haystack(record: Record) -> Collection:
    """Read one question of LongMemEval and the chats before it, which no other question shares."""
    name = record.name("question_id")
    record = replace(record, where=f"{record.where}, question {name}")
    sessions = tuple(_sessions(record))
    items = tuple(item for session in sessions for item, _ in session)
    answers = record.names("answer_session_ids")
    evidence = [
        # Where no turn is marked, all of the session are the evidence.
        item.id
        for session in [session for session in sessions if session[0][0].session in answers]
        for item, is_marked in session
        if is_marked or not any(marked for _, marked in session)
    ]
    # A session that the haystack lacks is an item that no ranking can hold, and so counts as missed.
    missing = [one for one in answers if all(item.session != one for item in items)]
    items += tuple(SetItem(id=one, content=None, session=one) for one in missing)
    if parse_asked_time(record.text("question_date")) is None:
        raise record.refuse("question_date", _DATE)
    asked: dict[str, object] = {
        "id": name,
        "text": record.text("question"),
        "asked_at": record.text("question_date"),
        "category": record.name("question_type"),
        "evidence": [*evidence, *missing],
    }
    question = _question(replace(record, fields=asked), 0, evidence="evidence")
    questions = () if name.endswith(_ABSTENTION) else (question,)
    return Collection(id=name, items=items, questions=questions, began_at=min(_times(items), default=None))


def _sessions(record: Record) -> Iterator[tuple[tuple[SetItem, bool], ...]]:
    """Read the turns of each session that has any, and whether each is marked as holding the answer."""
    ids, dates = record.names("haystack_session_ids"), record.texts("haystack_dates")
    turns = record.values("haystack_sessions")
    if not len(ids) == len(dates) == len(turns):
        raise InvalidValue(
            f'{record.where}: there are {len(ids)} "haystack_session_ids", {len(dates)} "haystack_dates" and {len(turns)} '
            '"haystack_sessions": give as many of each.'
        )
    for place, (session, date) in enumerate(zip(ids, dates, strict=True)):
        dated, spoken = f"haystack_dates[{place}]", f"haystack_sessions[{place}]"
        one = replace(record, fields={dated: date, spoken: turns[place]})
        if parse_time(date) is None:
            raise one.refuse(dated, _DATE)
        if read := one.records(spoken):
            yield tuple(_turn(turn, number, session, date) for number, turn in enumerate(read, start=1))


def _turn(record: Record, number: int, session: str, date: str) -> tuple[SetItem, bool]:
    text, speaker = record.text("content"), record.name("role")
    item: dict[str, object] = {"text": text, "speaker": speaker, "session": session, "timestamp": date}
    item["id"] = f"{session}_{number}"
    return _item(replace(record, fields=item)), record.fields.get("has_answer") is True


def _item(record: Record) -> SetItem:
    name, text, session = record.name("id"), record.text("text"), record.optional_name("session")
    written = record.fields.get("timestamp")
    occurred_at = parse_time(written) if isinstance(written, str) else None
    unread = occurred_at is None and written not in (None, "")
    speaker = record.optional_name("speaker")
    if not text.strip():
        return SetItem(id=name, content=None, session=session, has_unread_time=unread)
    with record.placing():
        statement = Statement(text=text, occurred_at=occurred_at, speaker=speaker, session=session)
    return SetItem(id=name, content=statement, session=session, has_unread_time=unread)


def _question(record: Record, index: int, *, evidence: str) -> Question:
    asked_at = record.fields.get("asked_at")
    text = record.text("text")
    with record.placing():
        query = Query(text=text, as_of=parse_asked_time(asked_at) if isinstance(asked_at, str) else None)
    return Question(
        id=record.optional_name("id") or str(index),
        query=query,
        evidence=frozenset(record.names(evidence)),
        category=snake_case(record.optional_name("category") or ""),
    )


def _refuse_twins(records: Sequence[Record], names: Sequence[str], key: str = "id") -> None:
    seen: set[str] = set()
    for record, name in zip(records, names, strict=True):
        if name in seen:
            raise record.refuse(key, "an id that no other has" if key != "question" else "each question once")
        seen.add(name)


def with_first_questions(collections: Sequence[Collection], limit: int | None) -> Iterator[Collection]:
    """Return the first questions of a set, over all of its collections, and the collections they are asked of."""
    left = limit
    for collection in collections:
        questions = collection.questions[:left]
        left = None if left is None else left - len(questions)
        if questions:
            yield replace(collection, questions=questions)


CUTOFFS = (1, 5, 10, 20)
SESSION_CUTOFFS = (1, 5, 10)
_DEEPEST = 10


def score_ranking(ranking: Sequence[str], gold: AbcCollection[str]) -> dict[str, float]:
    """Score one question's ranking; every figure lies in [0, 1] and 1 is best.

    Args:
        ranking: Ids, best first; an id that occurs twice counts once, at its first place.
        gold: The ids that should be found, at least one; ids no ranking can hold count as missed.

    Returns:
        ``recall_at_k`` (share of gold among the first k), ``any_at_k``, ``all_at_k`` for k in 1, 5, 10, 20;
        ``ndcg_at_10`` (binary gain, Järvelin & Kekäläinen 2002); ``mrr``, 1 / place of the first gold id, 0 where
        the ranking holds none.

    Raises:
        InvalidValue: ``gold`` is empty.
    """
    if not gold:
        raise InvalidValue("A question without evidence cannot be scored: leave it out.")
    wanted = frozenset(gold)
    ordered = tuple(dict.fromkeys(ranking))
    scores = {f"recall_at_{k}": _found(ordered, wanted, k) / len(wanted) for k in CUTOFFS}
    scores |= {f"any_at_{k}": float(_found(ordered, wanted, k) > 0) for k in CUTOFFS}
    scores |= {f"all_at_{k}": float(_found(ordered, wanted, k) == len(wanted)) for k in CUTOFFS}
    gain = math.fsum(_discount(place) for place, name in enumerate(ordered[:_DEEPEST]) if name in wanted)
    scores[f"ndcg_at_{_DEEPEST}"] = gain / math.fsum(_discount(place) for place in range(min(_DEEPEST, len(wanted))))
    scores["mrr"] = next((1 / place for place, name in enumerate(ordered, start=1) if name in wanted), 0.0)
    return scores


def score_sessions(ranking: Sequence[str], gold: AbcCollection[str], sessions: Mapping[str, str]) -> dict[str, float]:
    """Score the sessions of a ranking, ordered by their best item.

    Returns:
        ``session_any_at_k`` and ``session_all_at_k`` for k in 1, 5, 10 and ``session_recall_at_10``; nothing where no gold
        item has a session.
    """
    wanted = frozenset(sessions[name] for name in gold if name in sessions)
    if not wanted:
        return {}
    ordered = tuple(dict.fromkeys(sessions[name] for name in ranking if name in sessions))
    scores = {f"session_any_at_{k}": float(_found(ordered, wanted, k) > 0) for k in SESSION_CUTOFFS}
    scores |= {f"session_all_at_{k}": float(_found(ordered, wanted, k) == len(wanted)) for k in SESSION_CUTOFFS}
    scores[f"session_recall_at_{_DEEPEST}"] = _found(ordered, wanted, _DEEPEST) / len(wanted)
    return scores


def average(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Average each figure over the questions that have it, in the order the figures first appear."""
    gathered: dict[str, list[float]] = {}
    for score in scores:
        for name, value in score.items():
            gathered.setdefault(name, []).append(value)
    return {name: math.fsum(values) / len(values) for name, values in gathered.items()}


def _found(ordered: Sequence[str], wanted: frozenset[str], k: int) -> int:
    return len(wanted.intersection(ordered[:k]))


def _discount(place: int) -> float:
    return 1 / math.log2(place + 2)
