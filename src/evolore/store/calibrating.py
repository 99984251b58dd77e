"""Calibrations and how far maintenance is: what a namespace remembers of its own keeping."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from evolore.domain.language import Language
from evolore.errors import InvalidValue
from evolore.ports import StoredCalibration
from evolore.store.event_kinds import EventKind
from evolore.store.prepared import Prepared
from evolore.store.rows import moment
from evolore.store.tables import calibrations, maintenance

if TYPE_CHECKING:
    from evolore.ports.changes import Parameters
    from evolore.store.batch import Batch

_TASK = re.compile("[a-z_]{1,40}")
_CALIBRATIONS = Prepared(
    select(calibrations)
    .where(calibrations.c.ns == bindparam("here"), calibrations.c.model_id == bindparam("of"))
    .order_by(calibrations.c.version)
)


def last_calibrations(connection: Connection, ns: int, model_id: str) -> dict[Language, StoredCalibration]:
    """Give the last calibration of a model in each language."""
    return {
        Language(row.language): StoredCalibration(
            model_id=model_id,
            language=Language(row.language),
            version=row.version,
            parameters=_parameters(row.parameters),
            texts=row.texts,
            created_at=moment(row.created_at),
        )
        for row in _CALIBRATIONS.rows(connection, {"here": ns, "of": model_id})
    }


@lru_cache(maxsize=64)  # every call that integrates asks; a hundred times what looking it up takes
def _parameters(written: str) -> Parameters:
    return MappingProxyType(json.loads(written))


def put_calibration(batch: Batch, model_id: str, language: Language, parameters: Parameters, *, texts: int) -> int:
    """Write a calibration behind the others of its model and language, with an event, and give its version."""
    own = (
        calibrations.c.ns == batch.ns,
        calibrations.c.model_id == model_id,
        calibrations.c.language == language.value,
    )
    last: int | None = batch.connection.scalar(select(func.max(calibrations.c.version)).where(*own))
    version = (last or 0) + 1
    batch.connection.execute(
        insert(calibrations).values(
            ns=batch.ns,
            model_id=model_id,
            language=language.value,
            version=version,
            parameters=json.dumps(parameters, sort_keys=True, separators=(",", ":"), allow_nan=False),
            texts=texts,
            created_at=batch.recorded_at,
        )
    )
    body = {"model": model_id, "language": language.value, "version": version, "texts": texts}
    batch.append_events(EventKind.CALIBRATED, [("", body)])
    return version


def maintained_to(connection: Connection, ns: int, task: str) -> int:
    """Give up to which number of the indexes' log a task is done; 0 where it never was."""
    here = (maintenance.c.ns == ns, maintenance.c.task == task)
    return connection.scalar(select(maintenance.c.seq).where(*here)) or 0


def set_maintained(connection: Connection, ns: int, task: str, seq: int) -> None:
    """Note up to which number a task is done.

    Raises:
        InvalidValue: The task is not one word, or the number below 0.
    """
    if not _TASK.fullmatch(task):
        raise InvalidValue(f"The task is {task!r}: give up to 40 small letters and underscores, such as 'splitting'.")
    if seq < 0:
        raise InvalidValue(f"seq is {seq}: it counts from 0.")
    connection.execute(delete(maintenance).where(maintenance.c.ns == ns, maintenance.c.task == task))
    connection.execute(insert(maintenance).values(ns=ns, task=task, seq=seq))
