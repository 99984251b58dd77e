"""Print what remembering the assistant's replies finds, and what it puts among the hits.

    python benchmarks/replies.py SET [--collections 2] [--limit 10] [--embedder use|hashing]

SET is a file of chats with a language model as ``evolore evaluate retrieval`` reads it, whose questions name the messages
that answer them, such as BEAM. Each chat is remembered twice: the user's messages alone, and both sides. Questions are
split by who said their evidence. Found: the share of the evidence among the first hits. Shown: what ``as_messages``
shows a model within 600 tokens, as a wrapped client does: how often some evidence is in it, how much of its text is the
assistant's, and how much is no evidence.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

os.environ["OMP_NUM_THREADS"] = "1"

from evolore.domain.episode import Statement
from evolore.models.embedders import embedder_named
from evolore.models.offline import HashingEmbedder
from evolore_evaluation.retrieval_sets import read_collections
from harness import command_line, new_memory

if TYPE_CHECKING:
    from evolore.memory import Memory
    from evolore.ports import Embedder
    from evolore_evaluation.retrieval_sets import Collection

ASSISTANT, TOKENS = "assistant", 600


def told(collection: Collection, memory: Memory, *, replies: bool) -> dict[str, str]:
    """Remember a chat; return which message each statement is."""
    said = [(one.id, one.content) for one in collection.items if isinstance(one.content, Statement)]
    kept = [(name, one) for name, one in said if replies or one.speaker != ASSISTANT]
    return dict(
        zip(
            [one.id for one in memory.remember_many(statement for _, statement in kept).episodes],
            [name for name, _ in kept],
            strict=True,
        )
    )


def asked(
    collection: Collection, embedder: Embedder, *, replies: bool, limit: int
) -> dict[str, list[dict[str, float]]]:
    """Ask a chat's questions; return what came back, by who said the evidence."""
    speakers = {one.id: one.content.speaker for one in collection.items if isinstance(one.content, Statement)}
    results: dict[str, list[dict[str, float]]] = defaultdict(list)
    with new_memory(embedder=embedder) as memory:
        names = told(collection, memory, replies=replies)
        for question in collection.questions:
            evidence = set(question.evidence)
            sides = {ASSISTANT if speakers.get(one) == ASSISTANT else "user" for one in evidence}
            found = memory.recall(question.query.text, limit=limit, record=False, as_of=question.query.as_of)
            hits = [{names[one.id] for one in hit.episodes if one.id in names} for hit in found.hits]
            shown = memory.recall(
                question.query.text, limit=limit, tokens=TOKENS, record=False, as_of=question.query.as_of
            ).hits
            sizes = [
                (len(hit.text), hit.episode.speaker, bool({names.get(one.id) for one in hit.episodes} & evidence))
                for hit in shown
            ]
            whole = sum(size for size, _, _ in sizes) or 1
            results[" and ".join(sorted(sides))].append(
                {
                    "found": len(evidence & set().union(*hits)) / len(evidence),
                    "shown": float(any(one for _, _, one in sizes)),
                    "assistant's": sum(size for size, who, _ in sizes if who == ASSISTANT) / whole,
                    "no evidence": sum(size for size, _, one in sizes if not one) / whole,
                }
            )
    return results


def main() -> None:
    """Print a table."""
    options = command_line(__doc__)
    options.add_argument("set", type=Path)
    options.add_argument("--collections", type=int, default=None, help="only the first so many chats")
    options.add_argument("--limit", type=int, default=10, help="how many hits count")
    options.add_argument("--embedder", default="use", help="use, e5 or hashing")
    given = options.parse_args()
    embedder = HashingEmbedder() if given.embedder == "hashing" else embedder_named(given.embedder)
    tables: dict[bool, dict[str, list[dict[str, float]]]] = {False: defaultdict(list), True: defaultdict(list)}
    for collection in read_collections(given.set)[: given.collections]:
        for replies, table in tables.items():
            for sides, rows in asked(collection, embedder, replies=replies, limit=given.limit).items():
                table[sides] += rows
                table["all"] += rows
    print(
        f"{'evidence said by':24}{'questions':>10}  {'replies':8}{'found':>8}{'shown':>8}{'assistant':>11}{'no evidence':>13}"
    )
    for sides in sorted(tables[True], reverse=True):
        for replies, table in tables.items():
            rows = table[sides]
            means = [sum(row[name] for row in rows) / len(rows) for name in rows[0]]
            cells = "".join(f"{100 * mean:{width}.1f}" for mean, width in zip(means, (8, 8, 11, 13), strict=True))
            print(f"{sides:24}{len(rows):10}  {'on' if replies else 'off':8}{cells}")


if __name__ == "__main__":
    main()
