"""Ask a model where two documents, or a statement and a document, cannot both hold, and file that for a person."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from evolore.answers.units import PartKind, answer_units, lead_of
from evolore.chat.asking import Asker
from evolore.domain.chat import ChatBudget
from evolore.domain.episode import EpisodeState
from evolore.domain.review import Priority, ReviewCategory, ReviewItem, cause_of
from evolore.episodes.contradictions import disagreement_reason, suggestion_for
from evolore.episodes.differences import number_difference
from evolore.flows.context import Context
from evolore.flows.embedding import embed
from evolore.flows.evolve.entailment import ChatEntailment
from evolore.flows.remember.remember import refuse_if_outrun
from evolore.flows.remember.world import Known, Outrun, World
from evolore.ports import Entailment, EntailmentFailure, EntailmentLabel, TextRole, Vectors
from evolore.text.contrasts.reading import read
from evolore.text.question_words import held_words, rarity

_TASK = "disagreements"
_AT_ONCE, _PAIRS = 16, 40
"""How many changed passages and statements are compared before what was found is written, in how many pairs of sentences."""

_NEAR, _LOOKED_AT = 8, 24
"""With how many of the nearest passages of other documents one is compared, among so many nearest items."""

_PER_WORDS, _OTHER_VALUE, _LEAST = 2.0, 0.1, 0.9
"""What shared words and another value count beside a cosine, and from which sum on a pair is asked about: chosen on
``tests/data/between`` (visible), where 31 of 34 pairs that were found are left and, of documents without any, a fifth."""

_SURE = 0.9
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_HEADS = frozenset((PartKind.HEADING, PartKind.TABLE_HEAD, PartKind.CODE))


@dataclass(frozen=True, slots=True, eq=False)
class _Sentence:
    """A sentence, list item or table row, with what is above it."""

    known: Known
    text: str
    whole: str
    own: frozenset[str]
    held: frozenset[str]


def find_disagreements(context: Context, *, limit: int, is_over: Callable[[], bool]) -> tuple[str, ...]:
    """Compare what changed since the last time with passages near it; return the review items that were filed.

    Only where the settings name a model that judges pairs. Where it fails, or its calls are spent, the rest waits.
    """
    judge, filed = _judge(context), list[str]()
    asked, vectors = set[frozenset[str]](), dict[str, "Vectors"]()
    with suppress(Outrun):
        while judge is not None and limit > 0 and not is_over():
            with context.store.index(context.namespace) as (view, reader):
                revision = reader.revision
                changed = reader.changed_after(reader.maintained_to(_TASK), limit=min(limit, _AT_ONCE))
                both = list(_beside(World(view, reader), [id_ for _, id_ in changed])) if view.episode_ids else []
            found = _contradicting(judge, _likely(both, asked, vectors, context) if both else [])
            if not changed or found is None:
                break
            with context.store.write(context.namespace, principal=context.principal) as writer:
                refuse_if_outrun(writer, revision)
                filed += writer.file_review_items([_item(*two) for two in found], at=context.clock.now())
                writer.set_maintained(_TASK, changed[-1][0])
            limit -= _AT_ONCE
    return tuple(filed)


def _judge(context: Context) -> Entailment | None:
    """Return who says whether one text contradicts another: a model in a folder, or the chat model where settings say so."""
    calls = context.settings.maintenance.review_calls if context.settings.evolution.entailment_by_chat else 0
    if context.entailment is not None or context.chat_model is None or not calls:
        return context.entailment
    return ChatEntailment(Asker(context.chat_model, ChatBudget(calls=calls), context.chat_terms))


def _beside(world: World, ids: Sequence[str]) -> Iterator[tuple[Known, Known]]:
    """Yield each changed item with the nearest passages of other documents in its language."""
    for one in filter(_holds, world.some(ids).values()):
        near = filter(_holds, world.near(one.vector, count=_LOOKED_AT, but=[one.id]))
        foreign = (other for other in near if other.document_id not in {None, one.document_id})
        yield from ((one, other) for other in [other for other in foreign if other.language is one.language][:_NEAR])


def _holds(one: Known) -> bool:
    return one.stands and one.state is not EpisodeState.SUPERSEDED


def _sentences(known: Known) -> Iterator[_Sentence]:
    """Yield what a passage or statement says, sentence by sentence."""
    units = answer_units(known.text)
    above = " ".join(dict.fromkeys((known.title or "", *known.heading_path)))
    for place, unit in enumerate(units):
        text, lead = " ".join(unit.span.of(known.text).split()), lead_of(units, place)
        if unit.kind in _HEADS or unit.asks:
            continue
        whole = " ".join(filter(None, (above, "" if lead is None else units[lead].span.of(known.text), text)))
        yield _Sentence(known, text, whole, held_words(text), held_words(whole))


def _likely(
    both: Sequence[tuple[Known, Known]], asked: set[frozenset[str]], vectors: dict[str, Vectors], context: Context
) -> list[tuple[_Sentence, _Sentence]]:
    """Return the pairs of sentences most likely of one matter, which were not asked about yet."""
    said = {one.id: list(_sentences(one)) for two in both for one in two}
    every = [one for sentences in said.values() for one in sentences]
    rare = rarity(Counter(word for one in every for word in one.held), len(every))
    new = [text for text in dict.fromkeys(one.whole for one in every) if text not in vectors]
    vectors.update(zip(new, embed(context.embedder, new, role=TextRole.PASSAGE) if new else (), strict=True))
    scored: dict[frozenset[str], tuple[float, _Sentence, _Sentence]] = {}
    for one, other in ((ours, theirs) for a, b in both for ours in said[a.id] for theirs in said[b.id]):
        shared = math.sqrt(_share(one.own, other.held, rare) * _share(other.own, one.held, rare))
        key = frozenset((f"{one.known.id} {one.text}", f"{other.known.id} {other.text}"))
        years = [set(_YEAR.findall(each.whole)) for each in (one, other)]
        if key in asked or one.text == other.text or (all(years) and years[0].isdisjoint(years[1])):
            continue
        differs = number_difference(*(read(each.text, each.known.language) for each in (one, other))) is not None
        alike = float(np.dot(vectors[one.whole], vectors[other.whole]))
        score = _PER_WORDS * shared + alike + _OTHER_VALUE * differs
        if score >= _LEAST:
            scored[key] = (score, one, other)
    best = sorted(scored.items(), key=lambda found: -found[1][0])[:_PAIRS]
    asked.update(key for key, _ in best)
    return [(one, other) for _, (_, one, other) in best]


def _share(own: frozenset[str], held: frozenset[str], rare: dict[str, float]) -> float:
    return sum(rare[word] for word in own & held) / (1.0 + sum(rare[word] for word in own))


def _contradicting(
    judge: Entailment, pairs: Sequence[tuple[_Sentence, _Sentence]]
) -> list[tuple[_Sentence, _Sentence]] | None:
    """Return the pairs that contradict each other in both orders; None where the model failed."""
    if not pairs:
        return []
    asked = [(one.whole, other.whole) for one, other in pairs]
    judged = judge.judge([*asked, *((other, one) for one, other in asked)])
    if isinstance(judged, EntailmentFailure):
        return None
    sure = judged[:, list(EntailmentLabel).index(EntailmentLabel.CONTRADICTION)].reshape(2, -1).min(axis=0) >= _SURE
    return [pair for pair, is_sure in zip(pairs, sure, strict=True) if is_sure]


def _item(one: _Sentence, other: _Sentence) -> ReviewItem:
    sides = [(each.known.source or "", each.text) for each in (one, other)]
    passage = other.known
    return ReviewItem(
        category=ReviewCategory.DISAGREEMENT,
        reason=disagreement_reason(sides, passage.language),
        suggestion=suggestion_for(ReviewCategory.DISAGREEMENT, passage.language, source=passage.source or ""),
        priority=Priority.NORMAL,
        language=passage.language,
        document_id=passage.document_id,
        episode_id=passage.id,
        other_episode_id=one.known.id,
        cause=cause_of(ReviewCategory.DISAGREEMENT, *sorted(f"{source}\n{text}" for source, text in sides)),
    )
