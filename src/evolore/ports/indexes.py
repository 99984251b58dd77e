"""Indexes that recall searches: those derived from one namespace, at one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from evolore.domain.evolution import Shadow

Slots: TypeAlias = "npt.NDArray[np.int32]"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lessons:
    """What some questions teach: arrows to episodes, each with the principal who taught it; one behind the other."""

    rows: npt.NDArray[np.int32]  #: Which of the questions asked about each belongs to, shape (lessons,).
    target_ids: Sequence[str]  #: The episodes, in the order of the lessons.
    #: How heavy each arrow is, above 0 and up to 1, float32, shape (lessons,): 1 where an answer that was rated good
    #: rests on the episode, else the weight of the edge in the graph.
    weights: npt.NDArray[np.float32]
    is_rated: npt.NDArray[np.bool_]  #: Whether it rests on a rating, shape (lessons,).
    #: A number for each principal that teaches; -1 if unnamed, which counts as one.
    principals: npt.NDArray[np.int32]
    #: Since when each is taught by what was recorded, seconds since 1970 UTC, shape (lessons,): since it was rated and
    #: cited, or the edge entered the graph.
    taught_at: npt.NDArray[np.float64]


class QueryIndex(Protocol):
    """The questions of a namespace that teach anything, or did before others said otherwise, at one moment."""

    @property
    def count(self) -> int:
        """How many there are; their numbers lie below."""
        ...

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """When each was asked, seconds since 1970 UTC, shape (questions,)."""
        ...

    @property
    def ids(self) -> Sequence[str]:
        """The id of each."""
        ...

    @property
    def centre(self) -> npt.NDArray[np.float32] | None:
        """The mean of their vectors, shape (dimension,); None where they are too few to have one that says anything."""
        ...

    def nearest(
        self, vector: npt.NDArray[np.float32], *, count: int, as_of: float | None = None
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """Return the numbers of about the ``count`` nearest questions to a unit vector and their cosines, nearest first.

        Only those that taught anything at ``as_of``, seconds since 1970 UTC, or do now.
        """
        ...

    def rows_of(self, numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
        """Return the unit vectors of some questions, shape (questions, dimension), in their order."""
        ...

    def tokens_of(self, numbers: npt.NDArray[np.int32]) -> Sequence[frozenset[str]]:
        """Return the words of some questions as the analyser of questions cuts them."""
        ...

    def lessons_of(self, numbers: npt.NDArray[np.int32], *, as_of: float | None = None) -> Lessons:
        """Return what some questions taught at ``as_of``, seconds since 1970 UTC, or teach now."""
        ...


class TextIndex(Protocol):
    """Scores every item of a namespace for the words of a question."""

    @property
    def lengths(self) -> npt.NDArray[np.float32]:
        """How many words each item holds, shape (items,)."""
        ...

    def term_postings(
        self, tokens: Sequence[str], *, among: npt.NDArray[np.bool_] | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return each token's score on the items that hold it, as rows one after the other.

        Args:
            tokens: As the analyser returned them.
            among: The items to score and to take statistics of, as if there were no others, shape (items,); None
                for all.

        Returns:
            Where each row begins and the end of the last, shape (tokens + 1,); item numbers, rising within a row;
            scores, above 0; how rare each token is, which its scores never reach, above 0, shape (tokens,).
        """
        ...


class VectorIndex(Protocol):
    """Compares every item of a namespace with a vector."""

    def similarities(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return the cosine of each item with a unit vector of shape (dimension,), shape (items,)."""
        ...

    def nearest(self, vector: npt.NDArray[np.float32], *, count: int) -> Slots | None:
        """Return about the ``count`` items nearest to a unit vector, or more, each once, in no order.

        Returns:
            None where comparing all items is as fast.
        """
        ...

    def candidates(self, vector: npt.NDArray[np.float32], *, count: int) -> Slots | None:
        """Return items among which are the ``count`` nearest to a unit vector, hardly one missing, each once, in no order.

        Returns:
            None where comparing all items is as fast.
        """
        ...

    def similarities_of(self, vector: npt.NDArray[np.float32], items: Slots) -> npt.NDArray[np.float32]:
        """Return the cosine of some items with a unit vector, in their order."""
        ...

    def rows_of(self, items: Slots) -> npt.NDArray[np.float32]:
        """Return the unit vectors of some items, shape (items, dimension), in their order."""
        ...


class NameIndex(Protocol):
    """Looks up which names each item of a namespace holds, and which items hold each name."""

    @property
    def count(self) -> int:
        """How many names there are; their numbers lie below."""
        ...

    @property
    def titles(self) -> Slots:
        """The number of the name each item's document is called by, -1 where it has none, shape (items,)."""
        ...

    def numbers_of(self, names: Sequence[str]) -> Slots:
        """Return the number of each name, -1 for one that no item holds, shape (names,)."""
        ...

    def items_of(self, numbers: Slots) -> tuple[npt.NDArray[np.int64], Slots]:
        """Return the items that hold each name, as rows one after the other; that of -1 is empty.

        Returns:
            Where each row begins and the end of the last, shape (numbers + 1,); item numbers, rising within a row.
        """
        ...

    def names_of(self, items: Slots) -> tuple[npt.NDArray[np.int64], Slots]:
        """Return the names each item holds, each once, as rows one after the other.

        Returns:
            Where each row begins and the end of the last, shape (items + 1,); numbers of names.
        """
        ...

    def item_counts(self, numbers: Slots) -> Slots:
        """Return in how many items each name is, 0 for -1, shape (numbers,)."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)  # without slots, which would leave nowhere to keep the owners
class ItemPeriods:
    """The periods that items speak of, as rows one after the other; days as ``date.toordinal`` counts them."""

    starts: npt.NDArray[np.int64]  #: Where each item's row begins, and the end of the last, shape (items + 1,).
    first: Slots  #: The first day of each period, shape (periods,).
    last: Slots  #: The last day of each, which belongs to it, shape (periods,).

    @cached_property
    def owners(self) -> Slots:
        """The item each period belongs to, shape (periods,); counted when it is first asked for."""
        # An item's number is how many items began up to there: ten times as fast as repeating it.
        import numpy as np  # noqa: PLC0415 - `--help` imports the ports, and need not pay for it

        begun = np.bincount(self.starts[1:-1], minlength=self.first.size)[: self.first.size]
        return np.cumsum(begun).astype(np.int32)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class IndexView:
    """One namespace's derived indexes at one moment; every array has the same items in the same order."""

    episode_ids: Sequence[str]  #: Ids, shape (items,).
    #: Item numbers two before, one before, one after, two after in the same session or document; -1 where there is
    #: none. Shape (items, 4), each column in one piece.
    neighbours: Slots
    #: Seconds between each item and its neighbours, 0 where there is none, shape (items, 4).
    neighbour_gaps: npt.NDArray[np.float64]
    groups: Slots  #: A number per session or document, shape (items,); items outside both have one of their own.
    times: npt.NDArray[np.float64]  #: When each happened or was recorded, seconds since 1970 UTC, shape (items,).
    speakers: Slots  #: The number of the name of who said each, -1 if unnamed, shape (items,).
    speaker_names: Sequence[str]  #: The names, each once.
    text: TextIndex  #: The lexical index.
    vectors: VectorIndex  #: The vector index.
    names: NameIndex  #: Which names items hold.
    periods: ItemPeriods  #: The periods each item speaks of.
    #: How strongly each was felt, 0-1: as it was given, else as it was estimated, NaN where neither is known. Shape
    #: (items,).
    arousal: npt.NDArray[np.float32]
    is_arousal_given: npt.NDArray[np.bool_]  #: Whether the arousal is no estimate, shape (items,).
    #: The calendar day each happened on, in the zone its time was given in, as ``date.toordinal`` counts; 0 where it is
    #: not known. Shape (items,).
    days: Slots
    states: npt.NDArray[np.uint8]  #: The place of each one's state in ``EpisodeState``, shape (items,).
    languages: npt.NDArray[np.uint8]  #: The place of each one's language in ``Language``, shape (items,).
    is_question: npt.NDArray[np.bool_]  #: Whether each was said and ends by asking, shape (items,).
    is_passage: npt.NDArray[np.bool_]  #: Whether each is in a document, shape (items,).
    is_made: npt.NDArray[np.bool_]  #: Whether a merge or split made each, shape (items,).
    #: The number of what each is about, the two parts of ``about`` together, -1 for nothing in particular, shape
    #: (items,).
    subjects: Slots
    #: Until when each represents itself, exclusive, seconds since 1970 UTC; infinite while it does. Shape (items,).
    stands_until: npt.NDArray[np.float64]
    valid_to: npt.NDArray[np.float64]  #: Until when what each says holds, shape (items,).
    #: Whether any item is hidden now: because another represents it, or it was taken back. Then ``neighbours``
    #: join the visible ones, and have none for the others.
    has_hidden: bool
    numbers: Mapping[str, int]  #: The number of each item by its id.
    queries: QueryIndex  #: The questions that teach something.
    #: Returns neighbours and gaps as they would be if only these items were visible, shape (items,).
    relinked: Callable[[npt.NDArray[np.bool_]], tuple[Slots, npt.NDArray[np.float64]]]
    group_of: Callable[[str], int]  #: Returns the number of a document's group; -1 for one without items.
    shadows: tuple[Shadow, ...] = ()  #: The texts that are before some people only.
    #: Which items take no part, because they are of such a text or of one in whose place it is; None for none.
    #: Shape (items,).
    withheld: npt.NDArray[np.bool_] | None = None

    def without(self, document_ids: Iterable[str]) -> IndexView:
        """Return the view in which some documents take no part, and all others do."""
        groups = [code for id_ in document_ids if (code := self.group_of(id_)) >= 0]
        if not groups:
            return self if self.withheld is None else replace(self, withheld=None)
        withheld = self.groups == groups[0]
        for code in groups[1:]:
            withheld |= self.groups == code
        return replace(self, withheld=withheld)

    def on_trial(self, shadows: tuple[Shadow, ...]) -> IndexView:
        """Return the view with texts on trial, which take no part until a principal is set."""
        if not shadows:
            return self
        return replace(self.without(one.document_id for one in shadows), shadows=shadows)
