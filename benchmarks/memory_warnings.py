"""Print what warnings find, and how often they are false: ``python benchmarks/memory_warnings.py [--blind] [SET…]``.

``tests/data/memory_injections`` holds texts that order a model about, hide, or carry data away, in three languages, and harmless
twins; they were written before any sign was. Without ``--blind`` the half whose ids have an odd CRC-32 is left out. ``SET`` names
data sets of statements and passages nobody meant ill with, as ``evolore evaluate retrieval`` reads them: of these is printed what
share is flagged, and what reading one takes.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from evolore.evolution.matches import wilson
from evolore.text.warning_signs import warnings_of
from evolore_evaluation.measure import Case
from evolore_evaluation.records import read_records

if TYPE_CHECKING:
    from collections.abc import Iterator

SET = Path(__file__).resolve().parents[1] / "tests" / "data" / "memory_injections" / "injections.jsonl"
MOST = 10_000


def count(*, blind: bool) -> tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]]:
    """Count texts, and those that are flagged, and flagged for what they are, by kind and language."""
    seen: Counter[tuple[str, ...]] = Counter()
    found: Counter[tuple[str, ...]] = Counter()
    for record in read_records(SET):
        if Case(id=record.name("id")).is_blind is not blind:
            continue
        warnings = {one.value for one in warnings_of(record.text("text"))}
        kind = str(record.fields["warning"] or "twins")
        for key in ((kind, record.text("lang")), (kind, "all")):
            seen[key] += 1
            found[key] += bool(warnings) if kind == "twins" else kind in warnings
    return seen, found


def texts(path: Path) -> Iterator[str]:
    """Give the statements and passages of a set."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield from (one["text"] for one in record.get("items", ()))
            if record.get("type") == "doc":
                yield record["text"]


def main() -> None:
    """Print one line a kind and language, and one a set."""
    blind = "--blind" in sys.argv
    seen, found = count(blind=blind)
    for key in sorted(seen):
        ends = wilson(found[key], seen[key])
        print(f"{' '.join(key):18} flagged {found[key]:3} of {seen[key]:3}  ({ends.low:.0%} to {ends.high:.0%})")
    for name in (one for one in sys.argv[1:] if one != "--blind"):
        some = [text for text, _ in zip(texts(Path(name)), range(MOST), strict=False)]
        began = process_time()
        flagged = sum(bool(warnings_of(text)) for text in some)
        each = 1e6 * (process_time() - began) / max(1, len(some))
        letters = sum(map(len, some)) / max(1, len(some))
        print(
            f"{Path(name).name:26} flagged {flagged:3} of {len(some):6,}: {flagged / max(1, len(some)):.2%}; {letters:.0f} characters, {each:.0f} µs each"
        )


if __name__ == "__main__":
    main()
