"""What it is that rows should not be there, or refer to what is lost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import exists

from evolore.store.selects import joined

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Table

    from evolore.domain.health import FindingKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Rows that should not be there, or refer to what is lost.

    Args:
        kind: What kind of thing is wrong.
        table: Where the rows lie.
        label: What they are named by.
        condition: Which rows they are.
        reason: What is wrong with them.
        can_be_deleted: Whether repairing deletes them.
    """

    kind: FindingKind
    table: Table
    label: ColumnElement[str]
    condition: ColumnElement[bool]
    reason: str
    can_be_deleted: bool = True


def without(table: Table, other: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    """Say of a table's rows that another has none for them."""
    return ~exists().where(joined(table, other, on)).correlate(table)


def having(table: Table, other: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    """Say of a table's rows that another has some for them."""
    return exists().where(joined(table, other, on)).correlate(table)
