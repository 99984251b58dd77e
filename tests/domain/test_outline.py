from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.outline import OutlineCode, Relation
from evolore.errors import InvalidOutlineCode, InvalidValue

codes = st.lists(st.integers(1, 999), min_size=1, max_size=8).map(lambda parts: OutlineCode(tuple(parts)))
near_codes = st.lists(st.integers(1, 2), min_size=1, max_size=4).map(lambda parts: OutlineCode(tuple(parts)))
"""Few enough that two of them are often related."""


@given(codes)
def test_a_code_reads_back_from_its_dot_form(code: OutlineCode) -> None:
    assert OutlineCode.parse(str(code)) == code


@given(codes, st.integers(1, 99))
def test_a_child_stands_right_below_its_parent(code: OutlineCode, number: int) -> None:
    child = code.child(number)
    assert child.parent == code
    assert child.number == number
    assert child.depth == code.depth + 1
    assert child.is_descendant_of(code)
    assert not code.is_descendant_of(child)
    assert child.ancestors == (*code.ancestors, code)


@given(codes, codes)
def test_order_is_that_of_a_table_of_contents(one: OutlineCode, other: OutlineCode) -> None:
    assert (one < other) == (one.parts < other.parts)
    if other.is_descendant_of(one):
        assert one < other


@given(codes, st.integers(1, 50), st.integers(1, 50))
def test_siblings_have_one_parent_and_are_never_themselves(code: OutlineCode, first: int, second: int) -> None:
    one, other = code.child(first), code.child(second)
    assert one.is_sibling_of(other) == (first != second)
    assert not one.is_sibling_of(code)


def test_siblings_are_picked_in_outline_order() -> None:
    parse = OutlineCode.parse
    among = [parse("1.10"), parse("1.2"), parse("1.3"), parse("2.1"), parse("1.2.1")]
    assert sorted(filter(parse("1.3").is_sibling_of, among)) == [parse("1.2"), parse("1.10")]


def test_the_top_has_no_parent_and_no_ancestors() -> None:
    assert OutlineCode.parse("7").parent is None
    assert OutlineCode.parse("7").ancestors == ()


@pytest.mark.parametrize("text", ["", "1..2", "0", "1.0", "01", "-1", "1.", ".1", "1 ", "a", "１", "1.2\n", "1,2"])
def test_what_is_no_code_is_refused_with_how_to_write_one(text: str) -> None:
    with pytest.raises(InvalidOutlineCode, match="positive whole numbers joined by dots") as caught:
        OutlineCode.parse(text)
    assert repr(text) in str(caught.value)


def test_a_long_wrong_code_is_shown_shortened() -> None:
    with pytest.raises(InvalidOutlineCode) as caught:
        OutlineCode.parse("x" * 10_000)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("parts", [(), (0,), (1, -1)])
def test_parts_below_one_are_refused(parts: tuple[int, ...]) -> None:
    with pytest.raises(InvalidOutlineCode, match="at least 1"):
        OutlineCode(parts)


def test_children_are_counted_from_one() -> None:
    with pytest.raises(InvalidValue, match="counted from 1"):
        OutlineCode((1,)).child(0)


@given(near_codes, near_codes)
def test_each_relation_seen_from_the_other_side_is_its_converse(one: OutlineCode, other: OutlineCode) -> None:
    turned = {Relation.ANCESTOR: Relation.DESCENDANT, Relation.DESCENDANT: Relation.ANCESTOR}
    there = one.relation_to(other)
    assert other.relation_to(one) is turned.get(there, there)


@given(near_codes, near_codes)
def test_a_relation_says_what_the_single_questions_say(one: OutlineCode, other: OutlineCode) -> None:
    relation = one.relation_to(other)
    assert (relation is Relation.SAME) == (one == other)
    assert (relation is Relation.ANCESTOR) == (one in other.ancestors)
    assert (relation is Relation.DESCENDANT) == one.is_descendant_of(other)
    assert (relation is Relation.SIBLING) == one.is_sibling_of(other)


@given(near_codes, near_codes, near_codes)
def test_what_stands_above_an_ancestor_is_an_ancestor_and_siblings_share_theirs(
    one: OutlineCode, other: OutlineCode, third: OutlineCode
) -> None:
    if one.relation_to(other) is other.relation_to(third) is Relation.ANCESTOR:
        assert one.relation_to(third) is Relation.ANCESTOR
    if one.relation_to(other) is Relation.SIBLING:
        assert (third.relation_to(one) is Relation.ANCESTOR) == (third.relation_to(other) is Relation.ANCESTOR)


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ("1.1", "1.1", Relation.SAME),
        ("1", "1.1.1", Relation.ANCESTOR),
        ("1.1.1", "1", Relation.DESCENDANT),
        ("1.1", "1.10", Relation.SIBLING),
        ("1", "2", Relation.SIBLING),
        ("1.1.1", "1.2", Relation.NONE),
        ("1.1.1", "1.2.1", Relation.COUSIN),
        ("1.1.1", "2.1.1", Relation.NONE),
        ("1.1", "10.1", Relation.COUSIN),
        ("1", "10.1", Relation.NONE),
    ],
)
def test_codes_are_related_by_their_numbers_and_not_by_their_letters(one: str, other: str, relation: Relation) -> None:
    assert OutlineCode.parse(one).relation_to(OutlineCode.parse(other)) is relation
