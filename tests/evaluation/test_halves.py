"""Which cases of a set are measured, and how their figures are parted."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.models.offline import HashingEmbedder
from evolore.ports import TextRole
from evolore_evaluation.measure import (
    Case,
    Measure,
    MeasuredSet,
    RememberingEmbedder,
    Run,
    groups_by,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evolore.ports import Vectors

CASES = [Case(id=str(number)) for number in range(20)]
OPEN = [case for case in CASES if zlib.crc32(case.id.encode()) % 2 == 0]


def test_the_blind_half_is_measured_only_where_it_is_asked_for() -> None:
    assert Run().chosen(CASES) == OPEN
    assert Run(blind=True).chosen(CASES) == CASES
    assert 0 < len(OPEN) < len(CASES)


def test_a_limit_counts_what_is_measured_and_not_what_is_held_back() -> None:
    assert Run(limit=3).chosen(CASES) == OPEN[:3]


def test_a_set_is_told_of_before_its_first_case_and_after_each_in_their_order(tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []

    def tell(set_name: str, done: int, total: int, /) -> None:
        told.append((set_name, done, total))

    def begin(cases: MeasuredSet[Case]) -> Callable[[Case], str]:
        def attempt(case: Case) -> str:
            cases.write({"id": case.id})
            return case.id

        return attempt

    measure: Measure[Case, str] = Measure(
        system="asked",
        read=lambda _: CASES[:3],
        begin=begin,
        figures=lambda tried: {"cases": len(tried)},
        groups=lambda tried: groups_by(tried, lambda one: ["", one]),
    )
    run = Run(progress=tell, predictions=tmp_path / "out.jsonl")
    (found,) = measure.report([Path("few.jsonl")], run, {}).sets
    assert (found.name, found.metrics, list(found.categories)) == ("few", {"cases": 3}, ["0", "1", "2"])
    assert told == [("few", done, 3) for done in range(4)]
    assert json.loads((tmp_path / "out.jsonl").read_text("utf-8").splitlines()[2]) == {"set": "few", "id": "2"}


class Counting(HashingEmbedder):
    def __init__(self) -> None:
        super().__init__(8)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, role: TextRole) -> Vectors:
        self.asked.extend(texts)
        return super().embed(texts, role=role)


def test_each_text_is_embedded_once_and_in_its_place() -> None:
    counting = Counting()
    remembering = RememberingEmbedder(counting)
    first = remembering.embed(["a", "b", "a"], role=TextRole.PASSAGE)
    second = remembering.embed(["c", "a"], role=TextRole.PASSAGE)
    assert counting.asked == ["a", "b", "c"]
    np.testing.assert_array_equal(first, HashingEmbedder(8).embed(["a", "b", "a"], role=TextRole.PASSAGE))
    np.testing.assert_array_equal(second[1], first[0])
    assert remembering.embed([], role=TextRole.PASSAGE).shape == (0, 8)
    assert remembering.model == counting.model


def test_no_more_is_remembered_than_allowed() -> None:
    counting = Counting()
    remembering = RememberingEmbedder(counting, most=2)
    for text in ("a", "b", "c", "c", "a"):
        remembering.embed([text], role=TextRole.PASSAGE)
    assert counting.asked == ["a", "b", "c", "a"]
