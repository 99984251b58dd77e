"""What a rating does to what the answer rests on, and taking back what the same person's earlier one did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolore.domain.queries import Rating
from evolore.domain.steps import RESONANCE, TAKEN_BACK, Effect
from evolore.flows.keys import arousal_of, vectors_of
from evolore.flows.undone import undo_if_possible
from evolore.ports import Change, ChangeKind, FieldChange, IndexedText
from evolore.queries.trust import effect_of, trusted
from evolore.recall.resonance import resonate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from evolore.domain.queries import QueryRecord
    from evolore.flows.context import Context
    from evolore.ports import EventRecord, StoreWriter

_RATED = "query_rated"
_AROUSAL = "arousal_changed"
_CONFIDENCE = ChangeKind.CONFIDENCE_CHANGED.value
_FOLLOWING = 2
"""An event of a rating is followed at once by that of confidence and that of arousal, where there are such."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Felt:
    """How strongly a question is felt, by estimate, and what it was handed.

    Args:
        arousal: Of the question, 0–1.
        estimates: Of the episodes, 0–1; those without are left out.
    """

    arousal: float
    estimates: Mapping[str, float]


def felt_of(context: Context, record: QueryRecord) -> Felt | None:
    """Estimate how strongly a question is felt; None where nobody can."""
    estimate = context.estimates(context.embedder.model)
    if estimate is None:
        return None
    item = IndexedText(text=record.text, language=record.language)
    felt = arousal_of(item, vectors_of(context.embedder, [item])[0], estimate=estimate)
    with context.store.read(context.namespace) as reader:
        ids = [one.episode_id for one in record.given]
        heads = {head for found in reader.standing_for(ids).values() for head in found}
        estimates = reader.estimated_arousals(heads)
    return None if felt is None else Felt(arousal=felt, estimates=estimates)


class Effects:
    """What one principal's rating moves, in one transaction.

    Args:
        writer: The transaction.
        principal: Whose rating; None for nobody in particular, who counts as one.
        most: How many effects of one principal an episode may bear.
        at: When.
    """

    def __init__(self, writer: StoreWriter, *, principal: str | None, most: int, at: datetime) -> None:
        self._writer = writer
        self._principal = principal
        self._most = most
        self._at = at
        self._known: dict[str, tuple[EventRecord, ...]] = {}
        self.event_ids: list[str] = []
        self.capped = 0

    def trust(self, ids: Iterable[str], *, is_helpful: bool) -> frozenset[str]:
        """Trust episodes more, and give those whose confidence moved."""
        return self._move(ids, effect_of(Rating.GOOD, is_helpful=is_helpful))

    def distrust(self, ids: Iterable[str]) -> frozenset[str]:
        """Trust episodes less, and give those whose confidence moved."""
        return self._move(ids, effect_of(Rating.BAD, is_helpful=False))

    def resonate(self, ids: Iterable[str], felt: Felt | None) -> frozenset[str]:
        """Move how strongly episodes are felt towards the question, where that was stated or estimated of both."""
        if felt is None:
            return frozenset()
        heads = [id_ for id_ in self._standing(ids) if self._count(id_, _AROUSAL, {RESONANCE}) < self._most]
        stated = self._writer.arousals(heads)
        before = {id_: felt.estimates.get(id_) if value is None else value for id_, value in stated.items()}
        changes = {id_: resonate(value, felt.arousal) for id_, value in before.items() if value is not None}
        self._note(self._writer.set_arousal(changes, at=self._at, reason=RESONANCE) if changes else None)
        return frozenset(changes)

    def take_back(self, record: QueryRecord) -> None:
        """Take back what the same principal's earlier rating of a question moved; nothing where there is none."""
        if all(one.principal != self._principal for one in record.ratings):
            return
        rated = [one for one in self._writer.history(record.id) if one.kind == _RATED and self._is_own(one)]
        for event in self._following(record, rated[-1]) if rated else ():
            if not undo_if_possible(self._writer, event.id, at=self._at):
                self._writer.take_back(event.id, at=self._at)  # others moved the same since
        self._known.clear()

    def _following(self, record: QueryRecord, rated: EventRecord) -> list[EventRecord]:
        """Give the events in effect that a rating caused, the last first."""
        ids = [one.episode_id for one in record.given]
        ids += [head for found in self._writer.standing_for(ids).values() for head in found]
        found = {event.seq: event for id_ in dict.fromkeys(ids) for event in self._history(id_)}
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
        free = [id_ for id_ in heads if self._count(id_, _CONFIDENCE, effects) < self._most]
        self.capped += len(heads) - len(free)
        return self._step(free, effect)

    def _step(self, ids: Sequence[str], effect: Effect) -> frozenset[str]:
        """Move confidence, and give the episodes where it moved; a step that met a bound is an event all the same."""
        before = {one.id: one.confidence for one in self._writer.episodes(ids)}
        after = {id_: trusted(confidence, effect) for id_, confidence in before.items()}
        if after:
            fields = tuple(FieldChange(episode_id=id_, confidence=value) for id_, value in after.items())
            kind = ChangeKind.CONFIDENCE_CHANGED
            change = Change(kind=kind, subject_id=fields[0].episode_id, fields=fields, reason=effect.value)
            self._note(self._writer.apply(change, at=self._at).event_id)
        return frozenset(id_ for id_ in after if after[id_] != before[id_])

    def _standing(self, ids: Iterable[str]) -> list[str]:
        """Give what stands for episodes now, each once."""
        wanted = tuple(dict.fromkeys(ids))
        standing = self._writer.standing_for(wanted)
        return list(dict.fromkeys(head for id_ in wanted for head in standing.get(id_, ())))

    def _count(self, id_: str, kind: str, reasons: Iterable[str]) -> int:
        """Count the effects of a kind that the principal has on an episode."""
        own = [one for one in self._history(id_) if one.kind == kind and self._is_own(one) and one.undone_by is None]
        return sum(one.reason in set(reasons) for one in own) - sum(one.reason == TAKEN_BACK for one in own)

    def _history(self, id_: str) -> tuple[EventRecord, ...]:
        if id_ not in self._known:
            self._known[id_] = self._writer.history(id_, kinds=(_CONFIDENCE, _AROUSAL))
        return self._known[id_]

    def _is_own(self, event: EventRecord) -> bool:
        return event.principal == self._principal

    def _note(self, event_id: str | None) -> None:
        if event_id is not None:
            self.event_ids.append(event_id)
