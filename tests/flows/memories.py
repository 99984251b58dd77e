"""Memories that integrate what they are told, and what can be said of one without its ids."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from evolore.config import Settings
from evolore.domain.episode import EdgeKind, EpisodeState, Statement
from evolore.jobs.clock import SteppingClock
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from evolore.domain.episode import Episode
    from evolore.domain.query import Recall
    from evolore.flows.remember.plan import Integrated
    from evolore.flows.remember.remember import RememberedMany
    from evolore.ports import Embedder

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
MOST = 100_000
STORED = frozenset(EdgeKind) - {EdgeKind.SEQUENCE, EdgeKind.HIERARCHY}


def day(number: int) -> datetime:
    return datetime(2025, 1, 1, tzinfo=UTC) + timedelta(days=number - 1)


def opened(folder: Path, embedder: Embedder | str | None = None, settings: Settings | None = None) -> Memory:
    return Memory.open(
        folder,
        namespace="n",
        embedder=HashingEmbedder() if embedder is None else embedder,
        settings=settings or Settings(),
        clock=SteppingClock(START, step=timedelta(seconds=1)),
    )


def say(memory: Memory, *texts: str, on: int | None = None, about: tuple[str, str] | None = None) -> RememberedMany:
    when = None if on is None else day(on)
    return memory.remember_many([Statement(text=text, occurred_at=when, about=about) for text in texts])


def standing(memory: Memory) -> list[Episode]:
    """Give the statements that stand, oldest first."""
    return sorted(memory.list(limit=MOST).statements, key=lambda one: one.id)


def texts_of(episodes: Iterable[Episode]) -> list[str]:
    return [one.text for one in episodes]


def found_in(recall: Recall) -> list[str]:
    return sorted(hit.text for hit in recall.hits)


def everything(memory: Memory) -> list[Episode]:
    """Give every statement of the store, those that another stands for and those that were taken back among them."""
    with memory._context.store.index(memory.namespace) as (view, reader):
        return list(reader.episodes(sorted(view.episode_ids)))


def described(memory: Memory) -> list[object]:
    """Say what a memory holds, without ids and moments of recording: every statement, and every edge."""
    with memory._context.store.index(memory.namespace) as (view, reader):
        ids = sorted(view.episode_ids)
        episodes = {one.id: one for one in reader.episodes(ids)}
        members = reader.members(ids)
        edges = reader.edges_around(ids, kinds=STORED, hidden=True, limit=MOST) if ids else ()
    names = {id_: _named(one) for id_, one in episodes.items()}
    rows = [
        (
            names[id_],
            one.state,
            one.stands,
            one.is_made,
            one.merge_count,
            one.confidence,
            _known(one.valid_from),
            _known(one.valid_to),
            sorted((_named(other) for other in members.get(id_, ())), key=repr),
        )
        for id_, one in episodes.items()
    ]
    joined = [(names[edge.source_id], names[edge.target_id], edge.kind, edge.weight) for edge in edges]
    return [sorted(rows, key=repr), sorted(joined, key=repr)]


def _named(one: Episode) -> tuple[object, ...]:
    return one.text, one.speaker, one.session, one.position, one.about, one.occurred_at


def _known(moment: datetime | None) -> datetime | bool:
    """Give a moment that was said; of one that hangs on the time of recording only that there is one."""
    return moment if moment is not None and moment < START else moment is not None


def told(memory: Memory, integrated: Iterable[Integrated]) -> list[object]:
    """Say what became of statements, without ids."""
    names = {one.id: _named(one) for one in everything(memory)}

    def named(ids: Sequence[str]) -> list[object]:
        return [names[id_] for id_ in ids]

    return [
        (
            one.became,
            named([one.episode_id]),
            named([one.merged_with] if one.merged_with else []),
            one.reason,
            [(action.deed, named(action.episode_ids), action.reason) for action in one.actions],
            named(one.parts),
        )
        for one in integrated
    ]


def is_taken_back(one: Episode) -> bool:
    return one.state is EpisodeState.REVOKED
