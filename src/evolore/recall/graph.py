"""The graph's say in a score: names that items share, walks over them, titles the question names, and what the best items lead to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evolore.ports.indexes import NameIndex
from evolore.recall.evidence import TermScores
from evolore.recall.ranking import at_the_top
from evolore.text.names import longest_known, possible_names
from evolore.text.vectors import Bools, Float32s, Float64s, Int32s, Int64s, Intps

COMMON_SHARE = 0.01
"""A name in a larger share of the items links nothing: it is about everything."""

_MANY = 10_000
_NAMES_AT_LEAST = 30
"""However few items there are, a name this rare may link them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Links:
    """Edges from the nodes of a list to numbered others."""

    rows: Intps  #: The place in the list each edge leaves from, rising, intp, shape (edges,).
    ends: Int32s  #: The number of what it leads to, int32, shape (edges,).


class NameGraph:
    """Items and names as far as a question may see them: what is hidden has no edge and no number; ``count`` items are seen.

    A name in a larger share of the items than ``common_share`` links nothing.
    """

    def __init__(self, index: NameIndex, seen: Int32s, *, count: int, common_share: float = COMMON_SHARE) -> None:
        self._index, self._titles = index, index.titles
        self._seen = seen
        self.count = seen.size
        self._most = max(_NAMES_AT_LEAST, common_share * seen.size)
        self._counted: Int32s | None = None
        self._new_numbers: Int32s | None = None
        if seen.size < count:
            self._new_numbers = np.full(count, -1, dtype=np.int32)
            self._new_numbers[seen] = np.arange(seen.size, dtype=np.int32)

    def titles(self, items: Int32s) -> Int32s:
        """Return the number of the name each item's document is called by, -1 for none."""
        return self._titles[self._seen[items]]

    def numbers_of(self, names: Sequence[str]) -> Int32s:
        """Return the numbers of names, -1 for each that is in no item."""
        numbers = self._index.numbers_of(names)
        if self._new_numbers is not None:
            known = numbers >= 0
            numbers[known] = np.where(self.item_counts(numbers[known]), numbers[known], -1)
        return numbers

    def rarity(self, names: Int32s) -> Float32s:
        """Weigh names by how rare they are: ``log(items / items with it) / log(max(items, 10,000))``, 0–1.

        Among few items every name is rare, and that two share one says little.

        0 for a name in a single item, which links nothing, and for one that is in too many.
        """
        held = self.item_counts(names)
        weight = np.log(max(self.count, 1) / np.maximum(held, 1)) / math.log(max(self.count, _MANY))
        weight[(held < 2) | (held > self._most)] = 0.0  # noqa: PLR2004 - a link needs two
        return weight.astype(np.float32)

    def item_counts(self, names: Int32s) -> Int32s:
        """Return in how many items each name is; where some are hidden, each name is read once."""
        if self._new_numbers is None:
            return self._index.item_counts(names)
        if self._counted is None:
            self._counted = np.full(self._index.count, -1, dtype=np.int32)
        asked = np.unique(names)
        asked = asked[self._counted[asked] < 0]
        if asked.size:
            counts = self._index.item_counts(asked) - (self._new_numbers.size - self.count)
            unsure = np.flatnonzero(counts <= self._most)
            starts, items = self._index.items_of(asked[unsure])
            counts[unsure] = np.diff(np.concatenate(([0], np.cumsum(self._new_numbers[items] >= 0)))[starts])
            self._counted[asked] = counts
        return self._counted[names]

    def names_in(self, items: Int32s) -> Links:
        """Return the names in items."""
        starts, names = self._index.names_of(self._seen[items])
        return Links(rows=_rows(starts), ends=names)

    def titled_items(self, names: Int32s) -> Links:
        """Return the items that hold names and belong to a titled document.

        The turns of a conversation have no title and are left out: its people and matters are named all over it, so
        what they link says little; on LoCoMo, following them cost 2 to 10 points of recall at 10.
        """
        starts, items = self._index.items_of(names)
        rows = _rows(starts)
        stays = self._titles[items] >= 0
        if self._new_numbers is not None:
            items = self._new_numbers[items]
            stays &= items >= 0
        return Links(rows=rows[stays], ends=items[stays])


def _rows(starts: Int64s) -> Intps:
    return np.repeat(np.arange(starts.size - 1), np.diff(starts))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AskedNames:
    """Names in a question."""

    numbers: Int32s  #: Their numbers, each once, rising, int32.
    is_plain: Bools  #: Whether each is spelled like any other word, same shape.


def asked_names(question: str, graph: NameGraph) -> AskedNames:
    """Find the known names in a question: from the left, the longest."""
    mentions = possible_names(question)
    numbers = graph.numbers_of([mention.name for mention in mentions])
    number_of = {mention.name: int(number) for mention, number in zip(mentions, numbers, strict=True) if number >= 0}
    plain: dict[int, bool] = {}
    for mention in longest_known(mentions, number_of.keys()):
        number = number_of[mention.name]
        plain[number] = plain.get(number, True) and mention.is_plain
    found = sorted(plain)
    return AskedNames(
        numbers=np.array(found, dtype=np.int32), is_plain=np.array([plain[number] for number in found], dtype=np.bool_)
    )


def titled_as_asked(names: AskedNames, graph: NameGraph, *, plain_share: float) -> Float32s:
    """Return which items belong to a document whose title the question holds.

    Returns:
        1 for them, ``plain_share`` where the title is spelled like any other word, 0 for the others; shape (items,).
    """
    found = np.zeros(graph.count, dtype=np.float32)
    if names.numbers.size:
        links = graph.titled_items(names.numbers)
        is_title = graph.titles(links.ends) == names.numbers[links.rows]
        share = np.where(names.is_plain, np.float32(plain_share), np.float32(1.0))
        found[links.ends[is_title]] = share[links.rows[is_title]]
    return found


STOP_SHARE = 0.4
"""How likely a walk ends at each step, above 0: otherwise walks would never end."""

ROUNDS = 2
"""How often a walk goes on from items to names and back: a question of two hops needs no more."""

TITLE_PULL = 10.0
"""How many times likelier a walk goes on from a name to a passage about it than to one that mentions it."""

_LEAST_MASS = 1e-4
"""Walks are not followed from where fewer than this share of them are."""

MOST_EDGES = 10_000
"""How many edges are followed at most; ``benchmarks/propagation.py`` prints what that costs."""

_TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reached:
    """Where walks ended."""

    mass: Float64s  #: The share of all walks that ended at each item, float64, shape (items,).
    at_names: float  #: The share that ended at names.
    #: The share that was still under way when the work ended; the true share of any item is at most this much above its
    #: ``mass``.
    left: float
    edges: int  #: How many edges were followed.


def push(graph: NameGraph, start: Float64s, *, barred: Int32s) -> Reached:
    """Follow walks from items over the names in them to other items, until the rest is too little to matter.

    At every node a walk stops with the probability ``STOP_SHARE``, or where there is nowhere to go. From an item it
    goes to one of its names by rarity, from a name to one of the titled items that hold it, ``TITLE_PULL`` times
    likelier to one whose title it is. Over an item's own title it does not go: that leads to the other passages of its
    own document. What is pushed is kept where it stops and passed on for the rest, all nodes of a
    round at once; this is local push (Andersen, Chung, Lang 2006), whose error is what is left unpushed. Nothing is
    drawn by lot.

    Law: ``mass.sum() + at_names + left`` is the sum of ``start``.
    """
    walks = _Walks(graph, start, barred=barred)
    for _ in range(ROUNDS):
        if not walks.go():
            break
    return Reached(
        mass=walks.ended, at_names=walks.at_names, left=walks.left + float(walks.under_way.sum()), edges=walks.edges
    )


class _Walks:
    """Walks under way, and where others ended."""

    def __init__(self, graph: NameGraph, start: Float64s, *, barred: Int32s) -> None:
        self._graph = graph
        self._barred = barred
        self.under_way = start.astype(np.float64)
        self.ended = np.zeros_like(self.under_way)
        self.at_names = 0.0
        self.left = 0.0
        self.edges = 0

    def go(self) -> bool:
        """Go one round from items to names and on to items; return whether anything moved."""
        front = np.flatnonzero(self.under_way >= _LEAST_MASS).astype(np.int32)
        if not front.size or self.edges >= MOST_EDGES:
            return False
        links = self._graph.names_in(front)
        weights = self._graph.rarity(links.ends)
        weights[np.isin(links.ends, self._barred) | (links.ends == self._graph.titles(front)[links.rows])] = 0.0
        out = np.bincount(links.rows, weights=weights, minlength=front.size)
        here = self.under_way[front]
        self.under_way[front] = 0.0
        stopped = here * np.where(out > 0.0, STOP_SHARE, 1.0)
        self.ended[front] += stopped
        passed = (here - stopped) / np.maximum(out, _TINY)
        self.edges += links.ends.size
        self._go_on(links.ends, passed[links.rows] * weights)
        return True

    def _go_on(self, names: Int32s, arriving: Float64s) -> None:
        """Continue walks from names to items, where most arrive first, while edges may be followed."""
        numbers, places = np.unique(names[arriving > 0.0], return_inverse=True)
        mass = np.zeros(numbers.size, dtype=np.float64)
        np.add.at(mass, places, arriving[arriving > 0.0])
        order = np.argsort(-mass, kind="stable")
        held = self._graph.item_counts(numbers[order])
        within = np.cumsum(held) <= MOST_EDGES - self.edges
        within &= mass[order] >= _LEAST_MASS
        self.edges += int(held[within].sum())
        followed = np.sort(order[within])
        self.left += float(mass.sum() - mass[followed].sum())
        numbers, mass = numbers[followed], mass[followed]
        links = self._graph.titled_items(numbers)
        weights = np.where(self._graph.titles(links.ends) == numbers[links.rows], TITLE_PULL, 1.0)
        out = np.bincount(links.rows, weights=weights, minlength=numbers.size)
        stopped = mass * np.where(out > 0.0, STOP_SHARE, 1.0)
        self.at_names += float(stopped.sum())
        passed = (mass - stopped) / np.maximum(out, _TINY)
        np.add.at(self.under_way, links.ends.astype(np.intp), passed[links.rows] * weights)


# Chosen together on the development pools: recall at 5 rose from 75.5 to 93.2 % (HotpotQA), 48.3 to 61.4 % (MuSiQue) and 69.6
# to 71.8 % (TimeQA); later scaled to the unit of scores, where 1 is holding all of the question's words.
ASKED_TITLE = 0.56
_PLAIN_SHARE = 0.5
"""What a passage gains when the question names its document's title; the part of it where the title is a single word that the
question writes like any other."""

_TITLE_LINK = 0.63
"""What a passage gains when its document's title is named in the best item."""

_WALK = 1.12
"""Weight of the square root of the share of all walks that end at an item."""

_NEW_WORDS = 2.94
"""What a linked passage would gain if it held all of the question's words and the item that names the same none."""

_SEEDS = 12
"""From how many of the best items walks start."""

_SURE = 0.35
_FEW = 300
_FLOOR = 100
"""A seed is judged by how far it is above the item of this place."""


def graph_term(question: str, scores: Float32s, graph: NameGraph, *, terms: TermScores, groups: Int32s) -> Float32s:
    """Weigh items by what names say about them, in the unit of the scores.

    ``ASKED_TITLE · named(i) + _TITLE_LINK · t(i) + _WALK · √π(i) + _NEW_WORDS · n(i)``. named(i): the question holds the
    title of the item's document. The best items by score and named(i) are seeds; t(i): a seed names that title; π(i):
    the share of walks from the seeds that end at the item, without those that never left it; n(i): the question's words
    the item adds to those of the seed it is linked from. Names in the question link nothing: what holds them, the
    words found already.

    Only items of titled documents gain anything.

    Returns:
        At least 0; 0 for what was not reached. float32, shape (items,).
    """
    if not scores.size:
        return np.zeros(0, dtype=np.float32)
    asked = asked_names(question, graph)
    found = titled_as_asked(asked, graph, plain_share=_PLAIN_SHARE)
    found *= np.float32(ASKED_TITLE)
    seeds = best_seeds(scores + found, count=_SEEDS)
    if seeds.items.size:
        found += np.float32(certainty(scores)) * _led_to(graph, seeds, asked.numbers, terms=terms, groups=groups)
    return found


def certainty(scores: Float32s) -> float:
    """Return how far the best item is above the others, 0–1: squared, and 1 from 0.35 above the hundredth on.

    Where no item is far ahead, what the best lead to is as unsure as they are; and among a few passages, where everything
    shares names with everything, it says little: half of it among 300.
    """
    top = scores[at_the_top(scores, _FLOOR + 1)]
    known = scores.size / (scores.size + _FEW)
    return known * min(1.0, max(0.0, float(top.max() - top.min()) / _SURE)) ** 2 if top.size else 0.0


def best_seeds(scores: Float32s, *, count: int) -> Seeds:
    """Return the best items and how far each is above the hundredth, as a share of how far the best is.

    Returns:
        Best first, ties by number; only items above the hundredth.
    """
    top = at_the_top(scores, _FLOOR + 1)
    top = top[np.argsort(-scores[top], kind="stable")][: _FLOOR + 1]
    height = scores[top] - scores[top[-1]]
    above = int(np.count_nonzero(height[:count] > 0.0))
    return Seeds(items=top[:above].astype(np.int32), trust=(height[:above] / max(height[0], 1e-9)).astype(np.float32))


def _led_to(graph: NameGraph, seeds: Seeds, barred: Int32s, *, terms: TermScores, groups: Int32s) -> Float32s:
    """Add up what the seeds lead to."""
    links = link_by_names(graph, seeds, groups=groups, barred=barred, most_edges=MOST_EDGES)
    start = np.zeros(graph.count, dtype=np.float64)
    start[seeds.items] = seeds.trust.astype(np.float64) ** 2
    start /= start.sum()
    reached = push(graph, start, barred=barred)
    items = np.flatnonzero(reached.mass)
    mass, began = reached.mass[items], start[items]
    came = np.maximum(mass - STOP_SHARE * began, 0.0)
    came[mass == began] = 0.0  # walks that had nowhere to go
    found = new_words(links, seeds, terms)
    found *= np.float32(_NEW_WORDS)
    found[items] += np.float32(_WALK) * np.sqrt(came).astype(np.float32)
    found += np.float32(_TITLE_LINK) * links.by_title
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seeds:
    """The items that others are linked from, best first."""

    items: Int32s  #: Their numbers, int32.
    trust: Float32s  #: How good each is beside the best, 0–1, float32, same shape.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NameLinks:
    """The strongest link to each item from a seed in a document of another title.

    A link is as strong as the seed is good times as the name in both is rare.
    """

    strength: Float32s  #: 0–1, 0 where there is no link, float32, shape (items,).
    #: Place among the seeds of the one it comes from, the better one where links tie; -1 for none. int32, shape
    #: (items,).
    seed: Int32s
    #: The strongest link by a name that is the title of the item's document, float32, shape (items,).
    by_title: Float32s


def link_by_names(graph: NameGraph, seeds: Seeds, *, groups: Int32s, barred: Int32s, most_edges: int) -> NameLinks:
    """Find the items of other documents, and not of the same title, that share a name with a seed.

    The strongest names are followed until ``most_edges`` items were read; barred are those of the question.
    """
    inside = graph.names_in(seeds.items)
    rarity = graph.rarity(inside.ends)
    rarity[np.isin(inside.ends, barred)] = 0.0
    strength = seeds.trust[inside.rows] * rarity
    order = np.argsort(-strength, kind="stable")
    within = np.cumsum(graph.item_counts(inside.ends[order])) <= most_edges
    chosen = np.sort(order[within & (strength[order] > 0.0)])
    names, rows, strength = inside.ends[chosen], inside.rows[chosen], strength[chosen]
    links = graph.titled_items(names)
    origins = seeds.items[rows[links.rows]]
    leaves = (groups[links.ends] != groups[origins]) & (graph.titles(links.ends) != graph.titles(origins))
    ends, edges = links.ends[leaves].astype(np.intp), links.rows[leaves]  # numpy adds up fastest by its own numbers
    is_title = graph.titles(links.ends)[leaves] == names[edges]
    best = _largest(ends, strength[edges], graph.count)
    is_best = strength[edges] == best[ends]
    none = np.iinfo(np.int32).max
    first = np.full(graph.count, none, dtype=np.int32)
    np.minimum.at(first, ends[is_best], rows[edges][is_best].astype(np.int32))
    first[first == none] = -1
    return NameLinks(
        strength=best, seed=first, by_title=_largest(ends[is_title], strength[edges][is_title], graph.count)
    )


def new_words(links: NameLinks, seeds: Seeds, terms: TermScores) -> Float32s:
    """Return how much of the question each linked item holds that the seed it is linked from does not.

    ``Σ_t max(s(t, item) − s(t, seed), 0) / Σ_t max_i s(t, i)``, times the strength of the link: the second half of a
    question counts for what the first half leads to.

    Returns:
        0–1, float32, shape (items,).
    """
    matters = links.seed >= 0
    place = np.full(matters.size, -1, dtype=np.intp)
    place[seeds.items] = np.arange(seeds.items.size)
    kept = np.flatnonzero((matters | (place >= 0))[terms.items])
    items, scores = terms.items[kept], terms.scores[kept]
    rows = np.searchsorted(terms.starts, kept, side="right") - 1
    of_seeds = np.zeros((terms.starts.size, seeds.items.size), dtype=np.float32)
    of_seed = place[items] >= 0
    of_seeds[rows[of_seed], place[items[of_seed]]] = scores[of_seed]
    attainable = sum(float(row.max()) for _, row in terms.rows())
    linked = matters[items]
    items, rows = items[linked], rows[linked]
    gained = np.maximum(scores[linked] - of_seeds[rows, links.seed[items]], 0.0)
    found = np.bincount(items, weights=gained, minlength=matters.size) / max(attainable, 1e-9)
    return (found * links.strength).astype(np.float32)


def _largest(places: Intps, values: Float32s, count: int) -> Float32s:
    largest = np.zeros(count, dtype=np.float32)
    np.maximum.at(largest, places, values)
    return largest
