"""Reading the bodies of events: what one did to the structure, and what it names."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from evolore.domain.episodes import EdgeKind
from evolore.store.change_sets import AROUSAL, EVOLVING, UNDOABLE, ChangeSet, EdgeRow, FieldDelta, MadeRow, Withdrawal
from evolore.store.event_kinds import EventKind
from evolore.store.question_deltas import read_question_deltas

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def read_change_set(kind: str, body: Mapping[str, Any], recorded_at: str) -> ChangeSet:
    """Read what an event did out of its body; nothing where it is of a kind that cannot be undone."""
    if kind in AROUSAL:
        fields = zip(body["items"], body["old"], body["new"], strict=True)
        return ChangeSet(
            fields=tuple(FieldDelta(episode_id=id_, name="arousal", old=old, new=new) for id_, old, new in fields)
        )
    if kind not in UNDOABLE:
        return ChangeSet()
    made = tuple(
        MadeRow(id=id_, digest=digest, members=tuple(members)) for id_, digest, *members in body.get("made", ())
    )
    return ChangeSet(
        made=made,
        fields=tuple(
            FieldDelta(episode_id=id_, name=name, old=old, new=new) for id_, name, old, new in body.get("fields", ())
        ),
        added=(*member_edges(made, recorded_at), *(_edge(values) for values in body.get("added", ()))),
        removed=tuple(_edge(values) for values in body.get("removed", ())),
        withdrawal=_withdrawal(body.get("withdrawal")),
        deltas=read_question_deltas(body),
    )


def member_edges(made: Iterable[MadeRow], recorded_at: str) -> tuple[EdgeRow, ...]:
    """Give the edges from what was made to its members."""
    kind = EdgeKind.MEMBER.value
    return tuple(
        EdgeRow(source_id=one.id, kind=kind, target_id=member, weight=1.0, created_at=recorded_at)
        for one in made
        for member in one.members
    )


def _withdrawal(written: Mapping[str, Any] | None) -> Withdrawal | None:
    if written is None:
        return None
    return Withdrawal(
        principal=written["principal"],
        asked=tuple(written["asked"]),
        rated=tuple(written["rated"]),
        feedback=tuple(written["feedback"]),
        is_back=written["is_back"],
        is_erased=written["is_erased"],
    )


def _edge(values: tuple[str, str, str, float, str]) -> EdgeRow:
    source_id, kind, target_id, weight, created_at = values
    return EdgeRow(source_id=source_id, kind=kind, target_id=target_id, weight=weight, created_at=created_at)


def read_body(written: str) -> dict[str, Any]:
    """Read an event's body; empty where what stands there is none: that is the chain's to tell."""
    try:
        body: object = json.loads(written)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", body) if isinstance(body, dict) else {}


def named_in(kind: str, body: Mapping[str, Any]) -> frozenset[str]:
    """Give what an event's body names, episodes and documents: what it is found by, beside its subject."""
    if kind in EVOLVING:
        return _documents_in(body)
    if kind == EventKind.ERASED.value:
        return frozenset(map(str, body.get("freed", ())))
    try:
        return read_change_set(kind, body, "").named
    except (KeyError, TypeError, ValueError):
        return frozenset()


def _documents_in(body: Mapping[str, Any]) -> frozenset[str]:
    """Give the documents that a body lists: by their ids, or by lists that begin with these."""
    listed: object = body.get("documents")
    if not isinstance(listed, list):
        return frozenset()
    rows = (cast("list[object]", one) if isinstance(one, list) else [one] for one in cast("list[object]", listed))
    return frozenset(row[0] for row in rows if row and isinstance(row[0], str))
