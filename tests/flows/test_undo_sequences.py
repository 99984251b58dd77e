"""Sequences of undoings, several of them deep, against an oracle: the rows that were there before each."""

from __future__ import annotations

from random import Random
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from evolore.domain.episode import EpisodeState
from evolore.domain.review import Keep
from evolore.errors import InvalidValue, NotFound
from evolore.store.event_bodies import UNDOABLE
from flows.memories import day, opened
from flows.test_memory_law import LOSES
from simulation.verbs import rows_of
from simulation.world import SAYINGS

if TYPE_CHECKING:
    from pathlib import Path

    from evolore.memory import Memory

SEQUENCES, TOGETHER, DEEP = 300, 25, 5
MOST_SECONDS = 900


def fill(memory: Memory, random: Random) -> None:
    """Say what repeats, contradicts and replaces, and have it merged, settled and corrected."""
    forms = random.sample(SAYINGS, 4)
    for number in range(random.randint(10, 16)):
        form, values = random.choice(forms)
        text = form.format(random.choice(("Ada", "Mika")), random.choice(values))
        memory.remember(text, occurred_at=day(1 + number % 9), session=random.choice((None, "s")))
    memory.maintain()
    while items := memory.review.list(category="contradiction"):
        memory.review.settle(items[0].id or "", keep=random.choice((Keep.NEWER, Keep.OLDER, Keep.BOTH)))
    memory.correct(random.choice(held(memory)), "The office of Ada is in Sapporo.")
    memory.correct(random.choice(held(memory)))
    memory.questions.resonate(random.choice(held(memory)), arousal=0.9)


def held(memory: Memory) -> list[str]:
    """Give what may be corrected."""
    return [one.id for one in memory.list(limit=100).statements if one.state is not EpisodeState.SUPERSEDED]


def undo_and_redo(folder: Path, seed: int) -> int:
    """Undo several things one after the other, and all of it back; give how many were undone."""
    random = Random(seed)
    with opened(folder) as memory:
        fill(memory, random)
        stack = [(rows_of(folder), tuple[str, ...]())]
        for _ in range(3 * DEEP):
            events = [one.id for one in memory.history() if one.kind in UNDOABLE]
            before = rows_of(folder)
            try:
                undone = memory.undo(random.choice(events), cascade=random.random() < 0.7)
            except (InvalidValue, NotFound) as error:
                refused = str(error)
                assert LOSES not in refused, f"seed {seed}: {refused}"
                assert rows_of(folder) == before, "an undoing that was refused changed something"
                continue
            stack.append((rows_of(folder), undone.event_ids))
            if len(stack) > DEEP:
                break
        assert memory.store.verify().is_whole
        assert memory.store.doctor().findings == ()
        for (before, _), (after, event_ids) in zip(stack[-2::-1], stack[:0:-1], strict=True):
            assert rows_of(folder) == after
            for one in reversed(event_ids):
                memory.undo(one)
            assert rows_of(folder) == before, f"seed {seed}: undoing and redoing does not give all back"
    return len(stack) - 1


@pytest.mark.parametrize("seed", range(3))
def test_several_undoings_and_all_of_them_back_give_every_row_back(tmp_path: Path, seed: int) -> None:
    assert undo_and_redo(tmp_path / "s", seed) > 0


@pytest.mark.long
@pytest.mark.parametrize("first", range(0, SEQUENCES, TOGETHER))
def test_of_three_hundred_sequences_each_gives_every_row_back(tmp_path: Path, first: int) -> None:
    undone, until = list[int](), monotonic() + MOST_SECONDS
    for seed in range(first, first + TOGETHER):
        if monotonic() > until:
            pytest.skip(f"{len(undone)} of {TOGETHER} sequences from {first} on ran within {MOST_SECONDS} s")
        undone.append(undo_and_redo(tmp_path / str(seed), seed))
    assert sum(undone) > TOGETHER
