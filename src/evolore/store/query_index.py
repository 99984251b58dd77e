"""The questions of a namespace that teach anything, in memory: read when they are first asked for, and kept up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, select

from evolore.store.columns import Column
from evolore.store.prepared import Prepared
from evolore.store.question_lessons import LessonTable
from evolore.store.question_loading import keys_of, touched
from evolore.store.question_vectors import EXACT_UP_TO, QuestionVectors
from evolore.store.question_words import QuestionWords
from evolore.store.tables import namespaces

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    from sqlalchemy import Connection

    from evolore.ports import EmbeddingModel, Lessons
    from evolore.store.question_loading import Question

_FLOAT16 = np.dtype("<f2")
_NAME_BYTES = 250
_ENDS = Prepared(
    select(namespaces.c.query_seq, namespaces.c.query_erasures).where(namespaces.c.ns == bindparam("here"))
)


class TeachingQuestions:
    """The questions that teach something, equal to the tables at the moment ``follow`` was given.

    Nothing is read before something is asked of it. Then what was touched since is read, and all of it where questions
    were erased meanwhile. Law: whatever was recorded, rated, evaluated, undone, withdrawn and forgotten, it equals one
    built anew from the tables, but for the order of the questions.

    Args:
        ns: The namespace's number.
        model: The store's embedding model.
        exact_up_to: Up to how many questions are compared one by one.
    """

    def __init__(self, ns: int, model: EmbeddingModel, *, exact_up_to: int = EXACT_UP_TO) -> None:
        self._ns = ns
        self._model = model
        self._exact_up_to = exact_up_to
        self._connection: Connection | None = None
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
    def times(self) -> npt.NDArray[np.float64]:
        """When each was asked, seconds since 1970 UTC, shape (questions,)."""
        self._keep_up()
        return self._times.rows

    def nearest(
        self, vector: npt.NDArray[np.float32], *, count: int, as_of: float | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Give the numbers of about the ``count`` nearest questions to a unit vector and their cosines, nearest first.

        Only those that taught anything at ``as_of``, or do now. Exact up to 8,192 questions; of more, hardly one is missing.
        """
        self._keep_up()
        return self._vectors.nearest(vector, count=count, among=self._lessons.teaching(as_of))

    @property
    def centre(self) -> npt.NDArray[np.float32] | None:
        """The mean of their vectors, or of most of them, shape (dimension,); None for fewer than 50."""
        self._keep_up()
        return self._vectors.centre

    def rows_of(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Give the unit vectors of some questions, shape (questions, dimension), in their order."""
        self._keep_up()
        return self._vectors.rows_of(numbers)

    def tokens_of(self, numbers: npt.NDArray[np.int32]) -> Sequence[frozenset[str]]:
        """Give the words of some questions as the analyser of questions cuts them."""
        self._keep_up()
        return self._words.of(numbers)

    def lessons_of(self, numbers: npt.NDArray[np.int32], *, as_of: float | None = None) -> Lessons:
        """Give what some questions taught at ``as_of``, or teach now."""
        self._keep_up()
        return self._lessons.of(numbers, as_of=as_of)

    def follow(self, connection: Connection) -> None:
        """Equal the tables as this snapshot of them says, as soon as something is asked."""
        self._connection = connection

    def _clear(self) -> None:
        self._seq = 0
        self._erasures = 0
        self._ids: list[str] = []
        self._numbers: dict[str, int] = {}
        self._times = Column(np.float64)
        self._vectors = QuestionVectors(self._model.dimension, exact_up_to=self._exact_up_to)
        self._words = QuestionWords()
        self._lessons = LessonTable()

    def _keep_up(self) -> None:
        if self._connection is None:
            return
        connection, self._connection = self._connection, None
        seq, erasures = _ENDS.first(connection, {"here": self._ns}) or (0, 0)
        if erasures != self._erasures:
            self._clear()
        if seq > self._seq:
            try:
                for questions in touched(connection, self._ns, after=self._seq):
                    self._take_in(connection, questions)
            except BaseException:  # half of it is there: what is asked next begins anew; it is raised again
                self._clear()
                self._connection = connection
                raise
        self._seq, self._erasures = seq, erasures

    def _take_in(self, connection: Connection, questions: Sequence[Question]) -> None:
        new: list[Question] = []
        for one in questions:
            number = self._numbers.get(one.id)
            if number is None:
                new += [one] if one.lessons else []
            elif one.lessons:
                self._lessons.replace(number, one.lessons)
            else:
                self._drop(number)
        if new:
            self._append(connection, new)

    def _append(self, connection: Connection, new: Sequence[Question]) -> None:
        keys = keys_of(connection, self._ns, (one.id for one in new), model_id=self._model.id)
        there = [one for one in new if one.id in keys and len(keys[one.id][0]) == 2 * self._model.dimension]
        self._numbers.update((one.id, len(self._ids) + place) for place, one in enumerate(there))
        self._ids.extend(one.id for one in there)
        self._times.append(np.array([one.asked_at for one in there], dtype=np.float64))
        packed = np.frombuffer(b"".join(keys[one.id][0] for one in there), dtype=_FLOAT16)
        self._vectors.append(packed.reshape(len(there), self._model.dimension).astype(np.float16, copy=False))
        self._words.append([keys[one.id][1].split() for one in there])
        self._lessons.append([one.lessons for one in there])

    def _drop(self, number: int) -> None:
        """Let the last question take the place of one that teaches nothing any more."""
        del self._numbers[self._ids[number]]
        last = self._ids.pop()
        if number < len(self._ids):
            self._ids[number] = last
            self._numbers[last] = number
        for part in (self._times, self._vectors, self._words, self._lessons):
            part.move_last(number)
