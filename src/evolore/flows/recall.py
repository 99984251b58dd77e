"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Recall
from evolore.domain.citing import cite
from evolore.flows.budget import count_tokens
from evolore.flows.embedding import embed
from evolore.flows.evidence import gather
from evolore.flows.found import Found
from evolore.flows.hierarchy import by_depth
from evolore.flows.intent import guess_intent
from evolore.flows.seen import seen_by
from evolore.flows.shaping import shape
from evolore.ports import TextRole
from evolore.recall.fusion import dense_weight, word_agreement
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

        def rank_to(count: int) -> Ranking:
            ranking = rank(gathered.evidence, settings=settings, limit=count, words=gathered.words)
            if query.depth is None:
                return ranking
            return by_depth(ranking, query.depth, count=count, ids_of=found.ids, reader=reader, settings=settings)

        found = Found(rank_to, view, reader, numbers=gathered.numbers)
        hits = shape(
            query,
            found,
            gathered.evidence,
            view=view,
            reader=reader,
            seen=seen,
            settings=settings,
            tokenizer=context.tokenizer,
        )
    return Recall(
        query=query,
        hits=hits,
        searched=gathered.evidence.count,
        intent=guess.intent,
        intent_confidence=guess.confidence,
        dense_weight=dense_weight(word_agreement(gathered.words.own, gathered.evidence.terms), settings=settings),
        tokens=0 if query.tokens is None else count_tokens(cite(hits), context.tokenizer),
        is_estimated=query.tokens is not None and context.tokenizer is None,
    )
