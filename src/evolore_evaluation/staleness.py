"""Measuring how often what holds ranks above what does not, by the protocol of docs/protocols.md."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from evolore import config
from evolore.config import Settings
from evolore.domain.episode import Statement
from evolore.domain.query import Query
from evolore.flows.embedding import meaning_weights
from evolore.memory import Memory
from evolore.memory.opening import embedder_of
from evolore.ports import Embedder
from evolore.text.scripts import detect_language
from evolore_evaluation.measure import ALL_VISIBLE, Case, Measure, MeasuredSet, Run, groups_by
from evolore_evaluation.records import Record, SetForm, parse_asked_time, parse_time
from evolore_evaluation.reports import Json, Report, snake_case


def evaluate_staleness(paths: Sequence[Path], run: Run = ALL_VISIBLE, *, embedder: Embedder | None = None) -> Report:
    """Measure on cases ``{id, lang, kind, as_of, items, query, better, worse}`` whether the right item ranks above.

    ``right_order`` is the share of cases in which ``better`` ranks above all of ``worse``; an item that is not recalled
    ranks below all that are. Kinds are given apart, then languages. Each case is remembered in a namespace of its own
    of a fresh temporary store, through the public facade.

    Args:
        paths: Files, or folders of them.
        run: How much is measured; predictions are ``{"set", "id", "ranking", "right"}``.
        embedder: What embeds; by default the settings' own.

    Raises:
        UnreadableSource: A path does not exist or cannot be read.
        InvalidValue: A file or line has another form, or an option is out of range.
    """
    chosen = config.load()
    model = embedder_of(embedder, settings=chosen)
    measure = Measure(
        system="staleness",
        read=lambda path: run.chosen(STALENESS_SETS.read(path)),
        begin=partial(_asking, model, chosen),
        figures=_figures,
        groups=lambda tried: groups_by(tried, *(_LEVELS if run.blind else _LEVELS[:2])),
    )
    settings: dict[str, Json] = {
        "blind": run.blind,
        "limit": run.limit,
        "embedder": model.model.id,
        "meaning": asdict(meaning_weights(model.model)),
        "intent": asdict(chosen.intent),
        "decay": asdict(chosen.decay),
    }
    return measure.report(STALENESS_SETS.find(paths), run, settings)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried:
    """A case, and whether its order was right."""

    case: StalenessCase
    is_right: bool


def _asking(
    embedder: Embedder, settings: Settings, cases: MeasuredSet[StalenessCase]
) -> Callable[[StalenessCase], _Tried]:
    """Return what remembers and asks a case in a namespace of its own."""
    store = cases.new_folder() / "store"
    quiet = settings.model_copy(update={"queries": replace(settings.queries, record=False)})

    def attempt(case: StalenessCase) -> _Tried:
        with Memory.open(store, namespace=f"case-{case.id}", embedder=embedder, settings=quiet) as memory:
            ranking = _ranking(memory, case)
        is_right = is_in_right_order(ranking, better=case.better, worse=case.worse)
        cases.write({"id": case.id, "ranking": ranking, "right": is_right})
        return _Tried(case=case, is_right=is_right)

    return attempt


def is_in_right_order(ranking: Sequence[str], *, better: str, worse: frozenset[str]) -> bool:
    """Return whether an item is ranked, and before all of the others.

    >>> is_in_right_order(["new", "old"], better="new", worse=frozenset({"old", "older"}))
    True
    """
    return next((item for item in ranking if item == better or item in worse), None) == better


def _ranking(memory: Memory, case: StalenessCase) -> list[str]:
    episodes = memory.remember_many([statement for _, statement in case.items]).episodes
    items_of: dict[str, list[str]] = {}
    for (item_id, _), episode in zip(case.items, episodes, strict=True):
        items_of.setdefault(episode.id, []).append(item_id)
    hits = memory.recall(case.query.text, limit=case.query.limit, as_of=case.query.as_of).hits
    return [item_id for hit in hits for item_id in items_of.get(hit.episode.id, ())]


_LEVELS: tuple[Callable[[_Tried], list[str]], ...] = (
    lambda one: [snake_case(one.case.kind)],
    lambda one: [snake_case(one.case.language)],
    lambda one: [one.case.half],
    lambda one: [f"{one.case.half}_{snake_case(one.case.kind)}"] if one.case.kind else [],
)


def _figures(tried: Sequence[_Tried]) -> dict[str, float]:
    figures = {"cases": float(len(tried))}
    if tried:
        figures["right_order"] = sum(one.is_right for one in tried) / len(tried)
    return figures


@dataclass(frozen=True, slots=True, kw_only=True)
class StalenessCase(Case):
    """What is remembered, what is asked, and which item must rank above which."""

    #: What it is written in, as its set says or as the question looks; it groups figures and decides nothing.
    language: str
    kind: str  #: What it tests; it groups figures and decides nothing.
    items: tuple[tuple[str, Statement], ...]  #: The ids and statements, in the order they are given.
    query: Query  #: The question, with the moment it is asked from and a limit that lets every item through.
    better: str  #: The item that is right.
    worse: frozenset[str]  #: The items it must rank above, at least one.


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


STALENESS_SETS = SetForm(
    line='{"id", "lang", "kind", "as_of", "items", "query", "better", "worse"}',
    fits=lambda first: {"items", "query", "better", "worse"} <= set(first.fields),
    read_one=_case,
)
"""Cases of what holds and what does not; those without an id are named by their place."""
