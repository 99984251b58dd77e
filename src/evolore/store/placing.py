"""Where in a document's outline its episodes stand, as SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, or_, select

from evolore.store.selects import joined
from evolore.store.tables import chunks, documents, episodes, versions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Select

    from evolore.domain.outline import OutlineCode


def stands_at(passages: Select[str], code: OutlineCode) -> Select[str]:
    """Narrow a select of episodes joined with their documents to those at or below a code of the present version."""
    return passages.join(chunks, joined(documents, chunks, _is_leaf())).where(_at_or_below(code))


def with_headings(passages: Select[str]) -> Select[str, str, str]:
    """Add to a select of episodes joined with their documents the title and headings (JSON) that each stands below at present."""
    present = and_(versions.c.document_id == documents.c.id, versions.c.number == documents.c.version)
    return (
        passages.join(chunks, joined(documents, chunks, _is_leaf()))
        .join(versions, joined(documents, versions, present))
        .add_columns(versions.c.title, chunks.c.heading_path)
    )


def select_outlines(ns: int, ids: Sequence[str]) -> Select[str, str]:
    """Select the codes of those of these episodes that are leaves of a present version."""
    present = and_(chunks.c.document_id == documents.c.id, chunks.c.version == documents.c.version)
    return (
        select(chunks.c.episode_id, chunks.c.outline)
        .join_from(chunks, documents, joined(chunks, documents, present))
        .where(chunks.c.ns == ns, chunks.c.episode_id.in_(ids))
    )


def _at_or_below(code: OutlineCode) -> ColumnElement[bool]:
    written = str(code)
    after = written + chr(ord(".") + 1)
    return or_(chunks.c.outline == written, and_(chunks.c.outline >= f"{written}.", chunks.c.outline < after))


def _is_leaf() -> ColumnElement[bool]:
    return and_(
        chunks.c.episode_id == episodes.c.id,
        chunks.c.document_id == documents.c.id,
        chunks.c.version == documents.c.version,
    )
