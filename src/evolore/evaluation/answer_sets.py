"""Documents with questions of which is known what answers them, as answers are measured on them.

Two forms are read: corpora, ``{"type": "doc", …}`` and ``{"type": "q", "gold", "answer"?}``, and knowledge bases,
``{"kind": "document", "text", "good"?}`` and ``{"kind": "question", "document", "answer": {"all_of"}}``, of which the good
text of a document is taken in.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from evolore.domain.knowledge import MediaType
from evolore.evaluation.records import read_records
from evolore.evaluation.sets import find_sets
from evolore.ports import SourceText

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evolore.evaluation.records import Record

_FORM = '{"type": "doc", …} and {"type": "q", …}, or of {"kind": "document", …} and {"kind": "question", …}'
_BLANKS = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r"(?<=\w) (?=[,.)])|(?<=\() ")


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question to a set of documents.

    Args:
        id: Its id.
        text: What is asked.
        documents: The sources of the documents that answer it together; at least one.
        wanted: What an answer holds: of each of these one wording; none where nobody said.
    """

    id: str
    text: str
    documents: frozenset[str]
    wanted: tuple[tuple[str, ...], ...] = ()

    def is_answered_by(self, text: str) -> bool:
        """Tell whether a text holds all that is wanted; letters of another case or width are the same."""
        folded = _folded(text)
        return all(any(_folded(wording) in folded for wording in wordings) for wordings in self.wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSet:
    """Documents, and questions to them.

    Args:
        documents: In their order.
        questions: Those of which a document that answers them is known.
    """

    documents: tuple[SourceText, ...]
    questions: tuple[AskedQuestion, ...]


def find_answer_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of such sets that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, a folder holds none, or two sets have one name.
    """
    return find_sets(paths, fits=lambda first: _kind(first) is not None, form=_FORM)


def read_answer_set(path: Path) -> AnswerSet:
    """Read a whole set; lines of other kinds are passed over.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form.
    """
    records = tuple(read_records(path))
    documents = (_document(record) for record in records if _kind(record) in {"doc", "document"})
    asked = (_question(record) for record in records if _kind(record) in {"q", "question"})
    return AnswerSet(
        documents=tuple(one for one in documents if one.text.strip()),
        questions=tuple(one for one in asked if one.documents),
    )


def _kind(record: Record) -> str | None:
    kind = record.fields.get("type", record.fields.get("kind"))
    return kind if kind in ("doc", "q", "document", "question") else None


def _document(record: Record) -> SourceText:
    is_page = "kind" in record.fields
    name = "good" if isinstance(record.fields.get("good"), str) else "text"
    return SourceText(
        source=record.name("id"),
        text=record.text(name),
        title=record.optional_name("title") or "",
        media_type=MediaType.MARKDOWN if is_page else MediaType.PLAIN,
    )


def _question(record: Record) -> AskedQuestion:
    documents = (record.name("document"),) if "kind" in record.fields else record.names("gold")
    return AskedQuestion(
        id=record.name("id"), text=record.text("text"), documents=frozenset(documents), wanted=_wanted(record)
    )


def _wanted(record: Record) -> tuple[tuple[str, ...], ...]:
    answer = record.fields.get("answer")
    if answer is None:
        return ()
    if isinstance(answer, Mapping):
        groups = cast("Mapping[str, object]", answer).get("all_of")
        if isinstance(groups, list):
            return tuple(_wordings(record, group) for group in cast("list[object]", groups))
    return (_wordings(record, answer),)


def _wordings(record: Record, group: object) -> tuple[str, ...]:
    if isinstance(group, str):
        return (group,)
    if isinstance(group, list) and group and all(isinstance(one, str) for one in cast("list[object]", group)):
        return tuple(cast("list[str]", group))
    raise record.refuse("answer", 'a list of wordings, or {"all_of": [[wording, …], …]}')


def _folded(text: str) -> str:
    return _BEFORE_MARK.sub("", _BLANKS.sub(" ", unicodedata.normalize("NFKC", text).casefold()))
