"""Measuring how well recall finds what answers a question, by the protocol of docs/protocols.md."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import count
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from evolore import config
from evolore.domain.episode import Statement
from evolore.errors import InvalidValue
from evolore.flows.embedding import meaning_weights
from evolore.jobs.clock import SteppingClock, SystemClock
from evolore.memory import Memory
from evolore.memory.opening import embedder_of
from evolore.ports import SourceText
from evolore.recall.ranking import Term
from evolore.text.tokens import ANALYSER_VERSION
from evolore_evaluation.measure import ALL_VISIBLE, Measure
from evolore_evaluation.retrieval_sets import (
    average,
    find_retrieval_sets,
    read_collections,
    read_corrections,
    score_ranking,
    score_sessions,
    with_first_questions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from evolore.config import Settings
    from evolore.domain.episode import Episode
    from evolore.domain.query import Echo, Hit, Recall
    from evolore.flows.add import Added
    from evolore.flows.remember.remember import RememberedMany
    from evolore.ports import Embedder
    from evolore_evaluation.measure import MeasuredSet, Run
    from evolore_evaluation.reports import Json, Report
    from evolore_evaluation.retrieval_sets import Collection, Question, SetItem

_EVERYTHING = 1_000_000


def evaluate_retrieval(
    paths: Sequence[Path],
    run: Run = ALL_VISIBLE,
    *,
    embedder: Embedder | None = None,
    open_memory: OpenMemory | None = None,
    maintain: bool = False,
    without: Sequence[str] = (),
    corrections: Path | None = None,
) -> Report:
    """Measure recall on memory sets ``{id, lang, items, questions}``, corpus sets of ``doc`` and ``q`` lines, and LongMemEval.

    Every set is taken into a fresh temporary store through the public facade, each memory into a namespace of its own,
    and removed afterwards. Figures are averages over the questions with evidence, see ``score_ranking`` and
    ``score_sessions``; then by category, and counts, ``p50_ms`` and ``p95_ms`` per question, ``ms_per_item`` taken in.
    Rankings are cut at 50 items or documents; a document ranks where its first hit does.

    Args:
        paths: Files, or folders of them.
        run: How many questions of each set are asked; everything that is asked about is taken in all the same. Predictions
            are ``{"set", "memory", "question", "ranking"}``: the memory's id, null for a corpus; the question's id, or
            without one its place in its list; ids, best first.
        embedder: What embeds; by default the facade's own.
        open_memory: What is measured, opened on a store, a namespace, and the time items without one are recorded
            at; by default ``Memory.open``.
        maintain: Whether everything is examined again, as ``Memory.maintain`` does, before the questions are asked.
        without: Terms of the score that are taken out of it; the first 200 hits are put in order again.
        corrections: What answers some questions in truth, as ``read_corrections`` reads it.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    for name in without:
        if name not in {*Term}:
            raise InvalidValue(f"{name!r} is no term of a score: name one of {', '.join(Term)}.")
    found = find_retrieval_sets(paths)
    settings: dict[str, Json] = {
        "ranking_length": RANKING_LENGTH,
        "limit": run.limit,
        "maintain": maintain,
        "without": list(without),
        "corrections": None if corrections is None else corrections.name,
    }
    truth = {} if corrections is None else read_corrections(corrections)
    if open_memory is None:
        chosen = config.load()
        embedder = embedder_of(embedder, settings=chosen)
        open_memory = partial(_open, embedder=embedder, settings=chosen)
        settings |= {
            "embedder": embedder.model.id,
            "analyser": ANALYSER_VERSION,
            "chunking": asdict(chosen.chunking),
            "meaning": asdict(meaning_weights(embedder.model)),
            "reranker": None if chosen.reranker is None else chosen.reranker.name,
            "rerank": asdict(chosen.rerank),
        }
    return Measure(
        system="retrieval",
        read=lambda path: tuple(with_first_questions(read_collections(path, truth), run.limit)),
        begin=partial(
            _trying, open_memory=open_memory, afterwards=_maintain if maintain else None, without=tuple(without)
        ),
        figures=_average,
        groups=_by_category,
        whole=_whole_figures,
        tells_itself=True,
    ).report(found, run, settings)


def _open(
    store: Path, namespace: str, began_at: datetime | None, *, embedder: Embedder, settings: Settings
) -> MemoryUnderTest:
    # An item without a time counts as known from the beginning: recorded today, no question from the past would see it.
    clock = SystemClock() if began_at is None else SteppingClock(began_at)
    settings = settings.model_copy(update={"queries": replace(settings.queries, record=False)})  # each is asked afresh
    return Memory.open(store, namespace=namespace, embedder=embedder, clock=clock, settings=settings)


def _maintain(memory: MemoryUnderTest) -> None:
    if not isinstance(memory, Memory):
        raise InvalidValue(f"{type(memory).__name__} cannot be maintained: leave maintain out.")
    memory.maintain(items=_EVERYTHING)


def _trying(
    collections: MeasuredSet[Collection],
    *,
    open_memory: OpenMemory,
    afterwards: Callable[[MemoryUnderTest], None] | None,
    without: Sequence[str],
) -> Callable[[Collection], CollectionOutcome]:
    """Return what takes in a collection and asks its questions, in a namespace of its own."""
    store = collections.new_folder() / "store"
    total = sum(len(collection.items) + len(collection.questions) for collection in collections.cases)
    numbers, done = count(1), 0

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        if steps:
            collections.tell(done, total)

    def attempt(collection: Collection) -> CollectionOutcome:
        with closing(open_memory(store, f"memory-{next(numbers)}", collection.began_at)) as memory:
            outcome = try_collection(memory, collection, advance=advance, afterwards=afterwards, without=without)
        for trial in outcome.trials:
            collections.write({"memory": collection.id, "question": trial.question.id, "ranking": trial.ranking})
        return outcome

    return attempt


def _average(outcomes: Sequence[CollectionOutcome]) -> dict[str, float]:
    scores: list[dict[str, float]] = []
    for outcome in outcomes:
        sessions = {item.id: item.session for item in outcome.collection.items if item.session is not None}
        for trial in outcome.trials:
            gold = trial.question.evidence
            scores.append(score_ranking(trial.ranking, gold) | score_sessions(trial.ranking, gold, sessions))
    return {"questions": len(scores), **average(scores)}


def _by_category(outcomes: Sequence[CollectionOutcome]) -> dict[str, list[CollectionOutcome]]:
    """Return the result of the questions of each category, collection by collection."""
    return {
        category: [
            replace(outcome, trials=tuple(one for one in outcome.trials if one.question.category == category))
            for outcome in outcomes
        ]
        for category in sorted({trial.question.category for outcome in outcomes for trial in outcome.trials} - {""})
    }


def _whole_figures(outcomes: Sequence[CollectionOutcome]) -> dict[str, float]:
    return {**_average(outcomes), **_timings(outcomes), **_counts(outcomes)}


def _timings(outcomes: Sequence[CollectionOutcome]) -> dict[str, float]:
    queries = [trial.milliseconds for outcome in outcomes for trial in outcome.trials]
    if not queries:
        return {}
    seconds = sum(outcome.taking_in_seconds for outcome in outcomes)
    return {
        "p50_ms": float(np.percentile(queries, 50)),
        "p95_ms": float(np.percentile(queries, 95)),
        "ms_per_item": 1000 * seconds / max(1, sum(len(outcome.collection.items) for outcome in outcomes)),
    }


def _counts(outcomes: Sequence[CollectionOutcome]) -> dict[str, float]:
    """Count what was taken in, and what of the data could not be used."""
    items = [item for outcome in outcomes for item in outcome.collection.items]
    return {
        "items": len(items),
        "blank_items": sum(item.content is None for item in items),
        "unread_times": sum(item.has_unread_time for item in items),
        "unknown_evidence": sum(_unknown_evidence(outcome.collection) for outcome in outcomes),
        "corrected_questions": sum(one.is_corrected for outcome in outcomes for one in outcome.collection.questions),
    }


def _unknown_evidence(collection: Collection) -> int:
    known = {item.id for item in collection.items}
    return sum(len(question.evidence - known) for question in collection.questions)


OpenMemory: TypeAlias = "Callable[[Path, str, datetime | None], MemoryUnderTest]"
"""Opens what is measured on a store's folder and a namespace."""

RANKING_LENGTH = 50
"""How many items or documents a ranking holds, where there are as many."""

_DOCUMENT_BATCH = 100


class MemoryUnderTest(Protocol):
    """What is measured: the part of ``Memory`` that takes in and recalls."""

    def remember_many(self, statements: Iterable[Statement]) -> RememberedMany:
        """Remember statements; the result names an episode for each, in their order."""
        ...

    def add(self, *sources: SourceText) -> Added:
        """Add documents; the result names one for each, in their order."""
        ...

    def recall(self, question: str, /, *, limit: int, as_of: datetime | None) -> Recall:
        """Find what answers a question, best first."""
        ...

    def close(self) -> None:
        """Release files and memory."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalTrial:
    """One question as it was answered."""

    question: Question  #: What was asked.
    ranking: tuple[str, ...]  #: Ids of items or documents, best first, each once, at most 50.
    milliseconds: float  #: How long the recall took.


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionOutcome:
    """The result of one collection."""

    collection: Collection  #: What was taken in and asked.
    trials: tuple[RetrievalTrial, ...]  #: One for each question, in their order.
    taking_in_seconds: float  #: How long it took to take the items in.


def try_collection(
    memory: MemoryUnderTest,
    collection: Collection,
    *,
    advance: Callable[[int], None],
    afterwards: Callable[[MemoryUnderTest], None] | None = None,
    without: Sequence[str] = (),
) -> CollectionOutcome:
    """Add every item, then ask every question.

    Args:
        memory: An empty one.
        collection: Items and questions; of an item the memory sees its content, of a question its text and time.
        advance: Receives how many more items and questions are behind us.
        afterwards: Done with the memory when all is taken in; its time counts as taking in.
        without: Terms that are taken out of the scores.
    """
    started = perf_counter()
    items_of = take_in(memory, collection.items, advance=advance)
    if afterwards is not None:
        afterwards(memory)
    taking_in_seconds = perf_counter() - started
    trials: list[RetrievalTrial] = []
    for question in collection.questions:
        trials.append(_ask(memory, question, items_of, without))
        advance(1)
    return CollectionOutcome(collection=collection, trials=tuple(trials), taking_in_seconds=taking_in_seconds)


def take_in(
    memory: MemoryUnderTest, items: Sequence[SetItem], *, advance: Callable[[int], None]
) -> dict[str, tuple[str, ...]]:
    """Hand the items in and return, by episode or document, the items it came from, in their order."""
    said = [(item.id, item.content) for item in items if isinstance(item.content, Statement)]
    written = [(item.id, item.content) for item in items if isinstance(item.content, SourceText)]
    items_of: dict[str, tuple[str, ...]] = {}
    if said:
        episodes = memory.remember_many([statement for _, statement in said]).episodes
        _note(items_of, said, [episode.id for episode in episodes])
    for start in range(0, len(written), _DOCUMENT_BATCH):
        batch = written[start : start + _DOCUMENT_BATCH]
        _note(items_of, batch, [one.document.id for one in memory.add(*[text for _, text in batch]).documents])
        advance(len(batch))
    advance(len(items) - len(written))
    return items_of


def _note(items_of: dict[str, tuple[str, ...]], given: Sequence[tuple[str, object]], kept_as: Sequence[str]) -> None:
    # A statement merged into an earlier one shares its episode; such an episode represents all of its items.
    for (item_id, _), kept in zip(given, kept_as, strict=True):
        items_of[kept] = (*items_of.get(kept, ()), item_id)


def _ask(
    memory: MemoryUnderTest, question: Question, items_of: Mapping[str, tuple[str, ...]], without: Sequence[str]
) -> RetrievalTrial:
    if not items_of:
        return RetrievalTrial(question=question, ranking=(), milliseconds=0.0)
    query, limit = question.query, RANKING_LENGTH * (4 if without else 1)
    started = perf_counter()
    hits = memory.recall(query.text, limit=limit, as_of=query.as_of).hits
    if without:
        hits = sorted((_less(hit, without) for hit in hits), key=lambda hit: -hit.score)
    milliseconds = 1000 * (perf_counter() - started)
    enough = min(RANKING_LENGTH, sum(map(len, items_of.values())))
    # Several chunks of one document may be hits: ask on until there are enough documents, or no more hits.
    while len(ranked_items(hits, items_of)) < enough and len(hits) >= limit:
        limit *= 2
        hits = memory.recall(query.text, limit=limit, as_of=query.as_of).hits
    return RetrievalTrial(
        question=question, ranking=ranked_items(hits, items_of)[:RANKING_LENGTH], milliseconds=milliseconds
    )


def _less(hit: Hit, without: Sequence[str]) -> Hit:
    """Subtract terms from the score of a hit and of its echoes."""
    echoes = tuple(replace(one, score=one.score - _worth(one, without)) for one in hit.echoes)
    return replace(hit, score=hit.score - _worth(hit, without), echoes=echoes)


def _worth(scored: Hit | Echo, terms: Sequence[str]) -> float:
    return sum(term.value for term in scored.terms if term.name in terms)


def ranked_items(hits: Sequence[Hit], items_of: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the items that hits represent, best first, each once."""
    kept_as = (episode.document_id or episode.id for episode in _episodes(hits))
    return tuple(dict.fromkeys(item_id for kept in kept_as for item_id in items_of.get(kept, ())))


def _episodes(hits: Sequence[Hit]) -> tuple[Episode, ...]:
    """Return what was found, best first: what was folded into a hit is placed by its own score."""
    scored = [(score, episode) for hit in hits for score, episode in hit.scored_episodes]
    if len(scored) > len(hits):
        scored.sort(key=lambda one: -one[0])  # stable: ties keep their order
    return tuple(episode for _, episode in scored)
