"""A document's outline as a value that can be walked: up, down and sideways."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from evolore.domain.outline import OutlineCode
from evolore.errors import NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.knowledge import Chunk, Document

BEGINNING = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineNode:
    """One chunk of a document's outline.

    Args:
        chunk: Its place, span and boundary.
        episode_id: The episode that recalls it; None for an inner node.
        beginning: Its first words, at most 60 characters.
    """

    chunk: Chunk
    episode_id: str | None
    beginning: str

    @property
    def code(self) -> OutlineCode:
        """Its place in the outline."""
        return self.chunk.outline


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafSizes:
    """How long the leaves of a document are, in characters; all 0 where it has none."""

    count: int
    smallest: int
    median: float
    largest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentTree:
    """A document and its outline.

    Args:
        document: The document, at its present version.
        nodes: In outline order: a parent before its children.
        text: Its whole text, where it was asked for.

    Finding a node takes time in the logarithm of their number; what stands around it, in proportion to what is found.
    """

    document: Document
    nodes: tuple[OutlineNode, ...]
    text: str | None = None

    def node(self, code: OutlineCode | str) -> OutlineNode:
        """Give the node at a code.

        Raises:
            NotFound: There is none.
            InvalidOutlineCode: A text is no code.
        """
        wanted = OutlineCode.parse(code) if isinstance(code, str) else code
        place = self._index(wanted)
        if place == len(self.nodes) or self.nodes[place].code != wanted:
            raise NotFound(
                f"{self.document.title!r} has no chunk {wanted}: `evolore tree {self.document.id}` shows its outline."
            )
        return self.nodes[place]

    def place(self, code: OutlineCode | str) -> Place:
        """Give a node with what stands around it.

        Raises:
            NotFound: There is none at this code.
            InvalidOutlineCode: A text is no code.
        """
        return Place(tree=self, node=self.node(code))

    def below(self, code: OutlineCode | None = None) -> tuple[OutlineNode, ...]:
        """Give every node below a code, or all of them, in outline order."""
        if code is None:
            return self.nodes
        after = OutlineCode((*code.parts[:-1], code.number + 1))
        return tuple(one for one in self.nodes[self._index(code) : self._index(after)] if one.code != code)

    def children(self, code: OutlineCode | None = None) -> tuple[OutlineNode, ...]:
        """Give the nodes right below a code, or at the top, in outline order."""
        depth = 1 if code is None else code.depth + 1
        return tuple(one for one in self.below(code) if one.code.depth == depth)

    @property
    def depths(self) -> Mapping[int, int]:
        """How many nodes stand at each depth, from 1 down."""
        counted = Counter(one.code.depth for one in self.nodes)
        return {depth: counted[depth] for depth in range(1, max(counted, default=0) + 1)}

    @property
    def leaf_sizes(self) -> LeafSizes:
        """How long its leaves are."""
        sizes = [len(one.chunk.span) for one in self.nodes if one.chunk.is_leaf] or [0]
        count = sum(one.chunk.is_leaf for one in self.nodes)
        return LeafSizes(count=count, smallest=min(sizes), median=median(sizes), largest=max(sizes))

    def _index(self, code: OutlineCode) -> int:
        return bisect_left(self.nodes, code, key=lambda one: one.code)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A node of an outline, and what stands around it.

    Args:
        tree: The whole outline.
        node: The node.
    """

    tree: DocumentTree
    node: OutlineNode

    @property
    def parent(self) -> OutlineNode | None:
        """The node right above it; None at the top."""
        above = self.node.code.parent
        return None if above is None else self.tree.node(above)

    @property
    def ancestors(self) -> tuple[OutlineNode, ...]:
        """Every node above it, outermost first."""
        return tuple(self.tree.node(code) for code in self.node.code.ancestors)

    @property
    def children(self) -> tuple[OutlineNode, ...]:
        """The nodes right below it, in outline order; none below a leaf."""
        return self.tree.children(self.node.code)

    @property
    def siblings(self) -> tuple[OutlineNode, ...]:
        """The nodes that have the same parent, in outline order, without itself."""
        return tuple(one for one in self.tree.children(self.node.code.parent) if one.code != self.node.code)
