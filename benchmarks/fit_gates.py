"""Find what the signs of a turned claim weigh: ``python benchmarks/fit_gates.py [--write]``.

Prints what the gates do on each of five sets of labelled rewrites with weights that were found on the others alone,
once with the default embedder and once by words alone. With ``--write`` it then finds them on all of them and writes
``src/evolore/evolution/fitted/claims.toml``. The thresholds come from the scores of rewrites in sets that were left
out: so many harmless ones may be refused or doubted by the weighed signs.

A clause of a rewrite is taken for corrupted where no harmless rewrite of the same section, nor the section, has it.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evolore.evolution.gates.claim_gate import claim_gate
from evolore.evolution.gates.claims import clauses_of, read_claims
from evolore.evolution.gates.injection import of_the_candidate
from evolore.evolution.gates.screen import run_gates
from evolore.evolution.gates.turned_claims import ClaimWeights, pair_clauses
from evolore.evolution.gates.verdicts import Gate
from evolore.flows.evolve.documents import similar_by
from evolore.models.use import UseEmbedder
from evolore.text.values.spans import fold_text
from evolore.text.vectors import logistic
from rewrites import EDIT_SETS, GROUPS, LabelledEdit, group_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from evolore.evolution.gates.claims import Similar
    from evolore.evolution.gates.verdicts import Ruling

    Floats = npt.NDArray[np.float64]

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
TARGET = ROOT / "src" / "evolore" / "evolution" / "fitted" / "claims.toml"
SETS = {
    "edits": [DATA / "edits" / "edits.jsonl"],
    "edits_second": [DATA / "edits_second" / "edits.jsonl"],
    "edits_third": [DATA / "edits_third" / "edits.jsonl"],
    "edits_fourth": [DATA / "edits_fourth" / "edits.jsonl"],
    "gate_rewrites": sorted((DATA / "gate_rewrites").glob("*.jsonl")),
}
KEPT = 120
"""So many signs are kept; with all of them no figure is better."""

RIDGE = 1000.0
"""How strongly weights are drawn to nothing, in clauses; a tenth or ten times as much is worse on sets left out."""

REFUSED, DOUBTED = 0.008, 0.14
"""The shares of harmless rewrites, of sets left out, that the weighed signs alone may refuse, and doubt."""

_STEPS = 12


@dataclass(frozen=True)
class Row:
    """A clause of a rewrite: its set, its rewrite, its signs, and whether it is corrupted."""

    name: str
    edit: LabelledEdit
    signs: Mapping[str, float]
    is_turned: bool


def main(arguments: Sequence[str]) -> None:
    """Measure with each set left out; write the weights of all where that is asked for."""
    edits = {name: [edit for path in paths for edit in EDIT_SETS.read(path)] for name, paths in SETS.items()}
    known = {(name, edit.before): set[str]() for name, some in edits.items() for edit in some}
    for name, some in edits.items():
        for edit in some:
            texts = [edit.before, *([edit.after] if edit.is_harmless else [])]
            known[name, edit.before] |= {plain(part) for text in texts for part in clauses(text, edit)}
    found: dict[str, ClaimWeights] = {}
    for label, similar in (("by_meaning", similar_by(UseEmbedder())), ("by_words", None)):
        rows = [row for name, some in edits.items() for edit in some for row in rows_of(name, edit, known, similar)]
        folds = {name: fit([row for row in rows if row.name != name]) for name in SETS}
        refuse, doubt = thresholds(rows, folds, sum(edit.is_harmless for some in edits.values() for edit in some))
        print(f"{label}: {len(rows):,} clauses, {sum(row.is_turned for row in rows):,} corrupted")
        for name, weights in folds.items():
            measure(name, edits[name], replace(weights, refuse=refuse, doubt=doubt), similar)
        found[label] = replace(fit(rows), refuse=refuse, doubt=doubt)
    if "--write" in arguments:
        write(found)


def clauses(text: str, edit: LabelledEdit) -> list[str]:
    """Cut a text into clauses."""
    return [part for claim in read_claims(text, edit.language) for part in clauses_of(claim)]


def plain(text: str) -> str:
    """Give a clause without what writing it otherwise changes."""
    return "".join(fold_text(text).split()).casefold()


def rows_of(
    name: str, edit: LabelledEdit, known: Mapping[tuple[str, str], set[str]], similar: Similar | None
) -> list[Row]:
    """Give the changed clauses of a rewrite."""
    before, after = (read_claims(text, edit.language) for text in (edit.before, edit.after))
    pairs = pair_clauses(before, after, edit.language, similar)
    return [
        Row(name, edit, pair.signs, plain(pair.after.reading.text) not in known[name, edit.before]) for pair in pairs
    ]


def fit(rows: Sequence[Row]) -> ClaimWeights:
    """Fit log odds on clauses; those with changed values are left out, as values are compared otherwise."""
    some = [row for row in rows if group_of(row.edit) != "values"]
    names = sorted({name for row in some for name in row.signs})
    weights = _fit(some, names)
    spread = {name: float(np.std([row.signs.get(name, 0.0) for row in some])) for name in names}
    strongest = sorted(names, key=lambda name: -abs(weights.weights[name]) * spread[name])[:KEPT]
    return _fit(some, sorted(strongest))


def _fit(rows: Sequence[Row], names: Sequence[str]) -> ClaimWeights:
    """Fit by Newton's method with a ridge; corrupted clauses and others weigh the same together."""
    raw: Floats = np.array([[row.signs.get(name, 0.0) for name in names] for row in rows])
    labels: Floats = np.array([float(row.is_turned) for row in rows])
    centre: Floats = raw.mean(axis=0)
    scale: Floats = raw.std(axis=0) + 1e-9
    columns: Floats = np.hstack([(raw - centre) / scale, np.ones((len(rows), 1))])
    share = float(labels.mean())
    counts: Floats = np.asarray(np.where(labels > 0, 0.5 / share, 0.5 / (1 - share)), dtype=np.float64)
    ridge: Floats = RIDGE * np.append(np.ones(len(names)), 0.0)
    found: Floats = np.asarray(np.zeros(len(names) + 1), dtype=np.float64)
    for _ in range(_STEPS):
        guess: Floats = logistic(columns @ found)
        bend: Floats = columns.T @ (columns * (counts * guess * (1 - guess))[:, None]) + np.diag(ridge)
        missing: Floats = columns.T @ (counts * (labels - guess)) - ridge * found
        found += np.asarray(np.linalg.solve(bend, missing), dtype=np.float64)
    weights: Floats = found[:-1] / scale
    offset = float(found[-1] - weights @ centre)
    return ClaimWeights(offset=offset, weights=dict(zip(names, weights.tolist(), strict=True)), refuse=0.0, doubt=0.0)


def thresholds(rows: Sequence[Row], folds: Mapping[str, ClaimWeights], harmless: int) -> tuple[float, float]:
    """Give the scores that so few harmless rewrites of sets left out reach."""
    best: defaultdict[tuple[str, str], float] = defaultdict(lambda: -np.inf)
    for row in rows:
        if row.edit.is_harmless:
            key = (row.name, f"{row.edit.id} {row.edit.before}")
            best[key] = max(best[key], folds[row.name].score(row.signs))
    scores = sorted(best.values(), reverse=True)
    return scores[round(REFUSED * harmless)], scores[round(DOUBTED * harmless)]


def measure(name: str, edits: Sequence[LabelledEdit], weights: ClaimWeights, similar: Similar | None) -> None:
    """Print what all gates do on a set with weights that were found on others."""
    told: defaultdict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for edit in edits:
        told[group_of(edit)].append(judged(edit, weights, similar))
    print(f"  {name}: " + "; ".join(_line(group, told[group]) for group in GROUPS if told[group]))


def judged(edit: LabelledEdit, weights: ClaimWeights, similar: Similar | None) -> tuple[bool, bool]:
    """Tell whether the gates refuse a rewrite, and whether they refuse or doubt it."""
    gates = run_gates(edit.before, edit.after, language=edit.language, operator=edit.operator, evidence=edit.evidence)
    verdicts = [next(gates) for _ in range(len(Gate) - 1)]
    claims = claim_gate(
        edit.before,
        edit.after,
        edit.language,
        evidence=edit.evidence,
        similar=similar,
        weights=weights,
    )
    counted = [_counted(verdict, edit.before) for verdict in (*verdicts, claims) if verdict.gate is not Gate.NOVELTY]
    return any(not verdict.passes for verdict in counted), any(verdict.findings for verdict in counted)


def _counted(verdict: Ruling, original: str) -> Ruling:
    return of_the_candidate(verdict, original) if verdict.gate is Gate.INJECTION else verdict


def _line(group: str, told: Sequence[tuple[bool, bool]]) -> str:
    refused, doubted = (100 * sum(one[place] for one in told) / len(told) for place in (0, 1))
    return f"{group} {refused:.1f} % refused, {doubted:.1f} % with doubts (n {len(told)})"


def write(found: Mapping[str, ClaimWeights]) -> None:
    """Write the weights as a table a name."""
    head = "# Written by `python benchmarks/fit_gates.py --write`: what the signs of a turned claim weigh.\n"
    TARGET.write_text(
        "\n".join([head, *(_table(label, weights) for label, weights in found.items())]), encoding="utf-8"
    )
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")


def _table(label: str, weights: ClaimWeights) -> str:
    cells = [f'["{name}", {weight:.3f}]' for name, weight in weights.weights.items()]
    lines = [f"  {', '.join(cells[place : place + 2])}," for place in range(0, len(cells), 2)]
    numbers = [f"{name} = {getattr(weights, name):.3f}" for name in ("offset", "refuse", "doubt")]
    return "\n".join([f"[{label}]", *numbers, "weights = [", *lines, "]", ""])


if __name__ == "__main__":
    main(sys.argv[1:])
