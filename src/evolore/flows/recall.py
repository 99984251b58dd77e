"""``recall``: analyse and embed the question, score every item it may see, read the best from the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evolore.chunking.chunker import Chunker
from evolore.chunking.settings import ChunkSettings
from evolore.domain.document import Span
from evolore.domain.episode import INITIAL_CONFIDENCE, ProcedureOutcome, StatementKind
from evolore.domain.evolution import shadow_source
from evolore.domain.filters import Filter
from evolore.domain.outline import OutlineCode
from evolore.domain.query import Hit, HitRelation, Query, Recall
from evolore.domain.review import ReviewCategory, ReviewFilter, ReviewStatus
from evolore.flows.context import Context
from evolore.flows.embedding import embed, meaning_weights
from evolore.flows.intent import SaidIntent, say_intent
from evolore.flows.lessons import learned
from evolore.flows.shadows import as_seen, split
from evolore.ports import EventRecord, IndexView, TextRole
from evolore.recall.dense import Seen
from evolore.recall.hits import count_tokens, within_budget
from evolore.recall.pipeline import Pipeline, RankSettings
from evolore.recall.question import Asked, plain_question
from evolore.recall.reranking import judge, judged_anew
from evolore.store.reading import StoreReader
from evolore.text.tokens import estimate_tokens


def recall(context: Context, query: Query) -> Recall:
    """Find what answers a question."""
    return recalled(context, query)[0]


def recalled(context: Context, query: Query) -> tuple[Recall, npt.NDArray[np.float32]]:
    """Find what answers a question, and return it with the question's vector, shape (dimension,)."""
    if context.namespace in query.also:
        query = replace(query, also=tuple(name for name in query.also if name != context.namespace))
    vector = embed(context.embedder, [plain_question(query.text)], role=TextRole.QUERY)[0]
    said = say_intent(
        query.text, vector, model=context.embedder.model, spaces=context.intent_spaces, chat=context.chat_intents
    )
    find = partial(_found_in, context, query, vector, said)
    parts = {name: find(name) for name in (context.namespace, *query.also)}
    found = _joined([part for part, _ in parts.values()])
    if context.reranker is not None:  # no index is held meanwhile: it may take long
        settings = context.settings.rerank
        judged = judge(context.reranker, query.text, found.hits, settings=settings)
        changed = [name for name, (_, revision) in parts.items() if _revision(context, name) != revision]
        if changed:  # what was forgotten meanwhile does not come back
            parts |= {name: find(name) for name in changed}
            found = _joined([part for part, _ in parts.values()])
        found = replace(found, hits=judged_anew(found.hits, judged, settings=settings), reranking=judged.report)
    if query.also or context.reranker is not None:
        found = replace(found, hits=_as_asked(context, found))
    if query.tokens is not None:
        found = replace(found, tokens=count_tokens(found.context, context.tokenizer))
    return found, vector


def _found_in(
    context: Context, query: Query, vector: npt.NDArray[np.float32], said: SaidIntent, namespace: str
) -> tuple[Recall, int]:
    """Find what one namespace holds about a question, at which revision; a further one has its own words and vectors, and no lessons.

    Where a reranker is to judge, as many hits are read as it judges, regardless of the question's budget.
    """
    count = None if context.reranker is None else max(query.limit, context.settings.rerank.items)
    is_own, now, settings = namespace == context.namespace, context.clock.now(), context.settings
    with context.store.index(namespace) as (whole, reader):
        view = as_seen(query, whole, is_own=is_own) if whole.shadows else whole
        view = _without_withheld(view, reader, query.principal)
        asked = Asked(
            query=query,
            vector=vector,
            intent=said.guess.intent,
            now=now.astimezone() if context.is_local else now,  # in the zone whose calendar day a question means
            matching=matching(query.filter, view, reader) if query.filter.asks_for_names else None,
        )
        space = context.matter_spaces.of(context.embedder.model)
        lessons = partial(learned, query, vector, view=view, reader=reader, space=space, settings=settings.queries)
        pipeline = Pipeline(
            asked,
            view=view,
            reader=reader,
            lessons=lessons if is_own else _no_lessons,
            settings=RankSettings(
                meaning=meaning_weights(context.embedder.model),
                decay=settings.decay,
                intents=settings.intent,
                superseded=settings.recall.superseded,
                is_southern=settings.southern,
                tokenizer=context.tokenizer,
            ),
            centre_of=context.calibrations.centres(context.embedder.model),
        )
        found = _offered(pipeline.hits(_passages, count=count), reader)
        hits = related(replace(hit, namespace=namespace) for hit in found)
        return Recall(
            query=query,
            hits=hits,
            searched=pipeline.searched,
            intent=said.guess.intent,
            intent_confidence=said.guess.confidence,
            intent_weights=pipeline.intent_weights,
            is_intent_by_chat_model=said.is_by_chat_model,
            intent_reason=said.reason,
            suppressed=pipeline.suppressed,
            learned_from=pipeline.learned_from,
            canaries=split(query, view.shadows).canaries if is_own and view.shadows else (),
            namespace=namespace,
            asked_time=pipeline.asked_time,
            dense_weight=pipeline.ranking.dense_weight,
            is_estimated=query.tokens is not None and context.tokenizer is None,
            unmatched=() if pipeline.searched else unmatched_by(query, view, reader),
            language=pipeline.language,
            likelihood=pipeline.likelihood,
        ), reader.revision


_OFFERED_FROM = 0.5
"""A procedure that is less likely relevant is not offered."""


def withheld_procedures(reader: StoreReader) -> Mapping[str, str | None]:
    """Return the procedures that are not reviewed yet, with who remembered each, and those that fail, with ``""``: nobody.

    Steps fail that failed more often than they worked, and are trusted less than at first.
    """
    named = reader.statements(Filter(where={"kind": StatementKind.PROCEDURE.value}), limit=None)
    steps = {one.id: one.confidence for one in named if one.is_procedure}
    if not steps:
        return {}
    wanted = ReviewFilter(category=ReviewCategory.PROCEDURE, status=ReviewStatus.RESOLVED)
    unreviewed = steps.keys() - {one.episode_id for one in reader.review_items(wanted)}
    doubted = {id_ for id_, confidence in steps.items() if confidence < INITIAL_CONFIDENCE}
    told = reader.histories(unreviewed | doubted)
    counts = {id_: Counter(one.reason for one in reports(told[id_])) for id_ in doubted}
    failing = [id_ for id_, count in counts.items() if count["failed"] > count["worked"]]
    return {id_: told[id_][0].principal for id_ in unreviewed if told[id_]} | dict.fromkeys(failing, "")


def _without_withheld(view: IndexView, reader: StoreReader, principal: str | None) -> IndexView:
    """Return a view without procedures that fail, or that somebody else remembered and nobody reviewed."""
    told = reader.counted("withheld procedures", partial(withheld_procedures, reader))
    hidden = [view.numbers[id_] for id_, by in told.items() if by != principal and id_ in view.numbers]
    if not hidden:
        return view
    withheld = np.zeros(len(view.episode_ids), dtype=np.bool_) if view.withheld is None else view.withheld.copy()
    withheld[hidden] = True
    return replace(view, withheld=withheld)


def _offered(hits: Sequence[Hit], reader: StoreReader) -> Sequence[Hit]:
    """Return hits with the outcomes of procedures, without those that bear too little."""
    steps = {hit.episode.id: hit.likelihood for hit in hits if hit.episode.is_procedure}
    if not steps:
        return hits
    unlikely = {id_ for id_, likelihood in steps.items() if likelihood is not None and likelihood < _OFFERED_FROM}
    kept = [hit for hit in hits if hit.episode.id not in unlikely]
    told = reader.histories(steps.keys() - unlikely)
    counts = {id_: Counter(one.reason for one in reports(events)) for id_, events in told.items()}
    outcomes = {id_: (count["worked"], count.total()) for id_, count in counts.items()}
    return [replace(hit, rank=rank, outcomes=outcomes.get(hit.episode.id)) for rank, hit in enumerate(kept, start=1)]


def reports(events: Iterable[EventRecord]) -> list[EventRecord]:
    """Return the events by which outcomes were told, without what was undone."""
    return [one for one in events if one.reason in set(ProcedureOutcome) and one.undone_by is None]


def _revision(context: Context, namespace: str) -> int:
    with context.store.read(namespace) as reader:
        return reader.revision


def _joined(parts: Sequence[Recall]) -> Recall:
    """Return what one's own namespace, the first, holds together with what others do, on one scale."""
    found, *others = parts
    if not others:
        return found
    # A score says how well a text answers, regardless of other texts; ties stay in the order of the namespaces.
    hits = sorted((hit for part in parts for hit in part.hits), key=lambda hit: -hit.score)
    pushed = sorted((one for part in parts for one in part.suppressed), key=lambda one: (-one.penalty, one.episode_id))
    searched = sum(part.searched for part in parts)
    missing = set(found.unmatched).intersection(*(one.unmatched for one in others))
    return replace(
        found,
        hits=tuple(hits),
        searched=searched,
        suppressed=tuple(pushed),
        unmatched=() if searched else tuple(name for name in found.unmatched if name in missing),
        likelihood=max((part.likelihood for part in parts if part.likelihood is not None), default=None),
    )


def _as_asked(context: Context, found: Recall) -> tuple[Hit, ...]:
    """Return as many of the hits as the question asks for, with ranks of their own."""
    query = found.query
    hits = related(replace(hit, rank=rank) for rank, hit in enumerate(found.hits[: query.limit], start=1))
    if query.tokens is None:
        return hits
    return within_budget(hits, query.tokens, tokenizer=context.tokenizer, citing=found.citing)


def related(hits: Iterable[Hit]) -> tuple[Hit, ...]:
    """Return hits, best first, each with its relation to the nearest better one from the same document."""
    better: dict[tuple[str, tuple[int, ...]], tuple[int, OutlineCode]] = {}
    found: list[Hit] = []
    for hit in hits:
        document, code = hit.episode.document_id, hit.expansion.outline if hit.expansion else hit.episode.outline
        relation = None
        if document is not None and code is not None and hit.whole is None:
            shared = [(document, code.parts[:end]) for end in range(len(code.parts), -1, -1)]
            near = next((better[one] for one in shared if one in better), None)
            relation = near and HitRelation(rank=near[0], relation=code.relation_to(near[1]))
            for one in shared:
                better.setdefault(one, (hit.rank, code))
        found.append(hit if relation == hit.relation else replace(hit, relation=relation))
    return tuple(found)


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
    """Look a filter up; texts on trial lie where the texts they replace lie."""
    found = reader.matching(wanted)
    if wanted.source is not None:
        for promotion_id in sorted({one.promotion_id for one in view.shadows}):
            found |= reader.matching(replace(wanted, source=shadow_source(promotion_id, wanted.source)))
    return found


def unmatched_by(query: Query, view: IndexView, reader: StoreReader) -> tuple[str, ...]:
    """Name the parts of a question's filter that nothing here has, each checked alone."""
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
