"""Measuring how well what answers a question is recalled, by the protocol of docs/evaluation.md."""

from __future__ import annotations

from collections import defaultdict
from contextlib import closing
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from evolore import config
from evolore.errors import InvalidValue
from evolore.evaluation.predictions import writing_predictions
from evolore.evaluation.ranking_metrics import average, score_ranking, score_sessions
from evolore.evaluation.reports import Report, SetResult
from evolore.evaluation.retrieval_sets import find_retrieval_sets, read_collections
from evolore.evaluation.retrieval_trials import RANKING_LENGTH, try_collection
from evolore.evaluation.sets import check_count, set_name
from evolore.flows.suited import suited
from evolore.jobs.clock import SteppingClock, SystemClock
from evolore.memory import Memory
from evolore.models.named import embedder_named
from evolore.text.tokens import ANALYSER_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from evolore.config import Settings
    from evolore.evaluation.predictions import WritePrediction
    from evolore.evaluation.reports import Json, Progress
    from evolore.evaluation.retrieval_sets import Collection
    from evolore.evaluation.retrieval_trials import MemoryUnderTest, OpenMemory, Outcome
    from evolore.ports import Embedder

_EVERYTHING = 1_000_000


def evaluate_retrieval(
    paths: Sequence[Path],
    *,
    limit: int | None = None,
    predictions: Path | None = None,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
    open_memory: OpenMemory | None = None,
    maintain: bool = False,
) -> Report:
    """Measure recall on memory sets ``{id, lang, items, questions}`` and corpus sets of ``doc`` and ``q`` lines.

    Every set is taken into a fresh temporary store through the public facade, each memory into a namespace of its own,
    and removed afterwards. Figures are averages over the questions with evidence, see ``score_ranking`` and
    ``score_sessions``; then by category, and counts, ``p50_ms`` and ``p95_ms`` per question, ``ms_per_item`` taken in.
    Rankings are cut at 50 items or documents; a document ranks where its first hit does.

    Args:
        paths: Files, or folders of them.
        limit: Ask the first so many questions of each set; everything that is asked about is taken in all the same.
        predictions: Write ``{"set", "memory", "question", "ranking"}`` here as JSON lines: the memory's id, null for a
            corpus; the question's id, or without one its place in its list; ids, best first.
        progress: Told after every item taken in and every question asked.
        embedder: What embeds; by default the facade's own.
        open_memory: What is measured, opened on a store, a namespace, and the time items without one are recorded
            at; by default ``Memory.open``.
        maintain: Whether everything is looked at again, as ``Memory.maintain`` does, before the questions are asked.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(limit, "limit")
    found = find_retrieval_sets(paths)
    settings: dict[str, Json] = {"ranking_length": RANKING_LENGTH, "limit": limit, "maintain": maintain}
    if open_memory is None:
        chosen = config.load()
        embedder = embedder or embedder_named(chosen.embedder)
        open_memory = partial(_open, embedder=embedder, settings=chosen)
        settings |= _describe(embedder, chosen)
    afterwards = _maintain if maintain else None
    with writing_predictions(predictions) as write:
        results = [
            _measure_set(
                path, limit=limit, open_memory=open_memory, write=write, progress=progress, afterwards=afterwards
            )
            for path in found
        ]
    return Report(system="retrieval", settings=settings, sets=tuple(results))


def _open(
    store: Path, namespace: str, began_at: datetime | None, *, embedder: Embedder, settings: Settings
) -> MemoryUnderTest:
    # An item without a time counts as known from the beginning: recorded today, no question from the past would see it.
    clock = SystemClock() if began_at is None else SteppingClock(began_at)
    settings = settings.model_copy(update={"queries": replace(settings.queries, record=False)})  # each is asked afresh
    return Memory.open(store, namespace=namespace, embedder=embedder, clock=clock, settings=settings)


def _describe(embedder: Embedder, settings: Settings) -> dict[str, Json]:
    return {
        "embedder": embedder.model.id,
        "analyser": ANALYSER_VERSION,
        "chunking": asdict(settings.chunking),
        "recall": asdict(suited(settings.recall, embedder.model)),
        "reranker": None if settings.reranker is None else settings.reranker.name,
        "rerank": asdict(settings.rerank),
    }


def _maintain(memory: MemoryUnderTest) -> None:
    if not isinstance(memory, Memory):
        raise InvalidValue(f"{type(memory).__name__} cannot be maintained: leave maintain out.")
    memory.maintain(items=_EVERYTHING)


def _measure_set(
    path: Path,
    *,
    limit: int | None,
    open_memory: OpenMemory,
    write: WritePrediction,
    progress: Progress | None,
    afterwards: Callable[[MemoryUnderTest], None] | None,
) -> SetResult:
    name = set_name(path)
    collections = tuple(_with_first_questions(read_collections(path), limit))
    total = sum(len(collection.items) + len(collection.questions) for collection in collections)
    done = 0

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        if progress and steps:
            progress(name, done, total)

    outcomes: list[Outcome] = []
    with TemporaryDirectory(prefix="evolore-evaluate-") as folder:
        for number, collection in enumerate(collections, start=1):
            store = Path(folder) / "store"
            with closing(open_memory(store, f"memory-{number}", collection.began_at)) as memory:
                outcomes.append(try_collection(memory, collection, advance=advance, afterwards=afterwards))
            for trial in outcomes[-1].trials:
                ranking = trial.ranking
                write({"set": name, "memory": collection.id, "question": trial.question.id, "ranking": ranking})
    return _summarise(name, outcomes)


def _with_first_questions(collections: Sequence[Collection], limit: int | None) -> Iterator[Collection]:
    """Keep the first questions of a set, and the collections they are asked of."""
    left = limit
    for collection in collections:
        questions = collection.questions[:left]
        left = None if left is None else left - len(questions)
        if questions:
            yield replace(collection, questions=questions)


def _summarise(name: str, outcomes: Sequence[Outcome]) -> SetResult:
    scores: list[dict[str, float]] = []
    by_category: defaultdict[str, list[dict[str, float]]] = defaultdict(list)
    for outcome in outcomes:
        sessions = {item.id: item.session for item in outcome.collection.items if item.session is not None}
        for trial in outcome.trials:
            gold = trial.question.evidence
            scores.append(score_ranking(trial.ranking, gold) | score_sessions(trial.ranking, gold, sessions))
            by_category[trial.question.category].append(scores[-1])
    categories = {
        category: {"questions": len(those), **average(those)}
        for category, those in sorted(by_category.items())
        if category
    }
    metrics = {"questions": len(scores), **average(scores), **_timings(outcomes), **_counts(outcomes)}
    return SetResult(name=name, metrics=metrics, categories=categories)


def _timings(outcomes: Sequence[Outcome]) -> dict[str, float]:
    queries = [trial.milliseconds for outcome in outcomes for trial in outcome.trials]
    if not queries:
        return {}
    seconds = sum(outcome.taking_in_seconds for outcome in outcomes)
    items = sum(len(outcome.collection.items) for outcome in outcomes)
    return {
        "p50_ms": float(np.percentile(queries, 50)),
        "p95_ms": float(np.percentile(queries, 95)),
        "ms_per_item": 1000 * seconds / max(1, items),
    }


def _counts(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Count what was taken in, and what of the data could not be used."""
    items = [item for outcome in outcomes for item in outcome.collection.items]
    return {
        "items": len(items),
        "blank_items": sum(item.content is None for item in items),
        "unread_times": sum(item.has_unread_time for item in items),
        "unknown_evidence": sum(_unknown_evidence(outcome.collection) for outcome in outcomes),
    }


def _unknown_evidence(collection: Collection) -> int:
    known = {item.id for item in collection.items}
    return sum(len(question.evidence - known) for question in collection.questions)
