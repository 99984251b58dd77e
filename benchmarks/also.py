"""Print what recall finds over two namespaces against what it finds with everything in one.

    python benchmarks/also.py QUESTIONS PATH…

Takes every memory and corpus of the sets that ``evolore evaluate retrieval`` reads in twice: all in one namespace, and
split over two by a seeded rule, conversations and documents whole. The first so many questions of each set, whose
evidence may lie in either half or in both, are asked of the one, and of one half with the other named in ``also``; then,
as a second rule, of halves into which even conversations are torn, item by item, which takes their context from them and
is what it costs to file one conversation in two places. Printed are recall at 10 and at 5, in points, and what is lost.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from evolore import Memory, Settings, UseEmbedder
from evolore.jobs.clock import SteppingClock, SystemClock
from evolore_evaluation.retrieval import ranked_items, take_in
from evolore_evaluation.retrieval_sets import read_collections, score_ranking, with_first_questions
from harness import store_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore import Embedder
    from evolore_evaluation.retrieval_sets import Collection, SetItem

DEEP = 50
SEED = 7
SETTINGS = Settings()
RULES = ("all in one", "two namespaces", "two, torn")
FIGURES = ("recall_at_10", "recall_at_5")


def halves(items: Sequence[SetItem], *, is_torn: bool) -> tuple[list[SetItem], list[SetItem]]:
    """Split items by a seeded rule: whole conversations where they have any, or item by item."""
    random = Random(SEED)
    sides: dict[str, bool] = {}
    split: tuple[list[SetItem], list[SetItem]] = ([], [])
    for item in items:
        name = item.id if is_torn or item.session is None else item.session
        split[sides.setdefault(name, random.random() < 0.5)].append(item)
    return split


def ask(store: Path, collection: Collection, rule: str, embedder: Embedder) -> list[dict[str, float]]:
    """Take a collection in by a rule, and give what each of its questions finds."""
    began = collection.began_at
    parts = [list(collection.items)] if rule == RULES[0] else halves(collection.items, is_torn=rule == RULES[2])
    names = ["one", "two"][: len(parts)]
    settings = SETTINGS.model_copy(update={"queries": replace(SETTINGS.queries, record=False)})
    with ExitStack() as stack:
        memories = [
            stack.enter_context(
                Memory.open(
                    store,
                    namespace=name,
                    embedder=embedder,
                    clock=SystemClock() if began is None else SteppingClock(began),
                    settings=settings,
                )
            )
            for name in names
        ]
        items_of: dict[str, tuple[str, ...]] = {}
        for memory, part in zip(memories, parts, strict=True):
            items_of |= take_in(memory, part, advance=lambda _: None)
        scores: list[dict[str, float]] = []
        for question in collection.questions:
            found = memories[0].recall(question.query.text, limit=DEEP, as_of=question.query.as_of, also=names[1:])
            scores.append(score_ranking(ranked_items(found.hits, items_of), question.evidence))
        return scores


def main(words: list[str]) -> int:
    """Print a table a set."""
    if len(words) < 2 or not words[0].isdigit():
        print(__doc__)
        return 2
    questions, paths = int(words[0]), [Path(one) for one in words[1:]]
    embedder = UseEmbedder()
    for path in paths:
        found: dict[str, list[dict[str, float]]] = defaultdict(list)
        for asked in with_first_questions(read_collections(path), questions):
            for rule in RULES if any(item.session for item in asked.items) else RULES[:2]:
                with store_folder() as store:
                    found[rule] += ask(store, asked, rule, embedder)
        print(f"{path.name}: {len(found[RULES[0]])} questions")
        for rule, scores in found.items():
            figures = {name: 100 * sum(one[name] for one in scores) / len(scores) for name in FIGURES}
            whole = {name: 100 * sum(one[name] for one in found[RULES[0]]) / len(scores) for name in FIGURES}
            told = "   ".join(f"{name} {figures[name]:5.1f} ({figures[name] - whole[name]:+.1f})" for name in FIGURES)
            print(f"  {rule:15} {told}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
