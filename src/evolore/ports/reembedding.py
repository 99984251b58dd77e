"""How a store changes its embedding model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from evolore.ports.records import ModelChange, NewVector, TextAt, TextPlace


class Reembedding(Protocol):
    """A store on its way to another embedding model; recall and writes go on with the old one until the switch."""

    def state(self) -> ModelChange:
        """Say how far it is.

        Raises:
            EmbedderMismatch: A change to another model has begun, or the store's has the same id and another dimension.
        """
        ...

    def refuse_full_disk(self) -> None:
        """Refuse what the disk has no room for: the vectors that are missing, and the old ones' removal.

        Raises:
            StoreFailed: It has less free.
        """
        ...

    def begin(self) -> None:
        """Note in the store that the change has begun, if nobody has.

        Raises:
            EmbedderMismatch: As ``state`` says.
        """
        ...

    def texts(self, *, after: TextPlace | None) -> tuple[TextAt, ...]:
        """Give the next texts that lack a vector of the new model, in the order of their places; none at the end."""
        ...

    def put(self, made: Mapping[TextPlace, NewVector]) -> bool:
        """Write vectors of texts that are still there; False when the store has the new model already.

        Raises:
            StoreBusy: Another process gave the change up.
        """
        ...

    def switch(self, *, at: datetime, principal: str | None) -> Mapping[str, str] | None:
        """Make the new model the store's, unless a text still lacks a vector of it.

        Returns:
            The events that say so, by namespace; none when another process was faster. None where a text lacks a
            vector, and nothing was changed.

        Raises:
            StoreBusy: Another process gave the change up.
        """
        ...

    def clean(self) -> tuple[int, tuple[str, ...]]:
        """Delete what is left of other models, and give its space back.

        Returns:
            How many vectors were deleted, and the files that still hold their bytes.
        """
        ...
