"""What a rule of an earlier version superseded is told from what was superseded otherwise, by its events and edges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolore.domain.episode import Edge, EdgeKind, EpisodeState
from evolore.domain.filters import Target
from evolore.ports import Change, ChangeKind, FieldChange
from store.structures import START, Structured

if TYPE_CHECKING:
    from pathlib import Path


def supersede(one: Structured, old: str, new: str, reason: str = "stated_anew") -> str:
    ended = FieldChange(episode_id=old, state=EpisodeState.SUPERSEDED, valid_to=START)
    edge = Edge(source_id=new, target_id=old, kind=EdgeKind.SUPERSEDES)
    change = Change(kind=ChangeKind.SUPERSEDED, subject_id=old, fields=(ended,), added=(edge,), reason=reason)
    return one.apply(change).event_id


def by_rule(one: Structured) -> tuple[str, ...]:
    with one.store.read("n") as reader:
        found = reader.superseded_by_rule(limit=100)
        assert reader.stats().superseded_by_rule == len(found)
        assert [id_ for first in found for id_ in reader.superseded_by_rule(after=first, limit=1)] == list(found[1:])
        return found


def test_only_what_a_rule_superseded_and_nobody_decided_since_is_found(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    ids = one.remember("a", "b", "c", "d", "e", "f", "g")
    old, keyed, corrected, decided, again, merged, new = ids
    for id_, reason in ((keyed, "explicit_key"), (corrected, "corrected_in_words")):
        supersede(one, id_, new, reason)
    assert by_rule(one) == ()
    events = {id_: supersede(one, id_, new) for id_ in (old, decided, again, merged)}
    assert by_rule(one) == (old, decided, again, merged)
    told = one.apply(Change(kind=ChangeKind.SUPERSEDED, subject_id=decided, reason="decided_again")).event_id
    (undone,) = one.undo(events[again]).event_ids
    one.absorb(old, merged)
    assert by_rule(one) == (old,)
    one.undo(undone)
    assert by_rule(one) == (old,), "what a person did again is a person's"
    one.undo(told)
    assert by_rule(one) == (old,), "what a person took back is not decided again"


def test_what_was_superseded_otherwise_after_an_undone_rule_is_not_found(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    old, other, new = one.remember("a", "b", "c")
    one.undo(supersede(one, old, new))
    supersede(one, old, new, "corrected_in_words")
    supersede(one, other, new)
    with one.store.write("n") as writer:
        writer.erase(Target(item_ids=(new,)), at=one.clock.now())
    assert by_rule(one) == (other,), "what took its place was forgotten, and the rule's event stays"
