"""``answer``: read the hits, and return what they say to a question, with its source."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from evolore.answers import writing
from evolore.answers.extraction import Passage, ReadPassage, extract, nearest_unit, supports
from evolore.answers.kinds import asked_kind, says, whose
from evolore.answers.settings import PASSAGE_CHARACTERS
from evolore.answers.units import PartKind, answer_units
from evolore.chat.asking import Asker
from evolore.chat.prompt import prompt_words
from evolore.domain.answer import Answer, AnswerKind, Citation
from evolore.domain.chat import ChatBudget, ChatFailure
from evolore.domain.citation import GAP, episode_day
from evolore.domain.document import Span
from evolore.domain.episode import Episode, EpisodeKind
from evolore.domain.language import Language
from evolore.domain.outcome import Given
from evolore.domain.query import Hit, HitWarning, Query, Recall
from evolore.flows.calibrate import Scales
from evolore.flows.context import Context
from evolore.flows.embedding import embed
from evolore.flows.question_lookup import question_vector
from evolore.flows.recall import matching, recall
from evolore.flows.record import handed_over, new_query, take_down
from evolore.flows.shadows import as_seen
from evolore.ports import IndexView, TextRole, Vectors
from evolore.recall.visibility import WordCounts, count_words, neighbours_by, seen_by, superseded_by, word_rarity
from evolore.store.reading import StoreReader
from evolore.text.pipe_tables import is_table_head
from evolore.text.question_words import AskedWords
from evolore.text.scripts import detect_language
from evolore.text.warning_signs import warnings_of


def drafted(context: Context, query: Query, *, tell: Callable[[str], None] | None = None) -> Answer:
    """Answer a question, and take nothing down.

    ``tell`` is given the words of a chat model as they come, which are checked only in what is given back.

    A chat model, where there is one, is shown the best passages and writes the answer; where it fails, or its reply cannot
    be used, the answer is what is extracted, with the reason. Without one, sentences of the sources are the answer, word
    for word. Nothing that the question may not see is read, quoted or shown to the model.
    """
    found = recall(context, query)
    sources = read_sources(context, found)
    drafting = _Drafting(context, found, sources)
    return drafting.written(tell) if _asks(context, sources) else drafting.extracted()


def answer(context: Context, query: Query, *, record: bool, tell: Callable[[str], None] | None = None) -> Answer:
    """Answer a question, and take it down with what was handed over and what it rests on, in one transaction."""
    said = drafted(context, query, tell=tell)
    found = said.recall
    if not record or found is None:
        return said
    if not (handed_over(found, context.namespace) or context.store.has(context.namespace)):
        return said
    at = context.clock.now()
    new = new_query(context, found, _given(context, found, said.citations), at=at)
    with context.store.write(context.namespace, principal=context.principal) as writer:
        id_ = writer.new_id()
        taken = take_down(context, writer, replace(new, answer_id=id_), at=at)
        found = replace(found, query_id=taken.id, query=replace(found.query, text=new.text))
        kept = replace(said, id=id_, question=new.text, query_id=taken.id, recall=found)
        # What it rests on may have been forgotten meanwhile: then nothing of it is kept, and its question alone is rated.
        return kept if writer.put_answer(_own_part(kept), at=at) else replace(kept, id="")


def _own_part(said: Answer) -> Answer:
    """Return what is kept of an answer: the words of other namespaces are not, so that forgetting there leaves nothing here."""
    own = tuple(one for one in said.citations if one.namespace is None)
    return said if len(own) == len(said.citations) else replace(said, text=GAP, citations=own)


def _given(context: Context, found: Recall, citations: Sequence[Citation]) -> tuple[Given, ...]:
    """Return what was handed over: the hits, and their neighbours where the answer rests on these.

    Nothing is where an answer rests on other namespaces alone: its rating is to teach nothing of what it left aside.
    """
    cited = dict.fromkeys(one.episode_id for one in citations if one.namespace is None)
    if citations and not cited:
        return ()
    given = {one.episode_id: one.rank for one in handed_over(found, context.namespace)}
    last = max(given.values(), default=1)
    ranks = given | {id_: last for id_ in cited if id_ not in given}
    return tuple(Given(episode_id=id_, rank=rank, is_cited=id_ in cited) for id_, rank in ranks.items())


def _asks(context: Context, sources: AnswerSources) -> bool:
    return context.chat_model is not None and context.settings.answer.chat_calls > 0 and bool(sources.found)


class _Drafting:
    """Drafts the answer to one question."""

    def __init__(self, context: Context, found: Recall, sources: AnswerSources) -> None:
        self._context, self._found = context, found
        self._settings = context.settings.answer
        self._question = found.query.text
        self._asker_name = found.query.principal
        self._language = detect_language(self._question)
        self._sources = sources
        self._likeness = UnitLikeness(context)
        self._hits = {hit.episode.id: hit for hit in found.hits}
        self._replacing = {hit.superseded_by.id for hit in found.hits if hit.superseded_by is not None}

    def extracted(self) -> Answer:
        """Answer with sentences of the sources."""
        sources = self._that_may_answer()
        read = [ReadPassage.of(source.passage) for source in sources]
        found = extract(
            AskedWords.of(self._question, self._sources.rarity),
            read,
            self._likeness.of_question(self._question, [passage.texts for passage in read]),
            items=self._sources.items,
            settings=self._settings,
            knows_meaning=self._likeness.knows_meaning,
        )
        if not found.quoted or found.likelihood < self._settings.least_likelihood:
            return self._none(found.likelihood)
        numbered = Numbered(self._sources)
        lines = [
            line for quote in found.quoted for line in self._with_updates(numbered, sources[quote.passage], quote.span)
        ]
        # A head is repeated: rows of another table may be between it and those below it.
        said = [line for place, line in enumerate(lines) if is_table_head(line) or line not in lines[:place]]
        disputed, conflicts = self._disputed(numbered)
        return self._answer(
            "\n".join([*said, *self._updates(numbered), *disputed]),
            AnswerKind.EXTRACTED,
            citations=numbered.citations,
            likelihood=found.likelihood,
            conflicts=conflicts,
        )

    def _with_updates(self, numbered: Numbered, source: Source, span: Span) -> Iterator[str]:
        """Quote a stretch, what possibly replaces it before it, and what it possibly replaces behind it.

        Replacements and what they replace are quoted whole: the value may be in one without the question's words.
        """
        hits = [self._hits[one.id] for one, _ in source.cut(span) if one.id in self._hits]
        newer = [one for hit in hits for one in hit.possibly_replaced_by[:1]]
        older = [one for hit in hits for one in hit.possibly_replaces[:1]]
        for one in newer:
            yield numbered.whole(one, namespace=source.namespace)[1]
        is_update = bool(newer or older) or any(hit.episode.id in self._replacing for hit in hits)
        yield numbered.quoted(source, source.whole if is_update else span)
        for one in older:
            yield numbered.whole(one, namespace=source.namespace)[1]

    def _updates(self, numbered: Numbered) -> list[str]:
        """Return the lines that say which citations another that is cited possibly replaces."""
        pairs: dict[tuple[int, int], None] = {}
        for cited in numbered.citations:
            hit = self._hits.get(cited.episode_id)
            for newer in hit.possibly_replaced_by if hit is not None else ():
                if (number := numbered.number_of(newer.id)) is not None:
                    pairs.setdefault((cited.number, number))
        return [writing.possibly_replaced(older, newer, self._language) for older, newer in pairs]

    def _disputed(self, numbered: Numbered) -> tuple[list[str], tuple[tuple[int, int], ...]]:
        """Return the lines that say which citations are contradicted, by whom and when, and the numbers of both."""
        lines: list[str] = []
        conflicts: dict[tuple[int, int], None] = {}
        for cited in numbered.citations:
            hit = self._hits.get(cited.episode_id)
            for other in hit.conflicts_with if hit is not None else ():
                number = numbered.number_of(other.id)
                if number is None:
                    number, line = numbered.whole(other, namespace=cited.namespace)
                    lines.append(line)
                conflicts.setdefault((min(cited.number, number), max(cited.number, number)))
        who = {one.number: self._who(one.episode_id) for one in numbered.citations}
        lines += [
            writing.disagreement((one, who[one]), (other, who[other]), self._language) for one, other in conflicts
        ]
        return lines, tuple(conflicts)

    def _who(self, episode_id: str) -> str:
        known = {one.id: one for hit in self._hits.values() for one in (*hit.conflicts_with, *hit.episodes)}
        episode = known.get(episode_id)
        return "" if episode is None else _who_and_when(episode)

    def written(self, tell: Callable[[str], None] | None = None) -> Answer:
        """Ask the chat model to answer; where it does not, report that and extract an answer."""
        shown = self._shown()
        passages = [source.passage for source in shown]
        most = self._settings.characters
        request = writing.answer_prompt(
            prompt_words("answer_question", writing.PROMPT_VERSION),
            self._question,
            passages,
            language=self._language,
            most_characters=most,
        )
        asker = self._asker()
        if tell is None:
            (outcome,) = asker.complete([request])
        else:
            outcome = asker.stream(request, writing.SentencePieces(tell, self._language))
        if isinstance(outcome, ChatFailure):
            reason = f"{outcome.kind.value}: {outcome.detail}" if outcome.detail else outcome.kind.value
            return replace(self.extracted(), usage=asker.usage, reason=reason)
        read = writing.read_answer(outcome.text, passages, language=self._language, most_characters=most)
        if isinstance(read, writing.UnusableAnswer):
            return replace(self.extracted(), usage=asker.usage, reason=str(read))
        made = self._of_model(read, shown)
        if isinstance(made, writing.UnusableAnswer):
            return replace(self.extracted(), usage=asker.usage, reason=str(made))
        model = self._context.chat_model
        by = "" if model is None else model.info.id
        return replace(made, usage=asker.usage, model=by, prompt_version=writing.PROMPT_VERSION)

    def _of_model(self, written: writing.Composed, shown: Sequence[Source]) -> Answer | writing.UnusableAnswer:
        if not written.sentences:
            return self._none()
        numbered = Numbered(self._sources)
        sentences: list[str] = []
        for sentence in written.sentences:
            spans = list(self._rests_on(sentence.text, [shown[place] for place in sentence.passages]))
            if not spans:
                detail = f"The passages that are named for {sentence.text!r} do not speak of it."
                return writing.UnusableAnswer(reason="unsupported", detail=detail)
            sentences.append(numbered.cited(sentence.text, spans))
        disputed, conflicts = self._disputed(numbered)
        text = "\n".join([writing.joined(sentences, self._language), *self._updates(numbered), *disputed])
        return self._answer(text, AnswerKind.WRITTEN, citations=numbered.citations, conflicts=conflicts)

    def _rests_on(self, sentence: str, cited: Iterable[Source]) -> Iterator[tuple[Source, Span]]:
        """Yield where each passage says what a sentence says, without those that do not speak of it."""
        words = AskedWords.of(sentence, self._sources.rarity)
        for source in cited:
            passage = ReadPassage.of(source.passage)
            alike = self._likeness.of_sentence(sentence, passage.texts)
            if supports(words, passage, alike, language=self._language):
                unit = nearest_unit(words, passage, alike)
                yield source, source.whole if unit is None or unit.span.end <= source.parts[0][0] else unit.span

    def _that_may_answer(self) -> Sequence[Source]:
        """Return the sources that may be about whom the question is about, and that say a thing of the kind that is asked."""
        sources = self._sources.found
        speakers = {one.speaker for source in sources for _, one in source.parts if one.speaker is not None}
        about = whose(self._question, self._language, asker=self._asker_name, speakers=speakers)
        kind = asked_kind(self._question, self._language)
        return [
            source
            for source in sources
            if any(about.may_answer(one.text, one.speaker, one.language) for _, one in source.parts)
            and (kind is None or not source.is_said or says(kind, source.passage.text, self._question, self._language))
        ]

    def _none(self, likelihood: float | None = None) -> Answer:
        return self._answer(writing.not_in_sources(self._language), AnswerKind.NOT_IN_SOURCES, likelihood=likelihood)

    def _answer(
        self,
        text: str,
        kind: AnswerKind,
        *,
        citations: tuple[Citation, ...] = (),
        likelihood: float | None = None,
        conflicts: tuple[tuple[int, int], ...] = (),
    ) -> Answer:
        """Return an answer that is not recorded yet."""
        return Answer(
            id="",
            question=self._question,
            text=text,
            kind=kind,
            language=self._language,
            citations=tuple(replace(one, warnings=self._warnings(one)) for one in citations),
            recall=self._found,
            principal=self._asker_name,
            canaries=self._found.canaries,
            likelihood=likelihood,
            conflicts=conflicts,
        )

    def _warnings(self, cited: Citation) -> tuple[HitWarning, ...]:
        """Return what to be wary of in a quote, and in the hits that hold its episode."""
        hits = (hit for hit in self._found.hits if any(one.id == cited.episode_id for one in hit.episodes))
        found = {*warnings_of(cited.quote), *(one for hit in hits for one in hit.warnings)}
        return tuple(one for one in HitWarning if one in found)

    def _shown(self) -> list[Source]:
        """Return the passages that a chat model is shown: the best that fit, and the first in any case."""
        shown: list[Source] = []
        left = PASSAGE_CHARACTERS
        for source in self._sources.found:
            if not shown or len(source.passage.text) <= left:
                shown.append(source)
                left -= len(source.passage.text)
        return shown

    def _asker(self) -> Asker:
        """Return who asks; with one call there is nothing to wait for."""
        terms, calls = self._context.chat_terms, self._settings.chat_calls
        return Asker(
            self._context.chat_model, ChatBudget(calls=calls), replace(terms, pacer=None) if calls == 1 else terms
        )


class Numbered:
    """Numbers citations in the order they come; the same passage has one number."""

    def __init__(self, sources: AnswerSources) -> None:
        self._versions = sources.versions
        self._known: dict[tuple[str, Span], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        """The citations so far."""
        return tuple(self._known.values())

    def quoted(self, source: Source, span: Span) -> str:
        """Quote a stretch of a passage, each of its parts with its number behind it."""
        head = source.passage.text[span.start : min(span.end, source.parts[0][0])].rstrip()
        lines = [_line(self._cite(*part, namespace=source.namespace)) for part in source.cut(span)]
        return "\n".join([head, *lines] if head else lines)

    def whole(self, episode: Episode, *, namespace: str | None) -> tuple[int, str]:
        """Quote a whole episode, and return its number with the line."""
        text = episode.text
        start = len(text) - len(text.lstrip())
        cited = self._cite(episode, Span(start, start + len(text.strip())), namespace=namespace)
        return cited.number, _line(cited)

    def number_of(self, episode_id: str) -> int | None:
        """Return the first number under which an episode is cited; None where it is not."""
        return next((one.number for one in self.citations if one.episode_id == episode_id), None)

    def cited(self, sentence: str, spans: Iterable[tuple[Source, Span]]) -> str:
        """Return a sentence with the numbers of what it rests on."""
        found = dict.fromkeys(
            self._cite(episode, own, namespace=source.namespace).number
            for source, span in spans
            for episode, own in source.cut(span)
        )
        return f"{sentence} {''.join(f'[{number}]' for number in found)}"

    def _cite(self, episode: Episode, span: Span, *, namespace: str | None) -> Citation:
        key = (episode.id, span)
        if key not in self._known:
            self._known[key] = self._citation(len(self._known) + 1, episode, span, namespace)
        return self._known[key]

    def _citation(self, number: int, episode: Episode, span: Span, namespace: str | None) -> Citation:
        version = self._versions.get(episode.document_id or "")
        return Citation(
            number=number,
            episode_id=episode.id,
            span=span,
            quote=span.of(episode.text),
            document_id=None if version is None else episode.document_id,
            version=version,
            source=(episode.speaker if episode.document_id is None else episode.source) or "",
            namespace=namespace,
        )


def _line(cited: Citation) -> str:
    return f"{cited.quote}{_between(cited.quote)}[{cited.number}]"


def _between(quote: str) -> str:
    """Return what separates a quote from its number: code keeps its last line for itself."""
    return "\n" if quote.endswith(("```", "~~~")) else " "


_BEFORE, _AFTER = 1, 2
"""Columns of the neighbour links that are next before and next after the item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage, and the episodes it is made of."""

    passage: Passage  #: What it says.
    #: The episodes, each with where its text begins in the passage, in text order.
    parts: tuple[tuple[int, Episode], ...]
    rank: int  #: Of the hit it was found by.
    namespace: str | None = None  #: The further namespace it was read from; None for one's own.

    @property
    def is_said(self) -> bool:
        """Whether it was said, and is no passage of a document."""
        return all(one.kind is EpisodeKind.STATEMENT for _, one in self.parts)

    @property
    def whole(self) -> Span:
        """All of it."""
        return Span(0, len(self.passage.text))

    def cut(self, span: Span) -> Iterator[tuple[Episode, Span]]:
        """Yield the episodes that a span of the passage lies in, each with the span in its own text, without blanks."""
        for start, episode in self.parts:
            first, last = max(span.start - start, 0), min(span.end - start, len(episode.text))
            quote = episode.text[first:last] if first < last else ""
            if quote.strip():
                first += len(quote) - len(quote.lstrip())
                yield episode, Span(first, first + len(quote.strip()))


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSources:
    """What a question may be answered from."""

    found: tuple[Source, ...]  #: Passages, best first.
    rarity: Mapping[str, float]  #: How rare the question's words are in what it may see.
    versions: Mapping[str, int]  #: The version of each document that was read.
    items: int  #: How many items the question may see.


def read_sources(context: Context, found: Recall) -> AnswerSources:
    """Read the hits of a question, each with what it announces or is announced by, as far as the question may see it."""
    names = (context.namespace, *found.query.also)
    sources: list[Source] = []
    versions: dict[str, int] = {}
    words: list[WordCounts] = []
    best = max((hit.score for hit in found.hits), default=0.0)
    for name in names:
        is_own = name == context.namespace
        hits = [hit for hit in found.hits if hit.namespace == name or (is_own and hit.namespace is None)]
        with context.store.index(name) as (whole, reader):
            view = as_seen(found.query, whole, is_own=is_own)
            read = _HitReader(found.query, view, reader).sources(hits, best=best)
            sources += read if is_own else (replace(one, namespace=name) for one in read)
            versions |= _versions(found.query, read, reader)
            words.append(count_words(found.query, view))
    return AnswerSources(
        found=tuple(sorted(sources, key=lambda one: one.rank)),
        rarity=word_rarity(words),
        versions=versions,
        items=found.searched,
    )


def _versions(query: Query, sources: Sequence[Source], reader: StoreReader) -> dict[str, int]:
    """Return the version of each document: the present one, or that of the moment the question is asked from."""
    named = {episode.document_id for source in sources for _, episode in source.parts}
    versions: dict[str, int] = {}
    for id_ in sorted(one for one in named if one is not None):
        past = reader.outline_at(id_, query.as_of) if query.as_of is not None else None
        document = past[0] if past is not None else reader.document(id_)
        if document is not None:
            versions[id_] = document.version
    return versions


class _HitReader:
    """Reads hits, and their neighbours as far as the question may see them."""

    def __init__(self, query: Query, view: IndexView, reader: StoreReader) -> None:
        self._as_of = query.as_of
        self._view, self._reader = view, reader
        matches = matching(query.filter, view, reader) if query.filter.asks_for_names else None
        self._seen = frozenset(seen_by(query, view, matches).tolist())
        self._neighbours, _ = neighbours_by(query, view)

    def sources(self, hits: Sequence[Hit], *, best: float) -> tuple[Source, ...]:
        """Read hits that still hold; ``best`` is the score of the best of all."""
        met: set[str] = set()
        found: list[Source] = []
        for hit in hits:
            if self._is_superseded(hit.episode):
                continue
            episodes = self._episodes(hit)
            if any(one.id not in met for one in episodes):
                met |= {one.id for one in episodes}
                found.append(_source(hit, episodes, best))
        return tuple(found)

    def _is_superseded(self, episode: Episode) -> bool:
        """Return whether another says what holds in its stead: recall finds it below that one, an answer leaves it out."""
        number = self._view.numbers.get(episode.id)
        return number is not None and bool(superseded_by(self._as_of, self._view, np.array([number], np.int32))[0])

    def _episodes(self, hit: Hit) -> tuple[Episode, ...]:
        wider = hit.expansion
        if wider is not None:
            ids, _ = self._reader.passage(hit.episode.document_id or "", wider.span)
            return self._reader.episodes(ids)
        units = answer_units(hit.episode.text)
        goes_on = bool(units) and units[-1].announces
        asks = bool(units) and units[-1].asks
        is_led = bool(units) and units[0].kind in {PartKind.ITEM, PartKind.TABLE_ROW} and not _head(hit.episode)
        before = self._beside(hit.episode, _BEFORE) if is_led else ()
        after = self._beside(hit.episode, _AFTER) if goes_on else ()
        said_on = asks and hit.episode.speaker is not None  # whoever asks and goes on does not reply
        return (*before, hit.episode, *(one for one in after if not (said_on and one.speaker == hit.episode.speaker)))

    def _beside(self, episode: Episode, column: int) -> tuple[Episode, ...]:
        number = self._view.numbers.get(episode.id)
        beside = -1 if number is None else int(self._neighbours[number, column])
        if beside not in self._seen:
            return ()
        found = self._reader.episodes([self._view.episode_ids[beside]])
        return tuple(one for one in found if one.document_id == episode.document_id)


def _source(hit: Hit, episodes: Sequence[Episode], best: float) -> Source:
    """Join what belongs together: leaves of a document as they are, statements on lines of their own."""
    between = "" if hit.episode.document_id else "\n"
    parts: list[tuple[int, Episode]] = []
    head = _head(episodes[0])
    length = len(head)
    for one in episodes:
        parts.append((length, one))
        length += len(one.text) + len(between)
    weight = min(max(hit.score / best, 0.0), 1.0) if best > 0 else 1.0 / hit.rank
    passage = Passage(
        text=head + between.join(one.text for one in episodes), weight=weight, context=_place(episodes[0])
    )
    return Source(passage=passage, parts=tuple(parts), rank=hit.rank)


def _head(episode: Episode) -> str:
    """Write the head of the table that a passage begins inside of, as its first two lines; empty where it does not."""
    above = episode.heading_path[-1] if episode.heading_path else ""
    return f"{above}\n|{' --- |' * (above.count('|') - 1)}\n" if is_table_head(above) else ""


def _place(episode: Episode) -> str:
    """Return where a passage is, or who said it and when, as far as known."""
    if episode.document_id is None:
        day = episode_day(episode) if episode.occurred_at else None
        return " · ".join(part for part in (episode.speaker, day) if part)
    return " › ".join(dict.fromkeys(part for part in (episode.title or "", *episode.heading_path) if part))


def _who_and_when(episode: Episode) -> str:
    """Return who said something and when, or where it is."""
    if episode.document_id is not None:
        return _place(episode)
    return ", ".join(part for part in (episode.speaker, episode_day(episode)) if part)


_BATCH = 64
UNKNOWN_LIKENESS = 0.2
"""Replaces likeness for an uncalibrated embedder: words decide then."""


class UnitLikeness:
    """Compares questions and sentences with units, on the scale that holds in a namespace."""

    def __init__(self, context: Context) -> None:
        self._context = context
        model = context.embedder.model
        with context.store.read(context.namespace) as reader:
            self._scales = Scales(context.calibrations, model, reader.calibrations(model.id))
        self._known: dict[str, Vectors] = {}
        self._asked: dict[str, Vectors] = {}
        self.knows_meaning = True  # as long as all likeness came from a calibrated embedder

    def of_question(self, question: str, passages: Sequence[Sequence[str]]) -> list[npt.NDArray[np.float64]]:
        """Return how alike a question and each text of some passages are, 0–1, of each passage with the shape (texts,).

        All texts are embedded together.
        """
        if question not in self._asked:
            self._asked[question] = question_vector(self._context, question)
        self._embed(text for texts in passages if self._scales.of(_language(texts)).texts for text in texts)
        return [self._alike(self._asked[question], texts) for texts in passages]

    def of_sentence(self, sentence: str, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        """Return how alike a sentence and each text are, 0–1, shape (texts,)."""
        self._embed([sentence])
        return self._alike(self._known[sentence], texts)

    def _alike(self, vector: Vectors, texts: Sequence[str]) -> npt.NDArray[np.float64]:
        if not texts:
            return np.zeros(0)
        scale = self._scales.of(_language(texts))
        if not scale.texts:
            self.knows_meaning = False
            return np.full(len(texts), UNKNOWN_LIKENESS)
        self._embed(texts)
        vectors = np.stack([self._known[text] for text in texts])
        return np.clip(scale.cosines(vector[np.newaxis], vectors)[0], 0.0, 1.0)

    def _embed(self, texts: Iterable[str]) -> None:
        """Read the vectors of texts that are not known yet."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            self._known |= dict(zip(batch, embed(self._context.embedder, batch, role=TextRole.PASSAGE), strict=True))


def _language(texts: Sequence[str]) -> Language:
    return detect_language("\n".join(texts))
