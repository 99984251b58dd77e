"""What no longer stands is known to open indexes in place, and is nobody's neighbour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest

from evolore.domain.episode import EpisodeState
from evolore.index.settings import IndexSettings
from store.structures import Structured
from store.test_index import facts

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evolore.ports import Slots


def kept(one: Structured) -> dict[str, object]:
    with one.store.index("n") as (view, _):
        return facts(view)


def anew(folder: Path, indexes: IndexSettings | None = None) -> dict[str, object]:
    with Structured(folder, indexes).store.index("n") as (view, _):
        return facts(view)


def finite(times: object) -> set[str]:
    return {id_ for id_, until in cast("dict[str, float]", times).items() if until < math.inf}


def linked(one: Structured, relink: Callable[[str], bool] | None = None) -> dict[str, list[str | None]]:
    """Give the texts of each item's neighbours, by its own."""
    with one.store.index("n") as (view, reader):
        texts = [item.text for item in reader.episodes(view.episode_ids)]
        links: Slots = view.neighbours
        if relink is not None:
            links, _ = view.relinked(np.array([relink(text) for text in texts]))
        return {
            text: [texts[number] if number >= 0 else None for number in row]
            for text, row in zip(texts, links.tolist(), strict=True)
        }


@pytest.mark.parametrize("is_open", [True, False])
def test_indexes_hear_of_changes_whether_they_are_open_or_not(tmp_path: Path, *, is_open: bool) -> None:
    one = Structured(tmp_path)
    ids = one.remember("red", "blue", "green", "white", session="s")
    if is_open:
        assert not kept(one)["has_hidden"]
    done = one.merge(ids[0], ids[2])
    one.supersede(ids[1], ids[3])
    found = kept(one)
    assert found == anew(tmp_path)
    made = done.made[0].id
    assert finite(found["stands_until"]) == {ids[0], ids[2]}
    assert finite(found["valid_to"]) == {ids[1]}
    one.undo(done.event_id)
    again = kept(one)
    assert again == anew(tmp_path)
    states = cast("dict[str, int]", again["states"])
    assert states[made] == tuple(EpisodeState).index(EpisodeState.REVOKED)
    assert again["has_hidden"]


def test_a_change_moves_no_item(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    ids = one.remember("red", "blue", "green")
    kept(one)
    done = one.absorb(ids[0], ids[1])
    with one.store.index("n") as (view, _):
        assert list(view.episode_ids) == ids
    one.undo(done.event_id)
    with one.store.index("n") as (view, _):
        assert (list(view.episode_ids), view.has_hidden) == (ids, False)


def test_what_does_not_stand_is_nobodys_neighbour(tmp_path: Path) -> None:
    one = Structured(tmp_path)
    ids = one.remember("red", "blue", "green", "white", session="s")
    one.remember("sun", "moon", session="t")
    one.merge(ids[0], ids[2])
    assert linked(one) == {
        "red": [None] * 4,
        "green": [None] * 4,
        "red green": [None, None, "blue", "white"],
        "blue": [None, "red green", "white", None],
        "white": ["red green", "blue", None, None],
        "sun": [None, None, "moon", None],
        "moon": [None, "sun", None, None],
    }
    before = linked(one, lambda text: text != "red green")
    assert before["blue"] == [None, "red", "green", "white"]
    assert before["red green"] == [None] * 4
    assert before["moon"] == [None, "sun", None, None]


def test_the_file_of_items_tells_what_is_hidden_and_hears_of_changes_since(tmp_path: Path) -> None:
    small = IndexSettings(exact_up_to=2)
    one = Structured(tmp_path, small)
    ids = one.remember("red", "blue", "green", "white", session="s")
    done = one.merge(ids[0], ids[2])
    one.store.prepare("n")
    one.store.close()
    assert (tmp_path / "items-1.snapshot").exists()
    assert anew(tmp_path, small)["stands_until"] == anew(tmp_path)["stands_until"]
    again = Structured(tmp_path, small)
    again.undo(done.event_id)
    assert kept(again) == anew(tmp_path)
