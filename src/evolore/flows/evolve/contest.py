"""The contest of a job: questions are answered from original and candidate, and the answers compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evolore.answers.extraction import ReadPassage, Stretch, best_pieces, document_pieces, extract, nearest_unit
from evolore.answers.settings import PASSAGE_CHARACTERS, AnswerSettings
from evolore.answers.writing import (
    SEVERAL_PROMPT_VERSION,
    Composed,
    UnusableAnswer,
    answers_prompt,
    joined,
    not_in_sources,
    read_answers,
)
from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.answer import AnswerKind
from evolore.domain.chat import ChatFailure, ChatFailureKind, ChatOutcome, ChatUsage
from evolore.domain.checks import check_text
from evolore.domain.contest import DocumentText, JudgeReply, NoVerdict, Order, SameAnswer
from evolore.domain.document import Span
from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.evolution.contest_questions import words_of
from evolore.evolution.job import ORIGINAL, AnswerKey, JobCandidate, StepKind
from evolore.evolution.matches import (
    JUDGE_PROMPT,
    PAIRS_PER_CALL,
    JudgeReplies,
    JudgeRequest,
    Pair,
    control_of,
    control_pairs,
    judge_request,
    judged_form,
    read_matches,
)
from evolore.flows.answer import UnitLikeness
from evolore.flows.evolve.documents import as_one, joined_after
from evolore.flows.evolve.log import Desk, Done, Stopped, pause_after_failures
from evolore.text.question_words import AskedWords, rarity
from evolore.text.scripts import detect_language
from evolore.text.tokens import analyse, query_tokens

if TYPE_CHECKING:
    from evolore.flows.context import Context

__all__ = [
    "Pair",
    "judge_pairs",
]

QUESTIONS_PER_CALL = 16
"""How many questions to one text are answered in one call."""

_AT_ONCE = 48
_SEVERAL = 4
"""Where so many answers in a row cannot be used, or the first, it is the model's fault and not a question's."""

_STEP = re.compile(r"^[^\S\n]*\d{1,2}[.)．、]\s+", re.MULTILINE)
_ONCE_MORE = 50
"""What is added to an attempt, and so to the seed, where a reply could not be used."""


def answered(desk: Desk) -> Done:
    """Answer what is needed next from original and candidates, all in one way."""
    keys, documents = desk.job.answers_left[:_AT_ONCE], desk.documents()
    asked = [
        TextQuestion(question=key.question, document=_read(desk, key, documents), attempt=key.attempt) for key in keys
    ]
    texts = usable_answers(desk, asked)
    was_answered = any(text is not None for text in desk.job.answers.values())
    if not any(texts) and (len(texts) >= _SEVERAL or not was_answered):
        raise Stopped(
            "No question could be answered from the document: the model's replies cannot be used.", is_unusable=True
        )
    answers = [
        {"candidate": key.candidate_id, "question": key.question, "attempt": key.attempt, "text": text}
        for key, text in zip(keys, texts, strict=True)
    ]
    return Done(kind=StepKind.ANSWERED, body={"answers": answers})


def usable_answers(desk: Desk, asked: Sequence[TextQuestion]) -> list[str | None]:
    """Answer questions; what could not be used is asked for once more, and is None where it fails again."""
    texts = _answers_to(desk, asked)
    missing = [place for place, text in enumerate(texts) if text is None]
    if missing:
        again = [replace(asked[place], attempt=asked[place].attempt + _ONCE_MORE) for place in missing]
        for place, text in zip(missing, _answers_to(desk, again), strict=True):
            texts[place] = text
    return texts


def _answers_to(desk: Desk, asked: Sequence[TextQuestion]) -> list[str | None]:
    told = answer_text(desk.context, desk.asker, asked)
    pause_after_failures(desk)
    return [None if isinstance(one, ChatFailure) else one.text for one in told]


def _read(desk: Desk, key: AnswerKey, documents: Sequence[DocumentText]) -> DocumentText:
    """Return what is asked: the original, or a candidate's texts in its place."""
    if key.candidate_id == ORIGINAL:
        return as_one(documents)
    candidate = desk.job.candidate(key.candidate_id)
    assert candidate is not None
    return _candidate_text(candidate, documents)


def _candidate_text(candidate: JobCandidate, documents: Sequence[DocumentText]) -> DocumentText:
    """Return a candidate's texts as one document."""
    first = as_one(documents)
    return DocumentText(
        document_id=first.document_id,
        version=first.version,
        source=first.source,
        title=first.title,
        text=joined_after(documents, candidate.texts),
        media_type=first.media_type,
        language=first.language,
    )


def judged(desk: Desk) -> Done:
    """Ask the judge to compare answers; a verdict that is missing twice counts for the original, and where most are a job pauses."""
    requests = desk.job.awaited[: 2 * _AT_ONCE]
    language = as_one(desk.documents()).language
    pairs = {request: _pair(desk, request, language) for request in requests}
    asked = [(request, pair) for request, pair in pairs.items() if pair is not None]
    replies = _verdicts(desk, [pair for _, pair in asked])
    heard = dict(zip((request for request, _ in asked), replies, strict=True))
    silent = sum(isinstance(reply, NoVerdict) for reply in heard.values())
    if heard and 2 * silent > len(heard):
        reason = next(reply.reason for reply in heard.values() if isinstance(reply, NoVerdict))
        raise Stopped(f"The judge gave no verdict that can be used: {reason}", is_unusable=True)
    told = [
        judged_form(JudgeReplies(request=request, reply=heard.get(request) or _unjudged(desk, request)))
        for request in requests
    ]
    return Done(kind=StepKind.JUDGED, body={"judged": told})


def controlled(desk: Desk) -> Done:
    """Ask the judge to compare control pairs; the same pairs each time, so that a kept reply costs nothing."""
    judge = f"{desk.asker.model_id}/{JUDGE_PROMPT}"
    replies = judge_pairs(desk.asker, control_pairs(as_one(desk.documents()).language))
    pause_after_failures(desk)
    return Done(kind=StepKind.CONTROLLED, body={"control": control_of(replies, judge=judge)})


def _verdicts(desk: Desk, pairs: Sequence[Pair]) -> list[JudgeReply]:
    """Ask the judge for verdicts on pairs; what could not be used is asked for once more."""
    replies = list(judge_pairs(desk.asker, pairs))
    pause_after_failures(desk)
    missing = [place for place, one in enumerate(replies) if isinstance(one, NoVerdict) and not pairs[place].unfit]
    if missing:
        again = [replace(pairs[place], attempt=pairs[place].attempt + _ONCE_MORE) for place in missing]
        for place, reply in zip(missing, judge_pairs(desk.asker, again), strict=True):
            replies[place] = reply
        pause_after_failures(desk)
    return replies


def _unjudged(desk: Desk, request: JudgeRequest) -> JudgeReply:
    """Return why nobody is asked about a pair: its answers are the same, or the original's is missing; or the candidate's is."""
    original, candidate = _answers(desk, request)
    if original is not None and candidate is None:
        return NoVerdict(reason="the candidate's answer is missing")
    return SameAnswer()


def _answers(desk: Desk, request: JudgeRequest) -> tuple[str | None, str | None]:
    match = request.match
    answers = desk.job.answers
    return (
        answers.get(AnswerKey(ORIGINAL, match.question, match.attempt)),
        answers.get(AnswerKey(match.candidate_id, match.question, match.attempt)),
    )


def _bare(answer: str) -> str:
    """Return the words of an answer without the numbers of steps: a step that moved down says the same."""
    return words_of(_STEP.sub("", answer))


def _pair(desk: Desk, request: JudgeRequest, language: object) -> Pair | None:
    match = request.match
    original, candidate = _answers(desk, request)
    if original is None or candidate is None or _bare(original) == _bare(candidate):
        return None
    is_first = request.order is Order.ORIGINAL_FIRST
    assert desk.job.plan is not None
    return Pair(
        question=match.question,
        first=original if is_first else candidate,
        second=candidate if is_first else original,
        language=language,  # pyright: ignore[reportArgumentType]
        attempt=match.attempt + 100 * desk.job.stops,
        reference="\n\n".join(one.text for one in desk.job.plan.evidence),
    )


def judge_pairs(asker: Asker, pairs: Sequence[Pair]) -> tuple[JudgeReply, ...]:
    """Ask the judge to compare pairs of answers, up to eight in one call; nothing the model does raises.

    The two orders of one pair never stand in one call.

    Args:
        asker: Asks the chat model within its budget. What is over it gets no verdict.
        pairs: What to judge; the same pair in both orders is two of them.

    Returns:
        In the order of ``pairs``: a verdict, or why there is none.
    """
    words = prompt_words(JUDGE_PROMPT.name, JUDGE_PROMPT.version)
    judge = f"{asker.model_id}/{JUDGE_PROMPT}"
    unfit = [pair.unfit for pair in pairs]
    batches = _batches([(place, pair) for place, pair in enumerate(pairs) if not unfit[place]])
    outcomes = asker.complete([judge_request(words, [pair for _, pair in batch]) for batch in batches])
    replies: list[JudgeReply] = [NoVerdict(reason=reason) for reason in unfit]
    for batch, outcome in zip(batches, outcomes, strict=True):
        for (place, _), reply in zip(batch, _read_reply(outcome, [pair for _, pair in batch], judge), strict=True):
            replies[place] = reply
    return tuple(replies)


def _batches(asked: Sequence[tuple[int, Pair]]) -> list[list[tuple[int, Pair]]]:
    """Put pairs into calls: of one attempt, none with the same two answers to the same question as another."""
    batches: list[list[tuple[int, Pair]]] = []
    for place, pair in asked:
        fit = (
            batch
            for batch in batches
            if len(batch) < PAIRS_PER_CALL
            and (batch[0][1].attempt, batch[0][1].language, batch[0][1].reference)
            == (pair.attempt, pair.language, pair.reference)
            and all(_content(other) != _content(pair) for _, other in batch)
        )
        chosen = next(fit, None)
        if chosen is None:
            batches.append([(place, pair)])
        else:
            chosen.append((place, pair))
    return batches


def _content(pair: Pair) -> tuple[str, frozenset[str]]:
    return pair.question, frozenset({pair.first, pair.second})


def _read_reply(outcome: ChatOutcome, pairs: Sequence[Pair], judge: str) -> tuple[JudgeReply, ...]:
    if isinstance(outcome, ChatFailure):
        reason = f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value
        return (NoVerdict(reason=reason),) * len(pairs)
    return read_matches(outcome.text, pairs, judge=judge)


_MEANING = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuestion:
    """A question to one document.

    Args:
        question: What is asked.
        document: What it is answered from, and nothing else.
        attempt: From 0; another one asks anew, with another seed.
    """

    question: str
    document: DocumentText
    attempt: int = 0

    def __post_init__(self) -> None:
        check_text(self.question, "The question")
        if self.attempt < 0:
            raise InvalidValue(f"attempt is {self.attempt}: give at least 0.")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextAnswer:
    """What a document says to a question.

    Args:
        text: The answer, without numbers of citations; that there is none, in the question's language, where the
            document does not say it.
        kind: How it was made.
        passages: What it rests on, in the document's text, each once, in text order.
        usage: What it cost.
    """

    text: str
    kind: AnswerKind
    passages: tuple[Span, ...] = ()
    usage: ChatUsage = field(default_factory=ChatUsage)


def answer_text(
    context: Context, asker: Asker | None, asked: Sequence[TextQuestion]
) -> tuple[TextAnswer | ChatFailure, ...]:
    """Answer each question from its document alone: from the sections that suit it best, at most some 6,000 characters.

    Where there is a chat model it writes the answers, those to one text in one call of up to sixteen; a call that fails,
    or an answer that cannot be used, is a failure with its reason, and no other answer is given in its stead: of two texts
    that are compared, both are answered the same way. Without one, answers are sentences of the document, word for word.

    Args:
        context: Where; nothing is written.
        asker: Who asks the model, and pays; None for no model.
        asked: The questions, each with its document.

    Returns:
        In the order of the questions.
    """
    reading = _DocumentReader(context)
    if asker is None or not asker.has_model:
        return tuple(reading.extracted(one, reading.pieces([one])) for one in asked)
    groups = list(_groups(asked))
    shown = [reading.pieces(group) for group in groups]
    words, settings = prompt_words("answer_questions", SEVERAL_PROMPT_VERSION), context.settings.answer
    requests = [
        answers_prompt(
            words,
            [one.question for one in group],
            [piece.passage for piece in pieces],
            language=detect_language(group[0].question),
            most_characters=settings.characters,
            seed=group[0].attempt,
        )
        for group, pieces in zip(groups, shown, strict=True)
    ]
    told: dict[TextQuestion, TextAnswer | ChatFailure] = {}
    for group, pieces, outcome in zip(groups, shown, asker.complete(requests), strict=True):
        told |= zip(group, reading.written(group, pieces, outcome), strict=True)
    return tuple(told[one] for one in asked)


def _groups(asked: Sequence[TextQuestion]) -> Iterator[tuple[TextQuestion, ...]]:
    """Yield what is asked in one call: questions to one text in one language, so many at the most."""
    together: dict[tuple[object, ...], dict[TextQuestion, None]] = {}
    for one in asked:
        key = (one.document.title, one.document.text, one.attempt, detect_language(one.question))
        together.setdefault(key, {})[one] = None
    for some in together.values():
        listed = tuple(some)
        yield from (listed[start : start + QUESTIONS_PER_CALL] for start in range(0, len(listed), QUESTIONS_PER_CALL))


class _DocumentReader:
    """Reads documents for questions, each document once."""

    def __init__(self, context: Context) -> None:
        self._settings: AnswerSettings = context.settings.answer
        self._likeness = UnitLikeness(context)
        self._pieces: dict[tuple[str, str], tuple[Stretch, ...]] = {}

    def pieces(self, asked: Sequence[TextQuestion]) -> tuple[Stretch, ...]:
        """Return what questions to one document are answered from: of a long one, what suits any of them best."""
        pieces, most = self._all(asked[0].document), PASSAGE_CHARACTERS
        if sum(len(piece.passage.text) for piece in pieces) <= most:
            return pieces
        held = [frozenset(analyse(f"{piece.passage.context}\n{piece.passage.text}")) for piece in pieces]
        texts = [piece.passage.text for piece in pieces]
        scores = [0.0] * len(pieces)
        for one in asked:
            words, alike = self._words(one), self._likeness.of_question(one.question, texts)
            mine = [words.covered(own) + _MEANING * float(near) for own, near in zip(held, alike, strict=True)]
            scores = [max(pair) for pair in zip(scores, mine, strict=True)]
        return best_pieces(pieces, scores, characters=most)

    def extracted(self, one: TextQuestion, pieces: Sequence[Stretch]) -> TextAnswer:
        """Answer with sentences of the document."""
        read = [ReadPassage.of(piece.passage) for piece in pieces]
        alike = [self._likeness.of_question(one.question, passage.texts) for passage in read]
        items = len(self._all(one.document))
        found = extract(
            self._words(one),
            read,
            alike,
            items=items,
            settings=self._settings,
            knows_meaning=self._likeness.knows_meaning,
        )
        language = detect_language(one.question)
        if not found.quoted or found.likelihood < self._settings.least_likelihood:
            return TextAnswer(text=not_in_sources(language), kind=AnswerKind.NOT_IN_SOURCES)
        text = "\n".join(quote.span.of(pieces[quote.passage].passage.text) for quote in found.quoted)
        spans = (_moved(quote.span, pieces[quote.passage]) for quote in found.quoted)
        return TextAnswer(text=text, kind=AnswerKind.EXTRACTED, passages=_in_order(spans))

    def written(
        self, asked: Sequence[TextQuestion], pieces: Sequence[Stretch], outcome: ChatOutcome
    ) -> tuple[TextAnswer | ChatFailure, ...]:
        """Read a chat model's reply to questions that were asked in one call; the first answer carries what that cost."""
        if isinstance(outcome, ChatFailure):
            return (outcome,) * len(asked)
        language = detect_language(asked[0].question)
        read = read_answers(
            outcome.text,
            len(asked),
            [piece.passage for piece in pieces],
            language=language,
            most_characters=self._settings.characters,
        )
        costs = (outcome.usage, *(ChatUsage() for _ in asked[1:]))
        return tuple(self._answer(one, pieces, language, usage) for one, usage in zip(read, costs, strict=True))

    def _answer(
        self, read: Composed | UnusableAnswer, pieces: Sequence[Stretch], language: Language, usage: ChatUsage
    ) -> TextAnswer | ChatFailure:
        if isinstance(read, UnusableAnswer):
            return ChatFailure(kind=ChatFailureKind.FAILED, detail=str(read), usage=usage)
        if not read.sentences:
            return TextAnswer(text=not_in_sources(language), kind=AnswerKind.NOT_IN_SOURCES, usage=usage)
        return TextAnswer(
            text=joined((sentence.text for sentence in read.sentences), language),
            kind=AnswerKind.WRITTEN,
            passages=self._rests_on(read, pieces),
            usage=usage,
        )

    def _rests_on(self, written: Composed, pieces: Sequence[Stretch]) -> tuple[Span, ...]:
        spans: list[Span] = []
        for sentence in written.sentences:
            words = AskedWords.of(sentence.text, {})
            for place in sentence.passages:
                passage = ReadPassage.of(pieces[place].passage)
                unit = nearest_unit(words, passage, self._likeness.of_sentence(sentence.text, passage.texts))
                spans.append(_moved(unit.span if unit else Span(0, len(passage.passage.text)), pieces[place]))
        return _in_order(spans)

    def _all(self, document: DocumentText) -> tuple[Stretch, ...]:
        key = (document.title, document.text)
        if key not in self._pieces:
            self._pieces[key] = document_pieces(document)
        return self._pieces[key]

    def _words(self, one: TextQuestion) -> AskedWords:
        pieces, tokens = self._all(one.document), query_tokens(one.question)
        held = [frozenset(analyse(piece.passage.text)) for piece in pieces]
        found_in = {token: sum(token in words for words in held) for token in tokens}
        return AskedWords.of(one.question, rarity(found_in, len(pieces)))


def _moved(span: Span, piece: Stretch) -> Span:
    return Span(piece.start + span.start, piece.start + span.end)


def _in_order(spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(sorted(set(spans)))
