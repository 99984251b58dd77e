"""A neighbourhood as a drawing and a list beside it that says the same: what is joined, by which edges, in which contexts."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from unicodedata import east_asian_width
from urllib.parse import quote

from evolore.domain.citation import episode_day
from evolore.domain.episode import EdgeKind, Episode, EpisodeKind
from evolore.domain.graph import Neighbour, Neighbourhood
from evolore.server.drawings.markup import Markup, data_attribute, page_alone
from evolore.server.languages import Texts, texts_in
from evolore.text.display import one_line, visible

COLOURS = 6
"""So many contexts have colours of their own; their letters go on."""
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LISTED = (
    *(EdgeKind.CONTRADICTS, EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES, EdgeKind.SEMANTIC, EdgeKind.ECHO),
    *(EdgeKind.BRANCH, EdgeKind.MEMBER, EdgeKind.SEQUENCE, EdgeKind.HIERARCHY),
    *(EdgeKind.QUERY_INSIGHT, EdgeKind.QUERY_RETRIEVAL, EdgeKind.QUERY_BYPASS),
)
"""Kinds in the order they are listed."""
_NAME, _LABEL, _MOST_ENDS = 70, 26, 40


def page_of(found: Neighbourhood) -> str:
    """Write a neighbourhood as a page that a browser opens without a network."""
    return page_alone(
        one_line(found.nodes[0].episode.text)[:_NAME], drawing_of(found, texts_in("en")), script="graph.js"
    )


def drawing_of(
    found: Neighbourhood, t: Texts, *, around: str = "", documents: str = "", names: Sequence[str] = ()
) -> Markup:
    """Write a drawing's frame, its data, and the list that says the same; a script draws it."""
    if not found.nodes:
        return Markup(f'<p class="empty text-secondary">{t("graph.empty")}</p>')
    counted = t("graph.counted", nodes=f"{len(found.nodes):,}", edges=f"{len(found.edges):,}")
    more = f" {t('graph.more')}" if found.truncated else ""
    return Markup(
        f'<div class="graph" data-graph="{_data(found)}"><div class="graph-drawn">'
        f'<div class="graph-canvas" role="img" aria-label="{counted}" hidden></div>'
        f'<p class="graph-none text-secondary" hidden>{t("graph.no_drawing")}</p>{_legend(found, t)}</div>'
        f'<div class="graph-side"><p class="text-secondary" role="status">{counted}{more}</p>'
        f'<div class="graph-find" hidden><label class="form-label" for="graph-find">{t("graph.find")}</label>'
        f'<input class="form-control" id="graph-find" type="search" autocomplete="off" spellcheck="false"></div>'
        f'<div class="graph-list">{"".join(_sections(found, t, around, documents, names))}</div></div></div>'
    )


def letter_of(number: int) -> str:
    """Return a context's letter: A to Z, then A2, B2 and so on."""
    turn, place = divmod(number, len(LETTERS))
    return LETTERS[place] + (str(turn + 1) if turn else "")


def _data(found: Neighbourhood) -> str:
    """Write what is drawn: nodes with a label, a context, a kind and a state, and edges by the places of their ends."""
    places = {node.episode.id: place for place, node in enumerate(found.nodes)}
    return data_attribute(
        {
            "nodes": [
                [
                    _cut(_first_words(node.episode), _LABEL),
                    -1 if node.context is None else node.context % COLOURS,
                    "" if node.context is None or len(found.contexts) == 1 else letter_of(node.context),
                    node.episode.kind.value,
                    node.episode.state.value,
                    int(node.episode.id == found.centre),
                ]
                for node in found.nodes
            ],
            "edges": [
                [places[edge.source_id], places[edge.target_id], edge.kind.value, round(edge.weight, 3)]
                for edge in found.edges
            ],
        }
    )


def _legend(found: Neighbourhood, t: Texts) -> str:
    """Write the kinds of nodes and edges that are drawn, each with a tick by which it is left out."""
    nodes = Counter(node.episode.kind for node in found.nodes)
    edges = Counter(edge.kind for edge in found.edges)
    of_nodes = ((f"n-{kind.value}", t(f"graph.{kind.value}"), nodes[kind]) for kind in EpisodeKind if nodes[kind])
    of_edges = ((f"k-{kind.value}", t(f"edge.{kind.value}"), edges[kind]) for kind in _LISTED if edges[kind])
    return f'<div class="graph-legend">{_ticks("node", t("graph.nodes"), of_nodes)}{_ticks("edge", t("graph.edges"), of_edges)}</div>'


def _ticks(of: str, name: str, kinds: Iterable[tuple[str, str, int]]) -> str:
    ticks = "".join(
        f'<label class="form-check"><input class="form-check-input" type="checkbox" data-{of}="{kind[2:]}" checked disabled>'
        f'<span class="form-check-label"><span class="sample {kind}"></span>{said} <span class="text-secondary">{count:,}</span></span></label>'
        for kind, said, count in kinds
    )
    return f"<fieldset><legend>{name}</legend>{ticks}</fieldset>" if ticks else ""


def sections_of(found: Neighbourhood) -> Sequence[tuple[str, int | None, tuple[Neighbour, ...]]]:
    """Return ``centre``, ``context`` or ``alone``, the context's number, and its nodes, for each heading that is listed."""
    of_id = {node.episode.id: node for node in found.nodes}
    centre = tuple(node for node in found.nodes if node.episode.id == found.centre)
    alone = tuple(node for node in found.nodes if node.episode.id != found.centre and node.context is None)
    contexts = [("context", one.number, tuple(of_id[id_] for id_ in one.ids)) for one in found.contexts]
    return [one for one in [("centre", None, centre), *contexts, ("alone", None, alone)] if one[2]]


def _sections(found: Neighbourhood, t: Texts, around: str, documents: str, called: Sequence[str]) -> Iterable[str]:
    places = {node.episode.id: place for place, node in enumerate(found.nodes)}
    ends = _ends(found, places)
    names = {"centre": t("graph.centre"), "alone": t("graph.alone") if found.contexts else t("graph.all")}
    for kind, context, nodes in sections_of(found):
        letter = letter_of(context or 0)
        name = names.get(kind) or (
            f"{letter} · <bdi>{escape(_cut(one_line(called[context or 0]), _NAME))}</bdi>"
            if called
            else t("graph.context", letter=letter)
        )
        items = "".join(
            _item(places[node.episode.id], node, t, ends[node.episode.id], around, documents) for node in nodes
        )
        colour = "" if context is None else f'<span class="sample c{context % COLOURS}"></span>'
        yield f'<section><h2>{colour}{name} <span class="text-secondary">{len(nodes)}</span></h2><ol>{items}</ol></section>'


def _ends(
    found: Neighbourhood, places: Mapping[str, int]
) -> Mapping[str, list[tuple[EdgeKind, float, bool, int, str]]]:
    """Return, of each node, the other ends of its edges: kind, weight, whether it leads there, place and name."""
    named = {node.episode.id: _cut(_first_words(node.episode), _LABEL) for node in found.nodes}
    ends: dict[str, list[tuple[EdgeKind, float, bool, int, str]]] = defaultdict(list)
    for edge in found.edges:
        for own, other, leads in ((edge.source_id, edge.target_id, True), (edge.target_id, edge.source_id, False)):
            ends[own].append((edge.kind, edge.weight, leads, places[other], named[other]))
    return ends


def _item(
    place: int,
    node: Neighbour,
    t: Texts,
    ends: Sequence[tuple[EdgeKind, float, bool, int, str]],
    around: str,
    documents: str,
) -> str:
    episode, state = node.episode, node.episode.state.value
    badge = "" if state == "active" else f'<span class="badge e-{state}">{t(f"episode.{state}")}</span>'
    by = " · ".join(filter(None, (one_line(episode.speaker or episode.title or ""), episode_day(episode))))
    merged = f'<span class="badge">{t("graph.merged", count=len(node.members))}</span>' if node.members else ""
    links = [
        f'<a href="{escape(around + quote(episode.id))}">{t("graph.around")}</a>' if around else "",
        f'<a href="{escape(documents + quote(episode.document_id))}">{t("word.document")}</a>'
        if documents and episode.document_id
        else "",
    ]
    named = "" if episode.language.value == "und" else f' lang="{episode.language.value}"'
    return (
        f'<li id="n{place}" data-node="{place}" tabindex="-1"><p class="graph-text" dir="auto"{named}>{escape(visible(episode.text))}</p>'
        f'<p class="graph-by text-secondary"><bdi>{escape(by)}</bdi> {badge}{merged} {" ".join(filter(None, links))}</p>'
        f"{_edges(t, ends)}</li>"
    )


def _edges(t: Texts, ends: Sequence[tuple[EdgeKind, float, bool, int, str]]) -> str:
    if not ends:
        return ""
    items = "".join(
        f'<li>{"→" if leads else "←"} {t(f"edge.{kind.value}")} {weight:.2f} <a href="#n{place}"><bdi>{escape(name)}</bdi></a></li>'
        for kind, weight, leads, place, name in ends[:_MOST_ENDS]
    )
    return f"<details><summary>{t('graph.joined', count=len(ends))}</summary><ul>{items}</ul></details>"


def _first_words(episode: Episode) -> str:
    """Return what an episode says on one line, without the marks that Markdown begins with."""
    return one_line(episode.text).lstrip("#-* ")


def _cut(text: str, most: int) -> str:
    """Return the beginning of a text that is at most so wide; Chinese and Japanese characters are two wide."""
    width = 0
    for place, character in enumerate(text):
        width += 2 if east_asian_width(character) in "WF" else 1
        if width > most:
            return text[: max(1, place - 1)].rstrip() + "…"
    return text
