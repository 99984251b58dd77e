"""Measuring how often what holds stands above what does not, by the protocol of docs/evaluation.md."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evolore import config
from evolore.evaluation.blind import Scope
from evolore.evaluation.predictions import writing_predictions
from evolore.evaluation.reports import Report, SetResult, snake_case
from evolore.evaluation.sets import check_count, set_name
from evolore.evaluation.staleness_sets import find_staleness_sets, read_staleness_cases
from evolore.memory import Memory
from evolore.models.named import embedder_named

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from evolore.config import Settings
    from evolore.evaluation.predictions import WritePrediction
    from evolore.evaluation.reports import Json, Progress
    from evolore.evaluation.retrieval_trials import MemoryUnderTest
    from evolore.evaluation.staleness_sets import StalenessCase
    from evolore.ports import Embedder

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
    scope = Scope(blind=blind, limit=limit, progress=progress)
    found = find_staleness_sets(paths)
    settings: dict[str, Json] = {"blind": blind, "limit": limit}
    if open_memory is None:
        chosen = config.load()
        model = embedder or embedder_named(chosen.embedder)
        open_memory = partial(_open, embedder=model, settings=chosen)
        settings |= _describe(model, chosen)
    with writing_predictions(predictions) as write:
        trial = _Trial(open_memory, write)
        results = tuple(_measure_set(path, scope, trial) for path in found)
    return Report(system="staleness", settings=settings, sets=results)


def _open(store: Path, namespace: str, *, embedder: Embedder, settings: Settings) -> MemoryUnderTest:
    settings = settings.model_copy(update={"queries": replace(settings.queries, record=False)})
    return Memory.open(store, namespace=namespace, embedder=embedder, settings=settings)


def _describe(embedder: Embedder, settings: Settings) -> dict[str, Json]:
    return {
        "embedder": embedder.model.id,
        "recall": asdict(settings.recall),
        "intent": asdict(settings.intent),
        "decay": asdict(settings.decay),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """A case, and whether its order was right."""

    case: StalenessCase
    is_right: bool


@dataclass(frozen=True, slots=True)
class _Trial:
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
    """Tell whether an item is ranked, and before all of the others.

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


def _measure_set(path: Path, scope: Scope, trial: _Trial) -> SetResult:
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
