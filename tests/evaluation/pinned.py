"""What is decided of the project's own sets, a line a case, as it was when somebody last looked: ``python -m evaluation.pinned`` notes it anew.

Rules are kept by these lines where no test knows why they are as they are: whoever changes one sees which cases it moves. They are
no aims, and hold many wrong decisions. Vectors are hashed, so that no machine's rounding moves a line.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from evolore.models.offline import HashingEmbedder
from evolore_evaluation.measure import Run
from evolore_evaluation.pairs import evaluate_pairs
from evolore_evaluation.staleness import evaluate_staleness
from rewrites import evaluate_edits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DATA = Path(__file__).resolve().parents[1] / "data"
PLACE = DATA / "pins"
LIMITS = {"staleness": 40}
SETS: Mapping[str, Callable[..., Any]] = {
    "edits": partial(evaluate_edits, [DATA / "edits"]),
    "edits_third": partial(evaluate_edits, [DATA / "edits_third"]),
    "pairs": partial(evaluate_pairs, [DATA / "pairs"]),
    "changes": partial(evaluate_pairs, [DATA / "changes"]),
    "staleness": partial(evaluate_staleness, [DATA / "staleness"]),
}


def lines(name: str) -> list[str]:
    """Give a line for each case of a set: its id, what was decided, and a digest of all that was said of it."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "predictions.jsonl"
        SETS[name](embedder=HashingEmbedder(), run=Run(limit=LIMITS.get(name), predictions=out))
        return [_line(json.loads(line)) for line in out.read_text("utf-8").splitlines()]


def _line(told: dict[str, Any]) -> str:
    said = sorted(key for key, value in told.items() if value is True)
    digest = sha256(json.dumps(told, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:8]
    return " ".join((told["set"], told["id"], "+".join(said) or "-", digest))


def main() -> None:
    """Note what is decided of every set, or of those that are named."""
    for name in sys.argv[1:] or SETS:
        (PLACE / f"{name}.txt").write_text("\n".join(lines(name)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
