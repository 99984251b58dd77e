"""``rate``: record whether an answer served, and trust what it rests on more or less."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from evolore.domain.checks import check_text, checked_word
from evolore.domain.document import Document
from evolore.domain.episode import EdgeKind, Episode
from evolore.domain.feedback import RESONANCE, TAKEN_BACK, Effect, Feedback
from evolore.domain.outcome import Outcome, QueryRecord, Rating
from evolore.domain.result import Result
from evolore.errors import AmbiguousId, InputError, InvalidValue, NotFound
from evolore.flows.browse import by_source_or_path
from evolore.flows.item_keys import arousal_of, vectors_of
from evolore.flows.lessons import INSIGHT, Evaluated, Standing, leave_edges, outcome_by_ratings
from evolore.flows.question_lookup import among_given, query_with_id
from evolore.ports import Change, ChangeKind, EventRecord, FieldChange, Head, IndexedText, QueryEdge
from evolore.queries.edges import edges_of
from evolore.queries.outcomes import effect_of, rests_on, trusted
from evolore.recall.arousal import resonate

if TYPE_CHECKING:
    from evolore.flows.context import Context
    from evolore.queries.settings import QuerySettings
    from evolore.store.reading import StoreReader
    from evolore.store.writing import StoreWriter

ENTERED = "query_edges_entered"
"""The kind of an event by which edges of questions entered the graph."""


MOST_PER_PRINCIPAL = 3
"""How many changes of the confidence of one episode the ratings of one principal cause at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What followed from the ratings of a question."""

    outcome: Outcome  #: What it led to.
    event_ids: tuple[str, ...]  #: The events by which edges entered the graph, and those of evaluations.
    evaluated: tuple[Evaluated, ...]  #: The episodes that were evaluated.


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedQuery(Result):
    """What a rating did."""

    query: QueryRecord  #: The question as it is now, with all ratings that count.
    episodes: tuple[Episode, ...] = ()  #: The episodes whose confidence or arousal this rating moved, as they are now.
    #: The events of that, and of edges that entered the graph; ``undo`` takes each back.
    event_ids: tuple[str, ...] = ()
    evaluated: tuple[Evaluated, ...] = ()  #: The episodes that were evaluated because of it.
    #: How many episodes it would have moved too, had the same person not moved them as often as one may.
    capped: int = 0
    feedback: tuple[Feedback, ...] = ()  #: What it says of the documents that the answer rests on.


@dataclass(frozen=True, slots=True, kw_only=True)
class _RatedQuestion:
    """A question as it was read, and at which revision of the namespace."""

    query: QueryRecord
    revision: int

    def present(self, writer: StoreWriter) -> QueryRecord:
        """Return it as it is in a transaction: others may have rated it, or erased it, since it was read."""
        return self.query if writer.revision == self.revision + 1 else query_with_id(writer, self.query.id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _CheckedRating:
    """A rating of an answer, checked."""

    rating: Rating
    comment: str | None
    is_helpful: bool


def rate(
    context: Context,
    query_id: str,
    rating: Rating | str,
    *,
    comment: str | None = None,
    cited: Iterable[str] | None = None,
    is_helpful: bool = False,
) -> RatedQuery:
    """Record whether an answer served, in one transaction with all that follows.

    One person's later rating takes the place of the earlier one, whose effect is taken back first.
    """
    said = _read(context, rating, comment, is_helpful=is_helpful)
    with context.store.read(context.namespace) as reader:
        asked = _RatedQuestion(query=query_with_id(reader, query_id), revision=reader.revision)
    return _rate(context, asked, said, cited)


def _rate(context: Context, asked: _RatedQuestion, said: _CheckedRating, cited: Iterable[str] | None) -> RatedQuery:
    before, settings = asked.query, context.settings.queries
    felt = felt_of(context, before)
    named = None if cited is None else among_given(before.given, cited)
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        present = asked.present(writer)
        if named is not None:
            refuse_other_citations(present, named, by=context.principal)
        effects = Effects(writer, principal=context.principal, most=MOST_PER_PRINCIPAL, at=at)
        effects.take_back(present)
        if named is not None:
            writer.set_outcome(present.id, present.outcome, is_stated=present.is_stated, cited=named, at=at)
        writer.rate_query(present.id, said.rating, comment=said.comment, at=at)  # its effects follow it in the chain
        rated = query_with_id(writer, present.id)
        effects.look_at(rated)
        moved = _move(effects, rated, said, felt)
        left = follow_ratings(writer, rated, settings=settings, at=at, standing=effects.standing)
        feedback = feedback_of_query(writer, rated, said.rating, comment=said.comment, at=at)
        return RatedQuery(
            query=replace(rated, outcome=left.outcome),
            episodes=writer.episodes(sorted(moved)),
            event_ids=(*effects.event_ids, *left.event_ids),
            evaluated=left.evaluated,
            capped=effects.capped,
            feedback=feedback,
        )


def rate_item(
    context: Context,
    item_id: str,
    rating: Rating | str,
    *,
    comment: str | None = None,
    cited: Iterable[str] | None = None,
    is_helpful: bool = False,
) -> RatedQuery | RatedDocument:
    """Record whether an answer or document served; an id, or the beginning of one, names it."""
    with context.store.read(context.namespace) as reader:
        wanted = item_id.strip().lower()
        query = reader.query_of_answer(wanted) or reader.query(wanted)  # most pass the whole id of an answer
        asked = None if query is None else _RatedQuestion(query=query, revision=reader.revision)
        named = Rateable(query_id=query.id) if query is not None else rateable(reader, item_id)
    if asked is not None:
        return _rate(context, asked, _read(context, rating, comment, is_helpful=is_helpful), cited)
    if named.document_id is None:
        return rate(context, named.query_id or item_id, rating, comment=comment, cited=cited, is_helpful=is_helpful)
    refuse_for_documents(cited=cited is not None, helpful=is_helpful)
    return rate_document(context, named.document_id, rating, comment=comment)


def _read(context: Context, rating: Rating | str, comment: str | None, *, is_helpful: bool) -> _CheckedRating:
    word = checked_word(Rating, rating, "rating")
    if comment is not None:
        check_text(comment, "comment")
        comment = context.screen(comment, "comment", of="The rating")
    if is_helpful and word is Rating.BAD:
        raise InvalidValue("helpful goes with a good rating: leave it out, or rate the answer 'good'.")
    return _CheckedRating(rating=word, comment=comment, is_helpful=is_helpful)


def refuse_other_citations(query: QueryRecord, named: Collection[str], *, by: str | None) -> None:
    """Refuse that somebody says otherwise what an answer rests on than the one it was given to did."""
    if query.cited_ids and by != query.principal and set(query.cited_ids) != set(named):
        raise InvalidValue(
            f"What the answer to {query.id} rests on was said already: leave cited out. Only the asker may say it again."
        )


def _move(effects: Effects, rated: QueryRecord, said: _CheckedRating, felt: float | None) -> frozenset[str]:
    """Move the confidence of what an answer rests on, and how strongly what it cites was felt."""
    if said.rating is Rating.BAD:
        return effects.distrust([one.episode_id for one in rests_on(rated.given)])
    return effects.trust(rated.cited_ids, is_helpful=said.is_helpful) | effects.resonate(rated.cited_ids, felt)


def follow_ratings(
    writer: StoreWriter, rated: QueryRecord, *, settings: QuerySettings, at: datetime, standing: Standing | None = None
) -> Followed:
    """Update outcome and edges of a question from its ratings."""
    outcome = outcome_by_ratings(writer, rated)
    if outcome is not rated.outcome:
        writer.set_outcome(rated.id, outcome, is_stated=rated.is_stated, cited=None, at=at)
    edges = edges_of(rated.id, rated.given, outcome)
    _withdraw_insight(writer, rated.id, but=edges, at=at)
    left = leave_edges(writer, edges, settings=settings, at=at, standing=standing)
    return Followed(outcome=outcome, event_ids=left.event_ids, evaluated=left.evaluated)


def _withdraw_insight(writer: StoreWriter, query_id: str, *, but: Iterable[QueryEdge], at: datetime) -> None:
    """Remove from the graph edges of an insight that is none any more, or rests on something else."""
    kept = {edge.target_id for edge in but if edge.kind is EdgeKind.QUERY_INSIGHT}
    for event in reversed(writer.history(query_id, kinds=(ENTERED,))):
        if event.reason == INSIGHT and event.undone_by is None and not kept & set(event.episode_ids):
            undo_if_possible(writer, event.id, at=at)


_SEVERAL = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedDocument(Result):
    """What rating a document did."""

    document: Document  #: Which.
    feedback: Feedback  #: What is kept of it.


@dataclass(frozen=True, slots=True, kw_only=True)
class Rateable:
    """What an id names that can be rated: a question, by its own id or that of its answer, or a document."""

    query_id: str | None = None  #: The question; None for a document.
    document_id: str | None = None  #: The document; None for a question.


def rateable(reader: StoreReader, item_id: str) -> Rateable:
    """Find what an id, or the beginning of one, names: a question, an answer or a document; a source names one too.

    An answer and the question it was given to are rated as one.
    """
    check_text(item_id, "The id")
    wanted = item_id.strip().lower()
    found: dict[str, Rateable] = {id_: Rateable(query_id=id_) for id_ in reader.resolve_query(wanted)}
    for id_ in reader.resolve_answer(wanted):
        answer = reader.answer(id_)
        found[id_] = Rateable(query_id=answer.query_id if answer else None)
    items = reader.resolve(wanted)
    found |= {id_: Rateable(document_id=id_) for id_ in items if reader.document(id_) is not None}
    if wanted in found:
        return found[wanted]
    if len(set(found.values())) > 1 or (not found and len(items) == _SEVERAL):
        raise AmbiguousId(
            f"{item_id!r} begins several ids, such as {' and '.join([*(found or items)][:_SEVERAL])}: write more of it."
        )
    return Rateable(document_id=_with_source(reader, item_id).id) if not found else next(iter(found.values()))


def _with_source(reader: StoreReader, name: str) -> Document:
    document = by_source_or_path(reader, name)
    if document is None:
        raise NotFound(
            f"No question, answer or document has the id {name!r} here: `evolore questions list` shows those that were "
            "recorded, `evolore list` the documents."
        )
    return document


def rate_document(context: Context, document_id: str, rating: Rating | str, *, comment: str | None) -> RatedDocument:
    """Record what somebody says of a document itself; it replaces what the same person said of it before.

    Raises:
        NotFound: There is no such document.
        InvalidValue: The rating is none, or the comment is blank.
    """
    said = _read(context, rating, comment, is_helpful=False)
    at = context.clock.now()
    with context.store.write(context.namespace, principal=context.principal) as writer:
        id_ = writer.put_feedback(document_id, said.rating, comment=said.comment, at=at)
        document = writer.document(document_id)
        assert document is not None
        (kept,) = (one for one in writer.feedback(document_id=document_id) if one.id == id_)
        return RatedDocument(document=document, feedback=kept)


def refuse_for_documents(*, cited: bool, helpful: bool) -> None:
    """Refuse what can be said of an answer alone.

    Raises:
        InvalidValue: It is stated of a document.
    """
    if cited or helpful:
        name = "cited" if cited else "helpful"
        raise InvalidValue(f"{name} is about an answer, and the id is a document's: leave it out, or rate the answer.")


def feedback_of_query(
    writer: StoreWriter, rated: QueryRecord, rating: Rating, *, comment: str | None, at: datetime
) -> tuple[Feedback, ...]:
    """Record what a rating says of each document the answer rests on; where none is cited, of that of the best hit.

    What people said of others, when the answer was said to rest on these, counts for these no longer.
    """
    used = [one.episode_id for one in rests_on(rated.given)]
    return writer.feedback_of_answer(rated, used if rated.cited_ids else used[:1], rating, comment=comment, at=at)


_RATED = "query_rated"
_AROUSAL = "arousal_changed"
_CONFIDENCE = ChangeKind.CONFIDENCE_CHANGED.value
_FOLLOWING = 2
"""An event of a rating is followed at once by that of confidence and that of arousal, where there are such."""


def felt_of(context: Context, record: QueryRecord) -> float | None:
    """Estimate how strongly a question is felt, 0–1; None where that cannot be estimated."""
    estimate = context.estimates(context.embedder.model)
    if estimate is None:
        return None
    item = IndexedText(text=record.text, language=record.language)
    return arousal_of(item, vectors_of(context.embedder, [item])[0], estimate=estimate)


class Effects:
    """What one principal's rating moves, in one transaction.

    Args:
        writer: The transaction.
        principal: Whose rating; None if unnamed, which counts as one.
        most: How many effects of one principal an episode may bear.
        at: When.
    """

    def __init__(self, writer: StoreWriter, *, principal: str | None, most: int, at: datetime) -> None:
        self._writer, self._principal, self._most, self._at = writer, principal, most, at
        self._heads: Mapping[str, tuple[Head, ...]] = {}
        self._known: Mapping[str, tuple[EventRecord, ...]] = {}
        self.event_ids: list[str] = []
        self.capped = 0

    def trust(self, ids: Iterable[str], *, is_helpful: bool) -> frozenset[str]:
        """Trust episodes more, and return those whose confidence moved."""
        return self._move(ids, effect_of(Rating.GOOD, is_helpful=is_helpful))

    def distrust(self, ids: Iterable[str]) -> frozenset[str]:
        """Trust episodes less, and return those whose confidence moved."""
        return self._move(ids, effect_of(Rating.BAD, is_helpful=False))

    def resonate(self, ids: Iterable[str], felt: float | None) -> frozenset[str]:
        """Move how strongly episodes are felt towards the question, where that was stated or estimated of both."""
        if felt is None:
            return frozenset()
        heads = [one for one in self._standing(ids) if self._count(one.id, _AROUSAL, {RESONANCE}) < self._most]
        before = {one.id: one.estimate if one.arousal is None else one.arousal for one in heads}
        changes = {id_: resonate(value, felt) for id_, value in before.items() if value is not None}
        self._note(self._writer.set_arousal(changes, at=self._at, reason=RESONANCE) if changes else None)
        return frozenset(changes)

    def take_back(self, record: QueryRecord) -> None:
        """Undo what the same principal's earlier rating of a question moved; do nothing where there is none."""
        if all(one.principal != self._principal for one in record.ratings):
            return
        rated = [one for one in self._writer.history(record.id) if one.kind == _RATED and self._is_own(one)]
        for event in self._following(record, rated[-1]) if rated else ():
            if not undo_if_possible(self._writer, event.id, at=self._at):
                self._writer.take_back(event.id, at=self._at)  # others moved the same since

    def look_at(self, record: QueryRecord) -> None:
        """Read the state of what was handed over for a question, and what ratings changed of it."""
        self._heads = self._writer.heads([one.episode_id for one in record.given])
        self._known = self._histories(one.id for some in self._heads.values() for one in some)

    @property
    def standing(self) -> Mapping[str, tuple[str, ...]]:
        """What represents each of what was handed over."""
        return {id_: tuple(one.id for one in some) for id_, some in self._heads.items()}

    def _histories(self, ids: Iterable[str]) -> Mapping[str, tuple[EventRecord, ...]]:
        return self._writer.histories(tuple(dict.fromkeys(ids)), kinds=(_CONFIDENCE, _AROUSAL))

    def _following(self, record: QueryRecord, rated: EventRecord) -> list[EventRecord]:
        """Return the events in effect that a rating caused, the last first."""
        ids = [one.episode_id for one in record.given]
        ids += [head for found in self._writer.standing_for(ids).values() for head in found]
        found = {event.seq: event for told in self._histories(ids).values() for event in told}
        places = range(rated.seq + _FOLLOWING, rated.seq, -1)
        return [found[seq] for seq in places if seq in found and self._is_effect(found[seq], rated)]

    def _is_effect(self, event: EventRecord, rated: EventRecord) -> bool:
        is_one = (event.kind, event.reason) in {(_CONFIDENCE, effect.value) for effect in Effect} | {
            (_AROUSAL, RESONANCE)
        }
        is_of_it = self._is_own(event) and event.recorded_at == rated.recorded_at
        return is_one and is_of_it and event.undone_by is None

    def _move(self, ids: Iterable[str], effect: Effect) -> frozenset[str]:
        heads = self._standing(ids)
        effects = {one.value for one in Effect}
        free = [one for one in heads if self._count(one.id, _CONFIDENCE, effects) < self._most]
        self.capped += len(heads) - len(free)
        return self._step(free, effect)

    def _step(self, heads: Sequence[Head], effect: Effect) -> frozenset[str]:
        """Move confidence, and return the episodes where it moved; a step that met a bound is an event all the same."""
        before = {one.id: one.confidence for one in heads}
        after = {id_: trusted(confidence, effect) for id_, confidence in before.items()}
        if after:
            fields = tuple(FieldChange(episode_id=id_, confidence=value) for id_, value in after.items())
            kind = ChangeKind.CONFIDENCE_CHANGED
            change = Change(kind=kind, subject_id=fields[0].episode_id, fields=fields, reason=effect.value)
            self._note(self._writer.apply(change, at=self._at))
        return frozenset(id_ for id_ in after if after[id_] != before[id_])

    def _standing(self, ids: Iterable[str]) -> list[Head]:
        """Return what represents episodes that were handed over, each once."""
        return list({head.id: head for id_ in ids for head in self._heads.get(id_, ())}.values())

    def _count(self, id_: str, kind: str, reasons: Iterable[str]) -> int:
        """Count the effects of a kind that the principal has on an episode."""
        own = [one for one in self._known[id_] if one.kind == kind and self._is_own(one) and one.undone_by is None]
        return sum(one.reason in set(reasons) for one in own) - sum(one.reason == TAKEN_BACK for one in own)

    def _is_own(self, event: EventRecord) -> bool:
        return event.principal == self._principal

    def _note(self, event_id: str | None) -> None:
        if event_id is not None:
            self.event_ids.append(event_id)


def undo_if_possible(writer: StoreWriter, event_id: str, *, at: datetime) -> bool:
    """Undo an event exactly; False, and nothing is written, where later changes depend on it or something was erased."""
    try:
        writer.undo(event_id, at=at)
    except InputError:
        return False
    return True
