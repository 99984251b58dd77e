"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Recall
from evolore.domain.citing import cite
from evolore.flows.budget import count_tokens
from evolore.flows.embedding import embed
from evolore.flows.found import Found
from evolore.flows.intent import say_intent
from evolore.flows.made_of import with_members
from evolore.flows.on_trial import as_seen, split
from evolore.flows.ranked import Ranked
from evolore.flows.reranking import judge
from evolore.flows.seen import unmatched_by
from evolore.flows.shaping import shape
from evolore.ports import TextRole
from evolore.recall.question import plain_question

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evolore.domain.answers import Intent, Query
    from evolore.domain.episodes import Episode
    from evolore.flows.context import Context


def recall(context: Context, query: Query) -> Recall:
    """Find what answers a question."""
    return recalled(context, query)[0]


def recalled(context: Context, query: Query) -> tuple[Recall, npt.NDArray[np.float32]]:
    """Find what answers a question, and give it with the question's vector, shape (dimension,)."""
    vector = embed(context.embedder, [plain_question(query.text)], role=TextRole.QUERY)[0]
    said = say_intent(
        query.text,
        vector,
        model=context.embedder.model,
        spaces=context.intent_spaces,
        chat=context.chat_intents,
    )
    judged = judge(
        context.reranker,
        query.text,
        lambda count: _first(context, query, vector, said.guess.intent, count),
        settings=context.rerank_settings,
    )
    with context.store.index(context.namespace) as (whole, reader):
        view = as_seen(query, whole)
        ranked = Ranked(context, query, vector, intent=said.guess.intent, view=view, reader=reader, judged=judged)
        hits = shape(
            query,
            Found(ranked.to, ranked.items),
            ranked.evidence,
            view=view,
            reader=reader,
            seen=ranked.seen.numbers,
            settings=context.recall_settings,
            tokenizer=context.tokenizer,
        )
        hits = with_members(hits, vector, view=view, reader=reader)
        unmatched = () if ranked.evidence.count else unmatched_by(query, view, reader)
    found = Recall(
        query=query,
        hits=hits,
        searched=ranked.evidence.count,
        intent=said.guess.intent,
        intent_confidence=said.guess.confidence,
        is_intent_by_chat_model=said.is_by_chat_model,
        intent_reason=said.reason,
        suppressed=ranked.suppressed,
        learned_from=ranked.learned_from,
        canaries=split(query, view.shadows).canaries,
        namespace=context.namespace,
        asked_time=ranked.asked_time,
        dense_weight=ranked.ranking.dense_weight,
        reranking=judged.report,
        tokens=0 if query.tokens is None else count_tokens(cite(hits), context.tokenizer),
        is_estimated=query.tokens is not None and context.tokenizer is None,
        unmatched=unmatched,
    )
    return found, vector


def _first(
    context: Context, query: Query, vector: npt.NDArray[np.float32], intent: Intent, count: int
) -> tuple[Episode, ...]:
    """Give the first items of a question as they are ranked without a judgement."""
    with context.store.index(context.namespace) as (whole, reader):
        ranked = Ranked(context, query, vector, intent=intent, view=as_seen(query, whole), reader=reader)
        return ranked.items.episodes(ranked.to(count).order[:count].tolist())
