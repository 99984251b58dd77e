"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Recall
from evolore.domain.citing import cite
from evolore.flows.budget import count_tokens
from evolore.flows.dates import date_term, read_time
from evolore.flows.embedding import embed
from evolore.flows.evidence import gather
from evolore.flows.found import Found
from evolore.flows.hierarchy import by_depth
from evolore.flows.intent import guess_intent
from evolore.flows.meaning import Seen
from evolore.flows.ranked import Ranked
from evolore.flows.seen import seen_by
from evolore.flows.shaping import shape
from evolore.ports import TextRole
from evolore.recall.question import plain_question
from evolore.text.scripts import detect_language

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
    vector = embed(context.embedder, [plain_question(query.text)], role=TextRole.QUERY)[0]
    guess = guess_intent(query.text, vector, spaces=context.intent_spaces)
    settings = context.recall_settings
    with context.store.index(context.namespace) as (view, reader):
        seen = seen_by(query, view, reader)
        visible = Seen.of(view, seen)
        asked = read_time(
            query,
            language=detect_language(query.text),
            now=query.as_of or context.clock.now(),
            view=view,
            seen=visible,
            settings=context.date_settings,
        )
        by_date = date_term(asked, view, visible, settings=context.date_settings)
        gathered = gather(view, query, vector, seen=visible, intent=guess.intent, settings=settings)
        ranked = Ranked(context, gathered, asked=asked, view=view, by_date=by_date)

        def rank_to(count: int) -> Ranking:
            ranking = ranked.to(count)
            if query.depth is None:
                return ranking
            return by_depth(ranking, query.depth, count=count, ids_of=found.ids, reader=reader, settings=settings)

        found = Found(rank_to, view, reader, numbers=visible.numbers)
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
        dense_weight=ranked.ranking.dense_weight,
        tokens=0 if query.tokens is None else count_tokens(cite(hits), context.tokenizer),
        is_estimated=query.tokens is not None and context.tokenizer is None,
    )
