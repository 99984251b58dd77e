"""``evolore outline graph``: a neighbourhood on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import Console
from rich.text import Text
from typer import Option

from evolore.cli.printing import aligned, counted
from evolore.cli.session import CliRun, EpisodeArgument, ForceOption
from evolore.domain.citation import episode_day
from evolore.domain.episode import Edge, EdgeKind, EpisodeState
from evolore.domain.times import read_moment
from evolore.server.drawings.graph import COLOURS, letter_of, sections_of
from evolore.text.display import one_line

if TYPE_CHECKING:
    from evolore.domain.graph import Neighbour, Neighbourhood


def graph(
    session: CliRun,
    episode_id: EpisodeArgument,
    depth: Annotated[int, Option(help="How many edges to follow, 1 to 3.")] = 1,
    limit: Annotated[int, Option(help="How many episodes to show at most, 1 to 200.")] = 60,
    as_of: Annotated[
        str | None, Option("--as-of", metavar="TIME", help="Show it as it was then, such as 2026-03-02.")
    ] = None,
    kind: Annotated[
        list[str] | None, Option("--kind", help="Follow only edges of this kind, such as `semantic`. May be repeated.")
    ] = None,
    html: Annotated[
        Path | None,
        Option(
            "--html", metavar="FILE", help="Draw it in one file that a browser opens without a network; `-` prints it."
        ),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Show the surroundings of an episode: its neighbours by context, what joins them, and what contradicts what."""
    with session.memory() as memory:
        moment = read_moment(as_of, "--as-of")
        found = memory.outline.graph(episode_id, depth=depth, limit=limit, as_of=moment, kinds=kind or None)
        if html is not None:
            from evolore.cli.files import give_page  # noqa: PLC0415 - `--help` should not pay for it
            from evolore.server.drawings.graph import page_of  # noqa: PLC0415 - likewise

            give_page(session, html, page_of(found), nodes=len(found.nodes), overwrite=force)
            return

        session.show(found, lambda: render_graph(found))


_PIPE_WIDTH = 160
"""Texts may be long; `--json` has them whole."""
_WIDE = 100
"""From here on ids have room, and every kind of edge."""
_NARROW = 60
"""Below this the speaker has none."""
_SPEAKER = 14
WEIGHED = frozenset(
    {EdgeKind.SEMANTIC, EdgeKind.ECHO, EdgeKind.BRANCH}
    | {EdgeKind.QUERY_INSIGHT, EdgeKind.QUERY_RETRIEVAL, EdgeKind.QUERY_BYPASS}
)
"""Kinds whose weight distinguishes edges; the others are there or not."""
_SHORT_ID = 14
"""So many characters of an id name one episode, nearly always."""
STATE_NAMES: Mapping[EpisodeState, str] = {
    EpisodeState.ACTIVE: "active",
    EpisodeState.CONFLICT_PENDING: "in conflict",
    EpisodeState.SUPERSEDED: "superseded",
    EpisodeState.REVOKED: "revoked",
}


def state_of(node: Neighbour, found: Neighbourhood) -> str:
    """Describe in a word or two the state of a node, or how it had ended at the time shown."""
    ended = node.episode.stands_until
    if ended is not None and (found.as_of is None or ended <= found.as_of):
        return _ended_words(node, found)
    return STATE_NAMES[node.episode.state]


def _ended_words(node: Neighbour, found: Neighbourhood) -> str:
    """Describe into what an episode was merged or split, where that is among the nodes."""
    stands_for = {
        edge.source_id for edge in found.edges if edge.kind is EdgeKind.MEMBER and edge.target_id == node.episode.id
    }
    heads = [one.episode.id for one in found.nodes if one.episode.id in stands_for and one.episode.stands]
    if len(heads) == 1:
        return f"merged into {heads[0][:_SHORT_ID]}…"
    return f"split into {len(heads)} parts" if heads else "merged or split"


def summary_of(found: Neighbourhood) -> str:
    """Count what is shown."""
    counts = [
        counted(len(found.nodes), "episode"),
        counted(len(found.edges), "edge"),
        counted(len(found.contexts), "context"),
    ]
    if found.conflicts:
        counts.append(counted(len(found.conflicts), "open conflict"))
    if found.depth > 1:
        counts.append(f"{found.depth} edges deep")
    if found.as_of is not None:
        counts.append(f"as of {found.as_of.isoformat()}")
    if found.truncated:
        counts.append("there is more than is shown")
    return " · ".join(counts)


_HEADINGS = {"centre": "Centre", "alone": "In no context"}
_STYLES = ("blue", "yellow", "green", "magenta", "cyan", "bright_yellow", "red", "bright_magenta")


def render_graph(found: Neighbourhood) -> None:
    """Print a neighbourhood: what is asked for, each context with its episodes, and conflicts with both sides."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    lines = _Lines(found, width=console.width, is_unicode=console.encoding.lower().startswith("utf"))
    for line in lines.all():
        line.rstrip()
        console.print(line, no_wrap=True, overflow="ellipsis")


class _Lines:
    """Print a neighbourhood in lines of one width."""

    def __init__(self, found: Neighbourhood, *, width: int, is_unicode: bool) -> None:
        self._found, self._width = found, width
        self._dash = "→" if is_unicode else "->"
        self._dot = " · " if is_unicode else ", "
        self._of_id = {node.episode.id: node for node in found.nodes}
        self._others: dict[str, list[str]] = {}
        for older, newer in found.conflicts:
            self._others.setdefault(older, []).append(newer)
            self._others.setdefault(newer, []).append(older)

    def all(self) -> Iterator[Text]:
        """Yield every line."""
        sections = sections_of(self._found)
        rows = aligned([self._cells(node) for _, _, nodes in sections for node in nodes], self._width)
        for kind, context, nodes in sections:
            heading = f"Context {letter_of(context)}" if context is not None else _HEADINGS[kind]
            style = "bold" if context is None else f"bold {_STYLES[context % COLOURS]}"
            yield Text.assemble((heading, style), (self._share(context), "dim"))
            for node in nodes:
                yield Text.assemble("  ", next(rows))
                yield from self._conflict_lines(node)
            yield Text()
        if self._found.questions:
            yield Text("Questions that led here", style="bold")
        for one in self._found.questions:
            yield Text.assemble((f"  {one.kind.value}  {one.weight:.2f}  ", "dim"), one_line(one.text))
        if self._found.questions:
            yield Text()
        yield Text(summary_of(self._found).replace(" · ", self._dot), style="dim")

    def _share(self, context: int | None) -> str:
        if context is None:
            return ""
        one = self._found.contexts[context]
        share = f"{one.share:.0%} of what joins the centre" if one.share else ""
        return "  " + ", ".join(filter(None, (f"{len(one.ids)} episodes", share)))

    def _cells(self, node: Neighbour) -> list[Text]:
        episode, state = node.episode, state_of(node, self._found)
        edges = self._edges_inward(node)
        text = Text(one_line(episode.text), style="bold" if node.distance == 0 else "")
        if node.members:
            text = Text.assemble((f"[{len(node.members)} merged] ", "dim"), text)
        if episode.state is EpisodeState.SUPERSEDED:
            text.stylize("dim")
        if state != "active":
            is_clash = episode.state is EpisodeState.CONFLICT_PENDING
            text = Text.assemble((f"[{state}] ", "red" if is_clash else "dim"), text)
        weights = [edge.weight for edge in edges if edge.kind in WEIGHED]
        cells = [Text(self._kinds(edges, node)), Text(f"{max(weights):.2f}" if weights else "", justify="right")]
        cells.append(Text(episode_day(episode), style="dim"))
        if self._width >= _NARROW:
            speaker = Text(one_line(episode.speaker or ""))
            speaker.truncate(_SPEAKER, overflow="ellipsis")
            cells.append(speaker)
        if self._width >= _WIDE:
            cells.append(Text(episode.id, style="cyan"))
        return [*cells, text]

    def _edges_inward(self, node: Neighbour) -> Sequence[Edge]:
        """Return the edges by which a node was found: those to nodes that are nearer to the centre."""
        own = node.episode.id
        return [
            edge
            for edge in self._found.edges_of(own)
            if self._of_id[edge.target_id if edge.source_id == own else edge.source_id].distance < node.distance
        ]

    def _kinds(self, edges: Sequence[Edge], node: Neighbour) -> str:
        own = node.episode.id
        kinds = list(dict.fromkeys(_wording(edge, is_out=edge.source_id == own) for edge in edges))
        if self._width < _WIDE and len(kinds) > 1:
            kinds = [f"{kinds[0]} +{len(kinds) - 1}"]
        return f"{self._dash} " * max(0, node.distance - 1) + ", ".join(kinds)

    def _conflict_lines(self, node: Neighbour) -> Iterator[Text]:
        for id_ in self._others.get(node.episode.id, ()):
            other = self._of_id[id_].episode
            who = f"{one_line(other.speaker)}, " if other.speaker else ""
            yield Text.assemble(("    ! contradicts ", "red"), f'{who}{episode_day(other)}: "{one_line(other.text)}"')


def _wording(edge: Edge, *, is_out: bool) -> str:
    """Return what a node is to the one it was found from."""
    if edge.kind is EdgeKind.SUPERSEDES:
        return "supersedes" if is_out else "superseded"
    if edge.kind is EdgeKind.LIKELY_SUPERSEDES:
        return "possibly replaces" if is_out else "possibly replaced"
    if edge.kind is EdgeKind.SEQUENCE:
        return "before" if is_out else "after"
    return edge.kind.value
