"""Split an episode that its neighbours pull apart into several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations

import numpy as np

from evolore.domain.episode import Edge, EdgeKind, EpisodeKind
from evolore.episodes import splitting
from evolore.episodes.calibration import Piece
from evolore.episodes.conflict import NO_CONFLICT, Conflict
from evolore.episodes.shared_sentences import folded
from evolore.flows.context import Context
from evolore.flows.item_keys import keys_with, vectors_of
from evolore.flows.remember.contexts import MOST_SENTENCES, Contexts, Surroundings, counted_queries
from evolore.flows.remember.merge import facts_of_made
from evolore.flows.remember.similarity import Likeness
from evolore.flows.remember.world import Known, World, as_stored
from evolore.ports import Change, ChangeKind, FieldChange, IndexedText, ItemKeys, MadeEpisode
from evolore.queries.contexts import CountedQueries

_RELATED = frozenset((EdgeKind.BRANCH,))
_FEWEST_SENTENCES = 2
_MOST_AT_ONCE = 12
"""So many sentences are embedded while somebody waits: a message of 2,000 characters has 40, its six neighbours 240."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """A split that is planned."""

    change: Change  #: What is to be written.
    conflict: Conflict  #: What pulls it apart.


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitForecast:
    """What splitting makes of an episode."""

    conflict: Conflict  #: What pulls it apart; nothing where it is not examined.
    parts: int  #: Into how many parts it would be split; 1 or none where it stays whole.
    reason: str  #: Why, in words.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """An episode's sentences and neighbours, and how these would split it."""

    weighed: splitting.Weighed
    sentences: Sequence[Piece]
    neighbours: Sequence[Known]
    is_asked_apart: bool = False


class Parter:
    """Splits episodes.

    Args:
        context: The ports; sentences and parts are embedded here.
        world: Where they are.
        likeness: Returns the scale of a language.
        at: The moment splits are recorded at.
        is_brief: Whether somebody waits: long neighbours are left to ``maintain``, as each sentence is embedded.
    """

    def __init__(
        self, context: Context, world: World, likeness: Likeness, *, at: datetime, is_brief: bool = False
    ) -> None:
        self._context = context
        self._settings = context.settings.episodes
        self._world, self._likeness = world, likeness
        self._around = Surroundings(context, world)
        self._contexts = Contexts(context, world, likeness)
        self._at, self._is_brief = at, is_brief

    def part(self, one: Known) -> Parted | None:
        """Plan the split of an episode; None where it stays whole.

        One that was split off before is split again only when it was merged often enough since: so splitting ends. The
        conflict of its neighbours decides. Their context entropy alone does not: it split 8 to 23 % of the episodes of
        one section where conflict splits 0 to 2 %, and asked for besides it lost up to 7 % of those of two documents.
        """
        if self._exempt(one) or self._world.count <= self._settings.min_connections:
            return None
        found = self._found(one, counted_queries(self._context, None))
        return self._made(one, found) if len(found.weighed.parts) > 1 else None

    def forecast(self, one: Known, counted: CountedQueries) -> SplitForecast:
        """Return whether an episode would be split if some questions counted, and why, without doing it."""
        if why := self._exempt(one):
            return SplitForecast(conflict=NO_CONFLICT, parts=1, reason=why)
        found = self._found(one, counted)
        parts, total = len(found.weighed.parts), found.weighed.conflict.total
        if not found.sentences:
            why = f"it has fewer than {_FEWEST_SENTENCES} sentences, or more than {MOST_SENTENCES}"
        elif len(found.neighbours) < self._settings.min_connections:
            why = f"it has {len(found.neighbours)} neighbours; {self._settings.min_connections} are needed"
        elif parts > 1 and found.is_asked_apart:
            why = f"the questions asked about it belong to {parts} matters, and so do its sentences"
        elif parts > 1:
            why = f"its neighbours pull it apart into {parts} matters: conflict {total:.2f}"
        else:
            why = f"its conflict {total:.2f} is below {self._settings.conflict_threshold:.2f}; contexts alone split nothing"
        return SplitForecast(conflict=found.weighed.conflict, parts=parts, reason=why)

    def _found(self, one: Known, counted: CountedQueries) -> _Found:
        sentences = self._around.sentences(one, fewest=_FEWEST_SENTENCES)
        if not sentences:
            return _Found(weighed=splitting.Weighed(conflict=NO_CONFLICT, parts=()), sentences=sentences, neighbours=[])
        neighbours = [other.known for other in self._around.neighbours(one, sentences)]
        pieces, calibration = self._around.pieces(neighbours), self._likeness.calibration(one)
        mixed = splitting.is_mixed(len(one.text), one.merge_count, self._settings)
        weighed = splitting.plan_split(
            sentences, pieces, calibration=calibration, settings=self._settings, among=self._world.count, mixed=mixed
        )
        sides = self._asked_apart(one, neighbours, counted) if len(weighed.parts) == 1 else ()
        if len(sides) > 1:
            parts = splitting.sorted_into(sides, sentences, pieces, calibration=calibration)
            weighed = replace(weighed, parts=parts if len(parts) > 1 else weighed.parts)
        return _Found(weighed=weighed, sentences=sentences, neighbours=neighbours, is_asked_apart=bool(sides))

    def _asked_apart(
        self, one: Known, neighbours: Sequence[Known], counted: CountedQueries
    ) -> tuple[tuple[int, ...], ...]:
        """Return the places of the neighbours of each context, where the questions that count make it one of several."""
        if counted is CountedQueries.NONE:
            return ()
        found, places = self._contexts.of(one, counted=counted), {one.id: at for at, one in enumerate(neighbours)}
        sides = [tuple(places[id_] for id_ in side.episode_ids if id_ in places) for side in found.contexts]
        is_asked = any(side.query_ids for side in found.contexts)
        return tuple(side for side in sides if side)[: self._settings.max_splits] if found.is_even and is_asked else ()

    def may_part(self, one: Known) -> bool:
        """Return whether an episode is of a kind that is split, by itself alone: nothing is read."""
        if not (self._settings.auto_split_enabled and one.is_statement and one.about is None and one.session is None):
            return False
        most = _MOST_AT_ONCE if self._is_brief else MOST_SENTENCES
        return _FEWEST_SENTENCES <= len(self._around.texts(one)) <= most

    def _exempt(self, one: Known) -> str:
        """Return why an episode is not examined; empty where it is."""
        is_new = one.merge_count < self._settings.merges_first
        reasons = {
            "splitting is switched off": not self._settings.auto_split_enabled,
            "it is a passage of a document": not one.is_statement,
            "it states one attribute of one subject": one.about is not None,
            "it is a turn of a conversation": is_new and one.session is not None,
            "it was split off before": is_new and bool(self._world.edges([one.id], kinds=_RELATED)),
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    def _made(self, one: Known, found: _Found) -> Parted:
        parts, sentences, neighbours = found.weighed.parts, found.sentences, found.neighbours
        items = [
            IndexedText(text=text, language=one.language, speaker=one.speaker, occurred_at=one.occurred_at)
            for text in ["\n".join(sentences[place].text for place in part.sentences) for part in parts]
        ]
        own = np.stack([vectors_of(self._context.embedder, [item])[0] for item in items])
        around = np.stack([other.vector for other in neighbours])
        vectors = splitting.split_vectors(own, around, parts, own_share=self._settings.own_share)
        estimate = self._context.estimates(self._context.embedder.model)
        members = [(id_, folded(known.text)) for id_, known in self._world.some(self._world.members(one.id)).items()]
        held = [[folded(sentences[place].text) for place in part.sentences] for part in parts]
        holding = [{id_ for id_, text in members if any(one in text for one in some)} for some in held]
        reworded = {id_ for id_, _ in members}.difference(*holding)  # it holds no sentence of a part to the letter
        made: list[MadeEpisode] = []
        for item, vector, some in zip(items, vectors, holding, strict=True):
            keys = keys_with(item, vector, estimate=estimate)
            its = tuple(id_ for id_, _ in members if not some or id_ in some | reworded)
            made.append(self._part(one, item.text, keys, its))
        change = Change(
            kind=ChangeKind.SPLIT,
            subject_id=one.id,
            made=tuple(made),
            fields=(FieldChange(episode_id=one.id, stands_until=made[0].moment),),
            added=tuple(self._edges(made, neighbours, parts)),
            reason="conflict",
        )
        return Parted(change=change, conflict=found.weighed.conflict)

    def _part(self, one: Known, text: str, keys: ItemKeys, members: tuple[str, ...]) -> MadeEpisode:
        return MadeEpisode(
            id=self._context.store.new_id(self._at),
            kind=EpisodeKind.STATEMENT,
            text=text,
            language=one.language,
            recorded_at=self._at,
            occurred_at=one.occurred_at,
            valid_from=one.valid_from,
            is_made=True,
            confidence=splitting.split_confidence(one.confidence, self._settings),
            arousal=one.arousal,
            speaker=one.speaker,
            session=one.session,
            position=one.position,
            metadata=one.metadata,
            tags=one.tags,
            keys=keys,
            members=members,
            facts=facts_of_made(text, one.language, (one,)),
            place_of=one.place_of,
        )

    def _edges(
        self, made: Sequence[MadeEpisode], neighbours: Sequence[Known], parts: Sequence[splitting.Portion]
    ) -> list[Edge]:
        """Join the parts with each other, and each with the neighbours it belongs with."""
        joined = [
            Edge(source_id=one.id, target_id=other.id, kind=EdgeKind.BRANCH) for one, other in combinations(made, 2)
        ]
        for one, part in zip(made, parts, strict=True):
            scale = self._likeness.calibration(one)
            vector = as_stored(one.keys.vector)
            for place in part.neighbours:
                other = neighbours[place]
                (chance,) = scale.probability(scale.cosines(vector[np.newaxis], other.vector[np.newaxis])[0]).tolist()
                joined.append(Edge(source_id=one.id, target_id=other.id, kind=EdgeKind.SEMANTIC, weight=chance))
        return joined
