"""What is asked of a library that searches for better texts, and what it may ask for meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evolore.domain.searching import SearchTrace


class SearchTask(Protocol):
    """What a search may ask for; nothing else of the outside is known to it."""

    @property
    def is_over(self) -> bool:
        """Whether nothing can be asked any more: then the search is to end, and what it is told means nothing."""
        ...

    def score(self, texts: Mapping[str, str], questions: Sequence[str]) -> tuple[SearchTrace, ...]:
        """Say how texts do, in the order of the questions."""
        ...

    def rewrite(self, texts: Mapping[str, str], traces: Sequence[SearchTrace]) -> Mapping[str, str]:
        """Give other texts in place of some, by how they did; none where nothing could be made of it."""
        ...


class TextSearch(Protocol):
    """Searches for texts that do better than those there are."""

    def search(
        self,
        texts: Mapping[str, str],
        questions: Sequence[str],
        task: SearchTask,
        *,
        rounds: int,
        at_once: int,
        seed: int,
    ) -> Sequence[Mapping[str, str]]:
        """Give what was found, the best first, without the texts it began with.

        The same replies of the task to the same seed give the same, in any process.

        Args:
            texts: What to begin with, by name.
            questions: What texts are tried by, at least one.
            task: What may be asked for.
            rounds: How often it may ask for a rewrite at the most, at least 1.
            at_once: On how many of the questions a rewrite is tried first, at least 1.
            seed: What everything drawn is drawn from.
        """
        ...
