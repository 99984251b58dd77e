"""``memory.pages``: questions that are kept answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore import flows
from evolore.memory.binding import Bound

if TYPE_CHECKING:
    from evolore.domain.standing_page import StandingPage
    from evolore.ports import Receipt


class StandingPages:
    """Questions that a memory keeps answered, each by a page of quotes.

    A page is built when it is read: what is forgotten is on none. Only its question is kept, what it rested on when it
    was rebuilt, and what a chat model wrote then.

    Args:
        bound: The memory's ports and namespace.
    """

    def __init__(self, bound: Bound) -> None:
        self._bound = bound

    def add(self, question: str, *, principal: str | None = None) -> StandingPage:
        """Keep a question answered; the same question again is the same page.

        Args:
            question: What is asked, 1 to 10,000 characters.
            principal: On whose behalf; it is kept in the event.

        Raises:
            InvalidValue: The question is blank or too long, or holds a secret that the settings refuse.
        """
        return flows.standing_pages.add(self._bound.acting(principal), question)

    def list(self) -> tuple[StandingPage, ...]:
        """List the pages as they are now, the oldest first."""
        return flows.standing_pages.pages(self._bound.context)

    def show(self, page_id: str) -> StandingPage:
        """Show a page as it is now, quoted; what a chat model wrote is shown as long as nothing it rests on has changed.

        Raises:
            NotFound: No page has the id.
            AmbiguousId: It begins several ids.
        """
        return flows.standing_pages.show(self._bound.context, page_id)

    def rebuild(self, page_id: str, *, principal: str | None = None) -> StandingPage:
        """Rebuild a page: it is no longer stale, and a chat model, where there is one, writes its answer anew.

        Args:
            page_id: Its id, or the beginning of it.
            principal: On whose behalf; it is kept in the event.

        Raises:
            NotFound: No page has the id.
            AmbiguousId: It begins several ids.
        """
        return flows.standing_pages.rebuild(self._bound.acting(principal), page_id)

    def remove(self, page_id: str, *, principal: str | None = None) -> Receipt:
        """Erase a page; what it quotes stays.

        Args:
            page_id: Its id, or the beginning of it.
            principal: On whose behalf; it is kept in the event.

        Raises:
            NotFound: No page has the id.
            AmbiguousId: It begins several ids.
        """
        return flows.standing_pages.remove(self._bound.acting(principal), page_id)
