"""Named points where a write may be stopped, so that a crash can be tested where it would hurt most.

Nothing in the library listens: only a test's own worker process appends to ``listeners``. No setting and no variable of
the environment can. Without a listener a point costs one look at an empty list.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable


class FaultPoint(StrEnum):
    """Where a write can be stopped, about in the order they are passed."""

    BEGUN = "begun"
    PAYLOADS_WRITTEN = "payloads_written"
    EPISODES_WRITTEN = "episodes_written"
    STAGED = "staged"
    VERSION_VISIBLE = "version_visible"
    STEPS_WRITTEN = "steps_written"
    PROMOTION_WRITTEN = "promotion_written"
    PUBLISHING = "publishing"
    ROWS_ERASED = "rows_erased"
    INDEX_LOGGED = "index_logged"
    EVENTS_APPENDED = "events_appended"
    COMMITTING = "committing"
    COMMITTED = "committed"
    REWRITTEN = "rewritten"
    SCRUBBED = "scrubbed"


listeners: Final[list[Callable[[FaultPoint], None]]] = []
"""What is told of each point that is reached; empty but in a test's worker."""


def reached(point: FaultPoint) -> None:
    """Tell the listeners, if any, that a point is reached."""
    for listen in listeners:
        listen(point)
