"""Questions from a document's claims: which claims are chosen, how a chat model is asked, and what of its reply is taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from evolore.domain.checks import check_text
from evolore.domain.language import Language, language_name
from evolore.domain.trials import QuestionOrigin, TrialQuestion
from evolore.errors import InvalidValue
from evolore.evolution.chat_requests import PromptName, ReplyForm, Unusable, asked, read_reply
from evolore.evolution.gates.claims import read_claims
from evolore.evolution.gates.injection import find_injections
from evolore.evolution.hashing import hashed_share
from evolore.evolution.questions import words_of
from evolore.evolution.shown_texts import one_line
from evolore.evolution.written_language import is_written_in
from evolore.text.questions import ends_with_question
from evolore.text.sections import read_sections

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from evolore.domain.chats import ChatRequest
    from evolore.domain.proposing import DocumentText
    from evolore.text.fences import Data

QUESTIONS_PROMPT = PromptName(name="write_questions", version=1)
CLAIMS_PER_CALL = 10
_FEWEST_WORDS = 3
_LONGEST_CLAIM = 600
_LONGEST_AROUND = 300
_LONGEST_QUESTION = 300
_MOST_QUESTIONS = 100
_TOKENS_PER_QUESTION = 150
_TOKENS_AROUND = 100


class QuestionReply(ReplyForm):
    """One question of a reply."""

    number: Annotated[int, Field(ge=1)]
    question: Annotated[str, Field(min_length=1, max_length=_LONGEST_QUESTION)]


class QuestionsReply(ReplyForm):
    """What a reply must be."""

    questions: Annotated[list[QuestionReply], Field(max_length=_MOST_QUESTIONS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskableClaim:
    """A claim that a question can be asked for.

    Args:
        text: The sentence, word for word as it stands in the document.
        path: The headings above it.
        before: The sentence before it; empty for none.
        after: The one after it.
    """

    text: str
    path: tuple[str, ...]
    before: str = ""
    after: str = ""


def askable_claims(document: DocumentText) -> tuple[AskableClaim, ...]:
    """List the sentences of a document that say something, each once, in its order.

    Headings, questions, sentences of hardly a word, listings of code and what speaks to a model are none.
    """
    found: dict[str, AskableClaim] = {}
    for section in read_sections(document.text, media_type=document.media_type):
        claims = read_claims(section.text, document.language)
        for place, claim in enumerate(claims):
            text = claim.text
            is_fit = not (claim.is_heading or claim.asks) and len(claim.words) >= _FEWEST_WORDS
            if is_fit and len(text) <= _LONGEST_CLAIM and not find_injections(text):
                before = claims[place - 1].text if place else ""
                after = claims[place + 1].text if place + 1 < len(claims) else ""
                found.setdefault(words_of(text), AskableClaim(text=text, path=section.path, before=before, after=after))
    return tuple(found.values())


def chosen_claims(
    claims: Sequence[AskableClaim],
    count: int,
    *,
    seed: int,
    known: Collection[str],
    nearness: Mapping[str, float] | None = None,
) -> tuple[AskableClaim, ...]:
    """Choose the claims to ask for: the nearest to what people complained of first, none that was asked for.

    Of equals, and where nothing tells, as if drawn at random, the same for the same seed.

    Args:
        claims: Those of the document.
        count: How many, at most.
        seed: What decides.
        known: Claims that there are questions for.
        nearness: How near claims are to what people complained of, by their text.
    """
    asked_for = {words_of(one) for one in known}
    fresh = [one for one in claims if words_of(one.text) not in asked_for]
    near = nearness or {}
    drawn = sorted(fresh, key=lambda one: hashed_share("evolore.claims", str(seed), one.text))
    return tuple(sorted(drawn, key=lambda one: -near.get(one.text, 0.0))[:count])


def questions_request(
    instructions: str, document: DocumentText, claims: Sequence[AskableClaim], *, seed: int
) -> ChatRequest:
    """Ask for a question to each of some claims.

    The data between ``<claims>`` and ``</claims>``: ``language`` (its English name), ``title``, and ``claims``, each with
    ``number`` from 1, ``path`` (titles joined by " > "), ``claim``, ``before`` and ``after``. The reply is
    ``QuestionsReply``.
    """
    shown: list[Data] = [
        {
            "number": number,
            "path": " > ".join(one.path),
            "claim": one.text,
            "before": one.before[-_LONGEST_AROUND:],
            "after": one.after[:_LONGEST_AROUND],
        }
        for number, one in enumerate(claims, start=1)
    ]
    data: Data = {"language": language_name(document.language), "title": document.title, "claims": shown}
    return asked(
        "evolution.questions",
        QUESTIONS_PROMPT,
        instructions,
        ("claims", data),
        form=QuestionsReply,
        most_tokens=_TOKENS_PER_QUESTION * len(claims) + _TOKENS_AROUND,
        seed=seed,
    )


def read_questions(
    reply: str, claims: Sequence[AskableClaim], language: Language, *, known: Collection[str]
) -> tuple[TrialQuestion | Unusable, ...] | Unusable:
    """Give for each claim its question or why it has none; or why nothing of the reply is used.

    Args:
        reply: What the model said.
        claims: What it was shown.
        language: What a question is to be in.
        known: The words, by ``words_of``, of questions that there are already.
    """
    read = read_reply(reply, QuestionsReply)
    if isinstance(read, Unusable):
        return read
    said: dict[int, list[str]] = {}
    for one in read.questions:
        said.setdefault(one.number, []).append(one_line(one.question))
    return tuple(_read(claims, said, language, known))


def _read(
    claims: Sequence[AskableClaim], said: dict[int, list[str]], language: Language, known: Collection[str]
) -> Iterator[TrialQuestion | Unusable]:
    taken = set(known)
    for number, claim in enumerate(claims, start=1):
        questions = said.get(number, [])
        reason = "no_question" if len(questions) != 1 else _wrong(questions[0], claim, language, taken)
        if reason:
            yield Unusable(reason=reason)
            continue
        taken.add(words_of(questions[0]))
        yield TrialQuestion(text=questions[0], origin=QuestionOrigin.GENERATED, claim=claim.text)


def _wrong(question: str, claim: AskableClaim, language: Language, taken: Collection[str]) -> str:
    try:
        check_text(question, "The question")
    except InvalidValue:
        return "no_question"
    if not ends_with_question(question):
        return "no_question"
    if not is_written_in(question, language):
        return "other_language"
    if words_of(question) in taken:
        return "asked_before"
    if words_of(claim.text) in words_of(question):
        return "gives_answer_away"
    return "speaks_to_a_model" if find_injections(question) else ""
