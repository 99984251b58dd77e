"""Learn which newer accounts take an older one's place: ``python benchmarks/fit_succession.py use``.

Adds ``marks``, ``newer``, ``change`` and ``constant`` to ``src/evolore/models/matter/MODEL.npz``, which ``fit_matter.py``
writes, and writes ``src/evolore/recall/fitted/succession.toml`` for models that do not ship. It is fitted on
``tests/data/rivals`` and on the visible halves of ``tests/data/staleness``: a ridge regression on vectors, whose
out-of-fold estimate then stands beside the marks in a logistic regression, in which either answer weighs the same. Run it
when an embedder or a mark changes.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from evolore.domain.language import Language
from evolore.flows.embedding import embed
from evolore.models.embedders import embedder_named, file_name
from evolore.ports import TextRole
from evolore.recall.dense import MatterSpace
from evolore.recall.question import read_question
from evolore.recall.succession import MARKS, PairMarker
from evolore_evaluation.records import read_records
from evolore_evaluation.staleness import read_staleness_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evolore.ports import Embedder

Floats = npt.NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
FOLDER = ROOT / "src" / "evolore" / "models" / "matter"
WEIGHTS = ROOT / "src" / "evolore" / "recall" / "fitted" / "succession.toml"
RIDGE = 30.0
PENALTY = 30.0
CAUTION = 0.4
"""What is taken from the constant: an older account that holds must not be pushed down, so the newer needs more."""

NEARNESS = ("asked_old", "asked_new", "alike")
"""What means another thing in every model; words alone are fitted without it."""

FOLDS = 8
STEPS = 30
LEAST_SPREAD = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two accounts under a question, and whether the newer holds; ``group`` is the same for those of one question."""

    group: str
    language: Language
    query: str
    older: str
    newer: str
    old_speaker: str | None = None
    new_speaker: str | None = None
    holds: bool


def main(names: list[str]) -> None:
    """Fit and write, for models given by name."""
    pairs = [*_written(), *_cases()]
    for name in names:
        embedder = embedder_named(name)
        path = FOLDER / file_name(embedder.model)
        with np.load(path, allow_pickle=False) as known:
            arrays = {key: known[key] for key in known.files}
        space = MatterSpace.from_arrays({key: value.astype(np.float32) for key, value in arrays.items()})
        marks, vectors = _read(embedder, space, pairs)
        holds = np.array([pair.holds for pair in pairs], dtype=np.float64)
        fitted, direction, constant = fit(marks, vectors, holds, _folds(pairs))
        newer, change = np.split(direction, 2)
        arrays |= {
            "marks": fitted.astype(np.float32),
            "newer": newer.astype(np.float16),
            "change": change.astype(np.float16),
            "constant": np.array([constant - CAUTION], dtype=np.float32),
        }
        np.savez(path, **arrays)
        words = np.where(np.isin(MARKS, NEARNESS), 0.0, marks)
        alone, _, without = fit(words, None, holds, _folds(pairs))
        _write_weights(alone, without - CAUTION)
        print(f"{path.name}: {path.stat().st_size:,} bytes, {len(pairs)} pairs")


def _written() -> Iterator[Pair]:
    for record in read_records(DATA / "rivals" / "accounts.jsonl"):
        yield Pair(
            group=f"{record.text('lang')} {record.text('query')}",
            language=Language(record.text("lang")),
            query=record.text("query"),
            older=record.text("older"),
            newer=record.text("newer"),
            holds=record.text("holds") == "newer",
        )


def _cases() -> Iterator[Pair]:
    """Give the pairs of cases that ask for how things are."""
    for path in sorted((DATA / "staleness").glob("*.jsonl")):
        for case in read_staleness_cases(path):
            language = Language(case.language)
            is_past = read_question(case.query.text, language).wants_past
            if case.is_blind or is_past or case.kind == "old_feeling":
                continue
            said = dict(case.items)
            for worse in sorted(case.worse):
                older, newer = sorted((said[case.better], said[worse]), key=lambda one: str(one.occurred_at))
                yield Pair(
                    group=case.id,
                    language=language,
                    query=case.query.text,
                    older=older.text,
                    newer=newer.text,
                    old_speaker=older.speaker,
                    new_speaker=newer.speaker,
                    holds=newer is said[case.better],
                )


def _read(embedder: Embedder, space: MatterSpace, pairs: list[Pair]) -> tuple[Floats, Floats]:
    """Give marks, shape (pairs, marks), and the newer's vector beside its difference, shape (pairs, 2 · dimension)."""
    languages = [pair.language for pair in pairs]
    asked = space.centred(embed(embedder, [pair.query for pair in pairs], role=TextRole.QUERY), languages)
    older = space.centred(embed(embedder, [pair.older for pair in pairs], role=TextRole.PASSAGE), languages)
    newer = space.centred(embed(embedder, [pair.newer for pair in pairs], role=TextRole.PASSAGE), languages)
    marks = [
        PairMarker(pair.query).marks(
            pair.older,
            pair.newer,
            pair.language,
            speakers=(pair.old_speaker, pair.new_speaker),
            nearness=(float(old @ question), float(new @ question), float(old @ new)),
        )
        for pair, question, old, new in zip(pairs, asked, older, newer, strict=True)
    ]
    return np.array(marks, dtype=np.float64), np.hstack([newer, newer - older]).astype(np.float64)


def _folds(pairs: list[Pair]) -> npt.NDArray[np.int64]:
    """Spread groups over folds."""
    numbers = {group: place % FOLDS for place, group in enumerate(dict.fromkeys(pair.group for pair in pairs))}
    return np.array([numbers[pair.group] for pair in pairs])


def fit(
    marks: Floats, vectors: Floats | None, holds: Floats, folds: npt.NDArray[np.int64]
) -> tuple[Floats, Floats, float]:
    """Give what marks and vectors count for, and the constant."""
    mean, spread = marks.mean(axis=0), marks.std(axis=0) + LEAST_SPREAD
    rows = (marks - mean) / spread
    if vectors is None:
        found = _logistic(rows, holds)
        weights = found[:-1] / spread
        return weights, np.zeros(0), float(found[-1] - mean @ weights)
    guesses = np.zeros(len(holds))
    for fold in range(FOLDS):
        rest = folds != fold
        direction, constant = _ridge(vectors[rest], holds[rest])
        guesses[~rest] = vectors[~rest] @ direction + constant
    direction, constant = _ridge(vectors, holds)
    found = _logistic(np.column_stack([rows, 2.0 * (guesses - guesses.mean()) / guesses.std()]), holds)
    weights, strength = found[:-2] / spread, 2.0 * found[-2] / guesses.std()
    offset = float(found[-1] - mean @ weights + strength * (constant - guesses.mean()))
    return weights, strength * direction, offset


def _ridge(vectors: Floats, holds: Floats) -> tuple[Floats, float]:
    centre, mean = vectors.mean(axis=0), holds.mean()
    around = vectors - centre
    square: Floats = np.asarray(around @ around.T + RIDGE * np.eye(len(around)), dtype=np.float64)
    dual: Floats = np.asarray(np.linalg.solve(square, np.asarray(holds - mean, dtype=np.float64)), dtype=np.float64)
    direction: Floats = np.asarray(around.T @ dual, dtype=np.float64)
    return direction, float(mean - centre @ direction)


def _logistic(rows: Floats, holds: Floats) -> Floats:
    """Fit by Newton's method; either answer weighs a half in all."""
    table: Floats = np.asarray(np.hstack([rows, np.ones((len(rows), 1))]), dtype=np.float64)
    each: Floats = np.asarray(np.where(holds > 0.0, 0.5 / holds.mean(), 0.5 / (1.0 - holds.mean())), dtype=np.float64)
    width = int(table.shape[1])
    penalty = np.full(width, PENALTY)
    penalty[-1] = LEAST_SPREAD
    found: Floats = np.zeros(width, dtype=np.float64)
    for _ in range(STEPS):
        guess: Floats = 1.0 / (1.0 + np.exp(-np.clip(table @ found, -30.0, 30.0)))
        slope: Floats = np.asarray(table.T @ (each * (holds - guess)) - penalty * found, dtype=np.float64)
        weighed: Floats = np.asarray(table * (each * guess * (1.0 - guess))[:, np.newaxis], dtype=np.float64)
        bend: Floats = np.asarray(weighed.T @ table + np.diag(penalty), dtype=np.float64)
        step: Floats = np.asarray(np.linalg.solve(bend, slope), dtype=np.float64)
        found = np.asarray(np.add(found, step), dtype=np.float64)
    return found


def _write_weights(weights: Floats, constant: float) -> None:
    lines = [
        "# Written by `python benchmarks/fit_succession.py use`: what marks count for where a model's vectors do not.",
        "",
        "[all]",
        f"constant = {constant:.3f}",
        "",
        "[marks]",
        *(f"{name} = {weight:.3f}" for name, weight in zip(MARKS, weights.tolist(), strict=True)),
    ]
    WEIGHTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
