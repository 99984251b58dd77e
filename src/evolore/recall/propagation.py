"""Propagation: personalised PageRank over items and the names in them, by local push.

Who answers half of a question often names what the other half is about. A walk that starts at the best items, goes to a
name in one of them, on to another item with that name, and at every step may stop, ends where the answers meet.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.recall.name_graph import Links

if TYPE_CHECKING:
    from evolore.recall.graph_settings import GraphSettings
    from evolore.recall.name_graph import NameGraph

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemEdges:
    """Edges from item to item besides those through names: what earlier questions confirmed, for one.

    Args:
        starts: Where each item's edges begin, and the end of the last, int64, shape (items + 1,).
        ends: The items they lead to, int32, shape (edges,).
        weights: Above 0, on the scale of a name's rarity: 1 is as good as a name that only two items share. float32,
            shape (edges,).
    """

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int32]
    weights: npt.NDArray[np.float32]

    @classmethod
    def none(cls, count: int) -> ItemEdges:
        """Give no edges among ``count`` items."""
        return cls(
            starts=np.zeros(count + 1, dtype=np.int64),
            ends=np.zeros(0, dtype=np.int32),
            weights=np.zeros(0, dtype=np.float32),
        )

    def leaving(self, items: npt.NDArray[np.int32]) -> tuple[Links, npt.NDArray[np.float32]]:
        """Give the edges that leave from items, and their weights."""
        sizes = self.starts[items + 1] - self.starts[items]
        rows = np.repeat(np.arange(items.size), sizes)
        before = np.cumsum(sizes) - sizes
        places = np.arange(rows.size) - before[rows] + self.starts[items][rows]
        return Links(rows=rows, ends=self.ends[places]), self.weights[places]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reached:
    """Where walks ended.

    Args:
        mass: The share of all walks that ended at each item, float64, shape (items,).
        at_names: The share that ended at names.
        left: The share that was still under way when the work ended; the true share of any item is at most this much
            above its ``mass``.
        edges: How many edges were followed.
    """

    mass: npt.NDArray[np.float64]
    at_names: float
    left: float
    edges: int


def push(
    graph: NameGraph,
    start: npt.NDArray[np.float64],
    *,
    barred: npt.NDArray[np.int32],
    settings: GraphSettings,
    edges: ItemEdges | None = None,
) -> Reached:
    """Follow walks from items over the names in them to other items, until the rest is too little to matter.

    At every node a walk stops with the probability ``stop_share``, or where there is nowhere to go. From an item it
    goes to one of its names by rarity, from a name to one of the titled items that hold it, ``title_pull`` times
    likelier to one whose title it is. Over an item's own title it does not go: that leads to the other passages of its
    own document. What is pushed is kept where it stops and passed on for the rest, all nodes of a
    round at once; this is local push (Andersen, Chung, Lang 2006), whose error is what is left unpushed. Nothing is
    drawn by lot.

    Law: ``mass.sum() + at_names + left`` is the sum of ``start``.

    Args:
        graph: Items and names.
        start: The share of walks that starts at each item, from 0, float64, shape (items,).
        barred: Numbers of names no walk goes over.
        settings: How far walks go, and how much work may be done.
        edges: Edges besides those through names.
    """
    walks = _Walks(graph, start, barred=barred, settings=settings, edges=edges)
    for _ in range(settings.rounds):
        if not walks.go():
            break
    return Reached(
        mass=walks.ended,
        at_names=walks.at_names,
        left=walks.left + float(walks.under_way.sum()),
        edges=walks.edges,
    )


class _Walks:
    """Walks under way, and where others ended."""

    def __init__(
        self,
        graph: NameGraph,
        start: npt.NDArray[np.float64],
        *,
        barred: npt.NDArray[np.int32],
        settings: GraphSettings,
        edges: ItemEdges | None,
    ) -> None:
        self._graph = graph
        self._barred = barred
        self._settings = settings
        self._extra = edges or ItemEdges.none(graph.count)
        self.under_way = start.astype(np.float64)
        self.ended = np.zeros_like(self.under_way)
        self.at_names = 0.0
        self.left = 0.0
        self.edges = 0

    def go(self) -> bool:
        """Go one round from items to names and on to items; tell whether anything moved."""
        front = np.flatnonzero(self.under_way >= self._settings.least_mass).astype(np.int32)
        if not front.size or self.edges >= self._settings.most_edges:
            return False
        links = self._graph.names_in(front)
        weights = self._graph.rarity(links.ends)
        weights[np.isin(links.ends, self._barred) | (links.ends == self._graph.titles(front)[links.rows])] = 0.0
        extra, extra_weights = self._extra.leaving(front)
        out = np.bincount(links.rows, weights=weights, minlength=front.size)
        out += np.bincount(extra.rows, weights=extra_weights, minlength=front.size)
        passed = self._stop(front, out > 0.0) / np.maximum(out, _TINY)
        self.edges += links.ends.size + extra.ends.size
        np.add.at(self.under_way, extra.ends, passed[extra.rows] * extra_weights)
        self._go_on(links.ends, passed[links.rows] * weights)
        return True

    def _stop(self, front: npt.NDArray[np.int32], goes_on: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        """Let walks end at items; give what goes on from each."""
        here = self.under_way[front]
        self.under_way[front] = 0.0
        stopped = here * np.where(goes_on, self._settings.stop_share, 1.0)
        self.ended[front] += stopped
        return here - stopped

    def _go_on(self, names: npt.NDArray[np.int32], arriving: npt.NDArray[np.float64]) -> None:
        """Let walks go from names to items, where most arrive first, while edges may be followed."""
        numbers, places = np.unique(names[arriving > 0.0], return_inverse=True)
        mass = np.zeros(numbers.size, dtype=np.float64)
        np.add.at(mass, places, arriving[arriving > 0.0])
        followed = self._affordable(numbers, mass)
        self.left += float(mass.sum() - mass[followed].sum())
        numbers, mass = numbers[followed], mass[followed]
        links = self._graph.titled_items(numbers)
        weights = np.where(self._graph.titles(links.ends) == numbers[links.rows], self._settings.title_pull, 1.0)
        out = np.bincount(links.rows, weights=weights, minlength=numbers.size)
        stopped = mass * np.where(out > 0.0, self._settings.stop_share, 1.0)
        self.at_names += float(stopped.sum())
        passed = (mass - stopped) / np.maximum(out, _TINY)
        np.add.at(self.under_way, links.ends.astype(np.intp), passed[links.rows] * weights)

    def _affordable(self, names: npt.NDArray[np.int32], mass: npt.NDArray[np.float64]) -> npt.NDArray[np.intp]:
        """Give the places of names to follow, by falling mass, ties by number, and count their edges."""
        order = np.argsort(-mass, kind="stable")
        held = self._graph.item_counts(names[order])
        within = np.cumsum(held) <= self._settings.most_edges - self.edges
        within &= mass[order] >= self._settings.least_mass
        self.edges += int(held[within].sum())
        return np.sort(order[within])
