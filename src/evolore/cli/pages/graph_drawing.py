"""A neighbourhood as a drawing: nodes with their words, and the edges between them."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from rich.cells import get_character_cell_size

from evolore.cli.pages.graph_layout import Link, lay_out
from evolore.cli.printing import one_line
from evolore.domain.citation import episode_day
from evolore.domain.episode import EdgeKind, EpisodeState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from evolore.domain.episode import Edge, Episode
    from evolore.domain.graph import Neighbour, Neighbourhood

HEADED = frozenset(
    {
        EdgeKind.SUPERSEDES,
        EdgeKind.SEQUENCE,
        EdgeKind.MEMBER,
        EdgeKind.QUERY_INSIGHT,
        EdgeKind.QUERY_RETRIEVAL,
        EdgeKind.QUERY_BYPASS,
    }
)
"""Kinds whose direction is drawn."""
_FONT, _META, _LINE = 12.0, 10.5, 15.0
_RADIUS, _CENTRE_RADIUS = 14.0, 19.0
_RING = 6.0
_MARGIN = 26.0
_BULGE = 15.0
_SPOKEN = 300
_MANY = 24
"""Of more nodes only the first words are written, so that they can be read without enlarging the drawing."""
_WEAK = 0.35
"""What an edge pulls that says nothing about content."""


@dataclass(slots=True)
class _Figure:
    """How one node is drawn: how large, with which words, and whether they stand above it."""

    radius: float
    lines: tuple[str, ...]
    meta: str
    is_above: bool = False

    @property
    def width(self) -> float:
        words = [em_width(line) * _FONT for line in self.lines] + [em_width(self.meta) * _META]
        return max(2 * (self.radius + _RING), *words)

    @property
    def height(self) -> float:
        return 2 * (self.radius + _RING) + _LINE * self.rows + 3

    @property
    def rows(self) -> int:
        return len(self.lines) + bool(self.meta)

    @property
    def drop(self) -> float:
        """How far the node's middle is below that of the node with its words."""
        room = self.height / 2 - self.radius - _RING
        return room if self.is_above else -room

    @property
    def first_line(self) -> float:
        """Where the first line of words stands, from the node's middle."""
        edge = self.radius + _RING
        return -edge - _LINE * (self.rows - 1) - 6 if self.is_above else edge + _LINE - 3


def draw(found: Neighbourhood) -> str:
    """Write the neighbourhood as the contents of one SVG element, with its own view box.

    Returns:
        An ``svg`` element: edges first, so that nodes lie over them, both in the order of the neighbourhood.
    """
    figures = [_figure(node, is_brief=len(found.nodes) > _MANY) for node in found.nodes]
    middles = _middles(found, figures)
    for figure, is_above in zip(figures, _words_above(found, middles), strict=True):
        figure.is_above = is_above
    centres = [
        (round(x, 1), round(y + figure.drop, 1)) for (x, y), figure in zip(middles.tolist(), figures, strict=True)
    ]
    sizes = np.array([(figure.width, figure.height) for figure in figures])
    low = (middles - sizes / 2).min(axis=0) - _MARGIN
    high = (middles + sizes / 2).max(axis=0) + _MARGIN
    box = " ".join(f"{value:.0f}" for value in (*low, *(high - low)))
    edges = "".join(_edges(found, figures, centres))
    nodes = "".join(
        _node(place, node, figure, centre)
        for place, (node, figure, centre) in enumerate(zip(found.nodes, figures, centres, strict=True))
    )
    return (
        f'<svg id="graph" viewBox="{box}" role="group" aria-label="Graph of {len(found.nodes)} episodes">'
        f'<g id="edges" aria-hidden="true">{edges}</g><g id="nodes">{nodes}</g></svg>'
    )


def _figure(node: Neighbour, *, is_brief: bool) -> _Figure:
    text = one_line(node.episode.text)
    if node.distance == 0:
        return _Figure(_CENTRE_RADIUS, wrapped(text, width=20.0, lines=3), byline(node.episode, width=24.0))
    if is_brief:
        return _Figure(_RADIUS, wrapped(text, width=11.0, lines=1), "")
    return _Figure(_RADIUS, wrapped(text, width=14.0, lines=2), byline(node.episode, width=17.0))


def byline(episode: Episode, *, width: float | None = None) -> str:
    """Say who said an episode, or which document it is of, and on which day."""
    who = one_line(episode.speaker or episode.title or "")
    if width is not None:
        who = next(iter(wrapped(who, width=width - 7.0, lines=1)), "")
    return f"{who} · {episode_day(episode)}" if who else episode_day(episode)


def _middles(found: Neighbourhood, figures: Sequence[_Figure]) -> npt.NDArray[np.float64]:
    places = {node.episode.id: place for place, node in enumerate(found.nodes)}
    links = [
        Link(places[edge.source_id], places[edge.target_id], edge.weight if edge.kind in _PULLING else _WEAK)
        for edge in found.edges
    ]
    return lay_out(
        np.array([(figure.width, figure.height) for figure in figures]),
        links,
        [node.context for node in found.nodes],
        [node.distance for node in found.nodes],
    )


def _words_above(found: Neighbourhood, middles: npt.NDArray[np.float64]) -> list[bool]:
    """Tell for which nodes most edges come from below, so that their words are better off above."""
    places = {node.episode.id: place for place, node in enumerate(found.nodes)}
    pull = np.zeros(len(middles))
    for edge in found.edges:
        source, target = places[edge.source_id], places[edge.target_id]
        down = (middles[target] - middles[source]) / max(1.0, float(np.linalg.norm(middles[target] - middles[source])))
        pull[source] += down[1]
        pull[target] -= down[1]
    return (np.round(pull, 3) > 0).tolist()


_PULLING = frozenset(EdgeKind) - {EdgeKind.QUERY_BYPASS, EdgeKind.QUERY_RETRIEVAL, EdgeKind.HIERARCHY}


def _edges(found: Neighbourhood, figures: Sequence[_Figure], centres: Sequence[tuple[float, float]]) -> Iterator[str]:
    places = {node.episode.id: place for place, node in enumerate(found.nodes)}
    beside: defaultdict[frozenset[str], list[Edge]] = defaultdict(list)
    for edge in found.edges:
        beside[frozenset({edge.source_id, edge.target_id})].append(edge)
    spoke = " spoke" if len(found.nodes) > _MANY else ""  # nearly all are joined to the centre, which then says little
    open_pairs = {frozenset(pair) for pair in found.conflicts}
    for edge in found.edges:
        pair = frozenset({edge.source_id, edge.target_id})
        source, target = places[edge.source_id], places[edge.target_id]
        bulge = (beside[pair].index(edge) - (len(beside[pair]) - 1) / 2) * _BULGE * (1 if source < target else -1)
        is_open = edge.kind is EdgeKind.CONTRADICTS and pair in open_pairs
        start, end = _between(
            centres[source], centres[target], figures[source].radius + _RING, figures[target].radius + _RING
        )
        line = strand(start, end, bulge=bulge, is_zigzag=edge.kind is EdgeKind.CONTRADICTS)
        head = _head(start, end, bulge) if edge.kind in HEADED else ""
        yield (
            f'<g class="edge k-{edge.kind.value}{" open" if is_open else ""}{spoke if 0 in {source, target} else ""}" data-ends="{source} {target}"'
            f' data-kind="{edge.kind.value}"><path class="line" d="{line}" stroke-width="{0.8 + 1.8 * edge.weight:.1f}"/>'
            f"{head}</g>"
        )


def _between(
    start: tuple[float, float], end: tuple[float, float], first: float, second: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Give where a line leaves one node and reaches the other."""
    length = math.dist(start, end) or 1.0
    x, y = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    return (start[0] + first * x, start[1] + first * y), (end[0] - second * x, end[1] - second * y)


def _head(start: tuple[float, float], end: tuple[float, float], bulge: float) -> str:
    length = math.dist(start, end) or 1.0
    angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]) - math.atan2(4 * bulge, length))
    return f'<path class="head" d="M0 0L-9 -4.5L-9 4.5z" transform="translate({end[0]:.1f} {end[1]:.1f}) rotate({angle:.1f})"/>'


def colour_class(context: int | None) -> str:
    """Give the class of a context's colour."""
    return "cx" if context is None else f"c{context % COLOURS}"


def _node(place: int, node: Neighbour, figure: _Figure, centre: tuple[float, float]) -> str:
    episode, radius = node.episode, figure.radius
    kind = "centre" if node.distance == 0 else colour_class(node.context)
    shape = glyph(None if node.distance == 0 else node.context, radius)
    opening = (
        f'<g class="node {kind} s-{episode.state.value}" id="n{place}" role="button" tabindex="{-1 if place else 0}"'
        f' aria-label="{escape(spoken(node))}" transform="translate({centre[0]:g} {centre[1]:g})">'
    )
    parts = [
        opening,
        f'<circle class="halo" r="{radius + _RING:g}"/>',
        f'<path class="stack" d="{shape}" transform="translate(4.5 -4.5)"/>' if node.members else "",
        f'<path class="glyph" d="{shape}"/>',
    ]
    if node.distance == 0:
        parts.append(f'<circle class="core" r="{radius * 0.42:g}"/>')
    elif node.context is not None:
        parts.append(f'<text class="letter" y="4.3">{letter_of(node.context)}</text>')
    if episode.state is EpisodeState.CONFLICT_PENDING:
        parts.append(_badge("warn", -radius * 0.95, -radius * 0.85, "!"))
    if node.members:
        parts.append(_badge("many", radius * 1.15, radius * 0.75, f"{len(node.members)}"))
    return "".join([*parts, _words(figure, episode), "</g>"])


def _badge(kind: str, x: float, y: float, sign: str) -> str:
    return f'<g class="badge {kind}" transform="translate({x:.1f} {y:.1f})"><circle r="7.5"/><text y="3.7">{sign}</text></g>'


def _words(figure: _Figure, episode: Episode) -> str:
    top = figure.first_line
    lines = "".join(
        f'<tspan x="0" y="{top + _LINE * place:g}">{escape(line)}</tspan>' for place, line in enumerate(figure.lines)
    )
    below = top + _LINE * len(figure.lines) - 0.5
    label = f'<text class="label"{lang_of(episode)}>{lines}</text>'
    if not figure.meta:
        return label
    return f'{label}<text class="meta" y="{below:g}"{lang_of(episode)}>{escape(figure.meta)}</text>'


def lang_of(episode: Episode) -> str:
    """Write the attribute that names an episode's language, by which a browser chooses its glyphs."""
    return "" if episode.language.value == "und" else f' lang="{episode.language.value}"'


def spoken(node: Neighbour) -> str:
    """Say what a node is, for whoever hears the page."""
    episode = node.episode
    facts = [
        "centre" if node.distance == 0 else "",
        "" if node.context is None else f"context {letter_of(node.context)}",
        byline(episode),
        "" if episode.state is EpisodeState.ACTIVE else episode.state.value.replace("_", " "),
        f"{len(node.members)} statements merged" if node.members else "",
    ]
    text = one_line(episode.text)
    shown = text if len(text) <= _SPOKEN else text[: _SPOKEN - 1] + "…"
    return f"{', '.join(fact for fact in facts if fact)}: {shown}"


if TYPE_CHECKING:
    Point = tuple[float, float]

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
COLOURS = 8
"""How many contexts have a colour and a shape of their own; from there on both begin anew, with another letter."""
_CORNERS: tuple[tuple[int, float, float], ...] = (
    (0, 0, 1.0),
    (4, 45, 1.16),
    (4, 0, 1.22),
    (6, 30, 1.08),
    (3, 0, 1.32),
    (5, 0, 1.12),
    (3, 180, 1.32),
    (8, 22.5, 1.06),
)
_ZIGZAG = 7.0
_SIDES = 3


def letter_of(number: int) -> str:
    """Give a context's letter: A to Z, then A2, B2 and so on."""
    turn, place = divmod(number, len(LETTERS))
    return LETTERS[place] + (str(turn + 1) if turn else "")


def glyph(context: int | None, radius: float) -> str:
    """Write the outline of a node as a path around 0: a circle for what stands alone."""
    corners, turn, stretch = _CORNERS[0] if context is None else _CORNERS[context % COLOURS]
    if not corners:
        return f"M{-radius:g} 0a{radius:g} {radius:g} 0 1 1 {2 * radius:g} 0a{radius:g} {radius:g} 0 1 1 {-2 * radius:g} 0z"
    angles = [math.radians(360 * corner / corners + turn - 90) for corner in range(corners)]
    drop = (
        radius * 0.16 * (1 if turn == 0 else -1) if corners == _SIDES else 0.0
    )  # a triangle's middle is not its centre
    points = [(radius * stretch * math.cos(angle), radius * stretch * math.sin(angle) + drop) for angle in angles]
    return _path(points) + "z"


def strand(start: Point, end: Point, *, bulge: float, is_zigzag: bool) -> str:
    """Write the path of an edge.

    Args:
        start: Where it begins.
        end: Where it ends.
        bulge: How far its middle stands off the straight line, in pixels.
        is_zigzag: Whether it goes there in steps to and fro.
    """
    length = math.dist(start, end) or 1.0
    across = (-(end[1] - start[1]) / length, (end[0] - start[0]) / length)
    if not is_zigzag:
        if not bulge:
            return _path([start, end])
        middle = tuple((start[axis] + end[axis]) / 2 + 2 * bulge * across[axis] for axis in (0, 1))
        return f"M{_at(start)}Q{_at((middle[0], middle[1]))} {_at(end)}"
    steps = max(4, round(length / _ZIGZAG))
    points = [start]
    for step in range(1, steps):
        share = step / steps
        off = (3.5 if step % 2 else -3.5) + bulge * 4 * share * (1 - share)
        points.append(
            (
                start[0] + (end[0] - start[0]) * share + off * across[0],
                start[1] + (end[1] - start[1]) * share + off * across[1],
            )
        )
    return _path([*points, end])


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(map(_at, points))


def _at(point: Point) -> str:
    return f"{round(point[0], 1):g} {round(point[1], 1):g}"


_WIDE = 2
_NEVER_FIRST = re.compile(
    "[^、。，．：；！？）」』】〉》ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…][、。，．：；！？）」』】〉》ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ…]?|."
)
"""A character with the one behind it where that begins no line."""
_NARROW_LETTERS = frozenset("fijltrI.,:;'|!()[]\" ")


def em_width(text: str) -> float:
    """Estimate how wide a text is drawn, in units of the font's size; rather too wide than too narrow."""
    return sum(map(_em, text))


def _em(character: str) -> float:
    cells = get_character_cell_size(character)
    if cells == 0:
        return 0.0
    if cells == _WIDE:
        return 1.05
    if character in _NARROW_LETTERS:
        return 0.36
    return 0.74 if character.isupper() or character in "mwMW@%&—…" else 0.6


def wrapped(text: str, *, width: float, lines: int) -> tuple[str, ...]:
    """Break a text into lines, between words where it has any; what does not fit ends in an ellipsis.

    Args:
        text: On one line.
        width: How wide a line may be, in units of the font's size.
        lines: How many there may be.
    """
    done: list[str] = []
    line = ""
    pieces = [piece for word in text.split(" ") if word for piece in _pieces(word, width)]
    for place, (piece, is_first) in enumerate(pieces):
        longer = f"{line} {piece}" if line and is_first else line + piece
        if em_width(longer) <= width:
            line = longer
        elif len(done) + 1 == lines:
            return (*done, _ended(longer if is_first else line + piece, width))
        else:
            done.append(line)
            line = piece
        if place == len(pieces) - 1:
            done.append(line)
    return tuple(done)


def _pieces(word: str, width: float) -> list[tuple[str, bool]]:
    """Give what of a word must stay together, and whether a space stands before it."""
    is_wide = any(get_character_cell_size(character) == _WIDE for character in word)
    parts = _NEVER_FIRST.findall(word) if is_wide or em_width(word) > width else [word]
    return [(part, place == 0) for place, part in enumerate(parts)]


def _ended(line: str, width: float) -> str:
    while line and em_width(line) + em_width("…") > width:
        line = line[:-1]
    return line.rstrip() + "…"
