"""The questions of a contest: which is used for what, which complaints a job takes up, and how a chat model writes more."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.checks import check_text
from evolore.domain.contest import DocumentText, QuestionOrigin, QuestionSet, TrialQuestion
from evolore.domain.feedback import Feedback
from evolore.domain.language import Language, language_name
from evolore.errors import InvalidValue
from evolore.evolution.gates.claims import read_claims
from evolore.evolution.gates.injection import find_injections
from evolore.evolution.hashing import hashed_share
from evolore.evolution.requests import Unusable, is_written_in, one_line, read_reply
from evolore.evolution.settings import EvolutionSettings
from evolore.text.fences import Data, Prompt, ReplyForm, once_each
from evolore.text.question_words import ends_with_question
from evolore.text.sections import read_sections

_ORDER = {origin: place for place, origin in enumerate(QuestionOrigin)}
_ENDS = " ?？!！.。…"


SCREEN_SHARE = 0.2
CONFIRM_SHARE = 0.6
"""Shares of the questions, other than triggers, for the screen and confirming; the rest is asked again. Proof takes most: screen and confirmation play 43 pairs on average."""

CONFIRM_PAIRS = 40
"""On at most how many fresh questions a candidate is confirmed: of 2,000 jobs without improvement 2.5 % confirm
(``benchmarks/selection.py``)."""

LEAST_FRESH_QUESTIONS = 20
"""With fewer fresh questions a candidate can only be put before a person."""

ALPHA = 0.05
"""How likely a job without any real improvement may confirm a candidate."""

BETS = (0.3, 0.5, 0.7)
"""Shares of what was won so far that are laid on the candidate at each pair; the mean of what they come to decides."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSets:
    """Questions of one document by what they are for; none is in two sets."""

    train: tuple[TrialQuestion, ...] = ()  #: What the writer of candidates may see: all that triggered the rewriting.
    screen: tuple[TrialQuestion, ...] = ()  #: By which candidates are sorted out, one of each claim.
    confirm: tuple[TrialQuestion, ...] = ()  #: By which they are confirmed, fresh ones only, one of each claim.
    regression: tuple[TrialQuestion, ...] = ()  #: What was answered well before, one of each claim.

    def missing(self, settings: EvolutionSettings) -> int:
        """Return how many more questions are worth generating, until screen and confirm are likely to have all they take."""
        wanted = (
            (settings.evaluation_sample_size - len(self.screen), SCREEN_SHARE),
            (CONFIRM_PAIRS - len(self.confirm), CONFIRM_SHARE),
        )
        return max(0, *(round(lacking / share) for lacking, share in wanted if share > 0), 0)


def split_questions(questions: Iterable[TrialQuestion]) -> QuestionSets:
    """Put questions into sets.

    A question's place is decided by its own words, case, width and closing marks aside, or by its claim where it was
    generated; so it stays where it is when others are added. Words that triggered the rewriting go to ``train`` even if
    others asked them too, and words that belong to two sets, asked by a person and generated too, go to none.

    Returns:
        Sets, each in the order ratings, past queries, generated; then in one that looks drawn at random.
    """
    known = sorted(questions, key=lambda one: words_of(one.text))
    placed: dict[QuestionSet, list[TrialQuestion]] = {one: [] for one in QuestionSet}
    for _, same in groupby(known, key=lambda one: words_of(one.text)):
        group = list(same)
        places = _sets_of(group)
        if len(places) == 1:
            placed[places.pop()].append(_joined(group))
    return QuestionSets(
        train=tuple(_in_order(placed[QuestionSet.TRAIN])),
        screen=_one_of_each(placed[QuestionSet.SCREEN]),
        confirm=tuple(one for one in _one_of_each(placed[QuestionSet.CONFIRM]) if not one.is_used),
        regression=_one_of_each(one for one in placed[QuestionSet.REGRESSION] if one.was_good),
    )


def words_of(text: str) -> str:
    """Return what makes two questions the same: their words, case, width, spaces and closing marks aside."""
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return plain.rstrip(_ENDS) or plain


def set_of(question: TrialQuestion) -> QuestionSet:
    """Return the set that a question alone belongs to."""
    if question.origin is QuestionOrigin.TRIGGER:
        return QuestionSet.TRAIN
    place = hashed_share("evolore.questions", _key(question))
    if place < SCREEN_SHARE:
        return QuestionSet.SCREEN
    return QuestionSet.CONFIRM if place < SCREEN_SHARE + CONFIRM_SHARE else QuestionSet.REGRESSION


def _key(question: TrialQuestion) -> str:
    return words_of(question.text) if question.claim is None else f"claim {words_of(question.claim)}"


def _sets_of(group: Sequence[TrialQuestion]) -> set[QuestionSet]:
    if any(one.origin is QuestionOrigin.TRIGGER for one in group):
        return {QuestionSet.TRAIN}
    return {set_of(one) for one in group}


def _joined(group: Sequence[TrialQuestion]) -> TrialQuestion:
    """Return one question for all with the same words: the first by origin, with what is known of any."""
    first = min(group, key=lambda one: (_ORDER[one.origin], one.text, one.claim or ""))
    return TrialQuestion(
        text=first.text,
        origin=first.origin,
        claim=first.claim,
        was_good=first.origin is not QuestionOrigin.TRIGGER and any(one.was_good for one in group),
        is_used=any(one.is_used for one in group),
    )


def _in_order(questions: Iterable[TrialQuestion]) -> list[TrialQuestion]:
    return sorted(questions, key=lambda one: (_ORDER[one.origin], hashed_share("evolore.order", words_of(one.text))))


def _one_of_each(questions: Iterable[TrialQuestion]) -> tuple[TrialQuestion, ...]:
    """Keep the first question of each claim: several of one are no independent proof.

    What was used comes first, so that a claim is not fresh because another question asks for it.
    """
    kept: dict[str, TrialQuestion] = {}
    for one in sorted(_in_order(questions), key=lambda one: not one.is_used):
        kept.setdefault(_key(one), one)
    return tuple(_in_order(kept.values()))


_SHOWN = 0.5


def taken_up(complaints: Sequence[Feedback], *, least: int) -> tuple[Feedback, ...]:
    """Return the complaints that a job takes up, in their order.

    The first of so many people as it takes to begin a job are; and of what was said since, what names no question or says
    why, what is about the same question, and of bare ratings one half, by a hash of the question. The others stay open: their
    questions are fresh; if all were shown to the writer, more complaints would leave fewer to prove a candidate by.
    What people say in words is always shown to the writer and to the gates.

    Args:
        complaints: BAD feedback on one document that no job has taken up, oldest first.
        least: From how many people on a document is rewritten.
    """
    first: list[Feedback] = []
    for one in complaints:
        if len({other.principal for other in first}) == least:
            break
        first.append(one)
    heard = [*first, *(one for one in complaints[len(first) :] if one.comment)]
    asked = {words_of(one.question) for one in heard if one.question}
    ids = {one.id for one in heard}
    return tuple(one for one in complaints if one.id in ids or _is_shown(one, asked))


def _is_shown(one: Feedback, asked: set[str]) -> bool:
    words = words_of(one.question or "")
    return not words or words in asked or hashed_share("evolore.complaints", words) < _SHOWN


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


QUESTIONS_PROMPT = Prompt(
    name="write_questions", version=1, purpose="evolution.questions", marks="claims", form=QuestionsReply
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskableClaim:
    """A claim that a question can be asked for."""

    text: str  #: The sentence, word for word as in the document.
    path: tuple[str, ...]  #: The headings above it.
    before: str = ""  #: The sentence before it; empty for none.
    after: str = ""  #: The one after it.


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

    Equals, and those without a score, are as if drawn at random, the same for the same seed.

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
    return QUESTIONS_PROMPT.request(
        instructions, data, most_tokens=_TOKENS_PER_QUESTION * len(claims) + _TOKENS_AROUND, seed=seed
    )


def read_questions(
    reply: str, claims: Sequence[AskableClaim], language: Language, *, known: Collection[str]
) -> tuple[TrialQuestion | Unusable, ...] | Unusable:
    """Return for each claim its question or why it has none; or why nothing of the reply is used."""
    read = read_reply(reply, QuestionsReply)
    if isinstance(read, Unusable):
        return read
    return tuple(_read(claims, once_each(read.questions, lambda one: one.number), language, known))


def _read(
    claims: Sequence[AskableClaim], said: Mapping[int, QuestionReply], language: Language, known: Collection[str]
) -> Iterator[TrialQuestion | Unusable]:
    taken = set(known)
    for number, claim in enumerate(claims, start=1):
        question = one_line(said[number].question) if number in said else ""
        reason = _wrong(question, claim, language, taken)
        if reason:
            yield Unusable(reason=reason)
            continue
        taken.add(words_of(question))
        yield TrialQuestion(text=question, origin=QuestionOrigin.GENERATED, claim=claim.text)


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
