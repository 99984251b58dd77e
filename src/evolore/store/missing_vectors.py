"""Why an index could not be built: texts whose vectors are lost or cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import and_, func, or_, select

from evolore.errors import StoreDamaged
from evolore.store.selects import joined
from evolore.store.tables import payloads, vectors

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel

_BYTES_A_NUMBER = 2


def refuse_missing_vectors(connection: Connection, ns: int, *, name: str, model: EmbeddingModel) -> None:
    """Refuse a namespace in which a text has no vector that can be compared.

    Raises:
        StoreDamaged: There is such a text.
    """
    its = and_(vectors.c.payload_id == payloads.c.id, vectors.c.model_id == model.id)
    is_cut = func.length(vectors.c.data) != _BYTES_A_NUMBER * model.dimension
    query = (
        select(func.count())
        .select_from(payloads.outerjoin(vectors, joined(payloads, vectors, its)))
        .where(payloads.c.ns == ns, or_(vectors.c.data.is_(None), is_cut))
    )
    count = connection.execute(query).scalar_one()
    if count:
        raise StoreDamaged(
            f"The vectors of {count:,} texts of the namespace {name!r} are lost or cut: "
            "`evolore doctor --repair` makes them anew from the texts, and recall works again."
        )
