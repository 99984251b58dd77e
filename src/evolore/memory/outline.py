"""``memory.outline``: documents' outlines, and what is joined to an episode."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from evolore import flows
from evolore.domain.document import DocumentTree, Place
from evolore.domain.episode import EdgeKind, Episode
from evolore.domain.outline import OutlineCode
from evolore.domain.times import Moment, read_moment
from evolore.flows.browse import DocumentVersion
from evolore.memory.binding import Noun

if TYPE_CHECKING:
    from evolore.domain.graph import Neighbourhood


class Outline(Noun):
    """The places of passages in their documents, and of episodes among their like."""

    def tree(self, document: str, *, with_text: bool = False, as_of: Moment | None = None) -> DocumentTree:
        """Return the outline of a document, named by its id, the beginning of it, its source or its file's path.

        Args:
            document: Which.
            with_text: Whether to return its whole text with it.
            as_of: The moment, a time with a zone or a text in ISO 8601, whose version is wanted; by default the present one.

        Raises:
            NotFound: It names no document, or one that was not there at that moment.
            AmbiguousId: It begins several ids.
            InvalidValue: It is no moment, or has no zone.
        """
        return flows.browse.tree(self._bound.context, document, with_text=with_text, as_of=read_moment(as_of, "as_of"))

    def versions(self, document: str, *, limit: int = 20) -> tuple[DocumentVersion, ...]:
        """List the versions of a document, the newest first, each with what it changed of the one before.

        Args:
            document: Which, by id, source or path.
            limit: How many at most.

        Raises:
            NotFound: It names no document.
            AmbiguousId: It begins several ids.
            InvalidValue: ``limit`` is below 1.
        """
        return flows.browse.document_versions(self._bound.context, document, limit=limit)

    def place(self, item_id: str) -> Place:
        """Return where a passage is in its document: its node, parent, ancestors, siblings and children.

        Args:
            item_id: The id of a passage, as a hit's episode has it, or the beginning of one.

        Raises:
            NotFound: It names nothing, a statement, or a passage of an earlier version.
            AmbiguousId: It begins several ids.
        """
        return flows.browse.place(self._bound.context, item_id)

    def chunk_text(self, document_id: str, outline: OutlineCode) -> str:
        """Return the text of one chunk, inner ones joined from their leaves.

        Raises:
            NotFound: There is no such chunk.
        """
        return flows.browse.chunk_text(self._bound.context, document_id, outline)

    def conversation(self, session: str, *, limit: int | None = None) -> tuple[Episode, ...]:
        """Return the statements of a conversation as they were said, in their order, also those replaced since.

        Args:
            session: Its name; an unknown one has no statements.
            limit: How many at most, the last ones; None for all.

        Raises:
            InvalidValue: ``limit`` is below 1.
        """
        return flows.browse.conversation(self._bound.context, session, limit=limit)

    def members(self, episode_id: str) -> tuple[Episode, ...]:
        """Return the statements that an episode was made of, oldest first; none for one that was only said.

        Args:
            episode_id: Its id, or the beginning of it.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
        """
        return flows.browse.members(self._bound.context, episode_id)

    def standing_for(self, episode_id: str) -> tuple[str, ...]:
        """Return the ids of the episodes that represent one now: its own, or those it was merged or split into.

        Args:
            episode_id: Its id, or the beginning of it.

        Returns:
            None for one that was taken back, and for a document.

        Raises:
            NotFound: It names nothing.
            AmbiguousId: It begins several ids.
        """
        return flows.browse.standing_for(self._bound.context, episode_id)

    def graph(
        self,
        item_id: str,
        *,
        depth: int = 1,
        limit: int = 60,
        as_of: Moment | None = None,
        kinds: Iterable[EdgeKind | str] | None = None,
    ) -> Neighbourhood:
        """Return the surroundings of an episode: its neighbours, what joins them, and the contexts they fall into.

        Args:
            item_id: The id of a statement or passage, or the beginning of one.
            depth: How many edges to follow, 1–3.
            limit: How many episodes to return at most, including the one asked for, 1–200.
            as_of: The moment to show, with its states; a time with a zone or a text in ISO 8601; None for now.
            kinds: Which edges to follow, such as ``{"semantic"}``; None for all.

        Returns:
            The episode and its neighbours: the nearest first, and of those the most strongly joined.

        Raises:
            NotFound: It names nothing, a document, or what was not there yet at ``as_of``.
            AmbiguousId: It begins several ids.
            InvalidValue: ``depth``, ``limit``, ``as_of`` or ``kinds`` is out of range.
        """
        return flows.graph.neighbourhood(
            self._bound.context, item_id, depth=depth, limit=limit, as_of=read_moment(as_of, "as_of"), kinds=kinds
        )
