"""Read one namespace inside one transaction."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import chain

import sqlalchemy as sa

from evolore.domain.document import Chunk, Document, Span
from evolore.domain.episode import Episode, EpisodeKind
from evolore.domain.filters import Filter, lies_below
from evolore.domain.outline import OutlineCode
from evolore.domain.review import ReviewStatus
from evolore.ports import StoredKeys, StoreStats
from evolore.store import selects
from evolore.store.condensing import CondensingReader
from evolore.store.edges import EdgeReader, count_waiting
from evolore.store.evolution import EvolutionReader, evolution_counts
from evolore.store.exports import ExportReader
from evolore.store.forms import moment, timestamp, to_episode, to_episodes
from evolore.store.history import HistoryReader
from evolore.store.namespaces import MAINTAINED_AT, NamespaceReader
from evolore.store.question_reading import QuestionReader
from evolore.store.review_items import ReviewReader
from evolore.store.rows import to_chunk, to_document
from evolore.store.shadows import is_shadow
from evolore.store.sql import Prepared, among, as_json
from evolore.store.statements import stored_keys
from evolore.store.structure_reading import StructureReader
from evolore.store.subjects import SubjectReader
from evolore.store.tables import (
    answers,
    chunks,
    documents,
    episodes,
    events,
    facts,
    index_log,
    maintenance,
    payloads,
    queries,
    ratings,
    review_items,
    stagings,
    versions,
)
from evolore.store.undo import UndoReader

_DOCUMENTS = selects.select_documents(sa.bindparam("here", type_=sa.Integer))
_OF_SOURCE = Prepared(_DOCUMENTS.where(documents.c.source == sa.bindparam("of")))
_OF_ID = Prepared(_DOCUMENTS.where(documents.c.id == sa.bindparam("of")))

_IS_STATEMENT = episodes.c.kind == EpisodeKind.STATEMENT.value

_OF_CONTENTS = (
    sa.select(versions.c.content_sha256, documents.c.source)
    .join_from(documents, versions, selects.PRESENT_VERSION)
    .where(documents.c.ns == sa.bindparam("here"), ~is_shadow(), versions.c.content_sha256.in_(among("hashes")))
    .order_by(documents.c.source)
)


class StoreReader(
    StructureReader,
    HistoryReader,
    QuestionReader,
    EdgeReader,
    UndoReader,
    EvolutionReader,
    ReviewReader,
    SubjectReader,
    NamespaceReader,
    CondensingReader,
    ExportReader,
):
    """One namespace at one moment."""

    def document_by_source(self, source: str) -> Document | None:
        """Return the document that was read from ``source``, at its present version."""
        return self._one_document(_OF_SOURCE, source)

    def document(self, document_id: str) -> Document | None:
        """Return a document at its present version."""
        return self._one_document(_OF_ID, document_id)

    def documents_with(self, ids: Sequence[str]) -> tuple[Document, ...]:
        """Return documents at their present version, in the order of their ids as named; those not there are left out."""
        query = selects.select_documents(self._ns).where(documents.c.id.in_(among("ids")))
        rows = self._connection.execute(query, {"ids": as_json(ids)}).mappings()
        found = {row["id"]: to_document(row) for row in rows}
        return tuple(found[id_] for id_ in ids if id_ in found)

    def documents(
        self,
        wanted: Filter | None = None,
        *,
        after: str = "",
        limit: int | None = None,
        order: selects.DocumentOrder = selects.DocumentOrder.ADDED,
        skip: int = 0,
    ) -> tuple[Document, ...]:
        """List the documents, oldest first or in another order, without the first few; texts on trial are none."""
        listed = selects.select_documents(self._ns, order).where(~is_shadow(), documents.c.id > after)
        listed = listed.limit(limit).offset(skip or None)
        if wanted is not None and wanted.asks_for_labels:
            listed = listed.where(documents.c.id.in_(selects.select_matching_documents(self._ns, wanted)))
        return tuple(to_document(row) for row in self._connection.execute(listed).mappings())

    def sources_of_contents(self, hashes: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """Return, by the hash of their text, the sources of the documents that say just that, sorted."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for row in self._connection.execute(_OF_CONTENTS, {"here": self._ns, "hashes": as_json(sorted(hashes))}):
            found[row.content_sha256].append(row.source)
        return found

    def sources_ending(self, name: str, *, limit: int) -> tuple[str, ...]:
        """Return sources whose last parts are ``name``, such as a file's name; those of texts on trial are none."""
        is_near = documents.c.source.endswith(f"/{name}", autoescape=True)
        listed = sa.select(documents.c.source).where(documents.c.ns == self._ns, ~is_shadow(), is_near)
        return tuple(self._connection.scalars(listed.order_by(documents.c.source).limit(limit)))

    def document_count(self) -> int:
        """Count the documents; texts on trial are none."""
        return self._count(documents, ~is_shadow())

    def versions(self, document_id: str) -> tuple[tuple[int, datetime, int], ...]:
        """List the versions of a document that are or were visible, newest first: number, time and characters."""
        told = (versions.c.number, versions.c.recorded_at, versions.c.characters)
        listed = selects.select_versions(self._ns, document_id, *told).order_by(versions.c.number.desc())
        return tuple((row.number, moment(row.recorded_at), row.characters) for row in self._connection.execute(listed))

    def outline_at(
        self, document_id: str, at: datetime
    ) -> tuple[Document, tuple[tuple[Chunk, str | None, str], ...]] | None:
        """Return a document as it was at a moment, with its chunks in outline order, each leaf with episode and text.

        Returns:
            None where it was not there yet. An inner chunk has no episode and an empty text.
        """
        last = selects.select_versions(self._ns, document_id, sa.func.max(versions.c.number))
        number: int | None = self._connection.scalar(last.where(versions.c.recorded_at <= timestamp(at)))
        if number is None:
            return None
        this = selects.select_documents(self._ns).where(documents.c.id == document_id)
        present = self._connection.execute(this).mappings().one()
        here = (versions.c.ns == self._ns, versions.c.document_id == document_id, versions.c.number == number)
        then = self._connection.execute(sa.select(versions).where(*here)).mappings().one()
        document = to_document({**present, **then, "id": document_id, "version": number})
        rows = self._connection.execute(
            sa.select(chunks, payloads.c.text)
            .join_from(chunks, episodes, selects.EPISODE_OF_CHUNK, isouter=True)
            .join(payloads, selects.TEXT_OF_EPISODE, isouter=True)
            .where(chunks.c.ns == self._ns, chunks.c.document_id == document_id, chunks.c.version == number)
            .order_by(chunks.c.ordinal)
        ).mappings()
        return document, tuple((to_chunk(row), row["episode_id"], row["text"] or "") for row in rows)

    def chunks(self, document_id: str) -> tuple[tuple[Chunk, str | None], ...]:
        """List a document's chunks in outline order, each leaf with its episode's id."""
        rows = self._connection.execute(selects.select_chunks(self._ns, document_id)).mappings()
        return tuple((to_chunk(row), row["episode_id"]) for row in rows)

    def chunk_text(self, document_id: str, outline: OutlineCode) -> str | None:
        """Return the text of one chunk, inner ones joined from their leaves; None where there is no such chunk."""
        wanted = selects.select_chunks(self._ns, document_id).where(chunks.c.outline == str(outline))
        found = self._connection.execute(wanted).mappings().first()
        return None if found is None else self.passage(document_id, Span(found["start"], found["end"]))[1]

    def chunks_at(self, document_id: str, codes: Sequence[OutlineCode]) -> tuple[Chunk, ...]:
        """Return the chunks of a document at these codes, in outline order; codes without one are left out."""
        named = selects.select_chunks(self._ns, document_id).where(chunks.c.outline.in_(among("codes")))
        rows = self._connection.execute(named, {"codes": as_json(map(str, codes))}).mappings()
        return tuple(to_chunk(row) for row in rows)

    def passage(self, document_id: str, span: Span) -> tuple[tuple[str, ...], str]:
        """Return the leaf episodes that lie in a span of a document, in text order, and their texts joined."""
        inside = sa.and_(chunks.c.start >= span.start, chunks.c.end <= span.end)
        leaves = selects.select_leaf_texts(self._ns, document_id).where(inside).add_columns(chunks.c.episode_id)
        rows = self._connection.execute(leaves).all()
        return tuple(row.episode_id for row in rows), "".join(row.text for row in rows)

    def depths(self, ids: Sequence[str]) -> dict[str, int]:
        """Return how deep these episodes are in their documents; those outside documents are left out."""
        rows = self._connection.execute(selects.select_outlines(self._ns), {"ids": as_json(ids)}) if ids else ()
        return {row.episode_id: row.outline.count(".") + 1 for row in rows}

    def leaf_episodes(self, document_id: str) -> tuple[Episode, ...]:
        """Return a document's leaf episodes in text order."""
        leaves = selects.select_episodes(self._ns).where(
            episodes.c.document_id == document_id, chunks.c.outline.is_not(None)
        )
        return to_episodes(self._connection.execute(leaves.order_by(chunks.c.ordinal)).mappings())

    def statements(self, wanted: Filter | None = None, *, before: str = "", limit: int | None) -> tuple[Episode, ...]:
        """List the statements that represent themselves, newest first: no other represents them, none was taken back."""
        listed = selects.select_statements(self._ns).limit(limit)
        if before:
            listed = listed.where(episodes.c.id < before)
        if wanted is not None and wanted.asks_for_labels:
            listed = listed.where(episodes.c.id.in_(selects.select_labelled(self._ns, wanted)))
        return to_episodes(self._connection.execute(listed).mappings())

    def conversation(self, session: str, *, limit: int | None = None) -> tuple[Episode, ...]:
        """Return the statements of a session as they were said, in their order; of too many the last."""
        said = (
            selects.select_episodes(self._ns)
            .where(
                episodes.c.kind == EpisodeKind.STATEMENT.value,
                episodes.c.session == session,
                episodes.c.made_by.is_(None),
            )
            .order_by(episodes.c.position.desc(), episodes.c.id.desc())
            .limit(limit)
        )
        return to_episodes(reversed(self._connection.execute(said).mappings().all()))

    def newest_episodes(self, *, limit: int) -> tuple[Episode, ...]:
        """List the passages of present versions and the statements that represent themselves, the newest first."""
        wanted = selects.select_episodes(self._ns).where(
            selects.standing(), sa.or_(episodes.c.kind == EpisodeKind.STATEMENT.value, chunks.c.outline.is_not(None))
        )
        return to_episodes(self._connection.execute(wanted.order_by(episodes.c.id.desc()).limit(limit)).mappings())

    def held(self, *, after: str = "", limit: int) -> tuple[Episode, ...]:
        """Return statements and passages of every version, also what nothing represents any more, by their ids."""
        query = selects.select_episodes(self._ns).where(episodes.c.id > after).order_by(episodes.c.id).limit(limit)
        return to_episodes(self._connection.execute(query).mappings().all())

    def factless(self, task: str, *, after: int | None = None, limit: int) -> Mapping[int, Episode]:
        """Return statements of which no fact is kept and that changed since a task was done, by their last numbers in the log."""
        done = sa.select(sa.func.coalesce(sa.func.max(maintenance.c.seq), 0))
        done = done.where(maintenance.c.ns == self._ns, maintenance.c.task == task).scalar_subquery()
        last = sa.select(index_log.c.episode_id, sa.func.max(index_log.c.seq).label("seq"))
        last = last.where(index_log.c.ns == self._ns, index_log.c.seq > (done if after is None else after))
        last = last.group_by(index_log.c.episode_id).subquery()
        has_facts = sa.exists().where(facts.c.ns == self._ns, facts.c.episode_id == episodes.c.id).correlate(episodes)
        query = selects.select_episodes(self._ns).add_columns(last.c.seq.label("log_seq"))
        query = query.join(last, last.c.episode_id == episodes.c.id)
        query = query.where(episodes.c.kind == EpisodeKind.STATEMENT.value, ~has_facts)
        rows = self._connection.execute(query.order_by(last.c.seq).limit(limit)).mappings()
        return {row["log_seq"]: to_episode(row) for row in rows}

    def expired_statements(self, wanted: Filter, *, limit: int | None = None) -> tuple[str, ...]:
        """Return the statements that were remembered and match a filter, the earliest recorded first."""
        found = selects.select_matching_statements(self._ns, wanted)
        return tuple(self._connection.scalars(found.order_by(episodes.c.id).limit(limit)))

    def asked_before(self, moment: datetime, *, limit: int | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the questions that were recorded before a moment, and the answers without one, the earliest first."""
        old = sa.select(queries.c.id).where(queries.c.ns == self._ns, queries.c.recorded_at < timestamp(moment))
        alone = (answers.c.ns == self._ns, answers.c.query_id.is_(None), answers.c.recorded_at < timestamp(moment))
        given = sa.select(answers.c.id).where(*alone)
        return (
            tuple(self._connection.scalars(old.order_by(queries.c.id).limit(limit))),
            tuple(self._connection.scalars(given.order_by(answers.c.id).limit(limit))),
        )

    def resolve(self, prefix: str) -> tuple[str, ...]:
        """List up to two ids of documents and episodes that begin with ``prefix``."""
        shown = sa.select(episodes.c.id).join_from(episodes, documents, selects.DOCUMENT_OF_EPISODE, isouter=True)
        shown = shown.where(selects.visible_episode())
        found = sa.union_all(
            *(
                query.where(table.c.ns == self._ns, table.c.id >= prefix, table.c.id < prefix + "~")
                for table, query in ((documents, sa.select(documents.c.id)), (episodes, shown))
            )
        )
        return tuple(self._connection.scalars(found.limit(2)))

    def staged(self, source: str) -> str | None:
        """Return the document of which a version is being written or was left half-written, by its source."""
        here = (stagings.c.ns == self._ns, stagings.c.source == source)
        return self._connection.scalar(sa.select(stagings.c.document_id).where(*here))

    def matching(self, wanted: Filter) -> frozenset[str]:
        """Return the episodes that have the names, metadata and tags a filter asks for; times are ignored.

        Among them may be episodes that left the indexes, and ids of documents.
        """
        matches = selects.select_matching(self._ns, wanted)
        if isinstance(wanted.path, tuple):
            path = wanted.path
            return frozenset(chain.from_iterable(_below(path, self._connection, query) for query in matches))
        # All at once: fetched one by one, many ids take three times as long.
        return frozenset(chain.from_iterable([self._connection.scalars(query).all() for query in matches]))

    def counts(self) -> dict[str, int]:
        """Count what the namespace holds, by its name in ``StoreStats``, where that takes no look at texts."""
        return self.counted("rows", self._count_rows)

    def _count_rows(self) -> dict[str, int]:
        return {
            "documents": self._count(documents, documents.c.version > 0, ~is_shadow()),
            "statements": self._count(episodes, _IS_STATEMENT, selects.standing()),
            "open_review_items": self._count(review_items, review_items.c.status == ReviewStatus.OPEN.value),
            "queries": self._count(queries),
            **evolution_counts(self._connection, self._ns),
        }

    def stats(self) -> StoreStats:
        """Count what the namespace holds."""
        present = sa.select(
            sa.func.count().label("chunks"),
            sa.func.count(chunks.c.episode_id).label("leaves"),
            sa.func.coalesce(
                sa.func.sum(chunks.c.end - chunks.c.start).filter(chunks.c.episode_id.is_not(None)), 0
            ).label("characters"),
        )
        counted = present.join_from(chunks, documents, selects.PRESENT_CHUNK).where(
            chunks.c.ns == self._ns, ~is_shadow()
        )
        cut = self._connection.execute(counted).one()
        said = self._connection.execute(
            sa.select(
                sa.func.count(episodes.c.session.distinct()).label("sessions"),
                sa.func.coalesce(sa.func.sum(sa.func.length(payloads.c.text)), 0).label("characters"),
            )
            .join_from(episodes, payloads, selects.TEXT_OF_EPISODE)
            .where(episodes.c.ns == self._ns, _IS_STATEMENT, selects.standing())
        ).one()
        maintained = self.maintained_to(MAINTAINED_AT)
        return StoreStats(
            namespace=self._name,
            chunks=cut.chunks,
            leaves=cut.leaves,
            sessions=said.sessions,
            events=self._count(events),
            characters=cut.characters + said.characters,
            model=self._model,
            waiting_query_edges=count_waiting(self._connection, self._ns),
            ratings=self._count(ratings, ratings.c.withdrawn_by.is_(None)),
            hidden_statements=self._count(episodes, _IS_STATEMENT, ~selects.standing()),
            maintained_at=datetime.fromtimestamp(maintained, UTC) if maintained else None,
            changed=self.count_changed_after(self.maintained_to("integrate")),
            superseded_by_rule=len(self.superseded_by_rule()),
            **self.counts(),
        )

    def stored_keys(self) -> Iterator[StoredKeys]:
        """Return every text of an episode with what is stored of its keys."""
        return stored_keys(self._connection, self._ns, self._model)

    def _one_document(self, prepared: Prepared, of: str) -> Document | None:
        rows = prepared.mappings(self._connection, {"here": self._ns, "of": of})
        return to_document(rows[0]) if rows else None


def _below(path: tuple[str, ...], connection: sa.Connection, passages: sa.Select[str]) -> Iterator[str]:
    """Yield those of some passages below headings, which are compared here, as SQL cannot read them."""
    known: dict[tuple[str, str], bool] = {}
    for id_, title, headings in connection.execute(selects.with_headings(passages)).all():
        if (title, headings) not in known:
            known[title, headings] = lies_below(path, title, json.loads(headings))
        if known[title, headings]:
            yield id_
