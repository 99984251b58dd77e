"""What hits were made of: the statements that were merged into them, or that they are a part of."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from evolore.domain.answers import Hit
    from evolore.domain.episodes import Episode
    from evolore.ports import IndexView, StoreReader

_DECIMALS = 4


def with_members(
    hits: tuple[Hit, ...], vector: npt.NDArray[np.float32], *, view: IndexView, reader: StoreReader
) -> tuple[Hit, ...]:
    """Give hits with the statements they were made of, those likest to the question first; one read for all.

    Args:
        hits: What was found.
        vector: The question as a unit vector, shape (dimension,).
        view: The indexes.
        reader: A snapshot of the same moment.
    """
    ids = sorted({one.id for hit in hits for one in hit.episodes if one.is_made or one.merge_count})
    if not ids:
        return hits
    members = {id_: _ordered(found, vector, view) for id_, found in reader.members(ids).items()}
    return tuple(_with(hit, members) for hit in hits)


def _with(hit: Hit, members: Mapping[str, tuple[Episode, ...]]) -> Hit:
    expansion, whole = hit.expansion, hit.whole
    return replace(
        hit,
        members=members.get(hit.episode.id, ()),
        echoes=tuple(replace(echo, members=members.get(echo.episode.id, ())) for echo in hit.echoes),
        expansion=expansion and replace(expansion, folded=tuple(_with(one, members) for one in expansion.folded)),
        whole=whole and replace(whole, found=tuple(_with(one, members) for one in whole.found)),
    )


def _ordered(found: tuple[Episode, ...], vector: npt.NDArray[np.float32], view: IndexView) -> tuple[Episode, ...]:
    known = [one for one in found if one.id in view.numbers]
    numbers = np.array([view.numbers[one.id] for one in known], dtype=np.int32)
    likeness = view.vectors.similarities_of(vector, numbers) if known else np.zeros(0, dtype=np.float32)
    by_id = {one.id: round(float(value), _DECIMALS) for one, value in zip(known, likeness, strict=True)}
    return tuple(sorted(found, key=lambda one: (-by_id.get(one.id, -1.0), one.id)))
