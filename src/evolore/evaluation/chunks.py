"""Measuring how well chunks fit what is asked of them, by the protocol of docs/evaluation.md."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from time import process_time
from typing import TYPE_CHECKING, TypeAlias

from evolore import UseEmbedder, config
from evolore.chunking.chunker import Chunker
from evolore.evaluation.chunk_metrics import Place, score_fit, score_retrieved
from evolore.evaluation.chunk_retrievers import LexicalRetriever, VectorRetriever
from evolore.evaluation.chunk_sets import find_chunk_sets, read_corpora, read_questions
from evolore.evaluation.predictions import writing_predictions
from evolore.evaluation.reports import Report, SetResult, snake_case
from evolore.evaluation.sets import check_count, set_name
from evolore.text.tokens import ANALYSER_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from evolore.chunking.settings import ChunkSettings
    from evolore.domain.knowledge import Span
    from evolore.evaluation.chunk_retrievers import ChunkRetriever
    from evolore.evaluation.chunk_sets import MarkedQuestion
    from evolore.evaluation.predictions import WritePrediction
    from evolore.evaluation.reports import Json, Progress
    from evolore.ports import Embedder

    Splitter: TypeAlias = "Callable[[str], Sequence[Span]]"
    """Cuts a text into chunks."""

_MEGABYTE = 1_000_000
_SHORTEST_SECONDS = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Cutting:
    """Corpora as they were cut.

    Args:
        places: All chunks, corpus by corpus.
        texts: What each says.
        cpu_seconds: How long the cutting took.
        bytes: How many bytes of UTF-8 were cut.
    """

    places: tuple[Place, ...]
    texts: tuple[str, ...]
    cpu_seconds: float
    bytes: int


def evaluate_chunks(
    paths: Sequence[Path],
    *,
    top: int = 5,
    target_size: int | None = None,
    limit: int | None = None,
    predictions: Path | None = None,
    progress: Progress | None = None,
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
        top: How many chunks are retrieved, at least 1.
        target_size: The length a leaf should have, in characters, instead of what your settings say.
        limit: Ask the first so many questions of each set; every corpus is cut all the same.
        predictions: Write ``{"set", "question", "chunks": [[corpus, start, end], …]}`` here as JSON lines, best first.
        progress: Told after every question.
        embedder: What finds the chunks of a question, by their vectors; without one, BM25 does.
        splitter: What is measured; by default the chunker with your settings.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(limit, "limit")
    check_count(top, "top")
    corpora_files, question_files = find_chunk_sets(paths)
    corpora = read_corpora(corpora_files)
    asked = {path: read_questions(path, corpora)[:limit] for path in question_files}
    settings: dict[str, Json] = {
        "analyser": ANALYSER_VERSION,
        "retriever": "bm25" if embedder is None else embedder.model.id,
        "top": top,
        "limit": limit,
    }
    if splitter is None:
        chosen = _chunk_settings(target_size)
        settings["chunking"] = asdict(chosen)
        splitter = leaf_splitter(Chunker(chosen, embedder=embedder or UseEmbedder()))
    cutting = cut_corpora(corpora, splitter)
    found = LexicalRetriever(cutting.texts) if embedder is None else VectorRetriever(cutting.texts, embedder)
    with writing_predictions(predictions) as write:
        results = [
            _measure_set(set_name(path), questions, cutting, _Asking(found, top, write, progress))
            for path, questions in asked.items()
        ]
    return Report(system="chunks", settings=settings, sets=tuple(results))


def leaf_splitter(chunker: Chunker) -> Splitter:
    """Give what cuts a text into the leaves of its tree."""
    return lambda text: [leaf.span for leaf in chunker.chunk(text).leaves]


def cut_corpora(corpora: Mapping[str, str], splitter: Splitter) -> Cutting:
    """Cut every corpus, and keep the time it took."""
    started = process_time()
    spans = {corpus: splitter(text) for corpus, text in corpora.items()}
    cpu_seconds = process_time() - started
    places = tuple(Place(corpus=corpus, span=span) for corpus, those in spans.items() for span in those)
    return Cutting(
        places=places,
        texts=tuple(place.span.of(corpora[place.corpus]) for place in places),
        cpu_seconds=cpu_seconds,
        bytes=sum(len(text.encode("utf-8", "surrogatepass")) for text in corpora.values()),
    )


@dataclass(frozen=True, slots=True)
class _Asking:
    """How questions are put to the chunks."""

    retriever: ChunkRetriever
    top: int
    write: WritePrediction
    progress: Progress | None


def _chunk_settings(target_size: int | None) -> ChunkSettings:
    settings = config.load().chunking
    return settings if target_size is None else replace(settings, target_size=target_size)


def _measure_set(name: str, questions: Sequence[MarkedQuestion], cutting: Cutting, asking: _Asking) -> SetResult:
    scores: list[dict[str, float]] = []
    by_corpus: defaultdict[str, list[dict[str, float]]] = defaultdict(list)
    for question in questions:
        found = [cutting.places[number] for number in asking.retriever.find(question.text, count=asking.top)]
        scores.append(score_question(question, found, cutting.places))
        by_corpus[question.corpus].append(scores[-1])
        chunks: list[Json] = [[place.corpus, place.span.start, place.span.end] for place in found]
        asking.write({"set": name, "question": question.id, "chunks": chunks})
        if asking.progress:
            asking.progress(name, len(scores), len(questions))
    categories = {
        snake_case(corpus): _average(those) | _sizes([place for place in cutting.places if place.corpus == corpus])
        for corpus, those in sorted(by_corpus.items())
    }
    speed = cutting.bytes / _MEGABYTE / max(cutting.cpu_seconds, _SHORTEST_SECONDS)
    metrics = _average(scores) | _sizes(cutting.places) | {"megabytes_per_second": speed}
    return SetResult(name=name, metrics=metrics, categories=categories)


def score_question(question: MarkedQuestion, found: Sequence[Place], every: Sequence[Place]) -> dict[str, float]:
    """Score what was found for a question, and how well all chunks fit it."""
    own = [place for place in every if place.corpus == question.corpus]
    return score_retrieved(found, question.references) | {"precision_omega": score_fit(own, question.references)}


def _average(scores: Sequence[Mapping[str, float]]) -> dict[str, float]:
    means = {name: math.fsum(score[name] for score in scores) / len(scores) for name in (scores[0] if scores else ())}
    return {"questions": len(scores), **means}


def _sizes(places: Sequence[Place]) -> dict[str, float]:
    return {"chunks": len(places), "mean_characters": sum(len(place.span) for place in places) / max(1, len(places))}
