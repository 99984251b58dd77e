"""One effect of a rating is taken back where later ones rest on it, so that it cannot be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.steps import TAKEN_BACK
from evolore.store.arousal import tell
from evolore.store.change_sets import ChangeSet
from evolore.store.changes import write_fields
from evolore.store.event_kinds import EventKind
from evolore.store.history import find
from evolore.store.replaying import TAUGHT, as_if_not

if TYPE_CHECKING:
    from evolore.store.batch import Batch


def take_back(batch: Batch, event_id: str) -> str | None:
    """Give confidence or arousal the value it would have had an event never moved it; give the event that says so.

    Returns:
        None where no such event is there, or nothing of what it moved.
    """
    event = find(batch.connection, batch.ns, event_id)
    fields = as_if_not(batch, event) if event is not None and event.kind in TAUGHT else ()
    if event is None or not fields:
        return None
    why = {"reason": TAKEN_BACK, "takes_back": event.id}
    write_fields(batch, fields)
    if event.kind == EventKind.AROUSAL_CHANGED.value:
        return tell(batch, EventKind.AROUSAL_CHANGED, fields, why)
    new_id = batch.new_id()
    batch.append_event(
        new_id, EventKind.CONFIDENCE_CHANGED, event.subject_id, {**why, **ChangeSet(fields=fields).body()}
    )
    return new_id
