"""The number of a namespace, its calibrations, and how far its maintenance is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, exists, func, insert, literal, select, update
from sqlalchemy.exc import IntegrityError

from evolore.domain.language import Language
from evolore.errors import InvalidValue, NamespaceNotFound
from evolore.ports import EmbeddingModel, StoredCalibration
from evolore.ports.changes import Parameters
from evolore.store.event_bodies import EventKind
from evolore.store.events import COUNTED, FIRST_HASH, Counters, OpenedToWrite
from evolore.store.forms import reader, timestamp, write
from evolore.store.schema import ID as EMBEDDING_MODEL
from evolore.store.schema import refuse_other_model
from evolore.store.sql import Opened, Prepared
from evolore.store.tables import calibrations, maintenance, namespaces, settings

_HAS_MODEL = exists(
    select(literal(1)).where(settings.c.name == EMBEDDING_MODEL, settings.c.value == bindparam("model"))
)
_COUNT_WRITE = Prepared(
    update(namespaces)
    .where(namespaces.c.name == bindparam("called"), _HAS_MODEL)
    .values(revision=namespaces.c.revision + 1)
    .returning(*COUNTED)
)

NOT_THERE = 0
"""The number of a namespace that nothing was written to: no row has it, so that it reads as empty."""


def unknown(namespace: str, where: object) -> NamespaceNotFound:
    """Return the error for a namespace that nothing was written to; it does not reveal which others there are."""
    return NamespaceNotFound(f"Nothing was written to the namespace {namespace!r} of {where} yet: check the name.")


def count_write(
    connection: Connection, namespace: str, model: EmbeddingModel, where: object, *, now: Callable[[], datetime]
) -> Counters:
    """Count a write to a namespace, making it where there is none, and return its numbers."""
    counted = _COUNT_WRITE.first(connection, {"called": namespace, "model": model.id})
    if counted is None:
        refuse_other_model(connection, model, where)
        made = insert(namespaces).values(name=namespace, revision=1, event_hash=FIRST_HASH, created_at=timestamp(now()))
        try:
            with connection.begin_nested():
                counted = connection.execute(made.returning(*COUNTED)).one()
        except IntegrityError:  # where namespaces are written side by side, another process made it just now
            counted = _COUNT_WRITE.first(connection, {"called": namespace, "model": model.id})
            assert counted is not None
    return Counters(connection, counted)


_TASK = re.compile("[a-z_]{1,40}")
_CALIBRATIONS = Prepared(
    select(calibrations)
    .where(calibrations.c.ns == bindparam("here"), calibrations.c.model_id == bindparam("of"))
    .order_by(calibrations.c.version)
)


_to_calibration = reader(StoredCalibration, calibrations)


class NamespaceReader(Opened):
    """One namespace's calibrations and maintenance at one moment."""

    def maintained_to(self, task: str) -> int:
        """Return up to which number of the indexes' log a task of maintenance is done; 0 where it never was."""
        return maintained_to(self._connection, self._ns, task)

    def calibrations(self, model_id: str) -> Mapping[Language, StoredCalibration]:
        """Return the calibrations of a model that hold, by language."""
        rows = _CALIBRATIONS.mappings(self._connection, {"here": self._ns, "of": model_id})
        return {one.language: one for one in map(_to_calibration, rows)}


class NamespaceWriter(OpenedToWrite):
    """One namespace's calibrations, inside a write transaction."""

    def put_calibration(
        self, model_id: str, language: Language, parameters: Parameters, *, texts: int, at: datetime
    ) -> int:
        """Write a calibration that holds from now on, with an event, and return its version; those before are kept."""
        batch = self._batch(at)
        own = (calibrations.c.model_id == model_id, calibrations.c.language == language.value)
        newest = select(func.max(calibrations.c.version)).where(calibrations.c.ns == batch.ns, *own)
        last: int | None = batch.connection.scalar(newest)
        version = (last or 0) + 1
        said = {"language": language.value, "version": version, "texts": texts}
        held = {"parameters": write(calibrations.c.parameters, parameters), "created_at": batch.recorded_at}
        batch.connection.execute(insert(calibrations).values(ns=batch.ns, model_id=model_id, **said, **held))
        body = {"model": model_id, **said}
        batch.append_events(EventKind.CALIBRATED, [("", body)])
        return version


MAINTAINED_AT = "maintained_at"
"""When maintenance last ran to its end, in whole seconds since 1970 UTC."""

FORGOTTEN_TO = "forgotten_to"
"""Up to which number the indexes' log holds no more what left and was forgotten: indexes that are not as far cannot follow it."""


def maintained_to(connection: Connection, ns: int, task: str) -> int:
    """Return up to which number of the indexes' log a task is done; 0 where it never was."""
    here = (maintenance.c.ns == ns, maintenance.c.task == task)
    return connection.scalar(select(maintenance.c.seq).where(*here)) or 0


def set_maintained(connection: Connection, ns: int, task: str, seq: int) -> None:
    """Record up to which number a task is done."""
    if not _TASK.fullmatch(task):
        raise InvalidValue(f"The task is {task!r}: use up to 40 small letters and underscores, such as 'splitting'.")
    if seq < 0:
        raise InvalidValue(f"seq is {seq}: it counts from 0.")
    connection.execute(delete(maintenance).where(maintenance.c.ns == ns, maintenance.c.task == task))
    connection.execute(insert(maintenance).values(ns=ns, task=task, seq=seq))
