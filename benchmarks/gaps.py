"""Print which gaps of a knowledge base are found from the questions that people asked it, and named right.

Run it as ``.venv/bin/python benchmarks/gaps.py [--blind]``. The sets are in ``tests/data/gaps``: documents, statements,
a stream of questions with ratings, and the gaps that were planted. Each is played in a default store, a day a day.

- *found*: planted gaps of which an open entry is made, for the most part; *whole*: an entry holds half of its questions.
- *named*: of those found, what is missing is named right in the largest entry. *healthy*: questions that the documents
  answer, in an entry. *entries*: how many are listed. Each with every entry, and with those of two questions or more.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evolore import Memory
from evolore.evolution.gaps import Gap
from harness import command_line

DATA = Path(__file__).parents[1] / "tests/data/gaps"
BEGAN = datetime(2026, 5, 1, 9, tzinfo=UTC)
LANGUAGES = ("en", "ja", "zh")

Row = Mapping[str, Any]


class DayClock:
    """A clock that is set by hand."""

    moment = BEGAN

    def now(self) -> datetime:
        """Return what it was set to."""
        return self.moment


def played(rows: Sequence[Row], folder: str) -> tuple[tuple[Gap, ...], dict[str, Row]]:
    """Play a set, and return every open gap with the questions by the ids they were recorded under."""
    clock = DayClock()
    asked: dict[str, Row] = {}
    with Memory.open(folder, clock=clock) as memory:
        for row in rows:
            match row["kind"]:
                case "document":
                    memory.add_text(row["text"], source=row["source"])
                case "statement":
                    memory.remember(row["text"], speaker=row["person"])
                case "gap":
                    continue
                case _:
                    clock.moment = BEGAN + timedelta(days=row["day"], minutes=len(asked))
                    said = memory.answer(row["text"], principal=row["person"])
                    if row["rating"] is not None:
                        memory.rate(said.id, row["rating"], comment=row["comment"] or None, principal=row["person"])
                    asked[said.query_id or ""] = row
        return memory.evolution.gaps(least=1, limit=1000), asked


def report(language: str, rows: Sequence[Row], found: Sequence[Gap], asked: Mapping[str, Row], least: int) -> None:
    """Print the figures of one set."""
    planted = {row["id"]: row["missing"] for row in rows if row["kind"] == "gap"}
    listed = [one for one in found if len(one.question_ids) >= least]
    held = [Counter(asked[id_]["gap"] for id_ in one.question_ids) for one in listed]
    mine: dict[str, list[int]] = {}
    for place, counts in enumerate(held):
        name, most = counts.most_common(1)[0]
        if name is not None and 2 * most >= counts.total():
            mine.setdefault(name, []).append(place)
    of_gap = Counter(row["gap"] for row in asked.values())
    unserved = Counter(asked[id_]["gap"] for one in found for id_ in one.question_ids)
    whole = [name for name, places in mine.items() if any(2 * held[one][name] >= unserved[name] for one in places)]
    right = Counter(
        planted[name]
        for name, places in mine.items()
        if (best := max(places, key=lambda one: held[one][name])) >= 0 and listed[best].missing == planted[name]
    )
    of_kind = Counter(planted[name] for name in mine)
    kinds = ", ".join(f"{kind} {right[kind]} of {count}" for kind, count in sorted(of_kind.items()))
    healthy = sum(counts[None] for counts in held)
    print(
        f"{language} of {least} or more: found {len(mine)} of {len(planted)}, whole {len(whole)}, "
        f"named {right.total()} of {len(mine)} ({kinds}), healthy {healthy} of {of_gap[None]}, entries {len(listed)}",
        flush=True,
    )


def main() -> None:
    """Play all, and print."""
    parser = command_line(__doc__)
    parser.add_argument("--blind", action="store_true", help="the blind half")
    half = "blind" if parser.parse_args().blind else "visible"
    for language in LANGUAGES:
        lines = (DATA / half / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
        rows: list[Row] = [json.loads(line) for line in lines]
        with TemporaryDirectory() as folder:
            found, asked = played(rows, folder)
        for least in (1, 2):
            report(language, rows, found, asked, least)


if __name__ == "__main__":
    main()
