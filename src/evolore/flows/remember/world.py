"""A namespace as integration sees it: what is visible in it, and what a plan that is not written yet would change."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from evolore.domain.episode import Edge, EdgeKind, Episode, EpisodeKind, EpisodeState, values_of
from evolore.domain.fact import StatedFact
from evolore.domain.language import Language
from evolore.domain.metadata import Metadata
from evolore.domain.review import Resolution, ReviewCategory, ReviewFilter, ReviewItem, ReviewStatus
from evolore.episodes.stated_facts import fact_of, stated_facts
from evolore.flows.context import Context
from evolore.ports import (
    UNSET,
    Change,
    ChangeKind,
    FieldChange,
    IndexView,
    MadeEpisode,
    NewStatement,
    StoredCalibration,
    StoredFact,
)
from evolore.recall.visibility import standing
from evolore.store.reading import StoreReader
from evolore.store.writing import StoreWriter
from evolore.text.vectors import Vectors

LIKE = frozenset((EdgeKind.SEMANTIC, EdgeKind.ECHO))
_SAME_TIME = 0.001
"""Seconds."""
_REVOKED = tuple(EpisodeState).index(EpisodeState.REVOKED)


class Outrun(Exception):
    """Somebody wrote since the plan was begun: nothing of it is kept, and it is made again."""


class Sight:
    """A world at one revision, whose indexes others may use in between: recalls do not wait for a long plan.

    Args:
        context: Where.

    Attributes:
        reader: A snapshot.
        revision: The revision it is of.
        world: What is there.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._held = ExitStack()

    def __enter__(self) -> Self:
        view = self._open()
        self.revision = self.reader.revision
        self.world = World(view, self.reader) if self.revision else World(None, None)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return self._held.__exit__(kind, error, traceback)

    @contextmanager
    def aside(self) -> Generator[None]:
        """Leave the indexes to others while something takes long that does not need them, such as embedding.

        Raises:
            Outrun: Somebody wrote meanwhile.
        """
        self._held.close()
        yield
        view = self._open()
        if self.reader.revision != self.revision:
            raise Outrun
        if self.revision:
            self.world.see(view, self.reader)

    def _open(self) -> IndexView:
        view, self.reader = self._held.enter_context(self._context.store.index(self._context.namespace))
        return view


class World:
    """The visible part of a namespace, with a plan's changes laid over it.

    Args:
        view: The indexes; None where nothing was written yet.
        reader: A snapshot of the same moment; None in the same case.
    """

    def __init__(self, view: IndexView | None, reader: StoreReader | None) -> None:
        self.see(view, reader)
        self._read: dict[str, Known] = {}
        self._planned = PlannedEpisodes()
        self._new = PlannedRows()
        self._hidden: set[str] = set()
        self._hidden_stored: set[str] = set()
        self._edges = PlannedEdges()
        self._facts: dict[frozenset[tuple[str, str]], tuple[StoredFact, ...]] = {}
        self._at: dict[frozenset[EdgeKind], dict[str, list[Edge]]] = {}

    def see(self, view: IndexView | None, reader: StoreReader | None) -> None:
        """Go on with indexes and a snapshot that were opened again, at the same revision."""
        self._view = view
        self.reader = reader  # None where nothing was written yet
        self._numbers: Mapping[str, int] = {} if view is None else view.numbers

    @property
    def count(self) -> int:
        """How many episodes are known: those of the plan among them, and hidden ones."""
        return len(self._numbers) + self._planned.new_count

    def near(self, vector: Vectors, *, count: int, but: Iterable[str] = ()) -> list[Known]:
        """Return the nearest visible episodes, the nearest first, of equal ones the lower id first."""
        # What a plan hid leaves its rows: of a thousand equal ones, one is visible, and is examined.
        left_out = {*self._hidden_stored, *but}
        spare = count + len(left_out & self._new.ids)
        found = [*self._nearest(vector, count, but=len(left_out)), *self._new.nearest(vector, count=spare)]
        found = [(cosine, id_) for cosine, id_ in found if id_ not in left_out]
        found = sorted(found, key=lambda one: (-one[0], one[1]))[:count]
        return list(self.some(id_ for _, id_ in found).values())

    def some(self, ids: Iterable[str]) -> dict[str, Known]:
        """Return what is known of episodes, as the plan leaves them; ids that name none are left out."""
        wanted = list(dict.fromkeys(ids))
        unread = [id_ for id_ in wanted if id_ not in self._planned and id_ not in self._read]
        if unread:
            self._read |= self._stored(unread)
        found = ((id_, self._planned.get(id_) or self._read.get(id_)) for id_ in wanted)
        return {id_: known for id_, known in found if known is not None}

    def stands(self, id_: str) -> bool:
        """Return whether an episode represents itself, as the plan leaves it."""
        if id_ in self._hidden:
            return False
        if id_ in self._planned and id_ not in self._numbers:
            return True
        number = self._numbers.get(id_)
        return number is not None and self._stands(number)

    def is_next(self, older: Known, newer: Known) -> bool:
        """Return whether no statement lies in time between two."""
        first, last = older.moment, newer.moment
        if any(first < moment < last for moment in self._planned.moments()):
            return False
        if self._view is None:
            return True
        times = self._view.times[~self._view.is_passage]
        return not ((times > first.timestamp() + _SAME_TIME) & (times < last.timestamp() - _SAME_TIME)).any()

    def of_key(self, about: tuple[str, str]) -> list[Known]:
        """Return the visible statements with an explicit key, as the plan leaves them."""
        stored = [] if self.reader is None else [one.id for one in self.reader.about(*about)]
        planned = self._planned.with_key(about)
        return [one for one in self.some([*stored, *planned]).values() if one.id not in self._hidden]

    def stating(self, keys: Collection[tuple[str, str]]) -> list[tuple[Known, StatedFact]]:
        """Return the visible statements that say something of keys, and what, as the plan leaves them."""
        if not keys:
            return []
        stored = self._stored_facts(frozenset(keys))
        known = self.some([one.episode_id for one in stored])
        found = [
            (known[one.episode_id], fact)
            for one in stored
            if one.episode_id in known and one.episode_id not in self._hidden
            for fact in (read_again(one, known[one.episode_id]),)
        ]
        held = {(one.id, fact.key) for one, fact in found}
        return found + [
            (one, fact)
            for one in self._planned.stating(keys)
            for fact in one.facts
            if fact.key in keys and (one.id, fact.key) not in held
        ]

    def _stored_facts(self, keys: frozenset[tuple[str, str]]) -> tuple[StoredFact, ...]:
        """Return what is stored of keys, read once for a plan: what it sees does not change."""
        if keys not in self._facts:
            self._facts[keys] = () if self.reader is None else tuple(self.reader.stating(keys))
        return self._facts[keys]

    def members(self, id_: str) -> tuple[str, ...]:
        """Return the source statements an episode represents; itself alone where it is one."""
        own = list(self._edges.members(id_))
        if self.reader is not None and id_ in self._numbers:
            own += [one.id for one in self.reader.members([id_]).get(id_, ())]
        return tuple(dict.fromkeys((*(() if self.some([id_])[id_].is_made else (id_,)), *own)))

    def was_undone(self, kind: ChangeKind, ids: Sequence[str]) -> bool:
        """Return whether somebody undid such a change of just these episodes: what a person took back is not done again."""
        if self.reader is None or any(id_ not in self._numbers for id_ in ids):
            return False
        wanted = set(ids)
        return any(
            record.kind == kind.value and record.undone_by is not None and wanted <= set(record.episode_ids)
            for record in self.reader.history(ids[0])
        )

    def edges(self, ids: Sequence[str], *, kinds: frozenset[EdgeKind]) -> list[Edge]:
        """Return the edges at some episodes, those of the plan among them."""
        there = [*filter(self._numbers.__contains__, ids)]
        stored = self._stored_edges(there, kinds)
        found = list(dict.fromkeys(edge for id_ in there for edge in stored.get(id_, ())))
        return found + self._edges.at(ids, kinds=kinds)

    def linked(self, id_: str) -> tuple[str, ...]:
        """Return the episodes that likeness joins with one, in the order of their ids."""
        found = {end for edge in self.edges([id_], kinds=LIKE) for end in (edge.source_id, edge.target_id)}
        return tuple(sorted(found - {id_}))

    def calibrations(self, model_id: str) -> Mapping[Language, StoredCalibration]:
        """Return what was fitted to the namespace's texts."""
        return {} if self.reader is None else self.reader.calibrations(model_id)

    def _stored_edges(self, ids: Sequence[str], kinds: frozenset[EdgeKind]) -> Mapping[str, Sequence[Edge]]:
        """Return what is stored at each episode, read once for a plan: what it sees does not change."""
        known = self._at.setdefault(kinds, {})
        unread = sorted({id_ for id_ in ids if id_ not in known})
        if unread and self.reader is not None:
            known.update({id_: [] for id_ in unread})
            for edge in self.reader.edges_around(unread, kinds=kinds, hidden=True):
                for end in {edge.source_id, edge.target_id} & set(unread):
                    known[end].append(edge)
        return known

    def apply(self, change: Change) -> None:
        """Lay a change over what is there."""
        for one in change.made:
            self.plan(known_made(one))
        for field in change.fields:
            self._change(field.episode_id, field)
        for one in change.made:
            self.join(Edge(source_id=one.id, target_id=id_, kind=EdgeKind.MEMBER) for id_ in one.members)
        self.join(change.added)

    def _change(self, id_: str, field: FieldChange) -> None:
        if field.stands_until is not UNSET and field.stands_until is not None:
            self._hidden.add(id_)
            self._new.leave(id_)
            self._planned.hide(id_)
            if id_ not in self._new.gone:
                self._hidden_stored.add(id_)
        values = {
            name: value
            for name in ("state", "confidence", "merge_count")
            if (value := getattr(field, name)) is not None
        }
        if field.valid_to is not UNSET:
            values["valid_to"] = field.valid_to
        if values:
            self._planned.put(replace(self.some([id_])[id_], **values), is_new=False)

    def plan(self, known: Known) -> None:
        """Lay a new episode over what is there."""
        self._planned.put(known, is_new=True)
        self._new.append(known.id, known.vector)

    def join(self, edges: Iterable[Edge]) -> None:
        """Add edges."""
        self._edges.extend(edges)

    def _stored(self, ids: Sequence[str]) -> dict[str, Known]:
        if self._view is None or self.reader is None:
            return {}
        numbers = [self._numbers[id_] for id_ in ids if id_ in self._numbers]
        rows = self._view.vectors.rows_of(np.array(numbers, dtype=np.int32))
        vectors = {self._view.episode_ids[number]: row for number, row in zip(numbers, rows, strict=True)}
        found = self.reader.episodes(list(vectors))
        return {episode.id: known_episode(episode, vectors[episode.id]) for episode in found}

    def _nearest(self, vector: Vectors, count: int, *, but: int) -> list[tuple[float, str]]:
        view = self._view
        if view is None or not view.episode_ids:
            return []
        numbers = view.vectors.candidates(vector, count=count + but)
        if numbers is not None:
            numbers = numbers[_standing_of(view, numbers)]
        if numbers is None or len(numbers) < min(count + but, len(view.episode_ids)):
            # Few episodes hold many statements: of the nearest, most are hidden, and the visible ones come after them.
            likeness = view.vectors.similarities(vector)
            there = standing(view)
            numbers = at_least(likeness if there is None else np.where(there, likeness, -np.inf), count + but)
            cosines = likeness[numbers]
        else:
            likeness = view.vectors.similarities_of(vector, numbers)
            best = at_least(likeness, count + but)
            numbers, cosines = numbers[best], likeness[best]
        found = zip(numbers.tolist(), cosines.tolist(), _standing_of(view, numbers).tolist(), strict=True)
        return [(rounded(cosine), str(view.episode_ids[place])) for place, cosine, stands in found if stands]

    def _stands(self, number: int) -> bool:
        assert self._view is not None
        return bool(_standing_of(self._view, np.array([number]))[0])


def _standing_of(view: IndexView, numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Return which of some items are visible now."""
    stands = np.isinf(view.stands_until[numbers]) & (view.states[numbers] != _REVOKED)
    return stands if view.withheld is None else stands & ~view.withheld[numbers]


_STORED = np.dtype("<f2")
_DECIMALS = 4
_EQUAL = 1e-4
_FIRST_ROWS = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Known(Episode):
    """An episode as integration sees it, written or planned."""

    vector: Vectors  #: As it is stored, shape (dimension,).
    #: What it states; None where that is what patterns read in its text, as of a stored one.
    stated: tuple[StatedFact, ...] | None = ()
    #: The planned statement whose place in its session it has: that is known once it is written. None where it is
    #: known.
    place_of: str | None = None

    @property
    def is_statement(self) -> bool:
        """Return whether it is a statement, said or made of others; passages of documents are never changed."""
        return self.kind is EpisodeKind.STATEMENT

    @property
    def facts(self) -> tuple[StatedFact, ...]:
        """Return the facts it states, read when they are asked for."""
        return stated_facts(self.text, self.language) if self.stated is None else self.stated


def read_again(stored: StoredFact, known: Known) -> StatedFact:
    """Return a stored fact as it is read in its text; what a chat model read, as that said it."""
    key = (stored.subject, stored.attribute)
    return next((one for one in known.facts if one.key == key and one.kind is stored.kind), None) or fact_of(
        key, stored.value, text=known.text, language=known.language, kind=stored.kind, origin=stored.origin
    )


def as_stored(vector: Vectors) -> Vectors:
    """Round a vector as the store does, so that what is planned decides as what is written will."""
    return vector.astype(_STORED).astype(np.float32)


def known_statement(id_: str, new: NewStatement, *, at: datetime) -> Known:
    """Make what integration sees of a statement that is not written yet."""
    said = new.statement
    return Known(
        id=id_,
        kind=EpisodeKind.STATEMENT,
        text=said.text,
        language=new.language,
        recorded_at=at,
        occurred_at=said.occurred_at,
        valid_from=said.occurred_at,
        arousal=said.arousal,
        speaker=said.speaker,
        session=said.session,
        about=said.about,
        metadata=Metadata(said.metadata),
        tags=said.tags,
        vector=as_stored(new.keys.vector),
        stated=new.facts,
        place_of=id_,
    )


def known_made(one: MadeEpisode) -> Known:
    """Make what integration sees of an episode that a planned change makes."""
    return Known(**values_of(one), vector=as_stored(one.keys.vector), stated=one.facts, place_of=one.place_of)


def known_episode(one: Episode, vector: Vectors) -> Known:
    """Make what integration sees of an episode of the store."""
    return Known(**values_of(one), vector=vector, stated=None if one.kind is EpisodeKind.STATEMENT else ())


class PlannedEpisodes:
    """Episodes as a plan leaves them, found by id, by what they state and by explicit key; in the order they were laid."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = {}
        self._places: dict[str, int] = {}
        self._hidden: set[str] = set()
        self._stating: dict[tuple[str, str], dict[str, None]] = {}
        self._with_key: dict[tuple[str, str], dict[str, None]] = {}
        self.new_count = 0

    def __contains__(self, id_: str) -> bool:
        return id_ in self._known

    def get(self, id_: str) -> Known | None:
        """Return one; None where the plan leaves it as it is stored."""
        return self._known.get(id_)

    def put(self, known: Known, *, is_new: bool) -> None:
        """Lay one over what is there."""
        self._known[known.id] = known
        self._places.setdefault(known.id, len(self._places))
        self.new_count += is_new
        if known.id not in self._hidden:
            for named in self._naming(known):
                named[known.id] = None

    def hide(self, id_: str) -> None:
        """Find one only by its id from now on: of a thousand equal ones, one is examined."""
        self._hidden.add(id_)
        known = self._known.get(id_)
        for named in () if known is None else self._naming(known):
            named.pop(id_, None)

    def moments(self) -> Iterator[datetime]:
        """Return the time of each."""
        return (one.moment for one in self._known.values())

    def stating(self, keys: Collection[tuple[str, str]]) -> list[Known]:
        """Return the visible ones that say something of keys."""
        ids = {id_ for key in keys for id_ in self._stating.get(key, ())}
        return [self._known[id_] for id_ in sorted(ids, key=self._places.__getitem__)]

    def with_key(self, about: tuple[str, str]) -> list[str]:
        """Return the ids of the visible ones that have an explicit key."""
        return sorted(self._with_key.get(about, ()), key=self._places.__getitem__)

    def _naming(self, known: Known) -> list[dict[str, None]]:
        found = [self._stating.setdefault(fact.key, {}) for fact in known.facts]
        return found if known.about is None else [*found, self._with_key.setdefault(known.about, {})]


class PlannedEdges:
    """The edges of a plan, found by their ends."""

    def __init__(self) -> None:
        self._count = 0
        self._at: dict[EdgeKind, dict[str, list[tuple[int, Edge]]]] = {}
        self._members: dict[str, list[str]] = {}

    def extend(self, edges: Iterable[Edge]) -> None:
        """Add edges, in their order."""
        for edge in edges:
            at = self._at.setdefault(edge.kind, {})
            for end in {edge.source_id, edge.target_id}:
                at.setdefault(end, []).append((self._count, edge))
            self._count += 1
            if edge.kind is EdgeKind.MEMBER:
                self._members.setdefault(edge.source_id, []).append(edge.target_id)

    def members(self, id_: str) -> list[str]:
        """Return what an episode represents by the plan."""
        return self._members.get(id_, [])

    def at(self, ids: Iterable[str], *, kinds: frozenset[EdgeKind]) -> list[Edge]:
        """Return those of some kinds at some episodes, each once, in the order they came."""
        maps = [self._at[kind] for kind in kinds if kind in self._at]
        wanted = frozenset(ids)
        # Of a thousand members few have such an edge: the sets are met, not walked.
        found = {number: edge for there in maps for end in there.keys() & wanted for number, edge in there[end]}
        return [found[number] for number in sorted(found)]


class PlannedRows:
    """The vectors of what is planned, in one piece that grows."""

    def __init__(self) -> None:
        self._ids: list[str] = []
        self._places: dict[str, int] = {}
        self.ids: set[str] = set()
        self.gone: set[str] = set()
        self._rows: Vectors | None = None

    def append(self, id_: str, vector: Vectors) -> None:
        """Add one."""
        count = len(self._ids)
        if self._rows is None or count == len(self._rows):
            grown = np.zeros((max(_FIRST_ROWS, 2 * count), vector.size), dtype=np.float32)
            grown[:count] = self._rows[:count] if self._rows is not None else grown[:count]
            self._rows = grown
        self._rows[count] = vector
        self._ids.append(id_)
        self._places[id_] = count
        self.ids.add(id_)

    def leave(self, id_: str) -> None:
        """Remove one that is now hidden: the last takes its place."""
        place = self._places.pop(id_, None)
        if place is None or self._rows is None:
            return
        last = self._ids.pop()
        if last != id_:
            self._ids[place] = last
            self._places[last] = place
            self._rows[place] = self._rows[len(self._ids)]
        self.ids.discard(id_)
        self.gone.add(id_)

    def nearest(self, vector: Vectors, *, count: int) -> list[tuple[float, str]]:
        """Return the nearest with their cosines, in no order."""
        if self._rows is None:
            return []
        likeness: Vectors = self._rows[: len(self._ids)] @ vector
        return [(rounded(float(likeness[place])), self._ids[place]) for place in at_least(likeness, count).tolist()]


def at_least(likeness: Vectors, count: int) -> npt.NDArray[np.int64]:
    """Return the places of the largest, and of all that equal the last of them: ids decide which of those count."""
    if likeness.size <= count:
        return np.arange(likeness.size)
    return np.flatnonzero(likeness >= np.partition(likeness, likeness.size - count)[likeness.size - count] - _EQUAL)


def rounded(cosine: float) -> float:
    """Round a cosine as everything that is compared with a threshold is."""
    return round(float(cosine), _DECIMALS)


_PENDING = EpisodeState.CONFLICT_PENDING
_CLASH = frozenset((EdgeKind.CONTRADICTS,))


def bring_in_line(writer: StoreWriter, *, at: datetime) -> None:
    """Release statements that have nothing left to wait for, and resolve review items whose sides do not both wait.

    Called after all that may change one side alone: settling, superseding, forgetting. Undoing restores exactly
    what was, and only the review items follow it.
    """
    for id_ in writer.waiting_alone():
        writer.apply(
            Change(
                kind=ChangeKind.CONFLICT_SETTLED,
                subject_id=id_,
                fields=(FieldChange(episode_id=id_, state=EpisodeState.ACTIVE),),
                reason="nothing_against_it",
            ),
            at=at,
        )
    let_items_follow(writer, at=at)


def let_items_follow(
    writer: StoreWriter, *, at: datetime, undone: Collection[str] = (), unsettled: Collection[str] = ()
) -> None:
    """Resolve the review items whose sides do not both wait any more.

    Args:
        writer: The transaction that is open.
        at: The moment.
        undone: Episodes of which something was undone: undecided items about them reopen if both sides wait again.
        unsettled: Those whose settling was undone: an item about just two of them reopens, even one a person resolved.
    """
    for item in writer.review_items(ReviewFilter(category=ReviewCategory.CONTRADICTION)):
        _follow(writer, item, undone=undone, unsettled=unsettled, at=at)


def _follow(
    writer: StoreWriter, item: ReviewItem, *, undone: Collection[str], unsettled: Collection[str], at: datetime
) -> None:
    assert item.id is not None
    is_open = item.status is ReviewStatus.OPEN
    sides = {item.episode_id, item.other_episode_id}
    is_undecided = item.resolution is Resolution.GONE and not sides.isdisjoint(undone)
    if not is_open and not is_undecided and not sides <= set(unsettled):
        return
    is_waiting = _is_waiting(writer, item)
    if is_open and not is_waiting:
        writer.set_review_status(item.id, ReviewStatus.RESOLVED, note=item.note, at=at, by=Resolution.GONE)
    elif is_waiting and not is_open:
        writer.set_review_status(item.id, ReviewStatus.OPEN, note=None, at=at, by=Resolution.GONE)


def _is_waiting(reader: StoreReader, item: ReviewItem) -> bool:
    """Return whether both sides, or what represents them now, wait for an answer about each other."""
    sides = [id_ for id_ in (item.episode_id, item.other_episode_id) if id_ is not None]
    standing = reader.standing_for(sides)
    heads = [set(standing.get(id_, ())) for id_ in sides]
    ids = sorted({id_ for head in heads for id_ in head})
    pending = {one.id for one in reader.episodes(ids) if one.state is _PENDING}
    if len(heads) < 2 or not all(pending & head for head in heads):  # noqa: PLR2004 - two sides
        return False
    return any(_join(edge.source_id, edge.target_id, heads) for edge in reader.edges_around(ids, kinds=_CLASH))


def _join(source: str, target: str, heads: Iterable[set[str]]) -> bool:
    first, second = heads
    return (source in first and target in second) or (source in second and target in first)
