"""Where the time comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import datetime


class Clock(Protocol):
    """Where the time comes from."""

    def now(self) -> datetime:
        """Give the present as an aware UTC datetime."""
        ...
