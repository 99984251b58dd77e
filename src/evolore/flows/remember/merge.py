"""Merge two episodes: the later adds nothing and is taken in, or a new episode says what both say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from evolore.domain.episode import Edge, EdgeKind, EpisodeKind, EpisodeState
from evolore.domain.fact import FactOrigin, StatedFact
from evolore.domain.language import Language
from evolore.domain.metadata import Metadata
from evolore.episodes.shared_sentences import novel_sentences
from evolore.episodes.stated_facts import stated_facts
from evolore.flows.context import Context
from evolore.flows.item_keys import keys_of
from evolore.flows.remember.world import Known, World
from evolore.ports import Change, ChangeKind, FieldChange, IndexedText, MadeEpisode

_KEPT = frozenset((EdgeKind.BRANCH, EdgeKind.SUPERSEDES, EdgeKind.LIKELY_SUPERSEDES, EdgeKind.CONTRADICTS))

_STRENGTHENED = 0.1
"""By how much of what it lacks an episode's confidence rises when it is repeated."""


def join(context: Context, world: World, older: Known, newer: Known, *, at: datetime) -> Change:
    """Return the change by which two episodes become one: what it makes represents both then, or else the older."""
    novel = novel_sentences(older.text, newer.text, language=older.language)
    if not novel:
        return _take_in(world, older, newer)
    return _compose(context, world, older, newer, text="\n".join((older.text, *novel)), at=at)


def strengthened(confidence: float) -> float:
    """Return the confidence of what was said once more: a tenth nearer to 1.

    >>> strengthened(0.5)
    0.55
    """
    return round(confidence + _STRENGTHENED * (1.0 - confidence), 6)


def _take_in(world: World, older: Known, newer: Known) -> Change:
    members = [id_ for id_ in world.members(newer.id) if id_ != older.id]
    known = set(world.members(older.id))
    return Change(
        kind=ChangeKind.MERGED,
        subject_id=older.id,
        fields=(
            FieldChange(
                episode_id=older.id,
                merge_count=older.merge_count + newer.merge_count + 1,
                confidence=strengthened(max(older.confidence, newer.confidence)),
            ),
            FieldChange(episode_id=newer.id, stands_until=max(older.moment, newer.moment)),
        ),
        added=tuple(member_edge(older.id, id_) for id_ in members if id_ not in known),
        reason="duplicate",
    )


def _compose(context: Context, world: World, older: Known, newer: Known, *, text: str, at: datetime) -> Change:
    occurred_at = max((one for one in (older.occurred_at, newer.occurred_at) if one is not None), default=None)
    is_one_session = older.session == newer.session
    item = IndexedText(text=text, language=older.language, speaker=older.speaker, occurred_at=occurred_at)
    (keys,) = keys_of(context, [item])
    made = MadeEpisode(
        id=context.store.new_id(at),
        kind=EpisodeKind.STATEMENT,
        text=text,
        language=older.language,
        recorded_at=at,
        occurred_at=occurred_at,
        valid_from=min((one for one in (older.valid_from, newer.valid_from) if one is not None), default=None),
        is_made=True,
        state=_state(older, newer),
        confidence=strengthened(max(older.confidence, newer.confidence)),
        arousal=max([one.arousal for one in (older, newer) if one.arousal is not None], default=None),
        merge_count=older.merge_count + newer.merge_count + 1,
        speaker=older.speaker,
        session=older.session if is_one_session else None,
        position=older.position if is_one_session else 0,
        about=older.about or newer.about,
        metadata=Metadata({name: one for name, one in older.metadata.items() if (name, one) in newer.metadata.items()}),
        tags=tuple(tag for tag in older.tags if tag in newer.tags),
        keys=keys,
        members=tuple(dict.fromkeys((*world.members(older.id), *world.members(newer.id)))),
        facts=facts_of_made(text, older.language, (older, newer)),
        place_of=older.place_of if is_one_session else None,
    )
    return Change(
        kind=ChangeKind.MERGED,
        subject_id=older.id,
        made=(made,),
        fields=tuple(FieldChange(episode_id=one.id, stands_until=made.moment) for one in (older, newer)),
        added=inherited(world, made.id, older, newer),
        reason="merge",
    )


def _state(*parents: Known) -> EpisodeState:
    """A conflict that waits goes on waiting."""
    waiting = EpisodeState.CONFLICT_PENDING
    return waiting if any(one.state is waiting for one in parents) else EpisodeState.ACTIVE


def facts_of_made(text: str, language: Language, parents: Sequence[Known]) -> tuple[StatedFact, ...]:
    """Return what an episode made of others states: what its text holds of their own and chat-read statements."""
    read = stated_facts(text, language)
    told = (fact for one in parents for fact in one.facts if fact.origin is FactOrigin.CHAT and fact.value in text)
    return tuple({(fact.key, fact.kind): fact for fact in (*told, *read)}.values())


def member_edge(made_id: str, member_id: str) -> Edge:
    """Return the edge by which an episode represents a statement."""
    return Edge(source_id=made_id, target_id=member_id, kind=EdgeKind.MEMBER)


def inherited(world: World, made_id: str, *parents: Known) -> tuple[Edge, ...]:
    """Return what a new episode keeps of those it is made of: whose other part it is, what it replaced or contradicts."""
    own = {one.id for one in parents}
    found: dict[tuple[str, str, EdgeKind], Edge] = {}
    for edge in world.edges(sorted(own), kinds=_KEPT):
        source = made_id if edge.source_id in own else edge.source_id
        target = made_id if edge.target_id in own else edge.target_id
        if source != target:
            found[source, target, edge.kind] = replace(edge, source_id=source, target_id=target)
    return tuple(found[key] for key in sorted(found))
