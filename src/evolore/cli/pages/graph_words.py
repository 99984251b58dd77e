"""What a neighbourhood is called in words: kinds of edges, states, contexts, and what is listed under which heading."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from evolore.cli.pages.graph_drawing import letter_of
from evolore.cli.printing import counted
from evolore.domain.episode import EdgeKind, EpisodeState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.domain.graph import EpisodeContext, Neighbour, Neighbourhood

KIND_NAMES: Mapping[EdgeKind, tuple[str, str]] = {
    EdgeKind.CONTRADICTS: ("contradicts", "They cannot both hold."),
    EdgeKind.SUPERSEDES: ("supersedes", "The arrow points to what is out of date."),
    EdgeKind.SEMANTIC: ("semantic", "They are alike in meaning."),
    EdgeKind.ECHO: ("echo", "They say nearly the same."),
    EdgeKind.BRANCH: ("branch", "Parts of what was split."),
    EdgeKind.MEMBER: ("member", "The arrow points to what was merged into it."),
    EdgeKind.SEQUENCE: ("sequence", "One after the other in a conversation or document."),
    EdgeKind.HIERARCHY: ("hierarchy", "Under one heading of a document."),
    EdgeKind.QUERY_INSIGHT: ("query, insight", "A question joined them and led to insight."),
    EdgeKind.QUERY_RETRIEVAL: ("query, retrieval", "A question found them together."),
    EdgeKind.QUERY_BYPASS: ("query, bypass", "A question was answered without a search."),
}
"""What each kind is called, and what it says; in the order they are listed."""
WEIGHED = frozenset(
    {
        EdgeKind.SEMANTIC,
        EdgeKind.ECHO,
        EdgeKind.BRANCH,
        EdgeKind.QUERY_INSIGHT,
        EdgeKind.QUERY_RETRIEVAL,
        EdgeKind.QUERY_BYPASS,
    }
)
_SHORT_ID = 14
"""So many characters of an id name one episode, nearly always."""
"""Kinds whose weight tells one edge from another; the others are there or not."""
STATE_NAMES: Mapping[EpisodeState, str] = {
    EpisodeState.ACTIVE: "active",
    EpisodeState.CONFLICT_PENDING: "in conflict",
    EpisodeState.SUPERSEDED: "superseded",
    EpisodeState.REVOKED: "revoked",
}


def state_of(node: Neighbour, found: Neighbourhood) -> str:
    """Say in a word or two what state a node is in; at times that it no longer stands for itself."""
    ended = node.episode.stands_until
    if ended is not None and (found.as_of is None or ended <= found.as_of):
        return _ended_words(node, found)
    return STATE_NAMES[node.episode.state]


def _ended_words(node: Neighbour, found: Neighbourhood) -> str:
    """Say into what an episode was merged or split, where that is among the nodes."""
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


def share_of(context: EpisodeContext) -> str:
    """Say how much of what joins the centre leads into a context; nothing where none does."""
    return f"{context.share:.0%} of what joins the centre" if context.share else ""


def kinds_in(found: Neighbourhood) -> Mapping[EdgeKind, int]:
    """Count the edges of each kind there is, in the order they are listed."""
    counted = Counter(edge.kind for edge in found.edges)
    return {kind: counted[kind] for kind in KIND_NAMES if counted[kind]}


def sections_of(found: Neighbourhood) -> Sequence[tuple[str, int | None, tuple[Neighbour, ...]]]:
    """Give what is listed, heading by heading: the centre, each context, and what stands alone.

    Returns:
        A heading, the number of its context, and its nodes in the order of the neighbourhood.
    """
    of_id = {node.episode.id: node for node in found.nodes}
    alone = tuple(node for node in found.nodes if node.distance and node.context is None)
    sections: list[tuple[str, int | None, tuple[Neighbour, ...]]] = [("Centre", None, (found.nodes[0],))]
    for context in found.contexts:
        heading = f"Context {letter_of(context.number)}"
        sections.append((heading, context.number, tuple(of_id[id_] for id_ in context.ids)))
    return [*sections, ("In no context", None, alone)] if alone else sections
