"""A graph in memory, for what reads one: a reader of few words, and an example in three languages."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeKind, EpisodeState
from evolore.domain.language import Language
from evolore.flows.graph import neighbourhood

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Sequence

    from evolore.domain.graph import Neighbourhood
    from evolore.flows.context import Context

START = datetime(2026, 1, 5, 9, tzinfo=UTC)
EVIL = '</script><script>alert("1")</script><!-- <img src=x onerror=alert(2)> & \u2028 \u202eback \udcff'


def name(number: int) -> str:
    return f"01kk8x{number:020d}"


def episode(number: int, text: str = "The wheel turns.", *, day: float = 0, language: str = "en") -> Episode:
    return Episode(
        id=name(number),
        kind=EpisodeKind.STATEMENT,
        text=text,
        language=Language(language),
        recorded_at=START + timedelta(days=day),
        occurred_at=START + timedelta(days=day),
    )


def edge(source: int, target: int, kind: EdgeKind = EdgeKind.SEMANTIC, weight: float = 1.0) -> Edge:
    return Edge(source_id=name(source), target_id=name(target), kind=kind, weight=weight)


class GraphReader:
    """What a neighbourhood asks of a store's reader.

    Args:
        episodes: What is there.
        edges: What joins it.
    """

    def __init__(self, episodes: Sequence[Episode], edges: Sequence[Edge]) -> None:
        self._episodes = {one.id: one for one in episodes}
        self._edges = edges
        self.round_trips = 0

    def resolve(self, prefix: str) -> tuple[str, ...]:
        return tuple(id_ for id_ in (*self._episodes, "document") if id_.startswith(prefix))[:2]

    def document_by_source(self, source: str) -> None:
        """Give no document: there is none with a source."""

    def query(self, query_id: str) -> None:
        """Give no question: none was recorded."""

    def sources_ending(self, name: str, *, limit: int) -> tuple[str, ...]:
        del name, limit
        return ()

    def episodes(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        return tuple(self._episodes[id_] for id_ in ids if id_ in self._episodes)

    def members(self, ids: Sequence[str]) -> dict[str, tuple[Episode, ...]]:
        held = [one for one in self._edges if one.kind is EdgeKind.MEMBER]
        return {id_: tuple(self._episodes[one.target_id] for one in held if one.source_id == id_) for id_ in ids}

    def edges_around(
        self, ids: Sequence[str], *, kinds: Collection[EdgeKind] | None = None, hidden: bool = False, limit: int = 1000
    ) -> tuple[Edge, ...]:
        self.round_trips += 1
        found = [
            one
            for one in self._edges
            if {one.source_id, one.target_id} & set(ids)
            and (kinds is None or one.kind in kinds)
            and (hidden or all(self._stands(id_) for id_ in (one.source_id, one.target_id)))
        ]
        return tuple(sorted(found, key=lambda one: -one.weight)[:limit])

    def _stands(self, id_: str) -> bool:
        return id_ in self._episodes and self._episodes[id_].stands_until is None

    @contextmanager
    def read(self, namespace: str) -> Generator[GraphReader]:
        del namespace
        yield self


def context_of(reader: GraphReader) -> Context:
    return cast("Context", SimpleNamespace(store=reader, namespace="support"))


def example() -> GraphReader:
    """Give a dozen statements: two matters, a contradiction, a supersession, a merge, and texts that mean harm."""
    state = EpisodeState
    episodes = [
        replace(episode(0, "The shop runs on Postgres 18, with a replica in Osaka.", day=60), speaker="Petra"),
        replace(episode(1, "We moved to Postgres 18.", day=55), stands_until=START + timedelta(days=60)),
        replace(episode(2, "The replica is in Osaka.", day=58), stands_until=START + timedelta(days=60)),
        replace(episode(3, "Backups run every night at three.", day=61), session="ops"),
        episode(4, "レプリカは大阪リージョンに置いてある。東京は高すぎるという話だった。", day=58, language="ja"),
        episode(5, "数据库已经迁移到 Postgres 18。", day=57, language="zh"),
        replace(
            episode(6, "The shop runs on MySQL 8.", day=-200),
            state=state.SUPERSEDED,
            valid_to=START + timedelta(days=55),
        ),
        replace(episode(7, "The backup is checked every Monday.", day=62), state=state.CONFLICT_PENDING, speaker="Ken"),
        replace(
            episode(8, "Nobody has checked the backup since January.", day=70),
            state=state.CONFLICT_PENDING,
            speaker=f"Aiko {EVIL}",
        ),
        episode(9, "パン屋の予約システムは木曜の朝にいつも遅くなる。", day=20, language="ja"),
        replace(episode(10, "木曜は市場の日なので、予約が三倍になる。", day=20, language="ja"), session="ops"),
        episode(11, "From May on the café gets 80 rolls instead of 50. " * 8, day=56),
        episode(12, f"Petra is allergic to hazelnuts {EVIL}", day=44),
    ]
    edges = [
        *(edge(0, number, EdgeKind.MEMBER) for number in (1, 2)),
        *(edge(0, number, weight=0.95 - number / 100) for number in (3, 4, 5, 6, 7, 8, 9, 12)),
        edge(0, 6, EdgeKind.SUPERSEDES),
        edge(8, 7, EdgeKind.CONTRADICTS),
        edge(3, 7, EdgeKind.SEQUENCE),
        *(edge(*ends, weight=0.9) for ends in ((3, 7), (3, 8), (4, 5), (4, 6), (9, 10), (10, 11), (9, 11))),
    ]
    return GraphReader(episodes, edges)


def around(reader: GraphReader, number: int = 0, **options: object) -> Neighbourhood:
    return neighbourhood(context_of(reader), name(number), **options)  # pyright: ignore[reportArgumentType] - as the tests give them
