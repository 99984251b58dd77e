"""Where in a document's outline its episodes stand, as SQL."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import and_, func, or_, select

from evolore.domain.outline import OutlineCode
from evolore.store.selects import joined
from evolore.store.tables import chunks, documents, episodes, versions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import ColumnElement, Select

    from evolore.domain.paths import OutlinePath


def stands_at(passages: Select[str], path: OutlinePath) -> Select[str]:
    """Narrow a select of episodes joined with their documents to those at a place of the present version."""
    leaf = and_(
        chunks.c.episode_id == episodes.c.id,
        chunks.c.document_id == documents.c.id,
        chunks.c.version == documents.c.version,
    )
    placed = passages.join(chunks, joined(documents, chunks, leaf))
    if isinstance(path, OutlineCode):
        return placed.where(_at_or_below(path))
    present = and_(versions.c.document_id == documents.c.id, versions.c.number == documents.c.version)
    return placed.join(versions, joined(documents, versions, present)).where(_below(path))


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


def _below(headings: tuple[str, ...]) -> ColumnElement[bool]:
    """Tell whether these headings follow each other among those above a chunk, written as a JSON array of texts.

    A run of whole texts is found by its characters: inside a text every quote has a backslash before it, so a quote
    after ``[`` or ``, `` begins one.
    """
    run, rest = _inner_json(headings), _inner_json(headings[1:])
    is_titled = versions.c.title == headings[0]
    return or_(
        _begins(chunks.c.heading_path, f"[{run}"),
        func.replace(chunks.c.heading_path, f", {run}", "") != chunks.c.heading_path,
        and_(is_titled, _begins(chunks.c.heading_path, f"[{rest}")) if rest else is_titled,
    )


def _begins(column: ColumnElement[str], beginning: str) -> ColumnElement[bool]:
    return func.substr(column, 1, len(beginning)) == beginning


def _inner_json(texts: tuple[str, ...]) -> str:
    return json.dumps(texts, ensure_ascii=False)[1:-1]
