"""Why an index could not be built or used: texts whose vectors are lost, cut or no numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, select

from evolore.errors import StoreDamaged
from evolore.store.keys import is_sound
from evolore.store.selects import joined
from evolore.store.tables import payloads, vectors

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel

_BATCH = 500


def refuse_lost_vectors(connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> None:
    """Refuse a namespace in which a text has no vector that can be compared.

    Raises:
        StoreDamaged: There is such a text.
    """
    its = and_(vectors.c.payload_id == payloads.c.id, vectors.c.model_id == model.id)
    query = (
        select(vectors.c.data)
        .select_from(payloads.outerjoin(vectors, joined(payloads, vectors, its)))
        .where(payloads.c.ns == ns)
    )
    found = connection.scalars(query.execution_options(yield_per=_BATCH))
    count = sum(not is_sound(data, model.dimension) for data in found)
    if count:
        raise StoreDamaged(
            f"The vectors of {count:,} texts of the namespace {name!r} are lost or broken: "
            "`evolore doctor --repair` makes them anew from the texts, and recall works again."
        )
