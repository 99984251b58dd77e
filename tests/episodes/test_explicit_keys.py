from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from evolore.domain.episode import EpisodeState
from evolore.episodes.key_extraction import KeyedStatement, states_of_key

START = datetime(2026, 1, 1, tzinfo=UTC)


def keyed(id_: str, text: str, day: int) -> KeyedStatement:
    return KeyedStatement(id=id_, text=text, at=START + timedelta(days=day))


def test_the_latest_holds_and_each_earlier_one_held_until_the_next() -> None:
    first, second, third = states_of_key([keyed("c", "Kobe", 9), keyed("a", "Osaka", 1), keyed("b", "Kyoto", 5)])
    assert [first.id, second.id, third.id] == ["a", "b", "c"]
    assert [first.state, second.state, third.state] == [
        EpisodeState.SUPERSEDED,
        EpisodeState.SUPERSEDED,
        EpisodeState.ACTIVE,
    ]
    assert (first.valid_to, second.valid_to, third.valid_to) == (second.valid_from, third.valid_from, None)
    assert first.superseded_by == "b"


def test_two_values_of_one_moment_are_in_conflict_until_a_later_one() -> None:
    both = [keyed("a", "Osaka", 1), keyed("b", "Kyoto", 1)]
    assert {one.state for one in states_of_key(both)} == {EpisodeState.CONFLICT_PENDING}
    assert [one.state for one in states_of_key([*both, keyed("c", "Kobe", 2)])] == [
        EpisodeState.SUPERSEDED,
        EpisodeState.SUPERSEDED,
        EpisodeState.ACTIVE,
    ]


def test_the_same_said_twice_at_one_moment_is_no_conflict() -> None:
    assert {one.state for one in states_of_key([keyed("a", "Osaka", 1), keyed("b", "osaka!", 1)])} == {
        EpisodeState.ACTIVE
    }


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 3)), max_size=8))
def test_order_changes_nothing_and_all_but_the_last_moment_are_superseded(given_: list[tuple[str, int]]) -> None:
    statements = [keyed(str(number), text, day) for number, (text, day) in enumerate(given_)]
    states = states_of_key(statements)
    assert states == states_of_key(statements[::-1])
    last = max((one.valid_from for one in states), default=None)
    assert all((one.state is EpisodeState.SUPERSEDED) == (one.valid_from != last) for one in states)
    assert all((one.valid_to is None) == (one.state is not EpisodeState.SUPERSEDED) for one in states)


def test_statements_whose_time_nobody_said_hold_in_the_order_of_their_ids() -> None:
    at = datetime(2025, 1, 1, tzinfo=UTC)
    said = [KeyedStatement(id=id_, text=id_, at=at, is_dated=False) for id_ in ("c", "a", "b")]
    found = states_of_key(said)
    assert [(one.id, one.superseded_by) for one in found] == [("a", "b"), ("b", "c"), ("c", None)]
    assert [one.state for one in found][-1] is EpisodeState.ACTIVE
    assert {one.state for one in states_of_key(replace(one, is_dated=True) for one in said)} == {
        EpisodeState.CONFLICT_PENDING
    }
