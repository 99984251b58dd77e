"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Recall
from evolore.flows.decay import Asked, TimeWeigher
from evolore.flows.embedding import embed
from evolore.flows.evidence import gather
from evolore.flows.found import Found
from evolore.flows.hierarchy import Expander, by_depth, seen_among
from evolore.flows.intent import guess_intent
from evolore.flows.seen import seen_by
from evolore.ports import TextRole
from evolore.recall.ranking import rank

if TYPE_CHECKING:
    from evolore.domain.answers import Query
    from evolore.flows.context import Context
    from evolore.recall.ranking import Ranking


def recall(context: Context, query: Query) -> Recall:
    """Find what answers a question.

    Raises:
        NamespaceNotFound: Nothing was written to the namespace yet.
    """
    with context.store.read(context.namespace):
        pass  # an unknown namespace is said before the model is loaded
    vector = embed(context.embedder, [query.text], role=TextRole.QUERY)[0]
    guess = guess_intent(query.text, vector, spaces=context.intent_spaces)
    settings = context.recall_settings
    with context.store.index(context.namespace) as (view, reader):
        seen = seen_by(query, view, reader)
        gathered = gather(view, query, vector, seen=seen, settings=settings)

        weigher = TimeWeigher(
            Asked(
                text=query.text,
                vector=vector,
                intent=guess.intent,
                at=(query.as_of or context.clock.now()).timestamp(),
            ),
            view=view,
            reader=reader,
            numbers=gathered.numbers,
            settings=context.decay_settings,
            weights=context.intent_settings,
            space=context.matter_spaces.get(),
        )

        def rank_to(count: int) -> Ranking:
            ahead = count + weigher.looks_at
            ranking = rank(gathered.evidence, settings=settings, limit=ahead, words=gathered.words)
            ranking = weigher.weigh(ranking, count=count)
            if query.depth is None:
                return ranking
            return by_depth(ranking, query.depth, count=count, ids_of=found.ids, reader=reader, settings=settings)

        found = Found(rank_to, view, reader, numbers=gathered.numbers)
        if settings.expand if query.expand is None else query.expand:
            is_seen = seen_among(view, seen.tolist())
            hits = Expander(reader, settings=settings, is_seen=is_seen).expand(found.first, limit=query.limit)
        else:
            hits = found.first(query.limit)
    return Recall(
        query=query,
        hits=hits,
        searched=gathered.evidence.count,
        intent=guess.intent,
        intent_confidence=guess.confidence,
        suppressed=weigher.suppressed,
    )
