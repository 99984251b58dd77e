"""Corpora, and questions whose answers are marked in them, as chunks are measured on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.knowledge import Span
from evolore.errors import InvalidValue
from evolore.evaluation.chunk_metrics import Place
from evolore.evaluation.records import read_records
from evolore.evaluation.sets import find_sets

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from evolore.evaluation.records import Record

_CORPUS_KEYS = frozenset({"corpus_id", "text"})
_QUESTION_KEYS = frozenset({"corpus_id", "question", "references"})
_FORM = '{"corpus_id", "text"} or {"id", "question", "references", "corpus_id"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedQuestion:
    """A question, and where its answer stands.

    Args:
        id: Its name in its set.
        text: What is asked.
        corpus: The corpus that answers it.
        references: The passages that do, at least one, none empty.
    """

    id: str
    text: str
    corpus: str
    references: tuple[Place, ...]


def find_chunk_sets(paths: Sequence[Path]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """List the files of corpora and the files of questions that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, two sets have one name, or either kind is missing.
    """
    found = find_sets(paths, fits=lambda first: _is_corpus(first) or _is_question(first), form=_FORM)
    corpora = tuple(path for path in found if _is_corpus(next(read_records(path))))
    questions = tuple(path for path in found if path not in corpora)
    if not corpora or not questions:
        given = " and ".join(map(str, paths))
        raise InvalidValue(
            f"{given} holds {len(corpora)} files of corpora and {len(questions)} of questions: give at least one of "
            f"each, lines of {_FORM}."
        )
    return corpora, questions


def read_corpora(paths: Sequence[Path]) -> dict[str, str]:
    """Read the text of every corpus, by its id.

    Raises:
        UnreadableSource: A file cannot be read, or a line is not JSON.
        InvalidValue: A line is no corpus, or two have one id.
    """
    corpora: dict[str, str] = {}
    for record in (record for path in paths for record in read_records(path)):
        name = record.name("corpus_id")
        if name in corpora:
            raise record.refuse("corpus_id", "an id that no other line has")
        corpora[name] = record.text("text")
    return corpora


def read_questions(path: Path, corpora: Mapping[str, str]) -> tuple[MarkedQuestion, ...]:
    """Read the questions of a set.

    Args:
        path: The file.
        corpora: The text of every corpus they may be about.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line is no question, two have one id, or an answer lies outside its corpus.
    """
    questions: dict[str, MarkedQuestion] = {}
    for record in read_records(path):
        question = _question(record, corpora)
        if question.id in questions:
            raise record.refuse("id", "an id that no other line has")
        questions[question.id] = question
    return tuple(questions.values())


def _is_corpus(first: Record) -> bool:
    return first.fields.keys() >= _CORPUS_KEYS


def _is_question(first: Record) -> bool:
    return first.fields.keys() >= _QUESTION_KEYS


def _question(record: Record, corpora: Mapping[str, str]) -> MarkedQuestion:
    corpus = record.name("corpus_id")
    if corpus not in corpora:
        raise record.refuse("corpus_id", "the id of a corpus that was given: " + ", ".join(sorted(corpora)))
    references = tuple(_reference(part, corpus, len(corpora[corpus])) for part in record.records("references"))
    if not references:
        raise record.refuse("references", "at least one passage")
    return MarkedQuestion(id=record.name("id"), text=record.text("question"), corpus=corpus, references=references)


def _reference(record: Record, corpus: str, most: int) -> Place:
    start, end = record.whole_number("start_index"), record.whole_number("end_index")
    if not 0 <= start < end <= most:
        raise InvalidValue(
            f"{record.where}: start_index is {start} and end_index {end}: give a passage inside the corpus, which has "
            f"{most} characters."
        )
    return Place(corpus=corpus, span=Span(start, end))
