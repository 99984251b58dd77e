"""Edges of questions wait at episodes until enough have gathered; then what they led to decides (seed 004)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from evolore.domain.episodes import EdgeKind
from evolore.queries.timing import at_once, enters_at_once, evaluate

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Sequence
    from datetime import datetime

    from evolore.flows.context import Context
    from evolore.ports import Entering, QueryEdge, StoreReader, StoreWriter
    from evolore.queries.settings import QuerySettings
    from evolore.queries.timing import Evaluation

INSIGHT = "insight"
"""The reason of an event by which edges of an insight enter the graph at once."""

_SHARE = "share"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """An episode that was evaluated by the questions that touched it.

    Args:
        episode_id: The episode.
        share: The share of these questions that led to insight, 0–1.
        is_high: Whether it is worth much: what waited entered the graph; else it is kept beside it.
        edges: How many edges waited.
        event_ids: The events that say so.
    """

    episode_id: str
    share: float
    is_high: bool
    edges: int
    event_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """What the edges of a question caused.

    Args:
        event_ids: The events by which edges entered the graph, and those of evaluations.
        evaluated: The episodes that were evaluated.
    """

    event_ids: tuple[str, ...] = ()
    evaluated: tuple[Evaluated, ...] = ()


def leave_edges(writer: StoreWriter, edges: Collection[QueryEdge], *, settings: QuerySettings, at: datetime) -> Left:
    """Let the edges of a question enter the graph or wait, and evaluate every episode at which enough have gathered.

    Args:
        writer: The transaction they are written in.
        edges: All that the question leaves.
        settings: When they enter.
        at: When.
    """
    writer.put_query_edges(edges, at=at)
    entered = [
        writer.enter_query_edges(edge.target_id, [at_once(edge)], evaluated=False, reason=INSIGHT, at=at)
        for edge in edges
        if enters_at_once(edge, settings)
    ]
    evaluated = evaluate_targets(writer, [edge.target_id for edge in edges], settings=settings, at=at)
    return Left(event_ids=(*(id_ for id_ in entered if id_), *_events(evaluated)), evaluated=evaluated)


def _events(evaluated: Iterable[Evaluated]) -> tuple[str, ...]:
    return tuple(id_ for one in evaluated for id_ in one.event_ids)


def evaluate_targets(
    writer: StoreWriter, target_ids: Iterable[str], *, settings: QuerySettings, at: datetime
) -> tuple[Evaluated, ...]:
    """Evaluate those of some episodes at which enough edges wait; nothing in the phases that do not evaluate.

    An episode that was merged or split since counts with all that what stands for it now was made of: those were asked
    about the same.
    """
    wanted = tuple(dict.fromkeys(target_ids))
    if not settings.phase.evaluates or not wanted:
        return ()
    found: list[Evaluated] = []
    for head, family in _families(writer, wanted).items():
        one = _evaluate(writer, head, family, settings=settings, at=at)
        if one is not None:
            found.append(one)
    return tuple(found)


def _families(reader: StoreReader, target_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Give what stands for some episodes now, each with all it stands for; an episode that nothing stands for, alone."""
    standing = reader.standing_for(target_ids)
    heads = dict.fromkeys(head for id_ in target_ids for head in (standing.get(id_) or (id_,)))
    members = reader.members(tuple(heads))
    return {head: tuple(dict.fromkeys((head, *(one.id for one in members.get(head, ()))))) for head in heads}


def _evaluate(
    writer: StoreWriter, head: str, family: Sequence[str], *, settings: QuerySettings, at: datetime
) -> Evaluated | None:
    touching = _touching(writer, family)
    waiting = [edge for edge in touching if edge.waits]
    if len(waiting) < settings.gather:
        return None
    verdict = evaluate(touching, waiting, settings=settings)
    return Evaluated(
        episode_id=head,
        share=verdict.share,
        is_high=verdict.is_high,
        edges=len(waiting),
        event_ids=_write(writer, verdict, touching, at=at),
    )


def _write(writer: StoreWriter, verdict: Evaluation, touching: Iterable[QueryEdge], *, at: datetime) -> tuple[str, ...]:
    """Write what an evaluation found, and give its events.

    Edges of insights are one event a question: each leaves the graph with its own insight, and not with another's.
    """
    by_share: dict[str, list[Entering]] = defaultdict(list)
    event_ids: list[str | None] = []
    for one in verdict.entering:
        target = one.edge.target_id
        if one.edge.kind is EdgeKind.QUERY_INSIGHT:
            event_ids.append(writer.enter_query_edges(target, [one], evaluated=False, reason=INSIGHT, at=at))
        else:
            by_share[target].append(one)
    for target in dict.fromkeys(edge.target_id for edge in touching):
        if verdict.is_high:
            entered = writer.enter_query_edges(target, by_share[target], evaluated=True, reason=_SHARE, at=at)
            event_ids.append(entered)
        else:
            event_ids.append(writer.dismiss_query_edges(target, at=at))
    return tuple(id_ for id_ in event_ids if id_)


def evaluate_gathered(context: Context, *, limit: int, is_dry_run: bool = False) -> tuple[Evaluated, ...]:
    """Evaluate what is left over: episodes at which enough edges wait, because the phase changed or others gathered.

    What was merged or split counts with what stands for it, as in ``evaluate_targets``. Each is a transaction of its own, in which it is looked at again: so each is evaluated once, whoever else does it.

    Args:
        context: Where; its settings say how many are enough.
        limit: How many episodes at the most.
        is_dry_run: Whether only to tell what would be.
    """
    settings = context.query_settings
    if not settings.phase.evaluates or limit < 1:
        return ()
    with context.store.read(context.namespace) as reader:
        gathered = tuple(islice(_gathered(reader, settings), limit))
    if is_dry_run:
        return gathered
    found: list[Evaluated] = []
    for one in gathered:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            found += evaluate_targets(writer, [one.episode_id], settings=settings, at=context.clock.now())
    return tuple(found)


def _gathered(reader: StoreReader, settings: QuerySettings) -> Generator[Evaluated]:
    """Give what stands and would be evaluated, each with all it stands for, in the order it would be."""
    done: set[str] = set()  # what several parts stand for is evaluated with the first
    for head, family in sorted(_families(reader, reader.gathered(least=settings.gather)).items()):
        touching = _touching(reader, [id_ for id_ in family if id_ not in done])
        waiting = [edge for edge in touching if edge.waits]
        if len(waiting) >= settings.gather:
            done.update(family)
            verdict = evaluate(touching, waiting, settings=settings)
            yield Evaluated(
                episode_id=head, share=verdict.share, is_high=verdict.is_high, edges=len(waiting), event_ids=()
            )


def _touching(reader: StoreReader, target_ids: Collection[str]) -> tuple[QueryEdge, ...]:
    """Give the edges to some episodes since each was last evaluated, those in the graph among them."""
    found = reader.touching(target_ids)
    return tuple(edge for id_ in sorted(found) for edge in found[id_])
