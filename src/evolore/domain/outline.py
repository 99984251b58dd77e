"""Outlines: where a chunk stands in its document, and walking up, down and sideways from there."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING

from evolore.domain.result import Result
from evolore.errors import InvalidOutlineCode, InvalidValue, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evolore.domain.document import Chunk, Document

_FORM = re.compile(r"[1-9][0-9]*(?:\.[1-9][0-9]*)*", re.ASCII)
_MAX_SHOWN = 60


class Relation(StrEnum):
    """How one place of an outline stands to another; exactly one of these holds (seed 002, section 8.2)."""

    SAME = "same"
    ANCESTOR = "ancestor"
    DESCENDANT = "descendant"
    SIBLING = "sibling"
    NONE = "none"


@dataclass(frozen=True, slots=True, order=True)
class OutlineCode:
    """A chunk's place in its document, such as ``1.1.2``.

    Codes are ordered as a table of contents is: a code before its descendants, siblings by number, so that ``1.2``
    comes before ``1.10``. Source: seed 002, section 3.3, in its dot form.

    Args:
        parts: The numbers from the top down, each at least 1; at least one of them.

    Raises:
        InvalidOutlineCode: No parts, or one below 1.

    >>> OutlineCode.parse("1.2") < OutlineCode.parse("1.10")
    True
    >>> [str(code) for code in OutlineCode.parse("1.1.2").ancestors]
    ['1', '1.1']
    """

    parts: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.parts or any(part < 1 for part in self.parts):
            raise InvalidOutlineCode(
                f"{self.parts!r} is not an outline code: give one or more whole numbers of at least 1, "
                "such as (1, 1, 2)."
            )

    @classmethod
    def parse(cls, text: str) -> OutlineCode:
        """Read a code from its dot form.

        Raises:
            InvalidOutlineCode: The text is not positive whole numbers joined by dots.
        """
        if not _FORM.fullmatch(text):
            shown = text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + "…"
            raise InvalidOutlineCode(
                f'{shown!r} is not an outline code: write positive whole numbers joined by dots, such as "1.1.2".'
            )
        return cls(tuple(int(part) for part in text.split(".")))

    def __str__(self) -> str:
        return ".".join(map(str, self.parts))

    @property
    def depth(self) -> int:
        """How many levels down it stands; a top-level code has depth 1."""
        return len(self.parts)

    @property
    def number(self) -> int:
        """Its place among its siblings, from 1."""
        return self.parts[-1]

    @property
    def parent(self) -> OutlineCode | None:
        """The code one level up, or None at the top."""
        return OutlineCode(self.parts[:-1]) if self.depth > 1 else None

    @property
    def ancestors(self) -> tuple[OutlineCode, ...]:
        """Every code above it, outermost first; empty at the top."""
        return tuple(OutlineCode(self.parts[:end]) for end in range(1, self.depth))

    def child(self, number: int) -> OutlineCode:
        """Give the code of its ``number``-th child, counted from 1.

        Raises:
            InvalidValue: The number is below 1.
        """
        if number < 1:
            raise InvalidValue(f"{number} is not a child's number: children are counted from 1.")
        return OutlineCode((*self.parts, number))

    def is_descendant_of(self, other: OutlineCode) -> bool:
        """Tell whether it stands anywhere below ``other``; no code is its own descendant."""
        return self.depth > other.depth and self.parts[: other.depth] == other.parts

    def is_sibling_of(self, other: OutlineCode) -> bool:
        """Tell whether both have one parent; no code is its own sibling."""
        return self != other and self.parts[:-1] == other.parts[:-1]

    def relation_to(self, other: OutlineCode) -> Relation:
        """Tell what it is to ``other``: its ancestor, descendant, sibling, the same place, or none of these.

        >>> OutlineCode.parse("1.2").relation_to(OutlineCode.parse("1.2.7"))
        <Relation.ANCESTOR: 'ancestor'>
        """
        if self == other:
            return Relation.SAME
        if other.is_descendant_of(self):
            return Relation.ANCESTOR
        if self.is_descendant_of(other):
            return Relation.DESCENDANT
        return Relation.SIBLING if self.is_sibling_of(other) else Relation.NONE


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
class DocumentTree(Result):
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
                f"{self.document.title!r} has no chunk {wanted}: `evolore outline tree {self.document.id}` shows its outline."
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
class Place(Result):
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
