"""The lexical index: BM25 by the book, and the law that history does not matter."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue
from evolore.store.lexical import Bm25, LexicalIndex

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

TOKENS = ("red", "green", "blue", "house", "garden")
QUESTION = (*TOKENS, "unknown", "red")

token_lists = st.lists(st.lists(st.sampled_from(TOKENS), max_size=6), max_size=5)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), token_lists),
        st.tuples(st.just("remove"), st.lists(st.integers(0, 30), max_size=4)),
        st.tuples(st.just("compact"), st.none()),
    ),
    max_size=10,
)


def term_scores(index: LexicalIndex, tokens: Sequence[str]) -> npt.NDArray[np.float32]:
    """Lay the rows out as an array of shape (tokens, items)."""
    starts, items, scores = index.term_postings(tokens)
    dense = np.zeros((len(tokens), index.count), dtype=np.float32)
    for row, (start, end) in enumerate(pairwise(starts.tolist())):
        assert np.all(np.diff(items[start:end]) > 0)
        dense[row, items[start:end]] = scores[start:end]
    assert np.all(scores > 0)
    return dense


def bm25_by_the_book(lists: Sequence[Sequence[str]], token: str, item: int, constants: Bm25) -> float:
    holders = sum(token in tokens for tokens in lists)
    occurrences = Counter(lists[item])[token]
    if not occurrences:
        return 0.0
    mean_length = sum(map(len, lists)) / len(lists)
    norm = constants.k1 * (1 - constants.b + constants.b * len(lists[item]) / mean_length)
    idf = math.log(1 + (len(lists) - holders + 0.5) / (holders + 0.5))
    return idf * occurrences * (constants.k1 + 1) / (occurrences + norm)


class Model:
    """What an index should be: every item ever appended, and whether it is live."""

    def __init__(self) -> None:
        self.index = LexicalIndex()
        self.items: list[list[str] | None] = []

    def append(self, lists: list[list[str]]) -> None:
        numbers = self.index.append(lists)
        assert list(numbers) == list(range(len(self.items), len(self.items) + len(lists)))
        self.items.extend(lists)

    def remove(self, numbers: list[int]) -> None:
        known = [number for number in numbers if number < len(self.items)]
        self.index.remove(known)
        for number in known:
            self.items[number] = None

    def compact(self) -> None:
        kept = self.index.compact()
        assert kept.tolist() == [number for number, tokens in enumerate(self.items) if tokens is not None]
        self.items = [tokens for tokens in self.items if tokens is not None]

    def run(self, history: list[tuple[str, list[list[str]] | list[int] | None]]) -> None:
        for verb, argument in history:
            match verb, argument:
                case "append", list():
                    self.append(argument)  # pyright: ignore[reportArgumentType] - the strategy pairs them
                case "remove", list():
                    self.remove(argument)  # pyright: ignore[reportArgumentType] - the strategy pairs them
                case _:
                    self.compact()


@given(history=steps)
def test_any_history_scores_like_an_index_built_anew(
    history: list[tuple[str, list[list[str]] | list[int] | None]],
) -> None:
    model = Model()
    model.run(history)
    live = [number for number, tokens in enumerate(model.items) if tokens is not None]
    fresh = LexicalIndex([tokens for tokens in model.items if tokens is not None])
    scores = term_scores(model.index, QUESTION)
    assert np.array_equal(scores[:, live], term_scores(fresh, QUESTION))
    assert not scores[:, [number for number in range(len(model.items)) if number not in live]].any()


@given(lists=token_lists, k1=st.floats(0.0, 3.0), b=st.floats(0.0, 1.0))
def test_scores_are_those_of_bm25(lists: list[list[str]], k1: float, b: float) -> None:
    constants = Bm25(k1=k1, b=b)
    scores = term_scores(LexicalIndex(lists, bm25=constants), QUESTION)
    expected = [[bm25_by_the_book(lists, token, item, constants) for item in range(len(lists))] for token in QUESTION]
    assert scores.shape == (len(QUESTION), len(lists))
    assert np.allclose(scores, np.array(expected).reshape(scores.shape), rtol=1e-5)


@given(lists=token_lists, cuts=st.lists(st.integers(0, 5), max_size=4))
def test_batches_of_any_size_give_the_same_index(lists: list[list[str]], cuts: list[int]) -> None:
    index = LexicalIndex()
    bounds = [0, *sorted(cut for cut in cuts if cut <= len(lists)), len(lists)]
    for begin, end in pairwise(bounds):
        index.append(lists[begin:end])
    assert np.array_equal(term_scores(index, QUESTION), term_scores(LexicalIndex(lists), QUESTION))


def test_a_rare_token_is_worth_more_than_a_common_one() -> None:
    index = LexicalIndex([["red", "house"], ["blue", "house"], ["green", "house"]])
    rare, common = term_scores(index, ["red", "house"])[:, 0]
    assert rare > common > 0


def test_a_short_item_is_worth_more_than_a_long_one() -> None:
    short, long = term_scores(LexicalIndex([["red"], ["red", "house", "garden", "blue"]]), ["red"])[0]
    assert short > long


def test_removing_an_item_changes_what_the_others_are_worth() -> None:
    index = LexicalIndex([["red"], ["red"], ["blue"]])
    before = term_scores(index, ["red"])[0, 0]
    index.remove([1])
    assert term_scores(index, ["red"])[0, 0] > before


def test_removing_twice_is_removing_once() -> None:
    index = LexicalIndex([["red"], ["blue"]])
    index.remove([0])
    once = term_scores(index, QUESTION)
    index.remove([0, 0])
    assert np.array_equal(term_scores(index, QUESTION), once)


@pytest.mark.parametrize("number", [-1, 2])
def test_removing_what_was_never_there_is_refused(number: int) -> None:
    index = LexicalIndex([["red"], ["blue"]])
    with pytest.raises(InvalidValue, match=f"{number} is not an item"):
        index.remove([0, number])
    assert np.array_equal(term_scores(index, QUESTION), term_scores(LexicalIndex([["red"], ["blue"]]), QUESTION))


def test_compacting_lets_go_of_tokens_nobody_holds() -> None:
    index = LexicalIndex([["secret", "red"], ["red"]])
    index.remove([0])
    index.compact()
    assert "secret" not in vars(index)["_token_numbers"]
    assert index.count == 1
    assert term_scores(index, ["red"]).shape == (1, 1)


def test_an_index_can_be_emptied_and_filled_again() -> None:
    index = LexicalIndex([["red"]])
    index.remove([0])
    assert not term_scores(index, ["red"]).any()
    assert index.compact().size == 0
    assert term_scores(index, ["red"]).shape == (1, 0)
    index.append([["red"], []])
    assert np.array_equal(term_scores(index, QUESTION), term_scores(LexicalIndex([["red"], []]), QUESTION))


def test_a_question_without_tokens_has_no_rows() -> None:
    assert term_scores(LexicalIndex([["red"]]), []).shape == (0, 1)


def test_many_single_appends_leave_few_segments() -> None:
    index = LexicalIndex()
    for _ in range(300):
        index.append([["red", "house"]])
    assert len(vars(index)["_segments"]) <= math.log2(300) + 1


@pytest.mark.parametrize("values", [{"k1": -0.1}, {"k1": math.inf}, {"k1": math.nan}, {"b": -0.1}, {"b": 1.1}])
def test_constants_outside_their_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(InvalidValue, match=next(iter(values))):
        Bm25(**values)
