"""Protocol of what recall reads beside the indexes: one namespace at the moment that they are of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from evolore.domain.document import Chunk, Document, Span
from evolore.domain.episode import Edge, EdgeKind, Episode
from evolore.domain.filters import Filter
from evolore.domain.outline import OutlineCode


class RecallReader(Protocol):
    """Returns texts and their places; a reader of the store is one."""

    def episodes(self, ids: Sequence[str]) -> tuple[Episode, ...]:
        """Return these episodes in the order asked; ids that name none are left out."""
        ...

    def members(self, ids: Sequence[str]) -> Mapping[str, tuple[Episode, ...]]:
        """Return the source statements that each of these represents beside itself, oldest first."""
        ...

    def member_ids(self, ids: Collection[str]) -> Mapping[str, Sequence[str]]:
        """Return the ids of what each of these represents beside itself; those with nothing are left out."""
        ...

    def standing_for(self, ids: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the episodes that represent each of these now: itself alone where it represents itself."""
        ...

    def edges_around(self, ids: Sequence[str], *, kinds: Collection[EdgeKind] | None = None) -> tuple[Edge, ...]:
        """Return the edges of some kinds that begin or end at one of these episodes and join what represents itself."""
        ...

    def matching(self, wanted: Filter) -> frozenset[str]:
        """Return the episodes that have the names, metadata and tags a filter asks for; times are ignored."""
        ...

    def document(self, document_id: str) -> Document | None:
        """Return a document at its present version."""
        ...

    def chunks_at(self, document_id: str, codes: Sequence[OutlineCode]) -> tuple[Chunk, ...]:
        """Return the chunks of a document at these codes, in outline order; codes without one are left out."""
        ...

    def passage(self, document_id: str, span: Span) -> tuple[tuple[str, ...], str]:
        """Return the leaf episodes that lie in a span of a document, in text order, and their texts joined."""
        ...

    def depths(self, ids: Sequence[str]) -> Mapping[str, int]:
        """Return how deep these episodes are in their documents; those that are in none are left out."""
        ...
