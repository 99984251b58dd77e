"""Forgetting what was merged or split: nothing of it is left, and nothing else is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.filters import Target
from evolore.domain.review import ReviewCategory, ReviewFilter
from evolore.errors import NotFound
from store.structures import Structured

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def texts(one: Structured, ids: Iterable[str] | None = None) -> list[str]:
    return sorted(episode.text for episode in one.episodes(one.standing() if ids is None else list(ids)))


def forget(one: Structured, *ids: str) -> int:
    return one.store.erase("n", Target(item_ids=ids)).freed


def is_whole(one: Structured) -> bool:
    return one.store.verify("n").is_whole and not one.store.examine("n")[1]


def lies_in(folder: Path, text: str) -> bool:
    return any(text.encode() in path.read_bytes() for path in folder.iterdir() if path.is_file())


def test_what_holds_anything_of_it_goes_and_the_others_stand_again(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second, third = one.remember("alphabet", "secretive", "gardens")
    merged = one.merge(first, second)
    again = one.merge(merged.made[0].id, third)
    one.absorb(again.made[0].id, one.remember("alphabet")[0])
    assert lies_in(tmp_path, "secretive")
    assert forget(one, second) == 3
    assert texts(one) == ["alphabet", "alphabet", "gardens"]
    assert not lies_in(tmp_path, "secretive")
    assert is_whole(one)
    with one.store.read("n") as reader:
        items = reader.review_items(ReviewFilter(category=ReviewCategory.FREED))
        assert sorted(str(item.episode_id) for item in items) == one.standing()
        assert reader.history(first)[-1].kind == "erased"
    with pytest.raises(NotFound, match="erased"):
        one.undo(merged.event_id)


def test_what_a_merge_had_replaced_stands_again_as_it_was(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second, third = one.remember("red", "blue", "green")
    merged = one.merge(first, second)
    one.merge(merged.made[0].id, third)
    assert forget(one, third) == 1
    assert texts(one) == ["red blue"]
    assert is_whole(one)
    one.undo(merged.event_id)
    assert texts(one) == ["blue", "red"]


def test_of_a_split_the_parts_without_it_stay(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    ids = one.remember("red", "blue", "green", "white")
    whole = one.merge(one.merge(one.merge(ids[0], ids[1]).made[0].id, ids[2]).made[0].id, ids[3]).made[0].id
    parts = one.split(whole, ids[:2], ids[1:4]).made
    assert forget(one, ids[0]) == 1
    assert one.standing() == sorted([ids[1], parts[1].id])
    assert is_whole(one)


def test_what_was_made_and_taken_back_goes_too(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second = one.remember("alphabet", "secretive")
    made = one.merge(first, second)
    one.undo(made.event_id)
    forget(one, second)
    assert one.episodes([made.made[0].id]) == ()
    assert not lies_in(tmp_path, "secretive")
    assert texts(one) == ["alphabet"]
    assert is_whole(one)


def test_forgetting_what_was_made_forgets_what_it_was_made_of(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second, third = one.remember("red", "blue", "green")
    made = one.merge(first, second).made[0].id
    seen = one.store.erase("n", Target(item_id=made), is_dry_run=True)
    receipt = one.store.erase("n", Target(item_id=made))
    assert (receipt.episodes, receipt.freed) == (seen.episodes, seen.freed) == (3, 0)
    assert one.standing() == [third]
    assert is_whole(one)


def test_what_only_repeated_it_stands_again_and_the_other_way_round(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    first, second, third = one.remember("red", "red", "green")
    one.absorb(first, second)
    made = one.merge(first, third).made[0].id
    assert forget(one, first) == 2
    assert one.standing() == sorted([second, third])
    assert one.episodes([made]) == ()
    one.absorb(second, one.remember("red")[0])
    assert forget(one, second) == 1
    assert texts(one) == ["green", "red"]
    assert is_whole(one)


def test_a_set_is_what_was_said_and_all_that_holds_it(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    (first,) = one.remember("red", session="s")
    (second,) = one.remember("blue", session="t")
    one.merge(first, second)
    receipt = one.store.erase("n", Target(session="s"))
    assert (receipt.episodes, receipt.freed) == (2, 1)
    assert one.standing() == [second]
    assert is_whole(one)
    one.store.erase("n", Target(everything=True))
    assert one.standing() == []
    assert is_whole(one)
