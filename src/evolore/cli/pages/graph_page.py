"""A neighbourhood as one page that a browser opens without a network.

Everything stands in the file, as in the page of an outline: the drawing is computed here, so that the page shows it also
where scripts are off. What was remembered reaches the page escaped as markup and as JSON in a block of data.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from evolore.cli.pages.graph_drawing import HEADED, byline, colour_class, draw, glyph, lang_of, letter_of, strand
from evolore.cli.pages.graph_words import KIND_NAMES, WEIGHED, kinds_in, sections_of, share_of, state_of, summary_of
from evolore.cli.pages.outline_page import data_block, part_of_page, policy_for
from evolore.cli.printing import one_line, visible
from evolore.domain.citation import episode_place
from evolore.domain.episode import EdgeKind, EpisodeState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.episode import Episode
    from evolore.domain.graph import Neighbour, Neighbourhood

_TITLE = 90
_NAME = 60


def page_of(found: Neighbourhood) -> str:
    """Write the page."""
    style = part_of_page("graph_page.css")
    script = part_of_page("graph_view.js") + part_of_page("graph_page.js")
    centre = found.nodes[0].episode
    title = escape(_cut(one_line(centre.text), _TITLE))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy_for(style=style, script=script)}">
<meta name="referrer" content="no-referrer">
<title>{title}: graph</title>
<style>{style}</style>
</head>
<body>
<header><h1{lang_of(centre)}><bdi>{title}</bdi></h1><p>{escape(summary_of(found))}</p></header>
<main>
<section class="picture" aria-label="Graph">
<div class="zoom" role="toolbar" aria-label="View"><button id="in" type="button" aria-label="Zoom in">+</button>\
<button id="out" type="button" aria-label="Zoom out">−</button><button id="fit" type="button">Fit</button></div>
{draw(found)}
<div class="legend">{_context_legend(found)}{_kind_legend(found)}{_state_legend(found)}</div>
</section>
<aside>
<div class="tools" role="search">
<input id="search" type="search" placeholder="Search" aria-label="Search texts and speakers" autocomplete="off" spellcheck="false">
<output id="count" class="count" for="search"></output>
</div>
<section id="detail" aria-label="Episode" tabindex="-1">
<noscript><p class="hint">To choose episodes in the graph, let this page run its script. They all stand below.</p></noscript>
</section>
<nav id="list" aria-label="Episodes">{"".join(_sections(found))}</nav>
</aside>
</main>
<div id="tip" hidden></div>
<p id="status" class="heard" role="status"></p>
<script id="data" type="application/json">{_data(found)}</script>
<script>{script}</script>
</body>
</html>
"""


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _context_legend(found: Neighbourhood) -> str:
    if not found.contexts:
        return ""
    of_id = {node.episode.id: node for node in found.nodes}
    items = "".join(
        f'<li><button type="button" class="swatch" aria-pressed="false" data-context="{one.number}">{_mark(one.number)}'
        f"<span{lang_of(of_id[one.ids[0]].episode)}><bdi>{escape(_cut(one_line(of_id[one.ids[0]].episode.text), _NAME))}</bdi></span>"
        f'<span class="number">{len(one.ids)}</span></button></li>'
        for one in found.contexts
    )
    return f'<div class="contexts"><h2>Contexts</h2><ul>{items}</ul></div>'


def _mark(context: int | None, *, is_centre: bool = False) -> str:
    """Draw a node's sign as it stands in lists."""
    letter = "" if context is None else f'<text class="letter" y="4.3">{letter_of(context)}</text>'
    core = '<circle class="core" r="5"/>' if is_centre else ""
    kind = "centre" if is_centre else colour_class(context)
    return (
        f'<svg class="mark node {kind}" viewBox="-18 -18 36 36" width="20" height="20" aria-hidden="true">'
        f'<path class="glyph" d="{glyph(context, 12.0 if context is None and not is_centre else 13.0)}"/>{core}{letter}</svg>'
    )


def _kind_legend(found: Neighbourhood) -> str:
    items = "".join(
        f'<li><label title="{KIND_NAMES[kind][1]}"><input type="checkbox" data-kind="{kind.value}" checked>{_sample(kind)}'
        f'<span>{KIND_NAMES[kind][0]}</span><span class="number">{count}</span></label></li>'
        for kind, count in kinds_in(found).items()
    )
    return (
        f'<div class="kinds" role="group" aria-labelledby="kinds"><h2 id="kinds">Edges</h2><ul>{items}</ul></div>'
        if items
        else ""
    )


def _sample(kind: EdgeKind) -> str:
    line = strand((2.0, 8.0), (42.0, 8.0), bulge=0.0, is_zigzag=kind is EdgeKind.CONTRADICTS)
    head = '<path class="head" d="M44 8L35 3.5L35 12.5z"/>' if kind in HEADED else ""
    is_open = " open" if kind is EdgeKind.CONTRADICTS else ""
    return (
        f'<svg class="edge k-{kind.value}{is_open}" viewBox="0 0 46 16" width="46" height="16" aria-hidden="true">'
        f'<path class="line" d="{line}" stroke-width="2"/>{head}</svg>'
    )


def _state_legend(found: Neighbourhood) -> str:
    states = {node.episode.state for node in found.nodes}
    signs: list[tuple[str, str]] = [('<path class="glyph" d="' + glyph(None, 11.0) + '"/>', "centre")]
    if EpisodeState.CONFLICT_PENDING in states:
        signs.append(('<g class="badge warn"><circle r="9"/><text y="4">!</text></g>', "in conflict"))
    if EpisodeState.SUPERSEDED in states:
        signs.append((f'<g class="s-superseded"><path class="glyph" d="{glyph(None, 10.0)}"/></g>', "superseded"))
    if any(node.members for node in found.nodes):
        signs.append(('<g class="badge many"><circle r="9"/><text y="4">n</text></g>', "statements merged"))
    items = "".join(
        f'<li><svg class="mark node {"centre" if name == "centre" else "cx"}" viewBox="-12 -12 24 24" width="18" height="18"'
        f' aria-hidden="true">{sign}{"<circle class=core r=4.5 />" if name == "centre" else ""}</svg>{name}</li>'
        for sign, name in signs
    )
    return f'<div class="signs"><h2>Signs</h2><ul>{items}</ul></div>'


def _sections(found: Neighbourhood) -> Iterator[str]:
    """Write the list of all episodes, by context; with their whole texts for paper and where scripts are off."""
    places = {node.episode.id: place for place, node in enumerate(found.nodes)}
    for heading, context, nodes in sections_of(found):
        items = "".join(_item(places[node.episode.id], node, found, context) for node in nodes)
        share = "" if context is None else share_of(found.contexts[context])
        yield f"<section><h2>{heading}{share and f' · {share}'}</h2><ul>{items}</ul></section>"


def _item(place: int, node: Neighbour, found: Neighbourhood, context: int | None) -> str:
    episode = node.episode
    beginning = _cut(one_line(episode.text), _TITLE)
    whole = f'<p class="whole" dir="auto"{lang_of(episode)}>{escape(visible(episode.text))}</p>'
    if beginning == episode.text:
        whole = ""
    state = state_of(node, found)
    shown_state = "" if state == "active" else f'<span class="state s-{episode.state.value}">{state}</span>'
    return (
        f'<li data-node="{place}"><button type="button">{_mark(context, is_centre=not node.distance)}'
        f"<span{lang_of(episode)}><bdi>{escape(_cut(one_line(episode.text), _TITLE))}</bdi></span></button>"
        f'<p class="by"><bdi>{escape(byline(episode))}</bdi> {shown_state}</p>{whole}</li>'
    )


def _data(found: Neighbourhood) -> str:
    places = {node.episode.id: place for place, node in enumerate(found.nodes)}
    return data_block(
        {
            "nodes": [_node(node, found) for node in found.nodes],
            "edges": [
                [places[edge.source_id], places[edge.target_id], edge.kind.value, round(edge.weight, 4)]
                for edge in found.edges
            ],
            "conflicts": [[places[older], places[newer]] for older, newer in found.conflicts],
            "contexts": [letter_of(one.number) for one in found.contexts],
            "kinds": {kind.value: [KIND_NAMES[kind][0], kind in WEIGHED] for kind in kinds_in(found)},
        }
    )


def _node(node: Neighbour, found: Neighbourhood) -> dict[str, object]:
    episode = node.episode
    return {
        **_said(episode),
        "id": episode.id,
        "state": state_of(node, found),
        "mark": episode.state.value,
        "context": node.context,
        "further": node.further,
        "members": [_said(member) for member in node.members],
        "facts": [[name, one_line(str(value))] for name, value in _facts(episode) if value is not None],
        "confidence": round(episode.confidence, 4),
    }


def _said(episode: Episode) -> dict[str, object]:
    return {
        "text": visible(episode.text),
        "lang": "" if episode.language.value == "und" else episode.language.value,
        "by": byline(episode),
    }


def _facts(episode: Episode) -> Iterator[tuple[str, object]]:
    when = episode.occurred_at or episode.recorded_at
    yield ("Said" if episode.occurred_at else "Recorded"), when.isoformat(sep=" ", timespec="minutes")
    yield "Speaker", episode.speaker
    yield "Session", episode.session
    yield "Stands in", episode_place(episode) if episode.document_id else None
    yield "About", " / ".join(episode.about) if episode.about else None
    yield "Valid from", episode.valid_from and episode.valid_from.date().isoformat()
    yield "Valid until", episode.valid_to and episode.valid_to.date().isoformat()
    yield "Arousal", None if episode.arousal is None else f"{episode.arousal:.2f}"
    yield "Merges", episode.merge_count or None
    yield "Id", episode.id
