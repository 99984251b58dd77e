"""Ask: a question, what was found for it and why, the answer with its citations, and what people say of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from operator import attrgetter
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Response
from pydantic import BaseModel, Field

from evolore.domain.answer import Answer, AnswerKind, Citation
from evolore.domain.citation import ranks_of
from evolore.domain.episode import Episode
from evolore.domain.feedback import Feedback
from evolore.domain.language import Language
from evolore.domain.outcome import QueryRecord, Rating
from evolore.domain.query import Hit
from evolore.errors import NotFound
from evolore.server.listings import questions_before, reading
from evolore.server.pages.page import MOST_SHOWN, PageRoute, Read, SentRate, SentRead
from evolore.server.pages.stored import episodes_named

router = APIRouter(prefix="/ask", route_class=PageRoute)
_AT_ONCE, _MOST_LOOKED = 200, 2000
_CITED = re.compile(r"\[(\d{1,3})\]", re.ASCII)


class QuestionForm(BaseModel):
    """A question as the form has it, with tags separated by commas; empty fields say nothing."""

    question: Annotated[str, Field(max_length=20_000)] = ""
    limit: Annotated[int, Field(ge=1, le=50)] = 8
    as_of: Annotated[str, Field(max_length=40)] = ""
    source: Annotated[str, Field(max_length=2000)] = ""
    speaker: Annotated[str, Field(max_length=200)] = ""
    session: Annotated[str, Field(max_length=200)] = ""
    tags: Annotated[str, Field(max_length=2000)] = ""

    @property
    def is_narrowed(self) -> bool:
        """Whether anything narrows the question."""
        return bool(self.as_of or self.source or self.speaker or self.session or self.tags)

    def options(self) -> dict[str, Any]:
        """Return what narrows the question."""
        said = {name: getattr(self, name).strip() for name in ("as_of", "source", "speaker", "session")}
        tags = [one for one in (part.strip() for part in re.split("[,、，]", self.tags)) if one]
        return {
            "limit": self.limit,
            **{name: text for name, text in said.items() if text},
            **({"tags": tags} if tags else {}),
        }


@router.get("")
def empty(page: Read, wanted: Annotated[QuestionForm, Query()]) -> Response:
    """Ask for a question."""
    return page.html("ask.html", wanted=wanted, answer=None)


@router.post("")
def ask(page: SentRead, wanted: Annotated[QuestionForm, Form()]) -> Response:
    """Answer a question, and go to the answer's address."""
    answer = page.memory.answer(wanted.question, principal=page.principal, **wanted.options())
    return page.go(f"/ask/{answer.id}", **wanted.model_dump(mode="json", exclude={"question"}, exclude_defaults=True))


_QUESTIONS: Mapping[str, Callable[[QueryRecord], object]] = {
    **{name: attrgetter(name) for name in ("id", "text", "principal")},
    "language": attrgetter("language.value"),
    "asked_at": attrgetter("asked_at"),
    "passages": lambda one: len(one.given),
    "ratings": lambda one: ", ".join(it.rating.value for it in one.ratings),
    "comments": lambda one: "\n".join(it.comment for it in one.ratings if it.comment),
}


class QuestionKind(StrEnum):
    """What is listed of questions: those rated BAD or GOOD, those without a rating, or those that nothing was found for."""

    BAD = "bad"
    GOOD = "good"
    UNRATED = "unrated"
    UNANSWERED = "unanswered"


def _is(asked: QueryRecord, served: QuestionKind) -> bool:
    match served:
        case QuestionKind.UNANSWERED:
            return not asked.given
        case QuestionKind.UNRATED:
            return not asked.ratings
        case _:
            return any(one.rating.value == served.value for one in asked.ratings)


@router.get("/questions")
def questions(
    page: Read,
    served: QuestionKind | None = None,
    language: Language | None = None,
    who: Annotated[str, Query(max_length=200)] = "",
    week: date | None = None,
    before: Annotated[str, Query(max_length=100)] = "",
) -> Response:
    """List the questions that were asked, the last first, a page at a time."""
    found: list[QueryRecord] = []
    at, looked = before, 0
    while len(found) < page.most and (page.is_file or looked < _MOST_LOOKED):
        some = questions_before(page.memory, who.strip() or None, before=at, limit=_AT_ONCE)
        looked, at = looked + len(some), some[-1].id if some else ""
        found += (
            one
            for one in some
            if (served is None or _is(one, served))
            and (language is None or one.language is language)
            and (week is None or week <= one.asked_at.date() < week + timedelta(days=7))
        )
        if len(some) < _AT_ONCE:
            at = ""
            break
    rated: list[Feedback] = []
    if week is not None:
        with reading(page.memory) as reader:
            said = reader.feedback(after=(datetime.combine(week, time(), UTC), ""), limit=_MOST_LOOKED)
        ends = week + timedelta(days=7)
        rated += (
            one for one in said if not one.query_id and one.rated_at.date() < ends and served in (None, one.rating)
        )
    return page.listed(
        "questions.html",
        found[: page.most],
        _QUESTIONS,
        behind=None if len(found) > MOST_SHOWN else at,
        served=served,
        kinds=tuple(QuestionKind),
        language=language,
        who=who,
        week=week,
        rated=rated[:MOST_SHOWN],
    )


@router.get("/{answer_id}")
def answered(page: Read, answer_id: str, wanted: Annotated[QuestionForm, Query()]) -> Response:
    """Show an answer as it was given, what people said of it, and what is found for its question now, and why."""
    with reading(page.memory) as reader:
        given = reader.answer(answer_id)
        asked = None if given is None or given.query_id is None else reader.query(given.query_id)
    if given is None:
        raise NotFound(f"No answer has the id {answer_id!r}: it was forgotten, or never given in this namespace.")
    wanted = wanted.model_copy(update={"question": given.question})
    found = page.memory.recall(given.question, record=False, principal=page.principal, **wanted.options())
    answer = replace(given, recall=found)
    hits = () if answer.recall is None else answer.recall.shown
    suppressed = () if answer.recall is None else answer.recall.suppressed
    known = episodes_named(page.memory, [id_ for one in suppressed for id_ in (one.episode_id, one.rival_id)])
    return page.html(
        "ask.html",
        wanted=wanted,
        answer=answer,
        ratings=() if asked is None else asked.ratings,
        is_found=answer.kind is not AnswerKind.NOT_IN_SOURCES,
        answer_parts=tuple(answer_parts(answer)),
        passages=tuple(_passages(answer, Language(page.language))),
        suppressed=[(one, known.get(one.episode_id), known.get(one.rival_id or "")) for one in suppressed],
        widest=max([abs(term.value) for hit in hits for term in hit.terms] or [1.0]) or 1.0,
    )


def answer_parts(answer: Answer) -> Iterator[tuple[str, int]]:
    """Cut an answer's text at its citations: texts with 0, and numbers of citations."""
    known = {one.number for one in answer.citations}
    at = 0
    for match in _CITED.finditer(answer.text):
        if int(match[1]) in known:
            yield answer.text[at : match.start()], 0
            yield match[0], int(match[1])
            at = match.end()
    yield answer.text[at:], 0


def _passages(
    answer: Answer, language: Language
) -> Iterator[tuple[Hit, tuple[tuple[str, int], ...], tuple[str, ...], tuple[int, ...]]]:
    """Yield hits in the order in which a prompt has them: each with its text, its marks there, and the citations of it."""
    found = answer.recall
    if found is None:
        return
    citing, ranks = replace(found.citing, language=language), ranks_of(found.hits)
    for hit in found.shown:
        cited = tuple(one.number for one in answer.citations if one.episode_id == hit.episode.id)
        yield hit, _passage(hit, answer), tuple(citing.marks(hit, ranks)), cited


def _passage(hit: Hit, answer: Answer) -> tuple[tuple[str, int], ...]:
    """Cut a hit's text where citations begin and end: what is cited comes with its number, the rest with 0."""
    cited = [one for one in answer.citations if one.episode_id == hit.episode.id]
    if hit.text != hit.episode.text or not cited:
        return ((hit.text, 0),)
    return tuple(_marked(hit.episode, sorted(cited, key=lambda one: one.span.start)))


def _marked(episode: Episode, cited: list[Citation]) -> Iterator[tuple[str, int]]:
    at = 0
    for one in cited:
        if one.span.start >= at:
            yield episode.text[at : one.span.start], 0
            yield episode.text[one.span.start : one.span.end], one.number
            at = one.span.end
    yield episode.text[at:], 0


@router.post("/rate")
def rate(
    page: SentRate,
    item: Annotated[str, Form(pattern="^[0-9a-z]{1,100}$")],
    rating: Annotated[Rating, Form()],
    comment: Annotated[str, Form(max_length=20_000)] = "",
) -> Response:
    """Record whether an answer served."""
    page.memory.rate(item, rating, comment=comment.strip() or None, principal=page.principal)
    return page.go(f"/ask/{item}", said="rated")
