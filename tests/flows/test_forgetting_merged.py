"""Of what was merged and is forgotten, nothing is left; of what was merged with it, nothing is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import EpisodeState
from evolore.errors import NotFound
from evolore.flows.remember.plan import Became
from flows.memories import everything, found_in, opened, say, standing, texts_of
from flows.test_forget import held, vectors

if TYPE_CHECKING:
    from pathlib import Path

KOBE, SECRET = "The office is in Kobe.", "The vault opens with the word XYLOPHONE."


def test_what_was_merged_is_found_nowhere_and_the_other_stands_again(store_path: Path) -> None:
    with opened(store_path) as memory:
        kept = say(memory, KOBE, on=1)
        gone = say(memory, f"{KOBE} {SECRET}", on=2)
        again = say(memory, SECRET, on=3)
        assert [one.became for one in (*gone.integrated, *again.integrated)] == [Became.MERGED, Became.DUPLICATE]
        memory.recall("What opens the vault?")
        (made,) = standing(memory)
        marks = [b"XYLOPHONE", *vectors(store_path, [made.id, gone.episodes[0].id])]
        assert [mark for mark in marks if mark not in held(store_path)] == []  # the control
        would = memory.forget(gone.episodes[0].id, dry_run=True)
        receipt = memory.forget(gone.episodes[0].id)
        assert (would.episodes, would.freed) == (receipt.episodes, receipt.freed) == (2, 2)
        assert texts_of(standing(memory)) == [KOBE, SECRET]
        memory.forget(again.episodes[0].id)
        assert [mark for mark in marks if mark in held(store_path)] == []
        assert texts_of(standing(memory)) == [KOBE]
        assert standing(memory)[0].id == kept.episodes[0].id
        assert found_in(memory.recall("What opens the vault?")) == [KOBE]
        for event_id in (*gone.event_ids, *again.event_ids):
            with pytest.raises(NotFound, match="erased"):
                memory.undo(event_id)
        assert memory.store.verify().is_whole
        assert memory.store.doctor().findings == ()
        memory.maintain()
        assert texts_of(standing(memory)) == [KOBE]


def test_the_one_that_stood_for_both_may_be_forgotten_too(store_path: Path) -> None:
    with opened(store_path) as memory:
        first = say(memory, KOBE, on=1)
        second = say(memory, KOBE, on=2)
        memory.forget(first.episodes[0].id)
        (left,) = standing(memory)
        assert left.id == second.episodes[0].id
        assert left.state is EpisodeState.ACTIVE
        with pytest.raises(NotFound, match="erased"):
            memory.undo(second.event_ids[0])


def test_a_merge_that_was_taken_back_leaves_nothing_of_what_is_forgotten(store_path: Path) -> None:
    with opened(store_path) as memory:
        say(memory, KOBE, on=1)
        gone = say(memory, f"{KOBE} {SECRET}", on=2)
        memory.undo(gone.event_ids[0])
        assert len(everything(memory)) == 3
        memory.forget(gone.episodes[0].id)
        assert b"XYLOPHONE" not in held(store_path)
        assert texts_of(everything(memory)) == [KOBE]


def test_forgetting_one_side_of_a_contradiction_takes_its_words_out_of_the_question(store_path: Path) -> None:
    with opened(store_path) as memory:
        kept = say(memory, "The vault opens with 5 keys.", on=1)
        gone = say(memory, "The vault opens with 7391645281 keys.", on=2)
        assert kept.episodes[0].id in gone.integrated[0].conflicts_with
        assert b"7391645281" in held(store_path)
        memory.forget(gone.episodes[0].id)
        assert b"7391645281" not in held(store_path)
        assert memory.review.list(category="contradiction") == ()
        (left,) = standing(memory)
        assert left.text == kept.episodes[0].text
        assert memory.store.doctor().findings == ()
