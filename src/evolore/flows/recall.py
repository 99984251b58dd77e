"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Recall
from evolore.flows.dates import date_term, read_time, with_order
from evolore.flows.embedding import embed
from evolore.flows.evidence import gather
from evolore.flows.found import Found
from evolore.flows.hierarchy import Expander, by_depth, seen_among
from evolore.flows.intent import guess_intent
from evolore.flows.meaning import Seen
from evolore.flows.seen import seen_by
from evolore.ports import TextRole
from evolore.recall.question import plain_question
from evolore.recall.ranking import rank
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

        def rank_to(count: int) -> Ranking:
            first = rank(gathered.evidence, settings=settings, limit=count, words=gathered.words, given=by_date)
            ranking = gathered.meaning.with_likeness(first, vague=gathered.evidence.vague, settings=settings)
            ranking = with_order(ranking, asked, view, visible, settings=context.date_settings)
            if query.depth is None:
                return ranking
            return by_depth(ranking, query.depth, count=count, ids_of=found.ids, reader=reader, settings=settings)

        found = Found(rank_to, view, reader, numbers=gathered.seen.numbers)
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
    )
