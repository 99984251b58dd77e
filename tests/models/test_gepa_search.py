"""The search of the extra: bounded, silent, the same by its seed in any process, and nothing is asked once it is over."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from evolore.domain.searching import SearchTrace
from evolore.errors import MissingExtra
from evolore.models import gepa_search
from evolore.models.gepa_search import GepaSearch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

QUESTIONS = ("a", "b", "c", "d")
TEXTS = {"1": "", "2": ""}


@dataclass
class Growing:
    """Adds the first letter that is missing to the section whose turn it is; a question is answered by its letter.

    Args:
        most: After how many rewrites it is over.
    """

    most: int = 100
    rewrites: int = 0
    scored: list[str] = field(default_factory=list)

    @property
    def is_over(self) -> bool:
        return self.rewrites >= self.most

    def score(self, texts: Mapping[str, str], questions: Sequence[str]) -> tuple[SearchTrace, ...]:
        self.scored += questions
        said = "".join(texts.values())
        return tuple(SearchTrace(question=one, score=1.0 if one in said else 0.5) for one in questions)

    def rewrite(self, texts: Mapping[str, str], traces: Sequence[SearchTrace]) -> Mapping[str, str]:
        self.rewrites += 1
        missing = [one.question for one in traces if one.score < 1]
        place = "1" if self.rewrites % 2 else "2"
        return {place: texts[place] + missing[0]} if missing else {}


@pytest.fixture(autouse=True)
def _extra(request: pytest.FixtureRequest) -> None:
    if "missing" not in request.node.name:
        pytest.importorskip("gepa", reason="gepa is not installed")


def found(seed: int = 1, *, rounds: int = 12, most: int = 100) -> tuple[dict[str, str], ...]:
    return GepaSearch().search(TEXTS, QUESTIONS, Growing(most=most), rounds=rounds, at_once=2, seed=seed)


def test_the_best_comes_first_and_the_texts_it_began_with_do_not_come() -> None:
    ranked = found()
    answered = [sum(one in "".join(texts.values()) for one in QUESTIONS) for texts in ranked]
    assert answered == sorted(answered, reverse=True)
    assert answered[0] == len(QUESTIONS)
    assert TEXTS not in ranked


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_it_asks_for_no_more_rewrites_than_rounds(rounds: int) -> None:
    task = Growing()
    GepaSearch().search(TEXTS, QUESTIONS, task, rounds=rounds, at_once=3, seed=0)
    assert 1 <= task.rewrites <= rounds


def test_it_ends_once_the_task_is_over() -> None:
    task = Growing(most=2)
    GepaSearch().search(TEXTS, QUESTIONS, task, rounds=50, at_once=3, seed=0)
    assert task.rewrites == 2


def test_a_rewrite_that_does_worse_is_not_gone_on_from() -> None:
    class Worse(Growing):
        def score(self, texts: Mapping[str, str], questions: Sequence[str]) -> tuple[SearchTrace, ...]:
            good = 0.5 if not "".join(texts.values()) else 0.0
            return tuple(SearchTrace(question=one, score=good) for one in questions)

    assert GepaSearch().search(TEXTS, QUESTIONS, Worse(), rounds=4, at_once=2, seed=0) == ()


def test_it_says_and_writes_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert found()
    assert capsys.readouterr() == ("", "")
    assert list(tmp_path.iterdir()) == []


def test_the_same_seed_gives_the_same_in_any_process() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from models.test_gepa_search import found\n"
        "print([found(seed) for seed in range(6)])"
    )
    folder = __file__.partition("/models/")[0]
    said = {
        subprocess.run(
            [sys.executable, "-c", code, folder],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert said == {f"{[found(seed) for seed in range(6)]}\n"}
    assert len({str(found(seed)) for seed in range(6)}) > 1


def test_a_missing_library_is_told_with_the_command_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        assert name == "gepa"

    monkeypatch.setattr(gepa_search, "find_spec", missing)
    with pytest.raises(MissingExtra, match=r'pip install "evolore\[gepa\]"'):
        GepaSearch()
