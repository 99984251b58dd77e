"""Where rows are read: one namespace, at one moment or inside one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Place(Protocol):
    """One namespace that is read; a ``Batch`` is one too."""

    @property
    def connection(self) -> Connection:
        """The open transaction or snapshot."""
        ...

    @property
    def ns(self) -> int:
        """The namespace's number."""
        ...

    @property
    def model_id(self) -> str:
        """The store's embedding model."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One namespace at one moment, of which nothing is written.

    Args:
        connection: The open snapshot.
        ns: The namespace's number.
        model_id: The store's embedding model.
    """

    connection: Connection
    ns: int
    model_id: str
