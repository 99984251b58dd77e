"""A document's outline: a tree that folds, how deep it goes, how large its leaves are, and its text cut at their ends."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import accumulate, pairwise
from math import sqrt

from markdown_it.token import Token

from evolore.domain.document import DocumentTree, OutlineNode, Tier
from evolore.server.drawings.markup import MARKDOWN, Markup, page_alone
from evolore.server.languages import Texts, texts_in
from evolore.text.display import one_line, visible

_MOST_NODES = 2_000
_UNFOLDED = 300
"""Of a larger outline only the top is unfolded to begin with."""
_MOST_CHARACTERS = 300_000
"""Of a longer text a page of the server shows the beginning."""
_FULL_BITS = 40.0
"""A gain from here on fills its bar."""
_BINS, _STEP, _HEIGHT, _ROW, _BAR = 24, 8, 40, 16, 130


def page_of(found: DocumentTree, *, depth: int | None = None) -> str:
    """Write an outline with its document's text as a page that a browser opens without a network."""
    document, t = found.document, texts_in("en")
    told = t("document.size", characters=f"{document.characters:,}", passages=f"{document.episode_count:,}")
    about = f"{escape(one_line(document.source))} · {t('word.version')} {document.version} · {told}"
    everything = len(found.nodes), len(found.text or "")
    body = (
        f'<p class="text-secondary"><bdi>{about}</bdi></p>\n{charts_of(found, t)}\n<div class="reading">'
        f'<nav class="outline" aria-label="{t("document.outline")}">{tree_of(found, t, unfolded=depth, most=everything[0])}</nav>'
        f'<section aria-label="{t("document.text")}">{text_of(found, t, most=everything[1])}</section></div>'
    )
    language = "" if document.language.value == "und" else document.language.value
    return page_alone(one_line(document.title), body, language=language)


def tree_of(found: DocumentTree, t: Texts, *, unfolded: int | None = None, most: int = _MOST_NODES) -> Markup:
    """Write an outline as lists in lists; leaves lead to their texts."""
    levels = unfolded or (1 if len(found.nodes) > _UNFOLDED else max(found.depths, default=1))
    language = found.document.language.value
    named = "" if language == "und" else f' lang="{language}"'
    rest = len(found.nodes) - most
    more = f'<p class="text-secondary">{t("document.more_nodes", count=f"{rest:,}")}</p>' if rest > 0 else ""
    return Markup(f'<ul class="tree"{named}>{"".join(_items(found, t, levels, most))}</ul>{more}')


def _items(found: DocumentTree, t: Texts, unfolded: int, most: int) -> Iterator[str]:
    """Write the nodes, each before its children."""
    open_depth = 0
    for node, name in list(zip(found.nodes, names_of(found), strict=True))[:most]:
        depth = node.code.depth
        yield "</ul></details></li>" * max(0, open_depth - depth + 1)
        row = (
            f'<span class="code">{node.code}</span> <bdi class="name">{escape(name)}</bdi>'
            f'{_gain(node, t)}<span class="size">{len(node.chunk.span):,}</span>'
        )
        open_depth = depth - 1 if node.chunk.is_leaf else depth
        if node.chunk.is_leaf:
            yield f'<li><a class="row" href="#c{node.code}">{row}</a></li>'
        else:
            yield f'<li><details{" open" if depth < unfolded else ""}><summary class="row">{row}</summary><ul>'
    yield "</ul></details></li>" * open_depth


def _gain(node: OutlineNode, t: Texts) -> str:
    gain = node.chunk.gain_bits
    if node.chunk.tier is Tier.HARD_SPLIT:
        return f'<span class="hard">{t("document.hard")}</span>'
    if gain is None:
        return ""
    width = round(40 * sqrt(min(max(gain, 0.0), _FULL_BITS) / _FULL_BITS), 1)
    told = t("document.gain", bits=f"{gain:+.1f}")
    return (
        f'<svg class="gain" width="40" height="6" role="img" aria-label="{told}"><title>{told}</title>'
        f'<rect class="rail" width="40" height="6"/><rect class="bar-fill" width="{width}" height="6"/></svg>'
    )


def text_of(found: DocumentTree, t: Texts, *, most: int = _MOST_CHARACTERS) -> Markup:
    """Write a document's text, each leaf by itself under its code."""
    language = found.document.language.value
    named = "" if language == "und" else f' lang="{language}"'
    cut = f'<p class="text-secondary">{t("document.cut")}</p>' if len(found.text or "") > most else ""
    return Markup(f'<div class="text"{named}>{"".join(_stretches(found, t, most))}</div>{cut}')


def rendered_of(found: DocumentTree, t: Texts, *, most: int = _MOST_CHARACTERS) -> Markup:
    """Render a document's Markdown; leaves of the outline lead to the blocks in which they begin."""
    text, language = found.text or "", found.document.language.value
    starts = iter([(node.chunk.span.start, f"c{node.code}") for node in found.nodes if node.chunk.is_leaf])
    ends = [0, *accumulate(len(line) + 1 for line in text[:most].split("\n"))]
    tokens: list[Token] = []
    at = next(starts, None)
    for token in MARKDOWN.parse(text[:most]):
        if token.level == 0 and token.map is not None:
            while at is not None and at[0] < ends[min(token.map[1], len(ends) - 1)]:
                tokens.append(Token("html_block", "", 0, content=f'<a id="{at[1]}"></a>'))
                at = next(starts, None)
        tokens.append(token)
    named = "" if language == "und" else f' lang="{language}"'
    cut = f'<p class="text-secondary">{t("document.cut")}</p>' if len(text) > most else ""
    rendered: str = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    return Markup(f'<article class="rendered" tabindex="0"{named}>{visible(rendered)}</article>{cut}')


def _stretches(found: DocumentTree, t: Texts, most: int) -> Iterator[str]:
    text, at = found.text or "", 0
    for node in found.nodes:
        span = node.chunk.span
        if not node.chunk.is_leaf or span.start < at:
            continue
        if span.start >= most:
            return
        yield from _between(text[at : span.start])
        hard = f" · {t('document.hard')}" if node.chunk.tier is Tier.HARD_SPLIT else ""
        yield (
            f'<div class="chunk" id="c{node.code}"><span class="code" lang="">{node.code}{hard}</span>'
            f"{_written(text[span.start : span.end])}</div>\n"
        )
        at = span.end
    yield from _between(text[at:])


def _between(text: str) -> Iterator[str]:
    if text.strip():
        yield f'<div class="between">{_written(text)}</div>\n'


def _written(text: str) -> str:
    return escape(visible(text.strip("\n")))


def names_of(found: DocumentTree) -> tuple[str, ...]:
    """Return a name on one line for each node: the heading of an inner node, the first words of the rest.

    Of several inner nodes under the same headings only the first is called by them; the others would look alike.
    """
    named: set[tuple[str, ...]] = set()
    names: list[str] = []
    for node in found.nodes:
        path = node.chunk.heading_path
        is_first = bool(path) and not node.chunk.is_leaf and path not in named
        if is_first:
            named.add(path)
        names.append(one_line(path[-1] if is_first else node.beginning))
    return tuple(names)


def charts_of(found: DocumentTree, t: Texts) -> Markup:
    """Draw how many chunks are at each depth, and how many leaves there are of each size with their median."""
    return Markup(
        f'<div class="charts">{_depth_chart(found, t)}{_size_chart(found, t) if found.leaf_sizes.count > 1 else ""}</div>'
    )


def _depth_chart(found: DocumentTree, t: Texts) -> str:
    most = max(found.depths.values(), default=1)
    rows = [(depth, count, max(2, round(_BAR * count / most))) for depth, count in found.depths.items()]
    bars = "".join(
        f'<text x="0" y="{row * _ROW + 11}">{depth}</text>'
        f'<rect class="bar-fill" x="16" y="{row * _ROW + 2}" width="{width}" height="10" rx="2"/>'
        f'<text x="{22 + width}" y="{row * _ROW + 11}">{count:,}</text>'
        for row, (depth, count, width) in enumerate(rows)
    )
    said = ", ".join(f"{depth}: {count:,}" for depth, count, _ in rows)
    return _figure(t("document.by_depth"), said, bars, width=_BAR + 64, height=max(1, len(rows)) * _ROW)


def _size_chart(found: DocumentTree, t: Texts) -> str:
    sizes, counted = [len(node.chunk.span) for node in found.nodes if node.chunk.is_leaf], found.leaf_sizes
    least, most = counted.smallest, counted.largest
    width = max(1, most - least + 1)
    edges = [least + width * place / _BINS for place in range(_BINS + 1)]
    counts = [sum(low <= size < high for size in sizes) for low, high in pairwise(edges)]
    top = max(counts, default=0) or 1
    bars = "".join(
        f'<rect class="bar-fill" x="{place * _STEP}" y="{_HEIGHT - height}" width="{_STEP - 2}" height="{height}" rx="1"/>'
        for place, count in enumerate(counts)
        if (height := round(_HEIGHT * count / top) or (1 if count else 0))
    )
    middle = _BINS * _STEP * (counted.median - least) / width
    ends = (
        f'<line class="rule" x1="{middle:.0f}" x2="{middle:.0f}" y1="0" y2="{_HEIGHT + 3}"/>'
        f'<text x="0" y="{_HEIGHT + 14}">{least:,}</text>'
        f'<text x="{_BINS * _STEP}" y="{_HEIGHT + 14}" text-anchor="end">{most:,}</text>'
    )
    name = t("document.by_size", median=f"{counted.median:,.0f}")
    return _figure(name, f"{least:,} – {most:,}", bars + ends, width=_BINS * _STEP, height=_HEIGHT + 16)


def _figure(name: str, said: str, inner: str, *, width: int, height: int) -> str:
    return (
        f'<figure><figcaption>{name}</figcaption><svg role="img" aria-label="{name}: {said}" width="{width}"'
        f' height="{height}" viewBox="0 0 {width} {height}">{inner}</svg></figure>'
    )
