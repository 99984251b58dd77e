"""Questions that were recorded: found by their ids, embedded, and what they rest on."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.domain.checks import check_count
from evolore.domain.episode import Edge
from evolore.domain.outcome import Given, QueryRecord
from evolore.errors import AmbiguousId, NotFound
from evolore.flows.browse import complete
from evolore.flows.embedding import embed
from evolore.flows.item_keys import EMBED_BATCH
from evolore.ports import TextRole
from evolore.queries.outcomes import CONTENT_EDGES, some_lie_apart
from evolore.recall.question import plain_question

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.store.reading import StoreReader

_MOST_EDGES = 10_000


def question_vector(context: Context, text: str) -> npt.NDArray[np.float32]:
    """Return the vector of a question as recall compares it, shape (dimension,)."""
    return embed(context.embedder, [plain_question(text)], role=TextRole.QUERY)[0]


def whole_query_id(reader: StoreReader, query_id: str) -> str:
    """Complete the beginning of a question's id."""
    unknown = f"No question has the id {query_id!r} here: `evolore questions list` shows those that were recorded."
    return complete(query_id, reader.resolve_query, unknown=unknown)


def query_with_id(reader: StoreReader, query_id: str) -> QueryRecord:
    """Return the question that an id, or the beginning of one, names."""
    record = reader.query(query_id.strip().lower())  # most pass it whole
    if record is None:
        record = reader.query(whole_query_id(reader, query_id))
        assert record is not None
    return record


def query(context: Context, query_id: str) -> QueryRecord:
    """Return the question that an id, or the beginning of one, names."""
    with context.store.read(context.namespace) as reader:
        return query_with_id(reader, query_id)


def list_queries(context: Context, *, principal: str | None, before: str = "", limit: int) -> tuple[QueryRecord, ...]:
    """List questions, the last asked first: those before the one with an id."""
    check_count(limit, "limit")
    with context.store.read(context.namespace) as reader:
        return reader.queries(principal=principal, before=before, limit=limit)


def among_given(given: Sequence[Given], cited: Iterable[str]) -> frozenset[str]:
    """Return the episodes that ids, or the beginnings of them, name among what was handed over.

    Raises:
        NotFound: One was not handed over.
        AmbiguousId: It begins several ids of what was.
    """
    return frozenset(_among(given, id_) for id_ in cited)


def _among(given: Sequence[Given], id_: str) -> str:
    wanted = id_.strip().lower()
    found = [one.episode_id for one in given if wanted and one.episode_id.startswith(wanted)]
    if wanted in found:
        return wanted
    if not found:
        handed = ", ".join(one.episode_id for one in given) or "nothing"
        raise NotFound(f"{id_!r} was not handed over for this question, so nothing can rest on it: {handed} was.")
    if len(found) > 1:
        raise AmbiguousId(f"{id_!r} begins several ids, such as {found[0]} and {found[1]}: write more of it.")
    return found[0]


def lie_apart(reader: StoreReader, ids: Collection[str], *, distance: int) -> bool:
    """Return whether two episodes lie more than so many edges of content apart.

    What has too many edges to read them all lies near everything: it joins nothing new.
    """
    if len(ids) < 2:  # noqa: PLR2004 - one alone lies apart from nothing
        return False
    edges: dict[Edge, None] = {}
    frontier, met = set(ids), set(ids)
    for _ in range((distance + 1) // 2):
        found = reader.edges_around(sorted(frontier), kinds=CONTENT_EDGES, hidden=True, limit=_MOST_EDGES)
        if len(found) >= _MOST_EDGES:
            return False
        edges |= dict.fromkeys(found)
        ends = {end for edge in found for end in (edge.source_id, edge.target_id)}
        frontier, met = ends - met, met | ends
    return some_lie_apart(ids, edges, distance=distance)


def embed_queries(context: Context, *, limit: int | None = None) -> int:
    """Embed questions that have no vector of the store's model, some in each transaction, and return how many it were."""
    done = 0
    while limit is None or done < limit:
        with context.store.read(context.namespace) as reader:
            found = reader.unembedded_queries(limit=EMBED_BATCH if limit is None else min(EMBED_BATCH, limit - done))
        if not found:
            break
        vectors = {id_: question_vector(context, text) for id_, text in found}
        with context.store.write(context.namespace, principal=context.principal) as writer:
            writer.put_query_vectors(vectors)
        done += len(found)
    return done
