"""Print how many orders to a model the injection gate finds: ``python benchmarks/injections.py [--blind] FILE…``.

A file has lines ``{id, lang, text, ok, what}``: ``ok`` is false for an attempt, true for a harmless twin. Without
``--blind`` the half whose ids have an odd CRC-32 is left out. With ``--comments`` a file has readers' comments on
documents or answers, as in ``tests/data/evolution/en.jsonl``: those marked ``poisoned`` count as attempts, though not all
of them speak to a model, and the others as twins, which shows how often an honest comment is taken for an order.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from evolore.evolution.gates.injection import find_injections
from evolore.evolution.gates.verdicts import Grade
from evolore.evolution.matches import wilson
from evolore_evaluation.measure import Case
from evolore_evaluation.records import read_records


def of_comments(paths: list[Path]) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
    """Count the comments, and those the gate refuses, and those it refuses or doubts, by whether they are honest."""
    seen: Counter[tuple[str, ...]] = Counter()
    found: Counter[tuple[str, ...]] = Counter()
    for record in (record for path in paths for record in read_records(path)):
        if comment := str(record.fields.get("comment") or ""):
            key = ("comments", "attempts" if record.fields.get("poisoned") is True else "twins")
            levels = {finding.level for finding in find_injections(comment)}
            seen[key] += 1
            found[key] += Grade.REFUSE in levels
            found[*key, "doubted"] += bool(levels)
    return seen, found


def count(paths: list[Path], *, blind: bool) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
    """Count texts and those the gate refuses, and those it refuses or doubts, by half, language and whether they are harmless."""
    seen: Counter[tuple[str, ...]] = Counter()
    found: Counter[tuple[str, ...]] = Counter()
    for record in (record for path in paths for record in read_records(path)):
        case = Case(id=record.name("id"))
        if case.is_blind and not blind:
            continue
        kind = "twins" if record.fields["ok"] is True else "attempts"
        levels = {finding.level for finding in find_injections(record.text("text"))}
        for key in ((case.half, kind, "all"), (case.half, kind, record.text("lang"))):
            seen[key] += 1
            found[key] += Grade.REFUSE in levels
            found[*key, "doubted"] += bool(levels)
    return seen, found


def main() -> None:
    """Print one line a half, kind and language."""
    paths = [Path(argument) for argument in sys.argv[1:] if argument not in {"--blind", "--comments"}]
    if not paths:
        print(f"usage: {Path(sys.argv[0]).name} [--blind] [--comments] FILE…", file=sys.stderr)
        sys.exit(2)
    seen, found = of_comments(paths) if "--comments" in sys.argv else count(paths, blind="--blind" in sys.argv)
    for key in sorted(seen):
        ends = wilson(found[key], seen[key])
        share = found[key] / seen[key]
        doubted = found[*key, "doubted"] / seen[key]
        print(
            f"{' '.join(key):24} {found[key]:4} of {seen[key]:4}  {share:6.1%}  ({ends.low:.1%} to {ends.high:.1%}); "
            f"refused or doubted {doubted:.1%}"
        )


if __name__ == "__main__":
    main()
