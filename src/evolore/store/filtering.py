"""Which episodes and documents a filter lets through, found by index."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING

from sqlalchemy import ColumnElement, and_, func, or_, select

from evolore.domain.outline import OutlineCode
from evolore.domain.paths import lies_below
from evolore.store.attributes import select_owners
from evolore.store.placing import stands_at, with_headings
from evolore.store.rows import timestamp
from evolore.store.selects import joined, visible_episode
from evolore.store.tables import attributes, documents, episodes, versions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import ColumnElement as Sql
    from sqlalchemy import Connection, Select

    from evolore.domain.filters import Filter


def find_matching(connection: Connection, ns: int, wanted: Filter) -> frozenset[str]:
    """Find the episodes of all states that have the names, metadata and tags a filter asks for; no time is looked at.

    Ids of documents may be among them.
    """
    queries = select_matching(ns, wanted)
    if isinstance(wanted.path, tuple):
        return frozenset(chain.from_iterable(_below(wanted.path, connection, query) for query in queries))
    # All at once: fetched one by one, many ids take three times as long.
    return frozenset(chain.from_iterable([connection.scalars(query).all() for query in queries]))


def _below(path: tuple[str, ...], connection: Connection, passages: Select[str]) -> Iterator[str]:
    """Give those of some passages that stand below headings: how these are written is no matter of SQL."""
    known: dict[tuple[str, str], bool] = {}
    for id_, title, headings in connection.execute(with_headings(passages)).all():
        if (title, headings) not in known:
            known[title, headings] = lies_below(path, title, json.loads(headings))
        if known[title, headings]:
            yield id_


def select_matching(ns: int, wanted: Filter) -> list[Select[str]]:
    """Select what matches a filter but for its headings and times; see ``find_matching``.

    Several selects, each with its index, whose results belong together; one with OR would walk the namespace.
    """
    found: list[Select[str]] = []
    if wanted.source is None and wanted.path is None:
        is_by_labels = wanted.session is None and wanted.speaker is None
        found.append(_labelled(ns, wanted) if is_by_labels else _statements(ns, wanted))
    if wanted.session is None and wanted.speaker is None:
        came = joined(documents, episodes, episodes.c.document_id == documents.c.id)
        passages = select(episodes.c.id).join_from(documents, episodes, came).where(documents.c.ns == ns)
        passages = passages.where(visible_episode(), *_has_labels(ns, documents.c.id, wanted))
        if isinstance(wanted.path, OutlineCode):
            passages = stands_at(passages, wanted.path)
        found.append(passages if wanted.source is None else passages.where(_lies_at(wanted.source)))
    return found


def select_matching_statements(ns: int, wanted: Filter) -> Select[str]:
    """Select the statements that were remembered and match a filter, its times included."""
    when = func.coalesce(episodes.c.occurred_at, episodes.c.recorded_at)
    remembered = (episodes.c.document_id.is_(None), episodes.c.made_by.is_(None))
    return _statements(ns, wanted).where(*remembered, *_within(when, wanted))


def select_matching_documents(ns: int, wanted: Filter) -> Select[str]:
    """Select the documents that match a filter by metadata and tags, their present version recorded within its times."""
    present = and_(versions.c.document_id == documents.c.id, versions.c.number == documents.c.version)
    return (
        select(documents.c.id)
        .join_from(documents, versions, joined(documents, versions, present))
        .where(
            documents.c.ns == ns,
            *_has_labels(ns, documents.c.id, wanted),
            *_within(versions.c.recorded_at, wanted),
        )
    )


def _statements(ns: int, wanted: Filter) -> Select[str]:
    # No word of the kind: passages have no session, no speaker and no labels under their own id.
    found = select(episodes.c.id).where(episodes.c.ns == ns, *_has_labels(ns, episodes.c.id, wanted))
    if wanted.session is not None:
        found = found.where(episodes.c.session == wanted.session)
    return found if wanted.speaker is None else found.where(episodes.c.speaker == wanted.speaker)


def _labelled(ns: int, wanted: Filter) -> Select[str]:
    """Select who has labels without asking for the rows, which takes two thirds of the time; documents are among them."""
    first, *others = select_owners(ns, metadata=wanted.where, tags=wanted.tags)
    return first.where(*(attributes.c.owner_id.in_(owners) for owners in others))


def _has_labels(ns: int, owner_id: ColumnElement[str], wanted: Filter) -> list[Sql[bool]]:
    return [owner_id.in_(owners) for owners in select_owners(ns, metadata=wanted.where, tags=wanted.tags)]


def _lies_at(source: str) -> Sql[bool]:
    """Tell whether a document is this source, or lies in it as a folder; written so that an index can answer."""
    folder = source.rstrip("/") + "/"
    after = folder[:-1] + chr(ord("/") + 1)
    return or_(documents.c.source == source, and_(documents.c.source >= folder, documents.c.source < after))


def _within(when: ColumnElement[str], wanted: Filter) -> list[Sql[bool]]:
    limits: list[Sql[bool]] = []
    if wanted.since is not None:
        limits.append(when >= timestamp(wanted.since))
    if wanted.until is not None:
        limits.append(when < timestamp(wanted.until))
    return limits
