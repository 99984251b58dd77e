"""A thousand times the same statement costs a thousand times one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evolore.domain.episode import Statement
from evolore.flows import remember
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder

if TYPE_CHECKING:
    from types import FrameType

_FLOW = str(Path(remember.__file__).parent)
_TEXTS = ("We moved to Postgres 18.", "わたしの電話番号は 123 です。", "The kitchen is green. The kettle hums in it.")


def steps_of(store: Path, statements: list[Statement]) -> int:
    """Count the steps of the interpreter that integration takes."""
    steps = 0

    def count(frame: FrameType, event: str, _arg: object) -> Any:  # noqa: ANN401 - as the interpreter wants it
        nonlocal steps
        if not frame.f_code.co_filename.startswith(_FLOW):
            return None
        frame.f_trace_opcodes = True
        steps += event == "opcode"
        return count

    with Memory.open(store, embedder=HashingEmbedder()) as memory:
        before = sys.gettrace()
        sys.settrace(count)
        try:
            remembered = memory.remember_many(statements)
        finally:
            sys.settrace(before)
        assert len(remembered.episodes) == len(statements)
    return steps


@pytest.mark.parametrize("text", _TEXTS)
def test_what_is_said_over_and_over_costs_as_much_each_time(tmp_path: Path, text: str) -> None:
    small, middle, large = (steps_of(tmp_path / str(count), [Statement(text=text)] * count) for count in (30, 60, 120))
    assert large - middle < 2.3 * (middle - small), (small, middle, large)


def test_what_is_said_over_and_over_stays_one_with_all_who_said_it(tmp_path: Path) -> None:
    with Memory.open(tmp_path / "store", embedder=HashingEmbedder()) as memory:
        remembered = memory.remember_many([Statement(text=_TEXTS[0])] * 50)
        (head,) = {one.episode_id for one in remembered.integrated}
        (listed,) = memory.list().statements
        assert listed.id == head
        assert len(remembered.event_ids) == 49
