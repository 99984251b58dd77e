"""The contest of a job: answer questions from original and candidate, and compare the answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from evolore.answers import writing
from evolore.answers.extraction import Passage, best_passages, document_passages
from evolore.answers.settings import PASSAGE_CHARACTERS
from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.chat import ChatFailure, ChatFailureKind, ChatOutcome
from evolore.domain.checks import check_least, check_text
from evolore.domain.contest import DocumentText, JudgeReply, NoVerdict, Order, SameAnswer
from evolore.domain.language import Language
from evolore.evolution import matches
from evolore.evolution.contest_questions import words_of
from evolore.evolution.job import ORIGINAL, AnswerKey
from evolore.evolution.job_steps import Answered, Controlled, GivenAnswer, StepKind, judged_body
from evolore.flows.answer import UnitLikeness
from evolore.flows.context import Context
from evolore.flows.evolve.documents import as_one, joined_after
from evolore.flows.evolve.log import Desk, Done, Stopped, pause_after_failures
from evolore.text.question_words import AskedWords, rarity
from evolore.text.scripts import detect_language
from evolore.text.tokens import analyse, query_tokens

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
    answers = tuple(
        GivenAnswer(candidate=key.candidate_id, question=key.question, attempt=key.attempt, text=text)
        for key, text in zip(keys, texts, strict=True)
    )
    return Done(kind=StepKind.ANSWERED, body=Answered(answers=answers))


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
    return [None if isinstance(one, ChatFailure) else one for one in told]


def _read(desk: Desk, key: AnswerKey, documents: Sequence[DocumentText]) -> DocumentText:
    """Return what is asked: the original, or a candidate's texts in its place."""
    original = as_one(documents)
    candidate = desk.job.candidate(key.candidate_id)
    return original if candidate is None else replace(original, text=joined_after(documents, candidate.texts))


def judged(desk: Desk) -> Done:
    """Ask the judge to compare answers; a verdict that is missing twice counts for the original, and where most are a job pauses.

    Answers that speak to a model are shown to none: what they lack says nothing against the judge.
    """
    requests = desk.job.awaited[: 2 * _AT_ONCE]
    language = as_one(desk.documents()).language
    pairs = {request: _pair(desk, request, language) for request in requests}
    asked = [(request, pair) for request, pair in pairs.items() if pair is not None]
    replies = _verdicts(desk, [pair for _, pair in asked])
    heard = dict(zip((request for request, _ in asked), replies, strict=True))
    told_of = [reply for (_, pair), reply in zip(asked, replies, strict=True) if not pair.unfit]
    silent = [reply for reply in told_of if isinstance(reply, NoVerdict)]
    if 2 * len(silent) > len(told_of):
        reason = silent[0].reason
        raise Stopped(f"The judge returned no verdict that can be used: {reason}", is_unusable=True)
    told = ((one, heard.get(one) or _unjudged(desk, one)) for one in requests)
    return Done(kind=StepKind.JUDGED, body=judged_body(told))


def controlled(desk: Desk) -> Done:
    """Ask the judge to compare control pairs; the same pairs each time, so that a kept reply costs nothing."""
    judge = f"{desk.asker.model_id}/{matches.JUDGE_PROMPT}"
    replies = judge_pairs(desk.asker, matches.control_pairs(as_one(desk.documents()).language))
    pause_after_failures(desk)
    return Done(kind=StepKind.CONTROLLED, body=Controlled(control=matches.control_of(replies, judge=judge)))


def _verdicts(desk: Desk, pairs: Sequence[matches.Pair]) -> list[JudgeReply]:
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


def _unjudged(desk: Desk, request: matches.JudgeRequest) -> JudgeReply:
    """Return why the judge is not asked about a pair: its answers are equal, or one of them is missing."""
    original, candidate = _answers(desk, request)
    if original is not None and candidate is None:
        return NoVerdict(reason="the candidate's answer is missing")
    return SameAnswer()


def _answers(desk: Desk, request: matches.JudgeRequest) -> tuple[str | None, str | None]:
    match = request.match
    answers = desk.job.answers
    return (
        answers.get(AnswerKey(ORIGINAL, match.question, match.attempt)),
        answers.get(AnswerKey(match.candidate_id, match.question, match.attempt)),
    )


def _bare(answer: str) -> str:
    """Return the words of an answer without the numbers of steps: a step that moved down says the same."""
    return words_of(_STEP.sub("", answer))


def _pair(desk: Desk, request: matches.JudgeRequest, language: Language) -> matches.Pair | None:
    match = request.match
    original, candidate = _answers(desk, request)
    if original is None or candidate is None or _bare(original) == _bare(candidate):
        return None
    is_first = request.order is Order.ORIGINAL_FIRST
    return matches.Pair(
        question=match.question,
        first=original if is_first else candidate,
        second=candidate if is_first else original,
        language=language,
        attempt=match.attempt + 100 * desk.job.stops,
        reference="\n\n".join(one.text for one in desk.job.plan.evidence),
    )


def judge_pairs(asker: Asker, pairs: Sequence[matches.Pair]) -> tuple[JudgeReply, ...]:
    """Ask the judge to compare pairs of answers, up to eight in one call; nothing the model does raises.

    The two orders of one pair are never in one call.

    Args:
        asker: Asks the chat model within its budget. What is over it gets no verdict.
        pairs: What to judge; the same pair in both orders is two of them.

    Returns:
        In the order of ``pairs``: a verdict, or why there is none.
    """
    words = prompt_words(matches.JUDGE_PROMPT.name, matches.JUDGE_PROMPT.version)
    judge = f"{asker.model_id}/{matches.JUDGE_PROMPT}"
    unfit = [pair.unfit for pair in pairs]
    batches = _batches([(place, pair) for place, pair in enumerate(pairs) if not unfit[place]])
    outcomes = asker.complete([matches.judge_request(words, [pair for _, pair in batch]) for batch in batches])
    replies: list[JudgeReply] = [NoVerdict(reason=reason) for reason in unfit]
    for batch, outcome in zip(batches, outcomes, strict=True):
        for (place, _), reply in zip(batch, _read_reply(outcome, [pair for _, pair in batch], judge), strict=True):
            replies[place] = reply
    return tuple(replies)


def _batches(asked: Sequence[tuple[int, matches.Pair]]) -> list[list[tuple[int, matches.Pair]]]:
    """Put pairs into calls: of one attempt, none with the same two answers to the same question as another."""
    batches: list[list[tuple[int, matches.Pair]]] = []
    for place, pair in asked:
        fit = (
            batch
            for batch in batches
            if len(batch) < matches.PAIRS_PER_CALL
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


def _content(pair: matches.Pair) -> tuple[str, frozenset[str]]:
    return pair.question, frozenset({pair.first, pair.second})


def _read_reply(outcome: ChatOutcome, pairs: Sequence[matches.Pair], judge: str) -> tuple[JudgeReply, ...]:
    if isinstance(outcome, ChatFailure):
        reason = f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value
        return (NoVerdict(reason=reason),) * len(pairs)
    return matches.read_matches(outcome.text, pairs, judge=judge)


_MEANING = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuestion:
    """A question to one document."""

    question: str  #: What is asked.
    document: DocumentText  #: What it is answered from, and nothing else.
    attempt: int = 0  #: From 0; another one asks again, with another seed.

    def __post_init__(self) -> None:
        check_text(self.question, "The question")
        check_least(0, attempt=self.attempt)


def answer_text(context: Context, asker: Asker, asked: Sequence[TextQuestion]) -> tuple[str | ChatFailure, ...]:
    """Answer each question from its document alone: from the sections that suit it best, at most some 6,000 characters.

    Questions to one text are asked in one call, up to sixteen. A call that fails, or an answer that cannot be used, is a
    failure with its reason. What the document does not say is answered so, in the question's language.

    Returns:
        In the order of the questions.
    """
    likeness = UnitLikeness(context)
    groups = list(_groups(asked))
    shown = [_shown(group, likeness) for group in groups]
    words, most = prompt_words("answer_questions", writing.SEVERAL_PROMPT_VERSION), context.settings.answer.characters
    requests = [
        writing.answers_prompt(
            words,
            [one.question for one in group],
            passages,
            language=detect_language(group[0].question),
            most_characters=most,
            seed=group[0].attempt,
        )
        for group, passages in zip(groups, shown, strict=True)
    ]
    told: dict[TextQuestion, str | ChatFailure] = {}
    for group, passages, outcome in zip(groups, shown, asker.complete(requests), strict=True):
        told |= zip(group, _read_answers(group, passages, outcome, most_characters=most), strict=True)
    return tuple(told[one] for one in asked)


def _groups(asked: Sequence[TextQuestion]) -> Iterator[tuple[TextQuestion, ...]]:
    """Yield what is asked in one call: questions to one text in one language, up to a maximum number."""
    together: dict[tuple[object, ...], dict[TextQuestion, None]] = {}
    for one in asked:
        key = (one.document.title, one.document.text, one.attempt, detect_language(one.question))
        together.setdefault(key, {})[one] = None
    for some in together.values():
        listed = tuple(some)
        yield from (listed[start : start + QUESTIONS_PER_CALL] for start in range(0, len(listed), QUESTIONS_PER_CALL))


def _shown(asked: Sequence[TextQuestion], likeness: UnitLikeness) -> tuple[Passage, ...]:
    """Return what questions to one document are answered from: of a long one, what suits any of them best."""
    passages = document_passages(asked[0].document)
    texts = [one.text for one in passages]
    if sum(map(len, texts)) <= PASSAGE_CHARACTERS:
        return passages
    own = [frozenset(analyse(text)) for text in texts]
    around = [frozenset(analyse(f"{one.context}\n{one.text}")) for one in passages]
    scores = [0.0] * len(passages)
    for one in asked:
        found_in = {token: sum(token in words for words in own) for token in query_tokens(one.question)}
        words = AskedWords.of(one.question, rarity(found_in, len(passages)))
        (near,) = likeness.of_question(one.question, [texts])
        mine = [words.covered(held) + _MEANING * float(alike) for held, alike in zip(around, near, strict=True)]
        scores = [max(pair) for pair in zip(scores, mine, strict=True)]
    return best_passages(passages, scores, characters=PASSAGE_CHARACTERS)


def _read_answers(
    asked: Sequence[TextQuestion], passages: Sequence[Passage], outcome: ChatOutcome, *, most_characters: int
) -> Sequence[str | ChatFailure]:
    if isinstance(outcome, ChatFailure):
        return (outcome,) * len(asked)
    language = detect_language(asked[0].question)
    read = writing.read_answers(outcome.text, len(asked), passages, language=language, most_characters=most_characters)
    return [
        ChatFailure(kind=ChatFailureKind.FAILED, detail=str(one))
        if isinstance(one, writing.UnusableAnswer)
        else writing.joined((sentence.text for sentence in one.sentences), language) or writing.not_in_sources(language)
        for one in read
    ]
