"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Hit, Recall, ScoreTerm
from evolore.flows.embedding import embed
from evolore.flows.evidence import gather
from evolore.flows.seen import seen_by
from evolore.ports import TextRole
from evolore.recall.ranking import rank

if TYPE_CHECKING:
    from evolore.domain.answers import Query
    from evolore.flows.context import Context


def recall(context: Context, query: Query) -> Recall:
    """Find what answers a question.

    Raises:
        NamespaceNotFound: Nothing was written to the namespace yet.
    """
    with context.store.read(context.namespace):
        pass  # an unknown namespace is said before the model is loaded
    vector = embed(context.embedder, [query.text], role=TextRole.QUERY)[0]
    with context.store.index(context.namespace) as (view, reader):
        seen = seen_by(query, view, reader)
        gathered = gather(view, query, vector, seen=seen, settings=context.recall_settings)
        ranking = rank(gathered.evidence, settings=context.recall_settings, limit=query.limit, words=gathered.words)
        chosen: list[int] = ranking.order[: query.limit].tolist()
        found = reader.episodes([view.episode_ids[int(gathered.numbers[item])] for item in chosen])
    hits = tuple(
        Hit(
            episode=episode,
            rank=place,
            score=float(ranking.score[item]),
            terms=tuple(
                ScoreTerm(name=term.value, value=float(values[item])) for term, values in ranking.terms.items()
            ),
        )
        for place, (episode, item) in enumerate(zip(found, chosen, strict=True), start=1)
    )
    return Recall(query=query, hits=hits, searched=gathered.evidence.count)
