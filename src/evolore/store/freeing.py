"""What an erasure takes with it of merges and splits, and which statements stand again because of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select, update

from evolore.domain.episodes import EdgeKind, EpisodeState
from evolore.domain.language import Language
from evolore.domain.review import ReviewCategory, ReviewItem, cause_of
from evolore.store.history import naming
from evolore.store.holding import holders_of, members_of
from evolore.store.reviewing import file_items
from evolore.store.tables import episodes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from evolore.store.batch import Batch
    from evolore.store.history import Chain

_BATCH = 500
_MEMBER = EdgeKind.MEMBER.value
_REASON = {
    Language.EN: "What this statement had been merged into held something that was forgotten; it stands for itself again.",
    Language.JA: "この発言の統合先には忘れられた内容が含まれていたため、この発言は再び単独で扱われます。",
    Language.ZH: "这条陈述曾并入的内容里有已被遗忘的部分，因此它重新独立存在。",
}
_SUGGESTION = {
    Language.EN: "Check that it says nothing of what was forgotten, or forget it too.",
    Language.JA: "忘れた内容がここに残っていないか確かめ、残っていればこれも忘れさせてください。",
    Language.ZH: "请确认其中没有已被遗忘的内容；若有，请把它也遗忘。",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    made_by: str | None
    state: str
    stands_until: str | None
    language: str

    @property
    def is_revoked(self) -> bool:
        return self.state == EpisodeState.REVOKED.value

    @property
    def stands(self) -> bool:
        return self.stands_until is None and not self.is_revoked


def sources_of(connection: Connection, ns: int, ids: Collection[str]) -> frozenset[str]:
    """Give the source statements of what was made, now or by the events that made it; of a plain statement itself."""
    made = {id_ for id_, row in _rows(connection, ns, ids).items() if row.made_by is not None}
    now = members_of(connection, ns, made)
    ever = naming(connection, ns, made)
    then = (one.members for event in ever.events.values() for one in event.done.made if one.id in made)
    return frozenset(ids) | frozenset(chain(*now.values(), *then))


def holding_any(connection: Connection, ns: int, ids: Collection[str]) -> frozenset[str]:
    """Give what merges and splits made that holds, or held before it was undone, anything of some statements."""
    events = naming(connection, ns, ids)
    found = set(chain.from_iterable(holders_of(connection, ns, ids).values()))
    for event in events.events.values():
        edges = (*event.done.added, *event.done.removed)
        found.update(edge.source_id for edge in edges if edge.kind == _MEMBER and edge.target_id in ids)
    return frozenset(id_ for id_, row in _rows(connection, ns, found).items() if row.made_by is not None)


def freed_by(connection: Connection, ns: int, erased: Collection[str]) -> tuple[str, ...]:
    """Give what stands again once some episodes are erased, sorted; nothing is changed.

    What an erased merge had replaced stands again as it was, and of what no such episode holds, the statements
    themselves. Law: every statement that is left stands, or is held by what stands.
    """
    gone = frozenset(erased)
    rows = _rows(connection, ns, gone)
    held = members_of(connection, ns, gone)
    stood = [id_ for id_, row in rows.items() if row.stands]
    left = set(chain.from_iterable(held.get(id_, ()) for id_ in stood)) - gone
    others = set(chain.from_iterable(held.values())) - gone - left
    still = holders_of(connection, ns, others)
    hidden = {id_ for id_, row in _rows(connection, ns, others).items() if row.stands_until and not row.is_revoked}
    left |= {id_ for id_ in hidden if not set(still.get(id_, ())) - gone}
    left = {id_ for id_, row in _rows(connection, ns, left).items() if row.stands_until and not row.is_revoked}
    again = _replaced_by(connection, ns, stood, gone)
    under = members_of(connection, ns, again)
    freed = {id_ for id_ in again if id_ in left or left & set(under.get(id_, ()))}
    return tuple(sorted(freed | (left - set(chain.from_iterable(under.get(id_, ()) for id_ in freed)))))


def free(batch: Batch, ids: Sequence[str], *, event_id: str) -> None:
    """Let episodes stand again whose others were erased, and ask a person to look at each."""
    for some in _batches(ids):
        here = (episodes.c.ns == batch.ns, episodes.c.id.in_(some))
        batch.connection.execute(update(episodes).where(*here).values(stands_until=None))
    languages = {id_: Language(row.language) for id_, row in _rows(batch.connection, batch.ns, ids).items()}
    file_items(batch, [_item(id_, languages[id_], event_id) for id_ in ids])


def _replaced_by(connection: Connection, ns: int, stood: Collection[str], gone: Collection[str]) -> frozenset[str]:
    """Give what stands no longer because of merges and splits whose outcome goes, through those that go too."""
    events: Chain = naming(connection, ns, gone)
    makers = {one.id: event for event in events.events.values() for one in event.done.made}
    found: set[str] = set()
    waiting, seen = list(stood), set(stood)
    while waiting:
        event = makers.get(waiting.pop())
        if event is None:
            continue
        until = {one.episode_id: one.new for one in event.done.fields if one.name == "stands_until" and one.new}
        for id_, row in _rows(connection, ns, set(until) - seen).items():
            if row.stands_until == until[id_] and not row.is_revoked:
                seen.add(id_)
                (waiting.append if id_ in gone else found.add)(id_)
    return frozenset(found)


def _item(id_: str, language: Language, event_id: str) -> ReviewItem:
    return ReviewItem(
        category=ReviewCategory.FREED,
        reason=_REASON.get(language, _REASON[Language.EN]),
        suggestion=_SUGGESTION.get(language, _SUGGESTION[Language.EN]),
        language=language if language in _REASON else Language.EN,
        cause=cause_of(ReviewCategory.FREED, id_, event_id),
        episode_id=id_,
    )


def _rows(connection: Connection, ns: int, ids: Collection[str]) -> dict[str, _Row]:
    columns = (episodes.c.made_by, episodes.c.state, episodes.c.stands_until, episodes.c.language)
    found: dict[str, _Row] = {}
    for some in _batches(sorted(ids)):
        query = select(episodes.c.id, *columns).where(episodes.c.ns == ns, episodes.c.id.in_(some))
        for row in connection.execute(query):
            found[row.id] = _Row(
                made_by=row.made_by, state=row.state, stands_until=row.stands_until, language=row.language
            )
    return found


def _batches(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), _BATCH):
        yield ids[start : start + _BATCH]
