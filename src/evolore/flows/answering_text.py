"""Questions answered from the text of one document alone, as a trial asks them of an original and its candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolore.domain.answering import AnswerKind
from evolore.domain.chats import ChatFailure, ChatFailureKind, ChatUsage
from evolore.domain.checks import check_text
from evolore.domain.knowledge import Span
from evolore.errors import InvalidValue
from evolore.flows.likeness_of_units import UnitLikeness
from evolore.flows.prompt_words import prompt_words
from evolore.recall.answer_asking import PROMPT_VERSION, UnusableAnswer, answer_prompt, read_answer
from evolore.recall.answer_words import joined, not_in_sources
from evolore.recall.asked_words import AskedWords, rarity
from evolore.recall.document_pieces import best_pieces, document_pieces
from evolore.recall.extracting import ReadPassage, extract, nearest_unit
from evolore.text.scripts import detect_language
from evolore.text.tokens import analyse, query_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evolore.domain.chats import ChatOutcome
    from evolore.domain.proposing import DocumentText
    from evolore.flows.asking import Asker
    from evolore.flows.context import Context
    from evolore.recall.answer_asking import Written
    from evolore.recall.answer_settings import AnswerSettings
    from evolore.recall.document_pieces import Piece

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

    Where there is a chat model it writes the answers, all in one batch; a call that fails, or a reply that cannot be
    used, is a failure with its reason, and no other answer is given in its stead: of two texts that are compared, both
    are answered the same way. Without one, answers are sentences of the document, word for word.

    Args:
        context: Where; nothing is written.
        asker: Who asks the model, and pays; None for no model.
        asked: The questions, each with its document.

    Returns:
        In the order of the questions.
    """
    reading = _Reading(context)
    shown = [reading.pieces(one) for one in asked]
    if asker is None or not asker.has_model:
        return tuple(reading.extracted(one, pieces) for one, pieces in zip(asked, shown, strict=True))
    words, settings = prompt_words("answer_question", PROMPT_VERSION), context.answer_settings
    requests = [
        answer_prompt(
            words,
            one.question,
            [piece.passage for piece in pieces],
            language=detect_language(one.question),
            most_characters=settings.characters,
            seed=one.attempt,
        )
        for one, pieces in zip(asked, shown, strict=True)
    ]
    outcomes = asker.complete(requests)
    return tuple(
        reading.written(one, pieces, outcome) for one, pieces, outcome in zip(asked, shown, outcomes, strict=True)
    )


class _Reading:
    """Reads documents for questions, each document once."""

    def __init__(self, context: Context) -> None:
        self._settings: AnswerSettings = context.answer_settings
        self._likeness = UnitLikeness(context)
        self._pieces: dict[tuple[str, str], tuple[Piece, ...]] = {}

    def pieces(self, one: TextQuestion) -> tuple[Piece, ...]:
        """Give what a question is answered from."""
        pieces, most = self._all(one.document), self._settings.passage_characters
        if sum(len(piece.passage.text) for piece in pieces) <= most:
            return pieces
        words = self._words(one)
        held = [frozenset(analyse(f"{piece.passage.context}\n{piece.passage.text}")) for piece in pieces]
        alike = self._likeness.of_question(one.question, [piece.passage.text for piece in pieces])
        scores = [words.covered(own) + _MEANING * float(near) for own, near in zip(held, alike, strict=True)]
        return best_pieces(pieces, scores, characters=most)

    def extracted(self, one: TextQuestion, pieces: Sequence[Piece]) -> TextAnswer:
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

    def written(self, one: TextQuestion, pieces: Sequence[Piece], outcome: ChatOutcome) -> TextAnswer | ChatFailure:
        """Take what a chat model said."""
        if isinstance(outcome, ChatFailure):
            return outcome
        language = detect_language(one.question)
        passages = [piece.passage for piece in pieces]
        read = read_answer(outcome.text, passages, language=language, most_characters=self._settings.characters)
        if isinstance(read, UnusableAnswer):
            return ChatFailure(kind=ChatFailureKind.FAILED, detail=str(read), usage=outcome.usage)
        if not read.sentences:
            return TextAnswer(text=not_in_sources(language), kind=AnswerKind.NOT_IN_SOURCES, usage=outcome.usage)
        return TextAnswer(
            text=joined((sentence.text for sentence in read.sentences), language),
            kind=AnswerKind.WRITTEN,
            passages=self._rests_on(read, pieces),
            usage=outcome.usage,
        )

    def _rests_on(self, written: Written, pieces: Sequence[Piece]) -> tuple[Span, ...]:
        spans: list[Span] = []
        for sentence in written.sentences:
            words = AskedWords.of(sentence.text, {})
            for place in sentence.passages:
                passage = ReadPassage.of(pieces[place].passage)
                unit = nearest_unit(words, passage, self._likeness.of_sentence(sentence.text, passage.texts))
                spans.append(_moved(unit.span if unit else Span(0, len(passage.passage.text)), pieces[place]))
        return _in_order(spans)

    def _all(self, document: DocumentText) -> tuple[Piece, ...]:
        key = (document.title, document.text)
        if key not in self._pieces:
            self._pieces[key] = document_pieces(document)
        return self._pieces[key]

    def _words(self, one: TextQuestion) -> AskedWords:
        pieces, tokens = self._all(one.document), query_tokens(one.question)
        held = [frozenset(analyse(piece.passage.text)) for piece in pieces]
        found_in = {token: sum(token in words for words in held) for token in tokens}
        return AskedWords.of(one.question, rarity(found_in, len(pieces)))


def _moved(span: Span, piece: Piece) -> Span:
    return Span(piece.start + span.start, piece.start + span.end)


def _in_order(spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(sorted(set(spans)))
