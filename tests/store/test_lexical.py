"""The lexical index: BM25 with a rarity and a usual length of its own, and the law that history does not matter."""

from __future__ import annotations

import math
import tracemalloc
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.errors import InvalidValue
from evolore.index.lexical import ITEM_BITS, Bm25, LexicalIndex, Postings, rarity
from evolore.text.tokens import analyse

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

TOKENS = ("red", "green", "blue", "house", "犬")
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
    starts, items, scores, rarities = index.term_postings(tokens)
    assert rarities.shape == (len(tokens),)
    dense = np.zeros((len(tokens), index.count), dtype=np.float32)
    for row, (start, end) in enumerate(pairwise(starts.tolist())):
        assert np.all(np.diff(items[start:end]) > 0)
        dense[row, items[start:end]] = scores[start:end]
    assert np.all(scores > 0)
    return dense


def term_rarities(index: LexicalIndex, tokens: Sequence[str]) -> npt.NDArray[np.float32]:
    return index.term_postings(tokens)[3]


def score_as_stated(lists: Sequence[Sequence[str]], token: str, item: int, constants: Bm25) -> float:
    holders = sum(token in tokens for tokens in lists)
    occurrences = Counter(lists[item])[token]
    if not occurrences:
        return 0.0
    words = sum(0.4 if held == "犬" else 1.0 for held in lists[item])
    norm = constants.k1 * (1 - constants.b + constants.b * words / constants.usual_length)
    return math.log((len(lists) + 200) / (holders + 2)) * occurrences / (occurrences + norm)


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
    assert np.array_equal(term_rarities(model.index, QUESTION), term_rarities(fresh, QUESTION))
    assert np.array_equal(model.index.lengths[live], fresh.lengths)
    assert not scores[:, [number for number in range(len(model.items)) if number not in live]].any()


@given(lists=token_lists, k1=st.floats(0.0, 3.0), b=st.floats(0.0, 1.0), usual_length=st.floats(0.5, 1000.0))
def test_scores_are_those_that_are_stated(lists: list[list[str]], k1: float, b: float, usual_length: float) -> None:
    constants = Bm25(k1=k1, b=b, usual_length=usual_length)
    scores = term_scores(LexicalIndex(lists, bm25=constants), QUESTION)
    expected = [[score_as_stated(lists, token, item, constants) for item in range(len(lists))] for token in QUESTION]
    assert scores.shape == (len(QUESTION), len(lists))
    assert np.allclose(scores, np.array(expected).reshape(scores.shape), rtol=1e-5)


@given(lists=token_lists)
def test_no_score_reaches_the_rarity_of_its_token(lists: list[list[str]]) -> None:
    index = LexicalIndex(lists)
    rarities = term_rarities(index, QUESTION)
    assert np.all(term_scores(index, QUESTION) < rarities[:, np.newaxis])
    expected = [rarity(sum(token in tokens for tokens in lists), len(lists)) for token in QUESTION]
    assert np.allclose(rarities, expected, rtol=1e-6)


@given(lists=token_lists, chosen=st.sets(st.integers(0, 4)), removed=st.sets(st.integers(0, 4)))
def test_items_among_which_is_asked_score_as_if_there_were_no_others(
    lists: list[list[str]], chosen: set[int], removed: set[int]
) -> None:
    index = LexicalIndex(lists)
    index.remove(number for number in removed if number < len(lists))
    among = np.array([number in chosen for number in range(len(lists))], dtype=np.bool_)
    kept = [number for number in range(len(lists)) if number in chosen - removed]
    starts, items, scores, rarities = index.term_postings(QUESTION, among=among)
    alone = LexicalIndex([lists[number] for number in kept]).term_postings(QUESTION)
    assert np.array_equal(starts, alone[0])
    assert items.tolist() == [kept[number] for number in alone[1].tolist()]
    assert np.array_equal(scores, alone[2])
    assert np.array_equal(rarities, alone[3])


@given(lists=token_lists, cuts=st.lists(st.integers(0, 5), max_size=4))
def test_batches_of_any_size_give_the_same_index(lists: list[list[str]], cuts: list[int]) -> None:
    index = LexicalIndex()
    bounds = [0, *sorted(cut for cut in cuts if cut <= len(lists)), len(lists)]
    for begin, end in pairwise(bounds):
        index.append(lists[begin:end])
    assert np.array_equal(term_scores(index, QUESTION), term_scores(LexicalIndex(lists), QUESTION))


@given(lists=token_lists)
def test_asking_often_changes_no_score(lists: list[list[str]]) -> None:
    index = LexicalIndex()
    for tokens in lists:
        index.append([tokens])
    first = index.term_postings(QUESTION)
    for _ in range(3):  # what each posting is worth is kept from the second time on
        assert all(np.array_equal(*pair) for pair in zip(first, index.term_postings(QUESTION), strict=True))


def test_a_token_is_looked_up_without_a_copy_of_all_tokens() -> None:
    count = 100_000
    keys = np.arange(count, dtype=np.int64) << ITEM_BITS
    postings = Postings.of(keys, np.ones(count, dtype=np.float32))
    tracemalloc.start()
    rows = [postings.row(token) for token in (0, 70_000, count - 1, count)]
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert rows == [slice(0, 1), slice(70_000, 70_001), slice(count - 1, count), slice(0, 0)]
    assert most < count  # the tokens take four times as many bytes


def test_a_rare_token_is_worth_more_than_a_common_one() -> None:
    index = LexicalIndex([["red", "house"], ["blue", "house"], ["green", "house"]])
    rare, common = term_scores(index, ["red", "house"])[:, 0]
    assert rare > common > 0


def test_a_short_item_is_worth_more_than_a_long_one() -> None:
    short, long = term_scores(LexicalIndex([["red"], ["red", "house", "garden", "blue"]]), ["red"])[0]
    assert short > long


@pytest.mark.parametrize(("removed", "is_worth_more"), [(2, True), (3, False)])
def test_removing_an_item_changes_what_the_others_are_worth_by_rarity_alone(
    removed: int, *, is_worth_more: bool
) -> None:
    index = LexicalIndex([["red"], ["red", "red", *["house"] * 90], ["red"], ["blue"] * 5000])
    before, rare = term_scores(index, ["red"])[0, :2], term_rarities(index, ["red"])
    index.remove([removed])
    after, still_rare = term_scores(index, ["red"])[0, :2], term_rarities(index, ["red"])
    assert np.all(after > before) if is_worth_more else np.all(after < before)
    assert np.allclose(after / before, still_rare / rare, rtol=1e-6)


@pytest.mark.parametrize("unrelated", [["blue"], ["blue"] * 5000, ["犬"] * 5000, []])
def test_adding_unrelated_items_changes_a_score_little(unrelated: list[str]) -> None:
    index = LexicalIndex([["red"], ["red", "red", *["house"] * 90], ["green"], ["house"], ["garden"]])
    before = term_scores(index, ["red"])[0, :2]
    index.append([unrelated] * 10)
    after = term_scores(index, ["red"])[0, :2]
    assert np.all((before < after) & (after < 1.02 * before))
    assert after[0] / after[1] == pytest.approx(before[0] / before[1], rel=1e-6)


def test_a_length_is_held_against_an_item_as_far_as_it_passes_the_usual_one() -> None:
    lists = [["red"], ["red", *["house"] * 49], ["red", *["house"] * 99]]
    shares = [
        term_scores(LexicalIndex(lists, bm25=Bm25(k1=1.0, b=1.0, usual_length=usual)), ["red"])[0]
        for usual in (50, 100)
    ]
    rare = rarity(3, 3)
    assert np.allclose(shares[0] / rare, [50 / 51, 1 / 2, 1 / 3], rtol=1e-5)
    assert np.allclose(shares[1] / rare, [100 / 101, 2 / 3, 1 / 2], rtol=1e-5)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Yesterday I walked the dog in the park with a friend", 11),
        ("昨日は友達と公園で犬の散歩をしました", 11),
        ("我昨天和朋友在公园里遛狗散步", 9),
        ("red 犬", 1.4),
    ],
)
def test_a_length_is_about_the_number_of_words_however_they_are_written(text: str, words: float) -> None:
    assert LexicalIndex([analyse(text)]).lengths.tolist() == [pytest.approx(words, rel=0.25)]


def test_pieces_of_what_is_written_without_spaces_are_held_less_against_an_item_than_words() -> None:
    index = LexicalIndex([["red", *["house"] * 300], ["red", *["犬"] * 300], ["red", *["house"] * 120]])
    assert index.lengths.tolist() == pytest.approx([301, 121, 121])
    of_words, of_pieces, of_fewer_words = term_scores(index, ["red"])[0]
    assert of_pieces > of_words
    assert of_pieces == pytest.approx(of_fewer_words, rel=1e-5)


counts = st.integers(0, 10**7).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count)))


@given(numbers=counts)
def test_a_token_is_the_rarer_the_fewer_hold_it_and_the_more_there_are(numbers: tuple[int, int]) -> None:
    holding, count = numbers
    assert 0.0 < rarity(holding, count) < rarity(holding, count + 1)
    assert rarity(holding + 1, count + 1) < rarity(holding, count + 1)


@given(count=st.integers(0, 5))
def test_in_a_store_of_few_items_every_token_is_about_as_rare_as_is_usual(count: int) -> None:
    assert rarity(0, count) == pytest.approx(-math.log(0.01), rel=0.01)
    assert rarity(count, count) > 0.7 * rarity(0, count)


@given(share=st.floats(0.001, 1.0))
def test_in_a_large_store_a_token_is_as_rare_as_the_share_that_holds_it(share: float) -> None:
    count = 10**8
    assert rarity(round(share * count), count) == pytest.approx(-math.log(share), abs=1e-4)


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


@pytest.mark.parametrize(
    "values",
    [
        {"k1": -0.1},
        {"k1": math.inf},
        {"k1": math.nan},
        {"b": -0.1},
        {"b": 1.1},
        {"usual_length": 0.0},
        {"usual_length": -1.0},
        {"usual_length": math.inf},
        {"usual_length": math.nan},
    ],
)
def test_constants_outside_their_range_are_refused(values: dict[str, float]) -> None:
    with pytest.raises(InvalidValue, match=next(iter(values))):
        Bm25(**values)
