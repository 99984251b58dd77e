"""``verify``: record that a document is current, and until when."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from evolore.domain.checks import check_name
from evolore.domain.metadata import Labels
from evolore.domain.times import read_moment
from evolore.domain.upkeep import Upkeep
from evolore.errors import InvalidValue, StoreBusy
from evolore.flows.browse import document_named

if TYPE_CHECKING:
    from evolore.domain.document import Document
    from evolore.flows.context import Context


def verify(context: Context, name: str, *, by: str | None = None, verify_by: date | str | None = None) -> Document:
    """Record in a document's metadata that it was verified today; its text and version stay.

    Args:
        context: The ports; its principal is who verified it if nobody is named.
        name: The document's id, source or path.
        by: Who verified it.
        verify_by: The next day by which it is to be verified; by default its day stays.

    Raises:
        NotFound: No document has the id or source.
        AmbiguousId: It begins several ids.
        InvalidValue: The day is none, or is over.
        StoreBusy: The document changed at this moment.
    """
    check_name(by, "by")
    today = context.clock.now().date()
    until = read_moment(verify_by.isoformat() if isinstance(verify_by, date) else verify_by, "verify_by")
    day = None if until is None else until.date()
    if day is not None and day < today:
        raise InvalidValue(f"verify_by is {day.isoformat()}, which is over: name a day that comes.")
    with context.store.write(context.namespace, principal=context.principal) as writer:
        document = document_named(writer, name)
        done = replace(Upkeep(last_verified=today, verified_by=by or context.principal), verify_by=day)
        kept = {name: value for name, value in document.metadata.items() if name != "verified_by"}
        labels = Labels(metadata={**kept, **done.filed()})
        changed = writer.label_document(document, labels, at=context.clock.now())
    if changed is None:
        raise StoreBusy(f"The document {document.source} changed at this moment: try again.")
    return changed
