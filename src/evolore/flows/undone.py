"""Taking a change back inside a transaction where nothing depends on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.errors import InputError

if TYPE_CHECKING:
    from datetime import datetime

    from evolore.ports import StoreWriter


def undo_if_possible(writer: StoreWriter, event_id: str, *, at: datetime) -> bool:
    """Undo an event exactly; False, and nothing is written, where later changes depend on it or something was erased."""
    try:
        writer.undo(event_id, at=at)
    except InputError:
        return False
    return True
