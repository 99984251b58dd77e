"""Knowledge bases with planted defects: documents as they are and as they should be, questions, and what people said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from evolore.domain.outcome import Rating
from evolore.errors import InvalidValue
from evolore_evaluation.records import WORDINGS, Record, find_sets, read_records

_FORM = '{"kind": "document" | "question" | "feedback", "id", …}, a document first'


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePassage:
    """A passage that says what a document lacks."""

    source: str  #: The document it is in.
    text: str  #: What it says, word for word.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedDocument:
    """A document, maybe with a defect."""

    id: str  #: Its name in its set.
    language: str  #: What it is written in, as its set says; it groups figures.
    source: str  #: What it is called in the memory.
    title: str  #: Its title.
    text: str  #: As it is.
    good: str  #: As it should be; the same where it has no defect.
    defect: str = ""  #: The kind of its defect; empty for none.
    evidence: tuple[SourcePassage, ...] = ()  #: What says what it lacks.


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedQuestion:
    """A question to one document."""

    id: str  #: Its name in its set.
    document: str  #: The document that should answer it.
    text: str  #: What is asked.
    is_about_defect: bool  #: Whether only the document as it should be answers it well.
    all_of: tuple[tuple[str, ...], ...]  #: A good answer holds one string of each.

    def is_answered_by(self, answer: str) -> bool:
        """Return whether an answer is good, case aside."""
        said = answer.casefold()
        return all(any(one.casefold() in said for one in some) for some in self.all_of)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedRating:
    """What one person said of the answer to a question."""

    id: str  #: Its name in its set.
    document: str  #: The document it is meant for.
    question: str  #: The question's id.
    principal: str  #: Who said it.
    rating: Rating  #: Whether the answer served.
    comment: str = ""  #: Why; empty for nothing.
    is_poisoned: bool = False  #: Whether it must not be followed.


@dataclass(frozen=True, kw_only=True)
class PlantedBase:
    """One set."""

    documents: tuple[PlantedDocument, ...]  #: In the set's order.
    questions: tuple[PlantedQuestion, ...]  #: As above.
    ratings: tuple[PlantedRating, ...] = field(default=())  #: As above.

    @cached_property
    def rated(self) -> frozenset[str]:
        """The questions that ratings refer to."""
        return frozenset(one.question for one in self.ratings)

    @cached_property
    def by_id(self) -> dict[str, PlantedDocument]:
        """The documents by their ids."""
        return {one.id: one for one in self.documents}

    @cached_property
    def question_by_id(self) -> dict[str, PlantedQuestion]:
        """The questions by their ids."""
        return {one.id: one for one in self.questions}

    def questions_of(self, document: str) -> tuple[PlantedQuestion, ...]:
        """Return the questions to one document."""
        return tuple(one for one in self.questions if one.document == document)

    def ratings_of(self, document: str) -> tuple[PlantedRating, ...]:
        """Return what was said of one document."""
        return tuple(one for one in self.ratings if one.document == document)


def find_evolution_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of planted knowledge bases that the paths name, as ``find_sets`` does and raises."""
    return find_sets(paths, fits=lambda first: {"kind", "text", "good"} <= set(first.fields), form=_FORM)


def read_planted_base(path: Path) -> PlantedBase:
    """Read a whole set.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, names what is not there, or two have one id.
    """
    documents: dict[str, PlantedDocument] = {}
    questions: dict[str, PlantedQuestion] = {}
    ratings: dict[str, PlantedRating] = {}
    for record in read_records(path):
        id_ = record.name("id")
        if id_ in documents or id_ in questions or id_ in ratings:
            raise record.refuse("id", "an id that no other line has")
        match record.fields.get("kind"):
            case "document":
                documents[id_] = _document(record)
            case "question":
                all_of = record.wordings("answer")
                if not all_of:
                    raise record.refuse("answer", WORDINGS)
                questions[id_] = PlantedQuestion(
                    id=record.name("id"),
                    document=_known(record, "document", documents),
                    text=record.text("text"),
                    is_about_defect=record.claim("about_defect"),
                    all_of=all_of,
                )
            case "feedback":
                ratings[id_] = _rating(record, documents, questions)
            case _:
                raise record.refuse("kind", '"document", "question" or "feedback"')
    if len({one.source for one in documents.values()}) < len(documents):
        raise InvalidValue(f"{path}: two documents have one source: give each its own.")
    return PlantedBase(
        documents=tuple(documents.values()), questions=tuple(questions.values()), ratings=tuple(ratings.values())
    )


def _document(record: Record) -> PlantedDocument:
    evidence = record.records("evidence") if record.fields.get("evidence") else ()
    return PlantedDocument(
        id=record.name("id"),
        language=record.name("lang"),
        source=record.name("source"),
        title=record.name("title"),
        text=record.text("text"),
        good=record.text("good"),
        defect=record.optional_name("defect") or "",
        evidence=tuple(SourcePassage(source=one.name("source"), text=one.text("text")) for one in evidence),
    )


def _rating(
    record: Record, documents: dict[str, PlantedDocument], questions: dict[str, PlantedQuestion]
) -> PlantedRating:
    rating = record.fields.get("rating")
    if rating not in list(Rating):
        raise record.refuse("rating", '"good" or "bad"')
    comment = record.fields.get("comment")
    return PlantedRating(
        id=record.name("id"),
        document=_known(record, "document", documents),
        question=_known(record, "question", questions),
        principal=record.name("principal"),
        rating=Rating(str(rating)),
        comment=comment.strip() if isinstance(comment, str) else "",
        is_poisoned=record.claim("poisoned"),
    )


def _known(record: Record, key: str, known: dict[str, PlantedDocument] | dict[str, PlantedQuestion]) -> str:
    id_ = record.name(key)
    if id_ not in known:
        raise record.refuse(key, f"the id of a {key} on a line above")
    return id_
