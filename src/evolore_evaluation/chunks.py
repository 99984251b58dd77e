"""Measuring how well chunks fit what is asked of them, by the protocol of docs/protocols.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import process_time
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from evolore import UseEmbedder, config
from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.domain.document import Span
from evolore.errors import InvalidValue
from evolore.index.lexical import Bm25, LexicalIndex
from evolore.ports import Embedder, TextRole, Vectors
from evolore.text.tokens import ANALYSER_VERSION, analyse, query_tokens
from evolore_evaluation.measure import ALL_VISIBLE, Measure, MeasuredSet, Run, groups_by, megabytes_per_second
from evolore_evaluation.records import Record, check_count, find_sets, read_named, read_records
from evolore_evaluation.reports import Json, Report, snake_case
from evolore_evaluation.retrieval_sets import average

Splitter: TypeAlias = "Callable[[str], Sequence[Span]]"
"""Cuts a text into chunks."""

_Scored: TypeAlias = "tuple[MarkedQuestion, Mapping[str, float]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """Corpora as they were cut."""

    places: tuple[Extent, ...]  #: All chunks, corpus by corpus.
    texts: tuple[str, ...]  #: What each says.
    cpu_seconds: float  #: How long the cutting took.
    bytes: int  #: How many bytes of UTF-8 were cut.


def evaluate_chunks(
    paths: Sequence[Path],
    run: Run = ALL_VISIBLE,
    *,
    top: int = 5,
    target_size: int | None = None,
    embedder: Embedder | None = None,
    splitter: Splitter | None = None,
) -> Report:
    """Measure chunks on corpora ``{corpus_id, text}`` and questions ``{id, question, references, corpus_id}``.

    All corpora are cut as plain text and lie in one index. Figures of a set are averages over its questions, of what
    the ``top`` best chunks hold: ``recall``, ``precision``, ``iou``, and of all chunks ``precision_omega``; then by
    corpus. ``mean_characters`` is the mean length of a chunk, ``chunks`` their number, ``megabytes_per_second`` of
    CPU time the speed of cutting.

    Args:
        paths: Files of both kinds, or folders of them. Each file of questions is a set.
        run: How many questions are asked; every corpus is cut all the same. Predictions are ``{"set", "question",
            "chunks": [[corpus, start, end], …]}``, best first.
        top: How many chunks are retrieved, at least 1.
        target_size: The length a leaf should have, in characters, instead of what your settings say.
        embedder: What finds the chunks of a question, by their vectors; without one, BM25 does.
        splitter: What is measured; by default the chunker with your settings.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(top, "top")
    corpora_files, question_files = find_chunk_sets(paths)
    corpora = read_corpora(corpora_files)
    settings: dict[str, Json] = {
        "analyser": ANALYSER_VERSION,
        "retriever": "bm25" if embedder is None else embedder.model.id,
        "top": top,
        "limit": run.limit,
    }
    if splitter is None:
        chosen = _chunk_settings(target_size)
        settings["chunking"] = asdict(chosen)
        splitter = leaf_splitter(Chunker(chosen, embedder=embedder or UseEmbedder()))
    cutting = cut_corpora(corpora, splitter)
    found = LexicalRetriever(cutting.texts) if embedder is None else VectorRetriever(cutting.texts, embedder)
    return Measure(
        system="chunks",
        read=lambda path: read_questions(path, corpora)[: run.limit],
        begin=partial(_retrieving, cutting, found, top),
        figures=partial(_figures, cutting),
        groups=lambda scored: groups_by(scored, lambda one: [snake_case(one[0].corpus)]),
        whole=partial(_whole_figures, cutting),
    ).report(question_files, run, settings)


def leaf_splitter(chunker: Chunker) -> Splitter:
    """Return what cuts a text into the leaves of its tree."""
    return lambda text: [leaf.span for leaf in chunker.chunk(text).leaves]


def cut_corpora(corpora: Mapping[str, str], splitter: Splitter) -> Cutting:
    """Cut every corpus, and keep the time it took."""
    started = process_time()
    spans = {corpus: splitter(text) for corpus, text in corpora.items()}
    cpu_seconds = process_time() - started
    places = tuple(Extent(corpus=corpus, span=span) for corpus, those in spans.items() for span in those)
    return Cutting(
        places=places,
        texts=tuple(place.span.of(corpora[place.corpus]) for place in places),
        cpu_seconds=cpu_seconds,
        bytes=sum(len(text.encode("utf-8", "surrogatepass")) for text in corpora.values()),
    )


def _chunk_settings(target_size: int | None) -> ChunkSettings:
    settings = config.load().chunking
    return settings if target_size is None else replace(settings, target_size=target_size)


def _retrieving(
    cutting: Cutting, retriever: ChunkRetriever, top: int, asked: MeasuredSet[MarkedQuestion]
) -> Callable[[MarkedQuestion], _Scored]:
    def attempt(question: MarkedQuestion) -> _Scored:
        found = [cutting.places[number] for number in retriever.find(question.text, count=top)]
        chunks: list[Json] = [[place.corpus, place.span.start, place.span.end] for place in found]
        asked.write({"question": question.id, "chunks": chunks})
        return question, score_question(question, found, cutting.places)

    return attempt


def _figures(cutting: Cutting, scored: Sequence[_Scored]) -> dict[str, float]:
    """Average over questions, and measure the chunks of the corpora they are about."""
    corpora = {question.corpus for question, _ in scored}
    return _average(scored) | _sizes([place for place in cutting.places if place.corpus in corpora])


def _whole_figures(cutting: Cutting, scored: Sequence[_Scored]) -> dict[str, float]:
    speed = megabytes_per_second(cutting.bytes, cutting.cpu_seconds)
    return _average(scored) | _sizes(cutting.places) | {"megabytes_per_second": speed}


def score_question(question: MarkedQuestion, found: Sequence[Extent], every: Sequence[Extent]) -> dict[str, float]:
    """Score what was found for a question, and how well all chunks fit it."""
    own = [place for place in every if place.corpus == question.corpus]
    return score_retrieved(found, question.references) | {"precision_omega": score_fit(own, question.references)}


def _average(scored: Sequence[_Scored]) -> dict[str, float]:
    return {"questions": len(scored), **average([score for _, score in scored])}


def _sizes(places: Sequence[Extent]) -> dict[str, float]:
    return {"chunks": len(places), "mean_characters": sum(len(place.span) for place in places) / max(1, len(places))}


_CORPUS_KEYS = frozenset({"corpus_id", "text"})
_QUESTION_KEYS = frozenset({"corpus_id", "question", "references"})
_FORM = '{"corpus_id", "text"} or {"id", "question", "references", "corpus_id"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedQuestion:
    """A question, and where its answer is."""

    id: str  #: Its name in its set.
    text: str  #: What is asked.
    corpus: str  #: The corpus that answers it.
    references: tuple[Extent, ...]  #: The passages that do, at least one, none empty.


def find_chunk_sets(paths: Sequence[Path]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """List the files of corpora and the files of questions that the paths name.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file has another form, two sets have one name, or either kind is missing.
    """
    found = find_sets(paths, fits=lambda first: _is_corpus(first) or first.fields.keys() >= _QUESTION_KEYS, form=_FORM)
    corpora = tuple(path for path in found if _is_corpus(next(read_records(path))))
    questions = tuple(path for path in found if path not in corpora)
    if not corpora or not questions:
        given = " and ".join(map(str, paths))
        raise InvalidValue(
            f"{given} holds {len(corpora)} files of corpora and {len(questions)} of questions: give at least one of "
            f"each, lines of {_FORM}."
        )
    return corpora, questions


def read_corpora(paths: Sequence[Path]) -> dict[str, str]:
    """Read the text of every corpus, by its id.

    Raises:
        UnreadableSource: A file cannot be read, or a line is not JSON.
        InvalidValue: A line is no corpus, or two have one id.
    """
    corpora: dict[str, str] = {}
    for record in (record for path in paths for record in read_records(path)):
        name = record.name("corpus_id")
        if name in corpora:
            raise record.refuse("corpus_id", "an id that no other line has")
        corpora[name] = record.text("text")
    return corpora


def read_questions(path: Path, corpora: Mapping[str, str]) -> tuple[MarkedQuestion, ...]:
    """Read the questions of a set.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line is no question, two have one id, or an answer lies outside its corpus.
    """
    return read_named(path, lambda record, _: _question(record, corpora))


def _is_corpus(first: Record) -> bool:
    return first.fields.keys() >= _CORPUS_KEYS


def _question(record: Record, corpora: Mapping[str, str]) -> MarkedQuestion:
    corpus = record.name("corpus_id")
    if corpus not in corpora:
        raise record.refuse("corpus_id", "the id of a corpus that was given: " + ", ".join(sorted(corpora)))
    references = tuple(_reference(part, corpus, len(corpora[corpus])) for part in record.records("references"))
    if not references:
        raise record.refuse("references", "at least one passage")
    return MarkedQuestion(id=record.name("id"), text=record.text("question"), corpus=corpus, references=references)


def _reference(record: Record, corpus: str, most: int) -> Extent:
    start, end = record.whole_number("start_index"), record.whole_number("end_index")
    if not 0 <= start < end <= most:
        raise InvalidValue(
            f"{record.where}: start_index is {start} and end_index {end}: give a passage inside the corpus, which has "
            f"{most} characters."
        )
    return Extent(corpus=corpus, span=Span(start, end))


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """A stretch of one corpus."""

    corpus: str
    span: Span


def score_retrieved(retrieved: Sequence[Extent], references: Sequence[Extent]) -> dict[str, float]:
    """Compare the chunks that were retrieved for a question with the passages that answer it.

    Lengths are characters. Let ``hit`` be the characters of the passages that some chunk holds, each counted once:
    ``recall = hit / passages``, ``precision = hit / chunks``, ``iou = hit / (chunks + passages - hit)``. Retrieved
    characters count as often as they were retrieved.

    >>> chunks = [Extent(corpus="a", span=Span(0, 100)), Extent(corpus="b", span=Span(0, 100))]
    >>> score_retrieved(chunks, [Extent(corpus="a", span=Span(50, 150))])
    {'recall': 0.5, 'precision': 0.25, 'iou': 0.2}
    """
    hit = _length(_shared(retrieved, references))
    held = sum(len(place.span) for place in retrieved)
    wanted = sum(len(place.span) for place in references)
    return {"recall": hit / wanted, "precision": hit / held if held else 0.0, "iou": hit / (held + wanted - hit)}


def score_fit(chunks: Iterable[Extent], references: Sequence[Extent]) -> float:
    """Return PΩ: the precision if just those chunks were retrieved that hold any of the passages.

    >>> score_fit([Extent(corpus="a", span=Span(0, 100))], [Extent(corpus="a", span=Span(50, 75))])
    0.25
    """
    touching = [chunk for chunk in chunks if any(_meet(chunk, reference) for reference in references)]
    held = _length(touching)
    return _length(_shared(touching, references)) / held if held else 0.0


def _meet(one: Extent, other: Extent) -> bool:
    start, end = max(one.span.start, other.span.start), min(one.span.end, other.span.end)
    return one.corpus == other.corpus and start < end


def _shared(chunks: Sequence[Extent], references: Sequence[Extent]) -> list[Extent]:
    return [
        Extent(
            corpus=chunk.corpus,
            span=Span(max(chunk.span.start, reference.span.start), min(chunk.span.end, reference.span.end)),
        )
        for chunk in chunks
        for reference in references
        if _meet(chunk, reference)
    ]


def _length(places: Iterable[Extent]) -> int:
    """Count the characters of places that may overlap, each once."""
    total = 0
    corpus, reached = None, 0
    for place in sorted(places, key=lambda place: (place.corpus, place.span.start)):
        if place.corpus != corpus:
            corpus, reached = place.corpus, 0
        total += max(0, place.span.end - max(reached, place.span.start))
        reached = max(reached, place.span.end)
    return total


BM25 = Bm25(k1=1.2, b=0.75)
"""The customary constants: texts of one corpus, not turns of a talk."""

_BATCH = 256


class ChunkRetriever(Protocol):
    """Finds the chunks a question is about."""

    def find(self, question: str, *, count: int) -> list[int]:
        """Return the numbers of the best ``count`` chunks, best first; of equals, the earlier first."""
        ...


class LexicalRetriever:
    """Ranks chunks by BM25 over the tokens of recall's own analyser."""

    def __init__(self, chunks: Sequence[str]) -> None:
        self._count = len(chunks)
        self._index = LexicalIndex(map(analyse, chunks), bm25=BM25)

    def find(self, question: str, *, count: int) -> list[int]:
        """Return the numbers of the best chunks."""
        _, items, scores, _ = self._index.term_postings(query_tokens(question))
        totals = np.zeros(self._count)
        np.add.at(totals, items, scores)
        return _best(totals, count)


class VectorRetriever:
    """Ranks chunks by the cosine between their vectors and the question's."""

    def __init__(self, chunks: Sequence[str], embedder: Embedder) -> None:
        self._embedder = embedder
        batches = [
            embedder.embed(chunks[start : start + _BATCH], role=TextRole.PASSAGE)
            for start in range(0, len(chunks), _BATCH)
        ]
        self._vectors: Vectors = np.concatenate(batches)

    def find(self, question: str, *, count: int) -> list[int]:
        """Return the numbers of the best chunks."""
        vector = self._embedder.embed([question], role=TextRole.QUERY)[0]
        # Rounded, because a vector may differ in its last digits with the batch it was made in.
        cosines: Vectors = self._vectors @ vector
        return _best(np.round(cosines.astype(np.float64), 5), count)


def _best(scores: npt.NDArray[np.float64], count: int) -> list[int]:
    return np.argsort(-scores, kind="stable")[:count].tolist()
