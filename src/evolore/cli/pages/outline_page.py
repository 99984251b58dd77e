"""A document's outline as one page that a browser opens without a network, and what such pages have in common."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from html import escape
from importlib.resources import files
from itertools import accumulate
from typing import TYPE_CHECKING

from evolore.cli.pages.outline_charts import depth_chart, names_of, size_chart
from evolore.cli.printing import one_line
from evolore.cli.review import tier_note
from evolore.domain.document import Tier

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.domain.outline import DocumentTree, OutlineNode

_MANY = 300
"""Of a larger outline only the top is unfolded to begin with."""
_STEPS = 10
_FULL_BITS = 40.0
"""A gain from here on fills its bar."""
_LAST_NARROW = 0xFFFF


def page_of(found: DocumentTree, *, depth: int | None = None) -> str:
    """Write the page.

    Args:
        found: The document with its text.
        depth: How many levels are unfolded when the page opens; by default all, or the top where there are many.
    """
    unfolded = depth or (1 if len(found.nodes) > _MANY else max(found.depths, default=1))
    style, script = (part_of_page(f"outline_page.{kind}") for kind in ("css", "js"))
    policy = policy_for(style=style, script=script)
    document, title = found.document, escape(one_line(found.document.title))
    language = f' lang="{document.language.value}"' if document.language.value != "und" else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<title>{title}: outline</title>
<style>{style}</style>
</head>
<body>
<header>
<div class="title"><h1{language}><bdi>{title}</bdi></h1><p>{_subtitle(found)}</p></div>
<div class="charts">{depth_chart(found.depths)}{size_chart(found)}</div>
</header>
<main>
<section class="outline" aria-label="Outline">
<div class="tools" role="search">
<input id="search" type="search" placeholder="Search" aria-label="Search codes, headings and text" autocomplete="off" spellcheck="false">
<button id="expand" type="button">Unfold all</button><button id="collapse" type="button">Fold all</button>
<output id="count" class="count" for="search"></output>
</div>
<div class="scroll"><ul role="tree" aria-label="Outline of {title}"{language}>{"".join(_items(found, unfolded))}</ul></div>
</section>
<section id="reading" class="reading" aria-label="Chunk" tabindex="0"{language}>
<noscript><p class="hint">The outline stands beside this. To read the chunks here, let this page run its script.</p></noscript>
</section>
</main>
<p id="status" class="heard" role="status"></p>
<script id="data" type="application/json">{_data(found)}</script>
<script>{script}</script>
</body>
</html>
"""


def _subtitle(found: DocumentTree) -> str:
    document, sizes = found.document, found.leaf_sizes
    tiers = [node.chunk.tier for node in found.nodes if node.chunk.is_leaf]
    hard = tiers.count(Tier.HARD_SPLIT)
    facts = [
        f"<bdi>{escape(one_line(document.source))}</bdi>",
        f"{document.characters:,} characters",
        f"{sizes.count:,} leaves among {len(found.nodes):,} chunks",
        f"version {document.version}, {document.recorded_at.date().isoformat()}",
        f"{hard:,} cut by a hard split" if hard else "none cut by a hard split",
    ]
    return " · ".join(facts)


def _items(found: DocumentTree, unfolded: int) -> Iterator[str]:
    """Write the outline as nested lists, each node before its children."""
    open_depth = 0
    for place, (node, name) in enumerate(zip(found.nodes, names_of(found), strict=True)):
        depth = node.code.depth
        yield "</ul></li>" * max(0, open_depth - depth + 1)
        is_open = not node.chunk.is_leaf
        open_depth = depth if is_open else depth - 1
        yield _item(place, node, escape(name), is_unfolded=depth < unfolded)
        yield '<ul role="group">' if is_open else "</li>"
    yield "</ul></li>" * open_depth


def _item(place: int, node: OutlineNode, name: str, *, is_unfolded: bool) -> str:
    chunk = node.chunk
    state = "" if chunk.is_leaf else f' aria-expanded="{"true" if is_unfolded else "false"}"'
    return (
        f'<li role="treeitem" aria-level="{node.code.depth}" aria-selected="false" aria-labelledby="n{place}"'
        f' tabindex="{-1 if place else 0}" data-code="{node.code}"{state}><div class="row" id="n{place}">'
        f'<span class="twist"></span><span class="code">{node.code}</span><span class="name">{name}</span>'
        f'{_gain(node)}<span class="size" title="characters">{len(chunk.span):,}</span></div>'
    )


def _gain(node: OutlineNode) -> str:
    gain = node.chunk.gain_bits
    if node.chunk.tier is Tier.HARD_SPLIT:
        return '<span class="hard">hard split</span>'
    if gain is None:
        return "<span></span>"
    step = round(_STEPS * math.sqrt(min(max(gain, 0.0), _FULL_BITS) / _FULL_BITS))
    return f'<span class="gain g{step}" role="img" aria-label="{gain:.1f} bits" title="{gain:+.1f} bits"></span>'


def _data(found: DocumentTree) -> str:
    """Write text and nodes as JSON in which no character can end the block it stands in."""
    text = found.text or ""
    at = _utf16_places(text)
    paths: dict[tuple[str, ...], int] = {}
    nodes: list[list[object]] = []
    for node in found.nodes:
        chunk = node.chunk
        path = paths.setdefault(tuple(map(one_line, chunk.heading_path)), len(paths))
        gain = None if chunk.gain_bits is None else round(chunk.gain_bits, 1)
        span = (at[chunk.span.start], at[chunk.span.end], chunk.span.start, chunk.span.end)
        nodes.append([*span, gain, chunk.tier.value, node.episode_id, path, tier_note(chunk)])
    return data_block({"text": text, "nodes": nodes, "paths": list(paths)})


def _utf16_places(text: str) -> list[int]:
    """Give where each character, and the end, stands in the units that browsers count in."""
    return [0, *accumulate(2 if ord(character) > _LAST_NARROW else 1 for character in text)]


def part_of_page(name: str) -> str:
    """Read a style sheet or script that stands beside this file."""
    return files("evolore.cli.pages").joinpath(name).read_text("utf-8")


def policy_for(*, style: str, script: str) -> str:
    """Write the policy that lets a page use this style sheet and this script, and nothing else."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    )


def data_block(value: object) -> str:
    """Write a value as JSON in which no character can end the block it stands in."""
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        written = written.replace(character, f"\\u{ord(character):04x}")
    return written


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}'"
