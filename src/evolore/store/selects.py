"""The reads that several places need, as SQL."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Select, and_, func, or_, select

from evolore.domain.episodes import EpisodeKind, EpisodeState
from evolore.store.attributes import labels_column
from evolore.store.prepared import among
from evolore.store.tables import chunks, documents, episodes, index_log, payloads, vectors, versions
from evolore.text.questions import ENDING_CHARACTERS

if TYPE_CHECKING:
    from sqlalchemy import FromClause, Table

Number = int | ColumnElement[int]  # a namespace's, or the parameter that gives it
AnySelect = Select[*tuple[Any, ...]]  # a row's columns are read by name in rows.py, where each gets its type


def joined(left: Table, right: Table, on: ColumnElement[bool]) -> ColumnElement[bool]:
    """Join two tables inside one namespace."""
    return and_(left.c.ns == right.c.ns, on)


def visible_episode() -> ColumnElement[bool]:
    """Tell of an episode, joined with its document if any, whether it is a statement or came with a visible version."""
    return or_(episodes.c.version.is_(None), episodes.c.version <= documents.c.version)


def standing(table: FromClause = episodes) -> ColumnElement[bool]:
    """Tell of an episode whether it stands for itself now."""
    return and_(table.c.stands_until.is_(None), table.c.state != EpisodeState.REVOKED.value)


def select_documents(ns: Number) -> AnySelect:
    """Select documents at their present version with the counts of their chunks, oldest first."""
    present = joined(
        documents,
        versions,
        and_(versions.c.document_id == documents.c.id, versions.c.number == documents.c.version),
    )
    return (
        select(
            documents.c.id,
            documents.c.source,
            documents.c.version,
            documents.c.source_sha256,
            versions.c.title,
            versions.c.media_type,
            versions.c.language,
            versions.c.characters,
            versions.c.content_sha256,
            versions.c.recorded_at,
            versions.c.chunk_count,
            versions.c.episode_count,
            labels_column(ns, documents.c.id).label("labels"),
        )
        .join_from(documents, versions, present)
        .where(documents.c.ns == ns)
        .order_by(documents.c.id)
    )


def select_chunks(ns: int, document_id: str) -> AnySelect:
    """Select the chunks of a document's present version, in outline order."""
    return (
        select(chunks)
        .join_from(
            chunks,
            documents,
            joined(
                chunks,
                documents,
                and_(chunks.c.document_id == documents.c.id, chunks.c.version == documents.c.version),
            ),
        )
        .where(chunks.c.ns == ns, chunks.c.document_id == document_id)
        .order_by(chunks.c.ordinal)
    )


def select_leaf_texts(ns: int, document_id: str) -> AnySelect:
    """Select the leaves' texts of a document's present version, in text order."""
    return (
        select_chunks(ns, document_id)
        .join(episodes, joined(chunks, episodes, episodes.c.id == chunks.c.episode_id))
        .join(payloads, joined(episodes, payloads, payloads.c.id == episodes.c.payload_id))
        .with_only_columns(payloads.c.text)
    )


@lru_cache(maxsize=1024)
def select_episodes(ns: Number) -> AnySelect:
    """Select episodes with their texts and, for leaves of a present version, their documents and places."""
    at_present = and_(
        chunks.c.episode_id == episodes.c.id,
        chunks.c.document_id == documents.c.id,
        chunks.c.version == documents.c.version,
    )
    version = and_(versions.c.document_id == documents.c.id, versions.c.number == documents.c.version)
    return (
        select(
            episodes,
            payloads.c.text,
            documents.c.source,
            versions.c.title,
            chunks.c.outline,
            chunks.c.start,
            chunks.c.end,
            chunks.c.heading_path,
            labels_column(ns, func.coalesce(episodes.c.document_id, episodes.c.id)).label("labels"),
        )
        .join_from(episodes, payloads, joined(episodes, payloads, payloads.c.id == episodes.c.payload_id))
        .outerjoin(documents, joined(episodes, documents, documents.c.id == episodes.c.document_id))
        .outerjoin(versions, joined(documents, versions, version))
        .outerjoin(chunks, joined(documents, chunks, at_present))
        .where(episodes.c.ns == ns, visible_episode())
    )


def select_named_episodes(ns: Number) -> AnySelect:
    """Select the episodes that the parameter ``ids`` lists."""
    return select_episodes(ns).where(episodes.c.id.in_(among("ids")))


def select_statements(ns: int) -> AnySelect:
    """Select the statements that stand, newest first."""
    return (
        select_episodes(ns)
        .where(episodes.c.kind == EpisodeKind.STATEMENT.value, standing())
        .order_by(episodes.c.id.desc())
    )


def select_log(ns: Number, *, after: Number, model_id: str | ColumnElement[str]) -> AnySelect:
    """Select what entered or left the indexes after log number ``after``, each episode's last entry only.

    An episode that left has no payload.
    """
    last = (
        select(index_log.c.episode_id, func.max(index_log.c.seq).label("seq"))
        .where(index_log.c.ns == ns, index_log.c.seq > after)
        .group_by(index_log.c.episode_id)
        .subquery()
    )
    entry = and_(index_log.c.ns == ns, index_log.c.seq == last.c.seq)
    episode = and_(episodes.c.ns == ns, episodes.c.id == index_log.c.episode_id, index_log.c.present)
    vector = and_(vectors.c.payload_id == payloads.c.id, vectors.c.model_id == model_id)
    return (
        select(
            index_log.c.episode_id,
            episodes.c.document_id,
            episodes.c.session,
            episodes.c.position,
            episodes.c.speaker,
            episodes.c.occurred_at,
            episodes.c.occurred_offset_minutes,
            episodes.c.recorded_at,
            episodes.c.state,
            episodes.c.stands_until,
            episodes.c.valid_to,
            episodes.c.about_subject,
            episodes.c.about_attribute,
            episodes.c.arousal,
            episodes.c.made_by,
            payloads.c.id.label("payload_id"),
            payloads.c.tokens,
            payloads.c.names,
            payloads.c.periods,
            func.substr(payloads.c.text, -ENDING_CHARACTERS).label("ending"),
            vectors.c.data,
            vectors.c.arousal.label("estimate"),
        )
        .join_from(last, index_log, entry)
        .outerjoin(episodes, episode)
        .outerjoin(payloads, joined(episodes, payloads, payloads.c.id == episodes.c.payload_id))
        .outerjoin(vectors, joined(payloads, vectors, vector))
        .order_by(index_log.c.seq)
    )
