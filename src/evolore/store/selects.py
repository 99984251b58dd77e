"""The reads that several places need, places in outlines, and filters, as SQL."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Select, Table, and_, func, literal_column, or_, select
from sqlalchemy import ColumnElement as Sql

from evolore.domain.episode import EpisodeKind, EpisodeState
from evolore.domain.filters import Filter
from evolore.domain.outline import OutlineCode
from evolore.store.forms import timestamp
from evolore.store.rows import labels_column, select_owners
from evolore.store.sql import Ending, among
from evolore.store.tables import (
    attributes,
    chunks,
    documents,
    episodes,
    index_log,
    payloads,
    promotion_documents,
    promotions,
    queries,
    query_edges,
    query_texts,
    vectors,
    versions,
)
from evolore.text.question_words import ENDING_CHARACTERS

Number = int | ColumnElement[int]  # a namespace's, or the parameter that holds it
AnySelect = Select[*tuple[Any, ...]]  # a row's columns are read by name in rows.py, where each gets its type


def joined(left: Table, right: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    """Join two tables inside one namespace."""
    return and_(left.c.ns == right.c.ns, on)


_IN_PRESENT_VERSION = and_(chunks.c.document_id == documents.c.id, chunks.c.version == documents.c.version)
TEXT_OF_EPISODE = joined(episodes, payloads, payloads.c.id == episodes.c.payload_id)
EPISODE_OF_TEXT = joined(payloads, episodes, episodes.c.id == payloads.c.episode_id)
EPISODE_OF_CHUNK = joined(chunks, episodes, episodes.c.id == chunks.c.episode_id)
DOCUMENT_OF_EPISODE = joined(episodes, documents, documents.c.id == episodes.c.document_id)
PRESENT_CHUNK = joined(chunks, documents, _IN_PRESENT_VERSION)
PRESENT_LEAF = joined(documents, chunks, and_(chunks.c.episode_id == episodes.c.id, _IN_PRESENT_VERSION))
PRESENT_VERSION = joined(
    documents, versions, and_(versions.c.document_id == documents.c.id, versions.c.number == documents.c.version)
)
HANDED_EPISODE = joined(query_edges, episodes, episodes.c.id == query_edges.c.target_id)
TEXT_OF_QUERY = joined(queries, query_texts, query_texts.c.query_id == queries.c.id)
DOCUMENT_OF_PROMOTION = joined(promotions, promotion_documents, promotion_documents.c.promotion_id == promotions.c.id)


def visible_episode() -> ColumnElement[bool]:
    """Return of an episode, joined with its document if any, whether it is a statement or came with a visible version."""
    return or_(episodes.c.version.is_(None), episodes.c.version <= documents.c.version)


def standing(table: FromClause = episodes) -> ColumnElement[bool]:
    """Return of an episode whether it represents itself now."""
    return and_(table.c.stands_until.is_(None), table.c.state != EpisodeState.REVOKED.value)


class DocumentOrder(StrEnum):
    """What documents are listed by: oldest first, changed last first, by title, or longest first."""

    ADDED = "added"
    CHANGED = "changed"
    TITLE = "title"
    CHARACTERS = "characters"


_ORDERS: Mapping[DocumentOrder, tuple[Sql[Any], ...]] = {
    DocumentOrder.ADDED: (),
    DocumentOrder.CHANGED: (versions.c.recorded_at.desc(),),
    DocumentOrder.TITLE: (func.lower(versions.c.title),),
    DocumentOrder.CHARACTERS: (versions.c.characters.desc(),),
}


def select_documents(ns: Number, order: DocumentOrder = DocumentOrder.ADDED) -> AnySelect:
    """Select documents at their present version with the counts of their chunks, in an order."""
    of_version = ("title", "media_type", "language", "characters", "content_sha256", "recorded_at")
    query = select(
        *documents.c["id", "source", "version", "source_sha256", "is_file"],
        *versions.c[*of_version, "chunk_count", "episode_count"],
        labels_column(ns, documents.c.id).label("labels"),
    )
    query = query.join_from(documents, versions, PRESENT_VERSION).where(documents.c.ns == ns)
    return query.order_by(*_ORDERS[order], documents.c.id)


def select_versions(ns: int, document_id: str, *columns: ColumnElement[Any]) -> AnySelect:
    """Select columns of the versions of a document that are or were visible."""
    of_document = joined(versions, documents, documents.c.id == versions.c.document_id)
    here = (versions.c.ns == ns, versions.c.document_id == document_id, versions.c.number <= documents.c.version)
    return select(*columns).join_from(versions, documents, of_document).where(*here)


def select_chunks(ns: int, document_id: str) -> AnySelect:
    """Select the chunks of a document's present version, in outline order."""
    query = select(chunks).join_from(chunks, documents, PRESENT_CHUNK)
    return query.where(chunks.c.ns == ns, chunks.c.document_id == document_id).order_by(chunks.c.ordinal)


def select_leaf_texts(ns: int, document_id: str) -> AnySelect:
    """Select the leaves' texts of a document's present version, in text order."""
    query = select_chunks(ns, document_id).join(episodes, EPISODE_OF_CHUNK).join(payloads, TEXT_OF_EPISODE)
    return query.with_only_columns(payloads.c.text)


@lru_cache(maxsize=1024)
def select_episodes(ns: Number) -> AnySelect:
    """Select episodes with their texts and, for leaves of a present version, their documents and places."""
    labels = labels_column(ns, func.coalesce(episodes.c.document_id, episodes.c.id)).label("labels")
    of_chunk = chunks.c["outline", "start", "end", "heading_path"]
    query = select(episodes, payloads.c.text, documents.c.source, versions.c.title, *of_chunk, labels)
    query = query.join_from(episodes, payloads, TEXT_OF_EPISODE).outerjoin(documents, DOCUMENT_OF_EPISODE)
    query = query.outerjoin(versions, PRESENT_VERSION).outerjoin(chunks, PRESENT_LEAF)
    return query.where(episodes.c.ns == ns, visible_episode())


def select_named_episodes(ns: Number) -> AnySelect:
    """Select the episodes that the parameter ``ids`` lists."""
    return select_episodes(ns).where(episodes.c.id.in_(among("ids")))


def select_statements(ns: int) -> AnySelect:
    """Select the visible statements, newest first."""
    query = select_episodes(ns).where(episodes.c.kind == EpisodeKind.STATEMENT.value, standing())
    return query.order_by(episodes.c.id.desc())


def select_log(ns: Number, *, after: Number, model_id: str | ColumnElement[str]) -> AnySelect:
    """Select what entered or left the indexes after log number ``after``, each episode's last entry only.

    An episode that left has no payload.
    """
    last = select(index_log.c.episode_id, func.max(index_log.c.seq).label("seq"))
    last = last.where(index_log.c.ns == ns, index_log.c.seq > after).group_by(index_log.c.episode_id).subquery()
    entry = and_(index_log.c.ns == ns, index_log.c.seq == last.c.seq)
    episode = and_(episodes.c.ns == ns, episodes.c.id == index_log.c.episode_id, index_log.c.present)
    vector = and_(vectors.c.payload_id == payloads.c.id, vectors.c.model_id == model_id)
    query = select(
        index_log.c.episode_id,
        *episodes.c["document_id", "session", "position", "speaker", "occurred_at", "occurred_offset_minutes"],
        *episodes.c["recorded_at", "state", "language", "stands_until", "valid_to", "about_subject", "about_attribute"],
        *episodes.c["arousal", "made_by"],
        payloads.c.id.label("payload_id"),
        *payloads.c["tokens", "names", "periods"],
        Ending(payloads.c.text, literal_column(str(ENDING_CHARACTERS))).label("ending"),
        vectors.c.data,
        vectors.c.arousal.label("estimate"),
    )
    query = query.join_from(last, index_log, entry).outerjoin(episodes, episode).outerjoin(payloads, TEXT_OF_EPISODE)
    return query.outerjoin(vectors, joined(payloads, vectors, vector)).order_by(index_log.c.seq)


def with_headings(passages: Select[str]) -> Select[str, str, str]:
    """Add to a select of episodes joined with documents the title and headings (JSON) each is below now."""
    return (
        passages.join(chunks, PRESENT_LEAF)
        .join(versions, PRESENT_VERSION)
        .add_columns(versions.c.title, chunks.c.heading_path)
    )


def select_outlines(ns: int) -> Select[str, str]:
    """Select the codes of those of the episodes that the parameter ``ids`` lists which are leaves of a present version."""
    query = select(chunks.c.episode_id, chunks.c.outline).join_from(chunks, documents, PRESENT_CHUNK)
    return query.where(chunks.c.ns == ns, chunks.c.episode_id.in_(among("ids")))


def _at_or_below(code: OutlineCode) -> ColumnElement[bool]:
    written = str(code)
    after = written + chr(ord(".") + 1)
    return or_(chunks.c.outline == written, and_(chunks.c.outline >= f"{written}.", chunks.c.outline < after))


def select_matching(ns: int, wanted: Filter) -> list[Select[str]]:
    """Select what matches a filter but for its headings and times; see ``StoreReader.matching``.

    Several selects, each with its index, whose results belong together; one with OR would walk the namespace.
    """
    found: list[Select[str]] = []
    if wanted.source is None and wanted.path is None:
        is_by_labels = wanted.session is None and wanted.speaker is None
        found.append(select_labelled(ns, wanted) if is_by_labels else _statements(ns, wanted))
    if wanted.session is None and wanted.speaker is None:
        passages = select(episodes.c.id).join_from(documents, episodes, DOCUMENT_OF_EPISODE)
        passages = passages.where(documents.c.ns == ns, visible_episode(), *_has_labels(ns, documents.c.id, wanted))
        if isinstance(wanted.path, OutlineCode):
            passages = passages.join(chunks, PRESENT_LEAF).where(_at_or_below(wanted.path))
        found.append(passages if wanted.source is None else passages.where(_lies_at(wanted.source)))
    return found


def select_matching_statements(ns: int, wanted: Filter) -> Select[str]:
    """Select the statements that were remembered and match a filter, its times included."""
    when = func.coalesce(episodes.c.occurred_at, episodes.c.recorded_at)
    remembered = (episodes.c.document_id.is_(None), episodes.c.made_by.is_(None))
    return _statements(ns, wanted).where(*remembered, *_within(when, wanted))


def select_matching_documents(ns: int, wanted: Filter) -> Select[str]:
    """Select the documents that match a filter by metadata and tags, their present version recorded within its times."""
    return (
        select(documents.c.id)
        .join_from(documents, versions, PRESENT_VERSION)
        .where(documents.c.ns == ns, *_has_labels(ns, documents.c.id, wanted), *_within(versions.c.recorded_at, wanted))
    )


def _statements(ns: int, wanted: Filter) -> Select[str]:
    # No word of the kind: passages have no session, no speaker and no labels under their own id.
    found = select(episodes.c.id).where(episodes.c.ns == ns, *_has_labels(ns, episodes.c.id, wanted))
    if wanted.session is not None:
        found = found.where(episodes.c.session == wanted.session)
    return found if wanted.speaker is None else found.where(episodes.c.speaker == wanted.speaker)


def select_labelled(ns: int, wanted: Filter) -> Select[str]:
    """Select who has labels without asking for the rows, which takes two thirds of the time; documents are among them."""
    first, *others = select_owners(ns, metadata=wanted.where, tags=wanted.tags)
    return first.where(*(attributes.c.owner_id.in_(owners) for owners in others))


def _has_labels(ns: int, owner_id: ColumnElement[str], wanted: Filter) -> list[Sql[bool]]:
    return [owner_id.in_(owners) for owners in select_owners(ns, metadata=wanted.where, tags=wanted.tags)]


def _lies_at(source: str) -> Sql[bool]:
    """Return whether a document is this source, or lies in it as a folder; written so that an index can answer."""
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
