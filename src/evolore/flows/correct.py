"""``correct``: replace a statement by a new version, or retire it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeKind, EpisodeState, Statement
from evolore.domain.result import Result
from evolore.episodes.shared_sentences import novel_sentences
from evolore.errors import InvalidValue
from evolore.flows.browse import resolve
from evolore.flows.context import Context
from evolore.flows.remember.remember import Remembered, remember
from evolore.flows.remember.world import bring_in_line
from evolore.flows.review import begins_at, file_procedure, taken_back, waits_elsewhere
from evolore.ports import Change, ChangeKind, FieldChange
from evolore.store.reading import StoreReader


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected(Result):
    """What correcting did."""

    #: The statement that was wrong, or what represents it: superseded now, or revoked where it was retired.
    old_id: str
    #: The events, the correction first, then what became of the new version; ``undo`` takes each back.
    event_ids: tuple[str, ...]
    statement: Remembered | None = None  #: The new version, and what became of it; None where the old one was retired.


def correct(context: Context, item_id: str, text: str | None = None) -> Corrected:
    """Put a new version in a statement's place, or retire the statement; all in one transaction."""
    with context.store.read(context.namespace) as reader:
        old = _held(reader, item_id)
    if text is None:
        return _retire(context, old.id)
    statement = Statement(
        text=text,
        occurred_at=begins_at(old),
        speaker=old.speaker,
        session=old.session,
        arousal=old.arousal,
        about=old.about,
        metadata=old.metadata,
        tags=old.tags,
    )
    if text == old.text:
        raise InvalidValue(f"The statement {old.id} says that already: use another text, or none to retire it.")
    done = remember(context, [statement], correction=lambda reader, id_: _replaced(reader, old.id, by=id_)).only
    if done.is_procedure:
        with context.store.write(context.namespace, principal=context.principal) as writer:
            done = replace(done, review_ids=file_procedure(writer, done, at=context.clock.now()))
    event_ids = tuple(one.event_id for one in done.integrated.actions if one.event_id is not None)
    return Corrected(old_id=done.replaced[0].episode_ids[0], event_ids=event_ids, statement=done)


def _retire(context: Context, id_: str) -> Corrected:
    with context.store.write(context.namespace, principal=context.principal) as writer:
        old, at = _held(writer, id_), context.clock.now()
        fields = (*taken_back(writer, old.id), *_freed(writer, old))
        change = Change(kind=ChangeKind.RETIRED, subject_id=old.id, fields=fields, reason="retired")
        event_id = writer.apply(change, at=at)
        bring_in_line(writer, at=at)
    return Corrected(old_id=old.id, event_ids=(event_id,))


def _replaced(reader: StoreReader, id_: str, *, by: str) -> Change:
    """Return what becomes of a statement that was wrong from its beginning on, and of its new version, written as revoked."""
    old = _held(reader, id_)
    ended = FieldChange(episode_id=old.id, state=EpisodeState.SUPERSEDED, valid_to=begins_at(old))
    return Change(
        kind=ChangeKind.SUPERSEDED,
        subject_id=old.id,
        fields=(ended, FieldChange(episode_id=by, state=EpisodeState.ACTIVE), *_freed(reader, old)),
        added=(Edge(source_id=by, target_id=old.id, kind=EdgeKind.SUPERSEDES),),
        reason="corrected",
    )


def _freed(reader: StoreReader, old: Episode) -> list[FieldChange]:
    """Release what waited for an answer about this statement alone: part of the same event, so that undoing is exact."""
    edges = reader.edges_around([old.id], kinds=frozenset((EdgeKind.CONTRADICTS,)))
    others = reader.episodes(sorted({end for edge in edges for end in (edge.source_id, edge.target_id)} - {old.id}))
    return [
        FieldChange(episode_id=one.id, state=EpisodeState.ACTIVE)
        for one in (one for one in others if one.state is EpisodeState.CONFLICT_PENDING)
        if not waits_elsewhere(reader, one, old)
    ]


def _held(reader: StoreReader, item_id: str) -> Episode:
    """Return the statement that holds and that an id names, or what represents it and says no more."""
    id_ = resolve(reader, item_id)
    found = reader.episodes([id_])
    if not found or found[0].kind is EpisodeKind.CHUNK:
        what = f"a passage of the document {found[0].document_id}" if found else "a document"
        raise InvalidValue(f"{id_} is {what}: only statements are corrected; change the document and add it again.")
    one = found[0]
    if one.stands_until is not None and one.state is not EpisodeState.REVOKED:
        one = _head(reader, one)
    if one.state is EpisodeState.REVOKED:
        raise InvalidValue(f"{one.id} was taken back already: `evolore history {one.id}` shows the event to undo.")
    if one.state is EpisodeState.SUPERSEDED:
        edges = reader.edges_around([one.id], kinds=frozenset((EdgeKind.SUPERSEDES,)))
        by = ", ".join(edge.source_id for edge in edges if edge.target_id == one.id) or "another"
        raise InvalidValue(f"{one.id} does not hold any more, {by} took its place: correct that one.")
    return one


def _head(reader: StoreReader, one: Episode) -> Episode:
    """Return the one episode that represents a statement; refuse if it says more: a text for it alone would lose the rest."""
    heads = reader.episodes(reader.standing_for([one.id]).get(one.id, ()))
    if len(heads) == 1 and not novel_sentences(one.text, heads[0].text, language=one.language):
        return heads[0]
    members = reader.members([head.id for head in heads])
    told = [f"{head.id} ({', '.join(member.id for member in members.get(head.id, ()))})" for head in heads]
    raise InvalidValue(
        f"{one.id} was merged or split; what represents it says more: {'; '.join(told)}, with the statements it is made "
        f"of. Correct that with a text that says all of it, or undo the merge or split that `evolore history {one.id}` shows."
    )
