"""Measuring how often what holds stands above what does not, by the protocol of docs/evaluation.md."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evolore import config
from evolore.domain.episode import Statement
from evolore.domain.query import Query
from evolore.flows.embedding import meaning_weights
from evolore.memory import Memory
from evolore.memory.opening import embedder_of
from evolore.text.scripts import detect_language
from evolore_evaluation.halves import Case, MeasuredScope
from evolore_evaluation.predictions import writing_predictions
from evolore_evaluation.records import check_count, find_sets, parse_asked_time, parse_time, read_named, set_name
from evolore_evaluation.reports import Report, SetResult, snake_case

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import TypeAlias

    from evolore.config import Settings
    from evolore.ports import Embedder
    from evolore_evaluation.predictions import WritePrediction
    from evolore_evaluation.records import Record
    from evolore_evaluation.reports import Json, Progress
    from evolore_evaluation.retrieval import MemoryUnderTest

if TYPE_CHECKING:
    OpenCaseMemory: TypeAlias = Callable[[Path, str], MemoryUnderTest]
    """Opens what is measured on a store's folder and a namespace."""


def evaluate_staleness(
    paths: Sequence[Path],
    *,
    blind: bool = False,
    limit: int | None = None,
    predictions: Path | None = None,
    progress: Progress | None = None,
    embedder: Embedder | None = None,
    open_memory: OpenCaseMemory | None = None,
) -> Report:
    """Measure on cases ``{id, lang, kind, as_of, items, query, better, worse}`` whether the right item stands above.

    ``right_order`` is the share of cases in which ``better`` ranks above all of ``worse``; an item that is not recalled
    ranks below all that are. Kinds are given apart, then languages. Each case is remembered in a namespace of its own
    of a fresh temporary store, through the public facade.

    Args:
        paths: Files, or folders of them.
        blind: Measure the blind half too, and give the figures of either half apart. Rules are not tuned on it: look
            rarely, and keep a log.
        limit: Measure on the first so many cases of each set.
        predictions: Write ``{"set", "id", "ranking", "right"}`` here as JSON lines.
        progress: Told after every case.
        embedder: What embeds; by default the settings' own.
        open_memory: What is measured, opened on a store and a namespace; by default ``Memory.open``.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    check_count(limit, "limit")
    scope = MeasuredScope(blind=blind, limit=limit, progress=progress)
    found = find_staleness_sets(paths)
    settings: dict[str, Json] = {"blind": blind, "limit": limit}
    if open_memory is None:
        chosen = config.load()
        model = embedder_of(embedder, settings=chosen)
        open_memory = partial(_open, embedder=model, settings=chosen)
        settings |= _describe(model, chosen)
    with writing_predictions(predictions) as write:
        trial = _StalenessTrial(open_memory, write)
        results = tuple(_measure_set(path, scope, trial) for path in found)
    return Report(system="staleness", settings=settings, sets=results)


def _open(store: Path, namespace: str, *, embedder: Embedder, settings: Settings) -> MemoryUnderTest:
    settings = settings.model_copy(update={"queries": replace(settings.queries, record=False)})
    return Memory.open(store, namespace=namespace, embedder=embedder, settings=settings)


def _describe(embedder: Embedder, settings: Settings) -> dict[str, Json]:
    return {
        "embedder": embedder.model.id,
        "meaning": asdict(meaning_weights(embedder.model)),
        "intent": asdict(settings.intent),
        "decay": asdict(settings.decay),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """A case, and whether its order was right."""

    case: StalenessCase
    is_right: bool


@dataclass(frozen=True, slots=True)
class _StalenessTrial:
    """Remembers and asks one case after another, and keeps how they were ranked."""

    open_memory: OpenCaseMemory
    write: WritePrediction

    def run(self, set_name: str, case: StalenessCase, *, store: Path) -> _Tried:
        with closing(self.open_memory(store, f"case-{case.id}")) as memory:
            ranking = _ranking(memory, case)
        is_right = is_in_right_order(ranking, better=case.better, worse=case.worse)
        self.write({"set": set_name, "id": case.id, "ranking": ranking, "right": is_right})
        return _Tried(case=case, is_right=is_right)


def is_in_right_order(ranking: Sequence[str], *, better: str, worse: frozenset[str]) -> bool:
    """Return whether an item is ranked, and before all of the others.

    >>> is_in_right_order(["new", "old"], better="new", worse=frozenset({"old", "older"}))
    True
    """
    first = next((item for item in ranking if item == better or item in worse), None)
    return first == better


def _ranking(memory: MemoryUnderTest, case: StalenessCase) -> list[str]:
    episodes = memory.remember_many([statement for _, statement in case.items]).episodes
    items_of: dict[str, list[str]] = {}
    for (item_id, _), episode in zip(case.items, episodes, strict=True):
        items_of.setdefault(episode.id, []).append(item_id)
    hits = memory.recall(case.query.text, limit=case.query.limit, as_of=case.query.as_of).hits
    return [item_id for hit in hits for item_id in items_of.get(hit.episode.id, ())]


def _measure_set(path: Path, scope: MeasuredScope, trial: _StalenessTrial) -> SetResult:
    name = set_name(path)
    with TemporaryDirectory(prefix="evolore-evaluate-") as folder:
        run = partial(trial.run, name, store=Path(folder) / "store")
        tried = scope.measure(name, scope.chosen(read_staleness_cases(path)), run)
    categories = {label: _figures(group) for label, group in _groups(tried, blind=scope.blind).items()}
    return SetResult(name=name, metrics=_figures(tried), categories=categories)


def _groups(tried: Sequence[_Tried], *, blind: bool) -> dict[str, list[_Tried]]:
    """Sort cases by kind, then language, then half; with both halves, a half's kinds are given too."""
    labels: list[Callable[[_Tried], str]] = [_kind, _language]
    if blind:
        labels += [_half, _kind_of_half]
    groups: dict[str, list[_Tried]] = {}
    for label in labels:
        for one in sorted(tried, key=label):
            if label(one):
                groups.setdefault(label(one), []).append(one)
    return groups


def _kind(one: _Tried) -> str:
    return snake_case(one.case.kind)


def _language(one: _Tried) -> str:
    return snake_case(one.case.language)


def _kind_of_half(one: _Tried) -> str:
    return f"{_half(one)}_{_kind(one)}" if one.case.kind else ""


def _half(one: _Tried) -> str:
    return one.case.half


def _figures(tried: Sequence[_Tried]) -> dict[str, float]:
    figures = {"cases": float(len(tried))}
    if tried:
        figures["right_order"] = sum(one.is_right for one in tried) / len(tried)
    return figures


_FORM = '{"id", "lang", "kind", "as_of", "items", "query", "better", "worse"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class StalenessCase(Case):
    """What is remembered, what is asked, and which item must stand above which.

    Args:
        id: Its name in its set.
        language: What it is written in, as its set says or as the question looks; it groups figures and decides nothing.
        kind: What it tests; it groups figures and decides nothing.
        items: The ids and statements, in the order they are given.
        query: The question, with the moment it is asked from and a limit that lets every item through.
        better: The item that is right.
        worse: The items it must stand above, at least one.
    """

    language: str
    kind: str
    items: tuple[tuple[str, Statement], ...]
    query: Query
    better: str
    worse: frozenset[str]


def find_staleness_sets(paths: Sequence[Path]) -> tuple[Path, ...]:
    """List the files of staleness cases that the paths name, as ``find_sets`` does and raises."""
    return find_sets(paths, fits=lambda first: {"items", "query", "better", "worse"} <= set(first.fields), form=_FORM)


def read_staleness_cases(path: Path) -> tuple[StalenessCase, ...]:
    """Read a whole set; cases without an id are named by their place, from 1.

    Raises:
        UnreadableSource: The file cannot be read, or a line is not JSON.
        InvalidValue: A line has another form, names an item it does not hold, or two have one id.
    """
    return read_named(path, _case)


def _case(record: Record, number: int) -> StalenessCase:
    items = tuple(_item(one) for one in record.records("items"))
    ids = [item_id for item_id, _ in items]
    better, worse = record.name("better"), frozenset(record.names("worse"))
    if len(set(ids)) < len(ids):
        raise record.refuse("items", "items that each have an id of their own")
    if better not in ids:
        raise record.refuse("better", "the id of one of the items")
    if not worse or not worse <= set(ids) - {better}:
        raise record.refuse("worse", "the ids of one or more other items")
    query = record.filled("query", "a question")
    return StalenessCase(
        id=record.optional_name("id") or str(number),
        language=record.optional_name("lang") or detect_language(query).value,
        kind=record.optional_name("kind") or "",
        items=items,
        query=Query(text=query, limit=len(items), as_of=_as_of(record)),
        better=better,
        worse=worse,
    )


def _item(record: Record) -> tuple[str, Statement]:
    text = record.filled("text")
    occurred_at = parse_time(record.text("occurred_at"))
    if occurred_at is None:
        raise record.refuse("occurred_at", "a time such as 2026-03-02T09:00:00Z")
    return record.name("id"), Statement(
        text=text,
        occurred_at=occurred_at,
        speaker=record.optional_name("speaker"),
        session=record.optional_name("session"),
        arousal=None if record.fields.get("arousal") is None else record.share("arousal"),
    )


def _as_of(record: Record) -> datetime:
    found = parse_asked_time(record.text("as_of"))
    if found is None:
        raise record.refuse("as_of", "a time such as 2026-03-02T09:00:00Z")
    return found
