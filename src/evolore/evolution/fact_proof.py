"""The proof of a correction: readers' questions are answered from the new text with what newer evidence says, and were not before.

A correction is one fact, and the doubt about it is whether it is true, not whether people like it. So nothing is counted
over many questions of all kinds, as for wording (`contest`): the questions that people complained of, and some rewordings of
each, are answered from both texts, and a judge holds both answers against the evidence, in both orders.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from evolore.domain.chat import ChatRequest
from evolore.domain.contest import Complaint, EvidenceText, Scores
from evolore.domain.language import Language, language_name
from evolore.evolution.contest_questions import words_of
from evolore.evolution.gates.claims import Claim, changed_claims, content_words, read_claims
from evolore.evolution.gates.injection import find_injections
from evolore.evolution.requests import Unusable, is_written_in, one_line, read_reply
from evolore.text.dates import mentioned_periods
from evolore.text.dates.grammar import MOST_READ
from evolore.text.fences import Data, Prompt, ReplyForm, once_each
from evolore.text.protected.weighing import weigh_spans
from evolore.text.question_words import ends_with_question
from evolore.text.values import SpanKind

REWORDINGS = 3
"""How many other wordings of each question that people complained of are asked."""

MOST_COMPLAINTS = 4
"""By at most how many complaints a correction is tried: each is asked in four wordings, all of them in one call."""

_LEAST_WINS = 3
_KEPT_SHARE = 0.8
_KNOWN_SHARE = 0.5
_REWORDED_SHARE = 0.25
_STEP = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)．、]|[（(]\d{1,2}[)）])\s*")
CORRECTION = "correction: "
"""How the doubt begins that reports a value which a candidate corrects, as evidence says."""

_SETTLED = (
    CORRECTION,
    "claims: doubt: A clause may say something else",
    "claims: doubt: A denial is ",
    "claims: doubt: A claim is neither",
)
"""Doubts that the proof answers: whether a value or a clause that evidence states is right; ``unfit_change`` looks at every
denial and every new sentence itself."""

_EXCHANGED = "claims: doubt: Words of a claim are exchanged"
_REWORDED = (CORRECTION, "claims: doubt: A clause may say something else", _EXCHANGED, "repetition: ")
"""Doubts that two judges answer who prefer a rewording: they say nothing of a lost or new value, claim or denial."""

_READ_AT_ONCE = 1_000
"""So many characters hold fewer dates than are read of one text."""

_LONGEST_QUESTION = 300
_LONGEST_REASON = 1_000
_MOST_REPLIED = 100
_TOKENS_PER_QUESTION = 60
_TOKENS_PER_PAIR = 120
_TOKENS_AROUND = 200
_LONGEST_ANSWER = 4_000


class Holding(StrEnum):
    """What an answer does with what the evidence says about the question."""

    SAYS = "says"
    CONTRADICTS = "contradicts"
    SILENT = "silent"
    UNRELATED = "unrelated"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactQuestion:
    """A question that a correction is tried by."""

    complaint: str  #: The feedback it comes from.
    text: str  #: What is asked.
    is_reworded: bool  #: Whether it is a rewording, not asked in these words.


@dataclass(frozen=True, slots=True, kw_only=True)
class FactMatch:
    """What the answers from both texts do with the evidence, in each order; the one with the original first leads."""

    question: FactQuestion  #: The question.
    original: tuple[Holding, ...] = ()  #: What the answer from the original does.
    candidate: tuple[Holding, ...] = ()  #: What the answer from the candidate does.
    #: Both answers, that from the original first; none where they could not be judged or were not recorded.
    answers: tuple[str, ...] = ()

    @property
    def is_related(self) -> bool:
        """Whether the evidence says something about the question, by either order."""
        return any(one is not Holding.UNRELATED for one in self.candidate) or not self.candidate

    @property
    def is_won(self) -> bool:
        """Whether in every order the candidate says what the evidence says, and the original does not."""
        return _is_ahead(self.candidate, self.original)

    @property
    def is_even(self) -> bool:
        """Whether in every order both say what the evidence says."""
        return bool(self.original) and {*self.original, *self.candidate} == {Holding.SAYS}

    @property
    def is_split(self) -> bool:
        """Return whether the two orders of an answer pair got different verdicts."""
        return len(set(zip(self.original, self.candidate, strict=True))) > 1

    @property
    def is_lost(self) -> bool:
        """Whether in every order the original says what the evidence says, and the candidate does not."""
        return _is_ahead(self.original, self.candidate)


def _is_ahead(one: Sequence[Holding], other: Sequence[Holding]) -> bool:
    return set(one) == {Holding.SAYS} and not {Holding.SAYS, Holding.UNRELATED} & set(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactProof:
    """Whether a correction is proved."""

    is_proved: bool  #: Whether it is.
    reason: str  #: Why, or why not.
    evidence: tuple[str, ...] = ()  #: What states it, by id.
    matches: tuple[FactMatch, ...] = ()  #: What was asked; none where it could not be tried.
    judge: str = ""  #: Name and version of the judge and its words.
    metrics: Scores | None = None  #: Mean scores of its answers to what it won; None where no judge scored any.
    #: Whether the candidate keeps the document's claims in other words, and two judges agree.
    is_reworded: bool = False

    @property
    def win_rate(self) -> float:
        """The share of the related questions that were won, 0-1; 0 of none."""
        related = [one for one in self.matches if one.is_related]
        return sum(one.is_won for one in related) / len(related) if related else 0.0

    def leaves(self, complaint: Complaint) -> bool:
        """Return whether a complaint that says something is not among those to which it won a question."""
        won = {one.question.complaint for one in self.matches if one.is_won}
        asked = {words_of(one.question.text) for one in self.matches if one.question.complaint in won}
        is_answered = complaint.feedback_id in won or words_of(complaint.question) in asked
        return bool(complaint.question.strip() or complaint.comment.strip()) and not is_answered


def open_doubts(doubts: Iterable[str], *, only_adds: bool = False) -> tuple[str, ...]:
    """Return the doubts that a proof of a correction does not answer; where the candidate only adds, no word is exchanged."""
    settled = (*_SETTLED, _EXCHANGED) if only_adds else _SETTLED
    return tuple(one for one in doubts if not one.startswith(settled))


def is_rewording(doubts: Iterable[str]) -> bool:
    """Return whether the gates suspect a candidate at most of other words for what the document and the evidence say."""
    return all(one.startswith(_REWORDED) for one in doubts)


def only_adds(before: str, after: str, language: Language) -> bool:
    """Return whether every sentence of a text is in another, character for character, the numbers of steps aside."""
    return not Counter(one.text for one in _without_steps(before, language)) - Counter(
        one.text for one in _without_steps(after, language)
    )


def unfit_change(before: str, after: str, *, language: Language, evidence: Sequence[str]) -> str:
    """Return why a change is more than a correction; nothing where it is one.

    A correction keeps every sentence of the original, character for character or with what evidence adds to it, and adds
    only what the evidence says.

    Args:
        before: The original with the values that evidence corrects already replaced.
        after: The candidate.
        language: What both are written in.
        evidence: What it names.
    """
    old, now = _without_steps(before, language), _without_steps(after, language)
    dropped = Counter(one.text for one in old) - Counter(one.text for one in now)
    gone, new = changed_claims(old, now)
    left = [_SaidSentence.of(other) for other in new]
    for one in gone:
        mine = _SaidSentence.of(one)
        kept = next((other for other in left if mine.is_kept_by(other)), None)
        if kept is None:
            return f"it does not keep {one.text!r}"
        left.remove(kept)  # one sentence keeps one
        del dropped[one.text]
    if dropped:
        return f"it says {next(iter(dropped))!r} less often"
    known = Counter(word for text in (before, *evidence) for word in content_words(text, language))
    denied = {each for text in (before, *evidence) for claim in read_claims(text, language) for each in claim.denials}
    added = [change.added for change in weigh_spans(before, after, language, evidence=evidence) if change.added]
    if added:
        return f"a value of the candidate, {added[0].quote!r}, is not in the evidence"
    for one in new:
        if not denied.issuperset(one.denials):
            return f"a denial in {one.text!r} is not in the evidence"
        words = set(one.words)
        if words and sum(word in known for word in words) < _KNOWN_SHARE * len(words):
            return f"{one.text!r} is not in the evidence"
    return ""


def dropped_sentence(before: str, after: str, language: Language) -> str:
    """Return why a change is no rewording: a sentence is gone of which no new one keeps a quarter of the words."""
    gone, new = changed_claims(_without_steps(before, language), _without_steps(after, language))
    left = [Counter(one.words) for one in new]
    for one in gone:
        words = Counter(one.words)
        kept = max(left, key=lambda other: (words & other).total(), default=Counter[str]())
        if (words & kept).total() < max(1, _REWORDED_SHARE * words.total()):
            return f"it does not keep {one.text!r}"
        left.remove(kept)
    return ""


def newest_day(text: str, language: Language, *, today: date) -> date | None:
    """Return the last day that a text speaks of and that is not to come; None where it names none.

    Of a month or a year that is not over, the day of the question counts; what only began counts by its beginning.
    """
    days = [
        one.first if one.last == date.max else min(one.last, today)
        for piece in _pieces(text)
        for one in mentioned_periods(piece, language=language, said_at=None)
        if date.min < one.first <= today
    ]
    return max(days, default=None)


def _pieces(text: str) -> Iterator[str]:
    """Cut a text at the ends of lines into pieces of which every date is read."""
    piece = ""
    for line in text.splitlines(keepends=True):
        if piece and len(piece) + len(line) > _READ_AT_ONCE:
            yield piece
            piece = ""
        piece += line
        while len(piece) > MOST_READ:
            yield piece[:MOST_READ]
            piece = piece[MOST_READ:]
    yield piece


def is_newer(evidence: Dated, document: Dated) -> bool:
    """Return whether evidence is newer than a document: by the days that both name, or else by when they were taken in."""
    if evidence.day is not None and document.day is not None:
        return evidence.day > document.day
    return evidence.recorded_at > document.recorded_at


@dataclass(frozen=True, slots=True, kw_only=True)
class Dated:
    """How old a text is."""

    day: date | None  #: The last day that it names, which is not to come; None for none.
    recorded_at: datetime  #: When it was taken in.


def _without_steps(text: str, language: Language) -> tuple[Claim, ...]:
    """Read claims without the numbers of steps, which move when one is put in."""
    lines = (_STEP.sub("", line) if not line.startswith("#") else line for line in text.splitlines())
    return read_claims("\n".join(lines), language)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SaidSentence:
    """What a sentence says, as it is compared with many others."""

    words: Counter[str]
    denials: Counter[str]
    hard_values: frozenset[tuple[SpanKind, str]]

    @classmethod
    def of(cls, claim: Claim) -> _SaidSentence:
        return cls(words=Counter(claim.words), denials=Counter(claim.denials), hard_values=claim.hard_values)

    def is_kept_by(self, other: _SaidSentence) -> bool:
        if not (self.hard_values <= other.hard_values and self.denials <= other.denials):
            return False
        total = self.words.total()
        return total > 0 and (self.words & other.words).total() >= _KEPT_SHARE * total


def tried_complaints(complaints: Iterable[Complaint]) -> tuple[Complaint, ...]:
    """Return the complaints that a correction is tried by: each question once, the first of those without one after them."""
    found: dict[str, Complaint] = {}
    for one in complaints:
        if one.question.strip() or one.comment.strip():
            found.setdefault(words_of(one.question) or f"comment {words_of(one.comment)}", one)
    return tuple(sorted(found.values(), key=lambda one: not one.question.strip())[:MOST_COMPLAINTS])


class RewordedReply(ReplyForm):
    """The rewordings of one complaint."""

    number: Annotated[int, Field(ge=1)]
    questions: Annotated[list[Annotated[str, Field(max_length=_LONGEST_QUESTION)]], Field(max_length=_MOST_REPLIED)]


class RewordingsReply(ReplyForm):
    """What a reply must be."""

    complaints: Annotated[list[RewordedReply], Field(max_length=_MOST_REPLIED)]


REWORD_PROMPT = Prompt(
    name="reword_questions", version=1, purpose="evolution.reword", marks="asked", form=RewordingsReply
)


def rewordings_request(
    instructions: str, title: str, complaints: Sequence[Complaint], language: Language, *, seed: int
) -> ChatRequest:
    """Ask for other wordings of questions that people complained of.

    The data between ``<asked>`` and ``</asked>``: ``language`` (its English name), ``title``, ``count``, and ``complaints``,
    each with ``number`` from 1, ``question`` and ``comment``. The reply is ``RewordingsReply``.
    """
    shown: list[Data] = [
        {"number": number, "question": one.question, "comment": one.comment}
        for number, one in enumerate(complaints, start=1)
    ]
    wanted = REWORDINGS + 1
    data: Data = {"language": language_name(language), "title": title, "count": wanted, "complaints": shown}
    return REWORD_PROMPT.request(
        instructions, data, most_tokens=_TOKENS_PER_QUESTION * wanted * len(complaints) + _TOKENS_AROUND, seed=seed
    )


def read_rewordings(
    reply: str, complaints: Sequence[Complaint], language: Language
) -> tuple[FactQuestion, ...] | Unusable:
    """Return the questions that a correction is tried by: what people asked, and its rewordings; or why there are none.

    A rewording that is no question, in another language, the same as another, or that speaks to a model is left out. A
    complaint that is left with fewer than three wordings is none to try by.
    """
    read = read_reply(reply, RewordingsReply)
    if isinstance(read, Unusable):
        return read
    said = {one.number: one.questions for one in read.complaints}
    found: list[FactQuestion] = []
    for number, one in enumerate(complaints, start=1):
        listed = list(_wordings(one, said.get(number, ()), language, {words_of(other.text) for other in found}))
        if len(listed) >= REWORDINGS:
            found += listed
    return tuple(found) or Unusable(reason="no_question")


def _wordings(
    complaint: Complaint, reworded: Iterable[str], language: Language, taken: set[str]
) -> Iterator[FactQuestion]:
    if complaint.question.strip() and not find_injections(complaint.question):
        taken.add(words_of(complaint.question))
        yield FactQuestion(complaint=complaint.feedback_id, text=complaint.question, is_reworded=False)
    count = 0
    for text in map(one_line, reworded):
        is_fit = ends_with_question(text) and is_written_in(text, language) and not find_injections(text)
        if is_fit and words_of(text) not in taken and count < REWORDINGS:
            taken.add(words_of(text))
            count += 1
            yield FactQuestion(complaint=complaint.feedback_id, text=text, is_reworded=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPair:
    """Two answers to one question, to be held against evidence."""

    question: str  #: What was asked.
    first: str  #: The answer that is shown first.
    second: str  #: The other.


class EvidenceReply(ReplyForm):
    """What the reply says of one pair."""

    number: Annotated[int, Field(ge=1)]
    first: Holding
    second: Holding
    reason: Annotated[str, Field(max_length=_LONGEST_REASON)] = ""


class EvidencesReply(ReplyForm):
    """What a judge's reply must be."""

    pairs: Annotated[list[EvidenceReply], Field(max_length=_MOST_REPLIED)]


FACTS_PROMPT = Prompt(
    name="judge_facts", version=1, purpose="evolution.judge_facts", marks="facts", form=EvidencesReply
)


def facts_request(
    instructions: str, pairs: Sequence[FactPair], evidence: Sequence[EvidenceText], language: Language, *, seed: int
) -> ChatRequest:
    """Ask what answers do with what evidence says.

    The data between ``<facts>`` and ``</facts>``: ``language`` (its English name), ``evidence``, each with ``source`` and
    ``text``, and ``pairs``, each with ``number`` from 1, ``question``, ``first`` and ``second``. The reply is ``EvidencesReply``.
    """
    shown: list[Data] = [
        {
            "number": number,
            "question": one.question,
            "first": one.first[:_LONGEST_ANSWER],
            "second": one.second[:_LONGEST_ANSWER],
        }
        for number, one in enumerate(pairs, start=1)
    ]
    told: list[Data] = [{"source": one.source, "text": one.text} for one in evidence]
    return FACTS_PROMPT.request(
        instructions,
        {"language": language_name(language), "evidence": told, "pairs": shown},
        most_tokens=_TOKENS_PER_PAIR * len(pairs) + _TOKENS_AROUND,
        seed=seed,
    )


def read_facts(reply: str, pairs: Sequence[FactPair]) -> Mapping[int, tuple[Holding, Holding]] | Unusable:
    """Return what was said of each pair, by its place from 0; omit one that is named twice or not at all."""
    read = read_reply(reply, EvidencesReply)
    if isinstance(read, Unusable):
        return read
    said = once_each(read.pairs, lambda one: one.number)
    return {number - 1: (one.first, one.second) for number, one in said.items() if number <= len(pairs)}


def proof_of(
    matches: Sequence[FactMatch], *, evidence: Sequence[str], judge: str, decides_between: bool = False
) -> FactProof:
    """Return what the answers prove.

    Half of each complaint's wordings must be won, and three in four of all, those aside that the evidence says nothing about or
    that both texts answer with what it says, and complaints that both answer alike; and of all that was asked none may be lost.

    Args:
        matches: What was asked, in the order of the complaints.
        evidence: What states the correction, by id.
        judge: Name and version of the judge and its words.
        decides_between: Whether the original itself says both what it should and what it should not: then one question
            that it answers wrongly is enough, and else three are.
    """
    groups: dict[str, list[FactMatch]] = {}
    for one in matches:
        if one.is_related and not one.is_even:
            groups.setdefault(one.question.complaint, []).append(one)
    moved = {
        id_: some
        for id_, some in groups.items()
        if any(one.original != one.candidate or not one.candidate for one in some)
    }
    groups = moved or groups  # what both texts answer alike is about something else
    failed = [[one for one in some if not one.is_won] for some in groups.values()]
    worst = max(failed, key=len) if failed else []
    is_hardly_won = 4 * sum(map(len, failed)) > sum(map(len, groups.values())) or any(
        2 * len(some) > len(whole) for some, whole in zip(failed, groups.values(), strict=True)
    )
    lost = next((one for one in matches if one.is_lost), None)
    wins = sum(one.is_won for one in matches)
    reason, is_proved = "as newer evidence says", False
    if not any(one.is_related for one in matches):
        reason = "the evidence says nothing about what people asked"
    elif lost is not None:
        reason = f"only the original says what the evidence says to {lost.question.text!r}"
    elif is_hardly_won:
        reason = f"the new text does not state what the evidence says to {worst[0].question.text!r}"
    elif wins < (1 if decides_between else _LEAST_WINS):
        reason = "the original answers most of what people asked as the evidence does"
    else:
        is_proved = True
    return FactProof(is_proved=is_proved, reason=reason, evidence=tuple(evidence), matches=tuple(matches), judge=judge)
