"""``answer``: what is found is read, and what it says to a question is told, with where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from evolore.domain.answering import Answer, AnswerKind, Citation
from evolore.domain.chats import ChatBudget, ChatFailure, ChatUsage
from evolore.domain.queries import Given
from evolore.flows.answer_sources import read_sources
from evolore.flows.asking import Asker
from evolore.flows.likeness_of_units import UnitLikeness
from evolore.flows.prompt_words import prompt_words
from evolore.flows.recall import recall
from evolore.flows.recording import handed_over, new_query, take_down
from evolore.recall.answer_asking import PROMPT_VERSION, UnusableAnswer, answer_prompt, read_answer
from evolore.recall.answer_support import supports
from evolore.recall.answer_words import joined, not_in_sources
from evolore.recall.asked_words import AskedWords
from evolore.recall.extracting import ReadPassage, extract, nearest_unit
from evolore.text.scripts import detect_language

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from evolore.domain.answers import Query, Recall
    from evolore.domain.episodes import Episode
    from evolore.domain.knowledge import Span
    from evolore.flows.answer_sources import Source, Sources
    from evolore.flows.context import Context
    from evolore.recall.answer_asking import Written


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What is to be said, before it is taken down.

    Args:
        text: The answer, with the numbers of its citations.
        kind: How it was made.
        citations: What it rests on.
        usage: What it cost.
        reason: Why no chat model wrote it though there is one.
        is_by_model: Whether a chat model wrote it, or said that the sources do not say it.
        likelihood: How likely it is that the sources hold an answer; None where a chat model judged that.
    """

    text: str
    kind: AnswerKind
    citations: tuple[Citation, ...] = ()
    usage: ChatUsage = field(default_factory=ChatUsage)
    reason: str = ""
    is_by_model: bool = False
    likelihood: float | None = None


def drafted(context: Context, query: Query) -> Answer:
    """Answer a question, and take nothing down.

    A chat model, where there is one, is shown the best passages and writes the answer; where it fails, or its reply cannot
    be used, the answer is what is extracted, with the reason. Without one, sentences of the sources are the answer, word
    for word. Nothing that the question may not see is read, quoted or shown to the model.
    """
    found = recall(context, query)
    sources = read_sources(context, found)
    drafting = _Drafting(context, found, sources)
    draft = drafting.written() if _asks(context, sources) else drafting.extracted()
    model = context.chat_model.info.id if context.chat_model is not None and draft.is_by_model else ""
    return Answer(
        id="",
        question=query.text,
        text=draft.text,
        kind=draft.kind,
        language=detect_language(query.text),
        citations=draft.citations,
        recall=found,
        principal=query.principal,
        model=model,
        prompt_version=PROMPT_VERSION if draft.is_by_model else 0,
        usage=draft.usage,
        reason=draft.reason,
        canaries=found.canaries,
        likelihood=draft.likelihood,
    )


def answer(context: Context, query: Query, *, record: bool) -> Answer:
    """Answer a question, and take it down with what was handed over and what it rests on, in one transaction.

    Args:
        context: Where, and on whose behalf.
        query: The question.
        record: Whether it is taken down; only then can it be rated.
    """
    said = drafted(context, query)
    found = said.recall
    if not record or found is None or not (found.hits or context.store.has(context.namespace)):
        return said
    at = context.clock.now()
    new = new_query(context, found, _given(found, said.citations), at=at)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        id_ = writer.new_id()
        taken = take_down(context, writer, replace(new, answer_id=id_), at=at)
        kept = replace(said, id=id_, query_id=taken.id, recall=replace(found, query_id=taken.id))
        writer.put_answer(kept, at=at)
        # What it rests on may have been forgotten meanwhile: then nothing of it is kept, and its question alone is rated.
        return kept if writer.answer(id_) is not None else replace(kept, id="")


def _given(found: Recall, citations: Sequence[Citation]) -> tuple[Given, ...]:
    """Give what was handed over: the hits, and what stands next to them where the answer rests on it."""
    cited = dict.fromkeys(one.episode_id for one in citations)
    given = {one.episode_id: one.rank for one in handed_over(found.hits)}
    last = max(given.values(), default=1)
    ranks = given | {id_: last for id_ in cited if id_ not in given}
    return tuple(Given(episode_id=id_, rank=rank, is_cited=id_ in cited) for id_, rank in ranks.items())


def _asks(context: Context, sources: Sources) -> bool:
    return context.chat_model is not None and context.answer_settings.chat_calls > 0 and bool(sources.found)


class _Drafting:
    """Drafts the answer to one question."""

    def __init__(self, context: Context, found: Recall, sources: Sources) -> None:
        self._context = context
        self._settings = context.answer_settings
        self._question = found.query.text
        self._language = detect_language(self._question)
        self._sources = sources
        self._likeness = UnitLikeness(context)

    def extracted(self) -> Draft:
        """Answer with sentences of the sources."""
        sources = self._sources.found
        read = [ReadPassage.of(source.passage) for source in sources]
        alike = [self._likeness.of_question(self._question, passage.texts) for passage in read]
        words = AskedWords.of(self._question, self._sources.rarity)
        found = extract(
            words,
            read,
            alike,
            items=self._sources.items,
            settings=self._settings,
            knows_meaning=self._likeness.knows_meaning,
        )
        if not found.quoted or found.likelihood < self._settings.least_likelihood:
            return self._none(found.likelihood)
        numbered = Numbered(self._sources)
        lines = [numbered.quoted(sources[quote.passage], quote.span) for quote in found.quoted]
        return Draft(
            text="\n".join(lines),
            kind=AnswerKind.EXTRACTED,
            citations=numbered.citations,
            likelihood=found.likelihood,
        )

    def written(self) -> Draft:
        """Let the chat model answer; where it does not, say so and extract."""
        shown = self._shown()
        passages = [source.passage for source in shown]
        most = self._settings.characters
        request = answer_prompt(
            prompt_words("answer_question", PROMPT_VERSION),
            self._question,
            passages,
            language=self._language,
            most_characters=most,
        )
        asker = self._asker()
        (outcome,) = asker.complete([request])
        if isinstance(outcome, ChatFailure):
            reason = f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value
            return replace(self.extracted(), usage=asker.usage, reason=reason)
        read = read_answer(outcome.text, passages, language=self._language, most_characters=most)
        if isinstance(read, UnusableAnswer):
            return replace(self.extracted(), usage=asker.usage, reason=str(read))
        draft = self._of_model(read, shown)
        if isinstance(draft, UnusableAnswer):
            return replace(self.extracted(), usage=asker.usage, reason=str(draft))
        return replace(draft, usage=asker.usage, is_by_model=True)

    def _of_model(self, written: Written, shown: Sequence[Source]) -> Draft | UnusableAnswer:
        if not written.sentences:
            return self._none()
        numbered = Numbered(self._sources)
        sentences: list[str] = []
        for sentence in written.sentences:
            spans = list(self._rests_on(sentence.text, [shown[place] for place in sentence.passages]))
            if not spans:
                detail = f"None of the passages that are named for {sentence.text!r} speaks of it."
                return UnusableAnswer(reason="unsupported", detail=detail)
            sentences.append(numbered.cited(sentence.text, spans))
        text = joined(sentences, self._language)
        return Draft(text=text, kind=AnswerKind.WRITTEN, citations=numbered.citations)

    def _rests_on(self, sentence: str, cited: Iterable[Source]) -> Iterator[tuple[Source, Span]]:
        """Give where each passage says what a sentence says, without those that do not speak of it."""
        words = AskedWords.of(sentence, self._sources.rarity)
        for source in cited:
            passage = ReadPassage.of(source.passage)
            alike = self._likeness.of_sentence(sentence, passage.texts)
            if supports(words, passage, alike, language=self._language):
                unit = nearest_unit(words, passage, alike)
                yield source, source.whole if unit is None else unit.span

    def _none(self, likelihood: float | None = None) -> Draft:
        text = not_in_sources(self._language)
        return Draft(text=text, kind=AnswerKind.NOT_IN_SOURCES, likelihood=likelihood)

    def _shown(self) -> list[Source]:
        """Give the passages that a chat model is shown: the best that fit, and the first in any case."""
        shown: list[Source] = []
        left = self._settings.passage_characters
        for source in self._sources.found:
            if not shown or len(source.passage.text) <= left:
                shown.append(source)
                left -= len(source.passage.text)
        return shown

    def _asker(self) -> Asker:
        """Give who asks; with one call there is nothing to wait for."""
        terms, calls = self._context.chat_terms, self._settings.chat_calls
        return Asker(
            self._context.chat_model, ChatBudget(calls=calls), replace(terms, pacer=None) if calls == 1 else terms
        )


class Numbered:
    """Numbers citations in the order they come; the same passage has one number.

    Args:
        sources: What was read.
    """

    def __init__(self, sources: Sources) -> None:
        self._versions = sources.versions
        self._known: dict[tuple[str, Span], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations so far."""
        return tuple(self._known.values())

    def quoted(self, source: Source, span: Span) -> str:
        """Quote a stretch of a passage, each of its parts with its number behind it."""
        parts = [(episode, own) for episode, own in source.cut(span)]
        return "\n".join(
            f"{one.quote}{_between(one.quote)}[{one.number}]" for one in (self._cite(*part) for part in parts)
        )

    def cited(self, sentence: str, spans: Iterable[tuple[Source, Span]]) -> str:
        """Give a sentence with the numbers of what it rests on."""
        found = dict.fromkeys(
            self._cite(episode, own).number for source, span in spans for episode, own in source.cut(span)
        )
        return f"{sentence} {''.join(f'[{number}]' for number in found)}"

    def _cite(self, episode: Episode, span: Span) -> Citation:
        key = (episode.id, span)
        if key not in self._known:
            self._known[key] = self._citation(len(self._known) + 1, episode, span)
        return self._known[key]

    def _citation(self, number: int, episode: Episode, span: Span) -> Citation:
        version = self._versions.get(episode.document_id or "")
        return Citation(
            number=number,
            episode_id=episode.id,
            span=span,
            quote=span.of(episode.text),
            document_id=None if version is None else episode.document_id,
            version=version,
            source=(episode.speaker if episode.document_id is None else episode.source) or "",
        )


def _between(quote: str) -> str:
    """Give what separates a quote from its number: code keeps its last line for itself."""
    return "\n" if quote.endswith(("```", "~~~")) else " "
