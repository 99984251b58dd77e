"""``export_subject``: all that is one person's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.checks import check_name
from evolore.domain.person import SubjectExport
from evolore.errors import InvalidValue

if TYPE_CHECKING:
    from evolore.flows.context import Context


def export_subject(context: Context, *, speaker: str | None, principal: str | None) -> SubjectExport:
    """Return all that is a speaker's or a principal's, by kind and then time.

    Raises:
        InvalidValue: Neither is named or both are, or a name is blank.
    """
    check_name(speaker, "speaker")
    check_name(principal, "principal")
    if (speaker is None) == (principal is None):
        raise InvalidValue("Name one person whose things are wanted: a speaker or a principal.")
    with context.store.read(context.namespace) as reader:
        records = reader.records_of(speaker=speaker, principal=principal)
    return SubjectExport(speaker=speaker, principal=principal, records=records)
