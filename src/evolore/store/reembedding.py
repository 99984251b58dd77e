"""A store on its way to another embedding model: the new vectors are kept beside the old until one transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from itertools import groupby
from operator import itemgetter

from sqlalchemy import Connection, and_, func, select, tuple_, update

from evolore.errors import EmbedderMismatch, StoreBusy, StoreDamaged, StoreFailed
from evolore.ports import EmbeddingModel, ModelChange, NewVector, TextAt, TextPlace
from evolore.store import documents
from evolore.store.database import Database
from evolore.store.event_bodies import EventKind
from evolore.store.events import Batch, Counters, IdSource
from evolore.store.leftovers import delete_in_parts, give_space_back, retire_snapshots
from evolore.store.location import Location
from evolore.store.schema import begin_change, next_model, of_neither, set_model, stored_model
from evolore.store.selects import DOCUMENT_OF_EPISODE, EPISODE_OF_TEXT, AnySelect, joined, visible_episode
from evolore.store.sql import SizeOf
from evolore.store.statements import is_sound, present_texts, put_vectors, stored_keys
from evolore.store.tables import documents as tables_documents
from evolore.store.tables import episodes, namespaces, payloads, query_vectors, stagings, vectors

_BATCH = 500


def refuse_lost_vectors(connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> None:
    """Refuse a namespace in which a text has no vector that can be compared."""
    its = and_(vectors.c.payload_id == payloads.c.id, vectors.c.model_id == model.id)
    query = select(vectors.c.data).select_from(payloads.outerjoin(vectors, joined(payloads, vectors, its)))
    query = query.where(payloads.c.ns == ns)
    with connection.scalars(query.execution_options(yield_per=_BATCH)) as found:
        count = sum(not is_sound(data, model.dimension) for data in found)
    if count:
        raise StoreDamaged(
            f"The vectors of {count:,} texts of the namespace {name!r} are lost or broken: "
            "`evolore store doctor --repair` makes them again from the texts, and recall works again."
        )


_PAGE = 128
"""How many texts are read at a time; SQLite compares each of them with each of their chunks."""

_ROW_BYTES = 200
"""What a row of a vector takes beside it: its keys, twice, and its share of the page."""

_START: TextPlace = (0, "")


class Reembedding:
    """One store's change to a model."""

    def __init__(
        self,
        database: Database,
        where: Location,
        *,
        model: EmbeddingModel,
        ids: IdSource,
        taking_turns: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._database, self._where, self._model, self._ids = database, where, model, ids
        self._taking_turns = taking_turns

    def state(self) -> ModelChange:
        """Return how far the change is.

        Raises:
            EmbedderMismatch: A change to another model has begun, or the store's has the same id and another dimension.
        """
        with self._database.reading() as connection:
            self._refuse_other(connection)
            return ModelChange(
                old_model=stored_model(connection),
                texts=connection.execute(_count(_visible_texts())).scalar_one(),
                remaining=connection.execute(_count(self._lacking())).scalar_one(),
            )

    def refuse_full_disk(self) -> None:
        """Refuse what the disk has no room for, while the old model still is the store's.

        A vector is written twice, to the log and to the file. Deleting the old ones and writing the file again takes at
        most as much as the file again.
        """
        missing = 2 * (2 * self._model.dimension + _ROW_BYTES) * self.state().remaining
        with self._database.reading() as connection:
            needed = missing + self._database.size_bytes(connection)
        free = self._where.free_bytes()
        if free is not None and free < needed:
            raise StoreFailed(
                f"Changing {self._where} to {self._model.id} needs {needed:,} bytes of the disk, and {free:,} are free: "
                "make room, and run it again. The store has its old model still; what was embedded is kept."
            )

    def begin(self) -> None:
        """Record in the store that the change has begun, unless that is recorded already.

        Raises:
            EmbedderMismatch: As ``state`` says.
        """
        with self._taking_turns(), self._database.writing() as connection:
            self._refuse_other(connection)
            if next_model(connection) is None and stored_model(connection) != self._model:
                begin_change(connection, self._model)

    def texts(self, *, after: TextPlace | None) -> tuple[TextAt, ...]:
        """Return the next texts that lack a vector of the model, in the order of their places; none at the end."""
        with self._database.reading() as connection:
            behind = tuple_(payloads.c.ns, payloads.c.id) > tuple_(*(after or _START))
            page = self._lacking().where(behind).order_by(payloads.c.ns, payloads.c.id).limit(_PAGE)
            found = [(row.ns, row.id) for row in connection.execute(page)]
            return tuple(
                TextAt(place=(ns, stored.payload_id), text=stored.text)
                for ns, places in groupby(found, key=itemgetter(0))
                for stored in stored_keys(connection, ns, self._model, only=[id_ for _, id_ in places])
            )

    def put(self, made: Mapping[TextPlace, NewVector]) -> bool:
        """Write vectors of texts that are still there; False when the store has the model already."""
        with self._taking_turns(), self._database.writing() as connection:
            if self._is_done(connection):
                return False
            for ns, places in groupby(sorted(made), key=itemgetter(0)):
                present = present_texts(connection, ns, [id_ for _, id_ in places])
                if present:
                    put_vectors(connection, ns, {id_: made[ns, id_] for id_ in present}, model=self._model)
            return True

    def switch(self, *, at: datetime, principal: str | None) -> Mapping[str, str] | None:
        """Make the model the store's, unless a text still lacks a vector of it.

        Documents that are being written in parts are let go of: their waiting passages have no vector of the model.

        Returns:
            The events that say so, by namespace, of those that hold texts; none when another process was faster. None
            where a text lacks a vector, and nothing was changed.
        """
        with self._taking_turns(), self._database.writing() as connection:
            if self._is_done(connection):
                return {}
            if connection.execute(self._lacking().limit(1)).first() is not None:
                return None
            old = stored_model(connection)
            for ns in connection.scalars(select(stagings.c.ns).distinct()).all():
                batch = self._batch(connection, ns, at=at, principal=principal)
                documents.clear_all(batch)
                batch.counters.settle()
            set_model(connection, self._model)
            connection.execute(update(namespaces).values(revision=namespaces.c.revision + 1))
            counted = select(vectors.c.ns, namespaces.c.name, func.count().label("vectors"))
            of_each = counted.join(namespaces, namespaces.c.ns == vectors.c.ns).where(
                vectors.c.model_id == self._model.id
            )
            return {
                row.name: self._append_event(connection, row.ns, old, row.vectors, at=at, principal=principal)
                for row in connection.execute(of_each.group_by(vectors.c.ns, namespaces.c.name)).all()
            }

    def clean(self) -> tuple[int, tuple[str, ...]]:
        """Delete vectors of other models than the store's, and their snapshots, and return their space back.

        Returns:
            How many vectors were deleted, and the files that still hold their bytes. Where the disk fails meanwhile, the
            store has its new model all the same, and ``doctor`` finds what is left.
        """
        deleted, left = 0, self._database.files
        with suppress(StoreFailed, StoreBusy):
            for table in (vectors, query_vectors):
                of_others = of_neither(self._model, table)
                deleted += delete_in_parts(self._database, self._taking_turns, of_others, table=table)
            with self._database.reading() as connection:
                retire_snapshots(connection, self._where.folder, self._model)
            left = give_space_back(self._database, self._taking_turns)
        return deleted, left[:1]

    def _lacking(self) -> AnySelect:
        """Select the texts of visible episodes that have no vector of the model, or one of a wrong length."""
        its = (vectors.c.ns == payloads.c.ns, vectors.c.payload_id == payloads.c.id)
        is_of_model = (vectors.c.model_id == self._model.id, SizeOf(vectors.c.data) == 2 * self._model.dimension)
        return _visible_texts().where(~select(vectors.c.ns).where(*its, *is_of_model).correlate(payloads).exists())

    def _refuse_other(self, connection: Connection) -> None:
        stored, begun = stored_model(connection), next_model(connection)
        if begun not in {None, self._model}:
            raise EmbedderMismatch(
                f"{self._where} is already changing to the embedding model {begun.id if begun else ''}: finish that, or "
                f"abandon it with `evolore store reembed --abandon`, before you change to {self._model.id}."
            )
        if stored.id == self._model.id and stored.dimension != self._model.dimension:
            raise EmbedderMismatch(
                f"The store's embedding model {stored.id} has {stored.dimension} dimensions, the one at hand the same "
                f"name and {self._model.dimension}: use another name; it distinguishes their vectors."
            )

    def _is_done(self, connection: Connection) -> bool:
        """Return whether the store has the model already; ``StoreBusy`` if not, and no process is changing it any more."""
        if stored_model(connection) == self._model:
            return True
        if next_model(connection) != self._model:
            raise StoreBusy(
                f"Another process abandoned the change of {self._where} to {self._model.id}: run it again to start over."
            )
        return False

    def _append_event(
        self, connection: Connection, ns: int, old: EmbeddingModel, count: int, *, at: datetime, principal: str | None
    ) -> str:
        body = {"from": old.id, "to": self._model.id, "vectors": count}
        batch = self._batch(connection, ns, at=at, principal=principal)
        (event_id,) = batch.append_events(EventKind.REEMBEDDED, [("", body)])
        batch.counters.settle()
        return event_id

    def _batch(self, connection: Connection, ns: int, *, at: datetime, principal: str | None) -> Batch:
        return Batch(Counters.of(connection, ns), at=at, ids=self._ids, model_id=self._model.id, principal=principal)


def _visible_texts() -> AnySelect:
    """Select the places of all texts of visible episodes, in every namespace."""
    texts = select(payloads.c.ns, payloads.c.id).join_from(payloads, episodes, EPISODE_OF_TEXT)
    return texts.outerjoin(tables_documents, DOCUMENT_OF_EPISODE).where(visible_episode())


def _count(query: AnySelect) -> AnySelect:
    return select(func.count()).select_from(query.subquery())
