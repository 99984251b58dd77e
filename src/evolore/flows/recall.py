"""``recall``: the question is analysed and embedded, every item it may see weighed, the best read from the store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.domain.document import Span
from evolore.domain.episode import Episode
from evolore.domain.evolution import shadow_source
from evolore.domain.filters import Filter
from evolore.domain.outline import OutlineCode
from evolore.domain.query import Hit, Intent, Query, Recall, Suppressed
from evolore.flows.embedding import embed
from evolore.flows.intent import say_intent
from evolore.flows.recall_lessons import learned
from evolore.flows.shadows import as_seen, split, without_trials
from evolore.ports import IndexView, TextRole
from evolore.recall.dense import Seen
from evolore.recall.hits import count_tokens, within_budget
from evolore.recall.pipeline import Pipeline
from evolore.recall.question import Asked, plain_question
from evolore.recall.reranking import Scored, judge, judged_anew
from evolore.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.store.reading import StoreReader


def recall(context: Context, query: Query) -> Recall:
    """Find what answers a question."""
    return recalled(context, query)[0]


def recalled(context: Context, query: Query) -> tuple[Recall, npt.NDArray[np.float32]]:
    """Find what answers a question, and return it with the question's vector, shape (dimension,)."""
    if context.namespace in query.also:
        query = replace(query, also=tuple(name for name in query.also if name != context.namespace))
    vector = embed(context.embedder, [plain_question(query.text)], role=TextRole.QUERY)[0]
    model, spaces = context.embedder.model, context.intent_spaces
    said = say_intent(query.text, vector, model=model, spaces=spaces, chat=context.chat_intents)
    intent = said.guess.intent
    judged = Scored()
    if context.reranker is not None and not query.also:
        first = partial(_first, context, query, vector, intent)
        judged = judge(context.reranker, query.text, first, settings=context.rerank_settings)
    wanted = query
    if query.also and context.reranker is not None:  # which is to judge as much of each namespace as of all
        wanted = replace(query, limit=max(query.limit, context.rerank_settings.items), tokens=None, least=query.floor)
    with context.store.index(context.namespace) as (whole, reader):
        view = as_seen(query, whole) if whole.shadows else whole
        pipeline = _ranked(context, wanted, vector, intent, view=view, reader=reader, judged=judged)
        hits = _of_namespace(pipeline.hits(_passages), context.namespace)
        searched = pipeline.evidence.count
        unmatched = () if searched else unmatched_by(query, view, reader)
        found = Recall(
            query=query,
            hits=hits,
            searched=searched,
            intent=intent,
            intent_confidence=said.guess.confidence,
            is_intent_by_chat_model=said.is_by_chat_model,
            intent_reason=said.reason,
            suppressed=pipeline.suppressed,
            learned_from=pipeline.learned_from,
            canaries=split(query, view.shadows).canaries if view.shadows else (),
            namespace=context.namespace,
            asked_time=pipeline.asked_time,
            dense_weight=pipeline.ranking.dense_weight,
            reranking=judged.report,
            is_estimated=query.tokens is not None and context.tokenizer is None,
            unmatched=unmatched,
            language=pipeline.language,
            likelihood=pipeline.likelihood,
        )
    if query.also:
        found = _with_others(context, found, [_elsewhere(context, wanted, vector, intent, one) for one in query.also])
    if query.tokens is not None:
        found = replace(found, tokens=count_tokens(found.context, context.tokenizer))
    return found, vector


def _of_namespace(hits: Iterable[Hit], namespace: str) -> tuple[Hit, ...]:
    return tuple(replace(hit, namespace=namespace) for hit in hits)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Elsewhere:
    """What a further namespace holds about a question.

    Args:
        hits: Best first.
        searched: How many episodes were weighed.
        suppressed: What was pushed down by another account of the same matter.
        unmatched: Parts of the filter that nothing there has, where it let nothing through.
        likelihood: How likely anything there bears on the question.
    """

    hits: tuple[Hit, ...]
    searched: int
    suppressed: tuple[Suppressed, ...]
    unmatched: tuple[str, ...]
    likelihood: float | None


def _elsewhere(
    context: Context, query: Query, vector: npt.NDArray[np.float32], intent: Intent, namespace: str
) -> _Elsewhere:
    """Find what a further namespace holds: by its own words and vectors, without its lessons and its texts on trial."""
    with context.store.index(namespace) as (whole, reader):
        view = without_trials(whole)
        pipeline = _ranked(context, query, vector, intent, view=view, reader=reader, judged=Scored(), learns=False)
        searched = pipeline.evidence.count
        return _Elsewhere(
            hits=_of_namespace(pipeline.hits(_passages), namespace),
            searched=searched,
            suppressed=pipeline.suppressed,
            unmatched=() if searched else unmatched_by(query, view, reader),
            likelihood=pipeline.likelihood,
        )


def _with_others(context: Context, found: Recall, others: Sequence[_Elsewhere]) -> Recall:
    """Return what one's own namespace holds together with what the others do, on one scale."""
    query = found.query
    # A score says how well a text answers, whatever else is remembered; ties stay in the order of the namespaces.
    hits = tuple(sorted((hit for part in (found, *others) for hit in part.hits), key=lambda hit: -hit.score))
    judged = Scored()
    if context.reranker is not None:
        judged = judge(context.reranker, query.text, partial(_episodes, hits), settings=context.rerank_settings)
        hits = judged_anew(hits, judged, settings=context.rerank_settings)
    hits = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits[: query.limit], start=1))
    if query.tokens is not None:
        hits = within_budget(hits, query.tokens, tokenizer=context.tokenizer, citing=found.citing)
    pushed = sorted(
        (one for part in (found, *others) for one in part.suppressed), key=lambda one: (-one.penalty, one.episode_id)
    )
    searched = found.searched + sum(one.searched for one in others)
    told = [one.likelihood for one in (found, *others)]
    missing = set(found.unmatched).intersection(*(one.unmatched for one in others))
    return replace(
        found,
        hits=hits,
        searched=searched,
        suppressed=tuple(pushed),
        reranking=judged.report,
        unmatched=() if searched else tuple(name for name in found.unmatched if name in missing),
        likelihood=max((one for one in told if one is not None), default=None),
    )


def _episodes(hits: Sequence[Hit], count: int) -> tuple[Episode, ...]:
    return tuple(hit.episode for hit in hits[:count])


def _first(
    context: Context, query: Query, vector: npt.NDArray[np.float32], intent: Intent, count: int
) -> tuple[Episode, ...]:
    """Return the first items of a question as they are ranked without a judgement."""
    with context.store.index(context.namespace) as (whole, reader):
        view = as_seen(query, whole)
        pipeline = _ranked(context, query, vector, intent, view=view, reader=reader, judged=Scored())
        return pipeline.items.episodes(pipeline.to(count).order[:count].tolist())


def _ranked(
    context: Context,
    query: Query,
    vector: npt.NDArray[np.float32],
    intent: Intent,
    *,
    view: IndexView,
    reader: StoreReader,
    judged: Scored,
    learns: bool = True,
) -> Pipeline:
    """Run the pipeline on a snapshot; what other systems and the store know of the question is handed to it."""
    space, now = context.matter_spaces.of(context.embedder.model), context.clock.now()
    asked = Asked(
        query=query,
        vector=vector,
        intent=intent,
        now=now.astimezone() if context.is_local else now,  # in the zone whose calendar day a question means
        matching=matching(query.filter, view, reader) if query.filter.asks_for_names else None,
    )
    lessons = partial(learned, query, vector, view=view, reader=reader, space=space, settings=context.query_settings)
    return Pipeline(
        asked,
        view=view,
        reader=reader,
        lessons=lessons if learns else _no_lessons,
        settings=context,
        judged=judged,
        centre_of=context.calibrations.centres(context.embedder.model),
    )


def _no_lessons(seen: Seen, at: float) -> None:
    """Return no lessons, where what items gain by earlier questions does not count."""
    del seen, at


def matching(wanted: Filter, view: IndexView, reader: StoreReader) -> frozenset[str]:
    """Look a filter up; a source that the store does not know as it is written is taken for a path."""
    found = _with_shadows(wanted, view, reader)
    if found or wanted.source is None:
        return found
    return _with_shadows(replace(wanted, source=str(Path(wanted.source).resolve())), view, reader)


def _with_shadows(wanted: Filter, view: IndexView, reader: StoreReader) -> frozenset[str]:
    """Look a filter up; texts on trial lie where those lie in whose place they stand."""
    found = reader.matching(wanted)
    if wanted.source is not None:
        for promotion_id in sorted({one.promotion_id for one in view.shadows}):
            found |= reader.matching(replace(wanted, source=shadow_source(promotion_id, wanted.source)))
    return found


def unmatched_by(query: Query, view: IndexView, reader: StoreReader) -> tuple[str, ...]:
    """Name the parts of a question's filter that nothing here has, whatever else is asked for."""
    wanted = query.filter
    parts = {
        "where": Filter(where=wanted.where),
        "tags": Filter(tags=wanted.tags),
        "session": Filter(session=wanted.session),
        "speaker": Filter(speaker=wanted.speaker),
        "source": Filter(source=wanted.source),
        "path": Filter(source=wanted.source if isinstance(wanted.path, OutlineCode) else None, path=wanted.path),
    }
    return tuple(name for name, part in parts.items() if getattr(part, name) and not matching(part, view, reader))


_LETTERS = Chunker(ChunkSettings(target_size=350, max_size=900, min_size=100), ngram_characters=0)
_CHARACTERS = Chunker(ChunkSettings(target_size=130, max_size=330, min_size=40), ngram_characters=0)
"""System 1 with small leaves, where a token is several characters and where it is one. Without sentence vectors and without
the search by perplexity in what has no sentences: a message is cut in milliseconds while somebody waits for it."""

_DENSE = 2.0
"""Characters a token, below which a text counts as written in the second way."""


@lru_cache(maxsize=256)
def _passages(text: str) -> tuple[Span, ...]:
    chunker = _CHARACTERS if len(text) < _DENSE * estimate_tokens(text) else _LETTERS
    return tuple(leaf.span for leaf in chunker.chunk(text).leaves)
