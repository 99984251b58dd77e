"""The questions of a namespace that teach anything, in memory: words, lessons, and from when to when each held."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, Self

import numpy as np

from evolore.index.arrays import Arrays, Column, ItemsFile, Names, bytes_of, packed, places_in, unpacked
from evolore.index.feed import Feed, Lesson, Taught, TouchedQuestion
from evolore.index.snapshots import ID_BYTES, Kept
from evolore.index.vector_search import SnapshotKeeper
from evolore.index.vectors import FrozenRows, Sketches, half_products
from evolore.ports import Lessons
from evolore.text.vectors import Bools, Float16s, Float32s, Float64s, Int32s, Int64s

_WORD_BYTES = 150
_SPARE = 4096

EXACT_UP_TO = 8192


class QuestionWords:
    """The words of questions that are numbered from 0 without gaps."""

    def __init__(self) -> None:
        self._begins = Column(np.int64)
        self._lengths = Column(np.int64)
        self._values = Column(np.int32)
        self._words = Names()

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        return bytes_of(self._begins, self._lengths, self._values) + _WORD_BYTES * len(self._words)

    def state(self) -> Arrays:
        """Return all it knows, as arrays that nothing changes later."""
        columns = {"begins": self._begins, "lengths": self._lengths, "values": self._values}
        return {name: one.rows.copy() for name, one in columns.items()} | {"words": packed(self._words.all)}

    @classmethod
    def restored(cls, state: Arrays) -> Self:
        """Make one from another's ``state``."""
        made = cls()
        for column, name in ((made._begins, "begins"), (made._lengths, "lengths"), (made._values, "values")):
            column.append(state[name])
        made._words = Names(unpacked(state["words"]))
        return made

    def append(self, word_lists: Sequence[Sequence[str]]) -> None:
        """Add questions behind the others."""
        lengths = np.array([len(words) for words in word_lists], dtype=np.int64)
        self._begins.append(len(self._values) + np.cumsum(lengths) - lengths)
        self._lengths.append(lengths)
        self._write([word for words in word_lists for word in words])

    def move_last(self, number: int) -> None:
        """Move the last question to the place of another, which is removed."""
        self._begins.move_last(number)
        self._lengths.move_last(number)
        if len(self._values) > 2 * int(self._lengths.rows.sum()) + _SPARE:
            self._tidy()

    def of(self, numbers: Int32s) -> list[frozenset[str]]:
        """Return the words of some questions."""
        begins, lengths = self._begins.rows[numbers].tolist(), self._lengths.rows[numbers].tolist()
        values = self._values.rows
        return [
            frozenset(self._words.named(values[begin : begin + length]))
            for begin, length in zip(begins, lengths, strict=True)
        ]

    def _write(self, words: Sequence[str]) -> None:
        self._values.append(np.array([self._words.number(word) for word in words], dtype=np.int32))

    def _tidy(self) -> None:
        """Copy what is left together; words that no question has are forgotten."""
        lengths = self._lengths.rows
        self._values.keep(places_in(self._begins.rows, lengths))
        self._begins.rows[:] = np.cumsum(lengths) - lengths
        words = self._words.named(self._values.rows)
        self._words, self._values = Names(), Column(np.int32)
        self._write(words)


NOBODY = -1
_SPARE_LESSONS = 1024
_MOST_MOMENTS = 8
"""For so many moments it is kept which questions taught anything: to find it takes 6 ms for 100,000."""

_NAME_BYTES = 250
"""About what an id of 26 characters takes as a key and as a value."""


class LessonTable:
    """The lessons of questions that are numbered from 0 without gaps, in columns.

    What replaces a row is written behind all others; once more than half of what is written is replaced, the rest is
    copied together.
    """

    def __init__(self) -> None:
        self._begins = Column(np.int64)
        self._lengths = Column(np.int64)
        self._targets = Column(np.int32)
        self._weights = Column(np.float32)
        self._is_rated = Column(np.bool_)
        self._principals = Column(np.int32)
        self._taught_at = Column(np.float64)
        self._taught_until = Column(np.float64)
        self._last_change = -inf
        self._has_ended = False
        self._teaching: dict[float | None, Bools] = {}
        self._names = Names()
        self._who: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._begins)

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        return bytes_of(*self._columns) + _NAME_BYTES * (len(self._names) + len(self._who))

    @property
    def _columns(self) -> tuple[Column[Any], ...]:
        return (self._begins, self._lengths, *self._values)

    @property
    def _values(self) -> tuple[Column[Any], ...]:
        return (self._targets, self._weights, self._is_rated, self._principals, self._taught_at, self._taught_until)

    def state(self) -> Arrays:
        """Return all that counts, as arrays that nothing changes later; no name that no lesson has any more."""
        lengths = self._lengths.rows.copy()
        places = places_in(self._begins.rows, lengths)
        begins, (targets, *others) = np.cumsum(lengths) - lengths, (one.rows[places] for one in self._values)
        used, codes = np.unique(targets, return_inverse=True)
        columns = (begins, lengths, codes.astype(np.int32), *others)
        return {str(place): one for place, one in enumerate(columns)} | {
            "names": packed(self._names.named(used)),
            "who": packed(list(self._who)),
            "changes": np.array([self._last_change, self._has_ended], dtype=np.float64),
        }

    @classmethod
    def restored(cls, state: Arrays) -> Self:
        """Make one from another's ``state``."""
        made = cls()
        for place, column in enumerate(made._columns):
            column.append(state[str(place)])
        made._names = Names(unpacked(state["names"]))
        made._who = {name: number for number, name in enumerate(unpacked(state["who"]))}
        made._last_change, made._has_ended = float(state["changes"][0]), bool(state["changes"][1])
        return made

    def append(self, taught: Sequence[Taught]) -> None:
        """Add questions behind the others."""
        lengths = np.array([len(row) for row in taught], dtype=np.int64)
        self._begins.append(len(self._targets) + np.cumsum(lengths) - lengths)
        self._lengths.append(lengths)
        self._write([lesson for row in taught for lesson in row])

    def replace(self, number: int, row: Taught) -> None:
        """Replace what a question teaches."""
        self._begins.rows[number], self._lengths.rows[number] = len(self._targets), len(row)
        self._write(row)
        self._tidy()

    def move_last(self, number: int) -> None:
        """Move the last question to the place of another, which is removed."""
        self._teaching.clear()
        self._begins.move_last(number)
        self._lengths.move_last(number)
        self._tidy()

    def of(self, numbers: Int32s, *, as_of: float | None = None) -> Lessons:
        """Return what some questions taught at a moment, or teach now, one behind the other."""
        lengths = self._lengths.rows[numbers]
        places = places_in(self._begins.rows[numbers], lengths)
        rows = np.repeat(np.arange(numbers.size, dtype=np.int32), lengths)
        if not self._all_hold(as_of):
            holds = self._hold(places, as_of)
            places, rows = places[holds], rows[holds]
        return Lessons(
            rows=rows,
            target_ids=self._names.named(self._targets.rows[places]),
            weights=self._weights.rows[places],
            is_rated=self._is_rated.rows[places],
            principals=self._principals.rows[places],
            taught_at=self._taught_at.rows[places],
        )

    def teaching(self, as_of: float | None = None) -> Bools | None:
        """Return which questions taught anything at a moment, or do now; None for all."""
        if self._all_hold(as_of):
            return None
        moment = None if as_of is None or as_of >= self._last_change else as_of
        if moment not in self._teaching:
            if len(self._teaching) >= _MOST_MOMENTS:
                self._teaching.clear()
            lengths = self._lengths.rows
            whose = np.repeat(np.arange(lengths.size, dtype=np.int32), lengths)
            found = self._teaching[moment] = np.zeros(lengths.size, dtype=np.bool_)
            found[whose[self._hold(places_in(self._begins.rows, lengths), moment)]] = True
        return self._teaching[moment]

    def _all_hold(self, as_of: float | None) -> bool:
        return not self._has_ended and (as_of is None or as_of >= self._last_change)

    def _hold(self, places: Int64s, as_of: float | None) -> Bools:
        until = self._taught_until.rows[places]
        if as_of is None or as_of >= self._last_change:
            return np.isinf(until)
        return (self._taught_at.rows[places] <= as_of) & (as_of < until)

    def _write(self, lessons: Sequence[Lesson]) -> None:
        self._teaching.clear()
        self._targets.append(np.array([self._names.number(one.target_id) for one in lessons], dtype=np.int32))
        self._weights.append(np.array([one.weight for one in lessons], dtype=np.float32))
        self._is_rated.append(np.array([one.is_rated for one in lessons], dtype=np.bool_))
        self._principals.append(np.array([self._number(one.principal) for one in lessons], dtype=np.int32))
        begins = np.array([one.taught_at for one in lessons], dtype=np.float64)
        ends = np.array([one.taught_until for one in lessons], dtype=np.float64)
        self._taught_at.append(begins)
        self._taught_until.append(ends)
        ended = ends[np.isfinite(ends)]
        self._last_change = max(self._last_change, begins.max(initial=-inf), ended.max(initial=-inf))
        self._has_ended = self._has_ended or bool(ended.size)

    def _number(self, principal: str | None) -> int:
        return NOBODY if principal is None else self._who.setdefault(principal, len(self._who))

    def _tidy(self) -> None:
        """Copy what still counts together, once most does not; names that no lesson has are forgotten."""
        lengths = self._lengths.rows
        if len(self._targets) <= 2 * int(lengths.sum()) + _SPARE_LESSONS:
            return
        places = places_in(self._begins.rows, lengths)
        for column in self._values:
            column.keep(places)
        self._begins.rows[:] = np.cumsum(lengths) - lengths
        names = self._names.named(self._targets.rows)
        self._names = Names()
        self._targets.rows[:] = [self._names.number(name) for name in names]


@dataclass(frozen=True, slots=True)
class PersonalRating:
    """What one person said of an answer, and when, in seconds since 1970 UTC."""

    at: float
    who: str | None
    is_good: bool


@dataclass(frozen=True, slots=True)
class Entered:
    """An edge that entered the graph, and when."""

    at: float
    target_id: str
    weight: float


def lessons(
    *,
    principal: str | None,
    since: float,
    ratings: Iterable[PersonalRating],
    cited: Mapping[str, float],
    edges: Sequence[Entered],
) -> Taught:
    """Return what a question teaches and taught, by episode, then by who taught it, then by time."""
    found = _Spans()
    for begin, end, teachers in _periods(ratings, since=since):
        for target_id, cited_at in cited.items():
            for who in teachers:
                found.add((target_id, 1.0, True, who), max(begin, cited_at), end)
        for edge in edges:
            # What a rated answer rests on is taught by the rating. Where ratings made an insight of it, those who rated
            # teach the rest too, and the asker does not: one is one.
            rated_from = max(begin, cited[edge.target_id]) if teachers and edge.target_id in cited else inf
            for who in teachers or (principal,):
                found.add((edge.target_id, edge.weight, False, who), max(begin, edge.at), min(end, rated_from))
    return found.lessons()


def _periods(
    ratings: Iterable[PersonalRating], *, since: float
) -> Generator[tuple[float, float, tuple[str | None, ...]]]:
    """Yield the times between ratings, with who rated good wherever more people did than did not."""
    balance, good, begin = 0, list[str | None](), since
    for one in sorted(ratings, key=lambda said: said.at):
        if one.at > begin:
            yield begin, one.at, tuple(good) if balance > 0 else ()
            begin = one.at
        balance += 1 if one.is_good else -1
        good += [one.who] if one.is_good else []
    yield begin, inf, tuple(good) if balance > 0 else ()


class _Spans:
    """Times at which something was taught: those that follow one another become one."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, float, bool, str | None], list[tuple[float, float]]] = {}

    def add(self, taught: tuple[str, float, bool, str | None], begin: float, end: float) -> None:
        """Add a time, which lies behind those before; one that ends before it begins is none."""
        if begin >= end:
            return
        spans = self._ends.setdefault(taught, [])
        if spans and spans[-1][1] == begin:
            begin = spans.pop()[0]
        spans.append((begin, end))

    def lessons(self) -> Taught:
        """Return them all."""
        found = [
            Lesson(target_id=id_, weight=weight, is_rated=is_rated, principal=who, taught_at=begin, taught_until=end)
            for (id_, weight, is_rated, who), spans in self._ends.items()
            for begin, end in spans
        ]
        return tuple(sorted(found, key=lambda one: (one.target_id, one.principal or "", one.taught_at)))


_FLOAT16 = np.dtype("<f2")
_IDS = "ids"
_TIMES = "times"
_ERASURES = "erasures"
"""How often questions were erased, and the last entry of the indexes' log, when the file was written."""


def question_ids(content: ItemsFile) -> list[str]:
    """Return the questions that a file of them holds."""
    ids = content.arrays[_IDS].tobytes().decode("ascii")
    return [ids[start : start + ID_BYTES] for start in range(0, len(ids), ID_BYTES)]


def holds_nothing_erased(content: ItemsFile, feed: Feed) -> bool:
    """Return whether nothing was erased since the content of a file of questions was taken: neither questions nor what they lead to."""
    erasures, log_end = content.arrays[_ERASURES].tolist()
    return feed.question_ends()[1] == erasures and not feed.has_left(after=log_end)


class TeachingQuestions:
    """The questions that teach something, equal to the rows at the moment ``follow`` was given.

    Nothing is read before something is asked of it. Then what was touched since is read, and all of it where questions
    were erased meanwhile. Law: after any recording, rating, evaluation, undoing, withdrawal and erasure, it equals one
    rebuilt from the tables, but for the order of the questions.

    Where there are many, a file holds them as they were, and only what was touched since is read from the rows.
    """

    def __init__(
        self,
        dimension: int,
        *,
        keeper: SnapshotKeeper | None = None,
        filed_from: int = EXACT_UP_TO,
        tail_share: float = 0.1,
    ) -> None:
        self._dimension = dimension
        self._keeper = keeper
        self._filed_from = filed_from
        self._tail_share = tail_share
        self._feed: Feed | None = None
        self._clear()

    @property
    def bytes_held(self) -> int:
        """About how much memory it takes."""
        parts = (self._vectors, self._words, self._lessons, self._times)
        return sum(part.bytes_held for part in parts) + _NAME_BYTES * len(self._ids)

    @property
    def count(self) -> int:
        """How many there are; their numbers lie below."""
        self._keep_up()
        return len(self._ids)

    @property
    def ids(self) -> Sequence[str]:
        """Which each is."""
        self._keep_up()
        return self._ids

    @property
    def times(self) -> Float64s:
        """When each was asked, seconds since 1970 UTC, shape (questions,)."""
        self._keep_up()
        return self._times.rows

    def nearest(self, vector: Float32s, *, count: int, as_of: float | None = None) -> tuple[Int32s, Float32s]:
        """Return the numbers of about the ``count`` nearest questions to a unit vector and their cosines, nearest first.

        Only those that taught anything at ``as_of``, or do now. Exact up to 8,192 questions; of more, hardly one is missing.
        """
        self._keep_up()
        return self._vectors.nearest(vector, count=count, among=self._lessons.teaching(as_of))

    @property
    def centre(self) -> Float32s | None:
        """The mean of their vectors, or of most of them, shape (dimension,); None for fewer than 50."""
        self._keep_up()
        return self._vectors.centre

    def rows_of(self, numbers: Int32s) -> Float32s:
        """Return the unit vectors of some questions, shape (questions, dimension), in their order."""
        self._keep_up()
        return self._vectors.rows_of(numbers)

    def tokens_of(self, numbers: Int32s) -> Sequence[frozenset[str]]:
        """Return the words of some questions as the analyser of questions cuts them."""
        self._keep_up()
        return self._words.of(numbers)

    def lessons_of(self, numbers: Int32s, *, as_of: float | None = None) -> Lessons:
        """Return what some questions taught at ``as_of``, or teach now."""
        self._keep_up()
        return self._lessons.of(numbers, as_of=as_of)

    def follow(self, feed: Feed) -> None:
        """Equal the rows as this feed reports them, as soon as something is asked."""
        self._feed = feed

    def _clear(self) -> None:
        self._seq = 0
        self._erasures = 0
        self._unfiled = 0
        self._ids: list[str] = []
        self._numbers: dict[str, int] = {}
        self._times = Column(np.float64)
        self._vectors = QuestionVectors(self._dimension)
        self._words = QuestionWords()
        self._lessons = LessonTable()

    def _keep_up(self) -> None:
        if self._feed is None:
            return
        feed, self._feed = self._feed, None
        seq, erasures = feed.question_ends()
        if erasures != self._erasures:
            self._clear()
        if seq and not self._seq:
            self._restore(feed, seq, erasures)
        if seq > self._seq:
            try:
                for questions in feed.questions(after=self._seq):
                    self._take_in(feed, questions)
            except BaseException:  # half of it is there: the next question starts over; it is raised again
                self._clear()
                self._feed = feed
                raise
        self._seq, self._erasures = seq, erasures
        self._file(feed)

    def _restore(self, feed: Feed, seq: int, erasures: int) -> None:
        """Begin with what the file says, if there is one that holds nothing erased; the rows supply the rest."""
        found = None if self._keeper is None else self._keeper.read(Kept.QUESTIONS, feed)
        if found is None or found.watermark > seq or int(found.arrays[_ERASURES][0]) != erasures:
            return
        try:
            self._ids = question_ids(found)
            self._numbers = {id_: number for number, id_ in enumerate(self._ids)}
            self._times.append(found.arrays[_TIMES])
            self._vectors = QuestionVectors.restored(found.part("vectors "), self._dimension)
            self._words = QuestionWords.restored(found.part("words "))
            self._lessons = LessonTable.restored(found.part("lessons "))
        except (KeyError, ValueError):  # another version wrote it
            self._clear()
            return
        self._seq = found.watermark

    def _file(self, feed: Feed) -> None:
        """Start writing a file where it is missing, or so far behind that reading the rest takes longer than it."""
        if self._keeper is None or len(self._ids) <= self._filed_from:
            return
        is_missing = self._keeper.saved_at(Kept.QUESTIONS, feed.ns) is None
        is_due = is_missing or self._unfiled > self._tail_share * len(self._ids)
        if is_due and self._keeper.would_build(feed.ns, Kept.QUESTIONS, self._seq):
            origin, content = self._keeper.origin(feed), self._state(feed)
            self._keeper.begin_writing(Kept.QUESTIONS, feed.ns, origin, content, stands=holds_nothing_erased)
            self._unfiled = 0

    def _state(self, feed: Feed) -> ItemsFile:
        own = {f"vectors {name}": array for name, array in self._vectors.state().items()}
        own |= {f"words {name}": array for name, array in self._words.state().items()}
        own |= {f"lessons {name}": array for name, array in self._lessons.state().items()}
        own |= {
            _IDS: np.frombuffer("".join(self._ids).encode("ascii"), dtype=np.uint8),
            _TIMES: self._times.rows.copy(),
            _ERASURES: np.array([self._erasures, feed.ends()[0]], dtype=np.int64),
        }
        return ItemsFile(watermark=self._seq, arrays=own)

    def _take_in(self, feed: Feed, questions: Sequence[TouchedQuestion]) -> None:
        new: list[TouchedQuestion] = []
        self._unfiled += len(questions)
        for one in questions:
            number = self._numbers.get(one.id)
            if number is None:
                new += [one] if one.lessons else []
            elif one.lessons:
                self._lessons.replace(number, one.lessons)
            else:
                self._drop(number)
        if new:
            self._append(feed, new)

    def _append(self, feed: Feed, new: Sequence[TouchedQuestion]) -> None:
        keys = feed.question_keys(one.id for one in new)
        there = [one for one in new if one.id in keys and len(keys[one.id][0]) == 2 * self._dimension]
        self._numbers.update((one.id, len(self._ids) + place) for place, one in enumerate(there))
        self._ids.extend(one.id for one in there)
        self._times.append(np.array([one.asked_at for one in there], dtype=np.float64))
        packed = np.frombuffer(b"".join(keys[one.id][0] for one in there), dtype=_FLOAT16)
        self._vectors.append(packed.reshape(len(there), self._dimension).astype(np.float16, copy=False))
        self._words.append([keys[one.id][1].split() for one in there])
        self._lessons.append([one.lessons for one in there])

    def _drop(self, number: int) -> None:
        """Remove a question that teaches nothing any more, and move the last one to its place."""
        del self._numbers[self._ids[number]]
        last = self._ids.pop()
        if number < len(self._ids):
            self._ids[number] = last
            self._numbers[last] = number
        for part in (self._times, self._vectors, self._words, self._lessons):
            part.move_last(number)


_CENTRED_FROM = 50
_CENTRED_UP_TO = 1024
_RESCORED_NUMBERS = 128 * 512
"""How many components are compared as they are: of short vectors, whose sketches show less, more vectors."""

_RESKETCHED = 2
"""Sketches are remade, about the new mean, once there are this many times as many vectors as they were made of."""


class QuestionVectors:
    """Vectors of unit length, numbered from 0 without gaps.

    They are held as float16. Up to ``exact_up_to`` of them are compared with a question one by one. Of more, their
    sketches are compared first, and only the nearest by these as they are: 100,000 of 512 dimensions take 110 to 135 MB.
    """

    def __init__(self, dimension: int, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._dimension = dimension
        self._exact_up_to = exact_up_to
        self._rows = Column(np.float16, width=dimension)
        self._sketches: Sketches | None = None  # made when they are asked for
        self._centre: tuple[int, Float32s] | None = None  # of how many, and what

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def bytes_held(self) -> int:
        """How much memory it takes."""
        return self._rows.bytes_held + (0 if self._sketches is None else self._sketches.bytes_held)

    @property
    def centre(self) -> Float32s | None:
        """The mean of some of them, from the first to the last, shape (dimension,); None for fewer than 50."""
        if len(self) < _CENTRED_FROM:
            return None
        if self._centre is None or self._centre[0] != len(self):
            self._centre = len(self), self._rows.rows[:: -(-len(self) // _CENTRED_UP_TO)].mean(axis=0, dtype=np.float32)
        return self._centre[1]

    def state(self) -> Arrays:
        """Return all it knows, as arrays that nothing changes later."""
        return {"rows": self._rows.rows.copy()}

    @classmethod
    def restored(cls, state: Arrays, dimension: int) -> Self:
        """Make one from another's ``state``."""
        made = cls(dimension)
        made._rows.append(state["rows"].reshape(-1, dimension))
        return made

    def rows_of(self, numbers: Int32s) -> Float32s:
        """Return some of them, shape (numbers, dimension), in their order."""
        return self._rows.rows[numbers].astype(np.float32)

    def append(self, rows: Float16s) -> None:
        """Add vectors behind the others, shape (rows, dimension)."""
        self._rows.append(rows)
        if self._sketches is not None:
            self._sketches.append(rows)

    def move_last(self, number: int) -> None:
        """Move the last vector to the place of another, which is removed."""
        self._rows.move_last(number)
        if self._sketches is not None:
            self._sketches.move_last(number)

    def nearest(self, vector: Float32s, *, count: int, among: Bools | None = None) -> tuple[Int32s, Float32s]:
        """Return about the ``count`` nearest to a unit vector and their cosines, the nearest first, then by number.

        Args:
            vector: Of unit length, shape (dimension,).
            count: How many.
            among: Which may be given, shape (vectors,); None for all.
        """
        if len(self) > self._exact_up_to:
            numbers = self._near_by_sketch(vector, max(_RESCORED_NUMBERS // self._dimension, 2 * count), among)
            cosines = half_products(self._rows.rows[numbers], vector)
        elif among is None:
            numbers, cosines = np.arange(len(self), dtype=np.int32), half_products(self._rows.rows, vector)
        else:
            numbers = np.flatnonzero(among).astype(np.int32)
            cosines = half_products(self._rows.rows[numbers], vector)
        if numbers.size > 4 * count:
            few = np.flatnonzero(cosines >= np.partition(cosines, numbers.size - count)[numbers.size - count])
            numbers, cosines = numbers[few], cosines[few]
        order = np.lexsort((numbers, -cosines))[:count]
        return numbers[order], cosines[order]

    def _near_by_sketch(self, vector: Float32s, count: int, among: Bools | None) -> Int32s:
        """Return about so many whose sketches differ least from that of a vector."""
        if self._sketches is None or len(self) > _RESKETCHED * self._sketches.made_of:
            none = self._rows.rows[:0]
            self._sketches = Sketches(FrozenRows(lent=none, own=self._rows.rows, places=np.arange(len(self))))
        return self._sketches.candidates(vector, count=count, among=among, most=2 * count)
