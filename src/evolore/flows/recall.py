"""``recall``: the question is analysed and embedded, every item weighed, the best read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.answers import Hit, Recall, ScoreTerm
from evolore.flows.embedding import embed
from evolore.flows.seen import seen_by
from evolore.ports import TextRole
from evolore.recall.evidence import Evidence, TermScores
from evolore.recall.neighbours import near_neighbours
from evolore.recall.ranking import rank
from evolore.recall.speakers import match_speakers
from evolore.text.tokens import query_tokens

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from evolore.domain.answers import Query
    from evolore.flows.context import Context
    from evolore.ports import IndexView


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
        evidence = _evidence(context, view, query, vector)
        if seen.size < evidence.count:
            evidence = evidence.part(seen)
        ranking = rank(evidence, settings=context.recall_settings, limit=query.limit)
        chosen: list[int] = ranking.order[: query.limit].tolist()
        found = reader.episodes([view.episode_ids[int(seen[item])] for item in chosen])
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
    return Recall(query=query, hits=hits, searched=evidence.count)


def _evidence(context: Context, view: IndexView, query: Query, vector: npt.NDArray[np.float32]) -> Evidence:
    starts, items, scores = view.text.term_postings(query_tokens(query.text))
    gap_days = context.recall_settings.neighbour_gap_days
    return Evidence(
        terms=TermScores(starts=starts, items=items, scores=scores),
        similarity=view.vectors.similarities(vector),
        neighbours=near_neighbours(view.neighbours, view.neighbour_gaps, max_gap_days=gap_days),
        groups=view.groups,
        is_by_named_speaker=match_speakers(query.text, view.speakers, view.speaker_names),
    )
