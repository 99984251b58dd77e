"""The file of questions: what it says equals the tables, and nothing that was erased stays in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from evolore.domain.filters import Target
from evolore.domain.health import FindingKind
from evolore.domain.outcome import Rating
from evolore.index.questions import TeachingQuestions, holds_nothing_erased
from evolore.index.settings import IndexSettings
from evolore.index.snapshots import Kept
from evolore.store.index_rows import StoreFeed
from store.questions import Asked
from store.structures import EMBEDDER
from store.test_items_file import HARMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from evolore.index.arrays import ItemsFile
    from evolore.index.snapshots import Origin

FEW = IndexSettings(exact_up_to=3, tail_share=0.5)
WORD = "zanzibar"
"""Of what is forgotten; nobody else says it."""


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    here = Asked(tmp_path / "s", FEW)
    yield here
    here.store._open.snapshots.wait()  # what is written in the background reads the store
    here.store.close()


def filled(asked: Asked, count: int = 8) -> tuple[list[str], list[str]]:
    episodes = asked.remember("the red house", "the blue house")
    ids: list[str] = []
    for number in range(count):
        word = WORD if number == 0 else "place"
        text = f"question {number} of {word}?"
        ids.append(asked.ask(text, *episodes, cited=episodes, principal="cy" if number == 0 else "ann"))
        asked.rate(ids[-1], Rating.GOOD, principal="bob" if number % 2 else None)
    asked.enter(episodes[1], ids[1], weight=0.5)
    return episodes, ids


def place_of(asked: Asked) -> Path:
    return asked.store._open.snapshots.path(1, Kept.QUESTIONS)


def settled(asked: Asked) -> Path:
    """Ask until the file is there."""
    asked.taught()
    asked.store._open.snapshots.wait()
    assert place_of(asked).exists()
    return place_of(asked)


def again(asked: Asked) -> Asked:
    asked.store.close()
    return Asked(asked.folder, FEW)


def read_rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note behind which number questions are read from the rows."""
    noted: list[int] = []
    read = StoreFeed.questions

    def note(feed: StoreFeed, *, after: int) -> object:
        noted.append(after)
        return read(feed, after=after)

    monkeypatch.setattr(StoreFeed, "questions", note)
    return noted


def test_what_a_file_says_is_what_the_rows_say_and_only_the_rest_is_read(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    episodes, ids = filled(asked)
    settled(asked)
    known = asked.taught()
    asked = again(asked)
    rows = read_rows(monkeypatch)
    assert asked.taught() == known
    assert rows == []
    asked.rate(ids[2], Rating.BAD)
    new = asked.ask("one more?", *episodes)
    asked.enter(episodes[0], new)
    told = again(asked).taught()
    assert told != known
    assert min(rows) > 0
    place_of(asked).unlink()
    assert again(asked).taught() == told
    assert rows[-1] == 0


def test_a_few_need_no_file(asked: Asked) -> None:
    filled(asked, 3)
    asked.taught()
    asked.store._open.snapshots.wait()
    assert not place_of(asked).exists()


def test_it_is_written_anew_once_much_was_touched(asked: Asked) -> None:
    _, ids = filled(asked)
    place = settled(asked)
    before = place.read_bytes()
    for id_ in ids[:4]:
        asked.rate(id_, Rating.BAD, principal="dan")
    asked.taught()
    asked.store._open.snapshots.wait()
    assert place.read_bytes() == before
    asked.rate(ids[4], Rating.BAD, principal="dan")
    asked.taught()
    asked.store._open.snapshots.wait()
    assert place.read_bytes() != before


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_file_is_not_believed(asked: Asked, harm: Callable[[bytes], bytes]) -> None:
    filled(asked)
    place = settled(asked)
    known = asked.taught()
    place.write_bytes(harm(place.read_bytes()))
    assert again(asked).taught() == known


def forget_question(asked: Asked, _: list[str]) -> None:
    asked.withdraw("cy", erase=True)


def forget_episode(asked: Asked, episodes: list[str]) -> None:
    asked.store.erase("n", Target(item_id=episodes[0]))


@pytest.mark.parametrize("forget", [forget_question, forget_episode])
def test_what_is_forgotten_lies_in_no_file_of_questions(
    asked: Asked, forget: Callable[[Asked, list[str]], None]
) -> None:
    episodes, ids = filled(asked)
    place = settled(asked)
    assert WORD.encode() in place.read_bytes()
    assert episodes[0].encode() in place.read_bytes()
    forget(asked, episodes)
    assert not place.exists()
    asked.taught()
    asked.store._open.snapshots.wait()
    gone = (WORD.encode(), ids[0].encode()) if forget is forget_question else (episodes[0].encode(),)
    assert place.exists()
    assert not [one for one in gone if one in place.read_bytes()]
    assert again(asked).taught() == asked.taught()


@pytest.mark.parametrize("forget", [forget_question, forget_episode])
def test_what_was_forgotten_while_a_file_was_written_does_not_enter_it(
    asked: Asked, forget: Callable[[Asked, list[str]], None]
) -> None:
    episodes, _ = filled(asked)
    settled(asked)
    with asked.store.index("n") as (view, reader):
        feed = StoreFeed(reader._connection, 1, EMBEDDER.model)
        assert isinstance(view.queries, TeachingQuestions)
        content, origin = view.queries._state(feed), asked.store._open.snapshots.origin(feed)
    forget(asked, episodes)
    assert not written(asked, origin, content)
    assert not place_of(asked).exists()


def written(asked: Asked, origin: Origin, content: ItemsFile) -> bool:
    return asked.store._open.snapshots.write(Kept.QUESTIONS, 1, origin, content, stands=holds_nothing_erased)


def test_a_file_that_was_put_back_after_an_erasure_is_found_and_not_believed(asked: Asked) -> None:
    _, ids = filled(asked)
    place = settled(asked)
    old = place.read_bytes()
    asked.withdraw("cy", erase=True)
    known = asked.taught()
    asked.store._open.snapshots.wait()
    place.write_bytes(old)
    (found,) = asked.store.examine("n")[1]
    assert (found.kind, found.examples) == (FindingKind.INDEX_FILE, (ids[0],))
    asked = again(asked)
    assert asked.taught() == known
    asked.store._open.snapshots.wait()
    assert WORD.encode() not in place.read_bytes(), "whoever does not believe it writes it anew"
    place.write_bytes(old)
    asked.store.repair("n")
    assert asked.store.examine("n")[1] == ()
    assert not place.exists()


def test_numbers_come_back_as_they_were(asked: Asked) -> None:
    filled(asked, 12)
    settled(asked)
    with asked.store.index("n") as (view, _):
        before = [np.asarray(view.queries.rows_of(np.arange(12, dtype=np.int32))), list(view.queries.ids)]
    with again(asked).store.index("n") as (view, _):
        assert np.array_equal(before[0], view.queries.rows_of(np.arange(12, dtype=np.int32)))
        assert list(view.queries.ids) == before[1]
