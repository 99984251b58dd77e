"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Recall
from evolore.flows.embedding import embed
from evolore.flows.evidence import gather
from evolore.flows.found import Found
from evolore.flows.hierarchy import Expander, by_depth, seen_among
from evolore.flows.intent import say_intent
from evolore.flows.reranking import by_judgement, judge
from evolore.flows.seen import seen_by
from evolore.ports import TextRole
from evolore.recall.ranking import rank

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evolore.domain.answers import Query
    from evolore.domain.episodes import Episode
    from evolore.flows.context import Context
    from evolore.recall.ranking import Ranking


def recall(context: Context, query: Query) -> Recall:
    """Find what answers a question.

    A chat model and a reranker may take long, so both are asked while no index is held: the first for the intent, the
    second with the first hits of a ranking that is then made again.

    Raises:
        NamespaceNotFound: Nothing was written to the namespace yet.
    """
    with context.store.read(context.namespace):
        pass  # an unknown namespace is said before the model is loaded
    vector = embed(context.embedder, [query.text], role=TextRole.QUERY)[0]
    said = say_intent(query.text, vector, spaces=context.intent_spaces, chat=context.chat_intents)
    judged = judge(
        context.reranker,
        query.text,
        lambda count: _first(context, query, vector, count),
        settings=context.rerank_settings,
    )
    settings = context.recall_settings
    with context.store.index(context.namespace) as (view, reader):
        seen = seen_by(query, view, reader)
        gathered = gather(view, query, vector, seen=seen, settings=settings)

        def rank_to(count: int) -> Ranking:
            needed = max(count, len(judged.scores))
            ranking = rank(gathered.evidence, settings=settings, limit=needed, words=gathered.words)
            ranking = by_judgement(ranking, judged, ids_of=found.ids, settings=context.rerank_settings)
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
        intent=said.guess.intent,
        intent_confidence=said.guess.confidence,
        is_intent_by_chat_model=said.is_by_chat_model,
        intent_reason=said.reason,
        reranking=judged.report,
    )


def _first(context: Context, query: Query, vector: npt.NDArray[np.float32], count: int) -> tuple[Episode, ...]:
    """Give the first items of a question as words and meaning rank them."""
    settings = context.recall_settings
    with context.store.index(context.namespace) as (view, reader):
        gathered = gather(view, query, vector, seen=seen_by(query, view, reader), settings=settings)
        ranking = rank(gathered.evidence, settings=settings, limit=count, words=gathered.words)
        found: list[int] = gathered.numbers[ranking.order].tolist()
        return tuple(reader.episodes([view.episode_ids[number] for number in found]))
