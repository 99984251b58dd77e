"""Passages of documents are linked with what is of the same matter; they are never merged."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np

from evolore.domain.episodes import Edge, EdgeKind
from evolore.errors import StoreBusy, StoreFailed
from evolore.flows.calibrations import Scales
from evolore.flows.seen import standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from evolore.domain.episodes import Episode
    from evolore.flows.context import Context
    from evolore.ports import IndexView, StoreReader, VectorIndex

MOST_LINKED = 2000
"""So many new passages are linked by one ``add``; ``maintain`` links the others."""

_SPARE = 4
_DEEPER = 4
"""So many times as many are asked for where what is hidden lies before the others."""


def link_passages(context: Context, document_ids: Sequence[str]) -> int:
    """Link the passages of documents with their nearest, in a transaction of its own; give how many edges there are.

    What is interrupted, or is beyond ``MOST_LINKED``, ``maintain`` makes up for.

    Args:
        context: Where.
        document_ids: The documents that are new or changed.
    """
    if not document_ids or not context.integration_settings.enabled:
        return 0
    with context.store.index(context.namespace) as (view, reader):
        leaves = {one.id: one for id_ in document_ids for one in reader.leaf_episodes(id_)}
        linked = reader.linked(leaves)  # what a version before had too
        new = [leaf for id_, leaf in leaves.items() if id_ not in linked]
        edges = _edges(context, view, reader, new[:MOST_LINKED])
    if not edges:
        return 0
    # The documents stand already, and say so: no trouble with what is derived may look as if they did not.
    with (
        suppress(StoreFailed, StoreBusy),
        context.store.write(context.namespace, principal=context.principal) as writer,
    ):
        writer.link(edges, at=context.clock.now())
        return len(edges)
    return 0


def _edges(context: Context, view: IndexView, reader: StoreReader, leaves: Sequence[Episode]) -> list[Edge]:
    """Give the edges from passages to their nearest, of which none gathers more than the settings say."""
    wanted = _likest(context, view, reader, leaves)
    lying = Counter(reader.link_counts({edge.target_id for edge in wanted}))
    found: list[Edge] = []
    for edge in wanted:
        if lying[edge.target_id] < context.integration_settings.most_links_in:
            lying[edge.target_id] += 1
            found.append(edge)
    return found


def _likest(context: Context, view: IndexView, reader: StoreReader, leaves: Sequence[Episode]) -> list[Edge]:
    settings, model = context.integration_settings, context.embedder.model
    scales = Scales(context.calibrations, model, reader.calibrations(model.id))
    found: list[Edge] = []
    nearest = _nearest(view, [one.id for one in leaves], count=settings.most_links * _SPARE)
    for leaf, (near, vectors, own) in zip(leaves, nearest, strict=True):
        scale = scales.of(leaf.language)
        cosines = scale.cosines(own[np.newaxis], vectors)[0] if near else np.zeros(0)
        chances, alike = scale.probability(cosines).tolist(), scale.s_dup(cosines).tolist()
        ranked = sorted(zip(cosines.tolist(), near, chances, alike, strict=True), key=lambda one: (-one[0], one[1]))
        for _, number, chance, s_dup in ranked[: settings.most_links]:
            if chance > settings.least_link:
                kind = EdgeKind.ECHO if s_dup >= settings.merge_similarity else EdgeKind.SEMANTIC
                found.append(Edge(source_id=leaf.id, target_id=view.episode_ids[number], kind=kind, weight=chance))
    return found


def _nearest(
    view: IndexView, ids: Sequence[str], *, count: int
) -> Iterator[tuple[list[int], npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
    """Give of each passage the numbers and vectors of the nearest that stand, itself left out, and its own vector."""
    there = standing(view)
    may = np.ones(len(view.episode_ids), dtype=np.bool_) if there is None else there
    numbers = np.array([view.numbers[id_] for id_ in ids], dtype=np.int32)
    for number, vector in zip(numbers.tolist(), view.vectors.rows_of(numbers), strict=True):
        others = may.copy()
        others[number] = False
        near = nearest_among(view.vectors, vector, others, count=count)
        yield near.tolist(), view.vectors.rows_of(near), vector


def nearest_among(
    vectors: VectorIndex, vector: npt.NDArray[np.float32], may: npt.NDArray[np.bool_], *, count: int
) -> npt.NDArray[np.int32]:
    """Give about the ``count`` nearest of some items, in no order: an index that knows no others is asked for more.

    Args:
        vectors: The index.
        vector: Of unit length, shape (dimension,).
        may: Which items may be given, shape (items,).
        count: How many.
    """
    wanted = min(count, int(may.sum()))
    asked = count
    while wanted and (found := vectors.nearest(vector, count=asked)) is not None:
        kept = found[may[found]]
        if kept.size >= wanted:
            return kept
        asked *= _DEEPER
    likeness = np.where(may, vectors.similarities(vector), -np.inf)
    return np.argpartition(-likeness, wanted - 1)[:wanted].astype(np.int32) if wanted else np.zeros(0, dtype=np.int32)
