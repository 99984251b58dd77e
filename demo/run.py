"""Show Evolore at work: real documents in three languages, questions about them, and the passages that answer.

``make demo`` runs it. Everything happens in a temporary folder, offline, with the embedder that is installed.
"""

from __future__ import annotations

import json
import sys
import tempfile
import textwrap
import time
from datetime import UTC, datetime
from pathlib import Path

from evolore import Memory, Recall, Statement

HERE = Path(__file__).resolve().parent
WIDTH = 96
SHOWN = 220
LIMIT = 5


def main() -> None:
    """Add, remember, ask, and say how often the first passages held the answer."""
    started = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as folder,
        Memory.open(Path(folder) / "demo.evolore", namespace="demo") as memory,
    ):
        fill(memory)
        found = [ask(memory, question) for question in read("questions.jsonl")]
    say(f"\n{sum(found)} of {len(found)} answers stood in the first {LIMIT} passages. {seconds(started)} in all.")


def fill(memory: Memory) -> None:
    """Add the demo's documents and statements."""
    started = time.perf_counter()
    added = memory.add(HERE / "documents")
    passages = sum(document.new_leaves for document in added.documents)
    say(f"Added {len(added.documents)} documents in {passages} passages ({seconds(started)}):")
    for one in added.documents:
        document = one.document
        say(f"  {document.language.value}  {document.title[:60]}  {document.characters:,} characters")
    statements = [
        Statement(
            text=line["text"],
            occurred_at=datetime.fromisoformat(line["at"]).replace(tzinfo=UTC),
            speaker=line["speaker"],
        )
        for line in read("statements.jsonl")
    ]
    memory.remember_many(statements)
    say(f"Remembered {len(statements)} statements.")


def ask(memory: Memory, question: dict[str, str]) -> bool:
    """Ask one question, show the best passage, and tell whether one of the first passages holds the answer."""
    started = time.perf_counter()
    recall = memory.recall(question["question"], limit=LIMIT)
    say(f"\n[{question['lang']}] {question['question']}  ({seconds(started)})")
    place = place_of(recall, question["expect"])
    shown = recall.hits[(place or 1) - 1]
    episode = shown.episode
    where = f"{episode.title}, {episode.outline}" if episode.document_id else f"said by {episode.speaker}"
    say(f"  {shown.rank}. {where}  (score {shown.score:.2f})")
    say(textwrap.indent(textwrap.fill(excerpt(episode.text, question["expect"]), WIDTH), "     "))
    if place is None:
        say(f"     The answer, {question['expect']!r}, is not among the first {LIMIT}.")
    return place is not None


def place_of(recall: Recall, expected: str) -> int | None:
    """Give the rank of the first hit that holds the expected words."""
    wanted = squeezed(expected)
    return next((hit.rank for hit in recall.hits if wanted in squeezed(hit.episode.text)), None)


def excerpt(text: str, expected: str) -> str:
    """Cut a passage down to the part around the expected words, from the beginning of a word or clause."""
    flat, wanted = squeezed(text), squeezed(expected)
    begin = max(0, flat.find(wanted) - SHOWN // 2)
    while begin and flat[begin - 1] not in " 。！？；，、":
        begin -= 1
    return ("…" if begin else "") + flat[begin : begin + SHOWN] + ("…" if begin + SHOWN < len(flat) else "")


def squeezed(text: str) -> str:
    """Fold white space to single spaces."""
    return " ".join(text.split())


def read(name: str) -> list[dict[str, str]]:
    """Read a file of JSON lines."""
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def seconds(started: float) -> str:
    """Say how long ago something started."""
    return f"{time.perf_counter() - started:.2f} s"


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
