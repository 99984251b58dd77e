"""What the nodes of an outline are called where they are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.cli.printing import one_line

if TYPE_CHECKING:
    from evolore.flows.outlines import DocumentTree


def names_of(found: DocumentTree) -> tuple[str, ...]:
    """Give each node a name on one line: an inner node the heading it stands under, the rest their first words.

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
